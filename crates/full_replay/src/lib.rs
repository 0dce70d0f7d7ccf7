//! Replays a whole chain: first the points that events answer, then, over one recording of the same program,
//! the points and queries that ask about the whole run.

mod omissions;
mod queries;
mod recording;

use answer::assemble::unasked;
use answer::{Answer, Outcome};
use chain::{Chain, Point};
use omission::{OmissionAnswer, OmissionQuestion, SUGGESTIONS, ask_omissions};
use recording::ChainRecording;
use replay::judge::{JudgedRun as JudgedPoints, judge as judge_points};
use replay::verdict::Verdict;
use replay::{Options, replay as replay_points};
use session::{Context, SessionError};

/// The verdict, and the answer that led to it.
pub type JudgedRun = JudgedPoints;

/// Runs the debuggee until every point is located or another run would show nothing new. Then records it once
/// more for what is asked of a recording.
///
/// # Errors
/// The chain, a question or the debuggee cannot be used, or the rules of a query are not valid.
pub async fn replay(
    name: &str,
    chain: &Chain,
    options: &Options,
    context: &Context,
) -> Result<Answer, SessionError> {
    let of_events = of_events(chain);
    let mut answer = match of_events.points.is_empty() {
        true => unasked(name, &of_events, Outcome::Held),
        false => Box::pin(replay_points(name, &of_events, options, context)).await?,
    };
    if answer.outcome != Outcome::Interrupted {
        Box::pin(add_of_recording(&mut answer, chain, options, context)).await?;
    }
    Ok(answer)
}

/// Runs a chain and decides whether its bug is present. What is asked of a recording counts if the root is
/// reached, and alone if the chain has no points.
///
/// # Errors
/// As [`replay()`], except that invalid points after the root are no error.
pub async fn judge(
    name: &str,
    chain: &Chain,
    options: &Options,
    context: &Context,
) -> Result<JudgedRun, SessionError> {
    let of_events = of_events(chain);
    let mut judged = match of_events.points.is_empty() {
        true => {
            let answer = Some(unasked(name, &of_events, Outcome::Held));
            JudgedPoints { verdict: Verdict::Present, answer }
        }
        false => Box::pin(judge_points(name, &of_events, options, context)).await?,
    };
    let (Verdict::Present, Some(answer)) = (&judged.verdict, &mut judged.answer) else { return Ok(judged) };
    match Box::pin(add_of_recording(answer, chain, options, context)).await {
        Ok(()) => {}
        Err(SessionError::Interrupted) => {
            return Ok(JudgedRun { verdict: Verdict::Interrupted, answer: None });
        }
        Err(error) => return Err(error),
    }
    judged.verdict = verdict(chain, answer);
    Ok(judged)
}

/// Records the program of a chain, and finds the omissions of an `Omitted` point. `answer` is what a run has
/// located.
///
/// # Errors
/// The point on which it depends was not located, or the program cannot be launched or recorded.
pub async fn ask_omitted(
    chain: &Chain,
    answer: &Answer,
    point: &Point,
    options: &Options,
    context: &Context,
) -> Result<OmissionAnswer, SessionError> {
    let question = omissions::question(chain, answer, point).map_err(SessionError::NoStep)?;
    let recording = ChainRecording::of(&mut answer.clone(), chain, options, context).await?;
    let question = OmissionQuestion { limit: SUGGESTIONS, ..question };
    Box::pin(ask_omissions(recording.open(context).await?, &question, context)).await
}

/// The chain with the points that events answer.
fn of_events(chain: &Chain) -> Chain {
    let mut chain = chain.clone();
    chain.points.retain(|point| !point.at.is_of_recording());
    chain
}

/// Records the program, and adds what its recording answers.
async fn add_of_recording(
    answer: &mut Answer,
    chain: &Chain,
    options: &Options,
    context: &Context,
) -> Result<(), SessionError> {
    let asks_omissions = chain.points.iter().any(|point| point.at.is_of_recording());
    if chain.queries.is_empty() && !asks_omissions {
        return Ok(());
    }
    let requests = queries::requests(chain)?;
    let recording = ChainRecording::of(answer, chain, options, context).await?;
    if asks_omissions {
        Box::pin(omissions::add(answer, chain, &recording, context)).await?;
    }
    if !chain.queries.is_empty() {
        Box::pin(queries::add(answer, chain, &requests, &recording, context)).await?;
    }
    Ok(())
}

/// The verdict of what a recording answers, where the points have shown the bug.
fn verdict(chain: &Chain, answer: &Answer) -> Verdict {
    if chain.queries.is_empty() && !chain.points.iter().any(|point| point.at.is_of_recording()) {
        return Verdict::Present;
    }
    if let Some(spot) = answer.blind_spots.first() {
        return Verdict::Unsure(spot.clone());
    }
    let mut others = omissions::differing(chain, answer);
    match queries::differing(answer) {
        Ok(differing) => others.extend(differing),
        Err(unsure) => return unsure,
    }
    match (others.is_empty(), chain.points.is_empty()) {
        (true, _) => Verdict::Present,
        (false, true) => Verdict::Absent,
        (false, false) => Verdict::OtherCause(others),
    }
}
