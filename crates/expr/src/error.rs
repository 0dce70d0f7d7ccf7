//! The errors of an expression: in its syntax, in its types before the run, and in its evaluation at a point.

use super::tree::EventPart;
use model::Value;

/// The text is neither an expression nor a reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}`, column {column}: {problem}")]
pub struct ParseError {
    /// The whole text.
    pub text: String,
    /// The position in characters, from 1.
    pub column: usize,
    /// What was expected there, and what was found.
    pub problem: String,
}

/// An expression that is wrong at its place, as class files alone show.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}`: {problem}")]
pub struct TypeError {
    /// The part of the expression that is wrong.
    pub text: String,
    /// What is wrong with it, and the correction if it is known.
    pub problem: String,
}

/// The beginning of the problem text for an undefined name.
pub(super) const UNKNOWN_NAME: &str = "is not a local or field here";

impl TypeError {
    /// Whether the problem is an undefined name.
    pub fn is_unknown_name(&self) -> bool {
        self.problem.starts_with(UNKNOWN_NAME)
    }
}

/// An expression that could not be evaluated at a point. `E` is the error type of the machine.
#[derive(Debug, thiserror::Error)]
pub enum EvalError<E: std::error::Error + 'static> {
    /// A name that is neither a variable nor a loaded class here.
    #[error("`{name}` is not a local, field or loaded class here{hint}")]
    UnknownName {
        /// The name.
        name: String,
        /// A suggestion; empty, or starts with punctuation.
        hint: String,
    },
    /// A local variable read outside its range.
    #[error("local `{name}` is not assigned yet at this point")]
    Unassigned {
        /// The local.
        name: String,
    },
    /// An access to a member of `null`.
    #[error("`{text}` is null, so there is no {wanted}")]
    NullPointer {
        /// The expression that is `null`.
        text: String,
        /// The member or element accessed.
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
    /// A cast that failed.
    #[error("`{text}`: an object of {from} cannot be cast to {to}")]
    ClassCast {
        /// The cast.
        text: String,
        /// The runtime class of the object.
        from: String,
        /// The type cast to.
        to: String,
    },
    /// Operands of the wrong type.
    #[error("`{text}`: {problem}")]
    Type {
        /// The part of the expression that is wrong.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A class without this field.
    #[error("`{text}`: {class} has no field `{field}`{hint}")]
    NoSuchField {
        /// The access.
        text: String,
        /// The class.
        class: String,
        /// The field.
        field: String,
        /// A suggestion; empty, or starts with punctuation.
        hint: String,
    },
    /// No method with this name accepts these arguments.
    #[error("`{text}`: {class} has no method `{method}({arguments})`{hint}")]
    NoSuchMethod {
        /// The call.
        text: String,
        /// The class.
        class: String,
        /// The method.
        method: String,
        /// The types of the arguments.
        arguments: String,
        /// A suggestion; empty, or starts with punctuation.
        hint: String,
    },
    /// Several methods are applicable and none is most specific.
    #[error("`{text}`: ambiguous between {}; cast an argument", candidates.join(" and "))]
    AmbiguousCall {
        /// The call.
        text: String,
        /// The applicable methods.
        candidates: Vec<String>,
    },
    /// A class that the expression needs is not loaded.
    #[error("`{text}`: no class `{class}` is imported or loaded here{hint}")]
    ClassNotLoaded {
        /// The part of the expression that names it.
        text: String,
        /// The class as written.
        class: String,
        /// The full names of classes with this name; empty, or starts with punctuation.
        hint: String,
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
        /// The expression that needs `this`.
        text: String,
    },
    /// A called method threw.
    #[error("`{text}` threw {class}{message}")]
    Threw {
        /// The call.
        text: String,
        /// The exception's class.
        class: String,
        /// Its message in quotes; empty, or starts with punctuation.
        message: String,
        /// The exception.
        exception: Value,
    },
    /// The state of the debuggee could not be read.
    #[error(transparent)]
    Machine(E),
}

/// `; did you mean `x`?` for the candidate most similar to `name`; empty if none is similar.
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
