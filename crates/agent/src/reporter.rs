//! Writes the report: whole lines, each at once, so that a reader never sees half of one for long.

use std::fs::File;
use std::io::Write;
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
