//! The events, objects and lines that an answer names.

use super::form::{SavedGoal, SavedItem, SavedReply};
use super::term::SavedTerm;
use crate::answer::{Answer, AnswerRow, EventRow};
use std::collections::BTreeSet;

/// What an answer names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Mentions {
    /// Ids of events.
    pub events: BTreeSet<u64>,
    /// Numbers of objects, as they are shown.
    pub objects: BTreeSet<u32>,
    /// Lines: file and number.
    pub lines: BTreeSet<(String, u16)>,
}

/// A part of a shown value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Text.
    Text(&'a str),
    /// An object, as `Rec@43`: what stands before the `@`, and the number.
    Object(&'a str, u32),
}

/// Splits a shown value at its objects. Strings are text, whatever they contain.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '[' | ']' | '?');
    let (mut found, mut begins, mut quote, mut escaped) = (Vec::new(), 0, None, false);
    for (at, c) in text.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) => quote = Some(open).filter(|open| *open != c),
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == '@' && at >= begins => {
                let (before, after) = (text.get(begins..at).unwrap_or(""), text.get(at + 1..).unwrap_or(""));
                // A name begins after the `[` of a list that it is an element of.
                let mut name = before.rfind(|c| !is_name(c)).map_or(before, |end| {
                    let width =
                        before.get(end..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
                    before.get(end + width..).unwrap_or("")
                });
                while name.starts_with('[') {
                    name = name.get(1..).unwrap_or("");
                }
                let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
                let number = after.get(..digits).and_then(|digits| digits.parse().ok());
                let (Some(number), false) = (number, name.is_empty()) else { continue };
                let text_end = at - name.len();
                found.push(Piece::Text(text.get(begins..text_end).unwrap_or("")));
                found.push(Piece::Object(name, number));
                begins = at + 1 + digits;
            }
            None => {}
        }
    }
    found.push(Piece::Text(text.get(begins..).unwrap_or("")));
    found.retain(|piece| *piece != Piece::Text(""));
    found
}

/// A line as it is shown: `Example.java:14`.
pub(super) fn line(text: &str) -> Option<(&str, u16)> {
    let (file, line) = text.rsplit_once(':')?;
    let is_file = !file.is_empty() && !file.contains(char::is_whitespace);
    Some((file, line.parse().ok()?)).filter(|_| is_file)
}

impl Mentions {
    /// What an answer names.
    pub fn of(reply: &SavedReply) -> Mentions {
        let mut mentions = Mentions::default();
        match reply {
            SavedReply::Rows(answer) => mentions.answer(answer),
            SavedReply::Goal(goal) => mentions.goal(goal),
        }
        mentions
    }

    fn answer(&mut self, answer: &Answer) {
        for row in &answer.rows {
            match row {
                AnswerRow::Event(row) => self.event(row),
                AnswerRow::Value(row) => {
                    self.events.extend(row.event);
                    self.text(&row.name);
                    self.text(row.value.as_deref().unwrap_or(""));
                }
                AnswerRow::Heading { text } => self.text(text),
                AnswerRow::Count { what, first, last, .. } => {
                    self.line(what);
                    self.text(what);
                    self.events.extend(first.iter().chain(last));
                }
            }
        }
    }

    fn event(&mut self, row: &EventRow) {
        self.events.insert(row.id);
        self.events.extend(row.of);
        for place in row.place.iter().chain(&row.caught) {
            self.line(place);
        }
        let value = row.value.iter().filter(|_| row.kind != "exception");
        let arguments = row.arguments.iter().flatten();
        let variables = row.variables.iter().map(|(_, value)| value);
        for text in row.object.iter().chain(value).chain(arguments).chain(variables) {
            self.text(text);
        }
    }

    fn line(&mut self, text: &str) {
        self.lines.extend(line(text).map(|(file, line)| (file.to_owned(), line)));
    }

    /// Adds the objects of a shown value.
    pub fn text(&mut self, text: &str) {
        self.objects.extend(pieces(text).iter().filter_map(|piece| match piece {
            Piece::Object(_, number) => Some(*number),
            Piece::Text(_) => None,
        }));
    }

    fn goal(&mut self, goal: &SavedGoal) {
        for item in &goal.items {
            if let SavedItem::Solution(bindings) = item {
                bindings.iter().for_each(|binding| self.term(&binding.term));
            }
        }
    }

    fn term(&mut self, term: &SavedTerm) {
        match term {
            SavedTerm::Event(id) => drop(self.events.insert(*id)),
            SavedTerm::List(items) => items.iter().for_each(|item| self.term(item)),
            SavedTerm::Compound { name, args } => {
                match (name.as_str(), args.as_slice()) {
                    ("o", [SavedTerm::Atom(_), SavedTerm::Int(number)]) => {
                        self.objects.extend(u32::try_from(*number));
                    }
                    ("l", [SavedTerm::Atom(file), SavedTerm::Int(line)]) => {
                        self.lines.extend(u16::try_from(*line).ok().map(|line| (file.clone(), line)));
                    }
                    _ => {}
                }
                args.iter().for_each(|argument| self.term(argument));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_outside_strings() {
        let found = pieces(r#"[Rec@43, "a@b@7", int[3]@9, Boom@5 "x@1"]"#);
        assert_eq!(
            found,
            [
                Piece::Text("["),
                Piece::Object("Rec", 43),
                Piece::Text(", \"a@b@7\", "),
                Piece::Object("int[3]", 9),
                Piece::Text(", "),
                Piece::Object("Boom", 5),
                Piece::Text(" \"x@1\"]"),
            ]
        );
        assert_eq!(pieces("Rec@7.bar"), [Piece::Object("Rec", 7), Piece::Text(".bar")]);
        assert_eq!(pieces("a@"), [Piece::Text("a@")]);
        assert_eq!(pieces(""), []);
    }

    #[test]
    fn lines_have_a_file_and_a_number() {
        assert_eq!(line("Example.java:14"), Some(("Example.java", 14)));
        assert_eq!([line("uncaught"), line(":3"), line("a b:3")], [None; 3]);
    }
}
