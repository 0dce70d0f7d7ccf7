//! `print EXPR`: evaluates a Java expression where the program stands.

use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use replay::explore::Explorer;

pub(super) struct Print {
    expr: String,
}

impl PromptCommand for Print {
    fn parse(words: &str) -> Result<Print, CommandError> {
        if words.is_empty() {
            return Err(usage("print"));
        }
        Ok(Print { expr: words.to_owned() })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        Ok(Reply::Value(explorer.evaluate(&self.expr).await?))
    }
}
