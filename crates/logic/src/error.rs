//! Errors of queries.

use past::PastError;
use trace::TraceError;

/// A query has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogicError {
    /// The log has no such event.
    #[error("there is no event {id}: the log has {count} events, numbered from 0")]
    NoSuchEvent {
        /// The given id.
        id: u64,
        /// Number of events.
        count: u64,
    },
    /// A word of the query is not what is expected there.
    #[error("`{given}` is not {expected}")]
    NotThis {
        /// The word.
        given: String,
        /// What is expected.
        expected: String,
    },
    /// No recorded method has this name.
    #[error("no method `{name}` was recorded{}", said(nearest.as_deref()))]
    NoSuchMethod {
        /// The name.
        name: String,
        /// The nearest name.
        nearest: Option<String>,
    },
    /// No recorded class declares this field, and no recorded method writes it.
    #[error("no recorded class has a field `{name}`{}", said(nearest.as_deref()))]
    NoSuchField {
        /// The name.
        name: String,
        /// The nearest name.
        nearest: Option<String>,
    },
    /// The recording does not have what the query needs.
    #[error("{what} were not recorded at level {level}: record the run again with `--level {needs}`")]
    NotRecorded {
        /// What the query needs.
        what: &'static str,
        /// The level of the recording.
        level: String,
        /// The level that has it.
        needs: &'static str,
    },
    /// The other run has nothing that fits.
    #[error("the other run has no counterpart of {name} ({what})")]
    NotInOtherRun {
        /// The name in the first run.
        name: String,
        /// What was looked for.
        what: String,
    },
    /// The view of a recording has no answer.
    #[error(transparent)]
    Past(#[from] PastError),
}

fn said(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!("; the nearest name is {nearest}")).unwrap_or_default()
}

impl From<TraceError> for LogicError {
    fn from(error: TraceError) -> LogicError {
        LogicError::Past(error.into())
    }
}
