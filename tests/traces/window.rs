//! `qp trace record --like`: a further run that records only some calls records the same ones.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use crate::support::{finish, said};
use serde_json::Value;
use std::path::Path;

/// The calls of the thread `main` in their order: their numbers, methods, and depths.
fn calls(folder: &Path) -> Vec<(u64, String)> {
    let arguments = ["trace", "calls", "--all", "--depth=500", "--thread=main", "--format=json"];
    let output = finish(crate::support::qp().args(arguments).arg(folder));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let tree: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut found = Vec::new();
    flatten(&tree["threads"][0]["calls"], &mut found);
    found
}

fn flatten(calls: &Value, into: &mut Vec<(u64, String)>) {
    for call in calls.as_array().into_iter().flatten() {
        let text = |key: &str| call[key].as_str().expect("a text").to_owned();
        let method = format!("{}.{}{}", text("class"), text("method"), text("descriptor"));
        into.push((call["node"].as_u64().expect("a number"), method));
        flatten(&call["calls"], into);
    }
}

fn below(folder: &Path, node: u64) -> u64 {
    let arguments = ["trace", "calls", "--format=json", "--node", &node.to_string()];
    let output = finish(crate::support::qp().args(arguments).arg(folder));
    let tree: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    tree["threads"][0]["calls"][0]["below"].as_u64().expect("a number")
}

#[test]
fn only_some_calls_are_recorded_again() {
    let case = Case::new("traced");
    let record = |out: &str, options: &[String]| {
        let folder = case.mark(out);
        let mut command = case.qp();
        command.args(["trace", "record", "--out"]).arg(&folder).args(options);
        case.run_command(command.args(["--", "java", "-cp", "classes", "Traced"]));
        folder
    };
    let first = record("first", &["--trust=Log".to_owned()]);
    let all = calls(&first);
    let like = format!("--like={}", first.display());
    let number = |at: usize| all[at].0;
    // A call that makes others, as deep in the tree as possible.
    let one = (1..all.len()).rfind(|at| (2..40).contains(&below(&first, number(*at)))).expect("a call");
    let (node, size) = (number(one), usize::try_from(below(&first, number(one))).expect("few") + 1);
    let again = record("one", &[like.clone(), format!("--call={node}"), "--level=all".to_owned()]);
    let found = calls(&again);
    let wanted: Vec<&String> = all[one..one + size].iter().map(|(_, method)| method).collect();
    let last: Vec<&String> = found[found.len() - size..].iter().map(|(_, method)| method).collect();
    assert_eq!(last, wanted);
    // The enclosing calls are there, and nothing else.
    let around: Vec<&String> = found[..found.len() - size].iter().map(|(_, method)| method).collect();
    assert!(around.iter().all(|method| all[..one].iter().any(|(_, known)| known == *method)), "{around:?}");
    let output = finish(crate::support::qp().args(["trace", "info", "--format=json"]).arg(&again));
    let info: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(info["calls"].as_u64(), u64::try_from(found.len()).ok(), "{info:#}");
    assert!(info["events"]["line"].as_u64().is_some_and(|lines| lines > 0), "{info:#}");

    let to = one + size + 2;
    let between = [format!("--from={node}"), format!("--to={}", number(to)), like.clone()];
    let found = calls(&record("between", &between));
    let wanted: Vec<&String> = all[one..to].iter().map(|(_, method)| method).collect();
    let last: Vec<&String> = found[found.len() - wanted.len()..].iter().map(|(_, method)| method).collect();
    assert_eq!(last, wanted);
    let rest = calls(&record("rest", &[format!("--from={node}"), like.clone()]));
    let wanted: Vec<&String> = all[one..].iter().map(|(_, method)| method).collect();
    let last: Vec<&String> = rest[rest.len() - wanted.len()..].iter().map(|(_, method)| method).collect();
    assert_eq!(last, wanted);

    for (options, what) in [
        (vec![like.clone(), "--call=99999999".to_owned()], "no call 99999999"),
        (vec![like.clone(), format!("--from={node}"), format!("--to={node}")], "is not a later call"),
        (vec!["--call=1".to_owned()], "--like"),
    ] {
        let mut command = case.qp();
        command.args(["trace", "record", "--out=none"]).args(options);
        let output = finish(command.args(["--", "java", "-cp", "classes", "Traced"]));
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(what), "{what}: {}", said(&output));
    }
}
