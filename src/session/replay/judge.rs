//! Runs a chain to tell whether its bug is there.

use super::verdict::Verdict;
use super::{Options, replay};
use crate::chain::Chain;
use crate::session::answer::Answer;
use crate::session::context::Context;
use crate::session::error::SessionError;

/// Whether the bug is there, and the answer that tells it.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Whether the bug is there.
    pub verdict: Verdict,
    /// What the chain was answered. Only the root and `alive` where the other points do not fit the program's
    /// code.
    pub answer: Option<Answer>,
}

/// Runs a chain and tells whether its bug is there.
///
/// Of code in which a cause cannot even be asked for (its line or variable is not there) the root still tells
/// whether the symptom is: then only the root and `alive` are asked.
///
/// # Errors
/// As [`replay`]; a chain of which only points after the root cannot be asked is no error.
pub async fn judge(
    name: &str,
    chain: &Chain,
    options: &Options,
    context: &Context,
) -> Result<Judged, SessionError> {
    let error = match replay(name, chain, options, context).await {
        Ok(answer) => {
            return Ok(Judged { verdict: Verdict::of(chain, &answer), answer: Some(answer) });
        }
        Err(SessionError::Interrupted) => {
            return Ok(Judged { verdict: Verdict::Interrupted, answer: None });
        }
        Err(SessionError::Translate(error)) if chain.position(&error.id).is_some_and(|p| p > 0) => error,
        Err(error) => return Err(error),
    };
    let mut symptom = chain.clone();
    let alive = chain.alive.as_ref();
    let mut place = 0;
    symptom.points.retain(|point| {
        place += 1;
        place == 1 || alive == Some(&point.id)
    });
    let answer = replay(name, &symptom, options, context).await?;
    let verdict = match Verdict::of(&symptom, &answer) {
        known @ (Verdict::Absent | Verdict::Interrupted) => known,
        _ => Verdict::Unsure(error.to_string()),
    };
    Ok(Judged { verdict, answer: Some(answer) })
}
