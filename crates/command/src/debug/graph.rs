//! `graph`: shows the dependencies between points, with their reasons.

use super::{PromptCommand, Reply, nothing};
use crate::CommandError;
use replay::explore::Explorer;

pub(super) struct Graph;

impl PromptCommand for Graph {
    fn parse(words: &str) -> Result<Graph, CommandError> {
        nothing(words, "graph").map(|()| Graph)
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        Ok(Reply::Graph(Box::new(explorer.explain().await?)))
    }
}
