//! The index of a recording's log: kept beside its tables, and built when it is missing.

use crate::RecordedTrace;
use logic::log::LogIndex;
use logic::search::Source;
use session::SessionError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The name of the file, in the folder of the tables.
const FILE: &str = "log.index";

/// Opens the log of a recording. Keeps a new index once the recording has ended.
///
/// # Errors
/// The events cannot be read, or `stop` was set.
pub(super) fn open(trace: RecordedTrace, stop: &AtomicBool) -> Result<Source, SessionError> {
    let RecordedTrace { folder, mut recording, .. } = trace;
    let file = folder.columns().join(FILE);
    let kept = std::fs::read(&file).ok();
    if let Some(index) = kept.and_then(|bytes| LogIndex::from_bytes(&bytes, &recording.calls)) {
        return Ok(Source::new(recording, Arc::new(index)));
    }
    let calls = &mut recording.calls;
    let index = LogIndex::build(calls, &mut || !stop.load(Ordering::Relaxed))?;
    if recording.about.recorded.is_some() && folder.columns().exists() {
        // Errors are ignored: the index is built again when it is missing.
        if let Some(bytes) = index.to_bytes(recording.calls.stamp()) {
            drop(files::write_private(&file, bytes));
        }
    }
    Ok(Source::new(recording, Arc::new(index)))
}
