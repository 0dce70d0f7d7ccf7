//! `why [EXPR | POINT | POINT(FRAME):EXPR | [EXPR] from POINT~N]`: the shortest way to ask about a value seen
//! here, or at a rejected candidate. It adds the question and runs.

use super::here::point_here;
use super::{PromptCommand, Reply, candidates};
use crate::CommandError;
use crate::value_question::value_question;
use chain::{Kind, Point, is_call};
use replay::explore::{AskedWhen, Explorer};
use session::SessionError;

pub(super) struct Why {
    about: String,
}

impl PromptCommand for Why {
    fn parse(words: &str) -> Result<Why, CommandError> {
        Ok(Why { about: words.to_owned() })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        let about = self.about.as_str();
        if let Some((expr, id, number)) = from_candidate(about) {
            return Box::pin(ask_on(explorer, expr, id, number)).await;
        }
        let is_point = |id: &str| explorer.chain().position(id).is_some();
        // A name that is a point's id means the point; `A:B` asks for a variable of that name.
        let of_point =
            about.split_once(':').map(|(point, _)| point.split('(').next().unwrap_or(point).trim());
        // No Java expression begins with a name and a colon.
        if let Some(id) = of_point.filter(|id| !id.is_empty() && id.chars().all(char::is_alphanumeric)) {
            explorer.point_index(id)?;
        }
        let id = explorer.next_id();
        let point = if is_point(about) {
            Point::new(id.clone(), Kind::LastCondition(about.to_owned()))
        } else if of_point.is_some_and(is_point) {
            let asks_for_call = about.split_once(':').is_some_and(|(_, expr)| is_call(expr));
            let kind = if asks_for_call { Kind::LastReturn } else { Kind::LastChange };
            Point::new(id.clone(), kind(about.to_owned()))
        } else {
            let here = point_here(explorer).await?;
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

/// Splits `total from B~2` into the expression, the point and the candidate's number.
fn from_candidate(about: &str) -> Option<(&str, &str, usize)> {
    let (before, candidate) = about.rsplit_once(char::is_whitespace).unwrap_or(("", about));
    let expr = before.trim_end().strip_suffix("from")?;
    let (id, number) = candidates::numbered(candidate)?;
    let is_word = expr.is_empty() || expr.ends_with(char::is_whitespace);
    is_word.then_some((expr.trim(), id, number))
}

/// Asks from a candidate. Adds a point there if the chain has none.
async fn ask_on(explorer: &mut Explorer, expr: &str, id: &str, number: usize) -> Result<Reply, CommandError> {
    if explorer.is_running() {
        return Err(SessionError::RunIsOn.into());
    }
    let (point, there) = candidates::at(explorer, id, number)?;
    let (here, is_new) = match there {
        Some(there) => (there, false),
        None => {
            let here = point.id.clone();
            explorer.add(point).await?;
            (here, true)
        }
    };
    let id = explorer.next_id();
    let point = match expr {
        "" => Point::new(id.clone(), Kind::LastCondition(here.clone())),
        expr => value_question(&id, &here, 0, expr),
    };
    let question = point.question();
    if let Err(error) = explorer.add(point).await {
        // Undo the addition, so that the chain is unchanged.
        if is_new {
            explorer.remove(&[here])?;
        }
        return Err(error.into());
    }
    explorer.start(&question, true).await?;
    let ran = explorer.finished().await?;
    Ok(Reply::Ran { ran, about: Some(id) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_is_asked_from_by_its_number() {
        assert_eq!(from_candidate("a.total + 1 from B~2"), Some(("a.total + 1", "B", 2)));
        assert_eq!(from_candidate("from B~2"), Some(("", "B", 2)));
        assert_eq!(from_candidate("from"), None);
        assert_eq!(from_candidate("a - from ~2"), None);
        assert_eq!(from_candidate("B"), None);
    }
}
