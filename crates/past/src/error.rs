//! Errors of the views of a recording.

use classes::ClassesError;
use trace::TraceError;

/// An error of a view of a recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PastError {
    /// The recording has no such call.
    #[error("there is no call {node}: {calls} were recorded, numbered from 0")]
    NoSuchCall {
        /// The given number.
        node: u32,
        /// Number of calls.
        calls: usize,
    },
    /// The recording has no such thread.
    #[error("no call of a thread `{thread}` was recorded; there are: {there}")]
    NoSuchThread {
        /// The given name.
        thread: String,
        /// The names of the existing threads.
        there: String,
    },
    /// The text does not name a variable.
    #[error(
        "`{0}` names no variable: write `Rec@7.bar` for a field of an object, `int[]@9[3]` for an element of an \
         array, `com.acme.Shop.open` for a static field"
    )]
    NoVariable(String),
    /// The text names an element of an object that is no array.
    #[error(
        "`{written}` names no variable: {object} is no array; a collection can move all its elements at each \
         write, so ask about all of it: `{object}`"
    )]
    NoElement {
        /// The element as the user wrote it.
        written: String,
        /// The object.
        object: String,
    },
    /// The local variable has no value at this place.
    #[error("`{0}` has no value here: this call assigns it later; `forward {0}` goes there")]
    NoValueYet(String),
    /// The object is unknown, or the call has none.
    #[error(
        "no such object was recorded: call {0} has no `this`, or --object names none; write the object as it is displayed: Rec@7"
    )]
    NoObject(u32),
    /// The number belongs to no object, or to one of another class.
    #[error(
        "no object {written} was recorded{}; objects are written as `qp trace calls` shows them",
        instead.as_ref().map(|is| format!(": object {} is {is}", is.rsplit('@').next().unwrap_or_default())).unwrap_or_default()
    )]
    NoSuchObject {
        /// The object as the user wrote it.
        written: String,
        /// The object with this number.
        instead: Option<String>,
    },
    /// Only calls were recorded, without writes.
    #[error("writes were not recorded: record the run again with `--level writes`")]
    NoWrites,
    /// The recording has no such event or place, or none that answers the question.
    #[error("{0}")]
    NoStep(String),
    /// The user interrupted the work.
    #[error("interrupted")]
    Interrupted,
    /// A class file cannot be read.
    #[error(transparent)]
    Classes(Box<ClassesError>),
    /// The recording cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

impl From<ClassesError> for PastError {
    fn from(error: ClassesError) -> PastError {
        PastError::Classes(Box::new(error))
    }
}
