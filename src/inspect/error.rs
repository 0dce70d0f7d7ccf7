//! Why a recording does not show what was asked.

use crate::trace::TraceError;

/// Why a recording does not show what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InspectError {
    /// A recorded run has no such call.
    #[error("there is no call {node}: {calls} were recorded, numbered from 0")]
    NoSuchCall {
        /// The number that was given.
        node: u32,
        /// How many there are.
        calls: usize,
    },
    /// A recorded run has no such thread.
    #[error("no call of a thread `{thread}` was recorded; there are: {there}")]
    NoSuchThread {
        /// The name that was given.
        thread: String,
        /// The names that there are.
        there: String,
    },
    /// A text names no variable of a recorded run.
    #[error(
        "`{0}` names no variable: write `Rec@7.bar` for a field of an object, `int[]@9[3]` for an element of an array, \
         `com.acme.Shop.open` for a static field"
    )]
    NoVariable(String),
    /// A local variable is asked about where it has no value.
    #[error("`{0}` has no value here: this call assigns it later; `forward {0}` goes there")]
    NoValueYet(String),
    /// An object is not known, or a call has none.
    #[error(
        "no such object was recorded: call {0} has no `this`, or --object names none; write it as it is shown: Rec@7"
    )]
    NoObject(u32),
    /// A number is that of no object, or of one of another class.
    #[error(
        "no object {written} was recorded{}; objects are written as `qp trace calls` shows them",
        instead.as_ref().map(|is| format!(": object {} is {is}", is.rsplit('@').next().unwrap_or_default())).unwrap_or_default()
    )]
    NoSuchObject {
        /// As it was written.
        written: String,
        /// What has this number.
        instead: Option<String>,
    },
    /// Only calls were recorded.
    #[error("writes were not recorded: record the run again with `--level writes`")]
    NoWrites,
    /// The recording cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
}
