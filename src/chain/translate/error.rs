//! Why a point cannot be translated: what is surely wrong before any run.

use crate::chain::error::ChainError;
use crate::chain::spans::Spans;
use crate::chain::validate::{Place, PointField, Problem};
use crate::classes::ClassesError;
use crate::expr::{ParseError, TypeError};
use crate::query::PointIndex;
use bytecode::StoreError;
use std::sync::Arc;

/// A point that cannot be asked for.
#[derive(Debug, thiserror::Error)]
#[error("point `{id}`, {question}: {refusal}")]
pub struct TranslateError {
    /// Its place in the chain.
    pub point: PointIndex,
    /// Its id.
    pub id: Arc<str>,
    /// Its question, as the paper writes it.
    pub question: String,
    /// What is wrong.
    #[source]
    pub refusal: Box<Refusal>,
}

impl From<ClassesError> for Refusal {
    fn from(error: ClassesError) -> Refusal {
        Refusal::Classes(Box::new(error))
    }
}

impl TranslateError {
    /// The error at its point in the text that the chain was read from; `name` is that of its file.
    pub fn in_text(&self, text: &str, name: &str) -> ChainError {
        let place = Place::Point(usize::from(self.point.0), PointField::At);
        let message = format!("point `{}`: {}", self.id, self.refusal);
        let fault = Spans::of(text).fault(Problem { place, inside: None, message, help: None });
        ChainError::invalid(text, name, vec![fault])
    }
}

/// What is wrong with a point.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The chain itself is wrong; a chain read from a file has been checked for that.
    #[error("{0}")]
    Chain(String),
    /// No such class.
    #[error(
        "no class `{written}` {}{}{}",
        if *copies { "in `classes`" } else { "on the class path" },
        did_you_mean(near),
        missing_note(*copies, missing, unreadable)
    )]
    NoSuchClass {
        /// The name as written.
        written: String,
        /// Names like it.
        near: Vec<String>,
        /// Elements of the class path that do not exist.
        missing: Vec<String>,
        /// Elements that are there and cannot be read, with the reason.
        unreadable: Vec<String>,
        /// Whether the classes are copies of those of a remote program.
        copies: bool,
    },
    /// Several classes end with the name.
    #[error("`{written}` can be {}; write the whole name", found.join(" or "))]
    AmbiguousClass {
        /// The name as written.
        written: String,
        /// The classes.
        found: Vec<String>,
    },
    /// A class file cannot be read.
    #[error(transparent)]
    Classes(Box<ClassesError>),
    /// A line without code.
    #[error("line {line} of {file} has no code{}", lines_note(nearest))]
    NoCodeOnLine {
        /// The source file, or the class where no file is known.
        file: String,
        /// The line.
        line: u32,
        /// The nearest lines with code.
        nearest: Vec<u32>,
    },
    /// A class compiled without line numbers.
    #[error(
        "class {class} was compiled without line numbers; compile it with `javac -g`, or ask for a method with `Entry`"
    )]
    NoLines {
        /// The class.
        class: String,
    },
    /// The line does not hold the text, and nothing else surely does.
    #[error(
        "line {line} of {file} is `{actual}`, not `{text}`, and {}; correct `text` or the line",
        text_note(elsewhere)
    )]
    TextMoved {
        /// The source file.
        file: String,
        /// The line of the chain.
        line: u32,
        /// What stands there, trimmed.
        actual: String,
        /// What should.
        text: String,
        /// Lines with code that hold the text.
        elsewhere: Vec<u32>,
    },
    /// No such method.
    #[error("class {class} has no method `{method}`{}", did_you_mean(near))]
    NoSuchMethod {
        /// The class.
        class: String,
        /// The method as written.
        method: String,
        /// Names like it.
        near: Vec<String>,
    },
    /// Several overloads.
    #[error("{class} has {} methods `{name}`; say {}", overloads.len(), overloads.join(" or "))]
    AmbiguousMethod {
        /// The class.
        class: String,
        /// The name.
        name: String,
        /// The overloads as they can be written.
        overloads: Vec<String>,
    },
    /// A method without code.
    #[error("{method} is {what}, so there is no code to stop in; {instead}")]
    NoCode {
        /// The method.
        method: String,
        /// `native` or `abstract`.
        what: &'static str,
        /// What can be asked.
        instead: &'static str,
    },
    /// No such field.
    #[error("class {class} has no field `{field}`{}", did_you_mean(near))]
    NoSuchField {
        /// The class.
        class: String,
        /// The field.
        field: String,
        /// Names like it.
        near: Vec<String>,
    },
    /// Not an exception.
    #[error("{class} is no exception: it does not extend java.lang.Throwable")]
    NotThrowable {
        /// The class.
        class: String,
    },
    /// No handler can bypass the line.
    #[error(
        "no exception can skip line {line} of {file} and be caught in the same method: no handler there protects code \
         before the line; ask for the method that catches, or for `Exception(\"java.lang.Throwable\")`"
    )]
    NeverSkipped {
        /// The source file.
        file: String,
        /// The line.
        line: u32,
    },
    /// Text that is no expression.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// An expression that means nothing at its place.
    #[error("{error} (at {place})")]
    Type {
        /// What is wrong.
        error: TypeError,
        /// The site.
        place: String,
    },
    /// A variable whose stores cannot be told.
    #[error(transparent)]
    Stores(#[from] StoreError),
    /// An element of an array.
    #[error(
        "`{text}` is an element of an array, and a VM tells nobody when one changes: that needs probes, which do not \
         exist yet; ask for the last change of the variable that holds the array, or put a `Line` where elements are stored"
    )]
    ArrayElement {
        /// The expression.
        text: String,
    },
    /// A frame the stack does not have.
    #[error(
        "point `{point}` has a stack of {depth} frames, so there is no frame {frame}; frame 0 is the newest and -1 the oldest"
    )]
    NoSuchFrame {
        /// The point.
        point: String,
        /// The frame.
        frame: i32,
        /// Number of its frames.
        depth: usize,
    },
}

fn did_you_mean(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; did you mean {}?", quoted(names).join(" or ")) }
}

fn quoted(names: &[String]) -> Vec<String> {
    names.iter().map(|n| format!("`{n}`")).collect()
}

fn missing_note(copies: bool, missing: &[String], unreadable: &[String]) -> String {
    let mut notes = String::new();
    let names = if copies { "`classes` names" } else { "the class path names" };
    if !missing.is_empty() {
        let verb = if missing.len() == 1 { "does" } else { "do" };
        notes += &format!("; {names} {}, which {verb} not exist", missing.join(", "));
    }
    if !unreadable.is_empty() {
        notes += &format!("; {names} what cannot be read: {}", unreadable.join(", "));
    }
    if notes.is_empty() && copies {
        "; a remote program's classes are read from copies here: name their folders and jars in `classes` (--classes)"
            .to_owned()
    } else if notes.is_empty() {
        "; check the class path of the debuggee's command (`-cp`)".to_owned()
    } else {
        notes
    }
}

fn lines_note(nearest: &[u32]) -> String {
    match nearest {
        [] => String::new(),
        [one] => format!("; the nearest line with code is {one}"),
        many => {
            let many: Vec<String> = many.iter().map(u32::to_string).collect();
            format!("; the nearest lines with code are {}", many.join(" and "))
        }
    }
}

fn text_note(elsewhere: &[u32]) -> String {
    if elsewhere.is_empty() {
        return "no line with code is".to_owned();
    }
    let lines: Vec<String> = elsewhere.iter().map(u32::to_string).collect();
    format!("lines {} are, so it is not certain which is meant", lines.join(", "))
}
