//! Creates files and folders that only their user can read, whatever the umask: modes 0600 and 0700.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// The mode of a private file.
const FILE: u32 = 0o600;
/// The mode of a private folder.
const FOLDER: u32 = 0o700;

/// Creates a private file.
///
/// # Errors
/// The file exists or cannot be created.
pub fn create_new(path: &Path) -> io::Result<File> {
    open(OpenOptions::new().write(true).create_new(true), path)
}

/// Creates a private file; an existing one is emptied and made private.
///
/// # Errors
/// The file cannot be created.
pub fn create(path: &Path) -> io::Result<File> {
    open(OpenOptions::new().write(true).create(true).truncate(true), path)
}

/// Writes a private file.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    create(path)?.write_all(bytes.as_ref())
}

fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.mode(FILE).open(path)?;
    // The umask may have removed owner bits, and an existing file keeps its mode, so set the mode explicitly.
    file.set_permissions(Permissions::from_mode(FILE))?;
    Ok(file)
}

/// Creates a private folder. Missing parent folders get the default mode.
///
/// # Errors
/// The folder exists or cannot be created.
pub fn create_folder(path: &Path) -> io::Result<()> {
    if let Some(above) = path.parent() {
        std::fs::create_dir_all(above)?;
    }
    DirBuilder::new().mode(FOLDER).create(path)?;
    std::fs::set_permissions(path, Permissions::from_mode(FOLDER))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn only_the_user_can_read_them() {
        let folder = tempfile::tempdir().unwrap();
        let within = folder.path().join("above/within");
        create_folder(&within).unwrap();
        assert_eq!(mode(&within), 0o700);
        assert!(create_folder(&within).is_err());
        let file = within.join("file");
        create_new(&file).unwrap();
        assert_eq!(mode(&file), 0o600);
        assert!(create_new(&file).is_err());
        std::fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        write(&file, "text").unwrap();
        assert_eq!((mode(&file), std::fs::read_to_string(&file).unwrap()), (0o600, "text".to_owned()));
    }
}
