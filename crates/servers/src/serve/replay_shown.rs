//! A run of a chain as the page shows it.

use answer::{Answer, PointAnswer};
use past::EventRef;
use serde::Serialize;
use std::collections::BTreeMap;

/// A replay of a chain.
#[derive(Clone, Debug)]
pub struct ReplayShown {
    /// Its number, from 1.
    pub number: usize,
    /// The answer.
    pub answer: Answer,
    /// The events of its points in the recording, by the ids of the points.
    pub events: BTreeMap<String, EventRef>,
}

/// A point of a timeline.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TimelinePoint {
    /// Its id.
    pub id: String,
    /// Its question.
    pub question: String,
    /// Its lane, by its index.
    pub lane: usize,
    /// When it happened, as a fraction of the run.
    pub at: f64,
    /// Whether it was located.
    pub located: bool,
    /// `point`, `cause`, `effect` or `selection`.
    pub kind: &'static str,
    /// A short text.
    pub label: String,
    /// The source file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The source line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The method, as CLASS.METHOD.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The source line's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What happened: a change of a value, or a condition's outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Why it was not located.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its event in the recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<EventRef>,
    /// The number of the question that led to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<usize>,
    /// The variables about which one can ask there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
    /// The whole answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Box<PointAnswer>>,
}

/// An occurrence that was looked at and is not the point.
#[derive(Clone, Debug, Serialize)]
pub struct RejectedPoint {
    /// The id of the point.
    pub of: String,
    /// Its lane.
    pub lane: usize,
    /// When it happened, as a fraction of the run.
    pub at: f64,
    /// Its place, as `Intro.java:13`.
    pub place: String,
    /// The number of the hit.
    pub hit: u64,
    /// Why it is not the point.
    pub reason: String,
}

/// An arrow from an effect to its cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Arrow {
    /// The id of the effect.
    pub from: String,
    /// The id of the cause.
    pub to: String,
}

/// A replay as a picture. A run has no clock that all points share, so they stand in their order, at equal
/// distances.
#[derive(Debug, Default)]
pub struct DrawnReplay {
    /// The names of the threads.
    pub lanes: Vec<String>,
    /// The points.
    pub points: Vec<TimelinePoint>,
    /// The rejected occurrences that were sampled.
    pub rejected: Vec<RejectedPoint>,
    /// Number of other rejected occurrences, by point.
    pub more_rejected: BTreeMap<String, u64>,
    /// The arrows.
    pub arrows: Vec<Arrow>,
}

impl ReplayShown {
    /// Draws it.
    pub fn drawn(&self) -> DrawnReplay {
        let points = &self.answer.points;
        let rejected = || points.iter().flat_map(|point| &point.rejected);
        let mut order: Vec<u64> = points.iter().filter_map(|point| point.sequence).collect();
        order.extend(rejected().map(|rejected| rejected.sequence));
        order.sort_unstable();
        order.dedup();
        let mut drawn = DrawnReplay::default();
        for point in points {
            let lane = lane(&mut drawn.lanes, point.thread.as_deref().unwrap_or("?"));
            let at = point.sequence.map_or(0.0, |sequence| place(&order, sequence));
            drawn.points.push(self.point(point, lane, at));
            let effects = point.asked_from.iter();
            drawn.arrows.extend(effects.map(|from| Arrow { from: from.clone(), to: point.id.clone() }));
            for other in &point.rejected {
                let file = other.place.file.as_deref().unwrap_or(&other.place.class);
                let line = other.place.line.map(|line| format!(":{line}")).unwrap_or_default();
                drawn.rejected.push(RejectedPoint {
                    of: point.id.clone(),
                    lane: self::lane(&mut drawn.lanes, &other.thread),
                    at: place(&order, other.sequence),
                    place: format!("{file}{line}"),
                    hit: other.hit,
                    reason: other.reason.clone(),
                });
            }
            let all: u64 = point.rejections.values().sum();
            let more = all.saturating_sub(u64::try_from(point.rejected.len()).unwrap_or(u64::MAX));
            if more > 0 {
                drawn.more_rejected.insert(point.id.clone(), more);
            }
        }
        drawn
    }

    fn point(&self, point: &PointAnswer, lane: usize, at: f64) -> TimelinePoint {
        let is_variable = |text: &&String| {
            let begins = text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$');
            begins && *text != "this" && text.chars().all(|c| c.is_alphanumeric() || "_$.[]".contains(c))
        };
        let mut variables: Vec<String> =
            point.operands.keys().chain(point.collected.keys()).filter(is_variable).cloned().collect();
        let mut known = std::collections::HashSet::new();
        variables.retain(|name| known.insert(name.clone()));
        TimelinePoint {
            id: point.id.clone(),
            question: point.question.clone(),
            lane,
            at,
            located: point.located,
            kind: "point",
            label: point.line.map_or_else(|| point.id.clone(), |line| format!("{} :{line}", point.id)),
            file: point.file.clone(),
            line: point.line,
            method: point.method_text(),
            text: point.text.clone(),
            value: value(point),
            reason: point.reason.clone(),
            selection: self.events.get(&point.id).copied(),
            asked: None,
            variables,
            detail: Some(Box::new(point.clone())),
        }
    }
}

/// What happened at a point.
fn value(point: &PointAnswer) -> Option<String> {
    match (&point.old, &point.new, &point.condition, &point.taken) {
        (_, _, Some(condition), Some(taken)) => Some(format!("{condition} was {taken}")),
        (Some(old), Some(new), ..) => Some(format!("{old} → {new}")),
        (None, Some(new), ..) => Some(new.clone()),
        _ => point.exception.as_ref().map(|exception| exception.object.clone()),
    }
}

/// The index of a lane, which is added if it is new.
fn lane(lanes: &mut Vec<String>, thread: &str) -> usize {
    let known = lanes.iter().position(|lane| lane == thread);
    known.unwrap_or_else(|| {
        lanes.push(thread.to_owned());
        lanes.len() - 1
    })
}

/// The place of an occurrence among all, as a fraction.
#[allow(clippy::cast_precision_loss)]
fn place(order: &[u64], sequence: u64) -> f64 {
    let before = order.partition_point(|other| *other < sequence);
    (before as f64 + 0.5) / order.len().max(1) as f64
}
