//! Checksums of the tables' files, so that a changed or truncated table is never read.

use super::table::map;
use crate::TraceError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// The file of checksums.
const FILE: &str = "checksums.json";

/// Length and CRC-32 of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checksum {
    /// Length in bytes.
    pub bytes: u64,
    /// CRC-32 of the bytes.
    pub crc: u32,
}

impl Checksum {
    /// The checksum of these bytes.
    pub fn of(bytes: &[u8]) -> Checksum {
        Checksum { bytes: u64::try_from(bytes.len()).unwrap_or(u64::MAX), crc: crc32fast::hash(bytes) }
    }
}

/// Tables of at least this many bytes are not read to be checked, if their modification time is known.
const LARGE: u64 = 64 << 20;

/// What is known of a file of tables.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct TableSum {
    #[serde(flatten)]
    sum: Checksum,
    /// Modification time of a large file, in nanoseconds since 1970, if the system reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<u64>,
}

impl TableSum {
    fn of_file(path: &Path) -> Result<TableSum, TraceError> {
        let sum = Checksum::of(&map(path).map_err(TraceError::at(path))?);
        let changed = if sum.bytes >= LARGE { changed(path)? } else { None };
        Ok(TableSum { sum, changed })
    }

    /// Whether a file is the one of which this is known. A large file that nobody has written since is not
    /// read.
    fn fits(&self, path: &Path) -> Result<bool, TraceError> {
        let bytes = path.metadata().map_err(TraceError::at(path))?.len();
        let is_unwritten =
            self.changed.is_some() && bytes == self.sum.bytes && self.changed == changed(path)?;
        Ok(is_unwritten || self.sum == TableSum::of_file(path)?.sum)
    }
}

/// The modification time of a file, in nanoseconds since 1970, if the system reports it.
fn changed(path: &Path) -> Result<Option<u64>, TraceError> {
    let changed = path.metadata().map_err(TraceError::at(path))?.modified().ok();
    let since = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Ok(since.and_then(|time| u64::try_from(time.as_nanos()).ok()))
}

/// Writes the checksums of the finished tables in a folder.
///
/// # Errors
/// A file cannot be read or written.
pub fn write(folder: &Path, files: &[&str]) -> Result<(), TraceError> {
    let of = |name: &str| Ok((name.to_owned(), TableSum::of_file(&folder.join(name))?));
    let sums = files.iter().copied().map(of).collect::<Result<BTreeMap<String, TableSum>, TraceError>>()?;
    let file = folder.join(FILE);
    let text = serde_json::to_vec(&sums).map_err(|error| TraceError::at(&file)(error.into()))?;
    files::write(&file, text).map_err(TraceError::at(&file))
}

/// Compares the tables in a folder with their checksums.
///
/// # Errors
/// A checksum differs or the file of checksums is missing.
pub fn check(folder: &Path, files: &[&str]) -> Result<(), TraceError> {
    let file = folder.join(FILE);
    let text = files::read_regular(&file, u64::MAX, false).map_err(TraceError::at(&file))?;
    let sums: BTreeMap<String, TableSum> =
        serde_json::from_slice(&text).map_err(|error| TraceError::at(&file)(error.into()))?;
    for name in files.iter().copied() {
        let path = folder.join(name);
        if !sums.get(name).is_some_and(|sum| sum.fits(&path).unwrap_or(false)) {
            return Err(TraceError::at(&path)(std::io::Error::other("its checksum differs")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 3] = ["summary.json", "texts", "calls.arrow"];

    #[test]
    fn a_changed_or_truncated_file_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let in_it = |name: &str| folder.path().join(name);
        FILES.iter().for_each(|name| std::fs::write(in_it(name), format!("what {name} holds")).unwrap());
        assert!(check(folder.path(), &FILES).is_err());
        write(folder.path(), &FILES).unwrap();
        check(folder.path(), &FILES).unwrap();
        for name in FILES.into_iter().chain([FILE]) {
            let whole = std::fs::read(in_it(name)).unwrap();
            for at in 0..whole.len() {
                let mut changed = whole.clone();
                changed[at] ^= 1;
                std::fs::write(in_it(name), changed).unwrap();
                // A changed file name inside the checksums is detected too.
                assert!(check(folder.path(), &FILES).is_err(), "{name} {at}");
            }
            std::fs::write(in_it(name), &whole[..whole.len() - 1]).unwrap();
            assert!(check(folder.path(), &FILES).is_err(), "{name}");
            std::fs::write(in_it(name), whole).unwrap();
        }
        check(folder.path(), &FILES).unwrap();
    }
}
