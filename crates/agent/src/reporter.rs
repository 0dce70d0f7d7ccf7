//! Writes the report: whole lines, each at once, so that a reader never sees half of one for long.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use wire::Report;

/// Writes the report.
#[derive(Debug, Default)]
pub struct Reporter(Option<File>);

impl Reporter {
    /// Appends to a file that is there. One that cannot be opened loses the report, not the program.
    pub fn open(path: &Path) -> Reporter {
        Reporter(File::options().append(true).open(path).ok())
    }

    /// Writes a line. False when that is not possible.
    pub fn tell(&mut self, report: &Report) -> bool {
        let Some(file) = &mut self.0 else { return false };
        let Ok(mut line) = serde_json::to_vec(report) else { return false };
        line.push(b'\n');
        file.write_all(&line).is_ok()
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
