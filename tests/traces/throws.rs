//! A recording says which exceptions were thrown, and where, as the program's own log does.

use crate::support::case::Case;
use crate::support::traced::{exported, text};
use crate::support::{finish, javas, qp, said};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The class of a shown exception: `Failure` of `Thrown.Failure@7 "no"`.
fn class(exception: &str) -> &str {
    let name = exception.split('@').next().unwrap_or_default();
    name.rsplit('.').next().unwrap_or_default()
}

/// Records `Thrown` into a folder. Returns its log.
fn record(case: &Case, java: &str, level: &str, folder: &Path) -> Vec<String> {
    let mut command = case.qp();
    let options = ["--trust=Log", "--show-output", "--level", level, "--out"];
    command.args(["trace", "record"]).args(options).arg(folder);
    let run = case.run_command(command.args(["--", java, "-Xss8m", "-cp", "classes", "Thrown"]));
    run.is(0, &["recorded in"]);
    let output = said(&run.output);
    let lines = output.lines().filter(|line| line.contains(" throw ") || line.contains(" raised "));
    lines.map(str::to_owned).collect()
}

/// Each exception that a recording says was thrown, as the log has it.
fn recorded(events: &[Value]) -> Vec<String> {
    let thrown = events.iter().filter(|event| event["event"] == "throw" || event["event"] == "raised");
    let line = |event: &Value| {
        let [thread, what, method] = ["thread", "event", "method"].map(|key| text(&event[key]));
        let (exception, of) = (class(text(&event["object"])), text(&event["class"]));
        format!("{thread} {what} {exception} {of}.{method}:{}", event["line"].as_u64().unwrap_or(0))
    };
    thrown.map(line).collect()
}

#[test]
fn throws_are_where_the_program_says() {
    let case = Case::new("thrown");
    for (n, java) in javas().iter().enumerate() {
        for level in ["calls", "writes", "all"] {
            let folder = case.mark(&format!("trace{n}-{level}"));
            let log = record(&case, java, level, &folder);
            assert!(log.len() > 30, "{log:?}");
            let events = exported(&folder, &[]);
            assert_eq!(recorded(&events), log, "{java} {level}");
            each_flight_has_one_beginning(&events);
            if level == "all" {
                lines_agree(&events);
            }
        }
    }
}

/// Before an exception is caught or leaves a call, one event says where it came from.
fn each_flight_has_one_beginning(events: &[Value]) {
    let mut flying: BTreeMap<&str, &str> = BTreeMap::new();
    for event in events {
        let thread = text(&event["thread"]);
        let kind = text(&event["event"]);
        let object = event["object"].as_str().or(event["exception"].as_str()).unwrap_or_default();
        match kind {
            "throw" => {
                flying.insert(thread, object);
            }
            "raised" => {
                assert_ne!(flying.insert(thread, object), Some(object), "{event}");
            }
            "leave" => assert_eq!(flying.get(thread), Some(&object), "{event}"),
            "catch" => assert_eq!(flying.remove(thread), Some(object), "{event}"),
            _ => {}
        }
    }
}

/// The line of a raised exception is that of the last line event of its call.
fn lines_agree(events: &[Value]) {
    let mut lines: BTreeMap<u64, &Value> = BTreeMap::new();
    let mut compared = 0;
    for event in events {
        let Some(node) = event["node"].as_u64() else { continue };
        match text(&event["event"]) {
            "line" => {
                lines.insert(node, &event["line"]);
            }
            "raised" if !event["line"].is_null() => {
                assert_eq!(&&event["line"], &lines[&node], "{event}");
                compared += 1;
            }
            _ => {}
        }
    }
    assert!(compared > 5, "{compared}");
}

/// Other views are not disturbed: a thread's group, messages, the events of a call.
#[test]
fn throws_are_shown_among_the_events_of_a_call() {
    let case = Case::new("thrown");
    let folder = case.mark("trace");
    record(&case, "java", "calls", &folder);
    let shown = |arguments: &[&str]| {
        let output = finish(qp().arg("trace").args(arguments).arg(&folder));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let events = exported(&folder, &[]);
    let node = |method: &str| {
        let entry = events.iter().find(|event| event["event"] == "enter" && event["method"] == method);
        entry.expect("its entry")["node"].to_string()
    };
    let again = shown(&["events", &node("again")]);
    assert!(again.contains("caught Thrown.Failure@") && again.contains("throws Thrown.Failure@"), "{again}");
    let raised = shown(&["events", &node("parse")]);
    let json: Value =
        serde_json::from_str(&shown(&["events", "--format=json", &node("raised")])).expect("JSON");
    assert!(raised.lines().count() > 0, "{raised}");
    let kinds: Vec<&str> =
        json["events"].as_array().expect("events").iter().map(|event| text(&event["event"])).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "raised").count(), 5, "{json:#}");
    let report = std::fs::read_to_string(folder.join("sites.jsonl")).expect("the report");
    let lines = report.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let rings: BTreeMap<String, String> = lines
        .filter_map(|line| line.get("Ring").cloned())
        .map(|ring| (text(&ring["thread"]).to_owned(), text(&ring["group"]).to_owned()))
        .collect();
    let wanted = [("main", "main"), ("worker", "workers")];
    assert_eq!(rings, wanted.map(|(thread, group)| (thread.to_owned(), group.to_owned())).into());
}
