//! `diff [RUN RUN]`: compares the answers of two runs.

use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use replay::explore::Explorer;

pub(super) struct Diff {
    runs: Option<(u32, u32)>,
}

impl PromptCommand for Diff {
    fn parse(words: &str) -> Result<Diff, CommandError> {
        let numbers: Option<Vec<u32>> = words.split_whitespace().map(|w| w.parse().ok()).collect();
        match numbers.as_deref() {
            Some([]) => Ok(Diff { runs: None }),
            Some([old, new]) => Ok(Diff { runs: Some((*old, *new)) }),
            _ => Err(usage("diff")),
        }
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        let (old, new, points) = explorer.difference(self.runs)?;
        Ok(Reply::Difference(old, new, points))
    }
}
