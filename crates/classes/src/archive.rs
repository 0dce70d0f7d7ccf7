//! Reads jars, wars, jmods and source zips, on disk or nested in another jar.

use super::manifest::Manifest;
use std::collections::HashMap;
use std::io::{Cursor, Read, Seek};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;
use zip::ZipArchive;

/// Maximum size of an entry in bytes. A wrong length in the archive must not decide how much is allocated.
const MAX_ENTRY_BYTES: u64 = 64 << 20;
/// Maximum size of a nested jar in bytes; it is held in memory.
const MAX_NESTED_JAR_BYTES: u64 = 512 << 20;

trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

/// An open archive with an index of its entries.
pub(super) struct Archive {
    zip: Mutex<ZipArchive<Box<dyn ReadSeek>>>,
    index: HashMap<String, usize>,
    pub modified: Option<SystemTime>,
    pub manifest: Manifest,
}

impl Archive {
    /// Opens the file at `path`.
    pub fn open(path: &Path) -> Result<Archive, String> {
        let file = std::fs::File::open(path).map_err(|e| e.to_string())?;
        let modified = file.metadata().and_then(|m| m.modified()).ok();
        Archive::from_reader(Box::new(std::io::BufReader::new(file)), modified)
    }

    fn from_reader(reader: Box<dyn ReadSeek>, modified: Option<SystemTime>) -> Result<Archive, String> {
        let zip = ZipArchive::new(reader).map_err(|e| e.to_string())?;
        let mut index = HashMap::with_capacity(zip.len());
        for (i, name) in zip.file_names().enumerate() {
            // A class name is always valid UTF-8, so skip other names.
            if let Ok(name) = name {
                index.insert(name.into_owned(), i);
            }
        }
        let mut archive = Archive { zip: Mutex::new(zip), index, modified, manifest: Manifest::default() };
        if let Some(bytes) = archive.read("META-INF/MANIFEST.MF")? {
            archive.manifest = Manifest::parse(&bytes);
        }
        Ok(archive)
    }

    /// Opens a jar nested in this one, such as Spring Boot's `BOOT-INF/lib/x.jar`.
    pub fn nested(&self, entry: &str) -> Result<Archive, String> {
        let bytes =
            self.read_up_to(entry, MAX_NESTED_JAR_BYTES)?.ok_or_else(|| format!("no entry `{entry}`"))?;
        Archive::from_reader(Box::new(Cursor::new(bytes)), self.modified)
    }

    pub fn contains(&self, entry: &str) -> bool {
        self.index.contains_key(entry)
    }

    /// The names of all entries, in arbitrary order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.index.keys().map(String::as_str)
    }

    /// The bytes of an entry; `None` if it does not exist.
    pub fn read(&self, entry: &str) -> Result<Option<Vec<u8>>, String> {
        self.read_up_to(entry, MAX_ENTRY_BYTES)
    }

    fn read_up_to(&self, entry: &str, limit: u64) -> Result<Option<Vec<u8>>, String> {
        let Some(&i) = self.index.get(entry) else { return Ok(None) };
        let mut zip = self.zip.lock().unwrap_or_else(PoisonError::into_inner);
        let file = zip.by_index(i).map_err(|e| e.to_string())?;
        let mut bytes = Vec::new();
        file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
        if bytes.len() as u64 > limit {
            return Err(format!("entry `{entry}` is larger than {} MiB", limit >> 20));
        }
        Ok(Some(bytes))
    }
}
