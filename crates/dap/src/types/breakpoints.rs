//! Breakpoints as the client asks for them, and as the adapter has set them.

use super::source::Source;
use serde::{Deserialize, Serialize};

/// A breakpoint that the client asks for in a source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceBreakpoint {
    /// The line.
    pub line: i64,
    /// The column at which the wanted place begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    /// The condition, an expression of the debuggee's language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The condition on the number of hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit_condition: Option<String>,
    /// The text to log instead of stopping. Expressions stand in braces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_message: Option<String>,
}

/// A breakpoint that the client asks for on a function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionBreakpoint {
    /// The function's name.
    pub name: String,
    /// The condition, an expression of the debuggee's language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The condition on the number of hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit_condition: Option<String>,
}

/// A breakpoint that the client asks for on a variable.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DataBreakpoint {
    /// The id that the answer to `dataBreakpointInfo` gave.
    pub data_id: String,
    /// The accesses at which to stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_type: Option<DataAccess>,
    /// The condition, an expression of the debuggee's language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The condition on the number of hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit_condition: Option<String>,
}

/// The accesses to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DataAccess {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Both.
    ReadWrite,
}

/// A filter for exceptions, with a condition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionFilterOptions {
    /// The id of the filter.
    pub filter_id: String,
    /// The condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
}

/// When to stop at some exceptions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionOptions {
    /// The path to the exceptions in a tree of categories. Absent means all exceptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Vec<ExceptionPathSegment>>,
    /// When to stop.
    pub break_mode: ExceptionBreakMode,
}

/// A step of a path to exceptions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionPathSegment {
    /// Whether all are meant but those named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub negate: Option<bool>,
    /// The names.
    pub names: Vec<String>,
}

/// When to stop at an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ExceptionBreakMode {
    /// Never.
    Never,
    /// When it is thrown.
    Always,
    /// If nothing catches it.
    Unhandled,
    /// If no code of the user catches it.
    UserUnhandled,
}

/// A breakpoint as the adapter has set it, or not set it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Breakpoint {
    /// The id, by which events refer to the breakpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// Whether the breakpoint is set, perhaps elsewhere than asked.
    pub verified: bool,
    /// Why the breakpoint is not set or was moved, for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The source.
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
    /// Why the breakpoint is not set, for the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<BreakpointReason>,
}

/// Why a breakpoint is not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BreakpointReason {
    /// It may be set later, for example once a class is loaded.
    Pending,
    /// It cannot be set.
    Failed,
}
