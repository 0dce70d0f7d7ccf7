//! `qp trace find CHAIN`: finds the points of a chain in a recorded run.

use super::reading::Reading;
use crate::trust::{self, TrustArgs};
use crate::{Command, CommandError, Outcome};
use chain::Chain;
use session::{self, Context, FoundEvents};
use std::path::PathBuf;

/// Replays a chain, and shows its points as events of a recorded run
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace find cart.ron                  # all points that are located, in the folder `trace`\n  qp trace find cart.ron shop.trace --point B"
)]
pub struct Find {
    /// The chain file
    #[arg(value_name = "CHAIN")]
    pub chain: PathBuf,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: Reading,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub trust: TrustArgs,
    /// Find only this point
    #[arg(long, value_name = "ID")]
    pub point: Option<String>,
}

impl Outcome for FoundEvents {
    fn exit_code(&self) -> u8 {
        u8::from(!self.not_found.is_empty())
    }
}

impl Command for Find {
    type Output = FoundEvents;

    fn trusts(&self) -> bool {
        self.trust.trust
    }

    /// # Errors
    /// The user does not allow the chain's commands, the chain cannot be replayed, or it has no such point.
    async fn execute(&self, context: &Context) -> Result<FoundEvents, CommandError> {
        let mut trace = self.reading.open(context).await?;
        // Queries name no point.
        let chain = Chain { queries: Vec::new(), ..trust::load(&self.chain, context)? };
        let options = session::Options::default();
        let name = self.chain.display().to_string();
        let answer = session::replay(&name, &chain, &options, context).await?;
        Ok(session::find(&mut trace, &answer, self.point.as_deref())?)
    }
}
