//! `qp trace find CHAIN`: finds the points of a chain in a recorded run.

use super::reading::Reading;
use crate::{Command, CommandError, Outcome};
use chain::Chain;
use recorded::{FoundEvents, RecordedSource};
use session::{Context, SessionError};
use std::path::PathBuf;

/// Shows the points of a chain as events of a recorded run
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

    /// # Errors
    /// The recording cannot answer the chain, or the chain has no such point.
    async fn execute(&self, context: &Context) -> Result<FoundEvents, CommandError> {
        let mut trace = self.reading.open(context).await?;
        // Queries name no point.
        let chain = Chain { queries: Vec::new(), ..Chain::load(&self.chain).map_err(SessionError::from)? };
        let mut source = RecordedSource::new(&mut trace, self.reading.folder.clone(), &chain)?;
        let name = self.chain.display().to_string();
        Ok(recorded::find(&mut source, &name, &chain, self.point.as_deref(), context)?)
    }
}
