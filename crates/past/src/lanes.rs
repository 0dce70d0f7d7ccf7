//! Which calls ran when, thread by thread, as bars for a picture. A picture has room for some hundred bars,
//! so the calls are sampled: at each of some times, the calls that were running then are shown.

use super::error::PastError;
use super::recording::Recording;
use serde::Serialize;
use std::collections::HashMap;
use trace::{Calls, TimeAxis};

/// Number of levels of calls that are shown.
const LEVELS: usize = 6;
/// Maximum number of events of a lane that are shown.
const EVENTS: usize = 200;
/// Maximum number of callers that are followed from a call.
const CALLERS: usize = 20_000;

/// The part of a run that is shown, as fractions of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeWindow {
    /// Its beginning, from 0 to 1.
    pub from: f64,
    /// Its end, from 0 to 1.
    pub to: f64,
}

/// A thread of a picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lane {
    /// Its name.
    pub thread: String,
    /// Its number.
    pub number: u32,
    /// Its calls in the window, the outermost first.
    pub bars: Vec<Bar>,
    /// Its events in the window, if they are few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Tick>,
}

/// An event of a picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tick {
    /// When it happened, as a fraction of the run.
    pub at: f64,
    /// The call that contains it.
    pub call: u32,
    /// The text of its place in the thread.
    pub place: String,
    /// Its kind.
    pub kind: &'static str,
    /// Its source line, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u16>,
}

/// A call of a picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bar {
    /// The call.
    pub call: u32,
    /// Its method, as CLASS.METHOD.
    pub method: String,
    /// When it began, as a fraction of the run.
    pub from: f64,
    /// When it ended.
    pub to: f64,
    /// Its level, from 0: 0 is the outermost level that is shown.
    pub depth: usize,
    /// Number of calls below it.
    pub below: u32,
}

/// The lanes of all threads that have calls in a window. `samples` is the number of times at which the calls
/// are looked up.
///
/// # Errors
/// The recording cannot be read.
pub fn lanes(
    trace: &mut Recording,
    axis: &TimeAxis,
    window: TimeWindow,
    samples: u32,
) -> Result<Vec<Lane>, PastError> {
    let calls = &mut trace.calls;
    let mut found = Vec::new();
    for (number, thread, _) in calls.threads() {
        let width = (window.to - window.from).max(0.0);
        let at = |sample: u32| window.from + width * (f64::from(sample) + 0.5) / f64::from(samples.max(1));
        let stacks: Vec<Vec<u32>> = (0..samples)
            .map(|sample| {
                axis.call_at(calls, number, at(sample)).map_or_else(Vec::new, |call| stack(calls, call))
            })
            .collect();
        let bars = bars(calls, axis, &stacks);
        let mut events = Vec::new();
        for at in axis.events_between(calls, number, window.from, window.to, EVENTS)? {
            let shown = calls.event_at(at, |_, seen| (seen.site.what.word(), seen.line()))?;
            let Some((kind, line)) = shown else { continue };
            let (fraction, call) = (axis.fraction(at), calls.shown(at.node));
            events.push(Tick { at: fraction, call, place: at.text(), kind, line });
        }
        found.push(Lane { thread, number, bars, events });
    }
    Ok(found)
}

/// A call and its callers, the outermost first.
fn stack(calls: &Calls, call: u32) -> Vec<u32> {
    let mut stack: Vec<u32> =
        std::iter::successors(Some(call), |call| calls.parent(*call)).take(CALLERS).collect();
    stack.reverse();
    stack
}

/// The calls of some stacks, without the outer levels that are the same in all of them but the last one.
fn bars(calls: &Calls, axis: &TimeAxis, stacks: &[Vec<u32>]) -> Vec<Bar> {
    let running: Vec<&Vec<u32>> = stacks.iter().filter(|stack| !stack.is_empty()).collect();
    let Some(first) = running.first() else { return Vec::new() };
    let is_same = |level: usize| running.iter().all(|stack| stack.get(level) == first.get(level));
    let same = (0..first.len()).take_while(|level| is_same(*level)).count();
    let base = same.saturating_sub(1);
    let mut shown: HashMap<u32, usize> = HashMap::new();
    for stack in &running {
        for (depth, call) in stack.iter().skip(base).take(LEVELS).enumerate() {
            shown.insert(*call, depth);
        }
    }
    let mut bars: Vec<Bar> = shown.into_iter().map(|(call, depth)| bar(calls, axis, call, depth)).collect();
    bars.sort_by_key(|bar| (bar.depth, bar.call));
    bars
}

fn bar(calls: &Calls, axis: &TimeAxis, call: u32, depth: usize) -> Bar {
    let method = calls.method(call).map(trace::Method::shown);
    Bar {
        call: calls.shown(call),
        method: method.unwrap_or_default(),
        from: calls.entry(call).map_or(0.0, |at| axis.fraction(at)),
        to: calls.end(call).map_or(1.0, |at| axis.fraction(at)),
        depth,
        below: calls.below(call),
    }
}
