//! Where the value of a variable was computed, asked at an event of a recording.

use super::answers::{RecordedAnswer, RecordedSource};
use super::as_chain::chain_of;
use super::open::RecordedTrace;
use answer::{Outcome, PointAnswer};
use chain::{Kind, Point};
use past::EventRef;
use replay::Options;
use serde::Serialize;
use session::{Context, SessionError};
use trace::EventPosition;

/// Where a value was computed, and by which steps it came.
#[derive(Clone, Debug, Serialize)]
pub struct ValueOrigin {
    /// The point.
    #[serde(flatten)]
    pub point: PointAnswer,
    /// Its event; one can go there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<EventRef>,
}

/// Where the value was computed that a variable has at an event, in a frame: 0 is the innermost one.
///
/// # Errors
/// There is no such variable, no run could halt there, its value changes on the line of the event, the
/// recording lacks what is needed, or the user interrupted.
pub fn origin(
    mut trace: RecordedTrace,
    at: EventPosition,
    frame: usize,
    name: &str,
    context: &Context,
) -> Result<ValueOrigin, SessionError> {
    let mut chain = chain_of(&mut trace, at)?;
    let Some(seen_at) = chain.points.last().map(|point| point.id.clone()) else {
        return Err(SessionError::NoStep("no run can halt at this event".to_owned()));
    };
    let here = value_at(&mut trace, at, frame, name)?;
    chain.points.push(Point::new("origin", Kind::Origin(format!("{seen_at}({frame}):{name}"))));
    let path = trace.folder.path().to_owned();
    let mut source = RecordedSource::new(&mut trace, path, &chain)?;
    let found = source.replay("origin", &chain, &Options::default(), context)?;
    let RecordedAnswer { answer, events, .. } = found;
    if answer.outcome == Outcome::Interrupted {
        return Err(SessionError::Interrupted);
    }
    if let Some(seen) = events.get(&seen_at)
        && value_at(&mut trace, *seen, frame, name)? != here
    {
        let why = format!("`{name}` changes on this line before this event: ask at the next line");
        return Err(SessionError::NoStep(why));
    }
    let none = || SessionError::NoStep(format!("the origin of `{name}` was not found"));
    let point = answer.points.into_iter().next_back().ok_or_else(none)?;
    let selection = events.get("origin").map(|at| trace.selection_of(*at)).transpose()?;
    Ok(ValueOrigin { point, selection })
}

/// The value of a variable before an event, in a frame.
fn value_at(
    trace: &mut RecordedTrace,
    at: EventPosition,
    frame: usize,
    name: &str,
) -> Result<String, SessionError> {
    let moment = trace.moment(at)?;
    let mut frames = std::iter::successors(Some(at), |at| trace.calls.made_at(at.node));
    let none = || SessionError::NoStep("this frame was not recorded".to_owned());
    let at = frames.nth(frame).ok_or_else(none)?;
    Ok(trace.evaluate(past::Moment { at, ..moment }, name)?.text)
}
