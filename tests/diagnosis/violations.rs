//! `qp diagnose --assert`: `qp` evaluates all assertions before the first question, and the search begins at
//! the innermost violation.

use crate::support::questions::lines;
use crate::support::{compiled, finish, qp, said, scratch};
use serde_json::{Value, json};
use std::path::PathBuf;

const CHAIN: &str = r#"
    (method: "Violations.sum", ensures: "result == n * (n + 1)"),
    (method: "Violations.twice", ensures: "result == n + n"),
    (method: "Violations.same", ensures: "result == n"),"#;
const OFTEN: &str = r#"(method: "Violations.often", ensures: "hot == old(hot) + n && result == n"),"#;

fn folder() -> PathBuf {
    tempfile::tempdir_in(scratch()).expect("a folder").keep()
}

/// A recording of the fixture whose program goes this way.
fn recorded(way: &str, level: &str) -> String {
    let (trace, classes) = (folder().join("trace"), compiled("fixtures/violations", &["-g"]));
    let mut command = qp();
    command.args(["trace", "record", "--level", level, "--out"]).arg(&trace);
    let output = finish(command.args(["--", "java", "-cp"]).arg(classes).args(["Violations", way]));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    trace.display().to_string()
}

fn file(rows: &str) -> PathBuf {
    let file = folder().join("asserts.ron");
    std::fs::write(&file, format!("(format: 1, assertions: [\n{rows}\n])\n")).expect("written");
    file
}

/// Every line of a diagnosis, with this answer to each question.
fn diagnosed(trace: &str, rows: &str, answer: &str, more: &[&str]) -> Vec<Value> {
    let mut command = qp();
    command.args(["diagnose", "--format=json", trace, "--assert"]).arg(file(rows)).args(more);
    let script: Vec<Value> = (1..=40).map(|number| json!({"question": number, "answer": answer})).collect();
    lines(&mut command, &script).0
}

/// The calls with answers by assertions, in that order.
fn answered(told: &[Value]) -> Vec<(u64, &str)> {
    let said = told.iter().map(|line| &line["by_assertion"]);
    said.filter_map(|said| Some((said.get("node")?.as_u64()?, said["answer"].as_str()?))).collect()
}

fn named(node: u64, method: &str) -> Value {
    json!({"node": node, "method": format!("Violations.{method}")})
}

#[test]
fn the_search_begins_at_the_innermost_violation_and_names_the_others() {
    let trace = recorded("chain", "all");
    // `sum` violates too, but because of #4 below it; `same` is another start for a search.
    let told = diagnosed(&trace, CHAIN, "unknown", &["--strategy=top-down"]);
    assert_eq!(
        told[0],
        json!({"assertions": {"evaluated": 5, "violated": 3, "innermost": 2,
            "first": [named(4, "twice"), named(5, "same")], "not_evaluated": 0}})
    );
    assert_eq!(answered(&told), [(4, "invalid")], "{told:?}");
    let last = told.last().expect("a line");
    assert_eq!((&last["buggy"]["node"], &last["answers"]), (&json!(4), &json!(0)), "{told:?}");
    // A search below another call works too.
    let told = diagnosed(&trace, CHAIN, "unknown", &["--strategy=top-down", "--node=5"]);
    assert_eq!((told.len(), &told[0]["buggy"]["node"]), (1, &json!(5)), "{told:?}");
    // As text.
    let mut command = qp();
    let output = finish(command.args(["diagnose", &trace, "--assert"]).arg(file(CHAIN)));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let begins = "2 calls violate an assertion without a violation below them;\n\
        the search begins at #4, which ended first; --node begins at another one:\n\
        \x20 #4 Violations.twice\n  #5 Violations.same\n#4 Violations.twice is invalid by the assertion: ";
    assert!(text.starts_with(begins), "{text}");
}

#[test]
fn of_a_recursion_the_innermost_step_is_the_violation() {
    let rows = r#"(method: "Violations.deep", ensures: "result == n"),"#;
    for compress in ["--compress=true", "--compress=false"] {
        let told = diagnosed(&recorded("deep", "all"), rows, "valid", &[compress]);
        // There is one start for a search, so others are not mentioned.
        assert_eq!((told.len(), answered(&told)), (2, vec![(5, "invalid")]), "{compress} {told:?}");
        assert_eq!(told[1]["buggy"]["node"], 5, "{compress} {told:?}");
    }
}

#[test]
fn of_several_threads_the_violation_that_ended_first_is_taken() {
    for level in ["all", "calls"] {
        // The call of the second thread ends before the others begin, and has a higher number.
        let told = diagnosed(&recorded("threads", level), CHAIN, "unknown", &["--strategy=top-down"]);
        let first = &told[0]["assertions"]["first"];
        assert_eq!(first, &json!([named(6, "same"), named(4, "twice")]), "{level}: {told:?}");
        assert_eq!(
            (answered(&told), told.last().expect("a line")["buggy"]["node"].as_u64()),
            (vec![(6, "invalid")], Some(6))
        );
    }
}

#[test]
fn a_violation_below_a_call_that_was_said_to_be_valid_is_found() {
    let (trace, answers) = (recorded("chain", "all"), folder().join("answers.ron"));
    let answers = format!("--answers={}", answers.display());
    let mut command = qp();
    command.args(["diagnose", "--format=json", &trace, "--strategy=top-down", &answers]);
    // `main` is invalid, and a person answers that `sum` is valid: then `same` is asked about.
    let told = lines(
        &mut command,
        &[json!({"question": 1, "answer": "invalid"}), json!({"question": 2, "answer": "valid"})],
    )
    .0;
    assert_eq!((&told[1]["method"], &told[2]["method"]), (&json!("sum"), &json!("same")), "{told:?}");
    let told = diagnosed(&trace, CHAIN, "unknown", &["--strategy=top-down", &answers]);
    assert_eq!(answered(&told), [(4, "invalid")], "{told:?}");
    assert_eq!(told.last().expect("a line")["buggy"]["node"], 4);
}

#[test]
fn what_was_not_evaluated_before_the_first_question_is_said() {
    let trace = recorded("200", "calls");
    let told = diagnosed(&trace, OFTEN, "unknown", &["--strategy=top-down", "--node=100"]);
    let why = "the run was recorded at level calls: record it with --level all";
    let expected = json!({"evaluated": 0, "violated": 0, "innermost": 0, "not_evaluated": 200, "why": why});
    let told_of_all = diagnosed(&trace, OFTEN, "unknown", &["--strategy=top-down"]);
    assert_eq!(told_of_all[0]["assertions"], expected, "{told_of_all:?}");
    // That call is known to be invalid, and no call below it has an assertion.
    assert_eq!((told.len(), &told[0]["buggy"]["node"]), (1, &json!(100)), "{told:?}");
    let mut command = qp();
    let output = finish(command.args(["diagnose", &trace, "--assert"]).arg(file(OFTEN)));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let begins =
        format!("the assertions of 200 of 200 calls were not evaluated before the first question:\n{why}\n");
    assert!(text.starts_with(&begins), "{text}");
}

#[test]
fn evaluating_the_assertions_of_a_hot_method_ends_in_time() {
    let trace = recorded("40000", "all");
    let told = diagnosed(&trace, OFTEN, "unknown", &["--strategy=top-down"]);
    let survey = &told[0]["assertions"];
    let number = |key: &str| survey[key].as_u64().expect("a number");
    assert_eq!(number("evaluated") + number("not_evaluated"), 40_000, "{survey}");
    assert_eq!(number("violated"), number("evaluated") / 100, "each hundredth call violates: {survey}");
    if number("not_evaluated") > 0 {
        assert_eq!(survey["why"], "the evaluation took longer than 1 s");
    }
    assert_eq!(survey["first"].as_array().map(Vec::len), Some(8));
    assert_eq!(answered(&told), [(100, "invalid")], "{told:?}");
}
