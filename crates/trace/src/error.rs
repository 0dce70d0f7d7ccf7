//! Errors of recording a run and of reading a recording.

use std::path::PathBuf;

/// Why a run cannot be recorded, or a recording cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The output folder exists already.
    #[error("{0} exists already: name another folder with --out, or remove it")]
    Exists(PathBuf),
    /// The folder holds no recording.
    #[error("{0} holds no recording: name the folder that `qp trace record` wrote")]
    NoRecording(PathBuf),
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The disk is full, over quota or read-only.
    #[error(
        "{path}: {source}: the disk has no room to sort the events; set TMPDIR to a folder on a disk with free space"
    )]
    DiskFull {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The recording has another format version.
    #[error("{path} has format {found}; this qp reads format {known}: record the run again")]
    Format {
        /// The file that states the version.
        path: PathBuf,
        /// The version found.
        found: u32,
        /// The version this `qp` reads.
        known: u32,
    },
    /// Call numbers have 32 bits.
    #[error("there are more than 4,294,967,294 calls: record fewer classes, with --scope or --trust")]
    TooManyCalls,
    /// The file of sites was changed after the recording.
    #[error(
        "{0} is empty, or was changed or truncated since the run was recorded; events cannot be decoded without it: record the run again"
    )]
    SitesChanged(PathBuf),
    /// The checksum of a chunk differs.
    #[error("chunk {0} of the file of events was changed after the recording: record the run again")]
    ChunkChanged(u32),
    /// The recording is partial, and the question needs a full one.
    #[error(
        "this recording holds only some calls; use a recording of the whole run, which tells which hit of its place an event is"
    )]
    PartialRecording,
    /// The recording lacks the first events of the run.
    #[error(
        "the first events of this run were dropped to keep the recording small; record the program \
         with `--max-size none`, since only a whole run tells which hit of its place an event is"
    )]
    DroppedEvents,
    /// The caller stopped the work.
    #[error("interrupted while the tables of the recording were built")]
    Interrupted,
    /// The events cannot be decoded.
    #[error(
        "the events of thread {thread} cannot be read at byte {at}: {what}; the folder was changed, or this is a bug of qp"
    )]
    Broken {
        /// The thread's number.
        thread: u32,
        /// The byte in the thread's events.
        at: u64,
        /// Why the bytes are not valid.
        what: &'static str,
    },
}

impl TraceError {
    /// Turns an error of a full or read-only disk into one that gives advice.
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

    /// Adds the file's path to an I/O error.
    pub fn at(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> TraceError {
        |source| TraceError::File { path: path.to_owned(), source }
    }
}
