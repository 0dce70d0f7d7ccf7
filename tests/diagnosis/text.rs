//! Diagnosis of a program whose methods return nothing and write no field: they append to builders and print.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::Case;
use crate::support::javac::Javac;
use crate::support::questions::lines;
use crate::support::{finish, qp, said, unwrapped};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

/// The program with its bug, recorded at a level.
fn recorded(case: &Case, level: &str) -> String {
    let trace = case.mark(level);
    let mut command = case.qp();
    command.args(["trace", "record", "--level", level, "--out"]).arg(&trace);
    case.run_command(command.args(["--", "java", "-cp", "classes", "Report"])).is(0, &["recorded in"]);
    trace.display().to_string()
}

/// The class path of the program without the bug.
fn right(case: &Case) -> PathBuf {
    let text = std::fs::read_to_string(case.work().join("Report.java")).expect("a source");
    let folder = case.mark("right");
    std::fs::create_dir(&folder).expect("a folder");
    let file = folder.join("Report.java");
    std::fs::write(&file, text.replace("\";\"", "\", \"")).expect("written");
    Javac::new().args(["-g", "-d"]).arg(&folder).arg(&file).run();
    folder
}

fn diagnose(arguments: &[&str]) -> Command {
    let mut command = qp();
    command.args(["diagnose", "--format=json", "--strategy=top-down"]).args(arguments);
    command
}

fn answers(words: &[&str]) -> Vec<Value> {
    (1..).zip(words).map(|(question, word)| json!({"question": question, "answer": word})).collect()
}

/// The changes of the question about a method.
fn changes(told: &[Value], method: &str) -> Vec<Value> {
    let question = told.iter().find(|line| line["method"] == method).unwrap_or_else(|| panic!("{told:?}"));
    question["changed"].as_array().cloned().unwrap_or_default()
}

#[test]
fn a_question_shows_what_is_appended_and_printed() {
    let case = Case::new("report");
    let trace = recorded(&case, "all");
    // main, its constructor, `items`, both items, the separators, `sign` and both `print`.
    let script = answers(&["invalid", "valid", "invalid", "valid", "invalid", "invalid"]);
    let (told, code) = lines(&mut diagnose(&[&trace]), &script);
    let last = told.last().expect("a line");
    assert_eq!((code, &last["buggy"]["method"]), (0, &json!("separator")), "{told:?}");
    let printed =
        |change: &Value| (change["path"].clone(), change["new"]["printed"].clone(), change["old"].clone());
    let absent = json!({"absent": true});
    let text = "Report of this year's sales, by region and product: north=3;south=14\nsigned me\n\n";
    let own = |path: &str, text: &str| (json!(path), json!(text), absent.clone());
    let main: Vec<_> = changes(&told, "main").iter().map(printed).collect();
    assert_eq!(main, [own("PrintWriter", "signed me\n"), own("System.out", text)]);
    // Only the part that differs is shown, with what is around it.
    let [items] = changes(&told, "items").try_into().expect("one change");
    assert_eq!(items["path"], "this.out");
    assert_eq!(
        (&items["old"]["text"], &items["new"]["text"]),
        (&json!("on and product: "), &json!("on and product: north=3;south=14"))
    );
    assert_eq!((&items["new"]["from"], &items["new"]["length"]), (&json!(36), &json!(68)));
    let shown =
        finish(qp().args(["diagnose", "--strategy=top-down", &trace]).stdin(std::process::Stdio::null()));
    let shown = unwrapped(&said(&shown));
    assert!(shown.contains("System.out printed \"Report of this year's sales,"), "{shown}");
    assert!(shown.contains("PrintWriter printed \"signed me\\n\""), "{shown}");
}

/// Pointing at a text leads to the calls that changed it.
#[test]
fn a_text_can_be_what_is_wrong() {
    let case = Case::new("report");
    let trace = recorded(&case, "all");
    let wrong = |question: u32, path: &str| json!({"question": question, "answer": "wrong", "path": path});
    for (script, influential) in [
        // Nothing else was printed before `print` than what `items` built and `sign` signed.
        (vec![wrong(1, "System.out")], vec!["<init>", "items", "sign", "print", "print"]),
        (
            vec![
                answers(&["invalid"])[0].clone(),
                json!({"question": 2, "answer": "valid"}),
                wrong(3, "this.out"),
            ],
            vec!["item"],
        ),
    ] {
        let many = script.len();
        let (told, _) = lines(&mut diagnose(&[&trace]), &script);
        let next = &told[many];
        assert!(next["influential"].as_u64().is_some_and(|many| many >= influential.len() as u64), "{next}");
        assert!(influential.contains(&next["method"].as_str().expect("a method")), "{next}");
    }
    let (told, code) = lines(&mut diagnose(&[&trace]), &[wrong(1, "System.err")]);
    assert_eq!(code, 2);
    let refused = told.iter().find_map(|line| line["error"].as_str()).unwrap_or_default();
    assert!(refused.contains("begin the path with one of") && refused.contains("System.out"), "{told:?}");
}

#[test]
fn the_version_that_is_right_appends_and_prints_otherwise() {
    let case = Case::new("report");
    let (trace, right) = (recorded(&case, "all"), right(&case).display().to_string());
    let by_runs = lines(&mut diagnose(&[&trace, "--reference", &right]), &[]).0;
    let why = by_runs[0]["by_reference"]["why"].as_str().expect("a reason");
    assert!(why.starts_with("StringBuilder@") && why.ends_with("north=3, \""), "{why}");
    let by_calls = ["--reference-by=calls", &trace, "--reference", &right];
    let (told, code) = lines(&mut diagnose(&by_calls), &[]);
    let last = told.last().expect("a line");
    assert_eq!(
        (code, &last["buggy"]["method"], &last["answers"]),
        (0, &json!("separator"), &json!(0)),
        "{told:?}"
    );
    let why = |method: &str| {
        let of = |line: &&Value| line["by_reference"]["method"] == format!("Report.{method}");
        let said: Vec<&str> =
            told.iter().filter(of).filter_map(|line| line["by_reference"]["why"].as_str()).collect();
        said.last().copied().unwrap_or_default().to_owned()
    };
    assert!(why("main").contains("north=3, south=14\\nsigned me"), "{}", why("main"));
    assert!(why("separator").ends_with("north=3, \""), "{}", why("separator"));
}

#[test]
fn two_versions_differ_in_what_they_append() {
    let case = Case::new("report");
    let right = right(&case).display().to_string();
    let mut command = case.qp();
    command.args(["diff", "--format=json", "--reference", &right, "--", "java", "-cp", "classes", "Report"]);
    let output = case.run_command(&mut command);
    let said = String::from_utf8_lossy(&output.output.stdout).into_owned();
    let found: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}"));
    assert!(said.contains("separator"), "{found:#}");
}
