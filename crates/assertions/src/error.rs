//! The errors of assertions.

use chain::ChainError;
use past::PastError;
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
    /// A class file or the recording cannot be read.
    #[error(transparent)]
    Past(#[from] PastError),
    /// The recording cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
}
