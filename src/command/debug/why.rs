//! `why [EXPR | POINT | POINT(FRAME):EXPR]`: the shortest way to ask about what is seen here. It adds the
//! question and runs.

use super::{PromptCommand, Reply};
use crate::chain::{Kind, Point, is_call};
use crate::command::CommandError;
use crate::command::value_question::value_question;
use crate::session::{AskedWhen, Explorer, SessionError};

pub(super) struct Why {
    about: String,
}

impl PromptCommand for Why {
    fn parse(words: &str) -> Result<Why, CommandError> {
        Ok(Why { about: words.to_owned() })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        let about = self.about.as_str();
        let is_point = |id: &str| explorer.chain().position(id).is_some();
        // What is a point's id is the point; a variable of that name is asked for as `A:B`.
        let of_point =
            about.split_once(':').map(|(point, _)| point.split('(').next().unwrap_or(point).trim());
        // No Java expression begins with a name and a colon.
        if let Some(id) = of_point.filter(|id| !id.is_empty() && id.chars().all(char::is_alphanumeric)) {
            explorer.position(id)?;
        }
        let id = explorer.next_id();
        let point = if is_point(about) {
            Point::new(id.clone(), Kind::LastCondition(about.to_owned()))
        } else if of_point.is_some_and(is_point) {
            let asks_for_call = about.split_once(':').is_some_and(|(_, expr)| is_call(expr));
            let kind = if asks_for_call { Kind::LastReturn } else { Kind::LastChange };
            Point::new(id.clone(), kind(about.to_owned()))
        } else {
            if explorer.is_running() {
                return Err(SessionError::RunIsOn.into());
            }
            if let Some(place) = explorer.place_without_point().await? {
                return Err(SessionError::AtNoPoint { place }.into());
            }
            let here = explorer.point().map(str::to_owned).ok_or_else(|| {
                let reason = explorer.ended().map(|ended| format!("the program has ended ({ended})"));
                SessionError::NotHalted(reason.unwrap_or_else(|| "the program does not run".to_owned()))
            })?;
            match (about, explorer.frame()) {
                ("", _) => Point::new(id.clone(), Kind::LastCondition(here)),
                (expr, frame) => value_question(&id, &here, frame, expr),
            }
        };
        let question = point.question();
        let asked = explorer.add(point).await?;
        if explorer.is_running() {
            return Ok(Reply::Added { id, question, asked });
        }
        debug_assert_eq!(asked, AskedWhen::Next);
        explorer.start(&question, true).await?;
        let ran = explorer.finished().await?;
        Ok(Reply::Ran { ran, about: Some(id) })
    }
}
