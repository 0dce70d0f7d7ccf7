//! The layers: which room may use which, in the whole project and inside a session. The tests read the
//! sources as text.

use crate::file_graph::{circles, uses_of_files};
use crate::house::{product_code, read};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The rooms below that each room may use, top down. docs/ARCHITECTURE.md shows the same table.
const LAYERS: &[(&str, &[&str])] = &[
    ("ui", &["command", "session", "model", "dap", "rmcp", "axum"]),
    ("command", &["session", "chain"]),
    (
        "session",
        &[
            "alignment",
            "assertions",
            "logic",
            "omission",
            "slice",
            "inspect",
            "chain",
            "program",
            "locate",
            "declarative",
            "run",
            "trace",
            "query",
            "debuggee",
            "classes",
            "expr",
            "model",
            "bytecode",
            "prolog",
            "files",
        ],
    ),
    ("alignment", &["trace", "classes", "bytecode"]),
    ("assertions", &["chain", "inspect", "trace", "classes", "expr", "model", "bytecode", "jdk"]),
    ("logic", &["inspect", "program", "trace", "classes", "model", "bytecode", "prolog"]),
    ("omission", &["inspect", "program", "trace", "classes", "model", "bytecode", "jdk"]),
    ("slice", &["program", "trace", "classes", "bytecode", "jdk"]),
    ("inspect", &["trace", "classes", "model", "bytecode"]),
    ("chain", &["program", "query", "classes", "expr", "model", "bytecode", "jdk", "files"]),
    ("program", &["classes", "model", "bytecode", "jdk"]),
    ("locate", &["query", "model"]),
    ("declarative", &[]),
    ("run", &["query", "debuggee", "classes", "expr", "model", "jdwp", "bytecode", "wire"]),
    ("trace", &["model", "bytecode", "wire", "files"]),
    ("query", &["expr", "model"]),
    ("debuggee", &["classes", "files"]),
    ("classes", &["bytecode"]),
    ("expr", &["model", "bytecode"]),
    ("model", &[]),
    ("jdwp", &[]),
    ("dap", &[]),
    ("rmcp", &[]),
    ("axum", &[]),
    ("agent", &["bytecode", "jdk", "wire"]),
    ("bytecode", &[]),
    ("jdk", &[]),
    ("prolog", &[]),
    ("wire", &[]),
    ("files", &[]),
];

/// The other rooms of a session that each one may use, top down. The files beside them serve all rooms and
/// use none.
const SESSION: &[(&str, &[&str])] = &[
    ("explore", &["replay", "answer"]),
    ("diagnose", &["recorded"]),
    ("full_replay", &["logic", "omitted", "recorded", "replay", "answer"]),
    ("logic", &["recorded"]),
    ("omitted", &["recorded"]),
    ("recorded", &["replay", "answer"]),
    ("replay", &["answer"]),
    ("answer", &[]),
];

/// Rooms that do no I/O.
const PURE: &[&str] = &[
    "src/locate",
    "src/query",
    "src/model",
    "src/expr",
    "src/program",
    "src/inspect",
    "src/logic",
    "src/omission",
    "crates/bytecode/src",
    "crates/jdk/src",
    "crates/dap/src",
];

/// Files of one room that may use each other, each with the reason.
const ALLOWED: &[(&[&str], &str)] = &[(
    &["crates/jdwp/src/codec.rs", "crates/jdwp/src/id.rs"],
    "a type and its codec: the codec knows the sizes of ids",
)];

#[test]
fn the_layers_hold() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (file, code) in product_code() {
        let Some(room) = room_of(&file) else { continue };
        let Some((_, may_use)) = LAYERS.iter().find(|(name, _)| *name == room) else {
            wrong.push(format!("{}: room `{room}` is in no layer", file.display()));
            continue;
        };
        let used = rooms_used(&code, depth_of(&file));
        seen += used.len();
        for name in used {
            if name != room && !may_use.contains(&name) {
                wrong.push(format!("{}: `{room}` may not use `{name}`", file.display()));
            }
        }
    }
    assert!(seen > 100, "only {seen} uses found: are the sources where they were?");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_files_of_a_room_use_each_other_one_way() {
    let code = product_code();
    let sources = [
        "src",
        "crates/jdwp/src",
        "crates/bytecode/src",
        "crates/jdk/src",
        "crates/agent/src",
        "crates/wire/src",
        "crates/dap/src",
    ];
    let (mut wrong, mut seen, mut met) = (Vec::new(), 0, BTreeSet::new());
    for source in sources {
        let mut uses = uses_of_files(&code, source);
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

#[test]
fn the_rooms_of_a_session_point_down() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    let mut beside: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (file, code) in product_code() {
        let Ok(inside) = file.strip_prefix("src/session") else { continue };
        let name = inside.iter().next().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let name = name.trim_end_matches(".rs");
        let used = modules_used(&code, &["session"], depth_of(&file));
        if name == "mod" {
            continue;
        }
        let Some((_, may_use)) = SESSION.iter().find(|(room, _)| *room == name) else {
            let rooms = used.iter().filter(|used| SESSION.iter().any(|(room, _)| room == *used));
            wrong.extend(rooms.map(|room| format!("{}: may not use `{room}`", file.display())));
            beside.insert(name.to_owned(), used);
            continue;
        };
        for used in used.iter().filter(|used| SESSION.iter().any(|(room, _)| room == *used)) {
            seen += 1;
            if used != name && !may_use.contains(&used.as_str()) {
                wrong.push(format!("{}: `{name}` may not use `{used}`", file.display()));
            }
        }
    }
    // The files beside the rooms form no cycle: remove files that use no others, until none are left.
    while let Some(name) =
        beside.iter().find(|(name, used)| !used.iter().any(|used| used != *name && beside.contains_key(used)))
    {
        let name = name.0.clone();
        beside.remove(&name);
    }
    wrong.extend(beside.keys().map(|name| format!("src/session/{name}.rs: stands in a circle")));
    assert!(seen > 20, "only {seen} uses found: are the sources where they were?");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    for (place, (room, may_use)) in SESSION.iter().enumerate() {
        for used in *may_use {
            assert!(SESSION.iter().skip(place + 1).any(|(below, _)| below == used), "{room} uses {used}");
        }
    }
}

#[test]
fn every_way_to_name_a_room_is_seen() {
    let used = |code| rooms_used(code, 2).into_iter().collect::<Vec<_>>();
    assert_eq!(used("use crate::run::vm::Vm;"), ["run"]);
    assert_eq!(used("fn f(x: &crate::run::Vm, y: crate::model::Site) {}"), ["model", "run"]);
    assert_eq!(used("use crate::{model::{Site, Value}, query};"), ["model", "query"]);
    assert_eq!(used("fn f(x: &jdwp::Value) -> Option<bytecode::Op> {}"), ["bytecode", "jdwp"]);
    assert_eq!(used("use ::jdwp::Value;\npub use bytecode::Op;"), ["bytecode", "jdwp"]);
    assert_eq!(used("super::super::run::f(); super::locate::f();"), ["run"]);
    assert_eq!(used("use self::run::f; use other::jdwp::f; x.run(); noun::model::f();"), [""; 0]);
}

#[test]
fn the_layers_point_down() {
    for (place, (room, may_use)) in LAYERS.iter().enumerate() {
        for used in *may_use {
            let below = LAYERS.iter().position(|(name, _)| name == used);
            assert!(below.is_some_and(|b| b > place), "`{room}` uses `{used}`, which is not below it");
        }
    }
    // The rooms that must stay testable without a VM.
    for (room, may_use) in LAYERS {
        if ["chain", "locate", "declarative", "query", "expr", "model"].contains(room) {
            assert!(!may_use.contains(&"run") && !may_use.contains(&"jdwp"), "`{room}` must know no run");
        }
    }
}

#[test]
fn the_table_of_layers_is_in_the_docs() {
    let text = read("docs/ARCHITECTURE.md");
    let (_, after) = text.split_once("| room | may use |").expect("the table");
    let names = Regex::new(r"`(\w+)`").unwrap();
    let rows: Vec<Vec<&str>> = after
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| names.captures_iter(line).map(|c| c.get(1).map_or("", |m| m.as_str())).collect())
        .collect();
    let held: Vec<Vec<&str>> = LAYERS.iter().map(|(room, uses)| [&[*room], *uses].concat()).collect();
    assert_eq!(rows, held);
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

/// Depth of a file's module below the root: `src/run/mod.rs` 1, `src/run/vm.rs` 2.
fn depth_of(file: &Path) -> usize {
    let below = if file.starts_with("crates") { 3 } else { 1 };
    file.iter().count().saturating_sub(below + usize::from(file.ends_with("mod.rs")))
}

/// The rooms named by code, in a module at this depth.
fn rooms_used(code: &str, depth: usize) -> BTreeSet<&str> {
    let path = Regex::new(r"\b(?:crate|querypoint)::(\w+)").unwrap();
    let group = Regex::new(r"\b(?:crate|querypoint)::\{([^;]*)").unwrap();
    let package = Regex::new(r"(?:^|[^:\w]|[^:\w]::)(jdwp|bytecode|jdk|wire)::").unwrap();
    let upwards = Regex::new(r"\b((?:super::)+)(\w+)").unwrap();
    let mut used = BTreeSet::new();
    for found in path.captures_iter(code).chain(package.captures_iter(code)) {
        used.extend(found.get(1).map(|m| m.as_str()));
    }
    for found in group.captures_iter(code) {
        let words = found.get(1).map_or("", |m| m.as_str());
        used.extend(words.split(|c: char| !c.is_alphanumeric() && c != '_'));
    }
    for found in upwards.captures_iter(code) {
        if found[1].matches("super").count() >= depth {
            used.extend(found.get(2).map(|m| m.as_str()));
        }
    }
    used.retain(|name| LAYERS.iter().any(|(room, _)| room == name));
    used
}

/// The modules of a room named by code, in a module at this depth.
fn modules_used(code: &str, room: &[&str], depth: usize) -> BTreeSet<String> {
    let whole = Regex::new(&format!(r"\bcrate::{}::(\w+)", room.join("::"))).unwrap();
    let upwards = Regex::new(r"\b((?:super::)+)(\w+)").unwrap();
    let ups =
        upwards.captures_iter(code).filter(|found| found[1].matches("super").count() + room.len() == depth);
    let ups = ups.map(|found| found[2].to_owned());
    whole.captures_iter(code).map(|found| found[1].to_owned()).chain(ups).collect()
}
