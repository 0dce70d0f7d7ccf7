//! What can be wrong with an expression: its syntax, its types before the run, its evaluation at a point.

use super::tree::EventPart;
use crate::model::Value;

/// The text is not an expression or a reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}`, column {column}: {problem}")]
pub struct ParseError {
    /// The whole text.
    pub text: String,
    /// Where, in characters, counted from 1.
    pub column: usize,
    /// What was expected there and what stands there instead.
    pub problem: String,
}

/// An expression that cannot mean anything at its place, known from the class files alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}`: {problem}")]
pub struct TypeError {
    /// The part of the expression that is wrong.
    pub text: String,
    /// What is wrong with it, and what would be right where that is known.
    pub problem: String,
}

/// How the problem of a name that means nothing begins.
pub(super) const UNKNOWN_NAME: &str = "is no local or field here";

impl TypeError {
    /// Whether the text is a name that means nothing at its place.
    pub fn is_unknown_name(&self) -> bool {
        self.problem.starts_with(UNKNOWN_NAME)
    }
}

/// An expression that could not be evaluated at a point. `E` is the error of the run's own reads.
#[derive(Debug, thiserror::Error)]
pub enum EvalError<E: std::error::Error + 'static> {
    /// A name that is no variable and no loaded class here.
    #[error("`{name}` is no local, field or loaded class here{hint}")]
    UnknownName {
        /// The name.
        name: String,
        /// What may have been meant; starts with punctuation when not empty.
        hint: String,
    },
    /// A local variable outside its range.
    #[error("local `{name}` is not assigned yet at this point")]
    Unassigned {
        /// The local.
        name: String,
    },
    /// A member of `null`.
    #[error("`{text}` is null, so there is no {wanted}")]
    NullPointer {
        /// The expression that is `null`.
        text: String,
        /// What was to be taken of it.
        wanted: String,
    },
    /// Integer division or remainder by zero.
    #[error("`{text}`: division by zero")]
    DivisionByZero {
        /// The operation.
        text: String,
    },
    /// An index outside its array.
    #[error("`{text}`: index {index} is outside the array of length {length}")]
    ArrayIndex {
        /// The access.
        text: String,
        /// The index.
        index: i32,
        /// The length.
        length: i32,
    },
    /// A cast that fails.
    #[error("`{text}`: an object of {from} cannot be cast to {to}")]
    ClassCast {
        /// The cast.
        text: String,
        /// The runtime class.
        from: String,
        /// The type cast to.
        to: String,
    },
    /// Operands whose types do not fit.
    #[error("`{text}`: {problem}")]
    Type {
        /// The part of the expression that is wrong.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A class without such a field.
    #[error("`{text}`: {class} has no field `{field}`{hint}")]
    NoSuchField {
        /// The access.
        text: String,
        /// The class.
        class: String,
        /// The field.
        field: String,
        /// What may have been meant; starts with punctuation when not empty.
        hint: String,
    },
    /// No method of that name takes such arguments.
    #[error("`{text}`: {class} has no method `{method}({arguments})`{hint}")]
    NoSuchMethod {
        /// The call.
        text: String,
        /// The class.
        class: String,
        /// The method.
        method: String,
        /// The arguments' types.
        arguments: String,
        /// What may have been meant; starts with punctuation when not empty.
        hint: String,
    },
    /// Several methods fit and none is most specific.
    #[error("`{text}`: ambiguous between {}; cast an argument", candidates.join(" and "))]
    AmbiguousCall {
        /// The call.
        text: String,
        /// The methods that fit.
        candidates: Vec<String>,
    },
    /// A class that is needed and not loaded.
    #[error(
        "`{text}`: no class `{class}` is loaded here; class files keep no imports, so write its full name"
    )]
    ClassNotLoaded {
        /// The part of the expression that names it.
        text: String,
        /// The class as written.
        class: String,
    },
    /// A part that this event does not have.
    #[error("this event has no `{part}`")]
    NotInEvent {
        /// The part.
        part: EventPart,
    },
    /// `this` in a static method.
    #[error("`{text}`: there is no `this` in a static method")]
    NoThis {
        /// What needs `this`.
        text: String,
    },
    /// A called method threw.
    #[error("`{text}` threw {class}{message}")]
    Threw {
        /// The call.
        text: String,
        /// The exception's class.
        class: String,
        /// Its message in quotes; starts with punctuation when not empty.
        message: String,
        /// The exception.
        exception: Value,
    },
    /// The debuggee could not be read.
    #[error(transparent)]
    Machine(E),
}

/// ` (did you mean `x`?)` for the candidate nearest to `name`, or nothing if none is near.
pub(super) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let limit = 1 + name.chars().count() / 3;
    candidates
        .into_iter()
        .filter(|c| !c.is_empty() && *c != name)
        .map(|c| (strsim::osa_distance(&name.to_lowercase(), &c.to_lowercase()), c))
        .filter(|(d, _)| *d <= limit)
        .min()
        .map(|(_, c)| format!("; did you mean `{c}`?"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered() {
        assert_eq!(nearest("recrod", ["record", "foo"]), "; did you mean `record`?");
        assert_eq!(nearest("bra", ["bar", "car", "x"]), "; did you mean `bar`?");
        assert_eq!(nearest("entirely", ["other", "names"]), "");
    }
}
