//! `qp trace events N`: the events of a call of a recorded run, in their order.

use crate::command::CommandError;
use crate::session::{self, EventsAsked, EventsShown};
use std::path::PathBuf;

/// Shows the events of a call: what it writes, where it goes, which calls it makes
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace events 12                      # of call #12 in the folder `trace`\n  qp trace events 12 shop.trace --limit 1000"
)]
pub struct Events {
    /// The number of the call, as `qp trace calls` shows it
    #[arg(value_name = "CALL")]
    pub node: u32,
    /// The folder that `qp trace record` wrote
    #[arg(value_name = "FOLDER", default_value = "trace")]
    pub folder: PathBuf,
    /// No more than so many
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
}

impl Events {
    /// Does it.
    ///
    /// # Errors
    /// The folder holds no recorded run, or not this call.
    pub fn execute(&self) -> Result<EventsShown, CommandError> {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        Ok(session::events(&self.folder, &EventsAsked { node: self.node, limit })?)
    }
}
