//! The agent's report on what it did with a plan.

use crate::coverage::{CoverableClass, CoveredRun};
use crate::recording::{RingReport, TracedClass, WriteReport};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// One line of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    /// The agent has started.
    Started,
    /// A class with sites was loaded or transformed again.
    Class(ClassReport),
    /// A recorded class was loaded or transformed again.
    Traced(TracedClass),
    /// A class whose coverage is noted was loaded.
    Coverable(CoverableClass),
    /// A test has ended, or the VM ends.
    Covered(CoveredRun),
    /// An unrecorded call at a reported site wrote a field.
    Write(WriteReport),
    /// A loader that is about to define a recorded class, or to which such a loader delegates.
    Loader(LoaderReport),
    /// A recorded thread has started.
    Ring(RingReport),
    /// Execution reached the place where the recording begins or ends.
    Reached {
        /// Whether it is the end.
        is_end: bool,
    },
    /// The program opened this file for writing, made it, removed it, or gave it this name or another one. It
    /// can be a folder. The path begins at the root.
    Wrote(String),
    /// The same for a file or folder that existed before. Only one of the two is reported.
    Existed(String),
    /// The program started another process.
    Forked,
    /// The program made a socket of the network.
    Socket,
    /// A class as it was loaded, before the agent has changed it.
    Loaded(LoadedClass),
    /// A problem, described for the user.
    Problem(String),
    /// A hidden class was prepared whose code may contain sites. Class file load hooks do not see hidden
    /// classes, so it has no probes.
    Hidden(HiddenClass),
    /// The VM is ending; these are the counts.
    Counts {
        /// Number of hits by site number. Sites without hits may be missing.
        hits: Vec<(u32, u64)>,
        /// What became of the hits of tested sites, by site number.
        #[serde(default)]
        tested: Vec<(u32, TestedCounts)>,
        /// CPU time used by the VM, in milliseconds, if the system provides it.
        busy_ms: Option<u64>,
    },
}

/// What became of the hits of a tested site. No hit counts twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestedCounts {
    /// Those in threads for which the query does not ask.
    pub other_thread: u64,
    /// Those whose condition was false.
    pub false_condition: u64,
    /// Those without the caller for which the query asks.
    pub other_caller: u64,
    /// All others: they may be those asked for.
    pub asked: u64,
}

/// A class loader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoaderReport {
    /// Its number.
    pub number: u32,
    /// Its class, with slashes.
    pub class: String,
    /// The number of the loader to which it delegates; 0 for the VM's own.
    pub parent: u32,
}

/// A class as it was loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedClass {
    /// Its name, with slashes.
    pub class: String,
    /// Its class file.
    pub bytes: Vec<u8>,
}

/// A class that class file load hooks do not see, such as one defined by `Lookup.defineHiddenClass`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HiddenClass {
    /// The name in its class file, with slashes. The VM appends a number of its own.
    pub class: String,
    /// The queries whose sites its code may contain.
    pub queries: Vec<u16>,
}

/// The transformation of one class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassReport {
    /// Its name.
    pub class: String,
    /// Its methods that now contain sites.
    pub methods: Vec<MethodReport>,
    /// The new sites.
    pub sites: Vec<SiteReport>,
    /// The methods without their planned sites.
    pub left: Vec<SkippedMethod>,
}

/// A method that now contains sites.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodReport {
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The [`crate::code_hash`] of its original code.
    pub code: u64,
    /// The length of its original code, in bytes.
    pub length: u32,
    /// The old and new index of each of its instructions, ascending.
    pub moved: Vec<(u32, u32)>,
    /// The names and slots of its additional locals.
    pub kept: Vec<(String, u16)>,
}

/// A site and the number that its hits carry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteReport {
    /// The number; valid in this run only.
    pub id: u32,
    /// The query to which it belongs.
    pub query: u16,
    /// The method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The code index in the original code.
    pub bci: u32,
    /// Distinguishes sites with the same index: [`crate::SiteEvent::way`]. For a branch edge that an
    /// activation remembers, its target.
    pub way: Option<u32>,
    /// For a field access: the class named by the instruction.
    pub named_by: Option<String>,
    /// The called method of the JDK, at whose call the hit is noticed after the write.
    #[serde(default)]
    pub by: Option<CalledMethod>,
}

/// A method as an instruction names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalledMethod {
    /// Its class, with slashes.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
}

/// A method that was not transformed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedMethod {
    /// Its name.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The queries whose sites are missing.
    pub queries: Vec<u16>,
    /// The reason.
    pub why: String,
}

/// Reads a report while it is being written.
#[derive(Debug)]
pub struct ReportReader {
    file: File,
    /// The bytes of an incomplete line.
    rest: Vec<u8>,
}

impl ReportReader {
    /// Starts at the beginning of the report.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(path: &Path) -> io::Result<ReportReader> {
        Ok(ReportReader { file: File::open(path)?, rest: Vec::new() })
    }

    /// The reports added since the last call.
    ///
    /// # Errors
    /// If the file cannot be read or contains an invalid line.
    pub fn more(&mut self) -> io::Result<Vec<Report>> {
        self.file.read_to_end(&mut self.rest)?;
        let Some(end) = self.rest.iter().rposition(|byte| *byte == b'\n') else { return Ok(Vec::new()) };
        let rest = self.rest.split_off(end + 1);
        let whole = std::mem::replace(&mut self.rest, rest);
        reports(&whole)
    }
}

/// Parses the reports in `bytes`, without an incomplete last line.
///
/// # Errors
/// If a line is invalid.
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
    fn only_complete_lines_are_read() {
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
