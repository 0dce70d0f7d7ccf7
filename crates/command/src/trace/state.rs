//! `qp trace state N`: shows an object at the entry and at the end of a recorded call.

use super::level::LevelArg;
use super::reading::CallOfRun;
use crate::trust::TrustArgs;
use crate::{Command, CommandError, Outcome};
use past::{StateRequest, StateShown};
use recorded::at_level;
use session::Context;
use session::SessionError;

/// Shows an object at the entry and at the end of a call
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace state 12                       # the `this` of call #12\n  qp trace state 12 shop.trace --object 'int[]@9'"
)]
pub struct State {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub call: CallOfRun,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub trust: TrustArgs,
    /// The object or array in its printed form, such as `Rec@7`; by default the call's `this`
    #[arg(long, value_name = "OBJECT")]
    pub object: Option<String>,
    /// Level of detail; a level above the recorded one runs the program again and records this call
    #[arg(long, value_enum)]
    pub level: Option<LevelArg>,
    /// Maximum number of fields or elements
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
}

impl Outcome for StateShown {
    fn exit_code(&self) -> u8 {
        0
    }
}

impl Command for State {
    type Output = StateShown;

    fn trusts(&self) -> bool {
        self.trust.trust
    }

    /// # Errors
    /// The folder holds no recorded run, the run was recorded without writes, or it has no such call or
    /// object.
    async fn execute(&self, context: &Context) -> Result<StateShown, CommandError> {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let (node, reading) = self.call.resolved()?;
        let asked = StateRequest { node, object: self.object.clone(), limit };
        let trace = reading.open(context).await?;
        let level = self.level.map(Into::into);
        let mut trace = at_level(trace, node, level, context).await?;
        Ok(past::state(&mut trace, &asked).map_err(SessionError::from)?)
    }
}
