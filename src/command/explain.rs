//! `qp explain CHAIN`: the TraceQueries and the dependency graph, without running anything.

use super::CommandError;
use crate::chain::{Chain, Explanation, GraphFormat};
use crate::session::{self, Interrupt};
use std::path::PathBuf;

/// How the graph is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum GraphForm {
    /// One line per dependence
    Text,
    /// Graphviz
    Dot,
    /// Mermaid flowchart
    Mermaid,
}

impl From<GraphForm> for GraphFormat {
    fn from(form: GraphForm) -> GraphFormat {
        match form {
            GraphForm::Text => GraphFormat::Text,
            GraphForm::Dot => GraphFormat::Dot,
            GraphForm::Mermaid => GraphFormat::Mermaid,
        }
    }
}

/// Shows what a chain's questions become, without running anything
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp explain cart.ron\n  qp explain cart.ron --graph dot | dot -Tsvg -o cart.svg"
)]
pub struct Explain {
    /// The chain file
    #[arg(value_name = "CHAIN")]
    pub chain: PathBuf,
    /// Print only the dependency graph, in this form
    #[arg(long, value_enum, value_name = "FORM")]
    pub graph: Option<GraphForm>,
}

impl Explain {
    /// Does it.
    ///
    /// # Errors
    /// The chain is bad, its classes cannot be read, or it was interrupted.
    pub async fn execute(&self, interrupt: &mut Interrupt) -> Result<Explanation, CommandError> {
        let chain = Chain::load(&self.chain).map_err(session::SessionError::from)?;
        Ok(session::explain(&chain, interrupt).await?)
    }
}
