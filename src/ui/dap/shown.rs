//! What a recording has, in the protocol's types.

use crate::session::{Frame, HeldVariable, Stop, StopReason};
use dap::types::{
    Capabilities, Scope, ScopeHint, Source, StackFrame, StopReason as ShownReason, StoppedBody, Variable,
    VariableAttribute, VariablePresentationHint,
};

/// What the adapter can do.
pub fn capabilities() -> Capabilities {
    Capabilities {
        supports_configuration_done_request: Some(true),
        supports_step_back: Some(true),
        supports_terminate_request: Some(true),
        supports_cancel_request: Some(true),
        supports_delayed_stack_trace_loading: Some(true),
        supports_evaluate_for_hovers: Some(true),
        ..Capabilities::default()
    }
}

/// A number of the protocol.
pub fn number(n: impl TryInto<i64>) -> i64 {
    n.try_into().unwrap_or(i64::MAX)
}

/// The end of a move.
pub fn stopped(stop: &Stop) -> StoppedBody {
    let (reason, description) = match stop.reason {
        StopReason::Step => (ShownReason::Step, None),
        StopReason::Breakpoint => (ShownReason::Breakpoint, None),
        StopReason::Exception => (ShownReason::Exception, Some("end of the recording: uncaught exception")),
        StopReason::Beginning => (ShownReason::Entry, Some("beginning of the recording")),
        StopReason::End => (ShownReason::Pause, Some("end of the recording")),
    };
    StoppedBody {
        reason,
        description: description.map(str::to_owned),
        thread_id: Some(number(stop.thread)),
        preserve_focus_hint: None,
        text: stop.exception.clone(),
        all_threads_stopped: Some(true),
        hit_breakpoint_ids: None,
    }
}

/// A frame; `id` is its depth from 1.
pub fn frame(id: i64, frame: Frame) -> StackFrame {
    let source = frame.source.map(|source| Source {
        name: Some(source.name),
        path: source.path.map(|path| path.display().to_string()),
        ..Source::default()
    });
    StackFrame {
        id,
        name: frame.name,
        source,
        line: frame.line.map_or(0, i64::from),
        ..StackFrame::default()
    }
}

/// The variables of a frame.
pub fn scope(variables_reference: i64) -> Scope {
    Scope {
        name: "Locals".to_owned(),
        presentation_hint: Some(ScopeHint::Locals),
        variables_reference,
        ..Scope::default()
    }
}

/// A variable; `variables_reference` leads to its parts, 0 to none.
pub fn variable(held: HeldVariable, variables_reference: i64) -> Variable {
    let value = held.value.unwrap_or_else(|| "not recorded".to_owned());
    let hint = VariablePresentationHint {
        attributes: Some(vec![VariableAttribute::ReadOnly]),
        ..VariablePresentationHint::default()
    };
    Variable {
        name: held.name,
        value: if held.changed { format!("{value}  (changed in this call)") } else { value },
        presentation_hint: Some(hint),
        variables_reference,
        ..Variable::default()
    }
}
