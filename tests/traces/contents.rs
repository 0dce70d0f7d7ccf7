//! The contents of JDK collections in a recorded run equal the program's own log, after each step.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use crate::support::traced::text;
use crate::support::{finish, javas, said, unwrapped};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

fn record(
    case: &Case,
    java: &str,
    out: &str,
    options: &[&str],
    program: &[&str],
) -> (std::path::PathBuf, String) {
    let folder = case.mark(out);
    let mut command = case.qp();
    command.args(["trace", "record", "--show-output", "--out"]).arg(&folder).args(options);
    let run = case.run_command(command.args(["--", java, "-cp", "classes"]).args(program));
    run.is(0, &["recorded in"]);
    let printed =
        [&run.output.stdout, &run.output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    (folder, printed.concat())
}

fn json(arguments: &[&str], folder: &Path) -> Value {
    let output = finish(crate::support::qp().args(arguments).arg(folder));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The calls of some methods in order: their numbers, and their first arguments.
fn calls(folder: &Path, methods: &[&str]) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    for method in methods {
        let tree = json(&["trace", "calls", "--all", "--format=json", "--method", method], folder);
        for call in tree["threads"][0]["calls"].as_array().into_iter().flatten() {
            found.push((call["node"].as_u64().expect("a number"), text(&call["arguments"][0]).to_owned()));
        }
    }
    found.sort();
    found
}

/// The JSON reply to each line typed at a call.
fn typed(folder: &Path, lines: &str) -> Vec<Value> {
    let mut command = crate::support::qp();
    command.args(["trace", "step", "0", "--format=json"]).arg(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("qp starts");
    let mut input = child.stdin.take().expect("its input");
    let lines = lines.to_owned();
    let typing = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    typing.join().expect("typed").expect("written");
    let answers = String::from_utf8_lossy(&output.stdout).into_owned();
    answers.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
}

/// The shown contents of a collection in the form of the log: `a|b`, `k=v|l=w`, or the values alone.
fn shown(answer: &Value, has_keys: bool) -> Vec<String> {
    let parts = answer["content"]["inner"]["parts"].as_array().cloned().unwrap_or_default();
    // A collection that is itself recorded has fields too.
    let parts = parts.iter().filter(|part| text(&part["name"]).starts_with('['));
    let plain = |text: &str| text.trim_matches('"').to_owned();
    let part = |part: &Value| {
        let name = text(&part["name"]).trim_start_matches('[').trim_end_matches(']').to_owned();
        let value = plain(part["value"].as_str().unwrap_or_else(|| panic!("{answer:#}")));
        let is_index = name.parse::<usize>().is_ok();
        if is_index || has_keys { value } else { format!("{}={value}", plain(&name)) }
    };
    parts.map(part).collect()
}

#[test]
fn collections_hold_what_the_program_says() {
    hold_what_the_program_says("--scope=Held", 1);
}

#[test]
fn recorded_collections_hold_what_the_program_says() {
    // Reading these collections takes longer, so only some are read.
    hold_what_the_program_says("--scope=Held,java.**", 9);
}

fn hold_what_the_program_says(scope: &str, every: usize) {
    let case = Case::new("held");
    for (n, java) in javas().iter().enumerate() {
        let options = ["--level=writes", scope];
        // `QP_HELD="100 8"` runs more rounds with another seed.
        let more = std::env::var("QP_HELD").unwrap_or_default();
        let program: Vec<&str> = ["Held"].into_iter().chain(more.split_whitespace()).collect();
        let (folder, printed) = record(&case, java, &format!("trace{n}"), &options, &program);
        let log: Vec<&str> =
            printed.lines().filter_map(|line| line.split_once("held ")).map(|(_, rest)| rest).collect();
        let steps = calls(&folder, &["Held.step", "Held.around", "Held.fixed"]);
        // The outer call is the one to look at, and the steps are inside it.
        let is_inner = |node: u64| {
            let around =
                json(&["trace", "calls", "--format=json", "--node", &(node - 1).to_string()], &folder);
            around["threads"][0]["calls"][0]["method"] == "around"
        };
        let inner: Vec<u64> = calls(&folder, &["Held.around"]).iter().map(|(node, _)| node + 1).collect();
        assert!(inner.iter().all(|node| is_inner(*node)));
        let steps: Vec<_> = steps.into_iter().filter(|(node, _)| !inner.contains(node)).collect();
        assert_eq!(steps.len(), log.len());
        assert!(steps.len() > 900 || !more.is_empty());
        let steps: Vec<_> = steps.into_iter().step_by(every).collect();
        let log: Vec<&str> = log.into_iter().step_by(every).collect();
        let lines: String =
            steps.iter().map(|(node, held)| format!("call {node}\nend\nshow {held}\n")).collect();
        let answers = typed(&folder, &lines);
        // The first reply comes before any line.
        let answers: Vec<&Value> = answers.iter().skip(1).skip(2).step_by(3).collect();
        assert_eq!(answers.len(), steps.len());
        for ((answer, (node, held)), wanted) in answers.iter().zip(&steps).zip(&log) {
            let (order, wanted) = wanted.split_once(' ').expect("an order");
            let has_keys = !wanted.contains('=');
            let mut found = shown(answer, has_keys);
            if order == "any" {
                found.sort();
            }
            assert_eq!(found.join("|"), wanted, "{java} #{node} {held}: {answer:#}");
        }
    }
}

/// The contents of a collection at the entry and at the end of a call, each with whether `qp` calls them
/// uncertain.
fn state(folder: &Path, node: u64, object: &str, options: &[&str]) -> [(String, bool); 2] {
    let (node, object) = (node.to_string(), format!("--object={object}"));
    let arguments = [&["trace", "state", "--format=json", &node, &object], options].concat();
    let state = json(&arguments, folder);
    ["entry", "exit"].map(|end| {
        let held = &state["contents"][end];
        let item = |item: &Value| match item {
            Value::String(element) => element.clone(),
            pair => format!("{}={}", text(&pair["key"]), text(&pair["value"])),
        };
        let items: Vec<String> = held["items"].as_array().into_iter().flatten().map(item).collect();
        assert_eq!(held["size"].as_u64().unwrap_or(0), items.len() as u64);
        (items.join(","), held["unrecorded"] == true)
    })
}

#[test]
fn what_changed_where_nobody_tells_of_it_is_said_to_be_unsure() {
    let case = Case::new("held-astray");
    for (n, java) in javas().iter().enumerate() {
        let opened = ["--add-opens", "java.base/java.util=ALL-UNNAMED", "Astray"];
        let (folder, _) = record(&case, java, &format!("trace{n}"), &["--level=writes"], &opened);
        let tree = json(&["trace", "calls", "--format=json", "--method=Astray.astray"], &folder);
        let call = &tree["threads"][0]["calls"][0];
        let node = call["node"].as_u64().expect("a number");
        let [map, other, list] = [0, 1, 2].map(|at| text(&call["arguments"][at]).to_owned());
        let sure = |items: &str| (items.to_owned(), false);
        let [entry, (_, unsure)] = state(&folder, node, &map, &[]);
        assert_eq!((entry, unsure), (sure("\"k\"=\"v\""), true));
        assert_eq!(state(&folder, node, &other, &[]), [sure("\"l\"=\"w\""), sure("\"l\"=\"w\"")]);
        let [entry, (_, unsure)] = state(&folder, node, &list, &[]);
        assert_eq!((entry, unsure), (sure("\"a\",\"b\""), true));
        // The recorder has written its full contents again.
        let after = calls(&folder, &["Astray.after"])[0].0;
        assert_eq!(state(&folder, after, &list, &[])[0], sure("\"a\",\"c\""));
        let map = &state(&folder, after, &map, &[])[0];
        assert_eq!(map, &sure("\"k\"=\"changed\""));
        let shown = finish(
            crate::support::qp().args(["trace", "state", &node.to_string(), "--object", &list]).arg(&folder),
        );
        let remark = "(contents may have changed where it was not recorded)";
        assert!(
            unwrapped(&said(&shown))
                .contains(&format!("holds [\"a\", \"b\"] → [\"a\", \"c\", \"b\"] {remark}")),
            "{}",
            said(&shown)
        );
        // Each change, with its call.
        let history = json(&["trace", "history", "--format=json", &list], &folder);
        let words: Vec<&str> =
            history["writes"].as_array().expect("writes").iter().map(|w| text(&w["name"])).collect();
        assert_eq!(words, ["all", "insert", "insert", "insert", "all"], "{history:#}");
        // Elements of a list move: none has writes of its own.
        let element = format!("{list}[0]");
        let refused = finish(crate::support::qp().args(["trace", "history", &element]).arg(&folder));
        assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
        assert!(unwrapped(&said(&refused)).contains(&format!("all of it: `{list}`")), "{}", said(&refused));
    }
}

/// A later recording of a call includes the contents of collections, although the first one lacks them.
#[test]
fn a_call_that_is_recorded_later_tells_what_collections_hold() {
    let case = Case::new("held");
    let (folder, printed) = record(&case, "java", "trace", &["--trust=Log"], &["Held", "12"]);
    let log: Vec<&str> =
        printed.lines().filter_map(|line| line.split_once("held ")).map(|(_, rest)| rest).collect();
    let steps = calls(&folder, &["Held.step"]);
    for (kind, wanted) in
        [(0, "ArrayList"), (6, "PriorityQueue"), (9, "TreeSet"), (16, "ConcurrentHashMap"), (22, "TreeMap")]
    {
        let at = 24 * 11 + kind;
        let (node, held) = &steps[at];
        assert_eq!(held.split('@').next(), Some(wanted));
        let [entry, exit] = state(&folder, *node, held, &["--level=writes"]);
        for ((found, unsure), log) in [(entry, log[at - 24]), (exit, log[at])] {
            let (order, log) = log.split_once(' ').expect("an order");
            let plain = found.replace('"', "");
            let mut items: Vec<&str> = plain
                .split(',')
                .map(|item| match log.contains('=') {
                    true => item,
                    false => item.rsplit('=').next().unwrap_or(item),
                })
                .collect();
            if order == "any" {
                items.sort_unstable();
            }
            assert_eq!((items.join("|"), unsure), (log.to_owned(), false), "{held} #{node}");
        }
    }
}
