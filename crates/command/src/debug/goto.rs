//! `goto POINT`: halts the program at a located point.

use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use replay::explore::Explorer;

pub(super) struct Goto {
    point: String,
}

impl PromptCommand for Goto {
    fn parse(words: &str) -> Result<Goto, CommandError> {
        if words.is_empty() || words.contains(char::is_whitespace) {
            return Err(usage("goto"));
        }
        Ok(Goto { point: words.to_owned() })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        Ok(Reply::Gone(Box::new(Box::pin(explorer.goto(&self.point)).await?)))
    }
}
