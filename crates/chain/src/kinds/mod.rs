//! The kinds of points: one file each, and a table of them here. A kind checks its arguments and produces its
//! TraceQuery (paper §4). To add a kind, add a file, a variant and its rows in this table.

mod candidate;
mod collections;
mod contents;
mod created;
mod entry;
mod exception;
mod exit;
mod last_change;
mod last_condition;
mod last_read;
mod last_return;
mod line;
mod omitted;
mod origin;
mod read;
mod skipped_line;
mod target_variable;
mod watch;

pub(super) use candidate::class_and_line;
pub use last_return::is_call;

use super::translate::{Ask, PointContext, Stop};
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident($($field:ident: $type:ty),*) $usage:literal => $module:ident::$rule:ident,)*) => {
        /// The question of a point.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Kind {
            $($(#[$doc])* $name($($type),*),)*
        }

        impl Kind {
            /// The name of the kind.
            pub fn name(&self) -> &'static str {
                match self { $(Kind::$name(..) => stringify!($name),)* }
            }

            pub(super) fn rule(&self) -> Box<dyn Rule + '_> {
                match self { $(Kind::$name($($field),*) => Box::new($module::$rule { $($field),* }),)* }
            }
        }

        impl fmt::Display for Kind {
            /// The notation of the paper: `LastChange(A(0):foo)`.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Kind::$name($($field),*) => {
                        let arguments: Vec<String> = vec![$($field.to_string()),*];
                        write!(f, "{}({})", self.name(), arguments.join(", "))
                    })*
                }
            }
        }

        /// An example of a kind in the chain file's notation.
        pub(super) fn usage(name: &str) -> Option<&'static str> {
            match name { $(stringify!($name) => Some($usage),)* _ => None }
        }
    };
}

kinds! {
    /// Execution reaches a line of a class, or of a class of the same file.
    Line(class: String, line: u32) "`Line(\"Class\", 31)`" => line::Line,
    /// A method is entered.
    Entry(method: String) "`Entry(\"Class.method\")`" => entry::Entry,
    /// A method returns normally.
    Exit(method: String) "`Exit(\"Class.method\")`" => exit::Exit,
    /// A field is written.
    Watch(class: String, field: String) "`Watch(\"Class\", \"field\")`" => watch::Watch,
    /// A field is read.
    Read(class: String, field: String) "`Read(\"Class\", \"field\")`" => read::Read,
    /// An exception is thrown.
    Exception(class: String) "`Exception(\"Class\")`" => exception::Exception,
    /// An exception made execution bypass a line (DESIGN §5.10).
    SkippedLine(class: String, line: u32) "`SkippedLine(\"Class\", 14)`" => skipped_line::SkippedLine,
    /// A field or variable got the value that a point sees.
    LastChange(reference: String) "`LastChange(\"A(0):foo\")`" => last_change::LastChange,
    /// A field that a point sees was read.
    LastRead(reference: String) "`LastRead(\"A(0):foo\")`" => last_read::LastRead,
    /// A method returned the result of a call that a point sees.
    LastReturn(reference: String) "`LastReturn(\"A:order.total(a)\")`" => last_return::LastReturn,
    /// An object that a point sees was created.
    Created(reference: String) "`Created(\"A:order\")`" => created::Created,
    /// The first point that computed the value that a point sees.
    Origin(reference: String) "`Origin(\"A(0):foo\")`" => origin::Origin,
    /// A condition or a handler led to a point.
    LastCondition(point: String) "`LastCondition(\"A\")`" => last_condition::LastCondition,
    /// A hit of a point's event at a line, whether or not it is the point's answer.
    Candidate(point: String, place: String, hit: u32) "`Candidate(\"B\", \"Class:31\", 2)`"
        => candidate::Candidate,
    /// An operation on an object that a point sees should have been executed, and was not.
    Omitted(reference: String) "`Omitted(\"A:list\")`" => omitted::Omitted,
}

impl Kind {
    /// Whether the point is asked of a recording of the whole run, and not of the events of a run.
    pub fn is_of_recording(&self) -> bool {
        self.rule().is_of_recording()
    }
}

/// A point field that only some kinds have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpecialField {
    /// The source line.
    Text,
    /// Whether an exception is caught.
    Caught,
}

impl SpecialField {
    pub(super) fn purpose(self) -> &'static str {
        match self {
            SpecialField::Text => "it finds the line of a `Line`, `SkippedLine` or `Candidate` again",
            SpecialField::Caught => "it chooses between caught and uncaught exceptions of an `Exception`",
        }
    }
}

/// A mistake in the arguments of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Complaint {
    pub(super) message: String,
    pub(super) help: Option<String>,
    /// The string concerned, and the column in it.
    pub(super) inside: Option<(String, usize)>,
}

impl Complaint {
    fn about(text: &str, message: impl Into<String>, help: impl Into<String>) -> Complaint {
        Complaint { message: message.into(), help: Some(help.into()), inside: Some((text.to_owned(), 1)) }
    }
}

/// One kind of point.
pub(super) trait Rule {
    /// For kinds that ask about a value seen by a point: the reference to the value, and a verb such as
    /// "changed" for messages.
    fn asks_of(&self) -> Option<(&str, &'static str)> {
        None
    }

    /// Mistakes in the arguments that their text alone shows.
    fn complaints(&self) -> Vec<Complaint> {
        self.asks_of().map_or_else(Vec::new, |(reference, what)| target_variable::complaints(reference, what))
    }

    /// The point from which it asks backwards: its id, the text that names it and the column in that text.
    fn refers_to(&self) -> Option<(String, String, usize)> {
        target_variable::refers_to(self.asks_of()?.0)
    }

    /// The special fields that it accepts.
    fn takes(&self) -> &'static [SpecialField] {
        &[]
    }

    /// Whether it requires `after` or `before`.
    fn needs_order(&self) -> bool {
        false
    }

    /// Its default index, if the kind itself implies one.
    fn own_index(&self) -> Option<i64> {
        self.asks_of().map(|_| -1)
    }

    /// Whether it is asked of a recording of the whole run. Then there is no TraceQuery, and no other point
    /// can refer to it.
    fn is_of_recording(&self) -> bool {
        false
    }

    /// The TraceQuery.
    ///
    /// # Errors
    /// [`Stop`]: a definite mistake, or what a run must learn first.
    fn translate(&self, point: &mut PointContext<'_, '_>) -> Result<Ask, Stop>;
}

/// Complaints about a class name.
fn class_complaints(class: &str) -> Vec<Complaint> {
    let fine =
        !class.is_empty() && class.split('.').all(|p| !p.is_empty() && !p.contains(char::is_whitespace));
    if fine {
        return Vec::new();
    }
    vec![Complaint::about(
        class,
        format!("`{class}` is no class name"),
        "write it as in `shop.Order` or `Intro`",
    )]
}

/// Complaints about `Class.method` with or without `(types)`.
fn method_complaints(method: &str) -> Vec<Complaint> {
    let name = method.split('(').next().unwrap_or(method);
    let dotted =
        name.rsplit_once('.').is_some_and(|(class, m)| !m.is_empty() && class_complaints(class).is_empty());
    let closed = method.contains('(') == method.ends_with(')');
    // A function of Clojure: `shop.core/grant!`.
    let is_function = name.split_once('/').is_some_and(|(space, name)| !space.is_empty() && !name.is_empty());
    if (dotted || is_function) && closed {
        return Vec::new();
    }
    let help = "write it as in `shop.Order.total`, or `shop.Order.total(int)` to choose one of several";
    vec![Complaint::about(method, format!("`{method}` is no method"), help)]
}

/// Complaints about a line number.
fn line_complaints(line: u32) -> Vec<Complaint> {
    if line > 0 {
        return Vec::new();
    }
    let message = "lines are counted from 1".to_owned();
    vec![Complaint { message, help: None, inside: None }]
}
