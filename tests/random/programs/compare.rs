//! Compares an answer of `qp` with the expected one.

use super::oracle::Answer;
use super::questions::Question;
use serde_json::Value;
use std::collections::HashMap;

/// Maps objects of the log to their names in the answer, and back.
#[derive(Default)]
pub struct Objects {
    names: HashMap<String, String>,
    back: HashMap<String, String>,
}

impl Objects {
    fn same(&mut self, ours: &str, theirs: &str) -> bool {
        if !ours.starts_with('@') {
            return ours == theirs;
        }
        let known = self.names.entry(ours.to_owned()).or_insert_with(|| theirs.to_owned()).clone();
        let back = self.back.entry(theirs.to_owned()).or_insert_with(|| ours.to_owned()).clone();
        theirs.contains('@') && known == theirs && back == ours
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".into(),
        other => other.to_string(),
    }
}

/// Removes what the source may write in several ways: blanks, brackets, and unnecessary qualifiers.
fn bare(text: &str) -> String {
    let text: String = text.chars().filter(|c| !" ()".contains(*c)).collect();
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars() {
        if c.is_alphanumeric() {
            word.push(c);
            continue;
        }
        let class = word.starts_with(['P', 'O', 'T'])
            && word.len() > 1
            && word[1..].chars().all(|d| d.is_ascii_digit());
        if !(c == '.' && (class || word == "this")) {
            out.push_str(&word);
            out.push(c);
        }
        word.clear();
    }
    out + &word
}

/// The opposite of a condition's operand: its inverted comparison.
fn negated(operand: &str) -> String {
    let mut depth = 0;
    let bytes = operand.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        depth += i32::from(*byte == b'(') - i32::from(*byte == b')');
        let turned = match operand.get(at..at + 4) {
            _ if depth != 0 || *byte != b' ' => None,
            Some(text) => [
                (" <= ", " > "),
                (" >= ", " < "),
                (" == ", " != "),
                (" != ", " == "),
                (" < ", " >= "),
                (" > ", " <= "),
            ]
            .into_iter()
            .find(|(op, _)| text.starts_with(op))
            .map(|(op, turned)| (turned, op.len())),
            None => [(" < ", " >= "), (" > ", " <= ")]
                .into_iter()
                .find(|(op, _)| operand[at..].starts_with(op))
                .map(|(op, turned)| (turned, op.len())),
        };
        if let Some((turned, length)) = turned {
            return format!("{}{turned}{}", &operand[..at], &operand[at + length..]);
        }
    }
    format!("!{operand}")
}

/// The error in an answer; none if it is right.
pub fn wrong(question: &Question, found: &Value, objects: &mut Objects) -> Option<String> {
    let is = |name: &str, expected: &str| {
        let shown = text(&found[name]);
        (shown != expected).then(|| format!("{name} is {shown}, must be {expected}"))
    };
    if question.answer == Answer::Nothing {
        return (found["located"] != false)
            .then(|| format!("located at line {}, must not be", found["line"]));
    }
    if found["located"] != true {
        return Some(format!("not located: {}; must be {:?}", text(&found["reason"]), question.answer));
    }
    if !question.thread.is_empty() && found["thread"] != question.thread.as_str() {
        return is("thread", &question.thread);
    }
    match &question.answer {
        Answer::Nothing => None,
        Answer::Change { line, old, new, .. } => is("line", &line.to_string()).or_else(|| {
            let mut value = |name: &str, ours: &str| {
                let shown = text(&found[name]);
                (!ours.is_empty() && !objects.same(ours, &shown))
                    .then(|| format!("{name} is {shown}, must be {ours}"))
            };
            value("old", old).or_else(|| value("new", new))
        }),
        Answer::Condition { line, taken, operand, .. } => {
            let decided = &found["decided_by"];
            let shown = text(if decided.is_null() { &found["condition"] } else { decided });
            let shown = bare(shown.strip_prefix("switch").unwrap_or(&shown));
            let way = text(&found["taken"]);
            let opposite = match taken.as_str() {
                "true" => "false",
                "false" => "true",
                other => other,
            };
            // Choices have further notations. The same decision can be written as its opposite with the
            // opposite outcome.
            let fits = (operand.contains('?') && ["true", "false"].contains(&way.as_str()))
                || (way == *taken && (operand.contains('?') || shown == bare(operand)))
                || (way == opposite && shown == bare(&negated(operand)));
            is("line", &line.to_string())
                .or_else(|| (!fits).then(|| format!("it is `{shown}` {way}, must be `{operand}` {taken}")))
        }
        Answer::Caught { line, thrown, .. } => {
            let place = &found["exception"]["thrown"]["line"];
            if *thrown > 0 && place != thrown {
                return Some(format!("the exception is that of line {place}, must be that of line {thrown}"));
            }
            // A `finally` block has no line of a handler in the source.
            if *line > 0 {
                is("line", &line.to_string())
            } else {
                found["exception"].is_null().then(|| "no exception".into())
            }
        }
    }
}
