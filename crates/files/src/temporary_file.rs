//! A file that is written under a temporary name, and then renamed.

use super::temporary::{forget, own};
use std::fs::File;
use std::io;
use std::path::Path;
use tempfile::{NamedTempFile, TempPath};

/// A file that is removed on drop, also when the process ends while other threads work
/// ([`super::remove_own`]).
#[derive(Debug)]
pub struct TemporaryFile(Option<TempPath>);

impl TemporaryFile {
    /// Creates a file in a folder, and opens it to write.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn new_in(folder: &Path) -> io::Result<(File, TemporaryFile)> {
        let file = own(|| {
            let file = NamedTempFile::new_in(folder)?;
            let path = file.path().to_owned();
            Ok((file, path))
        })?;
        let (file, path) = file.into_parts();
        Ok((file, TemporaryFile(Some(path))))
    }

    /// Gives the file its name. Replaces a file that has it.
    ///
    /// # Errors
    /// It cannot be renamed, and is removed.
    pub fn persist(mut self, to: &Path) -> io::Result<()> {
        let Some(path) = self.0.take() else { return Ok(()) };
        let before = path.to_path_buf();
        let renamed = path.persist(to).map_err(|error| error.error);
        forget(&before);
        renamed
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            let before = path.to_path_buf();
            drop(path);
            forget(&before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_gets_its_name_or_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let names = || std::fs::read_dir(folder.path()).unwrap().count();
        let (mut file, temporary) = TemporaryFile::new_in(folder.path()).unwrap();
        file.write_all(b"text").unwrap();
        let to = folder.path().join("named");
        temporary.persist(&to).unwrap();
        assert_eq!((std::fs::read(&to).unwrap(), names()), (b"text".to_vec(), 1));
        drop(TemporaryFile::new_in(folder.path()).unwrap());
        assert_eq!(names(), 1);
    }
}
