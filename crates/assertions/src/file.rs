//! The file of assertions (docs/declarative.md): its format, its parser, and the positions of its parts.

use super::error::AssertionError;
use chain::{ChainError, Fault, inside, options, trimmed};
use expr::{Expr, ParseError};
use model::MethodName;
use ron::value::RawValue;
use serde::Deserialize;
use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

/// The version of the format that this build reads.
const FORMAT: u32 = 1;

/// What errors call the text of a single condition.
const CONDITION: &str = "the condition";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Assertions {
    format: u32,
    assertions: Vec<Row>,
}

/// The conditions of a method.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    method: String,
    #[serde(default)]
    requires: Option<String>,
    #[serde(default)]
    ensures: Option<String>,
    /// `ensures` describes everything that the method should do.
    #[serde(default)]
    complete: bool,
}

/// The conditions of a method, parsed.
pub struct MethodConditions {
    /// The method, as written.
    pub method: String,
    /// The precondition: qp judges only calls that meet it at their entry.
    pub requires: Option<Expr>,
    /// The postcondition: it holds at the end of a correct call.
    pub ensures: Option<Expr>,
    /// Whether the postcondition describes everything that the method should do.
    pub complete: bool,
}

/// A part of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowPart {
    /// The whole row.
    Whole,
    /// `method`
    Method,
    /// `requires`
    Requires,
    /// `ensures`
    Ensures,
}

/// A file of assertions.
pub struct AssertFile {
    name: String,
    text: String,
    /// Its rows.
    pub rows: Vec<MethodConditions>,
}

#[derive(Deserialize)]
struct RawAssertions<'a> {
    #[serde(borrow)]
    format: &'a RawValue,
    #[serde(borrow)]
    assertions: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct RawRow<'a> {
    #[serde(borrow)]
    method: &'a RawValue,
    #[serde(borrow, default)]
    requires: Option<&'a RawValue>,
    #[serde(borrow, default)]
    ensures: Option<&'a RawValue>,
}

impl AssertFile {
    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read, has the wrong format, or a condition is not an expression. The error shows
    /// the place and the expected text.
    pub fn load(path: &Path) -> Result<AssertFile, AssertionError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| AssertionError::NoFile { file: path.to_owned(), source })?;
        let name = path.display().to_string();
        let read: Assertions =
            options().from_str(&text).map_err(|error| ChainError::of_ron(&text, &name, &error))?;
        let mut file = AssertFile { name, text, rows: Vec::new() };
        if read.format != FORMAT {
            let message = format!("this is format {}, and this qp reads {FORMAT}", read.format);
            let span = file.raw(|raw| trimmed(&file.text, raw.format)).unwrap_or(0..0);
            return Err(file.wrong(vec![Fault { span, message, help: None }]));
        }
        let mut faults = Vec::new();
        let mut methods = HashSet::new();
        for (at, row) in read.assertions.into_iter().enumerate() {
            let Row { method, requires, ensures, complete } = row;
            if !methods.insert(method.clone()) {
                let message = format!("`{method}` already has a row: join their conditions with `&&`");
                faults.push(file.fault(at, RowPart::Method, message));
            }
            let says_nothing = requires.is_none() && ensures.is_none();
            if says_nothing {
                let message =
                    format!("this row has no condition for `{method}`: write `ensures` or `requires`");
                faults.push(file.fault(at, RowPart::Whole, message));
            }
            if complete && ensures.is_none() && !says_nothing {
                let message = "`complete` needs an `ensures` condition".to_owned();
                faults.push(file.fault(at, RowPart::Whole, message));
            }
            let mut parsed = |text: Option<String>, part| match text.as_deref().map(Expr::parse) {
                None => None,
                Some(Ok(expr)) => Some(expr),
                Some(Err(ParseError { text, column, problem })) => {
                    let message = format!("`{method}`: `{text}` is not a condition: {problem}");
                    let span = file.span(at, part, Some((&text, column)));
                    let help = Some("write a Java expression".to_owned());
                    faults.push(Fault { span, message, help });
                    None
                }
            };
            let (requires, ensures) =
                (parsed(requires, RowPart::Requires), parsed(ensures, RowPart::Ensures));
            file.rows.push(MethodConditions { method, requires, ensures, complete });
        }
        if faults.is_empty() { Ok(file) } else { Err(file.wrong(faults)) }
    }

    /// A file with one row, whose text is a condition: what a method, as it would be written there, must
    /// ensure.
    ///
    /// # Errors
    /// The condition is not an expression.
    pub fn of_condition(method: &str, condition: &str, complete: bool) -> Result<AssertFile, AssertionError> {
        let mut file =
            AssertFile { name: CONDITION.to_owned(), text: condition.to_owned(), rows: Vec::new() };
        let ensures = Expr::parse(condition).map_err(|ParseError { text, problem, .. }| {
            let message = format!("`{text}` is not a condition: {problem}");
            file.wrong(vec![Fault { span: 0..condition.len(), message, help: None }])
        })?;
        let (method, requires, ensures) = (method.to_owned(), None, Some(ensures));
        file.rows.push(MethodConditions { method, requires, ensures, complete });
        Ok(file)
    }

    /// The conditions of a row, as text.
    pub fn conditions(&self, row: usize) -> String {
        let said = self.rows.get(row).into_iter().flat_map(|said| said.requires.iter().chain(&said.ensures));
        let texts: Vec<String> = said.map(|condition| format!("`{condition}`")).collect();
        texts.join(", ")
    }

    /// The fault of a row whose method has no recorded call.
    pub fn unmet(&self, row: usize, method: &MethodName) -> Fault {
        let message = format!(
            "no call of {method} was recorded, so there is nothing to check with {}",
            self.conditions(row)
        );
        let help = "remove the row, or name a method that `qp trace calls` shows".to_owned();
        Fault { help: Some(help), ..self.fault(row, RowPart::Method, message) }
    }

    /// A fault in a part of a row.
    pub fn fault(&self, row: usize, part: RowPart, message: String) -> Fault {
        Fault { span: self.span(row, part, None), message, help: None }
    }

    /// The error with these faults.
    pub fn wrong(&self, faults: Vec<Fault>) -> AssertionError {
        ChainError::invalid(&self.text, &self.name, faults).into()
    }

    fn raw<T>(&self, read: impl FnOnce(RawAssertions<'_>) -> Option<T>) -> Option<T> {
        options().from_str(&self.text).ok().and_then(read)
    }

    /// The position of a part of a row, or of a column in its text. If it is not found: the start of the
    /// file.
    fn span(&self, row: usize, part: RowPart, at: Option<(&str, usize)>) -> Range<usize> {
        let find = |raw: RawAssertions<'_>| {
            let row: &RawValue = raw.assertions.get(row)?;
            let Ok(parts) = options().from_str::<RawRow<'_>>(row.get_ron()) else {
                return trimmed(&self.text, row);
            };
            match part {
                RowPart::Whole => trimmed(&self.text, row),
                RowPart::Method => trimmed(&self.text, parts.method),
                RowPart::Requires => inside(&self.text, parts.requires?, at),
                RowPart::Ensures => inside(&self.text, parts.ensures?, at),
            }
        };
        self.raw(find).unwrap_or(0..0)
    }
}
