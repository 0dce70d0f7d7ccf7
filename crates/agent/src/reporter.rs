//! Writes the report: each line with one write, so that a reader rarely sees an incomplete line.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use wire::Report;

/// Writes the report.
#[derive(Debug, Default)]
pub struct Reporter {
    file: Option<File>,
    /// The word that records a failed write, so that the report's reader knows about it.
    untold: Option<&'static AtomicU64>,
}

impl Reporter {
    /// Opens an existing file for appending. If it cannot be opened, the report is lost, but the program
    /// continues.
    pub fn open(path: &Path) -> Reporter {
        let mut file = File::options().append(true).open(path).ok();
        // Nobody else writes to it, so its position is its length.
        file.as_mut().map(|file| file.seek(SeekFrom::End(0)));
        Reporter { file, untold: None }
    }

    /// Sets the word that records failed writes.
    pub fn noting(self, untold: Option<&'static AtomicU64>) -> Reporter {
        Reporter { untold, ..self }
    }

    /// Writes a line. False if that fails; then no part of it remains in the file.
    pub fn tell(&mut self, report: &Report) -> bool {
        let is_told = self.write(report).is_some();
        if let (false, Some(untold)) = (is_told, self.untold) {
            untold.store(1, Ordering::Release);
        }
        is_told
    }

    fn write(&mut self, report: &Report) -> Option<()> {
        let file = self.file.as_mut()?;
        let mut line = serde_json::to_vec(report).ok()?;
        line.push(b'\n');
        let before = file.stream_position().ok()?;
        let written = file.write_all(&line);
        if written.is_err() {
            // For example, the disk is full and only a part of the line was written.
            drop(file.set_len(before).and_then(|()| file.seek(SeekFrom::End(0))));
        }
        written.ok()
    }
}

/// Writes at an offset of a file, and creates the file if it does not exist.
///
/// # Errors
/// The file cannot be written.
pub fn write_at(path: &Path, offset: u64, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = File::options().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}
