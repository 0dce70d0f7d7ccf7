//! An open recording with its log.

use crate::inspect::{InspectError, Recording};
use crate::logic::log::{DecodedBlock, Log, LogEvent, LogIndex};
use crate::trace::{Calls, TraceError};
use std::sync::Arc;

/// A recording and its log.
pub struct Source<'a> {
    /// The recording.
    pub recording: &'a mut Recording,
    /// Its log.
    pub log: Log,
}

impl<'a> Source<'a> {
    /// Reads the log of a recording. `goes_on` is called now and then, and stops the work when it returns
    /// false.
    ///
    /// # Errors
    /// The events cannot be read; [`TraceError::Interrupted`].
    pub fn open(
        recording: &'a mut Recording,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Source<'a>, TraceError> {
        let index = LogIndex::build(&mut recording.calls, goes_on)?;
        Ok(Source { recording, log: Log::new(Arc::new(index)) })
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
}
