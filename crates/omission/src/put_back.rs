//! Puts the files of a folder back from a copy that was made before.

use super::folder_copy::{CopyLimit, copy, keep_time};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{FileType, Metadata};
use std::io;
use std::path::Path;

/// Makes a folder as its copy. Adds what was changed there, by its path in the folder, with what could not be
/// put back.
pub(super) fn put_back(copied: &Path, folder: &Path, changed: &mut BTreeSet<String>) {
    let mut work = vec![std::path::PathBuf::new()];
    while let Some(within) = work.pop() {
        let (from, to) = (copied.join(&within), folder.join(&within));
        let mut tell = |within: &Path, result: io::Result<()>| {
            changed.insert(match result {
                Ok(()) => within.display().to_string(),
                Err(error) => format!("{} (it could not be put back: {error})", within.display()),
            });
        };
        let names = match (names(&from), names(&to)) {
            (Ok(own), Ok(others)) => own.into_iter().chain(others).collect::<BTreeSet<OsString>>(),
            (Err(error), _) | (_, Err(error)) => {
                tell(&within, Err(error));
                continue;
            }
        };
        for name in names {
            let within = within.join(&name);
            let (from, to) = (from.join(&name), to.join(&name));
            match (from.symlink_metadata().ok(), to.symlink_metadata().ok()) {
                (Some(was), Some(is)) if was.is_dir() && is.is_dir() => work.push(within),
                (Some(was), Some(is)) if is_same(&from, &was, &to, &is).unwrap_or(false) => {}
                // Other kinds are not copied.
                (None, Some(is)) if !is_copied(is.file_type()) => {}
                (was, is) => {
                    let removed = is.map_or(Ok(()), |is| remove(&to, &is));
                    let put = removed.and_then(|()| was.map_or(Ok(()), |was| put(&from, &to, &was)));
                    tell(&within, put);
                }
            }
        }
        if let (Ok(was), Ok(is)) = (from.metadata(), to.metadata())
            && let (Ok(then), Ok(now)) = (was.modified(), is.modified())
            && then != now
        {
            keep_time(&to, then);
        }
    }
}

fn names(folder: &Path) -> io::Result<Vec<OsString>> {
    folder.read_dir()?.map(|entry| Ok(entry?.file_name())).collect()
}

fn is_copied(kind: FileType) -> bool {
    kind.is_dir() || kind.is_file() || kind.is_symlink()
}

/// Whether a file or symbolic link is as it was. One that was written again counts as changed.
fn is_same(from: &Path, was: &Metadata, to: &Path, is: &Metadata) -> io::Result<bool> {
    if was.is_symlink() && is.is_symlink() {
        return Ok(std::fs::read_link(from)? == std::fs::read_link(to)?);
    }
    let is_alike = was.is_file() && is.is_file() && was.len() == is.len();
    Ok(is_alike && was.modified()? == is.modified()? && std::fs::read(from)? == std::fs::read(to)?)
}

fn remove(path: &Path, kind: &Metadata) -> io::Result<()> {
    match kind.is_dir() {
        true => std::fs::remove_dir_all(path),
        false => std::fs::remove_file(path),
    }
}

fn put(from: &Path, to: &Path, kind: &Metadata) -> io::Result<()> {
    if kind.is_dir() {
        return copy(from, to, &CopyLimit::NONE);
    }
    if kind.is_symlink() {
        return std::os::unix::fs::symlink(std::fs::read_link(from)?, to);
    }
    std::fs::copy(from, to)?;
    keep_time(to, kind.modified()?);
    Ok(())
}
