//! `qp explain CHAIN`: the TraceQueries and the dependency graph, without running anything.

use super::CommandError;
use crate::chain::{Chain, Explanation, GraphFormat};
use crate::session;
use std::path::PathBuf;

/// Shows what a chain's questions become, without running anything
#[derive(clap::Args, Clone, Debug)]
pub struct Explain {
    /// The chain file
    #[arg(value_name = "CHAIN")]
    pub chain: PathBuf,
    /// Print only the dependency graph, in this form
    #[arg(long, value_enum, value_name = "FORM")]
    pub graph: Option<GraphFormat>,
}

impl Explain {
    /// Does it.
    ///
    /// # Errors
    /// The chain is bad, or its classes cannot be read.
    pub async fn execute(&self) -> Result<Explanation, CommandError> {
        let chain = Chain::load(&self.chain).map_err(session::SessionError::from)?;
        Ok(session::explain(&chain).await?)
    }
}
