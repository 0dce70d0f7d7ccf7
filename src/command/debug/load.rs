//! `load FILE`: goes on with the chain of a file.

use super::{PromptCommand, Reply, usage};
use crate::chain::Chain;
use crate::command::CommandError;
use crate::session::{Explorer, SessionError};
use std::path::PathBuf;

pub(super) struct Load {
    file: PathBuf,
}

impl PromptCommand for Load {
    fn parse(words: &str) -> Result<Load, CommandError> {
        if words.is_empty() { Err(usage("load")) } else { Ok(Load { file: PathBuf::from(words) }) }
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        let chain = Chain::load(&self.file).map_err(SessionError::from)?;
        let points = chain.points.len();
        explorer.load(&self.file.display().to_string(), chain).await?;
        Ok(Reply::Done(format!("{points} points of {}; `run` asks them", self.file.display())))
    }
}
