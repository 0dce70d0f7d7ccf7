//! `save FILE`: writes the chain to a file. What the program read, if that was recorded, goes to a file beside it.

use super::{PromptCommand, Reply, usage};
use crate::command::CommandError;
use crate::session::{self, Explorer, SessionError};
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
        let unwritten = |path: &std::path::Path| {
            let path = path.display().to_string();
            move |source| CommandError::Write { path, source }
        };
        let mut done = format!("wrote {}", file.display());
        if let Some(input) = explorer.recorded_stdin() {
            let beside = file.with_extension("stdin");
            session::write_whole(&beside, &input).map_err(unwritten(&beside))?;
            chain.debuggee.stdin = Some(session::seen_from_cwd(&chain, &file, &beside));
            done = format!("{done}, and {} with what the program read", beside.display());
        }
        let text = chain.to_ron().map_err(SessionError::from)?;
        session::write_whole(&file, &text).map_err(unwritten(&file))?;
        Ok(Reply::Done(format!("{done}; `qp replay {}` asks it again", file.display())))
    }
}
