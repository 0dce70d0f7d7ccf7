//! What the agent knows: plain functions that the VM calls find it here.

use crate::hidden_classes::HiddenClasses;
use crate::probes::Probes;
use crate::reporter::Reporter;
use crate::tracing::Tracer;
use jvmti_bindings::prelude::*;
use std::sync::{Mutex, OnceLock, PoisonError};
use wire::Report;

/// What the agent knows.
pub(crate) struct State {
    /// What goes into classes.
    pub probes: Probes,
    /// What records, where the run is recorded.
    pub tracer: Option<Tracer>,
    /// What `qp` is told.
    pub reporter: Reporter,
    /// The hidden classes that it was told of.
    pub hidden: HiddenClasses,
}

/// The VM's tool interface, by its address: the natives are not handed it.
static TOOLS: OnceLock<usize> = OnceLock::new();

/// The plan's state: the natives are plain functions and find it here.
static STATE: OnceLock<Mutex<State>> = OnceLock::new();

/// Keeps the VM's tool interface and the state. False if that was done before.
pub(crate) fn begin(tools: &Jvmti, state: State) -> bool {
    let _ = TOOLS.set(tools.raw() as usize);
    STATE.set(Mutex::new(state)).is_ok()
}

/// Does something with what the agent knows, unless it was given no plan.
pub(crate) fn with_state<T>(act: impl FnOnce(&mut State) -> T) -> Option<T> {
    // What panicked while it held the lock has written nothing that is half done: it only numbers sites.
    STATE.get().map(|state| act(&mut state.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// Tells `qp` what does not work.
pub(crate) fn problem(text: String) {
    with_state(|state| state.reporter.tell(&Report::Problem(text)));
}

/// The VM's tool interface.
pub(crate) fn tools() -> Option<Jvmti> {
    // SAFETY: the address was taken from the VM, which is alive: it calls.
    TOOLS.get().map(|tools| unsafe { Jvmti::from_raw(*tools as *mut _) })
}
