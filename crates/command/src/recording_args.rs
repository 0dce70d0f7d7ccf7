//! `--in RECORDING`: asks a recorded run instead of running the program.

use super::CommandError;
use recorded::{MEMORY, RecordedTrace};
use session::Context;
use std::path::PathBuf;

/// A recording that is asked instead of the program.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct InRecording {
    /// Ask this recorded run instead of running the program: a folder that `qp trace record` wrote, or a file
    /// of `qp trace pack`
    #[arg(long = "in", value_name = "RECORDING")]
    pub recording: Option<PathBuf>,
}

impl InRecording {
    /// Opens the recording, if one was named.
    ///
    /// # Errors
    /// There is no recording, or it cannot be read.
    pub async fn open(&self, context: &Context) -> Result<Option<(RecordedTrace, PathBuf)>, CommandError> {
        let Some(path) = &self.recording else { return Ok(None) };
        Ok(Some((RecordedTrace::open(path, MEMORY, context).await?, path.clone())))
    }
}
