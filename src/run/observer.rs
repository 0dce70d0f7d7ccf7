//! Who is told of occurrences while the program runs, and what they want of it.

use crate::model::{ActivationKey, Occurrence, Tables};
use crate::query::TraceQuery;
use std::sync::Arc;

/// Whether the observer wants more of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// All that is wanted is known.
    Stop,
    /// Let the program stand where it is, to be looked at.
    Halt,
}

/// Why an observer gives up.
pub type ObserverError = Box<dyn std::error::Error + Send + Sync>;

/// Who is told of occurrences while the program runs.
pub trait Observer {
    /// One occurrence, in the order of the run. `live` names the activations that are still on a stack.
    ///
    /// # Errors
    /// When it cannot take more, for instance since too many candidates are alive; the run ends.
    fn occurrence(
        &mut self,
        occurrence: Occurrence,
        tables: &mut Tables,
        live: &dyn Fn() -> Vec<ActivationKey>,
    ) -> Result<Control, ObserverError>;

    /// The run is to be asked more from here on: these are all its TraceQueries now, those it had first.
    /// `hits` is the number of occurrences before. False if that cannot be done any more.
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

    /// The events seen so far, for a progress line.
    fn progress(&mut self, events: u64);
}
