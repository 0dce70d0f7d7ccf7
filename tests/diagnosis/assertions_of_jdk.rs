//! `qp diagnose --assert` about values that the JDK writes and compares in its own ways: the verdict agrees
//! with Java, or is unknown.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::questions::lines;
use crate::support::{compiled, finish, qp, said, scratch};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::OnceLock;

fn recorded() -> &'static PathBuf {
    static TRACE: OnceLock<PathBuf> = OnceLock::new();
    TRACE.get_or_init(|| {
        let trace = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("trace");
        let mut command = qp();
        command.args(["trace", "record", "--level=all", "--out"]).arg(&trace).args(["--", "java", "-cp"]);
        let output = finish(command.arg(compiled("fixtures/values_of_jdk", &["-g"])).arg("Jdk"));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        trace
    })
}

/// The verdict of a condition on a method's call: `valid`, `invalid`, or the reason for asking.
fn told(method: &str, condition: &str) -> String {
    let file = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("asserts.ron");
    let condition = condition.replace('"', "\\\"");
    let row = format!("(method: \"Jdk.{method}\", ensures: \"{condition}\", complete: true)");
    std::fs::write(&file, format!("(format: 1, assertions: [{row}])")).expect("written");
    let mut command = qp();
    command.args(["diagnose", "--format=json", "--strategy=single-stepping"]).arg(recorded());
    command.arg("--assert").arg(&file);
    let script: Vec<Value> = (1..=40).map(|number| json!({"question": number, "answer": "valid"})).collect();
    for line in lines(&mut command, &script).0 {
        if let Some(referred) = line.get("by_assertion") {
            return referred["answer"].as_str().unwrap_or_default().to_owned();
        }
        if line["method"] == method {
            let notes = line["notes"].as_array().into_iter().flatten().filter_map(Value::as_str);
            return notes.collect::<Vec<_>>().join("\n");
        }
        assert!(line.get("error").is_none(), "{line}");
    }
    panic!("{method} is not asked about")
}

#[track_caller]
fn says(method: &str, condition: &str, expected: &str) {
    assert_eq!(told(method, condition), expected, "{method}: {condition}");
}

#[test]
fn constants_are_one_string_where_they_are_equal() {
    says("name", "NAME == SAME", "valid");
    says("name", "NAME != SAME", "invalid");
    says("other", "result == NAME", "invalid");
    let why = "the assertion cannot tell: `result == NAME`: it is unknown whether both are the same string; use equals";
    says("name", "result == NAME", why);
    says("name", "result.equals(NAME)", "valid");
}

#[test]
fn boxes_of_nan_are_equal_whatever_bits_they_have() {
    says("numbers", "result.contains(Double.NaN) && result.contains(0.0 / 0.0)", "valid");
    says("numbers", "result.contains(-0.0)", "invalid");
}

#[test]
fn a_list_that_stands_on_an_array_is_what_the_jdk_writes_through_it() {
    says("sorted", "result.get(0) == 1 && result.get(2) == 3 && result.indexOf(3) == 2", "valid");
    says("sortedBefore", "result.get(0) == 1 && old(list.get(1)) == 2", "valid");
    says("replaced", "result.get(0) == 4 && result.contains(2)", "valid");
    // An exception left it in between.
    says("left", "result.get(0) == 2 && result.get(1) == 0 && result.get(2) == 9", "valid");
    says("through", "result.get(0) == 9 && result.get(1) == 7", "valid");
    says("through", "result.get(0) == 8", "invalid");
    let why = "the assertion cannot tell: unrecorded code may have changed the collection";
    says("large", "result.size() == 70000", why);
}

#[test]
fn an_array_that_the_jdk_fills_is_not_known() {
    let why = told("filled", "result[0] == null");
    assert!(why.starts_with("the assertion cannot tell: String[1]@"), "{why}");
    says("filled", "result.length == 1", "valid");
}
