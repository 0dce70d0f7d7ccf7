//! Recordings and live answers show values in the same words as the program prints them.

use crate::support;
use crate::support::case::Case;
use crate::support::{finish, point, said};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

/// The texts of values, by the names of the locals that hold them.
type Words = BTreeMap<String, String>;

/// Texts without object numbers, which differ between runs.
fn unnumbered(words: &str) -> String {
    let mut out = String::new();
    let mut rest = words;
    while let Some((before, after)) = rest.split_once('@') {
        out.push_str(before);
        out.push('@');
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    out + rest
}

/// The program's own output of its values.
fn printed(case: &Case, java: &str) -> Words {
    let output = finish(Command::new(java).current_dir(case.work()).args(["-cp", "classes", "Told"]));
    let text = String::from_utf8(output.stdout).expect("text");
    let words: Words =
        text.lines().filter_map(|l| l.split_once('=')).map(|(n, w)| (n.into(), w.into())).collect();
    assert!(words.len() > 10, "{text}");
    words
}

/// The texts in an answer about the running program.
fn live(case: &Case, java: &str) -> Words {
    let line = case.line("Told.java", "// AT");
    let debuggee = format!("command: [{java:?}, \"-cp\", \"classes\", \"Told\"], sources: [\".\"]");
    let points = format!("(id: \"A\", at: Line(\"Told\", {line}))");
    let answer = case.replay(&debuggee, &points, &["--format", "json"]).answer();
    let a = point(&answer, "A");
    let words = a["collected"].as_object().expect("values").iter().map(|(name, value)| {
        let value = value.as_str().expect("a text");
        // Only the contents of an exception follow its name in a recording.
        let message = a["contents"].get(value).and_then(Value::as_str).filter(|text| text.starts_with('"'));
        // Its causes stand behind the message, in live answers alone.
        let message = message.map(|text| text.split(" caused by ").next().unwrap_or(text));
        (name.clone(), unnumbered(&message.map_or(value.to_owned(), |message| format!("{value} {message}"))))
    });
    words.collect()
}

fn json(case: &Case, arguments: &[&str]) -> Value {
    let output = finish(case.qp().args(arguments).args(["--format", "json"]));
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn record(case: &Case, java: &str, to: &str) {
    let arguments = ["trace", "record", "--level", "all", "-o", to, "--", java, "-cp", "classes", "Told"];
    let output = finish(case.qp().args(arguments));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

/// The first call of a method, which must have been recorded.
fn call(case: &Case, recording: &str, method: &str) -> Value {
    let calls = json(case, &["trace", "calls", recording, "--method", method]);
    calls["threads"][0]["calls"][0].clone()
}

fn recorded(case: &Case, recording: &str) -> Words {
    let node = call(case, recording, "Told.check")["node"].to_string();
    let events = json(case, &["trace", "events", &node, recording, "--limit", "10000"]);
    let locals = events["events"].as_array().expect("events").iter().filter(|e| e["event"] == "local");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    locals.map(|e| (text(&e["name"]), unnumbered(&text(&e["new"])))).collect()
}

#[test]
fn recordings_show_values_in_the_words_of_live_answers() {
    let case = Case::new("told");
    for (java, to) in support::javas().iter().zip(["one", "other", "third"]) {
        let (printed, live) = (printed(&case, java), live(&case, java));
        record(&case, java, to);
        let recorded = recorded(&case, to);
        for (name, words) in printed {
            assert_eq!(live.get(&name), Some(&words), "{name}, live, by {java}");
            assert_eq!(recorded.get(&name), Some(&words), "{name}, recorded, by {java}");
        }
    }
}

#[test]
fn fields_of_a_recording_hold_what_values_are() {
    let case = Case::new("told");
    record(&case, "java", "all");
    let slot = call(&case, "all", "Told$Slot.put")["this"].as_str().expect("an object").to_owned();
    let history = json(&case, &["trace", "history", &format!("{slot}.held"), "all"]);
    let new: Vec<&str> =
        history["writes"].as_array().unwrap().iter().filter_map(|w| w["new"].as_str()).collect();
    let line = case.line("Told.java", "o -> o.total();");
    assert_eq!(new, ["Integer 5", &format!("Told.java:{line} o -> o.total()")]);
    let node = call(&case, "all", "Told.check")["node"].to_string();
    let state = json(&case, &["trace", "state", &node, "all", "--object", &slot]);
    assert_eq!(state["parts"][0]["exit"], new[1], "{state:#}");
}

#[test]
fn exceptions_of_a_recording_have_their_messages_wherever_they_are_shown() {
    let case = Case::new("told");
    record(&case, "java", "all");
    let fail = call(&case, "all", "Told.fail");
    let thrown = fail["exception"].as_str().expect("an exception");
    assert_eq!(unnumbered(thrown), "Told.StockException@ \"call 1\"");
    let (name, _) = thrown.split_once(' ').expect("a message");
    let events = json(&case, &["trace", "events", &fail["node"].to_string(), "all"]);
    let caught = events["events"].as_array().unwrap().iter().find(|e| e["event"] == "catch").expect("caught");
    // More is recorded of a message than of other texts.
    let long = format!("IllegalStateException@ \"no stock of {}\"", "7".repeat(200));
    assert_eq!(unnumbered(caught["object"].as_str().unwrap()), long);
    let put = call(&case, "all", "Told$Slot.keep");
    assert_eq!(put["arguments"][0], thrown);
    let slot = put["this"].as_str().unwrap();
    let history = json(&case, &["trace", "history", &format!("{slot}.held"), "all"]);
    assert_eq!(history["writes"][0]["new"], thrown);
    // Name the object by its name, and by its whole shown text.
    for object in [name, thrown] {
        let state = json(&case, &["trace", "state", &put["node"].to_string(), "all", "--object", object]);
        assert_eq!(state["object"], name, "{state:#}");
    }
    let lines = case.work().join("lines");
    let lines = lines.to_str().unwrap();
    json(&case, &["trace", "export", "all", "--to", lines]);
    let text = std::fs::read_to_string(lines).unwrap();
    let left = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let left: Vec<Value> =
        left.filter(|line| line["event"] == "leave").map(|l| l["exception"].clone()).collect();
    assert!(left.contains(&Value::from(thrown)), "{left:?}");
}

#[test]
fn a_lambda_whose_source_is_newer_than_the_recording_is_shown_by_its_place() {
    let case = Case::new("told");
    record(&case, "java", "all");
    let line = case.line("Told.java", "o -> o.total();");
    let source = case.work().join("Told.java");
    let text = std::fs::read_to_string(&source).unwrap().replace("o -> o.total();", "o -> 0;");
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(2);
    std::fs::write(&source, text).unwrap();
    std::fs::File::options().write(true).open(&source).unwrap().set_modified(later).unwrap();
    assert_eq!(recorded(&case, "all")["fn"], format!("Told.java:{line} lambda"));
}
