//! Asks `qp omitted`, and reads its answer.

use crate::support::{finish, qp, said, scratch};
use serde_json::Value;
use std::path::Path;

/// An answer.
pub struct Answer {
    pub json: Value,
    pub code: Option<i32>,
}

impl Answer {
    pub fn suggestions(&self) -> &[Value] {
        self.json["suggestions"].as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// Each suggestion as `kind Class.method:line > text:line certainty missed/all`.
    pub fn lines(&self) -> Vec<String> {
        let line = |one: &Value| {
            let (jump, operation, passes) = (&one["jump"], &one["operation"], &one["passes"]);
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            format!(
                "{} {}.{}:{} > {}:{} {} {}/{}",
                text(&jump["kind"]),
                text(&jump["class"]),
                text(&jump["method"]),
                jump["line"],
                text(&operation["text"]),
                operation["line"],
                text(&one["certainty"]),
                passes["missed"],
                passes["all"]
            )
        };
        self.suggestions().iter().map(line).collect()
    }

    pub fn reasons(&self) -> String {
        self.json["reasons"].to_string()
    }

    /// The verdicts of the tried suggestions.
    pub fn verdicts(&self) -> Vec<&str> {
        let all = self.suggestions().iter();
        all.map(|one| one["confirmation"]["verdict"].as_str().unwrap_or("none")).collect()
    }
}

/// Asks about an expression at a line.
#[track_caller]
pub fn asked(what: &str, at: &str, options: &[&str], java: &[&str], classes: &Path) -> Answer {
    // Altered code runs in a copy of the working folder.
    let work = tempfile::tempdir_in(scratch()).expect("a folder");
    let mut command = qp();
    command.current_dir(work.path());
    command.args(["--format", "json", "omitted", what, "--at", at]).args(options);
    command.args(["--", "java", "-cp"]).arg(classes).args(java);
    let output = finish(&mut command);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{what} at {at}: {}", said(&output));
    let json = serde_json::from_slice(&output.stdout).expect("JSON");
    Answer { json, code: output.status.code() }
}
