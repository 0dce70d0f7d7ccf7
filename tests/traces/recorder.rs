//! The class files of the recorder and of what calls the right version of a program, which are committed so
//! that building `qp` needs no JDK, are what the compiler makes of the sources beside them.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::{root, said};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Java whose compiler made the class files: another writes the same methods in other words.
const COMPILER: &str = "17";

fn recorder() -> PathBuf {
    root().join("crates/agent/recorder")
}

/// The class files of a folder by name.
fn classes(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|e| e.expect("an entry").path());
    let classes = paths.filter(|p| p.extension().is_some_and(|e| e == "class"));
    let named = classes.map(|path| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read(path).expect("a class file"))
    });
    named.collect()
}

#[test]
fn the_class_files_are_those_of_the_source() {
    let version = Command::new("javac").arg("-version").output().expect("javac");
    let version = said(&version);
    let major = version.trim().trim_start_matches("javac ").split('.').next().unwrap_or_default();
    if major != COMPILER {
        eprintln!(
            "skipped: the class files are compared with those of javac {COMPILER}; this is {}",
            version.trim()
        );
        return;
    }
    // What calls the right version of a program lies beside its source too.
    let caller = root().join("src/session/diagnose/reference");
    for (sources, sub) in [(recorder(), "java/lang"), (caller, "")] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut build = Command::new("sh");
        build.arg("build.sh").arg(folder.path()).current_dir(&sources);
        let output = build.output().expect("sh");
        assert!(output.status.success(), "{}", said(&output));
        let (made, committed) = (classes(&folder.path().join(sub)), classes(&sources.join(sub)));
        let names = |of: &BTreeMap<String, Vec<u8>>| of.keys().cloned().collect::<Vec<_>>();
        let how = format!("build.sh of {} compiles them", sources.display());
        assert!(!made.is_empty(), "{how}");
        assert_eq!(names(&made), names(&committed), "{how}");
        for (name, bytes) in &made {
            assert!(
                committed.get(name) == Some(bytes),
                "{name} is not what the compiler makes of the source: {how}"
            );
        }
    }
}

#[test]
fn the_agent_carries_all_of_them() {
    let host = std::fs::read_to_string(root().join("crates/agent/src/host.rs")).expect("host.rs");
    let lists = host.split("= recorder![").skip(1).map(|rest| rest.split(']').next().expect("its end"));
    let names = lists.flat_map(|list| list.split('"').filter_map(|name| name.strip_prefix("java/lang/")));
    let carried: BTreeSet<String> = names.map(|name| format!("{name}.class")).collect();
    assert_eq!(carried, classes(&recorder().join("java/lang")).into_keys().collect());
}
