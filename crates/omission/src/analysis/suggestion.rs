//! What is suggested.

use serde::Serialize;
use trace::EventPosition;

/// A place in the code of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Place {
    /// The class, with dots.
    pub class: String,
    /// The method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The code index.
    pub pc: u32,
    /// The source line, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// The kind of a jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JumpKind {
    /// A condition or switch.
    Branch,
    /// The condition of a loop that ended: one more turn would have run the operation.
    LoopEnd,
    /// An exception that skipped the operation.
    Exception,
    /// A call that ran another override.
    Dispatch,
}

/// An executed jump.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Jump {
    /// Its kind.
    pub kind: JumpKind,
    /// Where it is; for an exception, the last recorded place before it.
    #[serde(flatten)]
    pub place: Place,
    /// The condition as text; for another override, the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// A value that the condition compares and that a question can name, such as `active`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operand: Option<String>,
    /// What it was: `false`, `true`, the case of a switch, the exception, or the method that was run.
    pub was: String,
    /// What it would have to be.
    pub would_be: String,
    /// The code index where the way begins that was not taken.
    pub to: u32,
    /// Whether the same calls executed the operation at other times.
    pub is_partial: bool,
}

impl Jump {
    /// The jump as text: `if (active)`, `switch (kind)`, `loop while x > 0`, the text of a call; `None` for
    /// an exception.
    pub fn text(&self) -> Option<String> {
        let condition = self.condition.as_deref().unwrap_or("a branch");
        match self.kind {
            JumpKind::Branch if condition.starts_with("switch") => Some(condition.to_owned()),
            JumpKind::Branch => Some(format!("if ({condition})")),
            JumpKind::LoopEnd => Some(format!("loop while {condition}")),
            JumpKind::Exception => None,
            JumpKind::Dispatch => Some(condition.to_owned()),
        }
    }

    /// The way it went, as text: `was false`, `ended`, `threw IOException@7`, `ran A.f, not B.f`. `shown` is
    /// [`Jump::was`], which a front end may have coloured.
    pub fn outcome(&self, shown: &str) -> String {
        let is_switch = self.condition.as_ref().is_some_and(|condition| condition.starts_with("switch"));
        match self.kind {
            JumpKind::Branch if is_switch => format!("was {shown}, not {}", self.would_be),
            JumpKind::Branch => format!("was {shown}"),
            JumpKind::LoopEnd => "ended".to_owned(),
            JumpKind::Exception => format!("threw {shown}"),
            JumpKind::Dispatch => format!("ran {shown}, not {}", self.would_be),
        }
    }
}

/// How often a jump was executed in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Passes {
    /// Number of passes that did not go the way to the operation.
    pub missed: u64,
    /// Number of all passes.
    pub all: u64,
}

/// An operation that was not executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Operation {
    /// Where it is.
    #[serde(flatten)]
    pub place: Place,
    /// Its text, such as `d.add(n)`.
    pub text: String,
    /// Whether it can change the object, and not only read it.
    pub writes: bool,
    /// The methods from the jump to it, the jump's first.
    pub chain: Vec<String>,
}

/// How sure it is that the operation would use the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// The recorded values say so.
    Certain,
    /// The points-to analysis says that it may.
    May,
    /// Only the type fits: the analysis is incomplete.
    ByType,
}

impl Certainty {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Certainty::Certain => "certain",
            Certainty::May => "may",
            Certainty::ByType => "by type",
        }
    }
}

/// A pass of the jump, by which it is found in another run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JumpPass {
    /// The call.
    pub call: u32,
    /// The name of the thread.
    pub thread: String,
    /// Number of earlier passes of the jump in threads of this name.
    pub nth: u64,
    /// The same for the first pass that missed the way, of those that are named.
    pub first: u64,
    /// The event.
    #[serde(skip)]
    pub at: EventPosition,
}

/// A jump and the operation that was lost at it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// The jump.
    pub jump: Jump,
    /// How often it was executed.
    pub passes: Passes,
    /// The operation.
    pub operation: Operation,
    /// How sure it is.
    pub certainty: Certainty,
    /// A pass at which the operation was lost: the last of the surest.
    pub pass: JumpPass,
}
