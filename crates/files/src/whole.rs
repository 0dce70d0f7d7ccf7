//! Writes files atomically, through a temporary file in the same folder.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Writes a file atomically. A link stays a link; a path that is no regular file (`/dev/stdout`) is written
/// to and not replaced.
///
/// # Errors
/// The folder cannot be written to; no temporary file is left then.
pub fn write_whole(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    replace(path, text.as_ref(), 0o666)
}

/// Like [`write_whole`], for a file that only its user can read.
///
/// # Errors
/// As for [`write_whole`].
pub fn write_private(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    replace(path, text.as_ref(), 0o600)
}

/// Replaces a file; the umask limits the mode of the new one.
fn replace(path: &Path, text: &[u8], mode: u32) -> io::Result<()> {
    // A path to a pipe (`/dev/stdout`) cannot be resolved, but its metadata can be read.
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return std::fs::write(path, text);
    }
    let target = path.canonicalize();
    let path = target.as_deref().unwrap_or(path);
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name =
        path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a file name"))?;
    let mut beside = tempfile::Builder::new();
    let prefix = format!(".{}.", name.to_string_lossy());
    beside.prefix(&prefix).suffix(".tmp").permissions(Permissions::from_mode(mode));
    let mut file = beside.tempfile_in(folder)?;
    file.write_all(text)?;
    file.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("chain.ron"), folder.path().join("link.ron"));
        std::fs::write(&file, "one").expect("written");
        std::os::unix::fs::symlink(&file, &link).expect("linked");
        write_whole(&link, "two").expect("written");
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(&file).expect("read"), "two");
    }

    #[test]
    fn a_private_file_replaces_a_public_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("answers.ron");
        std::fs::write(&file, "one").expect("written");
        std::fs::set_permissions(&file, Permissions::from_mode(0o644)).expect("set");
        write_private(&file, "two").expect("written");
        let mode = std::fs::metadata(&file).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
