//! One answer about all calls of a method that a call made.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::questions::lines;
use crate::support::session::scripted;
use crate::support::{compiled, qp, unwrapped};
use serde_json::{Value, json};
use std::process::Command;

fn diagnose(more: &[&str]) -> Command {
    let mut command = qp();
    command.args(["diagnose", "--strategy=top-down"]).args(more).args(["--", "java", "-cp"]);
    command.arg(compiled("fixtures/call-runs", &["-g"])).arg("Sum");
    command
}

fn answer(question: u64, word: &str) -> Value {
    json!({"question": question, "answer": word})
}

/// The answer about all calls of the run.
fn all(question: u64, word: &str) -> Value {
    json!({"question": question, "answer": word, "all": true})
}

#[test]
fn a_run_has_the_calls_of_the_method_that_can_still_be_asked_about() {
    let script = [
        answer(1, "invalid"),
        json!({"question": 2, "command": "run"}),
        answer(2, "valid"),
        json!({"question": 3, "command": "run"}),
    ];
    let (replies, _) = lines(&mut diagnose(&["--format=json"]), &script);
    let runs: Vec<&Value> = replies.iter().filter(|reply| reply["reply"] == "run").collect();
    let [squares, adds] = runs.as_slice() else { panic!("{replies:#?}") };
    let given = |run: &Value, name: &str| -> Vec<Value> {
        let calls = run["content"].as_array().expect("calls").iter();
        calls.map(|call| call["entry"][name]["value"].clone()).collect()
    };
    assert_eq!(given(squares, "n"), [1, 2, 3, 4, 5].map(Value::from));
    // Each call is that of a question about it.
    assert_eq!(squares["content"][1]["result"]["value"], 4);
    assert_eq!(given(adds, "n"), [1, 4, 9, 16, 25, 1, 2, 3, 4, 5].map(Value::from));
    let counts = replies.iter().filter(|reply| reply["method"] == "square" || reply["method"] == "add");
    assert_eq!(counts.map(|question| question["run"].clone()).collect::<Vec<_>>(), [json!(5), json!(10)]);
}

#[test]
fn one_answer_about_a_run_counts_once_and_is_taken_back_as_one() {
    let script = [
        answer(1, "invalid"),
        all(2, "valid"),
        answer(7, "undo"),
        all(2, "valid"),
        json!({"question": 7, "answer": "invalid", "node": 15}),
    ];
    let (replies, code) = lines(&mut diagnose(&["--format=json"]), &script);
    let numbers: Vec<&Value> = replies.iter().filter_map(|reply| reply.get("question")).collect();
    assert_eq!(numbers, [1, 2, 7, 2, 7], "{replies:#?}");
    let last = replies.last().expect("a result");
    assert_eq!((code, &last["buggy"]["node"], &last["answers"]), (0, &json!(15), &json!(3)), "{last:#}");
}

#[test]
fn a_person_sees_a_run_as_a_table() {
    let output = scripted(&mut diagnose(&[]), "invalid\nall valid\nrun\nnode 15\ninvalid\nquit\n");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("#14 this = Sum@4 {sum: 56}, n = 2; this.sum: 56 → 58\n"), "{text}");
    assert!(text.contains("#15 this = Sum@4 {sum: 58}, n = 3; this.sum: 58 → 62\n"), "{text}");
    let text = unwrapped(&text);
    assert!(text.contains("one of 10 such calls of its caller: `run` shows them"), "{text}");
    assert!(text.contains("the bug is in Sum.add (Sum.java:11), call #15, after 3 answers"), "{text}");
}
