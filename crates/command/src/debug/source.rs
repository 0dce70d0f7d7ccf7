//! `source [POINT | CLASS:LINE]`: shows source lines.

use super::clauses::class_and_line;
use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use replay::explore::Explorer;
use session::SessionError;

/// Lines shown on each side.
const AROUND: u32 = 7;

pub(super) struct Source {
    of: String,
}

impl PromptCommand for Source {
    fn parse(words: &str) -> Result<Source, CommandError> {
        if words.contains(char::is_whitespace) {
            return Err(usage("source"));
        }
        Ok(Source { of: words.to_owned() })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        let (class, line) = if self.of.is_empty() {
            let here = explorer.stand().await?;
            let here = here.ok_or_else(|| SessionError::NotHalted("the program does not run".to_owned()))?;
            let line = here.place.line.ok_or_else(|| no_lines(&here.place.class))?;
            (here.place.class, line)
        } else if let Some(place) = class_and_line(&self.of) {
            place
        } else {
            let answer = explorer.answer();
            let point = answer.as_ref().and_then(|a| a.points.iter().find(|p| p.id == self.of));
            let point = point.ok_or_else(|| SessionError::NotFoundYet { id: self.of.clone() })?;
            let class = point.class.clone().unwrap_or_default();
            let line = point.line.ok_or_else(|| no_lines(&class))?;
            (class, line)
        };
        let (name, lines) = explorer.source(&class, line, AROUND).await?;
        Ok(Reply::Source(name, lines, line))
    }
}

fn no_lines(class: &str) -> CommandError {
    CommandError::Usage(format!("{class} has no line table: compile it with -g"))
}
