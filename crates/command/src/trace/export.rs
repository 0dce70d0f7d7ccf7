//! `qp trace export`: writes a recorded run as lines of JSON, or as a Parquet file.

use super::reading::Reading;
use crate::{Command, CommandError, Outcome};
use logic::log::Kind;
use recorded::{ExportForm, ExportRequest, ExportResult};
use session::Context;
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
    /// Write only these kinds of events to a file of Prolog facts: `methodcall,methodexit`
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = kind)]
    pub kinds: Vec<Kind>,
    /// Append the calls that later runs recorded in more detail; each event names its `run`
    #[arg(long)]
    pub later: bool,
}

fn kind(text: &str) -> Result<Kind, String> {
    Kind::named(text).ok_or_else(|| {
        let all: Vec<&str> = Kind::ALL.into_iter().map(Kind::functor).collect();
        format!("expected one of {}", all.join(", "))
    })
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
        let form = match self.to.extension().and_then(|extension| extension.to_str()) {
            Some("parquet") => ExportForm::Parquet,
            Some("pl") => ExportForm::Jel(self.kinds.clone()),
            _ => ExportForm::Lines,
        };
        let asked = ExportRequest { file: self.to.clone(), form, later: self.later };
        let mut trace = self.reading.open(context).await?;
        Ok(recorded::export(&mut trace, &asked, context).await?)
    }
}
