//! Why a condition cannot read a value.

use crate::error::PastError;

/// The reason why a value is missing.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// The recording does not contain it.
    #[error("{0}")]
    NotKnown(String),
    /// Reading failed.
    #[error(transparent)]
    Broken(Box<PastError>),
}

impl<E: Into<PastError>> From<E> for Unread {
    fn from(error: E) -> Unread {
        Unread::Broken(Box::new(error.into()))
    }
}

/// The error for a value that the recording does not contain.
pub fn not_known<T>(why: impl Into<String>) -> Result<T, Unread> {
    Err(Unread::NotKnown(why.into()))
}
