//! `exception CLASS:LINE after POINT`: asks which exception skipped a line.

use super::clauses::{Clauses, class_and_line, split};
use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use chain::Kind;
use replay::explore::Explorer;

pub(super) struct Exception {
    class: String,
    line: u32,
    clauses: Clauses,
}

impl PromptCommand for Exception {
    fn parse(words: &str) -> Result<Exception, CommandError> {
        let (place, rest) = split(words);
        let (class, line) = class_and_line(place).ok_or_else(|| usage("exception"))?;
        let (clauses, _) = Clauses::parse(rest, &[])?;
        Ok(Exception { class, line, clauses })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        self.clauses.add(Kind::SkippedLine(self.class, self.line), None, explorer).await
    }
}
