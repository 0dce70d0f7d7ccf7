//! Texts of terms on the heap, and sentences for errors.

use std::fmt::Write as _;

use super::Engine;
use crate::atoms::{Atoms, known};
use crate::store::Cell;
use crate::term::{Cursor, Value, View};
use crate::write::{Style, Written};

/// A text of limited length.
struct Bounded {
    text: String,
    limit: usize,
}

impl std::fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        if self.text.len() + text.len() > self.limit {
            return Err(std::fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

impl Engine {
    /// The text of a term. What the writer has still to do needs several times the bytes of the text.
    pub(crate) fn show(&mut self, term: Cell, style: Style) -> Result<String, super::Raise> {
        let mut out = Bounded { text: String::new(), limit: self.room() / 32 };
        let written = Written { terms: &self.store, atoms: &self.atoms, root: term, style };
        if written.write_to(&mut out).is_err() {
            let _ = self.budget.exceed(crate::limits::Excess::Memory);
            return Err(super::Raise::Stop);
        }
        Ok(out.text)
    }

    /// Writes to the output.
    pub(crate) fn print(&mut self, text: &str) {
        match text.rfind('\n') {
            Some(at) => self.column = text.get(at + 1..).unwrap_or_default().chars().count(),
            None => self.column += text.chars().count(),
        }
        (self.output)(text);
    }
}

/// A sentence for a thrown term.
pub(crate) fn message(value: &Value) -> String {
    let atoms = &value.atoms;
    let root = value.cursor();
    let (Some(formal), Some(context)) =
        (argument(root, atoms, "error", 0), argument(root, atoms, "error", 1))
    else {
        return format!("the program threw {value}");
    };
    let mut text = match formal.view() {
        View::Atom(known::INSTANTIATION) => "a value is needed, but a variable is unbound".to_owned(),
        View::Compound { name, .. } => {
            let arg = |i| formal.arg(i).map(|c| c.to_string()).unwrap_or_default();
            match atoms.text(name) {
                "type_error" if arg(0) == "evaluable" => format!("{} is no arithmetic function", arg(1)),
                "type_error" => format!("expected a value of type {}, found {}", arg(0), arg(1)),
                "domain_error" => format!("{} is not in the domain {}", arg(1), arg(0)),
                "existence_error" if arg(0) == "procedure" => format!("there is no predicate {}", arg(1)),
                "existence_error" => format!("there is no {} {}", arg(0), arg(1)),
                "evaluation_error" => match arg(0).as_str() {
                    "int_overflow" => "an integer does not fit into 64 bits".to_owned(),
                    "float_overflow" => "a float is too large".to_owned(),
                    "zero_divisor" => "division by zero".to_owned(),
                    other => format!("the arithmetic result is {other}"),
                },
                "representation_error" => format!("the limit {} is exceeded", arg(0)),
                "permission_error" => format!("no permission to {} {} {}", arg(0), arg(1), arg(2)),
                "syntax_error" => format!("syntax error: {}", arg(0)),
                "relation_error" => {
                    formal.arg(1).and_then(Cursor::text).unwrap_or("the relation failed").to_owned()
                }
                _ => formal.to_string(),
            }
        }
        _ => formal.to_string(),
    };
    if let Some(indicator) = argument(context, atoms, "context", 0)
        && !matches!(indicator.view(), View::Var(_))
        && !text.starts_with("there is no predicate")
    {
        // A string takes any formatted text.
        let _ = write!(text, " (in {indicator})");
    }
    if let Some(extra) = argument(context, atoms, "context", 1).and_then(Cursor::text) {
        let _ = write!(text, ": {extra}");
    }
    text
}

fn argument<'a>(term: Cursor<'a>, atoms: &Atoms, name: &str, index: usize) -> Option<Cursor<'a>> {
    match term.view() {
        View::Compound { name: n, arity: 2 } if atoms.text(n) == name => term.arg(index),
        _ => None,
    }
}
