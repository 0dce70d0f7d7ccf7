//! What cannot be asked, and what a run that goes wrong leaves behind.

use crate::suggested::asked;
use crate::support::{compiled, finish, qp, said, scratch, unwrapped};
use std::path::Path;

#[track_caller]
fn refused(words: &[&str], java: &[&str], classes: &Path, texts: &[&str]) {
    let mut command = qp();
    command.arg("omitted").args(words).args(["--", "java", "-cp"]).arg(classes).args(java);
    let output = finish(&mut command);
    let said = unwrapped(&said(&output));
    assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
    for text in texts {
        assert!(said.contains(text), "{words:?}: `{text}` is missing in {said}");
    }
}

#[test]
fn questions_that_have_no_answer_are_refused() {
    let classes = compiled("../examples/omissions", &["-g"]);
    let blank = |words: &[&str], texts: &[&str]| refused(words, &["Blank"], &classes, texts);
    blank(&["nothing", "--at", "Blank:19"], &["nothing"]);
    blank(&["settings", "--at", "Blank:3"], &["Blank:3 was executed 0 times"]);
    blank(
        &["settings", "--at", "Blank:19", "--when", "settings.isEmpty()"],
        &["executed 0 times with `settings.isEmpty()`"],
    );
    blank(&["settings.size()", "--at", "Blank:19"], &["is 1, which is no object", "qp why"]);
    blank(&["settings", "--at", "Blank:19", "--index", "4"], &["was executed 1 times"]);
}

#[test]
fn a_recording_with_too_little_detail_is_refused() {
    let classes = compiled("../examples/omissions", &["-g"]);
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let trace = folder.path().join("calls");
    let mut record = qp();
    record.args(["trace", "record", "--out"]).arg(&trace).args(["--", "java", "-cp"]).arg(&classes);
    assert_eq!(finish(record.arg("Blank")).status.code(), Some(0));
    let output = finish(qp().args(["omitted", "settings"]).arg(&trace).args(["--at", "Blank:19"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(unwrapped(&said(&output)).contains("record it again with `--level all`"), "{}", said(&output));
}

/// A recorded run answers as one that is made for the question, also by the number of an object.
#[test]
fn a_recorded_run_answers_too() {
    let classes = compiled("../examples/omissions", &["-g"]);
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let trace = folder.path().join("all");
    let mut record = qp();
    record.args(["trace", "record", "--level", "all", "--out"]).arg(&trace).args(["--", "java", "-cp"]);
    assert_eq!(finish(record.arg(&classes).arg("Inverted")).status.code(), Some(0));
    let text = |command: &mut std::process::Command| {
        let output = finish(command);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let by_name = text(qp().args(["omitted", "invoice.discounts"]).arg(&trace).args(["--at", "Inverted:34"]));
    assert!(by_name.contains("Inverted.bill:22"), "{by_name}");
    let object = by_name.split(' ').next().expect("an object").to_owned();
    let by_number = text(qp().args(["omitted", "--object", &object]).arg(&trace));
    assert!(by_number.contains("Inverted.bill:22"), "{by_number}");
}

/// Two operations were lost at one jump, which is tried once for both. What comes of it is told, and nothing
/// stays behind.
#[test]
fn flips_are_judged_and_leave_nothing() {
    let classes = compiled("fixtures/omissions/flips", &["-g"]);
    let of = |program: &str, want: &str| {
        let line = crate::support::marked("fixtures/omissions/flips", "Flips.java", "// the point");
        let at = format!("Flips:{line}");
        asked("list", &at, &["--want", want, "--confirm"], &["Flips", program], &classes)
    };
    assert_eq!(of("right", "list.size() == 1").verdicts(), ["right"; 2]);
    assert_eq!(of("crash", "list.size() == 1").verdicts(), ["crashed"; 2]);
    assert_eq!(of("undone", "list.size() == 1").verdicts(), ["no-effect"; 2]);
    assert_eq!(of("endless", "list.size() == 1").verdicts(), ["did-not-end"; 2]);
    let left = std::fs::read_dir(std::env::temp_dir()).expect("a folder").flatten();
    let left: Vec<_> =
        left.filter(|entry| entry.file_name().to_string_lossy().starts_with("qp-omitted-")).collect();
    // Other tests of this process may be at work.
    assert!(left.len() <= 8, "{left:?}");
}

/// Of many calls of a method only some are named, and the jumps of these are judged.
#[test]
fn a_jump_of_many_calls_is_judged() {
    let classes = compiled("fixtures/omissions/many", &["-g"]);
    let line = crate::support::marked("fixtures/omissions/many", "Many.java", "// the point");
    let answer = asked("list", &format!("Many:{line}"), &[], &["Many"], &classes);
    assert_eq!(answer.lines(), ["branch Many.add:7 > list.add(n):8 certain 2000/2000"]);
}
