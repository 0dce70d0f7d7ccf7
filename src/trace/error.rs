//! What goes wrong with a recorded run.

use std::path::PathBuf;

/// Why a run cannot be recorded, or a recorded one not be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The folder is there and holds something else.
    #[error("{0} is there already: name another folder with --out, or remove it")]
    Exists(PathBuf),
    /// There is no recorded run.
    #[error("{0} holds no recorded run: name the folder that `qp trace record` wrote")]
    NoRecording(PathBuf),
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no room for the tables of a recorded run.
    #[error(
        "{path}: {source}: there is no room to sort the events; set TMPDIR to a folder on a disk that has some"
    )]
    DiskFull {
        /// Where.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It was recorded by another version of the format.
    #[error("{path} is of format {found}; this qp reads format {known}: record the run again")]
    Format {
        /// The file that says so.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// What is read here.
        known: u32,
    },
    /// Calls are numbered with 32 bits.
    #[error("there are more than 4,294,967,294 calls: record fewer classes, with --scope or --trust")]
    TooManyCalls,
    /// What is known of sites is not what was recorded.
    #[error(
        "{0} is empty, or was changed or cut off since the run was recorded: no event can be understood without it; record the run again"
    )]
    SitesChanged(PathBuf),
    /// The events of a chunk are not those that were written.
    #[error("chunk {0} of the file of events was changed: record the run again")]
    ChunkChanged(u32),
    /// Only some calls were recorded.
    #[error(
        "only some calls were recorded here: take the recording of the whole run, where it is known which hit of its place an event is"
    )]
    PartialRecording,
    /// Whoever waited for it did not want to any more.
    #[error("interrupted while the events were sorted")]
    Interrupted,
    /// What was recorded cannot be understood.
    #[error(
        "the events of thread {thread} cannot be read at byte {at}: {what}; the folder was changed, or this is a bug of qp"
    )]
    Broken {
        /// The number of the thread.
        thread: u32,
        /// Where.
        at: u64,
        /// What is wrong.
        what: &'static str,
    },
}

impl TraceError {
    /// The same; where a disk is full or cannot be written to, it says what to do.
    pub fn with_advice(self) -> TraceError {
        use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        match self {
            TraceError::File { path, source }
                if matches!(
                    source.kind(),
                    FileTooLarge | QuotaExceeded | ReadOnlyFilesystem | StorageFull
                ) =>
            {
                TraceError::DiskFull { path, source }
            }
            other => other,
        }
    }

    /// Names the file of an I/O error.
    pub fn at(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> TraceError {
        |source| TraceError::File { path: path.to_owned(), source }
    }
}
