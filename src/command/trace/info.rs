//! `qp trace info FOLDER`: what a recorded run holds, and what is missing.

use super::reading::Reading;
use crate::command::CommandError;
use crate::session::{self, Context, Holds};

/// Tells what a recorded run holds, and what is missing
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace info                # of the folder `trace`\n  qp trace info shop.trace --format json"
)]
pub struct Info {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: Reading,
}

impl Info {
    /// Does it.
    ///
    /// # Errors
    /// The folder holds no recorded run.
    pub async fn execute(&self, context: &Context) -> Result<Holds, CommandError> {
        let trace = self.reading.open(context).await?;
        Ok(session::holds(&trace))
    }
}
