//! The layers: which room may use which. Between crates Cargo holds the arrows, and docs/ARCHITECTURE.md
//! shows them; between the files of a room, the tests read the sources as text.

use crate::file_graph::{circles, uses_of_files};
use crate::house::{product_code, product_sources, read, root};
use regex::Regex;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Rooms that do no I/O.
const PURE: &[&str] = &[
    "crates/locate/src",
    "crates/query/src",
    "crates/model/src",
    "crates/expr/src",
    "crates/program/src",
    "crates/past/src",
    "crates/occurrences/src",
    "crates/logic/src",
    "crates/omission/src/analysis",
    "crates/bytecode/src",
    "crates/pointsto/src",
    "crates/jdk/src",
    "crates/dap/src",
];

/// Files of one room that may use each other, each with the reason.
const ALLOWED: &[(&[&str], &str)] = &[(
    &["crates/jdwp/src/codec.rs", "crates/jdwp/src/id.rs"],
    "a type and its codec: the codec knows the sizes of ids",
)];

#[test]
fn the_files_of_a_room_use_each_other_one_way() {
    let code = product_code();
    let (mut wrong, mut seen, mut met) = (Vec::new(), 0, BTreeSet::new());
    // The Prolog engine has no rooms yet.
    for source in product_sources().into_iter().filter(|source| source != "crates/prolog/src") {
        let mut uses = uses_of_files(&code, &source);
        uses.retain(|file, _| room_of(file).is_some());
        for (file, used) in &mut uses {
            used.retain(|used| room_of(used) == room_of(file));
            seen += used.len();
        }
        for circle in circles(&uses) {
            let allowed = ALLOWED
                .iter()
                .position(|(files, _)| circle == files.iter().map(PathBuf::from).collect::<BTreeSet<_>>());
            if let Some(allowed) = allowed {
                met.insert(allowed);
            } else {
                let files: Vec<String> = circle.iter().map(|file| file.display().to_string()).collect();
                wrong.push(files.join(", "));
            }
        }
    }
    assert!(seen > 500, "only {seen} uses found: are the sources where they were?");
    assert!(wrong.is_empty(), "files that use each other:\n{}", wrong.join("\n"));
    assert_eq!(met.len(), ALLOWED.len(), "an allowed cycle no longer exists: remove it from the list");
}

/// Cargo refuses a circle of crates; this table is for people.
#[test]
fn the_table_of_layers_is_what_cargo_holds() {
    let text = read("docs/ARCHITECTURE.md");
    let (_, after) = text.split_once("| room | may use |").expect("the table");
    let names = Regex::new(r"`([\w-]+)`").unwrap();
    let rows = after.lines().skip(2).take_while(|line| line.starts_with('|'));
    let rows: Vec<Vec<&str>> = rows
        .map(|line| names.captures_iter(line).map(|c| c.get(1).map_or("", |m| m.as_str())).collect())
        .collect();
    let rooms: Vec<&str> = rows.iter().filter_map(|row| row.first().copied()).collect();
    let crates: BTreeSet<String> = std::fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    let mut wrong = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        let (room, shown) = row.split_first().expect("a room");
        for used in shown.iter().filter(|used| rooms.iter().position(|room| room == *used) <= Some(place)) {
            wrong.push(format!("`{room}` uses `{used}`, which is not below it"));
        }
        let folder = if *room == "ui" { String::new() } else { format!("crates/{room}/") };
        let held = dependencies(&format!("{folder}Cargo.toml"), &crates);
        if held != shown.iter().map(|&used| used.to_owned()).collect() {
            wrong.push(format!("`{room}` uses {held:?}, and the table says {shown:?}"));
        }
        // The rooms that must stay testable without a VM.
        if ["chain", "locate", "declarative", "query", "expr", "model"].contains(room) {
            assert!(!held.contains("run") && !held.contains("jdwp"), "`{room}` must know no run");
        }
    }
    wrong.extend(
        crates.iter().filter(|name| !rooms.contains(&name.as_str())).map(|name| format!("no row: {name}")),
    );
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The crates of this workspace that a package depends on.
fn dependencies(manifest: &str, crates: &BTreeSet<String>) -> BTreeSet<String> {
    let text = read(manifest);
    let (_, after) = text.split_once("\n[dependencies]\n").unwrap_or_default();
    let lines = after.lines().take_while(|line| !line.starts_with('['));
    let names = lines.filter_map(|line| line.split(['.', ' ']).next());
    names.filter(|name| crates.contains(*name)).map(str::to_owned).collect()
}

#[test]
fn pure_rooms_do_no_io() {
    let io = Regex::new(r"\bstd::(fs|net|process|env)\b|\bstd::io::|\btokio\b|\bprint(ln)?!").unwrap();
    let mut wrong = Vec::new();
    for (file, code) in product_code() {
        if PURE.iter().any(|room| file.starts_with(room)) {
            wrong.extend(io.find(&code).map(|m| format!("{}: {}", file.display(), m.as_str())));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The room of a file: the folder below `src/`, or the crate. `lib.rs` and `main.rs` only name the rooms.
fn room_of(file: &Path) -> Option<String> {
    let parts: Vec<String> = file.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    match parts.first()?.as_str() {
        "crates" => parts.get(1).cloned(),
        _ if parts.len() > 2 => parts.get(1).cloned(),
        _ => None,
    }
}
