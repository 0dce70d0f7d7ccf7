//! The errors of assertions.

use chain::ChainError;
use classes::ClassesError;
use inspect::InspectError;
use std::path::PathBuf;
use trace::TraceError;

/// The errors of assertions.
#[derive(Debug, thiserror::Error)]
pub enum AssertionError {
    /// The file cannot be read.
    #[error("cannot read {file}: {source}; give --assert the path of a file that exists", file = file.display())]
    NoFile {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The program has no class files to check the assertions against.
    #[error("the program has no class files: --assert needs those of the recorded command")]
    NoClassFiles,
    /// The file is wrong; the error shows the place and the expected text.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// Class files cannot be read.
    #[error(transparent)]
    Classes(Box<ClassesError>),
    /// The recording lacks what a condition reads.
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
