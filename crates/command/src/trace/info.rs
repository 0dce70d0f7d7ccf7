//! `qp trace info FOLDER`: summarises a recorded run and its missing parts.

use super::reading::Reading;
use crate::{Command, CommandError, Outcome};
use past::RecordingInfo;
use session::Context;

/// Summarises a recorded run and its missing parts
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace info                # of the folder `trace`\n  qp trace info shop.trace --format json"
)]
pub struct Info {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: Reading,
}

impl Outcome for RecordingInfo {
    fn exit_code(&self) -> u8 {
        0
    }
}

impl Command for Info {
    type Output = RecordingInfo;

    /// # Errors
    /// The folder holds no recorded run.
    async fn execute(&self, context: &Context) -> Result<RecordingInfo, CommandError> {
        let trace = self.reading.open(context).await?;
        Ok(RecordingInfo { vms: trace.folder.other_vms(), ..past::holds(&trace) })
    }
}
