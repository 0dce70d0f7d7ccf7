//! The texts of builders and what was printed on streams in a recorded run equal the program's own log, after
//! each step.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use crate::support::traced::text;
use crate::support::{finish, javas, said, unwrapped};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

fn record(case: &Case, java: &str, out: &str, options: &[&str]) -> (PathBuf, String) {
    let folder = case.mark(out);
    let mut command = case.qp();
    command.args(["trace", "record", "--show-output", "--level=writes", "--out"]).arg(&folder).args(options);
    let run = case.run_command(command.args(["--", java, "-cp", "classes", "Texts"]));
    run.is(0, &["recorded in"]);
    let printed =
        [&run.output.stdout, &run.output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    (folder, printed.concat())
}

fn shown(arguments: &[&str], folder: &Path) -> String {
    let output = finish(crate::support::qp().args(arguments).arg(folder));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn json(arguments: &[&str], folder: &Path) -> Value {
    serde_json::from_str(&shown(&[arguments, &["--format=json"]].concat(), folder)).expect("JSON")
}

/// The calls of a method in order: their numbers, and their first arguments.
fn calls(folder: &Path, method: &str) -> Vec<(u64, String)> {
    let tree = json(&["trace", "calls", "--all", "--method", method], folder);
    let calls = tree["threads"][0]["calls"].as_array().cloned().unwrap_or_default();
    let one = |call: &Value| {
        let argument = call["arguments"][0].as_str().unwrap_or_default().to_owned();
        (call["node"].as_u64().expect("a number"), argument)
    };
    calls.iter().map(one).collect()
}

/// The text of an object at the end of each call.
fn texts(folder: &Path, of: &[(u64, String)]) -> Vec<String> {
    let lines: String = of.iter().map(|(node, held)| format!("call {node}\nend\nshow {held}\n")).collect();
    let mut command = crate::support::qp();
    command.args(["trace", "step", "0", "--format=json"]).arg(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("qp starts");
    let mut input = child.stdin.take().expect("its input");
    let typing = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    typing.join().expect("typed").expect("written");
    let answers = String::from_utf8_lossy(&output.stdout).into_owned();
    // The first reply comes before any line.
    answers
        .lines()
        .skip(3)
        .step_by(3)
        .map(|line| {
            let answer: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
            let parts = answer["content"]["inner"]["parts"].as_array().cloned().unwrap_or_default();
            let held = parts.iter().find(|part| part["name"] == "text");
            let quoted = held.unwrap_or_else(|| panic!("{answer:#}"))["value"].clone();
            serde_json::from_str(text(&quoted)).unwrap_or_else(|_| panic!("{quoted}"))
        })
        .collect()
}

/// What the program says its texts were.
fn logged(printed: &str) -> Vec<String> {
    let unit = |number: &str| number.parse::<u16>().expect("a unit");
    printed
        .lines()
        .filter_map(|line| line.split_once("held"))
        .map(|(_, units)| String::from_utf16_lossy(&units.split_whitespace().map(unit).collect::<Vec<u16>>()))
        .collect()
}

#[test]
fn texts_are_what_the_program_says() {
    say_what_the_program_says("--trust=Log");
}

#[test]
fn recorded_texts_are_what_the_program_says() {
    say_what_the_program_says("--scope=Texts,java.**");
}

fn say_what_the_program_says(scope: &str) {
    let case = Case::new("texts");
    for (n, java) in javas().iter().enumerate() {
        let (folder, printed) = record(&case, java, &format!("trace{n}"), &[scope]);
        let (steps, log) = (calls(&folder, "Texts.step"), logged(&printed));
        assert_eq!(steps.len(), log.len());
        assert!(steps.len() > 150, "{}", steps.len());
        for (((node, held), found), wanted) in steps.iter().zip(texts(&folder, &steps)).zip(log) {
            // `quoted` writes what a terminal cannot show as an escape of its own.
            assert_eq!(found, wanted, "{java} #{node} {held}");
        }
    }
}

#[test]
fn what_a_call_prints_is_among_its_changes() {
    let case = Case::new("texts");
    let (folder, _) = record(&case, "java", "trace", &["--trust=Log"]);
    let events = |method: &str| {
        let (node, _) = calls(&folder, method).remove(0);
        let events = json(&["trace", "events", &node.to_string()], &folder);
        events["events"].as_array().cloned().unwrap_or_default()
    };
    // What follows each other on one stream is one text.
    let printed = |method: &str| {
        let mut all: Vec<(String, String)> = Vec::new();
        for event in events(method).iter().filter(|event| event["event"] == "text") {
            let stream = event["stream"].as_str().or(event["object"].as_str()).expect("a stream");
            let new: String = serde_json::from_str(text(&event["new"])).expect("a text in quotes");
            match all.last_mut().filter(|(last, _)| *last == stream) {
                Some((_, text)) => text.push_str(&new),
                None => all.push((stream.to_owned(), new)),
            }
        }
        all
    };
    let own = |stream: &str, text: &str| (stream.to_owned(), text.to_owned());
    assert_eq!(
        printed("Texts.standard"),
        [own("System.out", "to standard output\n"), own("System.err", "to standard error\n")]
    );
    let [(stream, text)] = printed("Texts.unknown").try_into().expect("one stream");
    assert!(stream.starts_with("PrintWriter@"), "{stream}");
    assert_eq!(text, "one\ntwo");
    // Only the beginning of a long insertion is kept, and its length.
    let [long] = events("Texts.appendLong").try_into().expect("one event");
    assert_eq!((&long["index"], &long["removed"], &long["inserted"]), (&7.into(), &0.into(), &10_000.into()));
    let new = long["new"].as_str().expect("a text");
    assert_eq!(new.trim_matches(['"', '…']), "long ".repeat(800));
    let (node, builder) = calls(&folder, "Texts.appendLong").remove(0);
    let state = json(&["trace", "state", &node.to_string(), "--object", &builder], &folder);
    let [entry, exit] = ["entry", "exit"].map(|end| state["contents"][end].clone());
    assert_eq!((text_of(&entry), entry["size"].as_u64()), ("begins ".to_owned(), Some(7)));
    assert_eq!(exit["size"].as_u64(), Some(10_007));
    assert_eq!(text_of(&exit).chars().last(), Some('…'));
}

fn text_of(held: &Value) -> String {
    text(&held["text"]).to_owned()
}

#[test]
fn the_history_of_a_text_has_its_changes() {
    let case = Case::new("texts");
    let (folder, _) = record(&case, "java", "trace", &["--trust=Log"]);
    let steps = calls(&folder, "Texts.step");
    let of = |class: &str| {
        steps.iter().find(|(_, held)| held.starts_with(class)).map(|(_, held)| held.clone()).expect("a step")
    };
    let history = json(&["trace", "history", &of("StringWriter@")], &folder);
    let writes = history["writes"].as_array().expect("writes");
    // A writer's changes are those of its buffer.
    assert_eq!(writes[0]["name"], "whole");
    assert_eq!((text(&writes[1]["name"]), text(&writes[1]["new"])), ("edit", "\"text\""));
    let shown = unwrapped(&shown(&["trace", "history", &of("PrintStream@")], &folder));
    assert!(shown.contains("printed \"line\\n\""), "{shown}");
}

/// A recording at level `calls` has no texts; they are recorded when one call is recorded again.
#[test]
fn a_call_that_is_recorded_later_has_its_texts() {
    let case = Case::new("texts");
    let folder = case.mark("trace");
    let mut command = case.qp();
    command.args(["trace", "record", "--show-output", "--trust=Log", "--out"]).arg(&folder);
    let run = case.run_command(command.args(["--", "java", "-cp", "classes", "Texts"]));
    run.is(0, &["recorded in"]);
    let log = logged(
        &String::from_utf8_lossy(&run.output.stderr)
            .lines()
            .chain(String::from_utf8_lossy(&run.output.stdout).lines())
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    );
    let steps = calls(&folder, "Texts.step");
    assert_eq!(steps.len(), log.len());
    let at = steps.iter().position(|(_, held)| held.starts_with("StringBuffer@")).expect("a step") + 2;
    let (node, held) = &steps[at];
    let arguments = ["trace", "state", &node.to_string(), "--level=writes", "--object", held];
    let state = json(&arguments, &folder);
    assert_eq!(text_of(&state["contents"]["entry"]), log[at - 1]);
    assert_eq!(text_of(&state["contents"]["exit"]), log[at]);
}
