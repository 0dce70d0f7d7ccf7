//! Why a slice was not taken.

use crate::trace::TraceError;

/// Why a slice was not taken.
#[derive(Debug, thiserror::Error)]
pub enum SliceError {
    /// The recording cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// Its caller has stopped it.
    #[error("interrupted")]
    Interrupted,
}
