//! `locals [FRAME]`: shows the variables in scope in a frame.

use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use replay::explore::Explorer;

pub(super) struct Locals {
    frame: Option<i32>,
}

impl PromptCommand for Locals {
    fn parse(words: &str) -> Result<Locals, CommandError> {
        match words {
            "" => Ok(Locals { frame: None }),
            number => Ok(Locals { frame: Some(number.parse().map_err(|_| usage("locals"))?) }),
        }
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        Ok(Reply::Scope(explorer.locals(self.frame).await?))
    }
}
