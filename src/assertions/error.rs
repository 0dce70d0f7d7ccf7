//! Why assertions do not answer.

use crate::chain::ChainError;
use crate::classes::ClassesError;
use crate::inspect::InspectError;
use crate::trace::TraceError;
use std::path::PathBuf;

/// Why assertions do not answer.
#[derive(Debug, thiserror::Error)]
pub enum AssertionError {
    /// The file cannot be read.
    #[error("cannot read {file}: {source}; give --assert the path of a file that exists", file = file.display())]
    NoFile {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is nothing to check the assertions against.
    #[error("there are no class files of the program: --assert needs those of the command that was recorded")]
    NoClassFiles,
    /// The file is wrong: where, and what was expected there.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// Class files cannot be read.
    #[error(transparent)]
    Classes(Box<ClassesError>),
    /// The recording does not have what a condition reads.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// The recording cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

impl From<ClassesError> for AssertionError {
    fn from(error: ClassesError) -> AssertionError {
        AssertionError::Classes(Box::new(error))
    }
}
