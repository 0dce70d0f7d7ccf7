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
    version_of("Exit", from, to)
}

fn version_of(program: &str, from: &str, to: &str) -> PathBuf {
    let file = format!("{program}.java");
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let text = std::fs::read_to_string(root().join("tests").join(FOLDER).join(&file)).expect("the source");
    assert!(text.contains(from));
    std::fs::write(folder.join(&file), text.replace(from, to)).expect("written");
    Javac::new().args(["-g", "-d"]).arg(&folder).arg(folder.join(&file)).run();
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

/// Lines that moved are found by their code: by their numbers alone, one would compare something else.
#[test]
fn the_point_of_a_right_version_can_have_moved() {
    let far = version("static boolean isOpen;\n", "static boolean isOpen = true;\n\n\n\n\n\n\n\n");
    assert_eq!(verdict(&["--reference", far.to_str().expect("a path")]), "right");
    // Here a line was added before the point, in its method. At the line with the old number, the list is the
    // one that the flip makes; at the point it has another element.
    let more = "isOpen = true; order(orders);\n        orders.add(\"milk\");";
    let more = version("order(orders);", more);
    assert_eq!(verdict(&["--reference", more.to_str().expect("a path")]), "changed-not-right");
}

/// Of a long list, only the beginning is compared, and there the lists are the same.
#[test]
fn a_value_that_is_known_in_part_is_not_called_right() {
    let answer = |reference: &str| {
        let at = format!("LongList:{}", marked(FOLDER, "LongList.java", "// the point"));
        let options = ["--confirm", "--reference", reference];
        asked("numbers", &at, &options, &["LongList"], &compiled(FOLDER, &["-g"]))
    };
    let right = |from: &str, to: &str| version_of("LongList", from, to).display().to_string();
    let of = answer(&right("int last = 7", "isOpen = true; int last = 8"));
    assert_eq!(of.verdicts(), ["changed"]);
    assert!(of.json["notes"].to_string().contains("no run can be called right"), "{:#}", of.json);
    assert_eq!(answer(&right("-1", "-2")).verdicts(), ["changed-not-right"]);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let classes = compiled(FOLDER, &["-g"]);
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
    let of = |from: &str, to: &str, text: &str| {
        refused(&["--reference", version(from, to).to_str().expect("a path")], text);
    };
    let (line, twice) = ("int left = 1 - orders.size(); // the point", "no line that is clearly");
    of(line, "int left =\n                2 - orders.size();", twice);
    of(line, "int left;\n        left = 1 - orders.size();\n        left = 1 - orders.size();", twice);
    of("order(orders);\n", "System.exit(0);\n", "says nothing about the point");
    refused(&["--want-output-file", "nowhere"], "--want-output-file nowhere");
}

/// The command runs where each run does: in the folder of the recorded one, and in the copy of the other.
#[test]
fn a_command_runs_before_each_run() {
    let classes = compiled(FOLDER, &["-g"]);
    let work = tempfile::tempdir_in(scratch()).expect("a folder");
    let log = tempfile::NamedTempFile::new_in(scratch()).expect("a file");
    let before = format!("sh -c 'pwd >> {}; echo once >> count'", log.path().display());
    let mut command = qp();
    command.current_dir(work.path()).args(["omitted", "orders", "--at", &at(), "--confirm", "--before-run"]);
    command.arg(before).args(["--", "java", "-cp"]).arg(&classes).arg("Exit");
    let output = finish(&mut command);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let log = std::fs::read_to_string(log.path()).expect("a log");
    assert_eq!(log.lines().count(), 2, "{log}");
    let count = std::fs::read_to_string(work.path().join("count")).expect("a count");
    assert_eq!(count, "once\n", "the second one was counted in the copy");
    // The user is told before the first run.
    assert!(said(&output).contains("altered code runs in copies of"), "{}", said(&output));
}

/// Only the working folder is copied. Classes beside it are those of the recorded run.
#[test]
fn classes_beside_the_working_folder_are_found() {
    let classes = compiled(FOLDER, &["-g"]);
    let work = tempfile::tempdir_in(classes.parent().expect("a folder")).expect("a folder");
    let beside = format!("../{}", classes.file_name().and_then(|name| name.to_str()).expect("a name"));
    let mut command = qp();
    command.current_dir(work.path()).args(["omitted", "orders", "--at", &at(), "--confirm"]);
    command.args(["--want-exit", "0", "--", "java", "-cp", &beside, "Exit"]);
    let output = finish(&mut command);
    assert!(unwrapped(&said(&output)).contains("taken the other way: right"), "{}", said(&output));
}
