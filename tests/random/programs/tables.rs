//! Compares the results from a recording's tables with those from a scan of all its events.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Number of variables and calls to ask for.
const ASKED: usize = 6;

/// A write: thread, call, old and new value.
type Write = [Value; 4];

/// How a part is shown: its declaring class and name, or its index.
type Part = (String, String, i64);

fn part(event: &Value) -> Part {
    let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
    (text("declared_by"), text("name"), event["index"].as_i64().unwrap_or(-1))
}

fn asked(arguments: &[&str], folder: &Path) -> Result<Value, String> {
    let mut command = crate::support::qp();
    let output =
        crate::support::finish(command.args(["trace"]).args(arguments).arg(folder).arg("--format=json"));
    match output.status.code() {
        Some(0) => Ok(serde_json::from_slice(&output.stdout).expect("JSON")),
        _ => Err(crate::support::said(&output)),
    }
}

/// Some of many, spread over all.
fn some<T>(all: Vec<T>) -> impl Iterator<Item = T> {
    let step = all.len().div_ceil(ASKED).max(1);
    all.into_iter().step_by(step)
}

/// The first difference between a folder's tables and its exported events, if any.
pub fn table_difference(folder: &Path) -> Option<String> {
    let text = std::fs::read_to_string(folder.with_extension("jsonl")).expect("the export");
    let mut events: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    events.sort_by_key(|event| event["turn"].as_u64());
    let is_write =
        |event: &Value| ["field", "element"].contains(&event["event"].as_str().unwrap_or_default());
    let mut written: BTreeMap<String, Vec<Write>> = BTreeMap::new();
    for event in events.iter().filter(|event| is_write(event)) {
        let (class, name, index) = part(event);
        let variable = match (event["object"].as_str(), index) {
            (Some(object), -1) => {
                // A nested class is named by its simple name.
                let class = class.rsplit(['.', '$']).next().unwrap_or_default().to_owned();
                format!("{object}.{class}.{name}")
            }
            (Some(object), index) => format!("@{}[{index}]", object.rsplit('@').next().unwrap_or_default()),
            (None, _) => format!("{class}.{name}"),
        };
        let write = ["thread", "node", "old", "new"].map(|key| event[key].clone());
        written.entry(variable).or_default().push(write);
    }
    let differs = |(variable, wanted): (String, Vec<Write>)| {
        let told = match asked(&["history", &variable, "--limit=1000000"], folder) {
            Ok(told) => told,
            Err(error) => return Some(format!("history of {variable}: {error}")),
        };
        let writes = told["writes"].as_array().expect("a list");
        let found: Vec<Write> =
            writes.iter().map(|w| ["thread", "node", "old", "new"].map(|key| w[key].clone())).collect();
        (found != wanted).then(|| format!("history of {variable}: {found:?}, but {wanted:?}"))
    };
    let wrong = some(written.into_iter().collect()).find_map(differs);
    let entered: Vec<(u64, String)> = events
        .iter()
        .filter(|event| event["event"] == "enter" && event["this"].is_string())
        .filter_map(|event| Some((event["node"].as_u64()?, event["this"].as_str()?.to_owned())))
        .collect();
    wrong.or_else(|| some(entered).find_map(|(node, this)| state_difference(folder, &events, node, &this)))
}

/// Compares an object's state at the entry and the end of a call with all writes before and after.
fn state_difference(folder: &Path, events: &[Value], node: u64, this: &str) -> Option<String> {
    let told = match asked(&["state", &node.to_string()], folder) {
        Ok(told) => told,
        Err(error) => return Some(format!("state of {this} at #{node}: {error}")),
    };
    let is_of = |event: &Value, words: &[&str]| {
        event["node"] == node && words.contains(&event["event"].as_str().unwrap_or_default())
    };
    let enter = events.iter().position(|event| is_of(event, &["enter"])).expect("it was entered");
    let exit = events.iter().position(|event| is_of(event, &["return", "leave"])).unwrap_or(events.len());
    let mut parts: BTreeMap<Part, Vec<(usize, &Value)>> = BTreeMap::new();
    for (at, event) in events.iter().enumerate() {
        if event["event"] == "field" && event["object"] == this {
            parts.entry(part(event)).or_default().push((at, event));
        }
    }
    let held = |writes: &[(usize, &Value)], when: usize| {
        let before = writes.iter().rfind(|(at, _)| *at < when).map(|(_, write)| &write["new"]);
        before.or(writes.first().map(|(_, write)| &write["old"])).cloned().unwrap_or_default()
    };
    let wanted: Vec<(Part, [Value; 2], usize)> = parts
        .into_iter()
        .map(|(part, writes)| {
            let between = writes.iter().filter(|(at, _)| (enter..exit).contains(at)).count();
            (part, [held(&writes, enter), held(&writes, exit)], between)
        })
        .collect();
    let found: Vec<(Part, [Value; 2], usize)> = told["parts"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|p| {
            (
                part(p),
                [p["entry"].clone(), p["exit"].clone()],
                p["writes"].as_u64().expect("a number") as usize,
            )
        })
        .collect();
    (found != wanted).then(|| format!("state of {this} at #{node}: {found:?}, but {wanted:?}"))
}
