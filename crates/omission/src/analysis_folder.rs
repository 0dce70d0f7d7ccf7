//! Keeps analyses of programs in the user's cache folder. A file that is damaged, or was written by another
//! build of `qp`, does not count.
use crate::analysis::AnalysisStore;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// The most analyses that are kept. Those that were not used for the longest time are removed.
const MOST_KEPT: usize = 16;
/// An analysis that takes less time is not kept: reading it back takes time too.
const WORTH_KEEPING: Duration = Duration::from_millis(200);
/// The largest file that is read, in bytes.
const LARGEST: u64 = 512 << 20;

/// A folder of analyses.
pub struct AnalysisFolder {
    /// `None` if there is no place for it.
    folder: Option<PathBuf>,
    /// The shortest analysis that is kept.
    least: Duration,
}

impl AnalysisFolder {
    /// `querypoint/analyses` in the user's cache folder.
    pub fn of_user() -> AnalysisFolder {
        let folder = files::cache_folder().map(|cache| cache.join("analyses"));
        AnalysisFolder { folder, least: WORTH_KEEPING }
    }

    /// A folder of all analyses, created when something is kept.
    pub fn at(folder: PathBuf) -> AnalysisFolder {
        AnalysisFolder { folder: Some(folder), least: Duration::ZERO }
    }

    fn file(&self, key: &[u8]) -> Option<PathBuf> {
        let mut hash = Sha256::new();
        hash.update(files::this_build()?);
        hash.update(key);
        Some(self.folder.as_ref()?.join(files::hex(&hash.finalize())))
    }
}

impl AnalysisStore for AnalysisFolder {
    fn load(&self, key: &[u8]) -> Option<Vec<u8>> {
        let path = self.file(key)?;
        let file = File::open(&path).ok()?;
        if file.metadata().ok()?.len() > LARGEST {
            return None;
        }
        let mut bytes = fs::read(&path).ok()?;
        let sum = bytes.split_off(bytes.len().checked_sub(4)?);
        if sum != crc32fast::hash(&bytes).to_le_bytes() {
            return None;
        }
        // It was used now.
        drop(file.set_modified(SystemTime::now()));
        Some(bytes)
    }

    fn least(&self) -> Duration {
        self.least
    }

    fn keep(&self, key: &[u8], result: &[u8]) {
        let (Some(folder), Some(path)) = (&self.folder, self.file(key)) else { return };
        if !folder.is_dir() && files::create_folder(folder).is_err() {
            return;
        }
        let sum = crc32fast::hash(result).to_le_bytes();
        if files::write_private(&path, [result, &sum].concat()).is_ok() {
            files::remove_oldest(folder, MOST_KEPT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_loaded_unless_it_is_damaged() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = AnalysisFolder::at(folder.path().join("analyses"));
        assert_eq!(store.load(b"key"), None);
        store.keep(b"key", b"result");
        assert_eq!(store.load(b"key").as_deref(), Some(b"result".as_slice()));
        assert_eq!(store.load(b"other"), None);
        let file = store.file(b"key").expect("a file");
        let mut bytes = fs::read(&file).expect("read");
        bytes[2] ^= 1;
        fs::write(&file, bytes).expect("written");
        assert_eq!(store.load(b"key"), None);
        fs::write(&file, b"a").expect("written");
        assert_eq!(store.load(b"key"), None);
    }

    #[test]
    fn what_was_not_used_for_the_longest_time_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = AnalysisFolder::at(folder.path().to_owned());
        for key in 0..=u8::try_from(MOST_KEPT).expect("few") {
            store.keep(&[key], b"result");
            assert!(store.load(&[0]).is_some(), "the first one is used each time");
        }
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), MOST_KEPT);
        assert_eq!(store.load(&[1]), None);
    }
}
