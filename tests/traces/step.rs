//! `qp trace step`: on every path, the current event is a recorded one, and the shown state is the one at
//! that time.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use crate::support::{finish, said};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// The replies to lines at the prompt; the first is the initial position.
fn steps(folder: &Path, node: u64, lines: &[String]) -> Vec<Value> {
    steps_at(folder, node, "--color=never", lines)
}

/// The same with a further option.
fn steps_at(folder: &Path, node: u64, option: &str, lines: &[String]) -> Vec<Value> {
    let mut command = crate::support::qp();
    command.args(["trace", "step", "--format=json", option, &node.to_string()]).arg(folder);
    let mut process =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("qp");
    let mut stdin = process.stdin.take().expect("a pipe");
    let text = lines.join("\n") + "\n";
    let writer = std::thread::spawn(move || drop(stdin.write_all(text.as_bytes())));
    let output = process.wait_with_output().expect("its output");
    writer.join().expect("it was written");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let told: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(told.len(), lines.len() + 1, "{}", said(&output));
    told
}

fn recorded(level: &str) -> (Case, std::path::PathBuf) {
    let case = Case::new("traced");
    let folder = case.mark("trace");
    let mut record = case.qp();
    record.args(["trace", "record", "--trust=Log", "--level", level, "--out"]).arg(&folder);
    case.run_command(record.args(["--", "java", "-cp", "classes", "Traced"])).is(0, &["recorded in"]);
    (case, folder)
}

fn json(arguments: &[&str], folder: &Path) -> Value {
    let output = finish(crate::support::qp().args(arguments).arg(folder).arg("--format=json"));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The current event, without the parts that only a list has.
fn event(told: &Value) -> Value {
    let mut event = told["content"]["event"].clone();
    if event["event"] == "call" {
        event["line"] = Value::Null;
    }
    event
}

#[test]
fn each_event_of_a_call_is_come_to_and_gone_back_from() {
    let (_case, folder) = recorded("all");
    let count = json(&["trace", "info"], &folder)["calls"].as_u64().expect("a number");
    let mut seen = 0;
    for node in (0..count).step_by(usize::try_from(count / 12).expect("few").max(1)) {
        let all = json(&["trace", "events", "--limit=100000", &node.to_string()], &folder);
        let mut events: Vec<Value> = all["events"].as_array().expect("a list").clone();
        for event in &mut events {
            if event["event"] == "call" {
                event["line"] = Value::Null;
            }
        }
        if events.len() > 300 {
            continue;
        }
        let times = events.len() + 1;
        let forth = vec!["next".to_owned(); times];
        let back = vec!["previous".to_owned(); times];
        let told = steps(&folder, node, &[forth, back].concat());
        let found: Vec<Value> = told.iter().map(event).collect();
        assert_eq!(found[0]["event"], "enter", "#{node}");
        assert_eq!(found[1..times], events, "#{node}");
        assert!(["return", "leave"].contains(&found[times]["event"].as_str().expect("a word")), "#{node}");
        let returned: Vec<&Value> = found[times..].iter().rev().collect();
        assert_eq!(returned, found[..=times].iter().collect::<Vec<_>>(), "#{node}");
        // The state equals that of the first visit.
        for (there, again) in told[..times].iter().zip(told[times..].iter().rev()) {
            assert_eq!(there["content"], again["content"], "#{node}");
        }
        seen += events.len();
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn changes_are_come_to_from_both_sides() {
    let (_case, folder) = recorded("writes");
    let file = folder.with_extension("jsonl");
    let output = finish(crate::support::qp().args(["trace", "export"]).arg(&folder).arg("--to").arg(&file));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = std::fs::read_to_string(&file).expect("the export");
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    lines.sort_by_key(|line| line["turn"].as_u64());
    let mut variables: Vec<String> = lines
        .iter()
        .filter_map(|line| match (line["event"].as_str()?, line["object"].as_str(), line["index"].as_i64()) {
            ("field", Some(object), _) => Some(format!("{object}.{}", line["name"].as_str()?)),
            ("element", Some(object), Some(index)) => {
                Some(format!("@{}[{index}]", object.rsplit('@').next()?))
            }
            _ => None,
        })
        .collect();
    variables.sort();
    variables.dedup();
    variables.retain(|variable| !variable.contains("main"));
    let last =
        lines.iter().rfind(|line| line["event"] == "return" && line["thread"] == "main").expect("an end");
    let last = last["node"].as_u64().expect("a call");
    let mut seen = 0;
    for variable in variables.iter().step_by((variables.len() / 30).max(1)) {
        let history = json(&["trace", "history", "--limit=100000", variable], &folder);
        let mut wanted: Vec<Value> = history["writes"].as_array().expect("a list").clone();
        // A field of the same name in a superclass is a different one.
        if wanted.is_empty() || wanted.len() > 60 {
            continue;
        }
        let (first, times) = (0, wanted.len());
        let mut script = vec![format!("forward {variable}"); times];
        script.push(format!("forward {variable}"));
        script.push(format!("call {last}"));
        script.push("end".to_owned());
        script.extend(vec![format!("back {variable}"); times + 1]);
        let told = steps(&folder, first, &script);
        let place = |told: &Value| {
            let event = &told["content"]["event"];
            (told["content"]["call"]["node"].clone(), event["old"].clone(), event["new"].clone())
        };
        let of = |write: &Value| (write["node"].clone(), write["old"].clone(), write["new"].clone());
        let forth: Vec<_> = told[1..=times].iter().map(place).collect();
        assert_eq!(forth, wanted.iter().map(of).collect::<Vec<_>>(), "{variable}");
        assert_eq!(told[times + 1]["reply"], "error", "{variable}: {}", told[times + 1]);
        let back: Vec<_> = told[times + 4..2 * times + 4].iter().map(place).collect();
        wanted.reverse();
        assert_eq!(back, wanted.iter().map(of).collect::<Vec<_>>(), "{variable}");
        assert_eq!(told[2 * times + 4]["reply"], "error", "{variable}");
        seen += times;
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn what_cannot_be_said_is_told() {
    let (case, folder) = recorded("writes");
    let script = ["bogus", "next x", "back", "out", "call 99999999", "show nothing", "", "help"];
    let told = {
        let mut command = crate::support::qp();
        command.args(["trace", "step", "0"]).arg(&folder).stdin(Stdio::piped());
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("qp");
        let mut stdin = process.stdin.take().expect("a pipe");
        stdin.write_all((script.join("\n") + "\n").as_bytes()).expect("written");
        drop(stdin);
        process.wait_with_output().expect("its output")
    };
    assert_eq!(told.status.code(), Some(2), "{}", said(&told));
    let text = said(&told);
    for part in [
        "`bogus` is not a command here",
        "write: next [N]",
        "write: back VARIABLE",
        "no call 99999999",
        "previous [N]",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let output = finish(crate::support::qp().args(["trace", "step", "99999999"]).arg(&folder));
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));

    // Without the option, the euro sign of this encoding is a control character of ISO 8859-1.
    let sources = case.mark("sources");
    std::fs::create_dir(&sources).expect("a folder");
    std::fs::write(sources.join("Traced.java"), b"// 5 \x80\n".repeat(200)).expect("written");
    let mut step = crate::support::qp();
    step.args(["trace", "step", "0"]).arg(&folder).arg("--source").arg(&sources);
    let text = said(&finish(step.args(["--source-encoding", "windows-1252"]).stdin(Stdio::null())));
    assert!(text.contains("// 5 €"), "{text}");
}

#[test]
fn a_run_halts_where_an_event_was() {
    let (case, folder) = recorded("all");
    let info = json(&["trace", "info"], &folder);
    let count = info["calls"].as_u64().expect("a number");
    let mut asked: Vec<(u64, usize, Value)> = Vec::new();
    for node in 0..count {
        let all = json(&["trace", "events", "--limit=60", &node.to_string()], &folder);
        let class = all["call"]["class"].as_str().expect("a class");
        // The names of lambdas and hidden classes differ from run to run.
        if all["thread"] != "main" || class.contains("Lambda") || class.contains("0x") {
            continue;
        }
        for (number, event) in (1..).zip(all["events"].as_array().expect("a list")) {
            if ["line", "field"].contains(&event["event"].as_str().expect("a word")) {
                asked.push((node, number, event.clone()));
            }
        }
        if asked.len() > 400 {
            break;
        }
    }
    let mut seen = (0, 0);
    let (fields, lines): (Vec<_>, Vec<_>) =
        asked.into_iter().partition(|(.., event)| event["event"] == "field");
    let some = |all: Vec<_>| {
        let step = (all.len() / 6).max(1);
        all.into_iter().step_by(step)
    };
    for (node, number, event) in some(fields).chain(some(lines)) {
        let file = case.mark(&format!("event-{node}-{number}.ron"));
        let numbers = [node.to_string(), format!("--event={number}")];
        let mut command = case.qp();
        command.args(["trace", "as-chain"]).args(numbers).arg(&folder).arg("--save").arg(&file);
        case.run_command(&mut command).is(0, &["the chain is in"]);
        let mut replay = case.qp();
        let output = finish(replay.args(["replay", "--format=json"]).arg(&file));
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "#{node} {event}\n{}", said(&output));
        let answer: Value = serde_json::from_str(&told).expect("JSON");
        let found = &answer["points"].as_array().expect("points")[1];
        assert_eq!(found["stack"][0]["line"], event["line"], "#{node} {event}\n{found:#}");
        let mut find = case.qp();
        find.args(["trace", "find", "--format=json", "--point=B"]).arg(&file).arg(&folder);
        let output = finish(&mut find);
        assert_eq!(output.status.code(), Some(0), "#{node} {event}\n{}", said(&output));
        let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let found = &told["found"][0];
        assert_eq!((&found["call"]["node"], &found["number"]), (&node.into(), &number.into()), "{event}");
        match event["event"].as_str() {
            Some("field") => seen.0 += 1,
            _ => seen.1 += 1,
        }
    }
    assert!(seen.0 > 0 && seen.1 > 0, "{seen:?}");
}

#[test]
fn a_call_is_walked_through_that_was_recorded_later() {
    let (_case, all) = recorded("all");
    let (case, calls) = recorded("calls");
    // The order of the other threads differs from run to run.
    let info = json(&["trace", "info"], &calls);
    assert_eq!(info["threads"][0]["name"], "main");
    let count = info["threads"][0]["calls"].as_u64().expect("a number");
    let numbers = regex::Regex::new(r"@\d+").expect("a pattern");
    let mut seen = 0;
    for node in [1, 2, count / 3, count / 2, count - 1] {
        let events = json(&["trace", "events", "--limit=1000", &node.to_string()], &all);
        let thread = events["thread"].as_str().expect("a thread").to_owned();
        let many = events["events"].as_array().expect("a list").len().min(60);
        let lines = vec!["next".to_owned(); many];
        let told = |folder: &Path, option: &str| -> Vec<String> {
            let told = steps_at(folder, node, option, &lines);
            told.iter().map(|told| numbers.replace_all(&event(told).to_string(), "@").into_owned()).collect()
        };
        let (later, at_once) = (told(&calls, "--level=all"), told(&all, "--color=never"));
        assert_eq!(later, at_once, "#{node} in {thread}");
        seen += many;
    }
    assert!(seen > 10, "{seen}");
    // A partial recording does not know the number of an event's hit at its place.
    let part = case.mark("part");
    let mut record = case.qp();
    record.args(["trace", "record", "--like"]).arg(&calls).args(["--call=1", "--out"]).arg(&part);
    case.run_command(record.args(["--", "java", "-cp", "classes", "Traced"])).is(0, &["recorded in"]);
    let output = finish(crate::support::qp().args(["trace", "as-chain", "0"]).arg(&part));
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("use a recording of the whole run"), "{}", said(&output));
}

#[test]
fn a_variable_is_known_before_it_is_assigned() {
    let case = Case::new("orders");
    let folder = case.mark("trace");
    let mut record = case.qp();
    record.args(["trace", "record", "--level", "all", "--out"]).arg(&folder);
    case.run_command(record.args(["--", "java", "-cp", "classes", "Orders"])).is(0, &["recorded in"]);
    let call = u64::from(case.line("Orders.java", "// <- call"));
    let lines = ["forward sum", "history sum", "show sum", "back other", "next", "history sum", "show sum"];
    let told = steps(&folder, 0, &lines.map(str::to_owned));
    // The position is the write, so the state is that before it.
    assert_eq!(told[1]["content"]["event"]["line"], call, "{:#}", told[1]);
    for history in [&told[2], &told[6]] {
        let writes = history["content"]["writes"].as_array().expect("writes");
        let one: Vec<_> = writes.iter().map(|write| (&write["line"], &write["new"])).collect();
        assert_eq!(one, [(&call.into(), &"11".into())], "{history:#}");
    }
    assert_eq!((&told[3]["reply"], &told[7]["content"]["value"]), (&"error".into(), &"11".into()));
    let why = told[3].to_string();
    assert!(why.contains("`sum` has no value here"), "{why}");
    assert_eq!(told[4]["reply"], "error", "{:#}", told[4]);
}

#[test]
fn lines_are_stepped_by_and_run_to() {
    let case = Case::new("orders");
    let folder = case.mark("trace");
    let mut record = case.qp();
    record.args(["trace", "record", "--level", "all", "--out"]).arg(&folder);
    case.run_command(record.args(["--", "java", "-cp", "classes", "Orders"])).is(0, &["recorded in"]);
    let line = |marker: &str| u64::from(case.line("Orders.java", marker));
    let (call, other, body, x) =
        (line("// <- call"), line("// <- other"), line("// <- body"), line("// <- x"));
    let lines = [
        format!("to Orders:{call}"),
        "line".to_owned(),
        "line back".to_owned(),
        format!("to Orders.java:{body}"),
        "line 2".to_owned(),
        "line 3".to_owned(),
        format!("to Orders:{body} back"),
        format!("to Orders:{body} back"),
        format!("to Orders:{x} back"),
        format!("to Orders:{body} back"),
        format!("to Orders:{}", line("// <- total")),
        "line".to_owned(),
    ];
    let told = steps(&folder, 0, &lines);
    let at = |n: usize| told[n]["content"]["event"]["line"].as_u64();
    let expected = [call, other, call, body, body, line("// <- loop"), body, body, x];
    assert_eq!((1..=9).map(at).collect::<Vec<_>>(), expected.map(Some));
    assert_eq!(told[10]["reply"], "error", "no turn comes before: {:#}", told[10]);
    assert_eq!(
        (at(11), at(12)),
        (Some(line("// <- total")), Some(other)),
        "a call ends: on in the one around it"
    );
}

#[test]
fn a_collection_that_a_variable_refers_to_changes_with_what_it_holds() {
    let case = Case::new("orders");
    let folder = case.mark("trace");
    let mut record = case.qp();
    record.args(["trace", "record", "--level", "all", "--out"]).arg(&folder);
    case.run_command(record.args(["--", "java", "-cp", "classes", "Orders"])).is(0, &["recorded in"]);
    let words = ["end", "back a.items", "back a.items", "forward a.items", "back a.items", "back a.items"];
    let told = steps(&folder, 0, &words.map(str::to_owned));
    let put_in = |n: usize| {
        let event = &told[n]["content"]["event"];
        assert_eq!(event["event"], "contents", "{:#}", told[n]);
        event["new"].as_str().map(str::to_owned)
    };
    let texts = ["\"z\"", "\"x\"", "\"z\"", "\"x\""].map(|text| Some(text.to_owned()));
    assert_eq!([2, 3, 4, 5].map(put_in), texts);
    // Before that the constructor gave the field its list.
    let event = &told[6]["content"]["event"];
    assert_eq!((&event["event"], &event["name"]), (&Value::from("field"), &Value::from("items")));
}
