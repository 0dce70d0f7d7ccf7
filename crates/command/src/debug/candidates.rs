//! `candidates POINT`: lists the rejected occurrences of a point. Their numbers serve `why`, which asks on
//! from one.

use super::reply::Numbered;
use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use answer::RejectedAnswer;
use chain::{Kind, Point};
use replay::explore::Explorer;
use session::SessionError;

pub(super) struct Candidates {
    point: String,
}

impl PromptCommand for Candidates {
    fn parse(words: &str) -> Result<Candidates, CommandError> {
        if words.is_empty() || words.contains(char::is_whitespace) {
            return Err(usage("candidates"));
        }
        Ok(Candidates { point: words.to_owned() })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        let (rejected, rejections) = rejected(explorer, &self.point)?;
        let numbered = (1..).zip(rejected).map(|(number, rejected)| Numbered { number, rejected });
        Ok(Reply::Candidates { point: self.point, candidates: numbered.collect(), rejections })
    }
}

type Sample = (Vec<RejectedAnswer>, indexmap::IndexMap<String, u64>);

/// The rejected occurrences kept by the newest answer, and the counts by reason.
fn rejected(explorer: &Explorer, id: &str) -> Result<Sample, CommandError> {
    explorer.point_index(id)?;
    let answer = explorer.answer();
    let point = answer.as_ref().and_then(|a| a.points.iter().find(|p| p.id == id));
    let point = point.ok_or_else(|| SessionError::NotFoundYet { id: id.to_owned() })?;
    if point.rejected.is_empty() && !point.rejections.is_empty() {
        return Err(CommandError::Usage(format!(
            "no rejected occurrences of {id} were kept: `set candidates 20`, then `run`, and ask again"
        )));
    }
    Ok((point.rejected.clone(), point.rejections.clone()))
}

/// `B~2` as the point and the number.
pub(super) fn numbered(text: &str) -> Option<(&str, usize)> {
    let (id, number) = text.split_once('~')?;
    let is_id = !id.is_empty() && id.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    Some((id, number.parse().ok()?)).filter(|_| is_id)
}

/// The point at a numbered candidate, and its id if the chain already has it.
///
/// # Errors
/// There is no candidate of that number, or it has no line.
pub(super) fn at(
    explorer: &Explorer,
    id: &str,
    number: usize,
) -> Result<(Point, Option<String>), CommandError> {
    let (sample, _) = rejected(explorer, id)?;
    let known = sample.len();
    let candidate = number.checked_sub(1).and_then(|at| sample.into_iter().nth(at)).ok_or_else(|| {
        CommandError::Usage(format!(
            "{id} has no candidate {number}, only {known}: `candidates {id}` lists them"
        ))
    })?;
    let line = candidate.place.line.ok_or_else(|| {
        CommandError::Usage(format!("candidate {number} of {id} has no line; compile with `javac -g`"))
    })?;
    let hit = u32::try_from(candidate.hit).unwrap_or(u32::MAX);
    let kind = Kind::Candidate(id.to_owned(), format!("{}:{line}", candidate.place.class), hit);
    let point = Point { thread: Some(candidate.thread), ..Point::new(explorer.next_id(), kind) };
    let same = |p: &&Point| Point { id: point.id.clone(), ..(*p).clone() } == point;
    let there = explorer.chain().points.iter().find(same).map(|p| p.id.clone());
    Ok((point, there))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_is_named_by_its_point_and_number() {
        assert_eq!(numbered("B~2"), Some(("B", 2)));
        assert_eq!(numbered("B-1~12"), Some(("B-1", 12)));
        assert_eq!(numbered("~x"), None);
        assert_eq!(numbered("a + ~1"), None);
    }
}
