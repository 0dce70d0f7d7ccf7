//! `qp trace step`: steps through a recorded run. This file has the arguments; `commands` has the table of
//! commands, and `dialogue` executes them for any front end.

mod commands;
mod dialogue;

pub use commands::{STEP_TABLE, StepCommand};
pub use dialogue::{StepDialogue, StepReply};

use super::level::LevelArg;
use super::reading::CallOfRun;
use crate::CommandError;
use crate::cursor::Cursor;
use crate::program::SourceArgs;
use crate::trust::TrustArgs;
use past::{Breakpoints, EventRef};
use recorded::at_level;
use session::Context;
use std::path::PathBuf;

/// Steps forward and back through a recorded run at a prompt
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace step 12                        # from the entry of call #12\n  qp trace step 12 shop.trace --at-end\n  At the prompt: next, previous, into, out, back this.total, forward x, show this, help"
)]
pub struct Step {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub call: CallOfRun,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub trust: TrustArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub source: SourceArgs,
    /// Level of detail; a level above the recorded one runs the program again and records this call
    #[arg(long, value_enum)]
    pub level: Option<LevelArg>,
    /// Begin at this event of the call, counted from 1 as `qp trace find` shows it
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "at_end")]
    pub event: u64,
    /// Begin at the end of the call
    #[arg(long)]
    pub at_end: bool,
}

impl Step {
    /// At the first event of a recorded run.
    pub fn at_begin(folder: PathBuf, trust: TrustArgs) -> Step {
        let source = SourceArgs::default();
        let call = CallOfRun::first_of(folder);
        Step { call, trust, source, level: None, event: 0, at_end: false }
    }

    /// Opens the recorded run and goes to the event.
    ///
    /// # Errors
    /// The folder holds no recorded run, or the run has no such event.
    pub async fn open(&self, context: &Context) -> Result<Cursor, CommandError> {
        let (node, reading) = self.call.resolved()?;
        let trace = reading.open(context).await?;
        let level = self.level.map(Into::into);
        let trace = at_level(trace, node, level, context).await?;
        let mut trace = trace.with_code(&self.source.paths());
        let event = EventRef { call: node, event: (!self.at_end).then_some(self.event) };
        let at = match self.at_end {
            true => trace.end_of_call(trace.entry_of(node)?)?,
            false => trace.position(event)?,
        };
        Ok(Cursor { trace, at, breakpoints: Breakpoints::default() })
    }
}
