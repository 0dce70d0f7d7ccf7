//! Errors of translation: definite mistakes in a point, found before any run.

use crate::error::ChainError;
use crate::spans::Spans;
use crate::validate::{PointField, Problem, ProblemPlace};
use bytecode::StoreError;
use classes::ClassesError;
use expr::{ParseError, TypeError};
use query::PointIndex;
use std::sync::Arc;

/// A point that cannot be asked.
#[derive(Debug, thiserror::Error)]
#[error("point `{id}`, {question}: {refusal}{}", stale_note(stale.as_deref()))]
pub struct TranslateError {
    /// Its position in the chain.
    pub point: PointIndex,
    /// Its id.
    pub id: Arc<str>,
    /// Its question in the paper's notation.
    pub question: String,
    /// The mistake.
    #[source]
    pub refusal: Box<Refusal>,
    /// A note that the class file concerned is older than its source.
    pub stale: Option<String>,
}

impl From<ClassesError> for Refusal {
    fn from(error: ClassesError) -> Refusal {
        Refusal::Classes(Box::new(error))
    }
}

impl TranslateError {
    /// The error at its point in the text of the chain; `name` is the name of its file.
    pub fn in_text(&self, text: &str, name: &str) -> ChainError {
        let place = ProblemPlace::Point(usize::from(self.point.0), PointField::At);
        let message = format!("point `{}`: {}{}", self.id, self.refusal, stale_note(self.stale.as_deref()));
        let fault = Spans::of(text).fault(Problem { place, inside: None, message, help: None });
        ChainError::invalid(text, name, vec![fault])
    }
}

/// The elements of the class path that could not be searched.
#[derive(Debug)]
pub struct Absent {
    /// Elements that do not exist.
    pub missing: Vec<String>,
    /// Elements that exist but cannot be read, with the reason.
    pub unreadable: Vec<String>,
}

/// A mistake in a point.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The chain itself is wrong; loading a chain from a file already checks this.
    #[error("{0}")]
    Chain(String),
    /// No such class.
    #[error(
        "no class `{written}` {}{}{}{}",
        if *copies { "in `classes`" } else { "on the class path" },
        did_you_mean(near),
        and_so(uncompiled.as_deref()),
        missing_note(*copies, near, absent)
    )]
    NoSuchClass {
        /// The name as written.
        written: String,
        /// Similar names.
        near: Vec<String>,
        /// A note that its source exists.
        uncompiled: Option<String>,
        /// Elements of the class path that are missing or unreadable.
        absent: Box<Absent>,
        /// Whether the classes are local copies of a remote program's classes.
        copies: bool,
    },
    /// Several classes whose names end with the written one.
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
    #[error("line {line} of {file} has no code{}{}", bracketed(what.as_deref()), lines_note(nearest))]
    NoCodeOnLine {
        /// The source file, or the class if no file is known.
        file: String,
        /// The line.
        line: u32,
        /// The actual content of the line, if the source is known.
        what: Option<String>,
        /// The nearest lines with code.
        nearest: Vec<NearLine>,
    },
    /// A class compiled without line numbers.
    #[error(
        "class {class} was compiled without line numbers; compile it with `javac -g`, or ask for a method with `Entry`"
    )]
    NoLines {
        /// The class.
        class: String,
    },
    /// The line does not contain the text, and no other line certainly does.
    #[error(
        "line {line} of {file} is `{actual}`, not `{text}`, and {}; correct `text` or the line",
        text_note(elsewhere)
    )]
    TextMoved {
        /// The source file.
        file: String,
        /// The line of the chain.
        line: u32,
        /// The trimmed text of that line.
        actual: String,
        /// The expected text.
        text: String,
        /// Lines with code that contain the text.
        elsewhere: Vec<u32>,
    },
    /// No such method.
    #[error("class {class} has no method `{method}`{}{}", did_you_mean(near), and_so(note.as_deref()))]
    NoSuchMethod {
        /// The class.
        class: String,
        /// The method as written.
        method: String,
        /// Similar methods.
        near: Vec<String>,
        /// What the name denotes instead.
        note: Option<String>,
    },
    /// Several overloads.
    #[error("{class} has {} methods `{name}`; say {}", overloads.len(), overloads.join(" or "))]
    AmbiguousMethod {
        /// The class.
        class: String,
        /// The name.
        name: String,
        /// The overloads as a user can write them.
        overloads: Vec<String>,
    },
    /// A method without code.
    #[error("{method} is {what}, so there is no code to stop in; {instead}")]
    NoCode {
        /// The method.
        method: String,
        /// `native` or `abstract`.
        what: &'static str,
        /// What to ask instead.
        instead: String,
    },
    /// No such field.
    #[error("class {class} has no field `{field}`{}{}", did_you_mean_one(near), and_so(note.as_deref()))]
    NoSuchField {
        /// The class.
        class: String,
        /// The field.
        field: String,
        /// Similar fields, with the class if it is another one.
        near: Vec<String>,
        /// What the name denotes instead.
        note: Option<String>,
    },
    /// Not an exception.
    #[error("{class} is no exception: it does not extend java.lang.Throwable")]
    NotThrowable {
        /// The class.
        class: String,
    },
    /// No exception can bypass the line.
    #[error(
        "no exception can skip line {line} of {file}: nothing in its method that can throw comes before it"
    )]
    NeverSkipped {
        /// The source file.
        file: String,
        /// The line.
        line: u32,
    },
    /// A text that is not an expression.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// An expression that is invalid at its place.
    #[error("{error} (at {place}){scope}")]
    Type {
        /// The type error.
        error: TypeError,
        /// The site.
        place: String,
        /// The names that are valid there; starts with punctuation unless empty.
        scope: String,
    },
    /// A variable whose stores cannot be found.
    #[error(transparent)]
    Stores(#[from] StoreError),
    /// Only reads of fields are watched.
    #[error(
        "`{text}` is no field, and only reads of fields are watched; put a `Line` where it is read, or ask for its last \
         change"
    )]
    NotReadAsField {
        /// The expression.
        text: String,
    },
    /// A value that is neither an object nor an array.
    #[error("`{text}` is {of}, and only objects and arrays are created; ask for its last change")]
    NoObject {
        /// The expression.
        text: String,
        /// Its type.
        of: String,
    },
    /// The VM also creates objects of the class without a call in the program.
    #[error(
        "it is of class {class}, whose objects the VM and its compilers also create by themselves, so the place of \
         creation cannot be found; ask for the last change of the variable that holds it"
    )]
    MadeByVm {
        /// The class.
        class: String,
    },
    /// The class has no constructor that can be watched.
    #[error(
        "it is of class {class}, which has no class file with a constructor (a lambda, a proxy or another class that was \
         generated at run time); ask for the last change of the variable that holds it"
    )]
    NoConstructor {
        /// The class.
        class: String,
    },
    /// A collection whose contents cannot be watched.
    #[error(
        "`{text}` is of class {class}; only the contents of these, and of sets and wrappers around them, are watched: {known}"
    )]
    NoCollection {
        /// The expression.
        text: String,
        /// Its class.
        class: String,
        /// The classes whose contents can be watched.
        known: String,
    },
    /// A collection of another kind.
    #[error("`{text}` is kept as {class}, which has no {wanted}; ask for `contents({text})`")]
    NotInCollection {
        /// The expression.
        text: String,
        /// The collection class that stores the contents.
        class: String,
        /// What was asked of it.
        wanted: &'static str,
    },
    /// An invalid index.
    #[error("`{text}` is no index of a list")]
    NoIndex {
        /// The expression.
        text: String,
    },
    /// A key that can only be found by running code of the program.
    #[error(
        "`{text}` is {of}: a key is found without running code of the program, so only null, strings, characters, booleans \
         and whole numbers can be asked for; ask for the contents of the map"
    )]
    NoKey {
        /// The expression.
        text: String,
        /// Its type.
        of: String,
    },
    /// An indexed value that is not an array.
    #[error("`{text}` was no array when the program ran, and has no elements; ask for a field of it")]
    NoArray {
        /// The expression.
        text: String,
    },
    /// A frame that the stack does not have.
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

impl Refusal {
    /// Whether a newer build of the class could correct the mistake.
    pub(super) fn is_about_code(&self) -> bool {
        matches!(
            self,
            Refusal::NoCodeOnLine { .. }
                | Refusal::TextMoved { .. }
                | Refusal::NoSuchMethod { .. }
                | Refusal::NoSuchField { .. }
                | Refusal::NeverSkipped { .. }
                | Refusal::Type { .. }
        )
    }
}

/// A line with code, near a line without code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearLine {
    /// Its number.
    pub line: u32,
    /// Its text, if the source is known.
    pub text: Option<String>,
}

impl std::fmt::Display for NearLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.text {
            Some(text) => write!(f, "{} `{text}`", self.line),
            None => write!(f, "{}", self.line),
        }
    }
}

fn did_you_mean(names: &[String]) -> String {
    did_you_mean_one(&quoted(names))
}

fn did_you_mean_one(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; did you mean {}?", names.join(" or ")) }
}

fn and_so(note: Option<&str>) -> String {
    note.map(|note| format!("; {note}")).unwrap_or_default()
}

fn bracketed(what: Option<&str>) -> String {
    what.map(|what| format!(" ({what})")).unwrap_or_default()
}

fn stale_note(stale: Option<&str>) -> String {
    stale.map(|stale| format!(". {stale}")).unwrap_or_default()
}

fn quoted(names: &[String]) -> Vec<String> {
    names.iter().map(|n| format!("`{n}`")).collect()
}

fn missing_note(copies: bool, near: &[String], absent: &Absent) -> String {
    let Absent { missing, unreadable } = absent;
    let mut notes = String::new();
    let names = if copies { "`classes` names" } else { "the class path names" };
    if !missing.is_empty() {
        let verb = if missing.len() == 1 { "does" } else { "do" };
        notes += &format!("; {names} {}, which {verb} not exist", missing.join(", "));
    }
    if !unreadable.is_empty() {
        notes += &format!("; {names} unreadable elements: {}", unreadable.join(", "));
    }
    if !notes.is_empty() || !near.is_empty() {
        notes
    } else if copies {
        "; a remote program's classes are read from copies here: name their folders and jars in `classes` (--classes)"
            .to_owned()
    } else {
        "; check the class path of the debuggee's command (`-cp`), and name other places of classes with \
         --classes"
            .to_owned()
    }
}

fn lines_note(nearest: &[NearLine]) -> String {
    match nearest {
        [] => String::new(),
        [one] => format!("; the nearest line with code is {one}"),
        many => {
            let many: Vec<String> = many.iter().map(NearLine::to_string).collect();
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
