//! The requests that set breakpoints, or ask for their places.

use super::breakpoints::{
    Breakpoint, DataAccess, DataBreakpoint, ExceptionFilterOptions, ExceptionOptions, FunctionBreakpoint,
    SourceBreakpoint,
};
use super::source::Source;
use serde::{Deserialize, Serialize};

/// The arguments of `breakpointLocations`: a range of a source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BreakpointLocationsArguments {
    /// The source.
    pub source: Source,
    /// The first line.
    pub line: i64,
    /// The first column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    /// The last line, by default the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<i64>,
    /// The last column, by default the last of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<i64>,
}

/// The answer to `breakpointLocations`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BreakpointLocationsBody {
    /// The places, in any order.
    pub breakpoints: Vec<BreakpointLocation>,
}

/// A place that can have a breakpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BreakpointLocation {
    /// The first line.
    pub line: i64,
    /// The first column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    /// The last line, if the place spans several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<i64>,
    /// The last column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<i64>,
}

/// The arguments of `setBreakpoints`: all breakpoints of a source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetBreakpointsArguments {
    /// The source.
    pub source: Source,
    /// The breakpoints. Absent means none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breakpoints: Option<Vec<SourceBreakpoint>>,
    /// The lines with breakpoints, from clients of an early version of the protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<i64>>,
    /// Whether the source differs from that of the debuggee.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_modified: Option<bool>,
}

/// The answer to `setBreakpoints`, `setFunctionBreakpoints`, `setExceptionBreakpoints` or
/// `setDataBreakpoints`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetBreakpointsBody {
    /// The breakpoints, in the order of the request.
    pub breakpoints: Vec<Breakpoint>,
}

/// The arguments of `setFunctionBreakpoints`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetFunctionBreakpointsArguments {
    /// All breakpoints on functions.
    pub breakpoints: Vec<FunctionBreakpoint>,
}

/// The arguments of `setExceptionBreakpoints`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetExceptionBreakpointsArguments {
    /// The ids of the filters that are on and have no condition.
    pub filters: Vec<String>,
    /// More filters, with conditions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter_options: Option<Vec<ExceptionFilterOptions>>,
    /// More exceptions, by their category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception_options: Option<Vec<ExceptionOptions>>,
}

/// The arguments of `dataBreakpointInfo`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DataBreakpointInfoArguments {
    /// The container of the variable. Absent means that the name is an expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables_reference: Option<i64>,
    /// The name of the variable, or an expression.
    pub name: String,
    /// The frame in which to evaluate the expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_id: Option<i64>,
}

/// The answer to `dataBreakpointInfo`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DataBreakpointInfoBody {
    /// The id for `setDataBreakpoints`, or `null` if the variable cannot have a breakpoint.
    pub data_id: Option<String>,
    /// The variable for the user, or why it cannot have a breakpoint.
    pub description: String,
    /// The accesses at which the adapter can stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_types: Option<Vec<DataAccess>>,
    /// Whether the id is valid in later sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub can_persist: Option<bool>,
}

/// The arguments of `setDataBreakpoints`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetDataBreakpointsArguments {
    /// All data breakpoints.
    pub breakpoints: Vec<DataBreakpoint>,
}
