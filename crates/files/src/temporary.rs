//! Temporary folders with an owner. The owner holds a lock on a file in the folder while it runs, so folders
//! of killed processes can be recognised and removed. A process id would not do: the system reuses it.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// The file that the owner keeps locked.
const OWNER: &str = ".owner";
/// The name of that file before it is locked.
const NOT_YET: &str = ".owner-new";
/// Name prefixes of the temporary folders of `qp`.
const PREFIXES: [&str; 10] = [
    "querypoint-",
    "qp-cover-",
    "qp-dap-",
    "qp-diagnose-",
    "qp-diff-",
    "qp-mcp-",
    "qp-omitted-",
    "qp-query-",
    "qp-reference-",
    "qp-terminal-",
];
/// Age after which a folder without an owner's file counts as abandoned: its owner was killed before it took
/// the lock.
const EMPTY: Duration = Duration::from_secs(60 * 60);

/// How often a folder is removed while another thread may still write to it.
const ATTEMPTS: u32 = 20;
/// Interval between two attempts.
const AGAIN: Duration = Duration::from_millis(5);

/// The temporary folders and files of this process.
static OWN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A private folder that is removed on drop, or by the next `qp` if this one is killed.
#[derive(Debug)]
pub struct TemporaryFolder {
    folder: OwnFolder,
    /// The operating system releases the lock when the process ends.
    _owner: File,
}

/// A temporary folder on the list of those of this process.
#[derive(Debug)]
struct OwnFolder(Option<TempDir>);

impl OwnFolder {
    fn path(&self) -> &Path {
        self.0.as_ref().map_or(Path::new(""), TempDir::path)
    }

    /// Takes the folder from the list. It is not removed.
    fn keep(mut self) -> PathBuf {
        let path = self.0.take().map(TempDir::keep).unwrap_or_default();
        forget(&path);
        path
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        if let Some(folder) = self.0.take() {
            let path = folder.path().to_owned();
            drop(folder);
            forget(&path);
        }
    }
}

/// Creates something, whose path is then on the list. While the list is locked, the process does not end
/// between the creation and the entry.
pub(super) fn own<T>(create: impl FnOnce() -> io::Result<(T, PathBuf)>) -> io::Result<T> {
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    let (created, path) = create()?;
    own.push(path);
    Ok(created)
}

/// Takes a path from the list.
pub(super) fn forget(path: &Path) {
    OWN.lock().unwrap_or_else(PoisonError::into_inner).retain(|own| own != path);
}

impl TemporaryFolder {
    /// Creates a folder in the system's temporary folder. `prefix` must be one that [`remove_abandoned`]
    /// knows.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn new(prefix: &str) -> io::Result<TemporaryFolder> {
        TemporaryFolder::new_in(prefix, &std::env::temp_dir())
    }

    /// Creates a folder in `parent`.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn new_in(prefix: &str, parent: &Path) -> io::Result<TemporaryFolder> {
        let folder = own(|| {
            let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(parent)?;
            let path = folder.path().to_owned();
            Ok((folder, path))
        })?;
        let folder = OwnFolder(Some(folder));
        let private = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o700);
        std::fs::set_permissions(folder.path(), private)?;
        // The file gets its final name only when it is locked, so no process sees it unlocked.
        let (new, owner) = (folder.path().join(NOT_YET), folder.path().join(OWNER));
        let file = super::create_new(&new)?;
        file.try_lock().map_err(io::Error::from)?;
        std::fs::rename(&new, &owner)?;
        Ok(TemporaryFolder { folder, _owner: file })
    }

    /// The folder's path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Renames the folder and keeps it.
    ///
    /// # Errors
    /// The folder cannot be renamed; it stays a temporary folder.
    pub fn keep_as(self, to: &Path) -> Result<(), TemporaryFolder> {
        let owner = self.path().join(OWNER);
        if std::fs::remove_file(&owner).is_err() || std::fs::rename(self.path(), to).is_err() {
            return Err(self);
        }
        let _ = self.folder.keep();
        Ok(())
    }
}

/// Removes the temporary folders and files of this process, for a process that ends while other threads may
/// use them. None can be created after that.
pub fn remove_own() {
    let own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    for path in &*own {
        for _ in 0..ATTEMPTS {
            let removed =
                if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
            match removed {
                Err(error) if error.kind() != io::ErrorKind::NotFound => std::thread::sleep(AGAIN),
                _ => break,
            }
        }
    }
    // Other threads that want one wait until the process ends.
    std::mem::forget(own);
}

/// Removes the temporary folders of `qp` whose owners have ended. Ignores errors.
pub fn remove_abandoned() {
    let parent = std::env::temp_dir();
    for prefix in PREFIXES {
        remove_abandoned_in(&parent, prefix);
    }
}

/// Removes the abandoned folders in `parent` whose names begin with `prefix`.
pub fn remove_abandoned_in(parent: &Path, prefix: &str) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(prefix)) {
            remove_if_abandoned(&entry.path());
        }
    }
}

fn remove_if_abandoned(folder: &Path) {
    // Other users can create folders or links of this name; do not follow or remove them.
    let Ok(there) = folder.symlink_metadata() else { return };
    if !there.is_dir() || there.uid() != rustix::process::geteuid().as_raw() {
        return;
    }
    let owner: PathBuf = folder.join(OWNER);
    match File::open(&owner) {
        Ok(file) => match file.try_lock() {
            // The lock is held until the folder is gone, so that another `qp` leaves it alone.
            Ok(()) => drop(std::fs::remove_dir_all(folder)),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        },
        Err(_) => {
            let age = there.modified().ok().and_then(|then| SystemTime::now().duration_since(then).ok());
            if age.is_some_and(|age| age > EMPTY) {
                drop(std::fs::remove_file(folder.join(NOT_YET)));
                // Fails if the folder is not empty.
                drop(std::fs::remove_dir(folder));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_without_an_owner_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let held = TemporaryFolder::new_in("qp-", parent.path()).unwrap();
        let left = TemporaryFolder::new_in("qp-", parent.path()).unwrap();
        let TemporaryFolder { folder, _owner } = left;
        let left = folder.keep();
        std::fs::write(left.join("recording"), "events").unwrap();
        drop(_owner);
        // A folder that `qp` did not create has no owner's file.
        let foreign = parent.path().join("qp-foreign");
        std::fs::create_dir(&foreign).unwrap();
        std::fs::write(foreign.join("file"), "text").unwrap();
        // A link to an abandoned folder is not followed.
        let link = parent.path().join("qp-link");
        std::os::unix::fs::symlink(parent.path().join("other"), &link).unwrap();
        std::fs::create_dir(parent.path().join("other")).unwrap();
        std::fs::write(parent.path().join("other/.owner"), "").unwrap();
        remove_abandoned_in(parent.path(), "qp-");
        assert!(held.path().join(OWNER).exists());
        assert!(!left.exists());
        assert!(foreign.join("file").exists());
        assert!(link.exists() && parent.path().join("other/.owner").exists());
        let path = held.path().to_owned();
        drop(held);
        assert!(!path.exists());
    }

    #[test]
    fn a_kept_folder_has_no_owner() {
        let parent = tempfile::tempdir().unwrap();
        let folder = TemporaryFolder::new_in(".columns-", parent.path()).unwrap();
        std::fs::write(folder.path().join("table"), "rows").unwrap();
        let to = parent.path().join("columns");
        folder.keep_as(&to).unwrap();
        let names: Vec<_> = std::fs::read_dir(&to).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["table"]);
        remove_abandoned_in(parent.path(), "columns");
        assert!(to.exists());
    }
}
