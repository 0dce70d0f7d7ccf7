//! `lastchange POINT(FRAME):EXPR`: what gave a variable or field the value that a point sees.

use super::clauses::Clauses;
use super::{PromptCommand, Reply, usage};
use crate::chain::Kind;
use crate::command::CommandError;
use crate::session::Explorer;

pub(super) struct LastChange {
    reference: String,
    clauses: Clauses,
}

impl PromptCommand for LastChange {
    fn parse(words: &str) -> Result<LastChange, CommandError> {
        if words.is_empty() {
            return Err(usage("lastchange"));
        }
        // An index can be written with spaces: `A:list[i + 1]`.
        let ends = words.find(']').map_or(0, |at| at + 1);
        let end =
            words.get(ends..).and_then(|t| t.find(char::is_whitespace)).map_or(words.len(), |at| ends + at);
        let (reference, rest) = words.split_at(end);
        let (clauses, _) = Clauses::parse(rest, &[])?;
        Ok(LastChange { reference: reference.to_owned(), clauses })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        self.clauses.add(Kind::LastChange(self.reference), None, explorer).await
    }
}
