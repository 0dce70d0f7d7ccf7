//! The committed class files of the recorder, of the reference VM and of the test runner equal the compiler's
//! output for the sources beside them. They are committed so that building `qp` needs no JDK.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::{root, said};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Java version of the compiler; others produce different code for the same methods.
const COMPILER: &str = "17";

fn recorder() -> PathBuf {
    root().join("java/recorder")
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

/// Set on a host that has no compiler of this version.
const NO_COMPILER: &str = "QP_TEST_NO_JAVAC17";

#[test]
fn the_class_files_are_those_of_the_source() {
    if std::env::var_os(NO_COMPILER).is_some() {
        return;
    }
    let version = said(&Command::new("javac").arg("-version").output().expect("javac"));
    let major = version.trim().trim_start_matches("javac ").split('.').next().unwrap_or_default();
    assert_eq!(
        major, COMPILER,
        "the class files are compared with those of javac {COMPILER}; if there is none, set {NO_COMPILER}=1"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let mut build = Command::new("sh");
    build.arg("build.sh").arg(folder.path()).current_dir(root().join("java"));
    let output = build.output().expect("sh");
    assert!(output.status.success(), "{}", said(&output));
    for sub in ["recorder/java/lang", "reference", "runner/querypoint/runner"] {
        let (made, committed) = (classes(&folder.path().join(sub)), classes(&root().join("java").join(sub)));
        let names = |of: &BTreeMap<String, Vec<u8>>| of.keys().cloned().collect::<Vec<_>>();
        assert!(!made.is_empty(), "{sub}");
        assert_eq!(names(&made), names(&committed), "java/build.sh compiles {sub}");
        for (name, bytes) in &made {
            let is_same = committed.get(name) == Some(bytes);
            assert!(is_same, "{name} is not what the compiler makes of its source: run java/build.sh");
        }
    }
}

#[test]
fn generated_sources_are_those_of_their_templates() {
    let java = root().join("java");
    let generated = [
        ("QuerypointTraceCalls", vec!["-f", "trace_calls.awk"]),
        ("QuerypointLayouts", vec!["-f", "layouts.awk", "../crates/jdk/src/layouts.rs"]),
    ];
    for (class, arguments) in generated {
        let made = Command::new("awk").args(&arguments).current_dir(&java).output().expect("awk");
        assert!(made.status.success(), "{}", said(&made));
        let source = recorder().join(format!("java/lang/{class}.java"));
        let is_same = made.stdout == std::fs::read(source).expect("a source");
        assert!(
            is_same,
            "{class}.java is not what {} writes: change that and run java/build.sh",
            arguments[1]
        );
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

/// The value of a constant of a Java class: a number, or one shifted by another.
fn constant(class: &str, name: &str) -> i64 {
    let file = recorder().join(format!("java/lang/{class}.java"));
    let text = std::fs::read_to_string(&file).expect("a source");
    let declared = Regex::new(&format!(r"static final (?:int|long) {name} = ([^;]+);")).expect("a pattern");
    let found = declared.captures(&text).unwrap_or_else(|| panic!("{class} has no constant {name}"));
    let number = |text: &str| text.trim().trim_end_matches('L').parse::<i64>().expect("a number");
    match found[1].split_once("<<") {
        Some((number_of, by)) => number(number_of) << number(by),
        None => number(&found[1]),
    }
}

/// The recorder and its reader `qp` use the same numbers.
#[test]
fn the_recorder_and_its_reader_have_the_same_numbers() {
    let trace = [
        ("WRITTEN", wire::recording::WRITTEN),
        ("LIMIT", wire::recording::LIMIT),
        ("MASK", wire::recording::MASK),
        ("ENDED", wire::recording::ENDED),
        ("FLAG", wire::recording::FLAG),
        ("DATA", wire::recording::RING_DATA),
        ("TURN", wire::recording::TURN.into()),
        ("MEETING", wire::recording::MEETING.into()),
        ("END", wire::recording::END.into()),
        ("AROUND", wire::recording::AROUND.into()),
        ("START", wire::recording::START.into()),
        ("NAMED", wire::recording::NAMED.into()),
        ("TEXT", wire::recording::TEXT as u64),
        ("MESSAGE", wire::recording::MESSAGE as u64),
        ("NAME", wire::recording::NAME as u64),
    ];
    let throws = [("RAISED", wire::recording::RAISED.into()), ("FLYING", wire::recording::FLYING)];
    let facts = [
        ("TEXT", wire::recording::IS_TEXT),
        ("ARRAY", wire::recording::IS_ARRAY),
        ("BOX", wire::recording::IS_BOX),
        ("CONSTANT", wire::recording::IS_CONSTANT),
        ("CONSTANT_WITH_BODY", wire::recording::IS_CONSTANT_WITH_BODY),
        ("EXCEPTION", wire::recording::IS_EXCEPTION),
        ("CLASS", wire::recording::IS_CLASS),
        ("FIELDS", wire::recording::IS_FIELDS),
    ];
    let contents =
        [("CONTENTS", wire::recording::CONTENTS.into()), ("STORED", wire::recording::STORED.into())];
    let text = [
        ("TEXT_CHANGE", wire::recording::TEXT_CHANGE),
        ("WHOLE", wire::recording::TextEffect::Whole as u32),
        ("EDIT", wire::recording::TextEffect::Edit as u32),
        ("PRINT", wire::recording::TextEffect::Print as u32),
        ("SAME_AS", wire::recording::TextEffect::SameAs as u32),
        ("OF_BYTES", wire::recording::OF_BYTES),
        ("TWO_BYTES", wire::recording::TWO_BYTES),
        ("ON_OUT", wire::recording::ON_OUT),
        ("ON_ERR", wire::recording::ON_ERR),
        ("AT_END", wire::recording::AT_END),
    ];
    let rows = [
        ("QuerypointTrace", trace.to_vec()),
        ("QuerypointTraceThrows", throws.to_vec()),
        ("QuerypointTraceFacts", facts.map(|(name, number)| (name, number.into())).to_vec()),
        ("QuerypointTraceContents", contents.to_vec()),
        ("QuerypointTraceText", text.map(|(name, number)| (name, number.into())).to_vec()),
    ];
    for (class, numbers) in rows {
        for (name, number) in numbers {
            assert_eq!(constant(class, name), i64::try_from(number).expect("small"), "{class}.{name}");
        }
    }
}
