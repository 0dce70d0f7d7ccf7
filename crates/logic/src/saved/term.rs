//! A value of a goal as data.

use super::id_types::IdType;
use prolog::{Cursor, Value, View};
use serde::{Deserialize, Serialize};

/// Deepest nesting that is kept. Readers of JSON give up at 128 levels.
const DEEPEST: usize = 30;

/// A value of a goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavedTerm {
    /// The id of an event.
    Event(u64),
    /// Another integer.
    Int(i64),
    /// A float, as text.
    Float(String),
    /// An atom.
    Atom(String),
    /// A string.
    Text(String),
    /// A list that ends with `[]`.
    List(Vec<SavedTerm>),
    /// A compound.
    Compound {
        /// Its name.
        name: String,
        /// Its arguments.
        args: Vec<SavedTerm>,
    },
    /// Anything else, as text: a variable, or a term that is nested too deeply.
    Other(String),
}

impl SavedTerm {
    /// A value as data. The type says which of its integers are ids.
    pub fn of(value: &Value, of_type: &IdType) -> SavedTerm {
        read(value, value.cursor(), of_type, 0)
    }
}

fn read(value: &Value, at: Cursor<'_>, of_type: &IdType, depth: usize) -> SavedTerm {
    if depth > DEEPEST {
        return SavedTerm::Other(at.to_string());
    }
    match at.view() {
        View::Int(number) => match (of_type, u64::try_from(number)) {
            (IdType::Id, Ok(id)) => SavedTerm::Event(id),
            _ => SavedTerm::Int(number),
        },
        View::Float(number) => SavedTerm::Float(number.to_string()),
        View::Str(text) => SavedTerm::Text(text.to_owned()),
        View::Atom(name) => match value.atom_text(name) {
            "[]" => SavedTerm::List(Vec::new()),
            name => SavedTerm::Atom(name.to_owned()),
        },
        View::Var(_) => SavedTerm::Other(at.to_string()),
        View::Compound { name, arity } => compound(value, at, value.atom_text(name), arity, of_type, depth),
    }
}

fn compound(
    value: &Value,
    at: Cursor<'_>,
    name: &str,
    arity: usize,
    of_type: &IdType,
    depth: usize,
) -> SavedTerm {
    if (name, arity) == ("[|]", 2) {
        let of_element = of_type.element();
        let elements = at.list().map(|element| read(value, element, &of_element, depth + 1)).collect();
        let mut end = at;
        while let Some(tail) = end.arg(1).filter(|_| matches!(end.view(), View::Compound { arity: 2, .. })) {
            end = tail;
        }
        return match end.view() {
            View::Atom(end) if value.atom_text(end) == "[]" => SavedTerm::List(elements),
            _ => SavedTerm::Other(at.to_string()),
        };
    }
    let of_argument = |index: usize| match (name, arity, index) {
        ("event", 3, 0) | ("methodexit", 5, 0) => IdType::Id,
        _ => of_type.argument(name, index),
    };
    let arguments = (0..arity).filter_map(|index| at.arg(index).map(|argument| (index, argument)));
    let args = arguments.map(|(index, argument)| read(value, argument, &of_argument(index), depth + 1));
    SavedTerm::Compound { name: name.to_owned(), args: args.collect() }
}
