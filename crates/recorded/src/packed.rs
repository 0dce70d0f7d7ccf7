//! The layout of a packed recording: an archive of `files::pack` that unpacks to a folder.
//!
//! [`MARK`] says what it is; `trace/` is the folder of the recording without what is derived from it,
//! `sources/` and `classes/` have what it names, by package.

use chain::Debuggee;
use files::{PackError, TemporaryFolder};
use serde::{Deserialize, Serialize};
use session::{Context, SessionError};
use std::io::Read;
use std::path::{Path, PathBuf};
use trace::{Folder, TraceError};

/// Says that an archive is a packed recording, and in which format.
pub(super) const MARK: &str = "packed.json";
/// The format of packed recordings that this version writes and reads.
pub(super) const FORMAT: u32 = 1;
/// Where the archive is unpacked, below its temporary folder.
const INSIDE: &str = "packed";
/// Longest mark, in bytes.
const LONGEST: u64 = 1 << 10;

/// The content of [`MARK`].
#[derive(Serialize, Deserialize)]
pub(super) struct Mark {
    /// The format.
    pub format: u32,
}

/// Whether a path leads to a file that begins like an archive.
pub fn is_packed(path: &Path) -> bool {
    let mut start = [0; 4];
    let file = files::open_regular(path, true);
    file.and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *b"PK\x03\x04"
}

/// Says why a recording is not packed, or a packed one not opened.
pub(super) fn refused(path: &Path, why: &str) -> SessionError {
    SessionError::Packed { path: path.display().to_string(), why: why.to_owned() }
}

/// Adds the path to an error of packing or unpacking.
pub(super) fn of_pack(path: &Path, error: PackError) -> SessionError {
    match error {
        PackError::Io(error) => TraceError::at(path)(error).into(),
        PackError::Refused(why) => refused(path, &why),
        PackError::Interrupted => SessionError::Interrupted,
    }
}

/// Unpacks a file to a temporary folder. Returns it, and the folder of the recording in it.
///
/// # Errors
/// The file is no packed recording, is damaged or hostile, or the user interrupted.
pub(super) fn unpacked(file: &Path, context: &Context) -> Result<(TemporaryFolder, PathBuf), SessionError> {
    let folder = TemporaryFolder::new("querypoint-").map_err(TraceError::at(file))?;
    let inside = folder.path().join(INSIDE);
    files::create_folder(&inside).map_err(TraceError::at(&inside))?;
    files::unpack(file, &inside, &mut || !context.is_interrupted()).map_err(|error| of_pack(file, error))?;
    let mark = files::read_regular(&inside.join(MARK), LONGEST, false).ok();
    let mark = mark.and_then(|text| serde_json::from_slice::<Mark>(&text).ok());
    match mark {
        Some(Mark { format: FORMAT }) => {
            let trace = inside.join("trace");
            Ok((folder, trace))
        }
        Some(Mark { format }) => Err(refused(
            file,
            &format!("its format is {format}, and this `qp` reads {FORMAT}: record it again"),
        )),
        None => Err(refused(file, "it is an archive, but no packed recording")),
    }
}

/// The sources and class files that came with a recording, as a program to read them from; none if the
/// recording is not unpacked. Nothing of this names a path that somebody else has chosen.
pub(super) fn code_beside(folder: &Folder) -> Option<Debuggee> {
    let inside = folder.path().parent()?;
    if !inside.join(MARK).is_file() {
        return None;
    }
    let classes = inside.join("classes").display().to_string();
    let command = ["java", "-cp", &classes, "Packed"].map(str::to_owned).to_vec();
    let sources = vec![inside.join("sources")];
    Some(Debuggee { command, cwd: Some(inside.to_owned()), sources, ..Debuggee::default() })
}
