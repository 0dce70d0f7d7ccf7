//! Threads, their stacks, the scopes of a frame, and the exception at which a thread stopped.

use super::breakpoints::ExceptionBreakMode;
use super::source::Source;
use serde::{Deserialize, Serialize};

/// A thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    /// The id.
    pub id: i64,
    /// The name.
    pub name: String,
}

/// The answer to `threads`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadsBody {
    /// All threads.
    pub threads: Vec<Thread>,
}

/// The arguments of `stackTrace`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StackTraceArguments {
    /// The thread.
    pub thread_id: i64,
    /// The index of the first frame, by default 0, the innermost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_frame: Option<i64>,
    /// The number of frames. Absent or 0 means all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<i64>,
    /// How to write the frames' names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<StackFrameFormat>,
}

/// How to write the names of stack frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StackFrameFormat {
    /// Whether to write numbers in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hex: Option<bool>,
    /// Whether to name the parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<bool>,
    /// Whether to name the types of the parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter_types: Option<bool>,
    /// Whether to write the names of the parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter_names: Option<bool>,
    /// Whether to write the values of the parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter_values: Option<bool>,
    /// Whether to write the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<bool>,
    /// Whether to write the module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<bool>,
    /// Whether to include frames that the adapter would otherwise leave out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_all: Option<bool>,
}

/// The answer to `stackTrace`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StackTraceBody {
    /// The frames, from the innermost.
    pub stack_frames: Vec<StackFrame>,
    /// The number of frames of the stack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_frames: Option<i64>,
}

/// A frame of a stack.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StackFrame {
    /// The id, unique among all frames while the threads are suspended.
    pub id: i64,
    /// The name for the user, usually that of the method.
    pub name: String,
    /// The source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// The line, or 0 if there is no source.
    pub line: i64,
    /// The column, or 0 if there is no source.
    pub column: i64,
    /// The last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<i64>,
    /// The last column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<i64>,
    /// Whether `restartFrame` can be used. Absent is the same as `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub can_restart: Option<bool>,
    /// How to show the frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<FrameHint>,
}

/// How to show a stack frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FrameHint {
    /// As usual.
    Normal,
    /// As a heading rather than a frame.
    Label,
    /// As of little interest.
    Subtle,
}

/// The arguments of `scopes`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScopesArguments {
    /// The frame.
    pub frame_id: i64,
}

/// The answer to `scopes`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScopesBody {
    /// The scopes.
    pub scopes: Vec<Scope>,
}

/// A group of variables of a frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    /// The name for the user.
    pub name: String,
    /// The kind of the scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<ScopeHint>,
    /// The number by which to ask for the variables.
    pub variables_reference: i64,
    /// The number of named variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_variables: Option<i64>,
    /// The number of indexed variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_variables: Option<i64>,
    /// Whether it takes long to read the variables. If so, the client waits until the user asks.
    pub expensive: bool,
    /// The source of the scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
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

/// The kind of a scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ScopeHint {
    /// The parameters.
    Arguments,
    /// The locals.
    Locals,
    /// The registers.
    Registers,
    /// Another one, for which the protocol has no name.
    #[serde(untagged)]
    Other(String),
}

/// The arguments of `exceptionInfo`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionInfoArguments {
    /// The thread.
    pub thread_id: i64,
}

/// The answer to `exceptionInfo`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionInfoBody {
    /// The id of the exception, usually the name of its class.
    pub exception_id: String,
    /// A text for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Why execution stopped here.
    pub break_mode: ExceptionBreakMode,
    /// More about the exception.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<ExceptionDetails>,
}

/// What is known about an exception.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionDetails {
    /// Its message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The short name of its class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    /// The full name of its class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_type_name: Option<String>,
    /// An expression that yields the exception.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluate_name: Option<String>,
    /// The stack at which it was thrown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack_trace: Option<String>,
    /// Its causes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inner_exception: Option<Vec<ExceptionDetails>>,
}
