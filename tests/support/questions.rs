//! Answers the questions of `qp diagnose --format json`, one after the other.

use super::session::Talk;
use serde_json::{Value, json};
use std::process::Command;

/// The result of a diagnosis.
pub struct Told {
    /// What was taken for granted because the run failed.
    pub assumed: Option<Value>,
    /// The most suspicious methods, if they were ranked.
    pub ranking: Option<Value>,
    /// The answered questions, in their order.
    pub questions: Vec<Value>,
    /// The last line.
    pub last: Value,
    /// The exit code.
    pub code: i32,
}

/// Answers each question by a function until there are no more. Skips those that a kept answer or a reference
/// answers.
pub fn told(command: &mut Command, mut answer: impl FnMut(&Value) -> &'static str) -> Told {
    let mut talk = Talk::begin(command);
    let mut questions = Vec::new();
    let (mut assumed, mut ranking) = (None, None);
    loop {
        let heard = talk.hear();
        if let Some(what) = heard.get("assumed") {
            assumed = Some(what.clone());
            continue;
        }
        if let Some(what) = heard.get("ranking") {
            ranking = Some(what.clone());
            continue;
        }
        if heard.get("kept").is_some() || heard.get("by_reference").is_some() {
            continue;
        }
        if heard.get("question").is_none() {
            return Told { assumed, ranking, questions, last: heard, code: talk.end() };
        }
        let said = answer(&heard);
        talk.say(&json!({"question": heard["question"], "answer": said}).to_string());
        questions.push(heard);
    }
}

/// Sends some lines. Returns each reply, and the exit code.
pub fn lines(command: &mut Command, script: &[Value]) -> (Vec<Value>, i32) {
    let text: Vec<String> =
        script.iter().map(|line| line.as_str().map_or(line.to_string(), str::to_owned)).collect();
    let (code, replies) = super::session::session(command, &(text.join("\n") + "\n"));
    (replies, code)
}
