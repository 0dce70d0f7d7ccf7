//! Reads recorded runs through `qp trace`.

use super::{finish, qp, said};
use serde_json::Value;
use std::path::Path;

/// The text of a JSON value.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// The output of `qp trace info`.
pub fn info(folder: &Path) -> Value {
    let output = finish(qp().args(["trace", "info", "--format=json"]).arg(folder));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Every event of a recorded run.
pub fn exported(folder: &Path, options: &[&str]) -> Vec<Value> {
    let file = folder.with_extension("jsonl");
    let output = finish(qp().args(["trace", "export"]).args(options).arg(folder).arg("--to").arg(&file));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let lines = std::fs::read_to_string(&file).expect("the export");
    lines.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}
