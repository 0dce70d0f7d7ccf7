//! `qp trace export`: a recorded run as lines of JSON.

use crate::command::CommandError;
use crate::session::{self, Exported};
use std::path::PathBuf;

/// Writes every event of a recorded run as a line of JSON, for other programs
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace export --to run.jsonl\n  qp trace export shop.trace --to /dev/stdout | jq 'select(.event == \"field\")'"
)]
pub struct Export {
    /// The folder that `qp trace record` wrote
    #[arg(value_name = "FOLDER", default_value = "trace")]
    pub folder: PathBuf,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,
}

impl Export {
    /// Does it.
    ///
    /// # Errors
    /// The folder holds no recorded run, or the file cannot be written.
    pub fn execute(&self) -> Result<Exported, CommandError> {
        Ok(session::export(&self.folder, &self.to)?)
    }
}
