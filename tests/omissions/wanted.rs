//! What is right: an exit code, an output, the value in a right version; and commands before each run.

use crate::suggested::{Answer, asked};
use crate::support::javac::Javac;
use crate::support::{compiled, finish, marked, qp, root, said, scratch, unwrapped};
use std::path::PathBuf;

const FOLDER: &str = "fixtures/omissions/ends";

fn at() -> String {
    format!("Exit:{}", marked(FOLDER, "Exit.java", "// the point"))
}

#[track_caller]
fn verdict(options: &[&str]) -> String {
    let classes = compiled(FOLDER, &["-g"]);
    let answer: Answer = asked("orders", &at(), &[&["--confirm"], options].concat(), &["Exit"], &classes);
    assert_eq!(answer.suggestions().len(), 1);
    answer.verdicts()[0].to_owned()
}

/// A version of the program in which something is written otherwise.
fn version(from: &str, to: &str) -> PathBuf {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let text =
        std::fs::read_to_string(root().join("tests").join(FOLDER).join("Exit.java")).expect("the source");
    assert!(text.contains(from));
    std::fs::write(folder.join("Exit.java"), text.replace(from, to)).expect("written");
    Javac::new().args(["-g", "-d"]).arg(&folder).arg(folder.join("Exit.java")).run();
    folder
}

#[test]
fn an_exit_code_can_be_right() {
    assert_eq!(verdict(&["--want-exit", "0"]), "right");
    assert_eq!(verdict(&["--want-exit", "5"]), "changed-not-right");
}

#[test]
fn an_output_can_be_right() {
    assert_eq!(verdict(&["--want-output", "left: 0"]), "right");
    assert_eq!(verdict(&["--want-output", "left: 1"]), "changed-not-right");
    let file = tempfile::NamedTempFile::new_in(scratch()).expect("a file");
    let name = file.path().to_str().expect("a name");
    std::fs::write(file.path(), "left: 0\n").expect("written");
    assert_eq!(verdict(&["--want-output-file", name]), "right");
    std::fs::write(file.path(), "left: 0\nmore\n").expect("written");
    assert_eq!(verdict(&["--want-output-file", name]), "changed-not-right");
}

#[test]
fn all_that_is_said_must_hold() {
    assert_eq!(
        verdict(&["--want-exit", "0", "--want-output", "left: 0", "--want", "orders.size() == 1"]),
        "right"
    );
    assert_eq!(verdict(&["--want-exit", "0", "--want", "orders.size() == 2"]), "changed-not-right");
}

#[test]
fn a_right_version_says_what_is_right() {
    let right = version("if (isOpen)", "if (!isOpen)");
    assert_eq!(verdict(&["--reference", right.to_str().expect("a path")]), "right");
    let other = version("orders.add(\"tea\");", "orders.add(\"tea\"); orders.add(\"milk\");");
    let other = other.to_str().expect("a path");
    // The value of this version is that of the recorded run.
    assert_eq!(verdict(&["--reference", other]), "changed-not-right");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let classes = compiled(FOLDER, &["-g"]);
    let moved = version("    static boolean isOpen;\n", "    static boolean isOpen;\n\n\n\n");
    let work = tempfile::tempdir_in(scratch()).expect("a folder");
    let refused = |options: &[&str], text: &str| {
        let mut command = qp();
        command
            .current_dir(work.path())
            .args(["omitted", "orders", "--at", &at(), "--confirm"])
            .args(options);
        let output = finish(command.args(["--", "java", "-cp"]).arg(&classes).arg("Exit"));
        let said = unwrapped(&said(&output));
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(text), "{said}");
    };
    refused(
        &["--reference", moved.to_str().expect("a path")],
        "the right version says nothing about the point",
    );
    refused(&["--want-output-file", "nowhere"], "--want-output-file nowhere");
}

/// The command runs in the folder of each run: that of the recorded one, and the copy of the other.
#[test]
fn a_command_runs_before_each_run() {
    let classes = compiled(FOLDER, &["-g"]);
    let work = tempfile::tempdir_in(scratch()).expect("a folder");
    let log = work.path().join("log");
    let before = format!("sh -c 'pwd >> {}'", log.display());
    let mut command = qp();
    command.current_dir(work.path()).args(["omitted", "orders", "--at", &at(), "--confirm", "--before-run"]);
    command.arg(before).args(["--", "java", "-cp"]).arg(&classes).arg("Exit");
    let output = finish(&mut command);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let log = std::fs::read_to_string(log).expect("a log");
    let folders: Vec<&str> = log.lines().collect();
    assert_eq!(folders.len(), 2, "{log}");
    assert!(folders[0] != folders[1] && folders[1].contains("qp-omitted-"), "{log}");
    // The user is told before the first run.
    assert!(said(&output).contains("altered code runs in copies of"), "{}", said(&output));
}
