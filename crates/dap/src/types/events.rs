//! What the adapter reports without being asked.

use super::breakpoints::Breakpoint;
use super::session::Capabilities;
use super::source::Source;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The kind of an event, with what it reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", content = "body", rename_all = "camelCase")]
pub enum EventBody {
    /// The adapter is ready for breakpoints.
    Initialized,
    /// Execution has stopped.
    Stopped(StoppedBody),
    /// Execution goes on without a request that says so.
    Continued(ContinuedBody),
    /// The debuggee has ended.
    Exited(ExitedBody),
    /// The session has ended.
    Terminated(TerminatedBody),
    /// A thread has started or ended.
    Thread(ThreadBody),
    /// There is output.
    Output(OutputBody),
    /// A breakpoint has changed.
    Breakpoint(BreakpointBody),
    /// A long operation has begun.
    ProgressStart(ProgressStartBody),
    /// A long operation goes on.
    ProgressUpdate(ProgressUpdateBody),
    /// A long operation has ended.
    ProgressEnd(ProgressEndBody),
    /// What the client shows is out of date.
    Invalidated(InvalidatedBody),
    /// A process is being debugged.
    Process(ProcessBody),
    /// The adapter can do other things than before.
    Capabilities(CapabilitiesBody),
    /// A source was loaded, changed or unloaded.
    LoadedSource(LoadedSourceBody),
}

/// The body of `stopped`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoppedBody {
    /// Why execution stopped.
    pub reason: StopReason,
    /// The reason for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The thread that stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<i64>,
    /// Whether the client should keep what the user looks at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preserve_focus_hint: Option<bool>,
    /// More for the user, such as the name of an exception.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether all threads stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_threads_stopped: Option<bool>,
    /// The ids of the breakpoints that were hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit_breakpoint_ids: Option<Vec<i64>>,
}

/// Why execution stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    /// A step has ended.
    Step,
    /// A breakpoint was hit.
    Breakpoint,
    /// An exception was thrown.
    Exception,
    /// The user asked for it.
    Pause,
    /// The debuggee has started.
    Entry,
    /// Execution was moved.
    Goto,
    /// A breakpoint on a function was hit.
    #[serde(rename = "function breakpoint")]
    FunctionBreakpoint,
    /// A data breakpoint was hit.
    #[serde(rename = "data breakpoint")]
    DataBreakpoint,
    /// A breakpoint on an instruction was hit.
    #[serde(rename = "instruction breakpoint")]
    InstructionBreakpoint,
    /// Another one, for which the protocol has no name.
    #[serde(untagged)]
    Other(String),
}

/// The body of `continued`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContinuedBody {
    /// The thread.
    pub thread_id: i64,
    /// Whether all threads go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_threads_continued: Option<bool>,
}

/// The body of `exited`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExitedBody {
    /// The exit code of the debuggee.
    pub exit_code: i64,
}

/// The body of `terminated`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TerminatedBody {
    /// Asks the client to restart the session, unless absent. The value comes back with `launch` or `attach`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<Value>,
}

/// The body of `thread`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadBody {
    /// What became of the thread.
    pub reason: ThreadReason,
    /// The thread.
    pub thread_id: i64,
}

/// What became of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ThreadReason {
    /// It has started.
    Started,
    /// It has ended.
    Exited,
    /// Another one, for which the protocol has no name.
    #[serde(untagged)]
    Other(String),
}

/// The body of `output`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputBody {
    /// Whose output it is, by default that of the adapter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<OutputCategory>,
    /// The text.
    pub output: String,
    /// Whether the output starts or ends a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<OutputGroup>,
    /// The number by which to ask for the objects in the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables_reference: Option<i64>,
    /// The source that printed the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// The line that printed the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// The column that printed the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    /// Data for telemetry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// Whose output it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OutputCategory {
    /// That of the adapter, for the console.
    Console,
    /// That of the adapter, to be shown with emphasis.
    Important,
    /// The debuggee's standard output.
    Stdout,
    /// The debuggee's standard error.
    Stderr,
    /// Telemetry, which is not shown.
    Telemetry,
    /// Another one, for which the protocol has no name.
    #[serde(untagged)]
    Other(String),
}

/// Whether an output starts or ends a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OutputGroup {
    /// It starts an open group.
    Start,
    /// It starts a collapsed group.
    StartCollapsed,
    /// It ends the group.
    End,
}

/// The body of `breakpoint`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BreakpointBody {
    /// What became of the breakpoint.
    pub reason: ChangeReason,
    /// The breakpoint, with its id.
    pub breakpoint: Breakpoint,
}

/// What became of a breakpoint or source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeReason {
    /// It is new.
    New,
    /// It has changed.
    Changed,
    /// It is gone.
    Removed,
}

/// The body of `progressStart`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressStartBody {
    /// The id of the operation.
    pub progress_id: String,
    /// What is being done, for the user.
    pub title: String,
    /// The number of the request that takes long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<i64>,
    /// Whether the operation can be cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancellable: Option<bool>,
    /// More for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How much is done, from 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percentage: Option<f64>,
}

/// The body of `progressUpdate`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressUpdateBody {
    /// The id of the operation.
    pub progress_id: String,
    /// More for the user. Absent means that the last message stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How much is done, from 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percentage: Option<f64>,
}

/// The body of `progressEnd`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressEndBody {
    /// The id of the operation.
    pub progress_id: String,
    /// More for the user. Absent means that the last message stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The body of `invalidated`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InvalidatedBody {
    /// What is out of date; all by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub areas: Option<Vec<InvalidatedArea>>,
    /// The thread that is concerned, if it is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<i64>,
    /// The frame that is concerned, if it is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack_frame_id: Option<i64>,
}

/// Something that a client shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum InvalidatedArea {
    /// All of it.
    All,
    /// The stacks.
    Stacks,
    /// The threads.
    Threads,
    /// The variables.
    Variables,
    /// Another one, for which the protocol has no name.
    #[serde(untagged)]
    Other(String),
}

/// The body of `process`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProcessBody {
    /// The name of the program.
    pub name: String,
    /// The id of the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_process_id: Option<i64>,
    /// Whether the process runs on the machine of the adapter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_local_process: Option<bool>,
    /// How the session began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_method: Option<ProcessStart>,
    /// The size of a pointer, in bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer_size: Option<i64>,
}

/// How a session began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ProcessStart {
    /// The process was started for it.
    Launch,
    /// It was connected to a running process.
    Attach,
    /// It was connected to a process that was started suspended.
    AttachForSuspendedLaunch,
}

/// The body of `capabilities`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CapabilitiesBody {
    /// The capabilities that have changed.
    pub capabilities: Capabilities,
}

/// The body of `loadedSource`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadedSourceBody {
    /// What became of the source.
    pub reason: ChangeReason,
    /// The source.
    pub source: Source,
}
