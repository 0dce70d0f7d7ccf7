//! The folder for what `qp` can make again.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// `querypoint` in the user's cache folder (XDG Base Directory Specification): `XDG_CACHE_HOME`, or
/// `~/.cache`. An empty or relative `XDG_CACHE_HOME` counts as unset. `None` if there is no such folder.
pub fn cache_folder() -> Option<PathBuf> {
    let absolute = |p: &PathBuf| p.is_absolute();
    let set = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(absolute);
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")).filter(absolute);
    Some(set.or_else(home)?.join("querypoint"))
}

/// Tells this build of `qp` from others, which may make something else of the same.
pub fn this_build() -> Option<Vec<u8>> {
    let program = fs::metadata(std::env::current_exe().ok()?).ok()?;
    let built = program.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some([program.len().to_le_bytes().as_slice(), &built.as_nanos().to_le_bytes()].concat())
}

/// Removes the oldest files and folders from a folder, by the time of their last change, down to a number.
pub fn remove_oldest(folder: &Path, most: usize) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut kept: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    kept.sort_unstable();
    let more = kept.len().saturating_sub(most);
    for (_, path) in kept.iter().take(more) {
        drop(if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) });
    }
}
