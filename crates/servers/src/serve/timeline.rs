//! `timeline`: the execution as a picture (Querypoint, Figure 5): the recorded threads with the causes that
//! were asked for, and above each other the runs of the chain.

use super::replay_shown::{Arrow, DrawnReplay, RejectedPoint, ReplayShown, TimelinePoint};
use super::{Reader, Reads, Request};
use command::CommandError;
use past::{Cause, CauseKind, EventRef, EventShown, lanes::Bar, lanes::Tick, lanes::TimeWindow};
use serde::{Deserialize, Serialize};
use session::Context;
use std::collections::BTreeMap;

/// Default number of times at which the running calls are looked up, and the most.
const SAMPLES: (u32, u32) = (300, 1000);

/// Arguments of `timeline`.
#[derive(Debug, Deserialize)]
pub struct Timeline {
    /// The recording.
    #[serde(default)]
    pub trace: usize,
    /// The beginning of the shown part, as a fraction of the run.
    pub from: Option<f64>,
    /// Its end.
    pub to: Option<f64>,
    /// How many calls beside each other can be told apart.
    pub width: Option<u32>,
    /// The selected call.
    pub call: Option<u32>,
    /// The selected event.
    pub event: Option<u64>,
}

/// Reply to `timeline`.
#[derive(Debug, Serialize)]
pub struct TimelineShown {
    /// The runs, the recording first.
    pub runs: Vec<RunShown>,
    /// When the selected event happened, as a fraction of the recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection_at: Option<f64>,
    /// The lane of the selected event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection_lane: Option<usize>,
}

/// A run.
#[derive(Debug, Serialize)]
pub struct RunShown {
    /// Its number: 0 for the recording.
    pub run: usize,
    /// Its name.
    pub name: String,
    /// `recording` or `replay`.
    pub kind: &'static str,
    /// A remark about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Its threads.
    pub lanes: Vec<LaneShown>,
    /// Its points.
    pub points: Vec<TimelinePoint>,
    /// The occurrences that were looked at and rejected.
    pub rejected: Vec<RejectedPoint>,
    /// Number of other rejected occurrences, by point.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub more_rejected: BTreeMap<String, u64>,
    /// The arrows from effects to causes.
    pub arrows: Vec<Arrow>,
}

/// A thread of a run.
#[derive(Debug, Serialize)]
pub struct LaneShown {
    /// Its name.
    pub thread: String,
    /// When which calls ran; of the recording.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bars: Vec<Bar>,
    /// The events, where few are in the window.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Tick>,
}

impl Request for Timeline {
    type Reply = TimelineShown;

    const NAME: &'static str = "timeline";
}

impl Reads for Timeline {
    async fn read(self, reader: &mut Reader, context: &Context) -> Result<TimelineShown, CommandError> {
        let (asked, replays, has_recording) = {
            let shown = reader.board.shown();
            let asked: Vec<_> = shown.asked.iter().filter(|of| of.trace == self.trace).cloned().collect();
            (asked, shown.replays.clone(), !shown.recordings.is_empty())
        };
        let from = self.from.unwrap_or(0.0).clamp(0.0, 1.0);
        let window = TimeWindow { from, to: self.to.unwrap_or(1.0).clamp(from, 1.0) };
        let samples = self.width.unwrap_or(SAMPLES.0).clamp(1, SAMPLES.1);
        let mut shown = TimelineShown { runs: Vec::new(), selection_at: None, selection_lane: None };
        if has_recording && let Ok(recording) = reader.recording(self.trace, context).await {
            let lanes = recording.drawn(window, samples)?.lanes;
            let lane_of = |thread: u32| lanes.iter().position(|lane| lane.number == thread).unwrap_or(0);
            if let Some(call) = self.call
                && let Ok((at, thread)) = recording.time_of(EventRef { call, event: self.event })
            {
                (shown.selection_at, shown.selection_lane) = (Some(at), Some(lane_of(thread)));
            }
            let (mut points, mut arrows) = (Vec::<TimelinePoint>::new(), Vec::new());
            for of in asked {
                // A cause can be the effect of the next question.
                let known = points.iter().find(|point| point.selection == Some(of.effect));
                let from = known.map_or_else(|| format!("effect {}", of.number), |point| point.id.clone());
                if known.is_none() {
                    let (at, thread) = recording.time_of(of.effect)?;
                    points.push(effect_point(from.clone(), of.effect, at, lane_of(thread)));
                }
                let (at, thread) = recording.time_of(of.cause.selection)?;
                let id = format!("cause {}", of.number);
                arrows.push(Arrow { from, to: id.clone() });
                points.push(TimelinePoint {
                    id,
                    question: of.question,
                    lane: lane_of(thread),
                    at,
                    asked: Some(of.number),
                    selection: Some(of.cause.selection),
                    ..cause_point(&of.cause.cause)
                });
            }
            let lanes = lanes.into_iter().map(|lane| LaneShown {
                thread: lane.thread,
                bars: lane.bars,
                events: lane.events,
            });
            shown.runs.push(RunShown {
                run: 0,
                name: "recording".to_owned(),
                kind: "recording",
                note: None,
                lanes: lanes.collect(),
                points,
                rejected: Vec::new(),
                more_rejected: BTreeMap::new(),
                arrows,
            });
        }
        shown.runs.extend(replays.iter().map(run));
        Ok(shown)
    }
}

fn run(replay: &ReplayShown) -> RunShown {
    let DrawnReplay { lanes, points, rejected, more_rejected, arrows } = replay.drawn();
    let lane = |thread| LaneShown { thread, bars: Vec::new(), events: Vec::new() };
    RunShown {
        run: replay.number,
        name: format!("replay {}", replay.number),
        kind: "replay",
        note: replay.answer.warnings.first().cloned(),
        lanes: lanes.into_iter().map(lane).collect(),
        points,
        rejected,
        more_rejected,
        arrows,
    }
}

/// An event that was asked about.
fn effect_point(id: String, of: EventRef, at: f64, lane: usize) -> TimelinePoint {
    let label = match of.event {
        Some(event) => format!("#{}.{event}", of.call),
        None => format!("end of #{}", of.call),
    };
    TimelinePoint {
        id,
        lane,
        at,
        located: true,
        kind: "effect",
        question: "asked about".to_owned(),
        label,
        selection: Some(of),
        ..TimelinePoint::default()
    }
}

/// A cause, without its place in the picture.
fn cause_point(cause: &Cause) -> TimelinePoint {
    let line = cause.line.map(u32::from);
    TimelinePoint {
        located: true,
        kind: "cause",
        label: line.map_or_else(|| cause.method.clone(), |line| format!(":{line}")),
        file: cause.source.as_ref().map(|source| source.name.clone()),
        line,
        method: Some(cause.method.clone()),
        text: cause.text.clone(),
        value: value(&cause.kind),
        ..TimelinePoint::default()
    }
}

/// What happened at a cause.
fn value(kind: &CauseKind) -> Option<String> {
    match kind {
        CauseKind::Written(event) => {
            let EventShown { old, new, .. } = &**event;
            match (old, new) {
                (Some(old), Some(new)) => Some(format!("{old} → {new}")),
                (_, new) => new.clone(),
            }
        }
        CauseKind::Decided { condition, outcome, .. } => Some(format!("{condition} was {outcome}")),
        CauseKind::Caught { exception } => Some(exception.clone()),
        CauseKind::Given { argument: Some(argument), value, .. } => Some(format!("{argument} = {value}")),
        CauseKind::Given { argument: None, value, .. } => Some(value.clone()),
        CauseKind::Called => None,
    }
}
