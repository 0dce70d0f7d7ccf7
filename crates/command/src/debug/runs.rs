//! `runs`: lists the runs of this session.

use super::{PromptCommand, Reply, nothing};
use crate::CommandError;
use replay::explore::Explorer;

pub(super) struct Runs;

impl PromptCommand for Runs {
    fn parse(words: &str) -> Result<Runs, CommandError> {
        nothing(words, "runs").map(|()| Runs)
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        Ok(Reply::Runs(explorer.runs().cloned().collect()))
    }
}
