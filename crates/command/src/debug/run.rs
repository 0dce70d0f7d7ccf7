//! `run [&]`: runs the program, and halts it at the last located point. If nothing is asked yet, that is the
//! line at which the program fails.

use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use replay::explore::Explorer;
use replay::failure::find_failure;
use session::{Context, SessionError};

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
        if explorer.chain().points.is_empty() && !explorer.is_running() {
            let (chain, options) = (explorer.chain().clone(), explorer.options().clone());
            let search = async |context: &Context| find_failure(&chain, &options, context).await;
            let place = explorer.apart(search).await?.map_err(|error| match error {
                SessionError::NoStep(why) => SessionError::NoStep(format!("nothing is asked yet, and {why}")),
                error => error,
            })?;
            for point in place.points("A") {
                explorer.add(point).await?;
            }
        }
        explorer.start("run", !self.in_background).await?;
        if self.in_background {
            return Ok(Reply::Started);
        }
        Ok(Reply::Ran { ran: explorer.finished().await?, about: None })
    }
}
