//! `replay`: replays a chain file below the root.

use super::why::{ChainAnswer, replayed};
use super::{Tool, Workbench, Works};
use chain::Chain;
use command::CommandError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use session::{Context, SessionError};

/// Arguments of `replay`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// cart.ron
    pub chain: String,
}

/// Result of `replay`.
#[derive(Debug, Serialize)]
pub struct ReplayResult {
    #[allow(missing_docs)]
    #[serde(flatten)]
    pub answered: ChainAnswer,
    /// What to call next.
    pub next: String,
}

impl Tool for Replay {
    type Output = ReplayResult;

    const NAME: &'static str = "replay";
    const ABOUT: &'static str = "Replays a saved chain of questions";
    const RUNS: bool = true;
}

impl Works for Replay {
    async fn call(self, bench: &mut Workbench, context: &Context) -> Result<ReplayResult, CommandError> {
        let file = bench.permissions.existing(&self.chain)?;
        let chain = Chain::load(&file).map_err(SessionError::from)?;
        bench.permissions.check(&file, &chain)?;
        let answer = Box::pin(replayed(&chain, context)).await?;
        let handle = bench.add_answer(chain);
        let next = match answer.outcome {
            answer::Outcome::Held => format!("why from={handle} goes on from the last point"),
            _ => "why at=Class:LINE asks anew; the first point that differs says where".to_owned(),
        };
        Ok(ReplayResult { answered: ChainAnswer { handle, answer: Box::new(answer) }, next })
    }
}
