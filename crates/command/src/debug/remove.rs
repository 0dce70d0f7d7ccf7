//! `remove POINT…`: removes points.

use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use replay::explore::Explorer;

pub(super) struct Remove {
    points: Vec<String>,
}

impl PromptCommand for Remove {
    fn parse(words: &str) -> Result<Remove, CommandError> {
        let points: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        if points.is_empty() { Err(usage("remove")) } else { Ok(Remove { points }) }
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        explorer.remove(&self.points)?;
        Ok(Reply::Done(format!("removed {}", self.points.join(", "))))
    }
}
