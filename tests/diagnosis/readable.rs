//! The question about a call as text: short, what differs first, and values as Java shows them.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::questions::lines;
use crate::support::{compiled, qp, said, scratch, unwrapped};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;

/// A recording of the program with calls that are hard to show.
fn recorded() -> &'static Path {
    static RECORDED: OnceLock<PathBuf> = OnceLock::new();
    RECORDED.get_or_init(|| {
        let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("trace");
        let mut command = qp();
        command.args(["trace", "record", "--level=all", "--out"]).arg(&folder).args(["--", "java", "-cp"]);
        let output =
            crate::support::finish(command.arg(compiled("fixtures/readable", &["-g"])).arg("Readable"));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        folder
    })
}

/// What a person reads who gives these answers.
fn read(answers: &str) -> String {
    let mut command = qp();
    command.args(["diagnose", "--strategy=top-down"]).arg(recorded());
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("qp");
    child.stdin.take().expect("a pipe").write_all(answers.as_bytes()).expect("written");
    String::from_utf8(child.wait_with_output().expect("an end").stdout).expect("text")
}

/// The question about a method among what was read.
fn question<'a>(text: &'a str, method: &str) -> Vec<&'a str> {
    let mut shown: Vec<&str> = text.lines().skip_while(|line| !line.contains(method)).collect();
    let end = shown.iter().position(|line| line.starts_with("is it right?")).unwrap_or(shown.len());
    shown.truncate(end);
    shown
}

fn place(shown: &[&str], start: &str) -> usize {
    let found = shown.iter().position(|line| line.starts_with(start));
    found.unwrap_or_else(|| panic!("no `{start}` in\n{}", shown.join("\n")))
}

#[test]
fn values_read_as_in_java() {
    let text = read("invalid\nvalid\n");
    let shown = question(&text, "Readable.use").join("\n");
    assert!(shown.contains("[Readable.Kind.WORD, Readable.Kind.WORD, …]"), "{shown}");
    let whole = unwrapped(&read("invalid\nvalid\nmore\n"));
    let segment = "Readable.Segment[from=Readable.Point[x=1, y=2], to=Readable.Point[x=3, y=4], \
                   kind=Readable.Kind.WORD]";
    assert!(whole.contains(segment), "{whole}");
    assert!(shown.contains("name = Optional[\"a\"]"), "{shown}");
}

#[test]
fn what_class_initialisers_changed_is_only_counted() {
    let text = read("invalid\nvalid\nmore\n");
    let shown = question(&text, "Readable.use");
    assert!(shown.contains(&"  Readable.Log.last: \"none\" → \"used\""), "{shown:#?}");
    assert!(!shown.iter().any(|line| line.contains("Log.lines")), "{shown:#?}");
    assert!(shown.contains(&"class initialisers that ran in it changed 2 values"), "{shown:#?}");
    let more = question(&text[text.rfind("Readable.use").expect("the whole question")..], "Readable.use");
    let title = place(&more, "changed by class initialisers");
    assert!(more[title..].contains(&"  Readable$Log.lines: 1 → 7"), "{more:#?}");
}

#[test]
fn the_outcome_comes_first_in_at_most_20_lines() {
    let text = read("invalid\nvalid\nvalid\nmore\n");
    let shown = question(&text, "Readable.fill");
    assert!(shown.len() <= 20, "{shown:#?}");
    let [changed, result, given] = ["changed", "returned ", "given"].map(|start| place(&shown, start));
    assert!(result < changed && changed < given, "{shown:#?}");
    assert!(shown[changed].ends_with(" of 30"), "{shown:#?}");
    assert!(shown[result].contains("[Readable.Kind.WORD, Readable.Kind.EOF,"), "{shown:#?}");
    assert_eq!(shown.last(), Some(&"`more` shows all of it"));
    let (_, more) = text.split_once("`more` shows all of it").expect("a shortened question");
    let more = question(more, "Readable.fill");
    assert!(more.contains(&"  numbers[29][0]: 0 → 842"), "{more:#?}");
    assert!(!more.iter().any(|line| line.contains('…') || line.contains(" of 30")), "{more:#?}");
}

#[test]
fn programs_get_all_of_it() {
    let mut command = qp();
    command.args(["diagnose", "--format=json", "--strategy=top-down"]).arg(recorded());
    let answer = |number: u32, word: &str| json!({"question": number, "answer": word});
    let (told, _) = lines(&mut command, &[answer(1, "invalid"), answer(2, "valid"), answer(3, "valid")]);
    let question = |method: &str| {
        told.iter().find(|reply| reply["method"] == *method).unwrap_or_else(|| panic!("{method}: {told:#?}"))
    };
    let changed = |method: &str| question(method)["changed"].as_array().cloned().unwrap_or_default();
    assert_eq!(changed("fill").len(), 30);
    assert_eq!(
        (&question("fill")["judgeable"], &question("use")["judgeable"]),
        (&json!(false), &Value::Null)
    );
    let by_initialiser: Vec<(Value, Value)> = changed("use")
        .into_iter()
        .map(|change| (change["path"].clone(), change["by_initialiser"].clone()))
        .filter(|(path, _)| path.as_str().is_some_and(|path| path.contains("Log")))
        .collect();
    let mut by_initialiser = by_initialiser;
    by_initialiser.sort_by_key(|(path, _)| path.to_string());
    let expected = [("Readable$Log.last", Value::Null), ("Readable$Log.lines", json!(true))]
        .map(|(path, flag)| (json!(path), flag));
    assert_eq!(by_initialiser, expected);
}
