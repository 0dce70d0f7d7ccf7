//! `step`, `next` and `continue`: move the program forward from its current position.

use super::{PromptCommand, Reply, nothing};
use crate::CommandError;
use replay::explore::Explorer;

macro_rules! steps {
    ($($name:literal $command:ident $step:ident;)*) => {
        $(
            pub(super) struct $command;

            impl PromptCommand for $command {
                fn parse(words: &str) -> Result<$command, CommandError> {
                    nothing(words, $name)?;
                    Ok($command)
                }

                async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
                    Ok(Reply::Stepped(Box::new(explorer.step(replay::explore::Step::$step).await?)))
                }
            }
        )*
    };
}

steps! {
    "step" Step Into;
    "next" Next Over;
    "continue" Continue On;
}
