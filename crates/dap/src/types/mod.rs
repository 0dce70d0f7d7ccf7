//! The arguments of requests, and the bodies of responses and events: one file per theme.
//!
//! The names are those of the protocol: `Arguments` end what a request carries, and `Body` what a response or
//! event carries. Types cover what the adapter needs. For example, they know no memory references.
//!
//! Lines and columns count from 1 or from 0, as the client asked in [`InitializeArguments`].

mod breakpoint_requests;
mod breakpoints;
mod events;
mod execution;
mod frames;
mod session;
mod source;
mod terminal;
mod values;

pub use breakpoint_requests::{
    BreakpointLocation, BreakpointLocationsArguments, BreakpointLocationsBody, DataBreakpointInfoArguments,
    DataBreakpointInfoBody, SetBreakpointsArguments, SetBreakpointsBody, SetDataBreakpointsArguments,
    SetExceptionBreakpointsArguments, SetFunctionBreakpointsArguments,
};
pub use breakpoints::{
    Breakpoint, BreakpointReason, DataAccess, DataBreakpoint, ExceptionBreakMode, ExceptionFilterOptions,
    ExceptionOptions, ExceptionPathSegment, FunctionBreakpoint, SourceBreakpoint,
};
pub use events::{
    BreakpointBody, CapabilitiesBody, ChangeReason, ContinuedBody, EventBody, ExitedBody, InvalidatedArea,
    InvalidatedBody, LoadedSourceBody, OutputBody, OutputCategory, OutputGroup, ProcessBody, ProcessStart,
    ProgressEndBody, ProgressStartBody, ProgressUpdateBody, StopReason, StoppedBody, TerminatedBody,
    ThreadBody, ThreadReason,
};
pub use execution::{
    ContinueArguments, ContinueBody, GotoArguments, GotoTarget, GotoTargetsArguments, GotoTargetsBody,
    PauseArguments, RestartFrameArguments, StepArguments, StepInArguments, StepInTarget,
    StepInTargetsArguments, StepInTargetsBody, SteppingGranularity,
};
pub use frames::{
    ExceptionDetails, ExceptionInfoArguments, ExceptionInfoBody, FrameHint, Scope, ScopeHint,
    ScopesArguments, ScopesBody, StackFrame, StackFrameFormat, StackTraceArguments, StackTraceBody, Thread,
    ThreadsBody,
};
pub use session::{
    AttachArguments, CancelArguments, Capabilities, DisconnectArguments, ExceptionBreakpointsFilter,
    InitializeArguments, LaunchArguments, PathFormat, RestartArguments, TerminateArguments,
};
pub use source::{
    Checksum, ChecksumAlgorithm, LoadedSourcesBody, Source, SourceArguments, SourceBody, SourceHint,
};
pub use terminal::{RunInTerminalArguments, RunInTerminalBody, TerminalKind};
pub use values::{
    CompletionItem, CompletionKind, CompletionsArguments, CompletionsBody, EvaluateArguments, EvaluateBody,
    EvaluateContext, ValueFormat, Variable, VariableAttribute, VariableFilter, VariableKind,
    VariablePresentationHint, VariableVisibility, VariablesArguments, VariablesBody,
};
