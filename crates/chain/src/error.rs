//! Errors in a chain's text: file, line and column, and what was expected there.

use super::kinds;
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use ron::error::{Position, SpannedError};
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// A chain that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    /// The file cannot be read.
    #[error("cannot read the chain {}: {source}; give the path of a .ron file that exists", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The text is not a valid chain.
    #[error("{0}")]
    Invalid(Box<InvalidChain>),
    /// The chain cannot be written as text.
    #[error("the chain cannot be written as RON: {0}")]
    Unwritable(#[from] ron::Error),
}

/// The text of a chain with all its faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidChain {
    /// Name of the file.
    pub name: String,
    /// Its text.
    pub text: Arc<str>,
    /// The faults, in the order of the chain. Never empty.
    pub faults: Vec<Fault>,
}

/// A fault in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Its position, as a byte range of the text.
    pub span: Range<usize>,
    /// The fault and what was expected.
    pub message: String,
    /// The next step, if known.
    pub help: Option<String>,
}

impl InvalidChain {
    /// Line and column of a fault, both from 1; the column counts characters.
    pub fn position(&self, fault: &Fault) -> (usize, usize) {
        let before = self.text.get(..fault.span.start).unwrap_or(&self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        (line, column)
    }
}

impl fmt::Display for InvalidChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.faults.iter().enumerate() {
            let (line, column) = self.position(fault);
            let gap = if i == 0 { "" } else { "\n" };
            write!(f, "{gap}{}:{line}:{column}: {}", self.name, fault.message)?;
            if let Some(help) = &fault.help {
                write!(f, "; {help}")?;
            }
        }
        Ok(())
    }
}

impl ChainError {
    /// Faults in the text of a chain with this name.
    pub fn invalid(text: &str, name: &str, faults: Vec<Fault>) -> ChainError {
        ChainError::Invalid(Box::new(InvalidChain { name: name.to_owned(), text: text.into(), faults }))
    }

    /// Converts an error of the RON reader.
    pub fn of_ron(text: &str, name: &str, error: &SpannedError) -> ChainError {
        let start = offset(text, error.span.start);
        let end = offset(text, error.span.end).max(start);
        let span = point_at(text, start..end, &error.code);
        let (message, help) = explain(&error.code);
        ChainError::invalid(text, name, vec![Fault { span, message, help }])
    }

    /// Formats the error for a terminal: the faulty lines of the chain's file, underlined.
    pub fn render(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(100);
        match self {
            ChainError::Unreadable { .. } | ChainError::Unwritable(_) => {
                renderer.render(&[Group::with_title(Level::ERROR.primary_title(self.to_string()))])
            }
            ChainError::Invalid(invalid) => {
                let groups: Vec<Group<'_>> = invalid.faults.iter().map(|f| invalid.group(f)).collect();
                // One report per fault; in a common report, later faults would look like parts of the first.
                groups.into_iter().map(|g| renderer.render(&[g])).collect::<Vec<_>>().join("\n\n")
            }
        }
    }
}

impl InvalidChain {
    fn group<'a>(&'a self, fault: &'a Fault) -> Group<'a> {
        let length = self.text.len();
        let span = fault.span.start.min(length)..fault.span.end.min(length);
        let snippet = Snippet::source(&*self.text)
            .path(self.name.as_str())
            .annotation(AnnotationKind::Primary.span(span));
        let group = Level::ERROR.primary_title(fault.message.as_str()).element(snippet);
        match &fault.help {
            Some(help) => group.element(Level::HELP.message(help.as_str())),
            None => group,
        }
    }
}

/// The byte offset of a line and column, both from 1; the column counts characters.
fn offset(text: &str, position: Position) -> usize {
    let line_start: usize =
        text.split_inclusive('\n').take(position.line.saturating_sub(1)).map(str::len).sum();
    let rest = text.get(line_start..).unwrap_or("");
    let column = position.col.saturating_sub(1);
    line_start + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at)
}

/// Narrows the reader's span, which ends where the reader stopped. The result covers the name that the
/// message quotes, or else the first token after blanks.
fn point_at(text: &str, span: Range<usize>, code: &ron::Error) -> Range<usize> {
    use ron::Error as E;
    let named = match code {
        E::NoSuchStructField { found, .. } | E::NoSuchEnumVariant { found, .. } => Some(found.as_str()),
        E::DuplicateStructField { field, .. } => Some(*field),
        _ => None,
    };
    let inside = text.get(span.clone()).unwrap_or("");
    if let Some((name, at)) = named.and_then(|n| Some((n, inside.rfind(n)?))) {
        return span.start + at..span.start + at + name.len();
    }
    if !inside.trim().is_empty() {
        let start = span.start + (inside.len() - inside.trim_start().len());
        let line = inside.trim().lines().next().unwrap_or("");
        return start..start + line.trim_end().len();
    }
    let rest = text.get(span.end..).unwrap_or("");
    let start = span.end + (rest.len() - rest.trim_start().len());
    let length = text.get(start..).and_then(|r| r.chars().next()).map_or(0, char::len_utf8);
    start..start + length
}

/// Explains a RON error in the terms of the format.
fn explain(code: &ron::Error) -> (String, Option<String>) {
    use ron::Error as E;
    match code {
        E::NoSuchStructField { expected, found, outer } => {
            let of = outer.as_deref().map(part).map(|o| format!(" in {o}")).unwrap_or_default();
            (format!("unknown field `{found}`{of}"), Some(choose(found, expected)))
        }
        E::NoSuchEnumVariant { expected, found, outer } => {
            let what = match outer.as_deref() {
                Some("Guards") => "`guards`:",
                Some("Ready") => "`ready`:",
                Some("RecordedLevel") => "`level`:",
                _ => "kind of point",
            };
            (format!("unknown {what} `{found}`"), Some(choose(found, expected)))
        }
        E::MissingStructField { field, outer } => {
            let of = outer.as_deref().map(part).map(|o| format!(" of {o}")).unwrap_or_default();
            (format!("field `{field}`{of} is missing"), None)
        }
        E::DuplicateStructField { field, outer } => {
            let of = outer.as_deref().map(part).map(|o| format!(" of {o}")).unwrap_or_default();
            (format!("field `{field}`{of} occurs twice"), None)
        }
        E::InvalidValueForType { expected, found } => {
            (format!("expected {}, found {found}", readable(expected)), usage(expected))
        }
        E::ExpectedDifferentLength { expected, found } => {
            (format!("expected {}, found {found} of them", readable(expected)), usage(expected))
        }
        E::ExpectedStructLike | E::ExpectedNamedStructLike(_) => {
            ("expected `(` and the fields, `name: value`".to_owned(), None)
        }
        E::ExpectedStructLikeEnd => ("expected `)` after the last value".to_owned(), None),
        E::ExpectedMapColon => ("expected `:` after the field's name".to_owned(), None),
        E::ExpectedString => ("expected a string in quotes, `\"…\"`".to_owned(), None),
        E::ExpectedArray => ("expected a list, `[…]`".to_owned(), None),
        E::ExpectedInteger => ("expected a whole number".to_owned(), None),
        E::ExpectedBoolean => ("expected `true` or `false`".to_owned(), None),
        E::Eof => ("the text ends here too early: a bracket or quote is not closed".to_owned(), None),
        E::TrailingCharacters => ("expected nothing after the last closing `)`".to_owned(), None),
        other => {
            let text = other.to_string();
            let mut letters = text.chars();
            let first = letters.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
            (first + letters.as_str(), None)
        }
    }
}

fn part(outer: &str) -> &'static str {
    match outer {
        "Debuggee" => "the debuggee",
        "Point" => "a point",
        "Expect" | "QueryExpect" => "`expect`",
        "ChainQuery" => "a query",
        "Assertions" => "the assertions",
        "Row" => "a row",
        _ => "the chain",
    }
}

/// Replaces the names of our Rust types, which mean nothing to users.
fn readable(expected: &str) -> String {
    match expected.strip_prefix("tuple variant Kind::").and_then(|rest| rest.split_once(" with ")) {
        Some((name, elements)) => format!("{elements} in `{name}`"),
        None => match expected {
            "struct Point" => "a point, `(id: …, at: …)`".to_owned(),
            "struct Debuggee" => "the debuggee, `(command: […])`".to_owned(),
            "struct Expect" => "`(text: …)` or another expectation".to_owned(),
            "struct ChainQuery" => "a query, `(ask: …)`".to_owned(),
            "struct QueryExpect" => "`(solutions: …)` or another expectation".to_owned(),
            "struct Row" => "a row, `(method: …, ensures: …)`".to_owned(),
            "struct Assertions" => "the assertions, `(format: 1, assertions: […])`".to_owned(),
            "struct Chain" => "a chain, `(format: 1, …)`".to_owned(),
            "u32" | "u64" => "a whole number from 0".to_owned(),
            "i64" => "a whole number".to_owned(),
            other => other.to_owned(),
        },
    }
}

fn usage(expected: &str) -> Option<String> {
    let name = expected.strip_prefix("tuple variant Kind::")?.split_once(' ')?.0;
    kinds::usage(name).map(|usage| format!("write {usage}"))
}

/// Suggests the nearest valid name, or lists all of them.
fn choose(found: &str, expected: &[&str]) -> String {
    match nearest(found, expected) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known here: {}", expected.join(", ")),
    }
}

/// The name within a small edit distance.
pub(super) fn nearest<'a>(found: &str, names: &[&'a str]) -> Option<&'a str> {
    let lower = found.to_lowercase();
    names
        .iter()
        .map(|n| (strsim::damerau_levenshtein(&lower, &n.to_lowercase()), *n))
        .filter(|(distance, n)| *distance <= 1 + n.chars().count() / 3)
        .min()
        .map(|(_, n)| n)
}
