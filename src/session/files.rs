//! Writing chains: whole or not at all, and with paths that mean the same from where the file is.

use crate::chain::Chain;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Writes a file whole or not at all: into a temporary file beside it first. A link keeps its place, and what is no
/// file (`/dev/stdout`) is written to, not replaced.
///
/// # Errors
/// The folder cannot be written to; nothing is left behind then.
pub fn write_whole(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    let text = text.as_ref();
    // The path of a pipe (`/dev/stdout`) leads nowhere, but its metadata tells.
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return std::fs::write(path, text);
    }
    let target = path.canonicalize();
    let path = target.as_deref().unwrap_or(path);
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name =
        path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a file name"))?;
    let temporary = folder.join(format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id()));
    let written = std::fs::write(&temporary, text).and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to tell; the file may not even exist.
        drop(std::fs::remove_file(&temporary));
    }
    written
}

/// The chain as it must be written to `file` so that its working folder stays the current one.
pub fn portable(chain: &Chain, file: &Path) -> Chain {
    let mut saved = chain.clone();
    let here = std::env::current_dir().unwrap_or_default();
    let folder = here.join(file.parent().unwrap_or(Path::new("")));
    let cwd = here.join(chain.cwd());
    let relative = relative(&normal(&cwd), &normal(&folder));
    saved.debuggee.cwd = (relative != Path::new(".")).then_some(relative);
    saved
}

/// A file as it must be named in a chain that is written to `chain_file`: seen from the chain's working folder.
pub fn seen_from_cwd(chain: &Chain, chain_file: &Path, file: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let folder = here.join(chain_file.parent().unwrap_or(Path::new("")));
    let cwd = folder.join(chain.debuggee.cwd.as_deref().unwrap_or(Path::new(".")));
    relative(&normal(&here.join(file)), &normal(&cwd))
}

/// Without `.` and `..`, by the names alone.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// `to` as seen from the folder `from`.
fn relative(to: &Path, from: &Path) -> PathBuf {
    let common = to.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(to.components().skip(common)).collect();
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_the_file() {
        let seen = |to: &str, from: &str| relative(&normal(Path::new(to)), &normal(Path::new(from)));
        assert_eq!(seen("/a/b", "/a/b"), Path::new("."));
        assert_eq!(seen("/a/b/c", "/a/b"), Path::new("c"));
        assert_eq!(seen("/a/x", "/a/b/../b/c"), Path::new("../../x"));
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("chain.ron");
        write_whole(&file, "one").expect("written");
        assert_eq!(std::fs::read_to_string(&file).expect("read"), "one");
        assert!(write_whole(&folder.path().join("no/such/folder.ron"), "x").is_err());
        assert!(write_whole(folder.path(), "x").is_err());
        assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_what_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("chain.ron"), folder.path().join("link.ron"));
        std::fs::write(&file, "one").expect("written");
        std::os::unix::fs::symlink(&file, &link).expect("linked");
        write_whole(&link, "two").expect("written");
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(&file).expect("read"), "two");
    }
}
