//! `qp trace export`: a recorded run as lines of JSON.

use super::reading::Reading;
use crate::command::CommandError;
use crate::session::{self, Exported, Interrupt, Progress};
use std::path::PathBuf;

/// Writes every event of a recorded run as a line of JSON, for other programs
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace export --to run.jsonl\n  qp trace export shop.trace --to /dev/stdout | jq 'select(.event == \"field\")'"
)]
pub struct Export {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: Reading,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,
}

impl Export {
    /// Does it.
    ///
    /// # Errors
    /// The folder holds no recorded run, or the file cannot be written.
    pub async fn execute(
        &self,
        progress: &mut dyn Progress,
        interrupt: &mut Interrupt,
    ) -> Result<Exported, CommandError> {
        Ok(session::export(&mut self.reading.open(progress, interrupt).await?, &self.to)?)
    }
}
