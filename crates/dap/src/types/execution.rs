//! The requests that resume, suspend or move execution, in either direction.

use super::source::Source;
use serde::{Deserialize, Serialize};

/// The arguments of `continue` and `reverseContinue`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContinueArguments {
    /// The thread.
    pub thread_id: i64,
    /// Whether other threads stay suspended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub single_thread: Option<bool>,
}

/// The answer to `continue`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContinueBody {
    /// Whether all threads were resumed. Absent is the same as `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_threads_continued: Option<bool>,
}

/// The arguments of `next`, `stepOut` and `stepBack`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepArguments {
    /// The thread.
    pub thread_id: i64,
    /// Whether other threads stay suspended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub single_thread: Option<bool>,
    /// The size of the step, by default a statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granularity: Option<SteppingGranularity>,
}

/// The arguments of `stepIn`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepInArguments {
    /// The thread.
    pub thread_id: i64,
    /// Whether other threads stay suspended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub single_thread: Option<bool>,
    /// The call to step into, from the answer to `stepInTargets`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_id: Option<i64>,
    /// The size of the step, by default a statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granularity: Option<SteppingGranularity>,
}

/// The size of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SteppingGranularity {
    /// A statement, or a line.
    Statement,
    /// A line.
    Line,
    /// An instruction.
    Instruction,
}

/// The arguments of `stepInTargets`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepInTargetsArguments {
    /// The frame.
    pub frame_id: i64,
}

/// The answer to `stepInTargets`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepInTargetsBody {
    /// The calls that can be stepped into.
    pub targets: Vec<StepInTarget>,
}

/// A call that can be stepped into.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepInTarget {
    /// The id.
    pub id: i64,
    /// The name for the user.
    pub label: String,
    /// The first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// The first column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    /// The last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<i64>,
    /// The last column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<i64>,
}

/// The arguments of `gotoTargets`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GotoTargetsArguments {
    /// The source.
    pub source: Source,
    /// The line.
    pub line: i64,
    /// The column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
}

/// The answer to `gotoTargets`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GotoTargetsBody {
    /// The places to which execution can move.
    pub targets: Vec<GotoTarget>,
}

/// A place to which execution can move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GotoTarget {
    /// The id.
    pub id: i64,
    /// The name for the user.
    pub label: String,
    /// The first line.
    pub line: i64,
    /// The first column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    /// The last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<i64>,
    /// The last column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<i64>,
}

/// The arguments of `goto`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GotoArguments {
    /// The thread.
    pub thread_id: i64,
    /// The place, from the answer to `gotoTargets`.
    pub target_id: i64,
}

/// The arguments of `restartFrame`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RestartFrameArguments {
    /// The frame.
    pub frame_id: i64,
}

/// The arguments of `pause`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PauseArguments {
    /// The thread.
    pub thread_id: i64,
}
