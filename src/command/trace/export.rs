//! `qp trace export`: writes a recorded run as lines of JSON, or as a Parquet file.

use super::reading::Reading;
use crate::command::{Command, CommandError, Outcome};
use crate::session::{self, Context, ExportForm, ExportRequest, ExportResult};
use std::path::PathBuf;

/// Writes every event of a recorded run for other programs, as a line of JSON or a row of a Parquet file
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace export --to run.jsonl\n  qp trace export shop.trace --to shop.parquet\n  qp trace export shop.trace --to /dev/stdout | jq 'select(.event == \"field\")'"
)]
pub struct Export {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: Reading,
    /// The file to write: `NAME.parquet` becomes a Parquet file, any other gets a line of JSON per event
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,
    /// Append the calls that later runs recorded in more detail; each event names its `run`
    #[arg(long)]
    pub later: bool,
}

impl Outcome for ExportResult {
    fn exit_code(&self) -> u8 {
        0
    }
}

impl Command for Export {
    type Output = ExportResult;

    /// # Errors
    /// The folder holds no recorded run, or the file cannot be written.
    async fn execute(&self, context: &Context) -> Result<ExportResult, CommandError> {
        let is_parquet = self.to.extension().is_some_and(|extension| extension == "parquet");
        let form = if is_parquet { ExportForm::Parquet } else { ExportForm::Lines };
        let asked = ExportRequest { file: self.to.clone(), form, later: self.later };
        let mut trace = self.reading.open(context).await?;
        Ok(session::export(&mut trace, &asked, context).await?)
    }
}
