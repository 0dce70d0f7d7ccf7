//! The options that select a recorded run.

use crate::CommandError;
use recorded::{MEMORY, RecordedTrace};
use session::Context;
use std::path::{Path, PathBuf};

#[allow(missing_docs)]
#[derive(clap::Args, Clone, Debug)]
pub struct Reading {
    /// The folder that `qp trace record` wrote, or a file of `qp trace pack`
    #[arg(value_name = "FOLDER", default_value = DEFAULT)]
    pub folder: PathBuf,
    #[command(flatten)]
    pub memory: Memory,
}

/// A call of a recorded run. The call and the folder can stand in either order: a call is a number.
#[derive(clap::Args, Clone, Debug)]
pub struct CallOfRun {
    /// The number of the call, as `qp trace calls` shows it; by default 0
    #[arg(id = "call", value_name = "CALL")]
    first: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
}

impl CallOfRun {
    /// The first call of a recorded run.
    pub fn first_of(folder: PathBuf) -> CallOfRun {
        let memory = Memory { megabytes: MEMORY >> 20 };
        CallOfRun { first: None, reading: Reading { folder, memory } }
    }

    /// The number of the call, and the recorded run; without a number, the first call.
    ///
    /// # Errors
    /// Neither of two texts is the number of a call.
    pub fn resolved(&self) -> Result<(u32, Reading), CommandError> {
        let number = |text: &Path| text.to_str()?.trim_start_matches('#').parse().ok();
        let Some(first) = &self.first else { return Ok((0, self.reading.clone())) };
        if let Some(call) = number(first) {
            return Ok((call, self.reading.clone()));
        }
        let of = |folder: &PathBuf| Reading { folder: folder.clone(), ..self.reading.clone() };
        match number(&self.reading.folder) {
            Some(call) => Ok((call, of(first))),
            None if self.reading.folder == Path::new(DEFAULT) => Ok((0, of(first))),
            None => Err(CommandError::Usage(format!(
                "neither {} nor {} is the number of a call, as `qp trace calls` shows it",
                first.display(),
                self.reading.folder.display()
            ))),
        }
    }
}

/// The folder of a recorded run that is not named.
const DEFAULT: &str = "trace";

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
