//! Several files as one: packs regular files into a zip archive, and unpacks an archive that may come from
//! somebody else.
//!
//! The reader trusts nothing in the archive. Names, numbers and sizes are checked before anything is written,
//! and each size again while its file is.

use super::private::create_new;
use super::regular::open_regular;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use zip::read::{ArchiveOffset, Config};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Most files of an archive.
const ENTRIES: usize = 50_000;
/// Largest list of the files at the end of an archive, in bytes.
const LIST: u32 = 16 << 20;
/// Largest archive, in bytes: a larger one needs a second kind of list.
const PACKED: u64 = (4 << 30) - 1;
/// Most bytes that an archive may unpack to.
const UNPACKED: u64 = 64 << 30;
/// Most bytes that a byte of the archive may unpack to, beyond [`SLACK`].
const RATIO: u64 = 200;
/// Bytes that even a small archive may unpack to.
const SLACK: u64 = 64 << 20;
/// Most folders in each other.
const DEPTH: usize = 8;
/// Longest name, in bytes.
const NAME: usize = 512;
/// Length of the record that ends an archive without a comment.
const END: u64 = 22;
/// Bytes that are copied between two looks at whether the user interrupted.
const STEP: usize = 1 << 16;

/// Why files were not packed or unpacked.
#[derive(Debug)]
pub enum PackError {
    /// A file cannot be read or written.
    Io(io::Error),
    /// The archive is damaged or hostile, or would be too large. The text says why.
    Refused(String),
    /// The caller no longer wants it.
    Interrupted,
}

impl fmt::Display for PackError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackError::Io(error) => error.fmt(to),
            PackError::Refused(why) => to.write_str(why),
            PackError::Interrupted => to.write_str("interrupted"),
        }
    }
}

impl std::error::Error for PackError {}

impl From<io::Error> for PackError {
    fn from(error: io::Error) -> PackError {
        PackError::Io(error)
    }
}

/// A file to pack.
#[derive(Clone, Debug)]
pub struct PackedFile {
    /// Its name in the archive, with `/` between folders.
    pub name: String,
    /// Where it is now.
    pub path: PathBuf,
}

/// Packs files into an archive. Links are not followed.
///
/// # Errors
/// A file cannot be read, the archive cannot be written or would be refused by [`unpack`], or `goes_on`
/// returned false.
pub fn pack(files: &[PackedFile], to: File, goes_on: &mut dyn FnMut() -> bool) -> Result<(), PackError> {
    if files.len() > ENTRIES {
        return Err(refused(format!("it has {} files, more than {ENTRIES}", files.len())));
    }
    let mut zip = ZipWriter::new(BufWriter::new(to));
    let mut sum = 0;
    for file in files {
        check_name(&file.name)?;
        let from = open_regular(&file.path, false)?;
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .large_file(from.metadata()?.len() >= u64::from(u32::MAX));
        zip.start_file(&file.name, options).map_err(of_zip)?;
        let most = UNPACKED.saturating_sub(sum);
        sum += copy(&mut BufReader::new(from), &mut zip, most, &PackError::Io, goes_on)?;
    }
    let mut to = zip.finish().map_err(of_zip)?;
    to.flush()?;
    let packed = to.stream_position()?;
    if packed > PACKED {
        return Err(refused("it is larger than 4 GB"));
    }
    if sum > most_of(packed) {
        return Err(refused(format!("{sum} bytes in an archive of {packed} look like a bomb")));
    }
    Ok(())
}

/// Unpacks an archive to an empty private folder. After an error, the folder may have some of the files.
/// Returns the number of bytes.
///
/// # Errors
/// The archive is refused, a file cannot be written, or `goes_on` returned false.
pub fn unpack(archive: &Path, to: &Path, goes_on: &mut dyn FnMut() -> bool) -> Result<u64, PackError> {
    let mut file = open_regular(archive, true)?;
    let packed = file.metadata()?.len();
    let (count, list) = end_of(&mut file, packed)?;
    let config = Config { archive_offset: ArchiveOffset::Known(0) };
    let mut zip = ZipArchive::with_config(config, BufReader::new(file)).map_err(of_zip)?;
    if zip.central_directory_start() != list {
        return Err(refused("it has two lists of files"));
    }
    if zip.len() != count {
        return Err(refused("two of its files have the same name"));
    }
    let declared = check_all(&mut zip)?;
    if declared > most_of(packed) {
        return Err(refused(format!("{declared} bytes in an archive of {packed} look like a bomb")));
    }
    if zip.has_overlapping_files().map_err(of_zip)? {
        return Err(refused("two of its files share bytes"));
    }
    // All have one time: which was unpacked first says nothing of which is older.
    let now = std::time::SystemTime::now();
    for index in 0..count {
        let mut entry = zip.by_index(index).map_err(of_zip)?;
        let name = name_of(entry.name_raw())?.to_owned();
        let size = entry.size();
        let path = to.join(&name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut out = create_new(&path)?;
        // What the decoder and the checksum say.
        let unread = |error| refused(format!("`{name}` in it cannot be read: {error}"));
        let read = copy(&mut entry, &mut out, size, &unread, goes_on)?;
        if read != size {
            return Err(refused(format!("`{name}` in it has {read} bytes, but should have {size}")));
        }
        out.set_modified(now)?;
    }
    Ok(declared)
}

/// Checks the names, kinds and declared sizes of all files. Returns the sum of the sizes.
fn check_all<R: Read + Seek>(zip: &mut ZipArchive<R>) -> Result<u64, PackError> {
    let mut sum: u64 = 0;
    for index in 0..zip.len() {
        let entry = zip.by_index_raw(index).map_err(of_zip)?;
        let name = name_of(entry.name_raw())?;
        check_name(name)?;
        // The zip format has a field that replaces the name.
        if !entry.name().is_ok_and(|other| other == name) {
            return Err(refused(format!("`{name}` in it has two names")));
        }
        // The upper bits of the mode are the kind of file, 8 for a regular one.
        let kind = entry.unix_mode().unwrap_or_default() >> 12;
        if entry.is_symlink() || entry.is_dir() || !matches!(kind, 0 | 8) {
            return Err(refused(format!("`{name}` in it is not a regular file")));
        }
        if entry.encrypted() {
            return Err(refused(format!("`{name}` in it is encrypted")));
        }
        sum = sum.saturating_add(entry.size());
    }
    Ok(sum)
}

fn name_of(raw: &[u8]) -> Result<&str, PackError> {
    std::str::from_utf8(raw).map_err(|_| refused("a name in it is not UTF-8"))
}

/// Checks that a name stays in its folder on each system.
fn check_name(name: &str) -> Result<(), PackError> {
    let is_plain = |c: char| !c.is_control() && !matches!(c, '\\' | ':');
    let parts: Vec<&str> = name.split('/').collect();
    let leaves = parts.iter().any(|part| matches!(*part, "" | "." | ".."));
    if leaves || name.len() > NAME || parts.len() > DEPTH || !name.chars().all(is_plain) {
        return Err(refused(format!("the name {name:?} in it is not that of a file in its folder")));
    }
    Ok(())
}

/// Reads the record at the end: the number of files, and where their list begins.
fn end_of(file: &mut File, packed: u64) -> Result<(usize, u64), PackError> {
    if packed > PACKED {
        return Err(refused("it is larger than 4 GB"));
    }
    let start = packed.checked_sub(END).ok_or_else(|| refused("it is cut off"))?;
    let mut end = [0; 22];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut end)?;
    file.rewind()?;
    let [b'P', b'K', 5, 6, 0, 0, 0, 0, _, _, c0, c1, s0, s1, s2, s3, l0, l1, l2, l3, 0, 0] = end else {
        return Err(refused("it is no packed recording, or is cut off"));
    };
    let count = usize::from(u16::from_le_bytes([c0, c1]));
    let (size, list) = (u32::from_le_bytes([s0, s1, s2, s3]), u32::from_le_bytes([l0, l1, l2, l3]));
    if count > ENTRIES || size > LIST {
        return Err(refused(format!("it has more than {ENTRIES} files")));
    }
    if u64::from(list) + u64::from(size) != start {
        return Err(refused("its list of files is damaged"));
    }
    Ok((count, u64::from(list)))
}

/// Most bytes that an archive of so many bytes may unpack to.
fn most_of(packed: u64) -> u64 {
    packed.saturating_mul(RATIO).saturating_add(SLACK).min(UNPACKED)
}

/// Copies at most so many bytes, and refuses more. `unread` says what an error of the reader means.
fn copy(
    from: &mut dyn Read,
    to: &mut dyn Write,
    most: u64,
    unread: &dyn Fn(io::Error) -> PackError,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<u64, PackError> {
    let mut buffer = vec![0; STEP];
    let mut sum: u64 = 0;
    loop {
        if !goes_on() {
            return Err(PackError::Interrupted);
        }
        let read = match from.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map_err(unread)?,
        };
        if read == 0 {
            return Ok(sum);
        }
        sum = sum.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
        if sum > most {
            return Err(refused(format!("a file in it has more than the {most} bytes that it may have")));
        }
        to.write_all(buffer.get(..read).unwrap_or_default())?;
    }
}

fn refused(why: impl Into<String>) -> PackError {
    PackError::Refused(why.into())
}

fn of_zip(error: zip::result::ZipError) -> PackError {
    match error {
        zip::result::ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => error.into(),
        error => refused(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
