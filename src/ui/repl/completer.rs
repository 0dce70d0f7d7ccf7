//! Completion by Tab: of the command's name, then of its words.

use command::debug::{self, TABLE, Takes};
use replay::explore::Words;
use rustyline::completion::Completer as Complete;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};
use std::sync::{Arc, Mutex, PoisonError};

/// Completes from the table of commands and from the names that a session knows.
pub struct Completer {
    words: Arc<Mutex<Words>>,
}

impl Completer {
    /// Completes from these words. `Lines` replaces them as the session learns more.
    pub fn new(words: Arc<Mutex<Words>>) -> Completer {
        Completer { words }
    }
}

impl Complete for Completer {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(candidates(line.get(..at).unwrap_or(line), &words))
    }
}

/// The start of the last word of a line, and its completions.
fn candidates(line: &str, words: &Words) -> (usize, Vec<String>) {
    let begin = line.rfind(|c: char| c.is_whitespace() || "(,:!&|=<>+-*/".contains(c)).map_or(0, |i| i + 1);
    let word = line.get(begin..).unwrap_or_default();
    let first = line.split_whitespace().next().unwrap_or_default();
    if !line.trim_start().contains(char::is_whitespace) {
        // The space ends the command's name, so that the next Tab completes its words.
        return (begin, matching(word, TABLE.iter().map(|row| format!("{} ", row.name))));
    }
    let Some(row) = debug::find(first) else { return (begin, Vec::new()) };
    let all: Vec<String> = match row.takes {
        Takes::Nothing => Vec::new(),
        Takes::Commands => TABLE.iter().map(|row| row.name.to_owned()).collect(),
        Takes::Settings => debug::settings().map(str::to_owned).collect(),
        Takes::Files => files(word),
        Takes::Points => words.points.iter().chain(&words.locals).cloned().collect(),
        Takes::Values => words.points.iter().chain(&words.locals).cloned().collect(),
        Takes::Places => places(word, words),
    };
    (begin, matching(word, all.into_iter()))
}

/// Classes and points; after a class and a dot, the members of the class.
fn places(word: &str, words: &Words) -> Vec<String> {
    let class = word.rsplit_once('.').map(|(class, _)| class).unwrap_or_default();
    let known =
        words.members.iter().find(|(name, _)| *name == class || name.rsplit('.').next() == Some(class));
    let members = known.into_iter().flat_map(|(_, members)| members.methods.iter().chain(&members.fields));
    let members = members.map(|member| format!("{class}.{member}"));
    let classes = words.classes.iter().filter(|name| !name.contains('$') || word.contains('$'));
    let simple =
        classes.clone().filter_map(|name| name.rsplit_once('.').map(|(_, simple)| simple.to_owned()));
    members.chain(classes.cloned()).chain(simple).chain(words.points.iter().cloned()).collect()
}

fn files(word: &str) -> Vec<String> {
    let (folder, shown) = match word.rsplit_once('/') {
        Some((folder, _)) => (format!("{folder}/"), format!("{folder}/")),
        None => (".".to_owned(), String::new()),
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(10_000);
    let named = entries.filter_map(|entry| {
        let slash = if entry.file_type().ok()?.is_dir() { "/" } else { "" };
        Some(format!("{shown}{}{slash}", entry.file_name().to_str()?))
    });
    named.collect()
}

fn matching(word: &str, all: impl Iterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = all.filter(|candidate| candidate.starts_with(word)).collect();
    found.sort();
    found.dedup();
    found
}

impl Hinter for Completer {
    type Hint = String;
}

impl Highlighter for Completer {}

impl Validator for Completer {}

impl Helper for Completer {}

#[cfg(test)]
mod tests {
    use super::*;
    use replay::explore::Members;

    fn words() -> Words {
        let members = Members { methods: vec!["total".into(), "trim".into()], fields: vec!["tax".into()] };
        Words {
            points: vec!["A".into(), "B".into()],
            classes: vec!["shop.Order".into(), "shop.Order$Line".into()],
            members: [("shop.Order".to_owned(), members)].into(),
            locals: vec!["record".into(), "rest".into()],
        }
    }

    fn completed(line: &str) -> Vec<String> {
        candidates(line, &words()).1
    }

    #[test]
    fn commands_points_classes_members_and_locals() {
        assert_eq!(completed("lastc"), ["lastchange ", "lastcondition "]);
        assert_eq!(completed("goto "), ["A", "B", "record", "rest"]);
        assert_eq!(completed("print re"), ["record", "rest"]);
        assert_eq!(completed("why A(0):re"), ["record", "rest"]);
        assert_eq!(completed("break sho"), ["shop.Order"]);
        assert_eq!(completed("break Ord"), ["Order"]);
        assert_eq!(
            completed("break shop.Order.t"),
            ["shop.Order.tax", "shop.Order.total", "shop.Order.trim"]
        );
        assert_eq!(completed("watch Order.ta"), ["Order.tax"]);
        assert_eq!(completed("set ti"), ["timeout"]);
        assert_eq!(completed("nonsense x"), [""; 0]);
        assert_eq!(candidates("goto A", &words()).0, 5);
    }
}
