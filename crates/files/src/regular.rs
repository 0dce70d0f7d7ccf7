//! Reads files that another user or program may have put in place: a device, a pipe or a link must neither
//! hold up the reader nor fill its memory.

use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Reads a regular file of at most so many bytes. The last part of the path may be a link only if
/// `follows_link`.
///
/// # Errors
/// It is no regular file, is larger, or cannot be read.
pub fn read_regular(path: &Path, most: u64, follows_link: bool) -> io::Result<Vec<u8>> {
    let file = open_regular(path, follows_link)?;
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|read| read <= most) {
        return Ok(bytes);
    }
    Err(io::Error::other(format!("it is larger than {} MB", most >> 20)))
}

/// Opens a regular file to read it. The last part of the path may be a link only if `follows_link`.
///
/// # Errors
/// It is no regular file, or cannot be opened.
pub fn open_regular(path: &Path, follows_link: bool) -> io::Result<File> {
    // Opening a pipe would wait for its writer.
    let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    if !follows_link {
        flags |= OFlags::NOFOLLOW;
    }
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Err(rustix::io::Errno::LOOP) if !follows_link => {
            return Err(io::Error::other("it is a symbolic link, not a regular file"));
        }
        file => File::from(file?),
    };
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_pipes_links_and_large_files_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "text").unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), Mode::RUSR | Mode::WUSR).unwrap();
        assert_eq!(read_regular(&at("file"), 4, false).unwrap(), b"text");
        assert_eq!(read_regular(&at("link"), 4, true).unwrap(), b"text");
        let refused = |path: &Path, most| read_regular(path, most, false).unwrap_err().to_string();
        assert!(refused(&at("link"), 4).contains("symbolic link"));
        assert!(refused(&at("file"), 3).contains("larger"));
        for path in [&at("pipe"), Path::new("/dev/zero"), folder.path()] {
            assert_eq!(refused(path, 4), "it is not a regular file");
        }
    }
}
