//! The answer to a chain, as data. Front ends render it; `--format json` writes it as docs/formats.md
//! specifies.
//!
//! - `facts` holds the results of a run, from which the answer is built. `value_flow` checks that a run
//!   repeats a logged value flow.
//! - `assemble` builds the answer from the located points; `program::code_book` finds source lines and
//!   rebuilds conditions from bytecode.
//! - `arms` finds the arm of an expression that produced a value, `argument` what a caller passed. `steps`
//!   lists the steps of an `Origin`.
//! - `contents` shows the contents of objects. `expectation` compares an answer with the chain's
//!   expectations.
//! - `unlocated` explains why a point has no answer. `near_miss` reports what came nearest to a point that
//!   was never hit.

pub mod answer_facts;
mod argument;
pub mod arms;
pub mod assemble;
pub mod contents;
pub mod expectation;
pub mod facts;
pub mod false_conditions;
pub mod frames;
mod identity;
pub mod missed_events;
pub mod near_miss;
pub mod stack_values;
pub mod steps;
pub mod thrown;
mod unlocated;
mod unrecorded_callers;
pub mod value_flow;

use bytecode::ValueLines;
use bytecode::coroutine::Suspension;
use indexmap::IndexMap;
use logic::rules::Asked as AskedGoal;
use model::{ExceptionCause, Frame};
use program::code_book::{CodeBook, CopiedFrom};
use run::Ended;
use serde::Serialize;

/// The overall result of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Every point was located and every expectation holds.
    Held,
    /// Every point was located, but an expectation does not hold.
    Differs,
    /// A point was not located.
    Unlocated,
    /// The root was never reached.
    RootNotReached,
    /// The program ran longer than `timeout_s`.
    TimedOut,
    /// The user interrupted it.
    Interrupted,
}

impl Outcome {
    /// Its name in JSON.
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
    /// The chain's file, or a name that replaces it.
    pub chain: String,
    /// The overall result.
    pub outcome: Outcome,
    /// Number of runs; 0 if a recording was asked.
    pub runs: u32,
    /// The recording from which the answer is, as the user named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recording: Option<String>,
    /// The points, in the order of the chain.
    pub points: Vec<PointAnswer>,
    /// With `--last N`: the points of the root hits before the last one, oldest first; `points` has the last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Vec<PointAnswer>>,
    /// The answers to the chain's queries, over a recording of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<ChainQueryAnswer>,
    /// Reasons why answers are uncertain, and how the run ended if that matters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The last lines that the program printed, if the root was not reached and the program failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_output: Vec<String>,
    /// How the last run ended; `None` if there was no run.
    #[serde(skip)]
    pub ended: Option<Ended>,
    /// Reasons why the run may have missed points: lost sites, unwatchable classes, conditions whose
    /// evaluation failed. If there are any, a point counted as not reached may have been reached.
    #[serde(skip)]
    pub blind_spots: Vec<String>,
}

/// The answer to one point. Values are written as in Java (DESIGN §6).
#[derive(Clone, Debug, Default, Serialize)]
pub struct PointAnswer {
    /// Whether text shows all frames of its stack.
    #[serde(skip)]
    pub shows_all_frames: bool,
    /// Id of the point.
    pub id: String,
    /// Its question, as `LastChange(A(0):foo)`.
    pub question: String,
    /// Whether the point was located.
    pub located: bool,
    /// Why it was not located.
    pub reason: Option<String>,
    /// Binary name of the class.
    pub class: Option<String>,
    /// The loader of the class, or of the class whose static field changed, if several
    /// classes have its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loader: Option<LoaderAnswer>,
    /// Name of the method.
    pub method: Option<String>,
    /// Name of the source file, if the class file has it.
    pub file: Option<String>,
    /// Source line, from 1, if the class has a line table.
    pub line: Option<u32>,
    /// The source line, trimmed, if the source was found.
    pub text: Option<String>,
    /// The beginning of the statement that stored or returned the value, if `line` is another line. `line` is
    /// then that of the executed arm of a `switch` expression, `?:`, `&&` or `||`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<StatementAnswer>,
    /// Where the compiler copied the code from, if `line` is that of the call of an inline function (JSR 45).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copied_from: Option<CopiedAnswer>,
    /// The line of `bci` in the line table.
    #[serde(skip)]
    pub own_line: Option<u32>,
    /// Bytecode index in the method.
    pub bci: Option<u32>,
    /// Label of the thread: its name, and its number if other threads of the run have that name.
    pub thread: Option<String>,
    /// Name of the thread: what the label says of it in every run.
    #[serde(skip)]
    pub thread_base: Option<String>,
    /// Java's number of the thread.
    #[serde(skip)]
    pub thread_number: Option<u64>,
    /// The number of the hit among all hits of its place in this thread, from 1. `None` if the event was in a
    /// called method of the JDK.
    pub hit: Option<u64>,
    /// The order of the occurrence in its run: earlier ones have smaller numbers.
    #[serde(skip)]
    pub sequence: Option<u64>,
    /// Value before a change.
    pub old: Option<String>,
    /// Value after a change, or the one read.
    pub new: Option<String>,
    /// Names that `expect` may use instead of `old` and `new`: `Integer@2` for `Integer 5`.
    #[serde(skip)]
    pub identities: [Option<String>; 2],
    /// The object whose field was written or read.
    pub owner: Option<String>,
    /// The JDK method, called there, that changed a collection or wrote the field or element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Whether that method stored the value that was already there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unchanged: bool,
    /// The assigned expression, rebuilt from bytecode if the source is missing.
    pub assigned: Option<String>,
    /// The condition that decided, as source-like text.
    pub condition: Option<String>,
    /// The operand whose branch decided, if the condition has several. `taken` is then the outcome of this
    /// operand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// The outcome: `true`, `false`, `case 3`, `default`, `caught`, or that assertions are enabled or
    /// disabled.
    pub taken: Option<String>,
    /// For a condition that left an endless loop: the number of iterations that did not leave it, in that
    /// call and since the condition last left it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// The operands with their values; where a value cannot be read, a text says so.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub operands: IndexMap<String, String>,
    /// The exception.
    pub exception: Option<ExceptionAnswer>,
    /// What the method returned.
    pub result: Option<String>,
    /// The collected values by expression.
    pub collected: IndexMap<String, String>,
    /// The contents of the objects named above, by name: `{total: 90}`, `[1, 2]`, the message of an exception
    /// in quotes.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub contents: IndexMap<String, String>,
    /// The stack, newest frame first.
    pub stack: Vec<FrameAnswer>,
    /// If the point is not in the user's own code: the newest frame that is, with its source line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_frame: Option<OwnFrame>,
    /// Source lines around the place, as `(number, text)`.
    #[serde(skip)]
    pub neighbours: Vec<(u32, String)>,
    /// The position of the expression in its line, if its text is unique there: offset and length in
    /// characters of the trimmed line.
    #[serde(skip)]
    pub mark: Option<(usize, usize)>,
    /// For an `Origin`: the steps of the value flow, from the effect back to this point.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepAnswer>,
    /// For an `Omitted`: the operation that was not executed. The place is then that of the jump.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<OmittedOperation>,
    /// Ids of the points it depends on, effect first.
    pub asked_from: Vec<String>,
    /// What may be missing or uncertain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// A sample of the rejected occurrences (`--candidates`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<RejectedAnswer>,
    /// Number of rejected occurrences, by reason.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub rejections: IndexMap<String, u64>,
    /// Whether the chain's expectation holds.
    pub expectation: Option<Expectation>,
}

impl PointAnswer {
    /// The method of the point as users read it; `None` if its class is not known.
    pub fn method_text(&self) -> Option<String> {
        let class = self.class.as_deref()?;
        Some(model::method_text(class, self.method.as_deref().unwrap_or("?")))
    }
}

/// The loader that defined a class.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct LoaderAnswer {
    /// Its name: `app`, `URLClassLoader`, `URLClassLoader #2`.
    pub name: String,
    /// Binary name of the class.
    pub class: String,
    /// Number of other classes of this name: those of other loaders, and hidden ones.
    pub others: usize,
}

/// An operation that was not executed, and lost at a jump.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct OmittedOperation {
    /// Its text, such as `d.add(n)`.
    pub operation: String,
    /// Its class.
    pub class: String,
    /// Its source line.
    pub line: Option<u32>,
    /// The methods from the jump to it, the jump's first.
    pub chain: Vec<String>,
    /// The way that the jump went: `was false`, `ended`, `threw IOException@7`, `ran A.f, not B.f`.
    pub outcome: String,
    /// How sure it is that it would use the object: `certain`, `may` or `by type`.
    pub certainty: String,
    /// The object, and its value at the point.
    pub target: String,
    /// Number of passes of the jump that did not go the way to the operation, and of all passes.
    pub passes: (u64, u64),
    /// Number of other suggestions.
    pub others: usize,
}

/// A place that passed a value on.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct StepAnswer {
    /// The kind of step: `assigned`, `parameter`, `returned`, `field`, `element`; `argument` if the value was
    /// computed from this argument of a call.
    pub passed: String,
    /// The target of the copy: a variable, a field, an element as text, or the method that returned the
    /// value.
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
    /// The beginning of the statement; see [`PointAnswer::statement`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<StatementAnswer>,
    /// Label of the thread.
    pub thread: String,
    /// The number of the hit among all hits of its place in this thread, from 1.
    pub hit: u64,
}

/// The first line of a statement that spans several.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct StatementAnswer {
    /// The source line, from 1.
    pub line: u32,
    /// The source line, trimmed, if the source was found.
    pub text: Option<String>,
}

/// The line of another file from which a compiler copied code.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct CopiedAnswer {
    /// Name of the source file.
    pub file: String,
    /// The source line, from 1.
    pub line: u32,
    /// The source line, trimmed, if the source was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl CopiedAnswer {
    fn of(book: &CodeBook<'_>, frame: &Frame) -> Option<CopiedAnswer> {
        let CopiedFrom { file, line, text } = book.copied_from(&frame.site)?;
        Some(CopiedAnswer { file, line, text })
    }
}

impl StatementAnswer {
    /// The statement that stored or returned a value, if the value came from another line.
    fn of(book: &CodeBook<'_>, frame: &Frame, given: &ValueLines) -> Option<StatementAnswer> {
        let line = given.statement.filter(|line| Some(*line) != given.line)?;
        let text = book.text(&Frame { line: Some(line), ..frame.clone() });
        Some(StatementAnswer { line, text })
    }
}

/// An exception, and where it was thrown.
#[derive(Clone, Debug, Serialize)]
pub struct ExceptionAnswer {
    /// The exception object, as `NullPointerException@1`.
    pub object: String,
    /// Binary name of its class.
    pub class: String,
    /// Its message, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Its causes, each the cause of the one before it; at most four.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<ExceptionCause>,
    /// Where it was thrown.
    pub thrown: FrameAnswer,
    /// Whether a handler that had caught it threw it again there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub thrown_again: bool,
    /// Where it is caught; `None` if it is uncaught.
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
    /// Whether it belongs to the machinery between the user's frames: reflection, proxies, test frameworks,
    /// build tools and launchers. Text leaves such frames out.
    #[serde(skip)]
    pub is_machinery: bool,
    /// Whether it is a function of Kotlin that waits for a coroutine, and so on no stack of the VM.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_suspended: bool,
}

impl FrameAnswer {
    /// A function that is suspended at this place.
    pub fn suspended(at: Suspension) -> FrameAnswer {
        let Suspension { class, method, file, line } = at;
        FrameAnswer { class, method, file, line, is_machinery: false, is_suspended: true }
    }
}

/// The newest frame in the user's own code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OwnFrame {
    /// The frame.
    #[serde(flatten)]
    pub frame: FrameAnswer,
    /// Its index in the stack; 0 is the newest frame.
    pub index: usize,
    /// The source line, trimmed, if the source was found.
    pub text: Option<String>,
}

/// A rejected occurrence: one of the small circles of the paper's Figure 5.
#[derive(Clone, Debug, Serialize)]
pub struct RejectedAnswer {
    /// Its place.
    pub place: FrameAnswer,
    /// The number of the hit among all hits of its place in this thread, from 1.
    pub hit: u64,
    /// Label of the thread.
    pub thread: String,
    /// The object whose field was written or read.
    pub owner: Option<String>,
    /// The order of the occurrence in its run.
    #[serde(skip)]
    pub sequence: u64,
    /// Why it was rejected.
    pub reason: String,
}

/// The answers to a query of a chain.
#[derive(Clone, Debug, Serialize)]
pub struct ChainQueryAnswer {
    /// Its place in the chain: `query 1`.
    pub id: String,
    /// Its goal, and the answers.
    #[serde(flatten)]
    pub answers: AskedGoal,
    /// How they compare with what the chain expects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expectation: Option<Expectation>,
}

/// How an answer compares with what the chain expects.
#[derive(Clone, Debug, Serialize)]
pub struct Expectation {
    /// Whether the whole expectation holds.
    pub held: bool,
    /// The differences: `text: expected "a", found "b"`.
    pub differences: Vec<String>,
    /// The same differences, structured.
    #[serde(skip)]
    pub parts: Vec<Difference>,
}

impl Expectation {
    /// The expectation that holds except for these differences.
    pub fn new(parts: Vec<Difference>) -> Expectation {
        let differences = parts.iter().map(ToString::to_string).collect();
        Expectation { held: parts.is_empty(), differences, parts }
    }
}

/// One difference from the expectation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The field of `expect`, or `outcome`.
    pub what: String,
    /// The expected value.
    pub expected: String,
    /// The value found, if there is one.
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
