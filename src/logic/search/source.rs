//! An open recording with its log.

use crate::inspect::locals::KnownLocals;
use crate::inspect::{InspectError, Recording};
use crate::logic::log::{DecodedBlock, Log, LogEvent, LogIndex};
use crate::trace::{Calls, EventPosition, EventTime, Value};
use std::sync::{Arc, Mutex};

/// Opens the recording once more, for another thread.
pub type OpenAgain = Box<dyn Fn() -> Option<Source> + Send + Sync>;

/// Further sources of the same recording, for other threads.
pub(super) struct Spares {
    pub open: OpenAgain,
    /// Those that no thread uses.
    pub kept: Mutex<Vec<Source>>,
}

/// A recording and its log.
pub struct Source {
    /// The recording.
    pub recording: Recording,
    /// Its log.
    pub log: Log,
    /// The variables of the call about which was asked last.
    locals: Option<(u32, KnownLocals)>,
    spares: Option<Arc<Spares>>,
}

impl Source {
    /// Reads the log of a recording by its index.
    pub fn new(recording: Recording, index: Arc<LogIndex>) -> Source {
        Source { recording, log: Log::new(index), locals: None, spares: None }
    }

    /// Lets large searches run on several threads, each with a source that `open` makes.
    #[must_use]
    pub fn with_spares(self, open: OpenAgain) -> Source {
        Source { spares: Some(Arc::new(Spares { open, kept: Mutex::default() })), ..self }
    }

    pub(super) fn spares(&self) -> Option<Arc<Spares>> {
        self.spares.clone()
    }

    /// The recorded calls.
    pub fn calls(&mut self) -> &mut Calls {
        &mut self.recording.calls
    }

    /// The recorded calls and the log.
    pub fn parts(&mut self) -> (&mut Calls, &mut Log) {
        (&mut self.recording.calls, &mut self.log)
    }

    /// The event with an id.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn event(&mut self, id: u64) -> Result<Option<(Arc<DecodedBlock>, LogEvent)>, InspectError> {
        Ok(self.log.event(&mut self.recording.calls, id)?)
    }

    /// The variables of a call before a time, as far as they have values: names and values.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn locals(&mut self, node: u32, when: EventTime) -> Result<Vec<(String, Value)>, InspectError> {
        let known = self.locals.take().filter(|(of, _)| *of == node).map(|(_, known)| known);
        let at = EventPosition::new(node, when);
        let Some(known) = KnownLocals::before(known, &mut self.recording.calls, at)? else {
            return Ok(Vec::new());
        };
        let named = known.list().into_iter().map(|local| (local.name, local.value)).collect();
        self.locals = Some((node, known));
        Ok(named)
    }
}
