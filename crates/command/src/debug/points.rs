//! `points [POINT]`: lists the points and their places, or shows one in full.

use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use replay::explore::Explorer;
use session::SessionError;

pub(super) struct Points {
    one: Option<String>,
}

impl PromptCommand for Points {
    fn parse(words: &str) -> Result<Points, CommandError> {
        if words.contains(char::is_whitespace) {
            return Err(usage("points"));
        }
        Ok(Points { one: (!words.is_empty()).then(|| words.to_owned()) })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        let answer = explorer.answer();
        match self.one {
            None => {
                let points = explorer.chain().points.iter().map(|p| (p.id.clone(), p.question()));
                Ok(Reply::Points(points.collect(), answer))
            }
            Some(id) => {
                explorer.point_index(&id)?;
                let point = answer.as_ref().and_then(|a| a.points.iter().find(|p| p.id == id));
                let point = point.ok_or(SessionError::NotFoundYet { id })?;
                Ok(Reply::Point(Box::new(point.clone())))
            }
        }
    }
}
