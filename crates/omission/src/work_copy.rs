//! Where altered code runs, so that it changes no files of the user: in a copy of the program's working
//! folder. Where the system allows it, the program sees the copy at the path of the folder itself. Elsewhere
//! it can run in the folder, and what it changes there is put back from the copy.

use super::folder_copy::{CopyLimit, copy};
use super::put_back::put_back;
use chain::Debuggee;
use debuggee::stand_in;
use files::TemporaryFolder;
use session::SessionError;
use session::class_path::leading_out_of;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Most changed files that are named.
const NAMED: usize = 10;

/// Where runs of altered code see the working folder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// In a copy at its own path.
    AtPath,
    /// In a copy at another path.
    Elsewhere,
    /// In the folder itself.
    InPlace,
}

/// The place where altered code runs.
pub(super) struct WorkPlace {
    way: Way,
    /// What runs in the folder itself changed there, and what became of it.
    changed: Mutex<BTreeSet<String>>,
}

/// A copy of a working folder, which is removed on drop. Before that, a folder in which the program ran gets
/// its files back.
pub(super) struct WorkCopy<'p> {
    place: &'p WorkPlace,
    folder: TemporaryFolder,
    debuggee: Debuggee,
    /// The folder with what it has to get back.
    in_place: Option<PathBuf>,
}

impl WorkPlace {
    /// Finds out what the system allows. `in_place` tells whether the user allows runs in the folder itself.
    ///
    /// # Errors
    /// Runs in the folder itself are allowed, but it contains files that `qp` itself changes.
    pub fn of(debuggee: &Debuggee, in_place: bool) -> Result<WorkPlace, SessionError> {
        let folder = working_folder(debuggee)?;
        // What `qp` and the program share must stay where both see it.
        let shared = [Some(std::env::temp_dir()), files::cache_folder()];
        let is_shared = shared.into_iter().flatten().any(|shared| shared.starts_with(&folder));
        let way = match !is_shared && stand_in(&folder, &folder).is_some() {
            true => Way::AtPath,
            false if in_place && is_shared => {
                return Err(SessionError::NoStep(format!(
                    "`--in-place` cannot put back the files of {}, which has the folder for temporary files \
                     or that of qp's cache: name another one by TMPDIR or XDG_CACHE_HOME",
                    folder.display()
                )));
            }
            false if in_place => Way::InPlace,
            false => Way::Elsewhere,
        };
        Ok(WorkPlace { way, changed: Mutex::default() })
    }

    /// What the user is told before the first run.
    pub fn told(&self, folder: &Path) -> String {
        let folder = folder.display();
        let begin = match self.way {
            Way::AtPath | Way::Elsewhere => format!("altered code runs in copies of {folder}"),
            Way::InPlace => {
                format!("altered code runs in {folder} itself, and files that it changes there are put back")
            }
        };
        format!("{begin}: what it does elsewhere, as in a network or a database, is not undone")
    }

    /// What was changed in the folder itself, in words.
    pub fn changed(&self) -> Option<String> {
        let changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        let more = changed.len().saturating_sub(NAMED);
        let named: Vec<&str> = changed.iter().take(NAMED).map(String::as_str).collect();
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let is_some = !changed.is_empty();
        is_some.then(|| format!("changed by altered code, and put back: {}{more}", named.join(", ")))
    }

    /// Copies the working folder of a program for one run.
    ///
    /// # Errors
    /// The folder is too large, or cannot be copied.
    pub fn copy(&self, debuggee: &Debuggee) -> Result<WorkCopy<'_>, SessionError> {
        let from = working_folder(debuggee)?;
        let folder = TemporaryFolder::new("qp-omitted-").map_err(|error| refused(&from, &error))?;
        let to = folder.path().join("work");
        copy(&from, &to, &CopyLimit::OF_A_PROGRAM).map_err(|error| refused(&from, &error))?;
        let mounted = if self.way == Way::AtPath { stand_in(&to, &from) } else { None };
        let is_elsewhere = mounted.is_none() && self.way != Way::InPlace;
        let (command, cwd) = match is_elsewhere {
            false => (debuggee.command.clone(), from.clone()),
            // Only the folder is copied, and not what stands beside it.
            true => (leading_out_of(&from, &debuggee.command), to),
        };
        let stand_in = mounted.unwrap_or_default();
        let debuggee = Debuggee { command, cwd: Some(cwd), stand_in, ..debuggee.clone() };
        let in_place = (self.way == Way::InPlace).then_some(from);
        Ok(WorkCopy { place: self, folder, debuggee, in_place })
    }
}

impl WorkCopy<'_> {
    /// Whether the program sees the path of its folder.
    pub fn is_at_path(&self) -> bool {
        !self.debuggee.stand_in.is_empty() || self.in_place.is_some()
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

impl Drop for WorkCopy<'_> {
    fn drop(&mut self) {
        if let Some(folder) = &self.in_place {
            let mut changed = self.place.changed.lock().unwrap_or_else(PoisonError::into_inner);
            put_back(&self.folder.path().join("work"), folder, &mut changed);
        }
    }
}

fn working_folder(debuggee: &Debuggee) -> Result<PathBuf, SessionError> {
    let folder = debuggee.cwd.clone().unwrap_or_else(|| PathBuf::from("."));
    std::path::absolute(&folder).map_err(|error| refused(&folder, &error))
}

fn refused(folder: &Path, error: &std::io::Error) -> SessionError {
    SessionError::NoStep(format!(
        "the working folder {} cannot be copied, so altered code is not run there: {error}",
        folder.display()
    ))
}
