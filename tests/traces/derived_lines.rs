//! Lines without events of their own: a reader finds the same events as if each line had one.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use crate::support::traced::{exported, info};
use crate::support::{compiled, finish, qp, said, scratch};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The events of each thread without the numbers of objects, which differ between runs.
fn events(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let number = regex::Regex::new("@[0-9]+").expect("a pattern");
    let mut threads = BTreeMap::<String, Vec<String>>::new();
    for mut event in exported(folder, &[]) {
        let thread = event["thread"].as_str().unwrap_or_default().to_owned();
        // Threads take their turns differently in each run.
        for key in ["turn", "node"] {
            event[key].take();
        }
        threads.entry(thread).or_default().push(number.replace_all(&event.to_string(), "@").into_owned());
    }
    threads
}

fn recorded(mut command: Command, folder: PathBuf, options: &[&str], program: &[&str]) -> PathBuf {
    command.args(["trace", "record", "--level=all", "--out"]).arg(&folder).args(options);
    let output = finish(command.arg("--").args(program));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    folder
}

/// Where only a part is recorded, each line has its event. Here the part is the whole program.
fn agree(command: impl Fn() -> Command, to: &Path, options: &[&str], from: &str, program: &[&str]) {
    let derived = recorded(command(), to.join("derived"), options, program);
    let each: Vec<&str> = options.iter().copied().chain(["--from", from]).collect();
    let each = recorded(command(), to.join("each"), &each, program);
    let (few, all) = (info(&derived), info(&each));
    let number = |info: &serde_json::Value| info["bytes"].as_u64().expect("a number");
    let lines = all["events"]["line"].as_u64().expect("lines");
    assert_eq!(few["events"]["line"].as_u64(), Some(lines));
    // Each event of a line takes four bytes.
    let saved = (number(&all) - number(&few)) / 4;
    assert!(saved * 10 > lines * 3 && saved <= lines, "{saved} of {lines} lines");
    let (derived, each) = (events(&derived), events(&each));
    assert_eq!(derived.keys().collect::<Vec<_>>(), each.keys().collect::<Vec<_>>());
    for (thread, all) in &each {
        for (n, (one, other)) in derived[thread].iter().zip(all).enumerate() {
            assert_eq!(one, other, "event {n} of {thread}");
        }
        assert_eq!(derived[thread].len(), all.len(), "{thread}");
    }
}

/// Programs of one thread: several would take turns, which have events too.
#[test]
fn events_are_those_of_a_recording_with_an_event_for_each_line() {
    for (name, program) in [("written", "Written"), ("exceptions", "Exceptions"), ("switches", "Switches")] {
        let case = Case::new(name);
        let main = format!("{program}.main");
        agree(|| case.qp(), &case.mark(""), &[], &main, &["java", "-cp", "classes", program]);
    }
}

#[test]
fn events_in_a_library_are_those_of_a_recording_with_an_event_for_each_line() {
    let jars =
        ["jsoup", "kxml2", "commons-csv", "commons-lang3"].map(|jar| format!("/usr/share/java/{jar}.jar"));
    let classes = compiled("fixtures/omissions/sound", &["-g", "-nowarn", "-cp", &jars.join(":")]);
    let class_path = format!("{}:{}", classes.display(), jars.join(":"));
    for (program, library) in [("Trees", "org.kxml2.**"), ("Tables", "org.apache.commons.csv.**")] {
        let folder = tempfile::tempdir_in(scratch()).expect("a folder");
        let scope = [format!("--scope={program}"), format!("--scope={library}")];
        let scope: Vec<&str> = scope.iter().map(String::as_str).collect();
        let main = format!("{program}.main");
        agree(qp, folder.path(), &scope, &main, &["java", "-cp", &class_path, program]);
    }
}
