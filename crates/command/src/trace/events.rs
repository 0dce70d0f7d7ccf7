//! `qp trace events N`: shows the events of a recorded call in their order.

use super::level::LevelArg;
use super::reading::CallOfRun;
use crate::trust::TrustArgs;
use crate::{Command, CommandError, Outcome};
use past::EventsShown;
use recorded::EventsRequest;
use session::Context;

/// Shows the events of a call: its writes, branches and calls
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace events 12                      # of call #12 in the folder `trace`\n  qp trace events 12 shop.trace --level all --limit 1000"
)]
pub struct Events {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub call: CallOfRun,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub trust: TrustArgs,
    /// Maximum number of events
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// Level of detail; a level above the recorded one runs the program again and records this call
    #[arg(long, value_enum)]
    pub level: Option<LevelArg>,
}

impl Outcome for EventsShown {
    fn exit_code(&self) -> u8 {
        0
    }
}

impl Command for Events {
    type Output = EventsShown;

    fn trusts(&self) -> bool {
        self.trust.trust
    }

    /// # Errors
    /// The folder holds no recorded run, or the run has no such call; or the program cannot be run again, or
    /// behaved differently.
    async fn execute(&self, context: &Context) -> Result<EventsShown, CommandError> {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let (node, reading) = self.call.resolved()?;
        let asked = EventsRequest { node, limit, level: self.level.map(Into::into) };
        let mut trace = reading.open(context).await?;
        Ok(recorded::events(&mut trace, &asked, context).await?)
    }
}
