//! What a recording has, in the protocol's types.

use super::answer::number;
use dap::types::{
    Capabilities, ExceptionBreakpointsFilter, Scope, ScopeHint, Source, StackFrame,
    StopReason as ShownReason, StoppedBody, Variable, VariableAttribute, VariablePresentationHint,
};
use past::{Frame, HeldVariable, Stop, StopReason};

/// The filter of exceptions that recorded code catches.
pub const CAUGHT: &str = "caught";
/// The filter of exceptions that leave all recorded code.
pub const UNCAUGHT: &str = "uncaught";

/// What the adapter can do.
pub fn capabilities() -> Capabilities {
    let filter = |filter: &str, label: &str, description: &str| ExceptionBreakpointsFilter {
        filter: filter.to_owned(),
        label: label.to_owned(),
        description: Some(description.to_owned()),
        default: Some(false),
        supports_condition: Some(true),
        condition_description: Some(
            "classes, such as `IllegalStateException, java.io.*`; then `if` and a Java condition".to_owned(),
        ),
    };
    Capabilities {
        supports_configuration_done_request: Some(true),
        supports_function_breakpoints: Some(true),
        supports_conditional_breakpoints: Some(true),
        supports_hit_conditional_breakpoints: Some(true),
        supports_log_points: Some(true),
        supports_data_breakpoints: Some(true),
        exception_breakpoint_filters: Some(vec![
            filter(CAUGHT, "Caught exceptions", "exceptions that recorded code catches"),
            filter(UNCAUGHT, "Uncaught exceptions", "exceptions that leave all recorded code"),
        ]),
        supports_exception_filter_options: Some(true),
        supports_exception_info_request: Some(true),
        supports_step_back: Some(true),
        supports_restart_frame: Some(true),
        supports_goto_targets_request: Some(true),
        supports_step_in_targets_request: Some(true),
        supports_breakpoint_locations_request: Some(true),
        supports_completions_request: Some(true),
        completion_trigger_characters: Some(vec![".".to_owned()]),
        supports_loaded_sources_request: Some(true),
        supports_restart_request: Some(true),
        supports_terminate_request: Some(true),
        supports_cancel_request: Some(true),
        supports_delayed_stack_trace_loading: Some(true),
        supports_evaluate_for_hovers: Some(true),
        supports_clipboard_context: Some(true),
        ..Capabilities::default()
    }
}

/// What is said about hits that are not listed.
pub fn left_out(hits: usize) -> String {
    match hits {
        1 => "… and 1 more hit".to_owned(),
        hits => format!("… and {hits} more hits"),
    }
}

/// The end of a move.
pub fn stopped(stop: &Stop) -> StoppedBody {
    let (reason, description) = match stop.reason {
        StopReason::Step => (ShownReason::Step, None),
        StopReason::Breakpoint => (ShownReason::Breakpoint, None),
        StopReason::Method => (ShownReason::FunctionBreakpoint, None),
        StopReason::Changed => (ShownReason::DataBreakpoint, Some("this line writes the variable")),
        StopReason::Goto => (ShownReason::Goto, None),
        StopReason::Restart => (ShownReason::Other("restart".to_owned()), Some("beginning of the call")),
        StopReason::Thrown => (ShownReason::Exception, None),
        StopReason::Exception => (ShownReason::Exception, Some("end of the recording: uncaught exception")),
        StopReason::Beginning => (ShownReason::Entry, Some("beginning of the recording")),
        StopReason::End => (ShownReason::Pause, Some("end of the recording")),
    };
    StoppedBody {
        reason,
        description: description.map(str::to_owned),
        thread_id: Some(number(stop.thread)),
        preserve_focus_hint: None,
        text: stop.exception.clone().or_else(|| stop.problem.clone()),
        all_threads_stopped: Some(true),
        hit_breakpoint_ids: (!stop.hits.is_empty()).then(|| stop.hits.clone()),
    }
}

/// A frame.
pub fn frame(id: i64, frame: Frame, source: Option<Source>) -> StackFrame {
    StackFrame {
        id,
        name: frame_name(frame.name, frame.is_suspended),
        source,
        line: frame.line.map_or(0, i64::from),
        can_restart: Some(true),
        ..StackFrame::default()
    }
}

/// The name of a frame. A suspended function is on no stack of the VM.
pub fn frame_name(name: String, is_suspended: bool) -> String {
    if is_suspended { format!("{name} (suspended)") } else { name }
}

/// A list of variables of a frame.
pub fn scope(name: String, variables_reference: i64, hint: Option<ScopeHint>, is_long: bool) -> Scope {
    Scope { name, presentation_hint: hint, variables_reference, expensive: is_long, ..Scope::default() }
}

/// A variable; `variables_reference` leads to its parts, 0 to none. `pages` says whether the editor asks for
/// long lists page by page.
pub fn variable(held: HeldVariable, variables_reference: i64, pages: bool) -> Variable {
    let value = held.value.unwrap_or_else(|| "not recorded".to_owned());
    let hint = VariablePresentationHint {
        attributes: Some(vec![VariableAttribute::ReadOnly]),
        ..VariablePresentationHint::default()
    };
    Variable {
        name: held.name,
        value: if held.changed { format!("{value}  (changed in this call)") } else { value },
        type_name: held.type_name,
        evaluate_name: held.expression,
        presentation_hint: Some(hint),
        variables_reference,
        indexed_variables: held.elements.filter(|_| pages).map(number),
        ..Variable::default()
    }
}
