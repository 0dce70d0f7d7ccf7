//! The session: its start, what both sides can do, and its end.

use super::source::ChecksumAlgorithm;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The arguments of `initialize`: what the client is and can do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeArguments {
    /// The client's id, for example `vscode`.
    #[serde(rename = "clientID")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// The client's name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_name: Option<String>,
    /// The id by which the client knows the adapter.
    #[serde(rename = "adapterID")]
    pub adapter_id: String,
    /// The user's language, for example `de-CH`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// Whether lines count from 1, as by default, rather than from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_start_at1: Option<bool>,
    /// Whether columns count from 1, as by default, rather than from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns_start_at1: Option<bool>,
    /// The form of paths; file paths by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_format: Option<PathFormat>,
    /// Whether the client shows [`Variable::type_name`](super::Variable::type_name).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_variable_type: Option<bool>,
    /// Whether the client asks for variables in pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_variable_paging: Option<bool>,
    /// Whether the client handles `runInTerminal`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_run_in_terminal_request: Option<bool>,
    /// Whether the client uses memory references.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_memory_references: Option<bool>,
    /// Whether the client shows progress events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_progress_reporting: Option<bool>,
    /// Whether the client handles `invalidated` events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_invalidated_event: Option<bool>,
    /// Whether the client handles `memory` events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_memory_event: Option<bool>,
    /// Whether the client can let the shell interpret the arguments of `runInTerminal`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_args_can_be_interpreted_by_shell: Option<bool>,
    /// Whether the client handles `startDebugging`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_start_debugging_request: Option<bool>,
}

/// The form of paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PathFormat {
    /// Paths of files.
    Path,
    /// URIs, such as `file:///tmp/A.java`.
    Uri,
    /// Another one, for which the protocol has no name.
    #[serde(untagged)]
    Other(String),
}

/// What the adapter can do. Absent is the same as `false`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// The adapter handles `configurationDone`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_configuration_done_request: Option<bool>,
    /// The adapter handles `setFunctionBreakpoints`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_function_breakpoints: Option<bool>,
    /// Breakpoints may have a condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_conditional_breakpoints: Option<bool>,
    /// Breakpoints may have a condition on the number of hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_hit_conditional_breakpoints: Option<bool>,
    /// Evaluation for hovers has no side effects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_evaluate_for_hovers: Option<bool>,
    /// The filters that `setExceptionBreakpoints` takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception_breakpoint_filters: Option<Vec<ExceptionBreakpointsFilter>>,
    /// The adapter handles `stepBack` and `reverseContinue`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_step_back: Option<bool>,
    /// The adapter handles `setVariable`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_set_variable: Option<bool>,
    /// The adapter handles `restartFrame`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_restart_frame: Option<bool>,
    /// The adapter handles `gotoTargets` and `goto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_goto_targets_request: Option<bool>,
    /// The adapter handles `stepInTargets`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_step_in_targets_request: Option<bool>,
    /// The adapter handles `completions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_completions_request: Option<bool>,
    /// The characters after which the client asks for completions; `.` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_trigger_characters: Option<Vec<String>>,
    /// The adapter handles `modules`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_modules_request: Option<bool>,
    /// The algorithms for checksums of sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supported_checksum_algorithms: Option<Vec<ChecksumAlgorithm>>,
    /// The adapter handles `restart`. Without it, the client ends the session and starts another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_restart_request: Option<bool>,
    /// The adapter takes [`ExceptionOptions`](super::ExceptionOptions).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_exception_options: Option<bool>,
    /// The adapter takes [`ValueFormat`](super::ValueFormat).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_value_formatting_options: Option<bool>,
    /// The adapter handles `exceptionInfo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_exception_info_request: Option<bool>,
    /// The adapter takes [`DisconnectArguments::terminate_debuggee`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub support_terminate_debuggee: Option<bool>,
    /// The adapter takes [`DisconnectArguments::suspend_debuggee`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub support_suspend_debuggee: Option<bool>,
    /// The adapter sends parts of a stack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_delayed_stack_trace_loading: Option<bool>,
    /// The adapter handles `loadedSources`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_loaded_sources_request: Option<bool>,
    /// Breakpoints may log instead of stopping.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_log_points: Option<bool>,
    /// The adapter handles `terminateThreads`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_terminate_threads_request: Option<bool>,
    /// The adapter handles `setExpression`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_set_expression: Option<bool>,
    /// The adapter handles `terminate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_terminate_request: Option<bool>,
    /// The adapter handles `dataBreakpointInfo` and `setDataBreakpoints`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_data_breakpoints: Option<bool>,
    /// The adapter handles `readMemory`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_read_memory_request: Option<bool>,
    /// The adapter handles `writeMemory`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_write_memory_request: Option<bool>,
    /// The adapter handles `disassemble`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_disassemble_request: Option<bool>,
    /// The adapter handles `cancel`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_cancel_request: Option<bool>,
    /// The adapter handles `breakpointLocations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_breakpoint_locations_request: Option<bool>,
    /// The adapter knows the context `clipboard` of `evaluate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_clipboard_context: Option<bool>,
    /// Steps may have a granularity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_stepping_granularity: Option<bool>,
    /// The adapter handles `setInstructionBreakpoints`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_instruction_breakpoints: Option<bool>,
    /// The adapter takes [`ExceptionFilterOptions`](super::ExceptionFilterOptions).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_exception_filter_options: Option<bool>,
    /// Execution requests may concern a single thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_single_thread_execution_requests: Option<bool>,
}

/// A kind of exceptions at which the user can have the debuggee stopped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionBreakpointsFilter {
    /// The id by which `setExceptionBreakpoints` names the filter.
    pub filter: String,
    /// The name for the user.
    pub label: String,
    /// A longer text for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the filter is on at first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,
    /// Whether the filter may have a condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_condition: Option<bool>,
    /// What the condition may say, for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition_description: Option<String>,
}

/// The arguments of `launch`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LaunchArguments {
    /// Whether to run the debuggee without debugging it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_debug: Option<bool>,
    /// What the adapter sent with `terminated` when it asked for this restart.
    #[serde(rename = "__restart")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<Value>,
    /// The settings of the user, whose names the adapter defines.
    #[serde(flatten)]
    pub settings: Map<String, Value>,
}

/// The arguments of `attach`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachArguments {
    /// What the adapter sent with `terminated` when it asked for this restart.
    #[serde(rename = "__restart")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<Value>,
    /// The settings of the user, whose names the adapter defines.
    #[serde(flatten)]
    pub settings: Map<String, Value>,
}

/// The arguments of `restart`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RestartArguments {
    /// The current arguments of `launch` or `attach`, which the user may have changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<LaunchArguments>,
}

/// The arguments of `disconnect`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DisconnectArguments {
    /// Whether the session ends to start again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<bool>,
    /// Whether to end the debuggee. By default, a launched debuggee ends and any other stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminate_debuggee: Option<bool>,
    /// Whether to leave the debuggee suspended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspend_debuggee: Option<bool>,
}

/// The arguments of `terminate`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TerminateArguments {
    /// Whether the debuggee ends to start again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<bool>,
}

/// The arguments of `cancel`. Only one of them is given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelArguments {
    /// The number of the request to cancel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<i64>,
    /// The id of the progress to cancel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress_id: Option<String>,
}
