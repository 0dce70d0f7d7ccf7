//! Writes the report: whole lines, each at once, so that a reader never sees half of one for long.

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
    /// Where it is noted that something could not be written, so that whoever reads the report knows.
    untold: Option<&'static AtomicU64>,
}

impl Reporter {
    /// Appends to a file that is there. One that cannot be opened loses the report, not the program.
    pub fn open(path: &Path) -> Reporter {
        let mut file = File::options().append(true).open(path).ok();
        // Nobody else writes to it: its position is its length.
        file.as_mut().map(|file| file.seek(SeekFrom::End(0)));
        Reporter { file, untold: None }
    }

    /// The same, which notes in a word that something could not be written.
    pub fn noting(self, untold: Option<&'static AtomicU64>) -> Reporter {
        Reporter { untold, ..self }
    }

    /// Writes a line. False when that is not possible: then nothing of it is left in the file.
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
            // The disk is full, say, and has taken a part of the line.
            drop(file.set_len(before).and_then(|()| file.seek(SeekFrom::End(0))));
        }
        written.ok()
    }
}

/// Writes a part of a file, which is made if it is not there.
///
/// # Errors
/// It cannot be written.
pub fn write_at(path: &Path, offset: u64, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = File::options().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}
