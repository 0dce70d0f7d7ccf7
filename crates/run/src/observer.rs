//! The observer receives occurrences while the program runs, and decides whether the run continues.

use model::{ActivationKey, Occurrence, Tables, ThreadIdentity};
use query::TraceQuery;
use std::sync::Arc;

/// The observer's decision about the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Continue.
    Continue,
    /// Stop: everything needed is known.
    Stop,
    /// Halt the program for inspection.
    Halt,
}

/// Why an observer aborts the run.
pub type ObserverError = Box<dyn std::error::Error + Send + Sync>;

/// The classes of a VM lack one that is asked about. Another VM of the command can have it.
#[derive(Debug)]
pub struct LacksClass(pub ObserverError);

impl std::fmt::Display for LacksClass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for LacksClass {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// Receives occurrences while the program runs.
pub trait Observer {
    /// Receives one occurrence, in the order of the run. `live` returns the activations that are still on a
    /// stack.
    ///
    /// # Errors
    /// It cannot accept more, for instance because too many candidates are alive; the run ends.
    fn occurrence(
        &mut self,
        occurrence: Occurrence,
        tables: &mut Tables,
        live: &dyn Fn() -> Vec<ActivationKey>,
    ) -> Result<Control, ObserverError>;

    /// Adds questions to the run. `queries` are now all its TraceQueries, the original ones first. `hits` is
    /// the number of earlier occurrences. Returns false if that is no longer possible.
    ///
    /// # Errors
    /// As [`Observer::occurrence`].
    fn asked(
        &mut self,
        _queries: &Arc<[TraceQuery]>,
        _hits: u64,
        _tables: &mut Tables,
    ) -> Result<bool, ObserverError> {
        Ok(false)
    }

    /// Receives a line that the VM has made at a log point, in the order of the run.
    ///
    /// # Errors
    /// As [`Observer::occurrence`].
    fn line(&mut self, _thread: ThreadIdentity, _text: String) -> Result<Control, ObserverError> {
        Ok(Control::Continue)
    }

    /// Receives the number of events so far, for a progress line.
    fn progress(&mut self, events: u64);
}
