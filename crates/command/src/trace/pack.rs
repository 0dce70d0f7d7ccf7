//! `qp trace pack`: makes one file of a recorded run, to be opened elsewhere.

use super::reading::Reading;
use crate::program::SourceArgs;
use crate::{Command, CommandError, Outcome};
use recorded::PackResult;
use session::Context;
use std::path::PathBuf;

/// Packs a recorded run into one file, with the sources and class files that its views read
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  qp trace pack shop.trace\n  \
                  qp trace pack shop.trace --to /tmp/shop.qp\n  qp serve shop.qp")]
pub struct Pack {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: Reading,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub source: SourceArgs,
    /// The file to write; by default the name of the recording, with `.qp` at its end
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,
}

impl Outcome for PackResult {
    fn exit_code(&self) -> u8 {
        0
    }
}

impl Command for Pack {
    type Output = PackResult;

    /// # Errors
    /// The folder holds no complete recorded run, or the file cannot be written.
    async fn execute(&self, context: &Context) -> Result<PackResult, CommandError> {
        let trace = self.reading.open(context).await?;
        let to = self.to.clone().unwrap_or_else(|| self.reading.folder.with_extension("qp"));
        Ok(recorded::pack(&trace, &self.source.paths(), &to, context).await?)
    }
}
