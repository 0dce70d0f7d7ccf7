//! A copy of a program's working folder, so that a run of altered code changes no files of the user there.
//! Where the system allows it, the program sees the copy at the path of the folder itself.

use crate::chain::Debuggee;
use crate::debuggee::stand_in;
use crate::files::TemporaryFolder;
use crate::session::class_path::leading_out_of;
use crate::session::error::SessionError;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Most bytes that are copied.
const BYTES: u64 = 256 << 20;
/// Most files that are copied.
const FILES: usize = 20_000;

/// A copy of a working folder, which is removed on drop.
pub(super) struct WorkCopy {
    folder: TemporaryFolder,
    debuggee: Debuggee,
    is_at_path: bool,
}

impl WorkCopy {
    /// Copies the working folder of a program.
    ///
    /// # Errors
    /// The folder is too large, or cannot be copied.
    pub fn of(debuggee: &Debuggee) -> Result<WorkCopy, SessionError> {
        let from = match &debuggee.cwd {
            Some(cwd) => cwd.clone(),
            None => std::env::current_dir().map_err(|error| refused(Path::new("."), &error))?,
        };
        let folder = TemporaryFolder::new("qp-omitted-").map_err(|error| refused(&from, &error))?;
        let to = folder.path().join("work");
        let mut left = (BYTES, FILES);
        copy(&from, &to, &mut left).map_err(|error| refused(&from, &error))?;
        let from = std::path::absolute(&from).map_err(|error| refused(&from, &error))?;
        // What `qp` and the program share must stay where both see it.
        let shared = [Some(std::env::temp_dir()), crate::files::cache_folder()];
        let is_shared = shared.into_iter().flatten().any(|folder| folder.starts_with(&from));
        let stand_in = if is_shared { None } else { stand_in(&to, &from) };
        let is_at_path = stand_in.is_some();
        let (command, cwd) = match is_at_path {
            true => (debuggee.command.clone(), from),
            // Only the folder is copied, and not what stands beside it.
            false => (leading_out_of(&from, &debuggee.command), to),
        };
        let stand_in = stand_in.unwrap_or_default();
        let debuggee = Debuggee { command, cwd: Some(cwd), stand_in, ..debuggee.clone() };
        Ok(WorkCopy { folder, debuggee, is_at_path })
    }

    /// Whether the program sees the copy at the path of the folder itself.
    pub fn is_at_path(&self) -> bool {
        self.is_at_path
    }

    /// The folder around the copy.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The program in its copy.
    pub fn debuggee(&self) -> &Debuggee {
        &self.debuggee
    }
}

fn refused(folder: &Path, error: &std::io::Error) -> SessionError {
    SessionError::NoStep(format!(
        "the working folder {} cannot be copied, so altered code is not run there: {error}",
        folder.display()
    ))
}

fn copy(from: &Path, to: &Path, left: &mut (u64, usize)) -> std::io::Result<()> {
    std::fs::create_dir(to)?;
    let mut work: Vec<(PathBuf, PathBuf)> = vec![(from.to_owned(), to.to_owned())];
    // Programs look at times, so each file and folder keeps its own.
    let mut folders: Vec<(PathBuf, SystemTime)> = vec![(to.to_owned(), from.metadata()?.modified()?)];
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
                let (bytes, files) = (left.0.checked_sub(size), left.1.checked_sub(1));
                let (Some(bytes), Some(files)) = (bytes, files) else {
                    let why = format!("it has more than {} MB, or more than {FILES} files", BYTES >> 20);
                    return Err(std::io::Error::other(why));
                };
                *left = (bytes, files);
                std::fs::copy(entry.path(), &to)?;
                keep_time(&to, entry.metadata()?.modified()?);
            }
        }
    }
    folders.iter().for_each(|(folder, time)| keep_time(folder, *time));
    Ok(())
}

/// Sets the time of a copy. A file that may not be written keeps the time of its copying.
fn keep_time(path: &Path, time: SystemTime) {
    drop(std::fs::File::open(path).and_then(|file| file.set_modified(time)));
}
