//! `wrong PATH`: somebody points at a wrong value, and `qp` first asks about the calls that influenced it.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::questions::lines;
use crate::support::{compiled, finish, qp, said, scratch};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Records a program.
fn recorded(classes: &Path, class: &str, level: &str) -> PathBuf {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("trace");
    let mut command = qp();
    command.args(["trace", "record", "--level", level, "--out"]).arg(&folder);
    let output = finish(command.args(["--", "java", "-cp"]).arg(classes).arg(class));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    folder
}

fn parcel(level: &str) -> PathBuf {
    recorded(&compiled("../examples/parcel", &["-g"]), "Parcel", level)
}

/// `qp diagnose` from the top down, with lines of JSON.
fn diagnose(trace: &Path, arguments: &[&str]) -> Command {
    let mut command = qp();
    command.args(["diagnose", "--format=json", "--strategy=top-down"]).args(arguments).arg(trace);
    command
}

fn answer(question: u32, answer: &str) -> Value {
    json!({"question": question, "answer": answer})
}

fn wrong(question: u32, path: &str) -> Value {
    json!({"question": question, "answer": "wrong", "path": path})
}

/// For each question: the method, the number of suspicious calls, and the number of influential ones.
fn asked(lines: &[Value]) -> Vec<(&str, Option<u64>, Option<u64>)> {
    let questions = lines.iter().filter(|line| line.get("question").is_some());
    questions
        .map(|q| (q["method"].as_str().expect("a name"), q["remaining"].as_u64(), q["influential"].as_u64()))
        .collect()
}

#[test]
fn what_has_made_the_other_value_is_not_asked_about() {
    for level in ["all", "writes", "calls"] {
        let script = [
            answer(1, "invalid"),
            wrong(2, "result.grams"),
            answer(3, "valid"),
            wrong(4, "result"),
            answer(5, "invalid"),
        ];
        let (told, code) = lines(&mut diagnose(&parcel(level), &[]), &script);
        let questions = [
            ("main", Some(9), None),
            ("label", Some(9), None),
            ("sum", Some(8), Some(3)),
            ("packed", Some(7), Some(2)),
            ("box", Some(2), Some(1)),
        ];
        assert_eq!(asked(&told), questions, "{level}");
        let last = told.last().expect("a line");
        assert_eq!((code, &last["buggy"]["method"], &last["answers"]), (0, &json!("box"), &json!(5)));
    }
}

#[test]
fn what_is_missing_is_found_all_the_same() {
    // The others come last: `discounted` is found after pointing at any value.
    let script = [
        wrong(1, "result.grams"),
        answer(2, "valid"),
        answer(3, "valid"),
        answer(4, "valid"),
        answer(5, "valid"),
        answer(6, "invalid"),
        answer(7, "valid"),
    ];
    let (told, code) = lines(&mut diagnose(&parcel("all"), &["--node=0"]), &script);
    let questions = [
        ("label", Some(9), None),
        ("sum", Some(8), Some(3)),
        ("packed", Some(7), Some(2)),
        ("<init>", Some(5), Some(0)),
        ("sum", Some(4), Some(0)),
        ("discounted", Some(3), Some(0)),
        ("tenth", Some(2), Some(0)),
    ];
    assert_eq!(asked(&told), questions);
    assert_eq!((code, &told.last().expect("a line")["buggy"]["method"]), (0, &json!("discounted")));
}

#[test]
fn a_path_that_leads_nowhere_leaves_the_question_open() {
    let trace = parcel("all");
    let nowhere = [
        ("", "begin the path with one of"),
        ("lable.grams", "result, prices, weights, label"),
        ("label.gram", "label is Parcel.Label@"),
        ("label.grams.more", "label.grams has no parts"),
        ("weights[3]", "has no [3]"),
        ("weights2", "begin the path with one of"),
    ];
    let mut script: Vec<Value> = nowhere.iter().map(|(path, _)| wrong(1, path)).collect();
    script.push(answer(1, "wrong"));
    script.push(wrong(1, "label.grams"));
    let (told, code) = lines(&mut diagnose(&trace, &["--node=0"]), &script);
    assert_eq!((code, told.len()), (2, nowhere.len() + 3), "{told:#?}");
    for ((path, why), told) in nowhere.iter().zip(&told[1..]) {
        let error = told["error"].as_str().expect("an error");
        assert!(error.contains(&format!("there is no `{path}`")) && error.contains(why), "{error}");
    }
    assert!(told[nowhere.len() + 1]["error"].as_str().expect("an error").contains("path"), "{told:#?}");
    assert_eq!(told.last().expect("a line")["influential"], 3);
}

/// The calls of `one`, `two` and `three` that influenced each part, by their arguments.
#[test]
fn every_part_has_its_own_calls() {
    let trace = recorded(&compiled("fixtures/wrong", &["-g"]), "Wrong", "all");
    let shown = finish(qp().args(["trace", "calls", "--depth=9", "--format=json"]).arg(&trace));
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    let number = |method: &str| {
        let pattern = format!(r#""node":\s*(\d+)[^{{}}]*"method":\s*"{method}""#);
        let found = regex::Regex::new(&pattern).expect("a pattern").captures(&shown);
        found.unwrap_or_else(|| panic!("no {method}: {shown}"))[1].to_owned()
    };
    let influential = |method: &str, path: &str| {
        let node = format!("--node={}", number("main"));
        let mut script = Vec::new();
        // Answer "unknown" up to the call of that method.
        for question in 1.. {
            let (told, _) = lines(&mut diagnose(&trace, &[&node]), &script);
            let last = told.iter().rfind(|line| line.get("question").is_some()).expect("a question").clone();
            if last["method"] == method {
                script.push(wrong(question, path));
                break;
            }
            script.push(answer(question, "valid"));
        }
        let question = script.len() as u32;
        // All influential calls are right.
        let mut found = Vec::new();
        for next in question + 1.. {
            let (told, _) = lines(&mut diagnose(&trace, &[&node]), &script);
            assert!(told.iter().all(|line| line.get("error").is_none()), "{method}, {path}: {told:#?}");
            let last = told.last().expect("a line");
            if last["influential"].as_u64().unwrap_or(0) == 0 {
                return found.join(" ");
            }
            let given = last["entry"].as_object().expect("values").iter();
            let given = given.filter(|(name, _)| *name == "value").filter_map(|(_, v)| v["value"].as_u64());
            let given: Vec<String> = given.map(|value| value.to_string()).collect();
            found.push(format!("{}{}", last["method"].as_str().expect("a name"), given.join(",")));
            script.push(answer(next, "unknown"));
        }
        unreachable!("questions end")
    };
    let cases = [
        ("all", "in.many[0]", "one2"),
        ("all", "in.many[1]", "two3"),
        ("all", "in.many[2]", "three4 keep4"),
        ("all", "in.many", "one2 two3 three4 keep4"),
        ("all", "in.head.value", "one5 <init>5"),
        ("all", "Wrong.shared", "two6"),
        // The argument's object, and the one assigned to the variable later.
        ("all", "node.value", "one5 <init>5 three7"),
        // It was not written, because of a call's result.
        ("all", "node.next", "never8"),
        ("all", "local", "one1"),
        ("all", "result", "one1 three11"),
        ("all", "in.list[0]", "one9 two10"),
        ("all", "in.count{\"a b\"}", "one9 two10"),
        ("fails", "exception", "two21"),
        ("fails", "in.many[0]", "one20"),
    ];
    for (method, path, expected) in cases {
        assert_eq!(influential(method, path), expected, "{method}, {path}");
    }
}

#[test]
fn where_it_cannot_be_told_it_is_as_if_nobody_had_pointed() {
    let cases = [
        ("all", "beside", "other threads have run meanwhile"),
        ("calls", "all", "what other threads did meanwhile was not recorded"),
    ];
    for (level, method, why) in cases {
        let trace = recorded(&compiled("fixtures/wrong", &["-g"]), "Wrong", level);
        let mut script = Vec::new();
        for question in 1.. {
            let (told, _) = lines(&mut diagnose(&trace, &[]), &script);
            let last = told.iter().rfind(|line| line.get("question").is_some()).expect("a question");
            if last["method"] == method {
                script.push(wrong(question, "result"));
                break;
            }
            script.push(answer(question, if last["method"] == "main" { "invalid" } else { "valid" }));
        }
        let (told, _) = lines(&mut diagnose(&trace, &[]), &script);
        let [.., told, next] = told.as_slice() else { panic!("{told:#?}") };
        assert_eq!(*told, json!({"influential": null, "path": "result", "why": why}));
        assert_eq!(next["influential"], Value::Null);
    }
}

#[test]
fn it_is_taken_back_and_kept_as_other_answers_are() {
    let trace = parcel("all");
    let script = [wrong(1, "result.grams"), answer(2, "undo"), answer(1, "invalid")];
    let (told, _) = lines(&mut diagnose(&trace, &["--node=0"]), &script);
    let questions = [
        ("label", Some(9), None),
        ("sum", Some(8), Some(3)),
        ("label", Some(9), None),
        ("<init>", Some(8), None),
    ];
    assert_eq!(asked(&told), questions);
    let kept = trace.with_file_name("kept.ron").display().to_string();
    let arguments = ["--node=0", "--answers", &kept];
    lines(&mut diagnose(&trace, &arguments), &[wrong(1, "result.grams")]);
    let (told, _) = lines(&mut diagnose(&trace, &arguments), &[]);
    assert_eq!(
        (&told[0]["kept"]["method"], &told[0]["kept"]["answer"]),
        (&json!("Parcel.label"), &json!("invalid"))
    );
    assert_eq!(asked(&told), [("sum", Some(8), Some(3))]);
    let text = std::fs::read_to_string(&kept).expect("it is kept");
    assert!(text.contains("path: Some(\"result.grams\")"), "{text}");
    // An edited file.
    std::fs::write(&kept, text.replace("result.grams", "result.gram")).expect("written");
    let (told, _) = lines(&mut diagnose(&trace, &arguments), &[]);
    assert_eq!(asked(&told), [("<init>", Some(8), None)]);
}
