//! Passing runs weigh the questions of `foremost`: what they cover is less suspicious.

use crate::support::questions::{Told, told};
use crate::support::{finish, qp, root, scratch, unwrapped};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const JUNIT: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar";

/// The fixtures' classes.
fn classes() -> &'static Path {
    static CLASSES: OnceLock<PathBuf> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
        let tests = ["CartTest", "TillTest", "BoxTest"].map(|test| format!("failing-tests/{test}.java"));
        let files = tests.into_iter().chain(["passing-runs/Shapes.java".to_owned()]);
        let files = files.map(|file| root().join("tests/fixtures").join(file));
        crate::support::javac::Javac::new().args(["-g", "-cp", JUNIT, "-d"]).arg(&folder).args(files).run();
        folder
    })
}

/// The words of a run of `Shapes`.
fn shapes(names: &str) -> String {
    format!("java -cp '{}' Shapes {names}", classes().display())
}

const FAILING: &str = "circle square rhombus kite line circle square";

/// Diagnoses the failing run of `Shapes` beside passing ones. `line` alone is wrong, and what calls it.
fn diagnosed(passing: &[&str]) -> Told {
    let mut command = qp();
    command.args(["diagnose", "--format=json"]);
    for names in passing {
        command.args(["--passing", &shapes(names)]);
    }
    let class_path = classes().display().to_string();
    command.args(["--", "java", "-cp", &class_path, "Shapes"]).args(FAILING.split(' '));
    told(&mut command, |question| {
        let is_wrong = match question["method"].as_str().expect("a method") {
            "line" => true,
            "area" => question["entry"]["name"]["value"] == json!("line"),
            method => method == "main",
        };
        if is_wrong { "invalid" } else { "valid" }
    })
}

/// The exit code and what is on standard error.
fn ended(command: &mut Command) -> (i32, String) {
    let output = finish(command.stdin(std::process::Stdio::null()));
    (output.status.code().expect("a code"), String::from_utf8(output.stderr).expect("UTF-8"))
}

#[test]
fn what_no_passing_run_covers_is_found_with_fewer_answers() {
    let without = diagnosed(&[]);
    let with = diagnosed(&["circle square rhombus kite"; 8]);
    for told in [&with, &without] {
        assert_eq!(told.last["buggy"]["method"], "line", "{:#}", told.last);
    }
    assert!(with.questions.len() < without.questions.len(), "{:#}", with.last);
}

#[test]
fn the_first_that_no_passing_run_does_is_shown_as_evidence() {
    let told = diagnosed(&["circle square rhombus kite", "square kite circle"]);
    let ranking = told.ranking.expect("a ranking");
    assert_eq!((&ranking["passed"], &ranking["failed"]), (&json!(2), &json!(1)));
    // `line` is drawn after four shapes that the passing runs draw too.
    let first = &ranking["first"];
    assert_eq!(first["method"], "Shapes.area", "{ranking:#}");
    let switch = crate::support::marked("fixtures/passing-runs", "Shapes.java", "switch (name) {");
    assert_eq!((&first["edge"], &first["line"]), (&json!("branch"), &json!(switch)), "{ranking:#}");
    let lines = told.questions.iter().map(|question| question["method"].as_str());
    assert!(lines.clone().any(|method| method == Some("line")), "{:?}", lines.collect::<Vec<_>>());
}

#[test]
fn a_run_that_fails_is_no_passing_run() {
    let mut command = qp();
    command.args(["diagnose", "--format=json", "--passing", &shapes("circle")]);
    command.args(["--passing", &shapes("circle line")]);
    command.args(["--", "java", "-cp"]).arg(classes()).args(["Shapes", "line"]);
    let (code, errors) = ended(&mut command);
    assert_eq!(code, 2, "{errors}");
    let errors = unwrapped(&errors);
    assert!(errors.contains("Shapes circle line` is no passing run: it ended with exit code 1"), "{errors}");
    assert!(errors.contains("an area of -2"), "{errors}");
}

#[test]
fn a_line_with_an_open_quote_is_no_command() {
    let mut command = qp();
    command.args(["diagnose", "--passing", "java 'Main", "--", "java", "Main"]);
    let (code, errors) = ended(&mut command);
    assert_eq!(code, 2, "{errors}");
    assert!(unwrapped(&errors).contains("--passing `java 'Main` is no command line"), "{errors}");
}

/// `qp diagnose --test CartTest#equals` with more options.
fn of_test(more: &[&str]) -> Command {
    let mut command = qp();
    let class_path = format!("{}:{JUNIT}", classes().display());
    command.args(["diagnose", "--test", "CartTest#equals", "--classpath", &class_path]).args(more);
    command
}

#[test]
fn the_tests_of_the_class_that_pass_weigh_the_questions() {
    let note = "2 other tests of the class pass (6 fail): they weigh the questions";
    let (_, errors) = ended(&mut of_test(&[]));
    assert!(unwrapped(&errors).contains(note), "{errors}");
    for more in [["--passing-tests=none"], ["--strategy=top-down"]] {
        let (_, errors) = ended(&mut of_test(&more));
        assert!(!unwrapped(&errors).contains("other tests of the class"), "{errors}");
    }
}

#[test]
fn the_tests_of_the_module_weigh_the_questions() {
    let (_, errors) = ended(&mut of_test(&["--passing-tests=module"]));
    let errors = unwrapped(&errors);
    let of_class = "2 other tests of the class pass (6 fail): they weigh the questions";
    let of_module = "2 tests of other classes pass (2 fail): they weigh the questions";
    assert!(errors.contains(of_class) && errors.contains(of_module), "{errors}");
}

#[test]
fn the_bug_is_found_with_the_other_tests_too() {
    let truth = |question: &Value| if question["method"] == "shown" { "invalid" } else { "valid" };
    let told = told(&mut of_test(&["--format=json"]), truth);
    assert_eq!(told.last["buggy"]["method"], "shown", "{:#}", told.last);
}
