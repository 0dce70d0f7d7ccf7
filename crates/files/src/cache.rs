//! The folder for what `qp` can make again.

use std::path::PathBuf;

/// `querypoint` in the user's cache folder (XDG Base Directory Specification): `XDG_CACHE_HOME`, or
/// `~/.cache`. An empty or relative `XDG_CACHE_HOME` counts as unset. `None` if there is no such folder.
pub fn cache_folder() -> Option<PathBuf> {
    let absolute = |p: &PathBuf| p.is_absolute();
    let set = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(absolute);
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")).filter(absolute);
    Some(set.or_else(home)?.join("querypoint"))
}
