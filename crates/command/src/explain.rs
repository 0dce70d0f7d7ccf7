//! `qp explain CHAIN`: shows the TraceQueries and the dependency graph without a run. With `--cost` it
//! estimates a replay from one run that only counts.

use super::trust::{self, TrustArgs};
use super::{Command, CommandError, Outcome};
use chain::{Chain, Explanation, GraphFormat};
use replay::cost::Cost;
use session::Context;
use std::path::PathBuf;

/// The format of the graph.
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

/// Shows how qp translates a chain's questions, without a run, or what a replay would cost
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp explain cart.ron\n  qp explain cart.ron --graph dot | dot -Tsvg -o cart.svg\n  qp explain --cost cart.ron       # how long would a replay take, and by which back end?"
)]
pub struct Explain {
    /// The chain file
    #[arg(value_name = "CHAIN")]
    pub chain: PathBuf,
    /// Print only the dependency graph, in this format
    #[arg(long, value_enum, value_name = "FORM")]
    pub graph: Option<GraphForm>,
    /// Run the program once, count the hits of each point, and estimate the time of a replay
    #[arg(long, conflicts_with = "graph")]
    pub cost: bool,
    /// With --cost: time limit of the run in seconds (overrides `timeout_s` of the chain)
    #[arg(long, value_name = "SECONDS", requires = "cost", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    /// Run the chain's build first, if it is due
    #[arg(long)]
    pub build: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub trust: TrustArgs,
}

/// The explanation.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(untagged)]
pub enum Explained {
    /// The translated questions.
    Questions(Explanation),
    /// The same; people see only the graph.
    Graph(GraphShown),
    /// The estimated cost.
    Cost(Cost),
}

/// The translated questions, shown as a graph.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(transparent)]
pub struct GraphShown {
    /// The translated questions.
    pub explanation: Explanation,
    /// The format of the graph.
    #[serde(skip)]
    pub form: GraphForm,
}

impl Outcome for Explained {
    fn exit_code(&self) -> u8 {
        match self {
            Explained::Questions(_) | Explained::Graph(_) => 0,
            Explained::Cost(cost) => cost.exit_code(),
        }
    }
}

impl Command for Explain {
    type Output = Explained;

    fn trusts(&self) -> bool {
        self.trust.trust
    }

    /// # Errors
    /// The chain is invalid, its classes cannot be read, or the user interrupted. With `--cost`: the program
    /// cannot be built, launched or counted.
    async fn execute(&self, context: &Context) -> Result<Explained, CommandError> {
        let chain = match self.cost || self.build {
            true => trust::load(&self.chain, context)?,
            false => Chain::load(&self.chain).map_err(session::SessionError::from)?,
        };
        if !self.cost {
            let explanation = session::explain(&chain, self.build, context).await?;
            return Ok(match self.graph {
                Some(form) => Explained::Graph(GraphShown { explanation, form }),
                None => Explained::Questions(explanation),
            });
        }
        let name = self.chain.display().to_string();
        if chain.points.is_empty() {
            let text = "--cost counts the hits of points, and the chain has only queries: leave it out";
            return Err(CommandError::Usage(text.to_owned()));
        }
        Ok(Explained::Cost(replay::cost::cost(&name, &chain, self.timeout, context).await?))
    }
}
