//! How a build tool is asked for the tests of a module.

use std::path::PathBuf;

/// How a tool is asked.
pub struct Question {
    /// The command.
    pub command: Vec<String>,
    /// Its working folder.
    pub folder: PathBuf,
    /// A file that it reads, with its content.
    pub script: Option<(PathBuf, &'static str)>,
}
