//! The options that select a recorded run.

use crate::CommandError;
use recorded::{MEMORY, RecordedTrace};
use session::Context;
use std::path::PathBuf;

#[allow(missing_docs)]
#[derive(clap::Args, Clone, Debug)]
pub struct Reading {
    /// The folder that `qp trace record` wrote, or a file of `qp trace pack`
    #[arg(value_name = "FOLDER", default_value = "trace")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub memory: Memory,
}

#[allow(missing_docs)]
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Memory {
    /// Memory for sorting the recorded events, in megabytes
    #[arg(id = "memory", long = "memory", value_name = "MB", default_value_t = MEMORY >> 20, value_parser = megabytes)]
    pub megabytes: usize,
}

fn megabytes(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=1 << 20).contains(number));
    number.ok_or_else(|| "expected a number of megabytes, from 1 to 1048576".to_owned())
}

impl Memory {
    /// The memory in bytes.
    pub fn bytes(self) -> usize {
        self.megabytes << 20
    }
}

impl Reading {
    /// Opens the recorded run.
    ///
    /// # Errors
    /// The folder holds no recorded run, or it cannot be read.
    pub async fn open(&self, context: &Context) -> Result<RecordedTrace, CommandError> {
        Ok(RecordedTrace::open(&self.folder, self.memory.bytes(), context).await?)
    }
}
