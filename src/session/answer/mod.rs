//! The answer to a chain, as data: what front ends render and what `--format json` writes (a contract,
//! docs/formats.md).
//!
//! - `assemble` makes the answer of what was located. `source_context` finds source lines and rebuilds
//!   conditions.
//! - `arms` finds the arm of an expression that gave a value. `steps` are the steps of an `Origin`.
//! - `contents` shows what collections held. `expectation` compares an answer with the recorded one.
//! - `unlocated` explains why a point has no answer, `near_miss` what came nearest to a point that was never
//!   hit.

pub mod arms;
pub mod assemble;
pub mod contents;
pub mod expectation;
pub mod near_miss;
pub mod source_context;
pub mod steps;
pub mod unlocated;

use crate::run::Ended;
use indexmap::IndexMap;
use serde::Serialize;

/// What came of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Every point was located and every expectation holds.
    Held,
    /// Every point was located, an expectation does not hold.
    Differs,
    /// Some point was not located.
    Unlocated,
    /// The root was never reached.
    RootNotReached,
    /// The program ran longer than `timeout_s`.
    TimedOut,
    /// The user interrupted it.
    Interrupted,
}

impl Outcome {
    /// The word for it in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Held => "held",
            Outcome::Differs => "differs",
            Outcome::Unlocated => "unlocated",
            Outcome::RootNotReached => "root-not-reached",
            Outcome::TimedOut => "timed-out",
            Outcome::Interrupted => "interrupted",
        }
    }

    /// The exit code of DESIGN §7.
    pub fn exit_code(self) -> u8 {
        match self {
            Outcome::Held => 0,
            Outcome::Differs | Outcome::Unlocated => 1,
            Outcome::RootNotReached => 3,
            Outcome::TimedOut => 4,
            Outcome::Interrupted => 130,
        }
    }
}

/// The answer to a chain. All points come from one run: the last.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The chain's file, or what stands for it.
    pub chain: String,
    /// What came of it.
    pub outcome: Outcome,
    /// How often the program was run.
    pub runs: u32,
    /// The points, in the order of the chain.
    pub points: Vec<PointAnswer>,
    /// With `--last N`: the points of the root hits before the last one, oldest first; `points` has the last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Vec<PointAnswer>>,
    /// What makes the answers less certain, or how the run ended if that matters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The last lines that the program printed, when the root was not reached and the program did not end
    /// well.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_output: Vec<String>,
    /// How the last run ended; none if there was no run.
    #[serde(skip)]
    pub ended: Option<Ended>,
    /// What can have kept the run from seeing the points: sites lost, classes that could not be watched,
    /// conditions that could not be evaluated. Where there is something, what was not reached may have been.
    #[serde(skip)]
    pub blind_spots: Vec<String>,
}

/// The answer to one point. Values are written as in Java (DESIGN §6).
#[derive(Clone, Debug, Default, Serialize)]
pub struct PointAnswer {
    /// Id of the point.
    pub id: String,
    /// Its question, as `LastChange(A(0):foo)`.
    pub question: String,
    /// Whether there is an answer.
    pub located: bool,
    /// Why there is none.
    pub reason: Option<String>,
    /// Binary name of the class.
    pub class: Option<String>,
    /// Name of the method.
    pub method: Option<String>,
    /// Name of the source file, when the class tells it.
    pub file: Option<String>,
    /// Source line, from 1, when the class has a line table.
    pub line: Option<u32>,
    /// The source line, trimmed, when the source was found.
    pub text: Option<String>,
    /// Where the statement begins that stored or returned the value, if `line` is another one: that of the
    /// arm of a `switch` expression, a `?:`, `&&` or `||` that ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<StatementAnswer>,
    /// The line that the line table has for `bci`.
    #[serde(skip)]
    pub own_line: Option<u32>,
    /// Bytecode index in the method.
    pub bci: Option<u32>,
    /// Name of the thread.
    pub thread: Option<String>,
    /// Which of the hits of its place in threads of that name, from 1.
    pub hit: Option<u64>,
    /// Value before a change.
    pub old: Option<String>,
    /// Value after a change, or the one read.
    pub new: Option<String>,
    /// The names by which `expect` may also call `old` and `new`: `Integer@2` for `Integer 5`.
    #[serde(skip)]
    pub identities: [Option<String>; 2],
    /// The object whose field was written or read.
    pub owner: Option<String>,
    /// The method of the JDK, called there, that changed a collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Whether that method has put there what was there before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unchanged: bool,
    /// What is assigned, rebuilt from bytecode where the source is not at hand.
    pub assigned: Option<String>,
    /// The condition that decided, as source-like text.
    pub condition: Option<String>,
    /// The operand of the condition whose branch decided, where it has several; `taken` is this operand's
    /// way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// The way it went: `true`, `false`, `case 3`, `default`, `caught`, or that assertions are on or off.
    pub taken: Option<String>,
    /// For a condition that has left an endless loop: how many turns of the loop, in that call and since the
    /// condition last left it, have not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// What decided the condition, where it can be read back; else what would tell it.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub operands: IndexMap<String, String>,
    /// The exception.
    pub exception: Option<ExceptionAnswer>,
    /// What the method returned.
    pub result: Option<String>,
    /// The collected values by expression.
    pub collected: IndexMap<String, String>,
    /// What the objects named above held there, as text by their names: `{total: 90}`, `[1, 2]`, the message
    /// of an exception in quotes.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub contents: IndexMap<String, String>,
    /// The stack, newest frame first.
    pub stack: Vec<FrameAnswer>,
    /// Source lines around the place, as `(number, text)`.
    #[serde(skip)]
    pub neighbours: Vec<(u32, String)>,
    /// How the place is found in its line, when its text is unique there: offset and length in characters of
    /// the trimmed line.
    #[serde(skip)]
    pub mark: Option<(usize, usize)>,
    /// By which steps the value came, for an `Origin`: from the point it is asked from back to this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepAnswer>,
    /// Ids of the points it was asked from, effect first.
    pub asked_from: Vec<String>,
    /// What may be missing or uncertain about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// A sample of the occurrences that were not the answer (`--candidates`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<RejectedAnswer>,
    /// How many occurrences were not the answer, by reason.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub rejections: IndexMap<String, u64>,
    /// Whether the chain's expectation holds.
    pub expectation: Option<Expectation>,
}

/// A place that passed a value on.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct StepAnswer {
    /// How: `assigned`, `parameter`, `returned`, `field`, `element`; `argument` for the call of which it was
    /// computed as an argument.
    pub passed: String,
    /// What it was copied to: a variable, a field, an element as text, or the method that returned it.
    pub variable: Option<String>,
    /// Binary name of the class; of the caller, for a parameter.
    pub class: String,
    /// Name of the method.
    pub method: String,
    /// Name of the source file.
    pub file: Option<String>,
    /// Source line.
    pub line: Option<u32>,
    /// The source line, trimmed.
    pub text: Option<String>,
    /// Where the statement begins, as of a point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<StatementAnswer>,
    /// Name of the thread.
    pub thread: String,
    /// Which of the hits of its place in threads of that name, from 1.
    pub hit: u64,
}

/// The first line of a statement that has several.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct StatementAnswer {
    /// The source line, from 1.
    pub line: u32,
    /// The source line, trimmed, when the source was found.
    pub text: Option<String>,
}

/// An exception, and where it came from.
#[derive(Clone, Debug, Serialize)]
pub struct ExceptionAnswer {
    /// The exception object, as `NullPointerException@1`.
    pub object: String,
    /// Binary name of its class.
    pub class: String,
    /// Its message, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Where it was thrown.
    pub thrown: FrameAnswer,
    /// Where it is caught; none when nothing catches it.
    pub caught: Option<FrameAnswer>,
}

/// One frame of a stack.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct FrameAnswer {
    /// Binary name of the class.
    pub class: String,
    /// Name of the method.
    pub method: String,
    /// Name of the source file.
    pub file: Option<String>,
    /// Source line.
    pub line: Option<u32>,
}

/// An occurrence that was not the answer: one of the small circles of the paper's Figure 5.
#[derive(Clone, Debug, Serialize)]
pub struct RejectedAnswer {
    /// Its place.
    pub place: FrameAnswer,
    /// Which of the hits of its place in threads of that name, from 1.
    pub hit: u64,
    /// Name of the thread.
    pub thread: String,
    /// The object whose field was written or read.
    pub owner: Option<String>,
    /// Why it is not the answer.
    pub reason: String,
}

/// How an answer compares with what the chain expects.
#[derive(Clone, Debug, Serialize)]
pub struct Expectation {
    /// Whether all of it holds.
    pub held: bool,
    /// What does not: `text: expected "a", found "b"`.
    pub differences: Vec<String>,
    /// The same in parts.
    #[serde(skip)]
    pub parts: Vec<Difference>,
}

/// One thing that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The field of `expect`, or `outcome`.
    pub what: String,
    /// What it should be.
    pub expected: String,
    /// What it is, if it is anything.
    pub found: Option<String>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: expected `{}`, found ", self.what, self.expected)?;
        match &self.found {
            Some(found) => write!(f, "`{found}`"),
            None => f.write_str("nothing"),
        }
    }
}
