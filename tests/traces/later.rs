//! `qp trace history` and `export` also use later recordings of single calls. Their events equal those of a
//! run recorded at that level at once.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use crate::support::traced::exported;
use crate::support::{finish, said};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn record(case: &Case, out: &str, options: &[&str]) -> PathBuf {
    let folder = case.mark(out);
    let mut command = case.qp();
    command.args(["trace", "record", "--trust=Log", "--out"]).arg(&folder).args(options);
    case.run_command(command.args(["--", "java", "-cp", "classes", "Traced"])).is(0, &["recorded in"]);
    folder
}

fn qp(arguments: &[&str], folder: &Path) -> String {
    let output = finish(crate::support::qp().args(arguments).arg(folder));
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", said(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn json(arguments: &[&str], folder: &Path) -> Value {
    serde_json::from_str(&qp(&[arguments, &["--format=json"]].concat(), folder)).expect("JSON")
}

/// The first calls of a method in the thread `main`, each with its number of calls below.
fn calls(folder: &Path, method: &str) -> Vec<(u64, u64)> {
    let tree = json(&["trace", "calls", "--all", "--thread=main", "--method", method], folder);
    let calls = tree["threads"][0]["calls"].as_array().expect("calls").iter();
    calls.map(|c| (c["node"].as_u64().expect("a number"), c["below"].as_u64().expect("a number"))).collect()
}

/// The parts of an event that are equal in every run; object numbers differ.
fn says(event: &Value) -> Vec<String> {
    let plain = |key: &&str| event[*key].as_str().is_none_or(|text| !text.contains('@'));
    let keys = ["thread", "node", "class", "method", "event", "line", "bci", "name", "index", "old", "new"];
    keys.iter().filter(|key| plain(key)).map(|key| event[*key].to_string()).collect()
}

#[test]
fn what_was_recorded_later_is_told_with_the_run_it_is_known_from() {
    let case = Case::new("traced");
    let first = record(&case, "first", &[]);
    let whole = record(&case, "whole", &["--level=writes"]);
    let none = case.run(&["trace", "history", "Traced.made", &first.display().to_string()]);
    none.fails(2, &["record the run again with `--level writes`"]);
    // Two calls with others inside, and one of the inner ones.
    let constructors = calls(&first, "Traced.<init>");
    let chosen: Vec<(u64, u64)> =
        constructors.iter().filter(|(_, below)| *below > 0).skip(5).take(2).copied().collect();
    let inner = chosen.iter().find(|(_, below)| *below > 0).map(|(node, _)| node + 1);
    for node in chosen.iter().map(|(node, _)| *node).chain(inner) {
        qp(&["trace", "events", &node.to_string(), "--level=writes"], &first);
    }
    let is_inside = |node: &Value| {
        let node = node.as_u64().expect("a number");
        chosen.iter().any(|(first, below)| (*first..=first + below).contains(&node))
    };

    let history = json(&["trace", "history", "Traced.made"], &first);
    let at_once = json(&["trace", "history", "Traced.made"], &whole);
    let told = |history: &Value| -> Vec<Vec<String>> {
        let writes = history["writes"].as_array().expect("writes").iter();
        writes.filter(|write| is_inside(&write["node"])).map(says).collect()
    };
    assert_eq!(told(&history), told(&at_once), "{history:#}");
    let writes = history["writes"].as_array().expect("writes");
    assert_eq!(writes.len(), told(&at_once).len());
    assert!(writes.len() >= 2 && writes.len() < at_once["writes"].as_array().map_or(0, Vec::len));
    let runs: BTreeSet<String> =
        writes.iter().map(|write| write["run"].as_str().expect("a run").to_owned()).collect();
    let wanted: BTreeSet<String> = chosen.iter().map(|(node, _)| format!("{node}-writes")).collect();
    assert_eq!(runs, wanted);
    assert!(at_once["writes"].as_array().into_iter().flatten().all(|write| write["run"].is_null()));
    let text = qp(&["trace", "history", "Traced.made"], &first);
    assert!(text.contains(&format!("by the later run {}-writes", chosen[0].0)), "{text}");
    assert!(text.contains("writes are known only for the calls recorded again"), "{text}");

    let plain = exported(&first, &[]);
    assert!(plain.iter().all(|event| event["run"].is_null() && event["event"] != "field"));
    let to = format!("--to={}", first.with_extension("again.jsonl").display());
    assert!(
        qp(&["trace", "export", &to], &first).contains("2 calls were recorded again in more detail: --later")
    );
    let all = exported(&first, &["--later"]);
    assert_eq!(all[..plain.len()], plain);
    let later = &all[plain.len()..];
    assert!(later.iter().all(|event| event["run"].as_str().is_some_and(|run| runs.contains(run))));
    let more = ["field", "element", "array", "contents"];
    let at_once = exported(&whole, &[]);
    let at_once = at_once.iter().filter(|event| more.iter().any(|word| event["event"] == *word));
    let at_once: Vec<_> = at_once.filter(|event| is_inside(&event["node"])).map(says).collect();
    assert_eq!(later.iter().map(says).collect::<Vec<_>>(), at_once);
    assert!(at_once.len() > 3, "{at_once:?}");
}
