//! Errors of slicing.

use trace::TraceError;

/// An error of slicing.
#[derive(Debug, thiserror::Error)]
pub enum SliceError {
    /// The recording cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The caller stopped it.
    #[error("interrupted")]
    Interrupted,
}
