//! `qp trace record --from PLACE --to PLACE`: a partial recording has the events of the whole run between
//! these places.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use crate::support::{finish, javas, said};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn record(case: &Case, java: &str, out: &str, options: &[&str]) -> (PathBuf, String) {
    let folder = case.mark(out);
    let mut command = case.qp();
    command.args(["trace", "record", "--out"]).arg(&folder).args(options);
    let run = case.run_command(command.args(["--", java, "-cp", "classes", "Relay"]));
    run.is(0, &["recorded in"]);
    (folder, run.said())
}

fn json(arguments: &[&str], folder: &Path) -> Value {
    let output = finish(crate::support::qp().args(arguments).arg(folder).arg("--format=json"));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The events of a run in the order of their turns over all threads.
fn exported(folder: &Path) -> Vec<Value> {
    let mut events = crate::support::traced::exported(folder, &[]);
    events.sort_by_key(|event| event["turn"].as_u64());
    events
}

/// The parts of an event that are equal in every run; object numbers differ.
fn says(event: &Value) -> String {
    let keys = [
        "thread",
        "class",
        "method",
        "event",
        "line",
        "bci",
        "name",
        "index",
        "old",
        "new",
        "result",
        "arguments",
    ];
    let plain = |key: &str| {
        let text = event[key].to_string();
        text.split_once('@').map_or(text.clone(), |(class, _)| class.to_owned())
    };
    keys.map(plain).join(" ")
}

/// The texts of events, and the changes of collections.
fn told(events: &[Value]) -> (Vec<String>, Vec<String>) {
    let is_told =
        |event: &&Value| event["event"] != "around" && event["event"] != "end" && event["name"] != "all";
    let (changes, others): (Vec<&Value>, Vec<&Value>) =
        events.iter().filter(is_told).partition(|event| event["event"] == "contents");
    (others.into_iter().map(says).collect(), changes.into_iter().map(says).collect())
}

/// The n-th event from a position on that is the entry of a method, or the beginning of a line.
fn reached(events: &[Value], place: &str, from: usize) -> usize {
    let (place, hit) =
        place.split_once('#').map_or((place, 1), |(place, hit)| (place, hit.parse().expect("a number")));
    let is_it = |event: &Value| match place.split_once(':') {
        Some((_, line)) => event["event"] == "line" && event["line"].as_u64() == line.parse().ok(),
        None => {
            event["event"] == "enter"
                && format!("Relay.{}", event["method"].as_str().unwrap_or_default()) == place
        }
    };
    let mut hits = (from..events.len()).filter(|at| is_it(&events[*at]));
    hits.nth(hit - 1).unwrap_or_else(|| panic!("{place} is not reached"))
}

#[test]
fn a_part_is_what_the_whole_run_has_between_its_places() {
    let case = Case::new("relay");
    let line = |mark: &str| case.line("Relay.java", mark);
    let (sum, in_main, in_loop) = (line("sum"), line("main"), line("loop"));
    let parts = [
        (Some(format!("Relay:{sum}#2")), Some("Relay.last".to_owned())),
        // From one thread to another, whose enclosing calls have no recorded entries.
        (Some(format!("Relay.java:{sum}#6")), Some(format!("Relay:{in_main}"))),
        (Some("Relay.run#2".to_owned()), None),
        (None, Some("Relay.pass#5".to_owned())),
        // From a line to its next execution.
        (Some(format!("Relay:{in_loop}#4")), Some(format!("Relay:{in_loop}"))),
        (Some(format!("Relay:{in_main}#3")), Some("Relay.pass#3".to_owned())),
    ];
    for (n, java) in javas().iter().enumerate() {
        for level in ["all", "writes", "calls"] {
            let level_option = format!("--level={level}");
            let (whole, _) = record(&case, java, &format!("{level}{n}"), &[&level_option]);
            let everything = exported(&whole);
            for (at, (from, to)) in parts.iter().enumerate() {
                // Without line events, the beginning of a line is unknown.
                let has_line = [from, to].into_iter().flatten().any(|place| place.contains(':'));
                if level != "all" && has_line {
                    continue;
                }
                let mut options = vec![level_option.clone()];
                options.extend(from.iter().map(|from| format!("--from={from}")));
                options.extend(to.iter().map(|to| format!("--to={to}")));
                let options: Vec<&str> = options.iter().map(String::as_str).collect();
                let (part, said) = record(&case, java, &format!("{level}{n}-{at}"), &options);
                assert!(!said.contains("missing") && !said.contains("not reached"), "{said}");
                let begin = from.as_ref().map_or(0, |from| reached(&everything, from, 0));
                let behind = if from.is_some() { begin + 1 } else { 0 };
                let end = to.as_ref().map_or(everything.len(), |to| reached(&everything, to, behind));
                let found = exported(&part);
                let ((found, changes), (wanted, wanted_changes)) =
                    (told(&found), told(&everything[begin..end]));
                let differs = found.iter().zip(&wanted).find(|(a, b)| a != b);
                assert_eq!(differs, None, "{java} {options:?}");
                assert_eq!(found.len(), wanted.len(), "{java} {options:?}");
                assert!(found.len() > 2, "{options:?}");
                // The first change of a collection is preceded by its contents, if it was met before.
                assert!(wanted_changes.ends_with(&changes), "{options:?}: {changes:?} {wanted_changes:?}");
                assert!(
                    wanted_changes.len() - changes.len() <= 1,
                    "{options:?}: {changes:?} {wanted_changes:?}"
                );
            }
        }
    }
}

/// The enclosing calls are present although their entries are not, so the events in them have a place.
#[test]
fn calls_that_go_on_at_the_beginning_are_around_the_others() {
    let case = Case::new("relay");
    let sum = case.line("Relay.java", "sum");
    let from = format!("--from=Relay:{sum}#3");
    let (folder, _) = record(&case, "java", "part", &["--level=all", &from, "--to=Relay.last"]);
    let tree = json(&["trace", "calls", "--all"], &folder);
    let threads = tree["threads"].as_array().expect("threads");
    let first = threads.iter().find(|thread| thread["thread"] == "first").expect("the thread");
    let run = &first["calls"][0]["calls"][0];
    assert_eq!((&run["method"], &run["arguments"]), (&"run".into(), &serde_json::json!(["?"])));
    let pass = &run["calls"][0];
    assert_eq!((&pass["method"], &pass["arguments"]), (&"pass".into(), &serde_json::json!(["?", "?"])));
    assert_eq!(pass["result"], "6");
    // Its list also has the earlier elements.
    let events = json(&["trace", "events", &pass["node"].to_string()], &folder);
    let events = events["events"].as_array().expect("events");
    let told: Vec<&Value> = events.iter().filter(|event| event["event"] == "contents").collect();
    assert_eq!(told[0]["items"], serde_json::json!(["\"main0\"", "\"first1\"", "\"first2\""]), "{told:#?}");
    let info = json(&["trace", "info"], &folder);
    assert_eq!(
        info["places"],
        serde_json::json!({"from": format!("Relay:{sum}#3"), "to": "Relay.last", "unreached": []})
    );
    assert_eq!(info["missing"], serde_json::json!([]));
    // The numbers of calls differ from those of the whole run.
    let node = pass["node"].to_string();
    let (calls, _) = record(&case, "java", "calls", &[&from]);
    case.run(&["trace", "events", &node, "--level=all", &calls.display().to_string()])
        .fails(2, &["this recording holds only some calls"]);
}

#[test]
fn a_place_that_is_not_reached_is_told() {
    let case = Case::new("relay");
    let mut command = case.qp();
    command.args(["trace", "record", "--from=Relay.nowhere", "--to=Relay:1", "--out"]).arg(case.mark("none"));
    let run = case.run_command(command.args(["--", "java", "-cp", "classes", "Relay"]));
    run.is(1, &["Relay.nowhere was not reached", "Relay:1 was not reached"]);
    let (folder, said) = record(&case, "java", "open", &["--from=Relay.last", "--to=Relay.pass#9"]);
    assert!(said.contains("Relay.pass#9 was not reached"), "{said}");
    let info = finish(crate::support::qp().args(["trace", "info"]).arg(&folder));
    let text = "part       from Relay.last to Relay.pass#9, which was not reached";
    assert!(crate::support::said(&info).contains(text), "{}", crate::support::said(&info));
    let java = ["--", "java", "-cp", "classes", "Relay"];
    for (options, why) in [
        (&["--from=Relay"][..], "expected a place"),
        (&["--from=Relay.last#0"], "expected a place"),
        (&["--from=12"], "needs --like"),
        (&["--to=12"], "needs --like"),
        (&["--call=1", "--from=Relay.last"], "cannot be used with"),
    ] {
        let run = case.run(&[&["trace", "record", "--out=other"], options, &java].concat());
        run.fails(2, &[why]);
    }
}
