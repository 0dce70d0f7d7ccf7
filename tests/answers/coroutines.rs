//! The suspended callers of a coroutine: of a halted program, which tells its fields, and of a recording,
//! which has their writes. The fixture has what Kotlin makes of two functions, and how they resume.

use crate::support::javac::Javac;
use crate::support::{finish, qp, root, said};
use std::path::Path;
use std::process::Command;

const PROGRAM: [&str; 5] = ["--", "java", "-cp", "classes", "shop.Shop"];

fn shop() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let fixture = root().join("tests/fixtures/coroutines");
    let sources = ["DebugMetadata.java", "BaseContinuationImpl.java"];
    let sources = sources.map(|source| fixture.join("kotlin/coroutines/jvm/internal").join(source));
    let sources = sources.into_iter().chain([fixture.join("shop/Shop.java")]);
    Javac::new().args(["-g", "-d"]).arg(folder.path().join("classes")).args(sources).run();
    folder
}

/// What a prompt answers to these lines.
fn asked(folder: &Path, arguments: &[&str], lines: &str) -> String {
    let file = folder.join("lines");
    std::fs::write(&file, lines).expect("written");
    let lines = std::fs::File::open(file).expect("a file");
    let output = finish(qp().current_dir(folder).arg("debug").args(arguments).stdin(lines));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    said(&output)
}

/// The names, lines and states of the frames of a stack, without the numbers before them.
fn frames(text: &str) -> Vec<String> {
    let is_frame = |line: &&str| line.contains("(Shop.java:") && !line.contains("thread ");
    let frame = |line: &str| {
        line.trim_start_matches(|c: char| !c.is_alphabetic()).replace("shop.", "").replace('$', ".")
    };
    text.lines().filter(is_frame).map(frame).collect()
}

#[test]
fn the_suspended_callers_follow_the_stack() {
    let folder = shop();
    let live = asked(folder.path(), &PROGRAM, "break Shop:59 when total == 2\nrun\nframes\nquit\n");
    let live = live.split("frames").last().unwrap_or_default().to_owned();
    let wanted = [
        "Shop.load (Shop.java:59)",
        "coroutine Shop.load (Shop.java:35)",
        "Shop.main (Shop.java:68)",
        "Shop.desk (Shop.java:48), suspended",
    ];
    let is_asked = |frame: &String| !frame.contains("lambda");
    assert_eq!(frames(&live).into_iter().filter(is_asked).collect::<Vec<_>>(), wanted, "{live}");

    let record = ["trace", "record", "--level", "all", "--show-output", "--out", "run"];
    let plain = finish(Command::new("java").args(&PROGRAM[2..]).current_dir(folder.path()));
    let recorded = finish(qp().current_dir(folder.path()).args(record).args(PROGRAM));
    assert_eq!((&*plain.stdout, plain.status.code()), (&b"6\n"[..], Some(0)));
    assert!(said(&recorded).contains("\n6\n"), "{}", said(&recorded));
    let past = asked(folder.path(), &["run"], "to Shop:59\nto Shop:59\nstack\nquit\n");
    let stack = past.split("to Shop:59").last().unwrap_or_default();
    assert_eq!(frames(stack).into_iter().filter(is_asked).collect::<Vec<_>>(), wanted, "{past}");
}
