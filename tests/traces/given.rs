//! Recordings include what JDK code stores into arrays that it receives or creates, and the fields that it
//! writes for the program. The programs print the expected values.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use crate::support::javas;
use crate::support::questions::told;
use crate::support::traced::{exported, info, text};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// A value of a question as `Given` prints it, and whether it is complete.
fn printed(value: &Value) -> (String, bool) {
    if let Some(elements) = value["elements"].as_array() {
        let mut is_whole = value["truncated"] != true;
        let texts: Vec<String> = elements
            .iter()
            .map(|element| {
                let (text, whole) = printed(element);
                is_whole &= whole;
                text
            })
            .collect();
        return (format!("[{}]", texts.join(", ")), is_whole);
    }
    if let Some(fields) = value["fields"].as_object() {
        let texts: Vec<String> = fields.values().map(|field| printed(field).0).collect();
        return (texts.join(" "), true);
    }
    let value = if value.is_object() { &value["value"] } else { value };
    (value.as_str().map_or_else(|| value.to_string(), str::to_owned), true)
}

/// The results of methods, by name.
fn returned(trace: &Path, class: &str) -> HashMap<String, (String, bool)> {
    let mut diagnose = crate::support::qp();
    diagnose.args(["diagnose", "--format=json", "--strategy=single-stepping"]).arg(trace);
    let told = told(&mut diagnose, |_| "valid");
    assert_eq!(told.code, 1, "{}", told.last);
    let questions = told.questions.iter().filter(|question| question["class"] == class);
    questions.map(|question| (text(&question["method"]).to_owned(), printed(&question["result"]))).collect()
}

/// Asserts that the old value of each write of an element is the new one of the last write.
fn writes_follow_each_other(events: &[Value]) -> usize {
    let mut held: HashMap<(&str, u64), &Value> = HashMap::new();
    let writes = events.iter().filter(|event| event["event"] == "element");
    for event in writes.clone() {
        let key = (text(&event["object"]), event["index"].as_u64().expect("an index"));
        // A write through a list does not record the old value.
        let old = event.get("old");
        if let (Some(last), Some(old)) = (held.insert(key, &event["new"]), old) {
            assert_eq!(last, old, "{event}");
        }
    }
    writes.count()
}

#[test]
fn arrays_hold_what_the_program_says() {
    let case = Case::new("given");
    for (n, java) in javas().iter().enumerate() {
        for level in ["writes", "all"] {
            let trace = case.mark(&format!("trace{n}{level}"));
            let mut command = case.qp();
            command.args(["trace", "record", "--show-output", "--level", level, "--out"]).arg(&trace);
            let run = case.run_command(command.args(["--", java, "-Xverify:all", "-cp", "classes", "Given"]));
            run.is(0, &["recorded in"]);
            assert_eq!(info(&trace)["missing"], serde_json::json!([]));
            let returned = returned(&trace, "Given");
            // The program makes these arrays by one instruction each.
            assert!(["rows", "rowsOfRows", "withoutRows"].iter().all(|name| returned[*name].1));
            let mut compared = 0;
            for line in run.said().lines() {
                let Some((name, wanted)) = line.split_once(' ').filter(|(_, rest)| rest.starts_with('['))
                else {
                    continue;
                };
                let (found, is_whole) = &returned[name];
                let is_same = match is_whole {
                    true => found == wanted,
                    false => wanted.starts_with(found.trim_end_matches(']')),
                };
                assert!(is_same, "{java} {level} {name}: {found} for {wanted}");
                compared += 1;
            }
            assert_eq!(compared, 33);
            let events = exported(&trace, &[]);
            assert!(writes_follow_each_other(&events) > 5000);
            // A write with its own event is not recorded twice.
            for value in ["99", "77"] {
                let stored = |event: &&Value| event["event"] == "element" && event["new"] == value;
                assert_eq!(events.iter().filter(stored).count(), 1, "{value}");
            }
            let by = |by: &str| events.iter().filter(|event| event["by"] == by).count();
            assert_eq!((by("java.lang.System.arraycopy"), by("java.lang.String.split")), (3 + 4 + 2, 1 + 4));
        }
    }
}

#[test]
fn fields_hold_what_the_program_says() {
    let case = Case::new("given");
    for (n, java) in javas().iter().enumerate() {
        let trace = case.mark(&format!("handles{n}"));
        let mut command = case.qp();
        command.args(["trace", "record", "--show-output", "--level=all", "--out"]).arg(&trace);
        let run = case.run_command(command.args(["--", java, "-Xverify:all", "-cp", "classes", "Handles"]));
        run.is(0, &["recorded in"]);
        assert_eq!(info(&trace)["missing"], serde_json::json!([]));
        let returned = returned(&trace, "Handles");
        let said = run.said();
        for method in ["updated", "handled", "counted", "reflected", "viewed"] {
            let line = said.lines().find_map(|line| line.strip_prefix(method));
            assert_eq!(line.map(str::trim), Some(returned[method].0.as_str()), "{java} {method}");
        }
        let events = exported(&trace, &[]);
        let of = |name: &str| -> Vec<(&str, &str)> {
            let writes = events.iter().filter(|event| event["event"] == "field" && event["name"] == name);
            writes.map(|event| (text(&event["old"]), text(&event["new"]))).collect()
        };
        assert_eq!(of("count"), [("0", "5"), ("5", "7")]);
        assert_eq!(of("name"), [("null", "\"handled\""), ("\"handled\"", "\"reflected\"")]);
        assert_eq!(of("row").len(), 1);
        assert_eq!(of("text").len(), 3);
        let by = |by: &str| events.iter().filter(|event| event["by"] == by).count();
        assert_eq!(
            (by("java.lang.invoke.VarHandle.set"), by("java.lang.reflect.Field.setInt")),
            (3 + 3 + 4, 1)
        );
    }
}
