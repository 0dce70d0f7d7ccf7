//! `when POINT [CONDITION]`: sets the Java condition of a point.

use super::clauses::split;
use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use replay::explore::Explorer;

pub(super) struct When {
    point: String,
    condition: Option<String>,
}

impl PromptCommand for When {
    fn parse(words: &str) -> Result<When, CommandError> {
        let (point, condition) = split(words);
        if point.is_empty() {
            return Err(usage("when"));
        }
        let condition = (!condition.is_empty()).then(|| condition.to_owned());
        Ok(When { point: point.to_owned(), condition })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        let (point, condition) = (self.point, self.condition);
        let done = match &condition {
            Some(condition) => format!("{point} holds only when {condition}"),
            None => format!("{point} has no condition now"),
        };
        explorer.change(&point, |p| p.when = condition).await?;
        Ok(Reply::Done(done))
    }
}
