//! `save FILE`: writes the chain to a file. Recorded program input goes to a file beside it.

use super::{PromptCommand, Reply, usage};
use crate::{CommandError, save_chain, save_input};
use replay::explore::Explorer;
use std::path::PathBuf;

pub(super) struct Save {
    file: PathBuf,
}

impl PromptCommand for Save {
    fn parse(words: &str) -> Result<Save, CommandError> {
        if words.is_empty() { Err(usage("save")) } else { Ok(Save { file: PathBuf::from(words) }) }
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        let file = self.file;
        let mut chain = explorer.to_save(&file).await?;
        let mut done = format!("wrote {}", file.display());
        if let Some(input) = explorer.recorded_stdin() {
            let beside = save_input(&mut chain, &file, &input)?;
            done = format!("{done}, and {} with what the program read", beside.display());
        }
        save_chain(&chain, &file, true)?;
        Ok(Reply::Done(format!("{done}; `qp replay {}` asks it again", file.display())))
    }
}
