//! The rows of an answer, split into parts that can be compared.

use super::form::{SavedAnswer, SavedItem, SavedReply};
use super::mentions::{Piece, line, pieces};
use super::term::SavedTerm;
use crate::answer::{AnswerRow, EventRow};
use serde::Serialize;

/// A piece of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Compared as it is.
    Text(String),
    /// An object: what stands before its number, and its number.
    Object(String, u32),
    /// An event.
    Event(u64),
    /// A line, as it is shown.
    Line(String),
}

/// A part of a row.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Its name.
    pub name: String,
    /// Its pieces.
    pub tokens: Vec<Token>,
    /// The part as it is shown.
    pub shown: String,
}

/// A row of either kind of answer.
#[allow(clippy::large_enum_variant, reason = "an answer has few of them at a time")]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparedRow {
    /// Of a predefined query.
    Row(Box<AnswerRow>),
    /// Of a goal: its bindings.
    Solution(Vec<(String, String)>),
    /// A line that a goal wrote.
    Output(String),
}

/// A row with its parts.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The row.
    pub row: ComparedRow,
    /// Its parts.
    pub parts: Vec<Part>,
    /// What a differing row in the other answer has in common with this one.
    pub like: Vec<Token>,
}

/// The rows of an answer.
pub(super) fn rows(answer: &SavedAnswer) -> Vec<Row> {
    match &answer.reply {
        SavedReply::Rows(answer) => answer.rows.iter().map(of_row).collect(),
        SavedReply::Goal(goal) => {
            let mut rows = Vec::new();
            for item in &goal.items {
                match item {
                    SavedItem::Output(text) => rows.extend(text.lines().map(|line| Row {
                        row: ComparedRow::Output(line.to_owned()),
                        parts: vec![Part::text("output", line)],
                        like: vec![Token::Text("output".to_owned())],
                    })),
                    SavedItem::Solution(bindings) => {
                        let names: Vec<&str> = bindings.iter().map(|binding| binding.name.as_str()).collect();
                        let parts = bindings.iter().map(|binding| {
                            let mut tokens = Vec::new();
                            of_term(&binding.term, &mut tokens);
                            Part { name: binding.name.clone(), tokens, shown: binding.text.clone() }
                        });
                        let shown = |binding: &super::form::SavedSolution| {
                            (binding.name.clone(), binding.text.clone())
                        };
                        rows.push(Row {
                            parts: parts.collect(),
                            like: vec![Token::Text(format!("solution {}", names.join(" ")))],
                            row: ComparedRow::Solution(bindings.iter().map(shown).collect()),
                        });
                    }
                }
            }
            rows
        }
    }
}

impl Part {
    fn text(name: &str, text: &str) -> Part {
        Part { name: name.to_owned(), tokens: vec![Token::Text(text.to_owned())], shown: text.to_owned() }
    }

    /// A shown value, which may name objects.
    fn value(name: &str, text: &str) -> Part {
        let tokens = pieces(text).into_iter().map(|piece| match piece {
            Piece::Text(text) => Token::Text(text.to_owned()),
            Piece::Object(class, number) => Token::Object(class.to_owned(), number),
        });
        Part { name: name.to_owned(), tokens: tokens.collect(), shown: text.to_owned() }
    }

    /// A shown line, or another text.
    fn place(name: &str, text: &str) -> Part {
        match line(text) {
            Some(_) => {
                let tokens = vec![Token::Line(text.to_owned())];
                Part { name: name.to_owned(), tokens, shown: text.to_owned() }
            }
            None => Part::value(name, text),
        }
    }

    fn event(name: &str, id: u64) -> Part {
        Part { name: name.to_owned(), tokens: vec![Token::Event(id)], shown: format!("event {id}") }
    }
}

fn of_row(row: &AnswerRow) -> Row {
    let (parts, like) = match row {
        AnswerRow::Event(row) => of_event(row),
        AnswerRow::Value(row) => {
            let mut parts = vec![Part::value("name", &row.name)];
            parts.push(Part::value("value", row.value.as_deref().unwrap_or("?")));
            parts.extend(row.event.map(|id| Part::event("event", id)));
            parts.push(Part::text("set", if row.is_default { "never set" } else { "set" }));
            (parts, format!("value {}", skeleton(&row.name)))
        }
        AnswerRow::Heading { text } => {
            (vec![Part::value("heading", text)], format!("heading {}", skeleton(text)))
        }
        // Another count has another last event, which says nothing new.
        AnswerRow::Count { what, count, .. } => {
            let parts = vec![Part::place("what", what), Part::text("count", &count.to_string())];
            let like = parts.first().map(|what| what.tokens.clone()).unwrap_or_default();
            return Row { row: ComparedRow::Row(Box::new(row.clone())), parts, like };
        }
    };
    Row { row: ComparedRow::Row(Box::new(row.clone())), parts, like: vec![Token::Text(like)] }
}

/// A shown value without the numbers of its objects.
fn skeleton(text: &str) -> String {
    let piece = |piece: Piece<'_>| match piece {
        Piece::Text(text) => text.to_owned(),
        Piece::Object(class, _) => format!("{class}@"),
    };
    pieces(text).into_iter().map(piece).collect()
}

fn of_event(row: &EventRow) -> (Vec<Part>, String) {
    let text = |part: &Option<String>| part.clone().unwrap_or_default();
    let mut parts = vec![Part::text("kind", row.kind), Part::text("thread", &row.thread)];
    parts.push(Part::event("event", row.id));
    // The line of a call or exit is the first line of the method, so it says nothing new.
    let is_call = matches!(row.kind, "methodcall" | "methodexit");
    parts.extend(row.place.as_ref().filter(|_| !is_call).map(|place| Part::place("line", place)));
    parts.extend(row.method.as_ref().map(|method| Part::text("method", method)));
    parts.extend(row.object.as_ref().map(|object| Part::value("object", object)));
    parts.extend(row.name.as_ref().map(|name| Part::text("name", name)));
    match &row.arguments {
        Some(arguments) => {
            parts.push(Part::text("arguments", &arguments.len().to_string()));
            let of_argument = |(at, value): (usize, &String)| Part::value(&format!("argument {at}"), value);
            parts.extend(arguments.iter().enumerate().map(of_argument));
        }
        None if row.kind == "methodcall" => parts.push(Part::text("arguments", "unrecorded")),
        None => {}
    }
    parts.extend(row.value.as_ref().map(|value| match row.kind {
        "exception" => Part::text("message", value),
        "methodexit" => Part::value("result", value),
        _ => Part::value("value", value),
    }));
    parts.extend(row.of.map(|id| Part::event("call", id)));
    parts.extend(row.caught.as_ref().map(|place| Part::place("caught", place)));
    parts.extend(row.variables.iter().map(|(name, value)| Part::value(&format!("variable {name}"), value)));
    parts.push(Part::text("depth", &row.depth.to_string()));
    let like = format!("{} {} {} {}", row.kind, skeleton(&text(&row.object)), text(&row.name), row.depth);
    (parts, like)
}

fn of_term(term: &SavedTerm, tokens: &mut Vec<Token>) {
    let text = |tokens: &mut Vec<Token>, text: String| tokens.push(Token::Text(text));
    match term {
        SavedTerm::Event(id) => tokens.push(Token::Event(*id)),
        SavedTerm::Int(number) => text(tokens, number.to_string()),
        SavedTerm::Float(number) => text(tokens, format!("float {number}")),
        SavedTerm::Atom(name) => text(tokens, format!("'{name}'")),
        SavedTerm::Text(value) => text(tokens, format!("{value:?}")),
        SavedTerm::Other(value) => text(tokens, value.clone()),
        SavedTerm::List(items) => {
            text(tokens, "[".to_owned());
            for item in items {
                of_term(item, tokens);
                text(tokens, ",".to_owned());
            }
            text(tokens, "]".to_owned());
        }
        SavedTerm::Compound { name, args } => {
            match (name.as_str(), args.as_slice()) {
                ("o", [SavedTerm::Atom(class), SavedTerm::Int(number)]) => {
                    if let Ok(number) = u32::try_from(*number) {
                        return tokens.push(Token::Object(class.clone(), number));
                    }
                }
                ("l", [SavedTerm::Atom(file), SavedTerm::Int(line)]) => {
                    return tokens.push(Token::Line(format!("{file}:{line}")));
                }
                _ => {}
            }
            text(tokens, format!("'{name}'("));
            let first_line = match (name.as_str(), args.len()) {
                ("methodcall", 4) => Some(0),
                ("methodexit", 5) => Some(1),
                _ => None,
            };
            for (at, argument) in args.iter().enumerate() {
                if Some(at) != first_line {
                    of_term(argument, tokens);
                }
                text(tokens, ",".to_owned());
            }
            text(tokens, ")".to_owned());
        }
    }
}
