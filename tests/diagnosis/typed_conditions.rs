//! A condition in place of an answer: an assertion about the method in question, which answers from then on.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::questions::lines;
use crate::support::session::scripted;
use crate::support::{compiled, finish, qp, said, scratch, unwrapped};
use serde_json::{Value, json};
use std::process::Command;
use std::sync::OnceLock;

fn merge_sort() -> &'static str {
    static TRACE: OnceLock<String> = OnceLock::new();
    TRACE.get_or_init(|| {
        let trace = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("trace");
        let mut command = qp();
        command.args(["trace", "record", "--level", "all", "--out"]).arg(&trace).args(["--", "java", "-cp"]);
        let output = finish(command.arg(compiled("../examples/mergesort", &["-g"])).arg("MergeSort"));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        trace.display().to_string()
    })
}

fn diagnose(more: &[&str]) -> Command {
    let mut command = qp();
    command.args(["diagnose", merge_sort(), "--strategy=edge-coverage", "--format=json"]).args(more);
    command
}

/// What `merge` must do, as in `examples/mergesort/asserts.ron`.
const MERGED: &str = "lc == old(lc) + ra - old(la) + rb - old(lb)";

/// The lines with an answer of an assertion.
fn by_assertion(replies: &[Value]) -> Vec<&Value> {
    replies.iter().filter_map(|reply| reply.get("by_assertion")).collect()
}

#[test]
fn a_condition_answers_like_its_row_in_a_file() {
    let script = [json!({"question": 1, "answer": "ensures", "condition": MERGED})];
    let (typed, code) = lines(&mut diagnose(&[]), &script);
    assert_eq!(code, 0, "{typed:#?}");
    let row = typed.iter().find_map(|reply| reply["ensured"].as_str()).expect("a row");
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let file = folder.path().join("asserts.ron");
    std::fs::write(&file, format!("(format: 1, assertions: [{row}])")).expect("written");
    let (filed, code) = lines(&mut diagnose(&["--assert", file.to_str().expect("UTF-8")]), &[]);
    assert_eq!(code, 0, "{filed:#?}");
    assert_eq!(by_assertion(&typed), by_assertion(&filed));
    assert_eq!(typed.last().expect("a result")["buggy"], filed.last().expect("a result")["buggy"]);
    // A condition is the work of a person.
    assert_eq!(typed.last().expect("a result")["answers"], 1);
}

#[test]
fn a_condition_that_holds_leaves_the_question_open_unless_it_is_complete() {
    let holds = json!({"question": 1, "answer": "ensures", "condition": "lc >= old(lc)"});
    let (replies, _) = lines(&mut diagnose(&[]), &[holds.clone(), json!({"question": 1, "answer": "undo"})]);
    let questions: Vec<&Value> = replies.iter().filter(|reply| reply.get("node").is_some()).collect();
    let [first, again, back] = questions.as_slice() else { panic!("{replies:#?}") };
    assert_eq!((&first["node"], &again["node"]), (&back["node"], &back["node"]), "{replies:#?}");
    assert!(
        again["notes"].to_string().contains("the assertion holds, but it is not `complete`"),
        "{again:#}"
    );
    assert_eq!((first.get("notes"), back.get("notes")), (None, None), "undone");

    let complete = json!({"question": 1, "answer": "complete", "condition": "lc >= old(lc)"});
    let (replies, _) = lines(&mut diagnose(&[]), &[complete]);
    let answers = by_assertion(&replies);
    let of_first = answers.iter().find(|answer| answer["node"] == first["node"]).expect("an answer");
    assert_eq!(of_first["answer"], "valid", "{replies:#?}");
}

#[test]
fn two_conditions_about_a_method_must_both_hold() {
    let script = [
        json!({"question": 1, "answer": "ensures", "condition": "lc >= old(lc)"}),
        json!({"question": 1, "answer": "ensures", "condition": MERGED}),
    ];
    let (replies, code) = lines(&mut diagnose(&[]), &script);
    let rows: Vec<&str> = replies.iter().filter_map(|reply| reply["ensured"].as_str()).collect();
    assert!(rows[1].contains(&format!("(lc >= old(lc)) && ({MERGED})")), "{rows:#?}");
    assert_eq!((code, &replies.last().expect("a result")["buggy"]["method"]), (0, &json!("merge")));
}

#[test]
fn a_condition_that_does_not_fit_leaves_the_question_open() {
    for (condition, why) in [
        ("lc >", "is not a condition"),
        ("lc + 1", "boolean"),
        ("size() > 3", "conditions run no code"),
        ("absent == 3", "absent"),
    ] {
        let script = [
            json!({"question": 1, "answer": "ensures", "condition": condition}),
            json!({"question": 1, "answer": "invalid"}),
        ];
        let (replies, code) = lines(&mut diagnose(&[]), &script);
        let error = replies.iter().find_map(|reply| reply["error"].as_str()).expect("an error");
        assert!(error.contains(why), "{condition}: {error}");
        assert_eq!(code, 0, "{condition}: {replies:#?}");
    }
}

#[test]
fn a_person_types_the_condition_alone() {
    let mut command = qp();
    command.args(["diagnose", merge_sort(), "--strategy=edge-coverage"]);
    let output = scripted(&mut command, &format!("{MERGED}\nquit\n"));
    let text = unwrapped(&String::from_utf8_lossy(&output.stdout));
    assert!(text.contains("kept for all calls of the method; in a file for --assert: (method:"), "{text}");
    assert!(text.contains("the bug is in MergeSort.merge"), "{text}");
}
