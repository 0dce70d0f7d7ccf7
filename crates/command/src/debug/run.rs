//! `run [&]`: runs the program, and halts it at the last located point.

use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use replay::explore::Explorer;

pub(super) struct Run {
    in_background: bool,
}

impl PromptCommand for Run {
    fn parse(words: &str) -> Result<Run, CommandError> {
        match words {
            "" => Ok(Run { in_background: false }),
            "&" => Ok(Run { in_background: true }),
            _ => Err(usage("run")),
        }
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        explorer.start("run", !self.in_background).await?;
        if self.in_background {
            return Ok(Reply::Started);
        }
        Ok(Reply::Ran { ran: explorer.finished().await?, about: None })
    }
}
