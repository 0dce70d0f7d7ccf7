//! `qp trace step`: steps over a recorded run, by commands. This file has the arguments; `commands` has the
//! table of commands, and `dialogue` executes them for any front end.

mod commands;
mod dialogue;

pub use commands::{STEP_TABLE, StepCommand, StepRow};
pub use dialogue::{StepDialogue, StepReply};

use super::level::LevelArg;
use super::reading::Reading;
use crate::command::CommandError;
use crate::command::trust::TrustArgs;
use crate::session::{Context, Stepper};
use std::path::PathBuf;

/// Walks over a recorded run at a prompt, to and fro
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace step 12                        # from the entry of call #12\n  qp trace step 12 shop.trace --at-end\n  At the prompt: next, previous, into, out, back this.total, forward x, show this, help"
)]
pub struct Step {
    /// The number of the call, as `qp trace calls` shows it
    #[arg(value_name = "CALL", default_value_t = 0)]
    pub node: u32,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: Reading,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub trust: TrustArgs,
    /// A folder or archive with Java sources; as often as wanted
    #[arg(long, value_name = "PATH")]
    pub source: Vec<PathBuf>,
    /// How much of the call to know: with more than was recorded the program is run again, and this call
    /// recorded
    #[arg(long, value_enum)]
    pub level: Option<LevelArg>,
    /// Begin at this event of the call, counted from 1 as `qp trace find` tells it
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "at_end")]
    pub event: usize,
    /// Begin at the end of the call
    #[arg(long)]
    pub at_end: bool,
}

impl Step {
    /// Opens the recorded run, and goes there.
    ///
    /// # Errors
    /// The folder holds no recorded run, or not this call.
    pub async fn stepper(&self, context: &Context) -> Result<Stepper<'static>, CommandError> {
        let trace = self.reading.open(context).await?;
        let level = self.level.map(Into::into);
        let trace = trace.at_level(self.node, level, context).await?;
        let mut stepper = Stepper::new(trace, self.node, &self.source)?;
        (0..self.event).try_for_each(|_| stepper.forth())?;
        if self.at_end {
            stepper.call(self.node, true)?;
        }
        Ok(stepper)
    }
}
