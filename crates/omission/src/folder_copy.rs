//! Copies a folder with the times of its files.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Most bytes that are copied.
const BYTES: u64 = 256 << 20;
/// Most files that are copied.
const FILES: usize = 20_000;

/// How much may be copied.
pub(super) struct CopyLimit {
    /// Number of bytes.
    bytes: u64,
    /// Number of files.
    files: usize,
}

impl CopyLimit {
    /// For a folder of a program.
    pub const OF_A_PROGRAM: CopyLimit = CopyLimit { bytes: BYTES, files: FILES };
    /// For what was copied before.
    pub const NONE: CopyLimit = CopyLimit { bytes: u64::MAX, files: usize::MAX };
}

/// Copies a folder that does not exceed a limit.
pub(super) fn copy(from: &Path, to: &Path, limit: &CopyLimit) -> std::io::Result<()> {
    std::fs::create_dir(to)?;
    let mut work: Vec<(PathBuf, PathBuf)> = vec![(from.to_owned(), to.to_owned())];
    // Programs look at times, so each file and folder keeps its own.
    let mut folders: Vec<(PathBuf, SystemTime)> = vec![(to.to_owned(), from.metadata()?.modified()?)];
    let (mut bytes_left, mut files_left) = (limit.bytes, limit.files);
    while let Some((from, to)) = work.pop() {
        for entry in std::fs::read_dir(&from)? {
            let entry = entry?;
            let (kind, to) = (entry.file_type()?, to.join(entry.file_name()));
            if kind.is_dir() {
                std::fs::create_dir(&to)?;
                folders.push((to.clone(), entry.metadata()?.modified()?));
                work.push((entry.path(), to));
            } else if kind.is_symlink() {
                std::os::unix::fs::symlink(std::fs::read_link(entry.path())?, &to)?;
            } else if kind.is_file() {
                let size = entry.metadata()?.len();
                let (bytes, files) = (bytes_left.checked_sub(size), files_left.checked_sub(1));
                let (Some(bytes), Some(files)) = (bytes, files) else {
                    let why = format!("it has more than {} MB, or more than {FILES} files", BYTES >> 20);
                    return Err(std::io::Error::other(why));
                };
                (bytes_left, files_left) = (bytes, files);
                std::fs::copy(entry.path(), &to)?;
                keep_time(&to, entry.metadata()?.modified()?);
            }
        }
    }
    folders.iter().for_each(|(folder, time)| keep_time(folder, *time));
    Ok(())
}

/// Sets the time of a copy. A file that may not be written keeps the time of its copying.
pub(super) fn keep_time(path: &Path, time: SystemTime) {
    drop(std::fs::File::open(path).and_then(|file| file.set_modified(time)));
}
