//! `qp diagnose`: questions about calls lead to the buggy one, with any strategy. Programs get them as lines
//! of JSON.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::questions::{Told, lines, told};
use crate::support::{compiled, finish, said, scratch};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of this test with the classes of the merge sort of the examples.
fn merge_sort() -> PathBuf {
    compiled("../examples/mergesort", &["-g"])
}

/// `qp diagnose` with lines of JSON.
fn diagnose(arguments: &[&str]) -> Command {
    let mut command = crate::support::qp();
    command.args(["diagnose", "--format=json"]).args(arguments);
    command
}

/// The same for a program that it records first.
fn of_program(classes: &Path, class: &str, arguments: &[&str]) -> Command {
    let mut command = diagnose(arguments);
    command.args(["--", "java", "-cp"]).arg(classes).arg(class);
    command
}

/// Records a program.
fn recorded(classes: &Path, class: &str, level: &str) -> PathBuf {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("trace");
    let mut command = crate::support::qp();
    command.args(["trace", "record", "--level", level, "--out"]).arg(&folder);
    let output = finish(command.args(["--", "java", "-cp"]).arg(classes).arg(class));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    folder
}

/// The truth about the calls of the merge sort: the last call merges wrongly, which makes the enclosing ones
/// wrong.
fn truth(question: &Value) -> &'static str {
    let node = question["node"].as_u64().expect("a call");
    if [0, 1, 6].contains(&node) { "invalid" } else { "valid" }
}

fn int(value: i32) -> Value {
    json!({"type": "int", "value": value})
}

fn array(values: &[i32], object: &Value) -> Value {
    let elements: Vec<Value> = values.iter().map(|value| int(*value)).collect();
    json!({"type": "int[]", "object": object, "elements": elements, "truncated": false})
}

#[track_caller]
fn ends_at_merge(told: &Told) {
    let Told { questions, last, code, .. } = told;
    let (line, descriptor) = (&last["buggy"]["line"], "([III[III[II)V");
    let buggy = json!({
        "node": 6, "class": "MergeSort", "method": "merge", "descriptor": descriptor, "line": line,
        "source": "MergeSort.java",
    });
    assert_eq!(*last, json!({"buggy": buggy, "answers": questions.len()}));
    assert_eq!(*code, 0);
}

#[test]
fn the_merge_sort_of_the_paper_takes_one_question() {
    let told = told(&mut of_program(&merge_sort(), "MergeSort", &["--strategy=edge-coverage"]), truth);
    assert_eq!(told.questions.len(), 1);
    ends_at_merge(&told);
    assert_eq!(told.last["buggy"]["line"], 7);
    let question = &told.questions[0];
    assert_eq!((&question["node"], &question["method"]), (&json!(6), &json!("merge")));
    let change =
        |at: i32, old: i32, new: i32| json!({"path": format!("c[{at}]"), "old": int(old), "new": int(new)});
    assert_eq!(question["changed"], json!([change(0, 4, 1), change(1, 9, 4), change(2, 1, 9)]));
    let (entry, exit) = (&question["entry"], &question["exit"]);
    assert_eq!(entry["c"], array(&[4, 9, 1, 7], &entry["c"]["object"]));
    assert_eq!(exit["c"], array(&[1, 4, 9, 7], &entry["c"]["object"]));
    for same in ["a", "b", "ra", "rb"] {
        assert_eq!(entry[same], exit[same], "{same}");
    }
    assert_eq!([&entry["la"], &entry["lb"], &entry["lc"]], [&int(0), &int(0), &int(0)]);
    assert_eq!([&exit["la"], &exit["lb"], &exit["lc"]], [&int(2), &int(3), &int(3)]);
    assert_eq!((&question["result"], &question["exception"]), (&Value::Null, &Value::Null));
    assert_eq!(question["remaining"], 7);
}

#[test]
fn questions_lead_to_lines_that_are_missing() {
    let folder = recorded(&compiled("fixtures/mergesort-missing", &["-g"]), "MergeSort", "all");
    let folder_text = folder.display().to_string();
    let told = told(&mut diagnose(&["--strategy=edge-coverage", &folder_text]), truth);
    ends_at_merge(&told);
    let last = told.questions.iter().find(|question| question["node"] == 6).expect("it is asked");
    let c = &last["exit"]["c"];
    assert_eq!(*c, array(&[1, 4, 7, 7], &c["object"]));
    // The history of the wrong element has no wrong write.
    let variable = format!("@{}[3]", c["object"]);
    let mut history = crate::support::qp();
    let output = finish(history.args(["trace", "history", "--format=json", &variable]).arg(&folder));
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let written: Vec<&str> = told["writes"]
        .as_array()
        .expect("writes")
        .iter()
        .map(|write| write["new"].as_str().expect("a value"))
        .collect();
    assert_eq!(written, ["7", "7"], "{told:#}");
}

#[test]
fn every_strategy_ends_at_the_buggy_call() {
    let folder = recorded(&merge_sort(), "MergeSort", "all").display().to_string();
    let all: Vec<&str> = diagnose::strategies().map(|(name, _)| name).collect();
    assert!(all.len() > 10);
    for name in all {
        let told = told(&mut diagnose(&["--strategy", name, &folder]), truth);
        ends_at_merge(&told);
        let asked: BTreeSet<u64> =
            told.questions.iter().map(|q| q["node"].as_u64().expect("a call")).collect();
        assert_eq!(asked.len(), told.questions.len(), "{name} asks twice");
        assert!(
            told.questions.windows(2).all(|two| two[0]["remaining"].as_u64() >= two[1]["remaining"].as_u64()),
            "{name}"
        );
    }
    let with_p = told(&mut diagnose(&["--p=1", "--strategy=def-use-coverage", &folder]), truth);
    ends_at_merge(&with_p);
}

#[test]
fn a_question_has_its_keys_and_no_others() {
    let told = told(
        &mut of_program(&compiled("fixtures/asked", &["-g"]), "Asked", &["--strategy=single-stepping"]),
        |_| "valid",
    );
    // Somebody who answers that everything is right finds nothing.
    assert_eq!((told.code, &told.last), (1, &json!({"buggy": null, "answers": told.questions.len()})));
    assert_eq!(told.questions.len(), 13);
    let keys = [
        "question",
        "node",
        "class",
        "method",
        "descriptor",
        "entry",
        "exit",
        "changed",
        "result",
        "exception",
        "remaining",
    ];
    for (number, question) in (1..).zip(&told.questions) {
        let mut found: BTreeSet<&str> =
            question.as_object().expect("an object").keys().map(String::as_str).collect();
        found.remove("notes");
        found.remove("run");
        assert_eq!(found, BTreeSet::from(keys));
        assert_eq!(question["question"], number);
        for text in ["class", "method", "descriptor"] {
            assert!(question[text].is_string());
        }
        for values in ["entry", "exit"] {
            question[values].as_object().expect("an object").values().for_each(is_value);
        }
        is_value(&question["result"]);
        is_value(&question["exception"]);
        for change in question["changed"].as_array().expect("a list") {
            assert!(
                change["path"].is_string() && change.as_object().expect("an object").len() == 3,
                "{change}"
            );
            is_value(&change["old"]);
            is_value(&change["new"]);
            assert_ne!(change["old"], change["new"]);
        }
    }
}

/// Asserts that it is a value in the form of questions.
#[track_caller]
fn is_value(value: &Value) {
    let Some(object) = value.as_object() else { return assert!(value.is_null(), "{value}") };
    let keys: BTreeSet<&str> = object.keys().map(String::as_str).collect();
    let is = |wanted: &[&str]| keys == wanted.iter().copied().collect();
    if is(&["type", "object", "fields", "truncated"]) {
        object["fields"].as_object().expect("fields").values().for_each(is_value);
    } else if is(&["type", "object", "elements", "truncated"]) {
        object["elements"].as_array().expect("elements").iter().for_each(is_value);
    } else {
        // An object that occurred earlier in the same value has only its number.
        let known = is(&["type", "value"])
            || is(&["type", "value", "truncated"])
            || is(&["type", "object"])
            || is(&["unknown"]);
        assert!(known, "{value}");
    }
}

#[test]
fn all_answers_count_and_what_is_none_leaves_the_question_open() {
    let folder = recorded(&merge_sort(), "MergeSort", "all").display().to_string();
    let answer = |question: u32, answer: &str| json!({"question": question, "answer": answer});
    let run = |arguments: &[&str], script: &[Value]| {
        lines(diagnose(&[arguments, &[folder.as_str()]].concat()).args::<_, &str>([]), script)
    };
    let asked = |lines: &[Value]| {
        lines.iter().map(|line| (line["question"].as_u64(), line["node"].as_u64())).collect::<Vec<_>>()
    };
    // main, sort, and its calls in their order.
    let (told, code) =
        run(&["--strategy=top-down"], &[answer(1, "invalid"), answer(2, "invalid"), answer(3, "valid")]);
    assert_eq!(code, 2, "{told:?}");
    assert_eq!(
        asked(&told),
        [(Some(1), Some(0)), (Some(2), Some(1)), (Some(3), Some(2)), (Some(4), Some(3))]
    );
    // Invalid answers: the question stays.
    let wrong = [
        json!("perhaps"),
        json!("{\"question\": 1}"),
        answer(1, "maybe"),
        answer(2, "valid"),
        answer(1, "undo"),
        json!(""),
    ];
    let script: Vec<Value> = wrong.iter().cloned().chain([answer(1, "invalid")]).collect();
    let (told, code) = run(&["--strategy=top-down"], &script);
    assert_eq!(code, 2);
    assert_eq!(
        (told.len(), &told[0]["node"], &told.last().expect("a line")["node"]),
        (wrong.len() + 2, &json!(0), &json!(1)),
        "{told:#?}"
    );
    for error in &told[1..=wrong.len()] {
        assert_eq!(error.as_object().expect("an object").keys().collect::<Vec<_>>(), ["error"], "{error}");
    }
    assert!(told[4]["error"].as_str().expect("a text").contains("question 1 was asked"), "{}", told[4]);
    // One step back.
    let (told, _) = run(
        &["--strategy=top-down"],
        &[answer(1, "invalid"), answer(2, "invalid"), answer(3, "undo"), answer(2, "valid")],
    );
    assert_eq!(
        asked(&told[..4]),
        [(Some(1), Some(0)), (Some(2), Some(1)), (Some(3), Some(2)), (Some(2), Some(1))]
    );
    // `main` has nothing else below it.
    assert_eq!((&told[4]["buggy"]["method"], &told[4]["answers"]), (&json!("main"), &json!(2)));
    // With unknown answers, it can be any of these. Without coverage, the last call comes first.
    let (told, code) =
        run(&["--strategy=top-down", "--node=1"], &(1..=5).map(|n| answer(n, "unknown")).collect::<Vec<_>>());
    assert_eq!(
        (code, told.last().expect("a line")),
        (1, &json!({"buggy": null, "answers": 5, "undecided": [1, 6, 5, 4, 3, 2]}))
    );
    // The input of call 3 was wrong: an earlier call, or the enclosing one, caused it.
    let (told, code) =
        run(&["--strategy=top-down", "--node=1"], &[answer(1, "valid"), answer(2, "inadmissible")]);
    assert_eq!((code, &told.last().expect("a line")["buggy"]["method"]), (0, &json!("sort")), "{told:#?}");
    assert_eq!(asked(&told[..2]), [(Some(1), Some(2)), (Some(2), Some(3))]);
    assert_eq!(told.len(), 3, "{told:#?}");
}

#[test]
fn trust_goes_as_far_as_it_is_said() {
    let folder = recorded(&merge_sort(), "MergeSort", "all").display().to_string();
    let trusted = |of: Option<&str>| {
        let mut answer = json!({"question": 1, "answer": "trusted"});
        if let Some(of) = of {
            answer["of"] = json!(of);
        }
        lines(&mut diagnose(&["--strategy=top-down", "--node=1", &folder]), &[answer])
    };
    for of in [None, Some("method")] {
        // All calls of `distribute`.
        let (told, code) = trusted(of);
        assert_eq!(
            (code, &told[0]["node"], &told[1]["node"], &told[1]["remaining"]),
            (2, &json!(2), &json!(3), &json!(4)),
            "{told:#?}"
        );
    }
    for of in ["class", "package"] {
        let (told, code) = trusted(Some(of));
        assert_eq!((code, &told[1]), (1, &json!({"buggy": null, "answers": 1})), "{of}");
    }
    let (told, code) = trusted(Some("world"));
    assert_eq!((code, told.len()), (2, 2));
    assert!(told[1]["error"].is_string());
}

#[test]
fn it_begins_below_a_call_that_is_wrong() {
    let folder = recorded(&merge_sort(), "MergeSort", "all").display().to_string();
    let below = told(&mut diagnose(&["--node=1", "--strategy=top-down", &folder]), truth);
    ends_at_merge(&below);
    let asked: Vec<u64> = below.questions.iter().map(|q| q["node"].as_u64().expect("a call")).collect();
    assert_eq!(asked, [2, 3, 4, 5, 6]);
    // The program that runs is recorded to its end first: before, there may be no such call.
    let classes = merge_sort().display().to_string();
    let command = ["--node=1", "--strategy=top-down", "--", "java", "-cp", &classes, "MergeSort"];
    ends_at_merge(&told(&mut diagnose(&command), truth));
    let leaf = told(&mut diagnose(&["--node=6", &folder]), truth);
    ends_at_merge(&leaf);
    assert_eq!(leaf.questions.len(), 0);
    for (arguments, texts) in [
        (["--node=7", &folder], &["7"][..]),
        (
            ["--strategy=nonsense", &folder],
            &["nonsense", "foremost", "top-down", "edge-coverage", "def-use-coverage"],
        ),
    ] {
        let output = finish(&mut diagnose(&arguments));
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        for text in texts {
            assert!(said(&output).contains(text), "{text}: {}", said(&output));
        }
    }
    for p in ["--p=1.5", "--p=-1", "--p=NaN"] {
        assert_eq!(finish(&mut diagnose(&[p, &folder])).status.code(), Some(2), "{p}");
    }
}

#[test]
fn what_was_not_recorded_is_fetched_by_running_again() {
    let folder = recorded(&merge_sort(), "MergeSort", "calls").display().to_string();
    let all = recorded(&merge_sort(), "MergeSort", "all").display().to_string();
    let plain = |folder: &str| told(&mut diagnose(&["--strategy=top-down", folder]), truth);
    let (later, at_once) = (plain(&folder), plain(&all));
    ends_at_merge(&later);
    let without_numbers = |told: &Told| {
        let numbers = regex::Regex::new(r#""object":\d+"#).expect("a pattern");
        let texts =
            told.questions.iter().map(|question| numbers.replace_all(&question.to_string(), "").into_owned());
        texts.collect::<Vec<_>>()
    };
    assert_eq!(without_numbers(&later), without_numbers(&at_once));
    let mut command = diagnose(&["--strategy=edge-coverage", &folder]);
    let output = finish(&mut command);
    assert!(said(&output).contains("is not recorded at level calls"), "{}", said(&output));
}
