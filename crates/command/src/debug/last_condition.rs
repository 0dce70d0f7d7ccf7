//! `lastcondition POINT`: asks which condition led to a point.

use super::clauses::{Clauses, split};
use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use chain::Kind;
use replay::explore::Explorer;

pub(super) struct LastCondition {
    point: String,
    clauses: Clauses,
}

impl PromptCommand for LastCondition {
    fn parse(words: &str) -> Result<LastCondition, CommandError> {
        let (point, rest) = split(words);
        if point.is_empty() {
            return Err(usage("lastcondition"));
        }
        let (clauses, _) = Clauses::parse(rest, &[])?;
        Ok(LastCondition { point: point.to_owned(), clauses })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        self.clauses.add(Kind::LastCondition(self.point), None, explorer).await
    }
}
