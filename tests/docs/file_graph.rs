//! The use of files by each other within a room, from the paths in their code, read as text.
//!
//! It skips `mod.rs` and `lib.rs`, which only declare and re-export their children. A path through one leads
//! to the file with the item.

use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A module, by its path from the crate's root.
type Module = Vec<String>;

/// For each file, the files of its crate that it uses.
pub fn uses_of_files(files: &[(PathBuf, String)], source: &str) -> BTreeMap<PathBuf, BTreeSet<PathBuf>> {
    let own = files.iter().filter(|(file, _)| file.starts_with(source));
    let modules: BTreeMap<Module, &(PathBuf, String)> =
        own.map(|of| (module_of(&of.0, source), of)).collect();
    let reexports = modules.iter().map(|(module, (_, code))| (module.clone(), reexports(code))).collect();
    let graph = FileGraph { modules, reexports };
    let mut uses: BTreeMap<PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
    for (module, (file, code)) in &graph.modules {
        if is_parent(file) {
            continue;
        }
        let used = paths(code).iter().filter_map(|path| graph.file(module, path)).collect::<BTreeSet<_>>();
        let used = used.into_iter().filter(|used| used != file && !is_parent(used)).collect();
        uses.insert(file.clone(), used);
    }
    uses
}

/// The groups of files that use each other, directly or through others of the group.
pub fn circles(uses: &BTreeMap<PathBuf, BTreeSet<PathBuf>>) -> Vec<BTreeSet<PathBuf>> {
    let reached = |from: &PathBuf| {
        let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(file) = next.pop() {
            for used in uses.get(file).into_iter().flatten() {
                if reached.insert(used.clone()) {
                    next.push(used);
                }
            }
        }
        reached
    };
    let all: BTreeMap<&PathBuf, BTreeSet<PathBuf>> = uses.keys().map(|file| (file, reached(file))).collect();
    let circle = |file: &PathBuf| {
        let back = |other: &&PathBuf| all.get(*other).is_some_and(|reached| reached.contains(file));
        all[file].iter().filter(back).cloned().collect::<BTreeSet<_>>()
    };
    let found: BTreeSet<_> = uses.keys().map(circle).filter(|circle| circle.len() > 1).collect();
    found.into_iter().collect()
}

fn is_parent(file: &Path) -> bool {
    file.ends_with("mod.rs") || file.ends_with("lib.rs") || file.ends_with("main.rs")
}

fn module_of(file: &Path, source: &str) -> Module {
    let inside = file.strip_prefix(source).unwrap_or(file).with_extension("");
    let mut names: Module = inside.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if names.last().is_some_and(|name| ["mod", "lib", "main"].contains(&name.as_str())) {
        names.pop();
    }
    names
}

struct FileGraph<'a> {
    modules: BTreeMap<Module, &'a (PathBuf, String)>,
    /// For each module, the items it re-exports, with their paths there.
    reexports: BTreeMap<Module, BTreeMap<String, Module>>,
}

impl FileGraph<'_> {
    /// The file to which a path in a module leads.
    fn file(&self, from: &Module, path: &[String]) -> Option<PathBuf> {
        let (module, item) = self.resolve(from, path)?;
        let module = item.map_or(module.clone(), |item| self.origin(module, item));
        self.modules.get(&module).map(|(file, _)| file.clone())
    }

    /// The module to which a path leads, and the item it names there.
    fn resolve(&self, from: &Module, path: &[String]) -> Option<(Module, Option<String>)> {
        let mut at = from.clone();
        let mut names = path.iter().peekable();
        match path.first().map(String::as_str) {
            Some("crate") => {
                at.clear();
                names.next();
            }
            Some("self") => drop(names.next()),
            Some("super") => {
                while names.next_if(|name| *name == "super").is_some() {
                    at.pop();
                }
            }
            // The path begins with a child module, or belongs to another crate.
            Some(name) if !self.modules.contains_key(&[at.clone(), vec![name.to_owned()]].concat()) => {
                return None;
            }
            _ => {}
        }
        while let Some(name) = names.peek() {
            let child = [at.clone(), vec![(*name).clone()]].concat();
            if !self.modules.contains_key(&child) {
                break;
            }
            (at, _) = (child, names.next());
        }
        Some((at, names.next().cloned()))
    }

    /// The module that defines an item, behind re-exports.
    fn origin(&self, mut module: Module, mut item: String) -> Module {
        for _ in 0..8 {
            let Some(path) = self.reexports.get(&module).and_then(|of| of.get(&item)) else { break };
            let Some((next, named)) = self.resolve(&module, path) else { break };
            if next == module {
                break;
            }
            (module, item) = (next, named.unwrap_or(item));
        }
        module
    }
}

/// The items that a module re-exports by `pub use`.
fn reexports(code: &str) -> BTreeMap<String, Module> {
    let handed_on = Regex::new(r"\bpub(?:\([^)]*\))?\s+use\s+([^;]+);").unwrap();
    let mut found = BTreeMap::new();
    for uses in handed_on.captures_iter(code) {
        for path in expand(&uses[1]) {
            if let Some(item) = path.last() {
                found.insert(item.clone(), path);
            }
        }
    }
    found
}

/// The paths in code: those of `use`, and those written in full.
fn paths(code: &str) -> Vec<Module> {
    let uses = Regex::new(r"\buse\s+([^;]+);").unwrap();
    let written = Regex::new(r"(?:^|[^:\w$])((?:crate|super|self)(?:::\w+)+)").unwrap();
    let of_uses = uses.captures_iter(code).flat_map(|found| expand(&found[1]));
    let in_full = written.captures_iter(code).flat_map(|found| expand(&found[1]));
    of_uses.chain(in_full).collect()
}

/// The paths of one `use`: `a::{b, c::d as e}` has `a::b` and `a::c::d`.
fn expand(text: &str) -> Vec<Module> {
    let text = text.trim();
    let Some((before, rest)) = text.split_once('{') else {
        let path = text.split(" as ").next().unwrap_or_default();
        return vec![path.split("::").map(|name| name.trim().to_owned()).collect()];
    };
    let group = rest.trim_end().strip_suffix('}').unwrap_or(rest);
    let (mut parts, mut depth, mut part) = (Vec::new(), 0_u32, String::new());
    for letter in group.chars() {
        match letter {
            ',' if depth == 0 => parts.push(std::mem::take(&mut part)),
            _ => part.push(letter),
        }
        depth = depth + u32::from(letter == '{') - u32::from(letter == '}');
    }
    parts.push(part);
    let named = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
    named.flat_map(|part| expand(&format!("{before}{part}"))).collect()
}

#[test]
fn a_circle_is_found_through_what_a_parent_hands_on() {
    let file = |name: &str, code: &str| (PathBuf::from(name), code.to_owned());
    let files = [
        file("src/lib.rs", "mod room; mod other;"),
        file("src/room/mod.rs", "mod a; mod b; mod c; pub use a::{First, Second};"),
        file("src/room/a.rs", "fn f(x: super::b::B) {}"),
        file("src/room/b.rs", "use super::{c::{C, D}, Other};"),
        file("src/room/c.rs", "use crate::room::Second as S; use ::other::Thing;"),
        file("src/other.rs", "use crate::room::First;"),
    ];
    let uses = uses_of_files(&files, "src");
    let of = |name: &str| uses[Path::new(name)].iter().map(|p| p.display().to_string()).collect::<Vec<_>>();
    assert_eq!(of("src/room/b.rs"), ["src/room/c.rs"]);
    assert_eq!(of("src/other.rs"), ["src/room/a.rs"]);
    let room = ["src/room/a.rs", "src/room/b.rs", "src/room/c.rs"].map(PathBuf::from);
    assert_eq!(circles(&uses), [BTreeSet::from(room)]);
}
