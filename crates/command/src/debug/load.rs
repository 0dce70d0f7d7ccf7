//! `load FILE`: continues with the chain of a file.

use super::{PromptCommand, Reply, usage};
use crate::{CommandError, trust};
use replay::explore::Explorer;
use session::Context;
use std::path::PathBuf;

pub(super) struct Load {
    file: PathBuf,
}

impl PromptCommand for Load {
    fn parse(words: &str) -> Result<Load, CommandError> {
        if words.is_empty() { Err(usage("load")) } else { Ok(Load { file: PathBuf::from(words) }) }
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        let chain = trust::load(&self.file, &Context::uninterrupted(explorer.progress()))?;
        let points = chain.points.len();
        explorer.load(&self.file.display().to_string(), chain).await?;
        Ok(Reply::Done(format!("{points} points of {}; `run` asks them", self.file.display())))
    }
}
