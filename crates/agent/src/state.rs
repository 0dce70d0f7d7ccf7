//! The agent's global state. Native methods are plain functions, so they find it here.

use crate::covering::Coverer;
use crate::hidden_classes::HiddenClasses;
use crate::probes::Probes;
use crate::reporter::Reporter;
use crate::tracing::Tracer;
use jvmti_bindings::prelude::*;
use std::sync::{Mutex, OnceLock, PoisonError};
use wire::Report;

/// The agent's state.
pub(crate) struct State {
    /// Inserts probes into classes.
    pub probes: Probes,
    /// Records classes; set if the run is recorded.
    pub tracer: Option<Tracer>,
    /// Notes the coverage of classes; set if the run notes nothing else.
    pub coverer: Option<Coverer>,
    /// Reports to `qp`.
    pub reporter: Reporter,
    /// The hidden classes already reported.
    pub hidden: HiddenClasses,
}

impl State {
    /// Whether the plan selects a class, given by its name with slashes, whether or not it is generated.
    pub fn selects(&self, class: &str) -> bool {
        self.tracer.as_ref().is_some_and(|tracer| tracer.selects(class))
            || self.coverer.as_ref().is_some_and(|coverer| coverer.selects(class))
    }
}

/// The address of the JVMTI environment, which the VM does not pass to natives.
static TOOLS: OnceLock<usize> = OnceLock::new();

/// The state, for native methods, which are plain functions.
static STATE: OnceLock<Mutex<State>> = OnceLock::new();

/// Stores the JVMTI environment and the state. False if they were already stored.
pub(crate) fn begin(tools: &Jvmti, state: State) -> bool {
    let _ = TOOLS.set(tools.raw() as usize);
    STATE.set(Mutex::new(state)).is_ok()
}

/// Calls `act` with the state, unless the agent has no plan.
pub(crate) fn with_state<T>(act: impl FnOnce(&mut State) -> T) -> Option<T> {
    // A panic under the lock leaves no inconsistent state, because such code only numbers sites.
    STATE.get().map(|state| act(&mut state.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// Reports a problem to `qp`.
pub(crate) fn problem(text: String) {
    with_state(|state| state.reporter.tell(&Report::Problem(text)));
}

/// The JVMTI environment.
pub(crate) fn tools() -> Option<Jvmti> {
    // SAFETY: the address came from the VM, which is alive because it is calling.
    TOOLS.get().map(|tools| unsafe { Jvmti::from_raw(*tools as *mut _) })
}
