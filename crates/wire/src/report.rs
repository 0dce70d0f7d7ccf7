//! What became of a plan.

use crate::recording::{RingReport, TracedClass, WriteReport};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// One line of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    /// The agent is at work.
    Started,
    /// A class was loaded, or transformed again, that holds sites.
    Class(ClassReport),
    /// A class was loaded, or transformed again, that is recorded.
    Traced(TracedClass),
    /// At a site that was told of before a call has written a field too.
    Write(WriteReport),
    /// A thread that is recorded has begun.
    Ring(RingReport),
    /// The place was reached where the recording begins, or the one where it ends.
    Reached {
        /// Whether it is the one where it ends.
        is_end: bool,
    },
    /// Something does not work, and what.
    Problem(String),
    /// A hidden class was prepared whose code may hold sites. No load hook sees such a class, so it got no
    /// probes.
    Hidden(HiddenClass),
    /// The VM ends, and this is what was counted.
    Counts {
        /// Hits by number of the site; sites without any may be missing.
        hits: Vec<(u32, u64)>,
        /// How long the processors were busy with the VM, in milliseconds, where the system tells.
        busy_ms: Option<u64>,
    },
}

/// A class that no load hook sees, such as one of `Lookup.defineHiddenClass`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HiddenClass {
    /// The name in its class file, with slashes: the VM puts a number of its own behind it.
    pub class: String,
    /// The queries of which its code may hold sites.
    pub queries: Vec<u16>,
}

/// What was done to one class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassReport {
    /// Its name.
    pub class: String,
    /// The methods that hold sites now.
    pub methods: Vec<MethodReport>,
    /// The sites that are new.
    pub sites: Vec<SiteReport>,
    /// What got nothing.
    pub left: Vec<Left>,
}

/// A method that holds sites now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodReport {
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The [`crate::code_hash`] of its code before.
    pub code: u64,
    /// The length of its code before.
    pub length: u32,
    /// Where its instructions were and are, ascending.
    pub moved: Vec<(u32, u32)>,
    /// The extra locals that keep something, with their slots.
    pub kept: Vec<(String, u16)>,
}

/// A site by the number that its hits bear.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteReport {
    /// The number: in this run only.
    pub id: u32,
    /// Whose it is.
    pub query: u16,
    /// The method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The index, of the code before.
    pub bci: u32,
    /// What tells it from other sites at that index: [`crate::What::way`]; or where a way leads, for the
    /// number by which an activation remembers it.
    pub way: Option<u32>,
    /// For a field: the class by which it is named there.
    pub named_by: Option<String>,
}

/// A method that was left as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Its name.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Whose sites are missing.
    pub queries: Vec<u16>,
    /// Why.
    pub why: String,
}

/// Reads a report while it is written.
#[derive(Debug)]
pub struct ReportReader {
    file: File,
    /// What was read of a line that is not whole yet.
    rest: Vec<u8>,
}

impl ReportReader {
    /// Reads from the beginning.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open(path: &Path) -> io::Result<ReportReader> {
        Ok(ReportReader { file: File::open(path)?, rest: Vec::new() })
    }

    /// What has come since the last time.
    ///
    /// # Errors
    /// The file cannot be read, or holds something else.
    pub fn more(&mut self) -> io::Result<Vec<Report>> {
        self.file.read_to_end(&mut self.rest)?;
        let Some(end) = self.rest.iter().rposition(|byte| *byte == b'\n') else { return Ok(Vec::new()) };
        let rest = self.rest.split_off(end + 1);
        let whole = std::mem::replace(&mut self.rest, rest);
        reports(&whole)
    }
}

/// The reports in some bytes; a last line without its end is left out.
///
/// # Errors
/// They hold something else.
pub fn reports(bytes: &[u8]) -> io::Result<Vec<Report>> {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    let lines = bytes.get(..end).unwrap_or_default().split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).map_err(io::Error::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_line_is_read_when_it_is_whole() {
        let path = std::env::temp_dir().join(format!("wire-{}", std::process::id()));
        let mut file = File::create(&path).unwrap();
        let mut reader = ReportReader::open(&path).unwrap();
        let line = serde_json::to_string(&Report::Problem("a".into())).unwrap();
        write!(file, "\"Started\"\n{}", &line[..5]).unwrap();
        assert_eq!(reader.more().unwrap(), [Report::Started]);
        assert_eq!(reader.more().unwrap(), []);
        writeln!(file, "{}", &line[5..]).unwrap();
        assert_eq!(reader.more().unwrap(), [Report::Problem("a".into())]);
        writeln!(file, "nonsense").unwrap();
        assert!(reader.more().is_err());
        std::fs::remove_file(path).unwrap();
    }
}
