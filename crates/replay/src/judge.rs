//! Runs a chain to decide whether its bug is present.

use super::verdict::Verdict;
use super::{Options, replay};
use answer::Answer;
use chain::Chain;
use session::{Context, SessionError};

/// The verdict, and the answer that led to it.
#[derive(Clone, Debug)]
pub struct JudgedRun {
    /// Whether the bug is present.
    pub verdict: Verdict,
    /// The answer; only for the root and `alive` if the other points do not fit the program's code.
    pub answer: Option<Answer>,
}

/// Runs a chain and decides whether its bug is present.
///
/// If a cause does not fit the code, for instance because its line or variable is missing, the root can still
/// show the symptom. Then only the root and `alive` are queried.
///
/// # Errors
/// As [`replay`], except that invalid points after the root are no error.
pub async fn judge(
    name: &str,
    chain: &Chain,
    options: &Options,
    context: &Context,
) -> Result<JudgedRun, SessionError> {
    let error = match replay(name, chain, options, context).await {
        Ok(answer) => {
            return Ok(JudgedRun { verdict: Verdict::of(chain, &answer), answer: Some(answer) });
        }
        Err(SessionError::Interrupted) => {
            return Ok(JudgedRun { verdict: Verdict::Interrupted, answer: None });
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
    Ok(JudgedRun { verdict, answer: Some(answer) })
}
