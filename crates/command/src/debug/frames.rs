//! `frames [N]`: shows the stack where the program stands; with a number, selects a frame.

use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use replay::explore::Explorer;

pub(super) struct Frames {
    select: Option<u32>,
}

impl PromptCommand for Frames {
    fn parse(words: &str) -> Result<Frames, CommandError> {
        match words {
            "" => Ok(Frames { select: None }),
            number => Ok(Frames { select: Some(number.parse().map_err(|_| usage("frames"))?) }),
        }
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        if let Some(frame) = self.select {
            explorer.select_frame(frame).await?;
            if let Some(standing) = explorer.stand().await? {
                return Ok(Reply::Standing(Box::new(standing)));
            }
        }
        let (frames, at) = explorer.frames().await?;
        Ok(Reply::Frames(frames, at))
    }
}
