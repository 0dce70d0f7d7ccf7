//! What a file of somebody else would have run, and what a person says to that.

use std::path::PathBuf;

/// What a file would have run.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The file, as it was named.
    pub file: PathBuf,
    /// The folder in which it runs.
    pub cwd: PathBuf,
    /// The fields of the file that have something run, with what they say.
    pub commands: Vec<(&'static str, String)>,
    /// All of that, so that no two that differ are the same.
    pub(super) content: String,
    /// The tag that it carries.
    pub(super) signature: Option<String>,
}

/// What a person says to that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// Yes, this time.
    Once,
    /// Yes, from now on.
    Always,
    /// No.
    Refused,
    /// Nobody was there to be asked.
    Unasked,
}
