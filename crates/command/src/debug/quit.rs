//! `quit`: ends the program and the session.

use super::{PromptCommand, Reply, nothing};
use crate::CommandError;
use replay::explore::Explorer;

pub(super) struct Quit;

impl PromptCommand for Quit {
    fn parse(words: &str) -> Result<Quit, CommandError> {
        nothing(words, "quit").map(|()| Quit)
    }

    async fn execute(self, _: &mut Explorer) -> Result<Reply, CommandError> {
        Ok(Reply::Quit)
    }
}
