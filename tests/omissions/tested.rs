//! Questions about tests that fail.

use crate::suggested::Answer;
use crate::support::{compiled, finish, marked, qp, said};
use std::path::{Path, PathBuf};

const FOLDER: &str = "fixtures/omissions/tested";
const JUNIT: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar";

fn classes() -> PathBuf {
    compiled(FOLDER, &["-g", "-cp", JUNIT])
}

#[track_caller]
fn of(test: &str, what: &str, mark: &str, options: &[&str], classes: &Path) -> Answer {
    let at = format!("CommandTest:{}", marked(FOLDER, "CommandTest.java", mark));
    of_failure(test, what, &[&["--at", &at], options].concat(), classes)
}

/// A question without a line.
#[track_caller]
fn of_failure(test: &str, what: &str, options: &[&str], classes: &Path) -> Answer {
    let class_path = format!("{}:{JUNIT}", classes.display());
    let mut command = qp();
    command.args(["--format", "json", "omitted", what]).args(options);
    command.args(["--test", &format!("CommandTest#{test}"), "--classpath", &class_path]);
    let output = finish(command.current_dir(classes));
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", said(&output));
    let json = serde_json::from_slice(&output.stdout).expect("JSON");
    Answer { json, code: output.status.code() }
}

/// Right is a run in which the test passes.
#[test]
fn a_try_is_right_if_the_test_passes() {
    let mark = "// an option is missing";
    let classes = classes();
    let answer = of("takesOptions", "command.options", mark, &["--confirm"], &classes);
    assert_eq!(answer.lines(), ["branch Command.parse:16 > options.add(word):17 certain 1/1"]);
    assert_eq!((answer.verdicts(), answer.reasons()), (vec!["right"], "[]".to_owned()));
    let other = ["--confirm", "--want", "command.options.size() == 2"];
    assert_eq!(
        of("takesOptions", "command.options", mark, &other, &classes).verdicts(),
        ["changed-not-right"]
    );
}

/// Without a line, the point is the failure. In the line that fails, a call leaves out the operation, at its
/// second execution.
#[test]
fn the_point_of_a_test_is_its_failure() {
    let classes = classes();
    let answer = of_failure("keepsOptions", "command.options", &["--confirm"], &classes);
    assert_eq!(answer.lines(), ["branch Command.parse:16 > options.add(word):17 certain 1/2"]);
    assert_eq!((answer.verdicts(), answer.reasons()), (vec!["right"], "[]".to_owned()));
    let line = marked(FOLDER, "CommandTest.java", "// the call, and the failure");
    assert_eq!(answer.json["at"], format!("CommandTest.java:{line}"));
    // Before the line nothing is missing yet. What ends with the line is not known when the test goes on.
    let before = ["--index", "-1"];
    let answer = of("keepsOptions", "command.options", "// the call, and the failure", &before, &classes);
    assert_eq!(answer.lines(), Vec::<String>::new());
    let of_kept = of_failure("keepsOptions", "kept.command.options", &["--confirm"], &classes);
    assert_eq!(of_kept.verdicts(), ["right"]);
    let mut command = qp();
    command.args(["omitted", "command.options", "--test", "CommandTest#passes", "--classpath"]);
    let output = finish(command.arg(format!("{}:{JUNIT}", classes.display())).current_dir(&classes));
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("the test did not fail: name by --at the line"), "{}", said(&output));
}

/// Nothing is missing on the command itself.
#[test]
fn an_object_to_which_nothing_is_missing_leads_to_what_it_holds() {
    let answer = of("takesOptions", "command", "// an option is missing", &[], &classes());
    let reasons = answer.reasons();
    assert!(
        reasons.contains("operations are missing on what it holds: ask about `command.options`"),
        "{reasons}"
    );
}

/// Taken the other way at one pass, the condition makes the assertion hold, and a later one fail.
#[test]
fn a_condition_that_is_the_wrong_way_round_is_right_when_inverted() {
    let answer = of("tellsWordsApart", "command.words", "// a word is missing", &["--confirm"], &classes());
    assert_eq!(answer.verdicts(), ["right"]);
    let confirmed = &answer.suggestions()[0]["confirmation"];
    assert_eq!((&confirmed["passes"], &confirmed["flipped"]), (&"inverted".into(), &2.into()));
}

/// The other way makes an earlier assertion fail, which says nothing about the point.
#[test]
fn a_test_can_fail_before_the_point() {
    let answer = of("takesFiles", "command.options", "// a file is missing", &["--confirm"], &classes());
    assert_eq!(answer.verdicts(), ["fails-earlier"]);
    let found = answer.suggestions()[0]["confirmation"]["found"].as_str().expect("what was found");
    assert!(found.starts_with("AssertionError@") && found.contains(" at CommandTest.java:"), "{found}");
    let reasons = answer.reasons();
    let learned =
        "the one jump that was tried does not make it right: 1 made the test fail earlier. Code may be";
    assert!(reasons.contains(learned), "{reasons}");
}
