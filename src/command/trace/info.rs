//! `qp trace info FOLDER`: what a recorded run holds, and what is missing.

use crate::command::CommandError;
use crate::session::{self, Holds};
use std::path::PathBuf;

/// Tells what a recorded run holds, and what is missing
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace info                # of the folder `trace`\n  qp trace info shop.trace --format json"
)]
pub struct Info {
    /// The folder that `qp trace record` wrote
    #[arg(value_name = "FOLDER", default_value = "trace")]
    pub folder: PathBuf,
}

impl Info {
    /// Does it.
    ///
    /// # Errors
    /// The folder holds no recorded run.
    pub fn execute(&self) -> Result<Holds, CommandError> {
        Ok(session::holds(&self.folder)?)
    }
}
