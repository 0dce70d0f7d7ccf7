//! `help [COMMAND]`: shows the table of commands, or one row.

use super::{PromptCommand, Reply, TABLE, find, unknown};
use crate::CommandError;
use replay::explore::Explorer;

pub(super) struct Help {
    about: Option<&'static super::Row>,
}

impl PromptCommand for Help {
    fn parse(words: &str) -> Result<Help, CommandError> {
        match words {
            "" => Ok(Help { about: None }),
            word => Ok(Help { about: Some(find(word).ok_or_else(|| unknown(word))?) }),
        }
    }

    async fn execute(self, _: &mut Explorer) -> Result<Reply, CommandError> {
        Ok(Reply::Help(self.about.map_or_else(|| TABLE.to_vec(), |row| vec![*row])))
    }
}
