//! `omitted EXPR | POINT:EXPR`: which operation on an object should have been executed before a point, and
//! was not. It adds the question and records a run.

use super::here::point_here;
use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use chain::{Kind, Point};
use replay::explore::Explorer;
use session::SessionError;

pub(super) struct Omitted {
    about: String,
}

impl PromptCommand for Omitted {
    fn parse(words: &str) -> Result<Omitted, CommandError> {
        if words.is_empty() { Err(usage("omitted")) } else { Ok(Omitted { about: words.to_owned() }) }
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        let names_point = |(id, _): &(&str, &str)| explorer.chain().position(id.trim()).is_some();
        let reference = match self.about.split_once(':').filter(names_point) {
            Some(_) => self.about.clone(),
            None => format!("{}:{}", point_here(explorer).await?, self.about),
        };
        let point = Point::new(explorer.next_id(), Kind::Omitted(reference));
        let answer = explorer.answer().ok_or_else(|| {
            let id = point.refers_to().pop().unwrap_or_default();
            SessionError::NotFoundYet { id }
        })?;
        explorer.add(point.clone()).await?;
        let (chain, options) = (explorer.chain().clone(), explorer.options().clone());
        let asked = explorer
            .apart(async |context| {
                Box::pin(full_replay::ask_omitted(&chain, &answer, &point, &options, context)).await
            })
            .await?;
        match asked {
            Ok(omissions) => Ok(Reply::Omitted { id: point.id, omissions: Box::new(omissions) }),
            Err(error) => {
                // The question cannot be answered here, so the chain stays as it was.
                explorer.remove(&[point.id])?;
                Err(error.into())
            }
        }
    }
}
