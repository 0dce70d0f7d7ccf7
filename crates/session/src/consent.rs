//! The commands that a foreign file would run, and whether the user allows them.

use std::path::PathBuf;

/// The commands that a file would run.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The file, as the user named it.
    pub file: PathBuf,
    /// The folder in which they run.
    pub cwd: PathBuf,
    /// The fields of the file that name commands, and their values.
    pub commands: Vec<(&'static str, String)>,
    /// Kind of file, folder and commands as one unambiguous text; the tag signs it.
    pub(super) content: String,
    /// The signature in the file.
    pub(super) signature: Option<String>,
}

/// The user's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// Yes, this time.
    Once,
    /// Yes, from now on.
    Always,
    /// No.
    Refused,
    /// No person could be asked.
    Unasked,
}
