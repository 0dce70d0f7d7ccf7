//! `output [N]`: shows the last lines the program printed.

use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use replay::explore::Explorer;

pub(super) struct Output {
    lines: usize,
}

impl PromptCommand for Output {
    fn parse(words: &str) -> Result<Output, CommandError> {
        let lines = if words.is_empty() { Ok(20) } else { words.parse().map_err(|_| usage("output")) };
        Ok(Output { lines: lines? })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        Ok(Reply::Output(explorer.output(self.lines)))
    }
}
