//! The state of one point during a run: its candidates, its counts and its answer. It may use `model` and
//! `query`.

use super::check::{Effect, StackView};
use super::graph::Graph;
use super::log::Log;
use super::report::{PointReport, Rejected, Rejection, Unlocated};
use model::{Occurrence, Tables};
use query::{PointIndex, TraceQuery};

/// The answer of one point.
#[derive(Clone, Debug)]
pub struct Located {
    /// The occurrence.
    pub occurrence: Occurrence,
    /// Whether it depends on an activation that may be confused with another one.
    pub uncertain: bool,
    pub(super) view: StackView,
}

impl Located {
    pub(super) fn effect(&self) -> Effect<'_> {
        Effect { occurrence: &self.occurrence, view: &self.view }
    }
}

/// The progress of a point.
pub(super) enum State {
    /// A point it depends on is not yet located.
    Waiting,
    /// Occurrences can be checked as they come, but the index is not yet certain.
    Open,
    Located(Box<Located>),
    Unlocated(Unlocated),
}

/// The state of one point during a run.
pub(super) struct Track {
    pub(super) state: State,
    /// While waiting: candidates. While open: the last instances, if the index counts from the last.
    pub(super) log: Log,
    pub(super) hits: u64,
    pub(super) instances: u64,
    pub(super) later: u64,
    pub(super) rejected: Rejected,
    /// Number of instances that the run has counted and not reported.
    pub(super) passed: u64,
    /// The points that its constraints name.
    pub(super) needs: Vec<PointIndex>,
    /// The index in use: the TraceQuery's or that of `last_roots`.
    pub(super) index: i64,
    /// The point is the root of `last_roots`, which is decided at the end.
    pub(super) held: bool,
}

impl Track {
    /// A point without any hit.
    pub(super) fn new(query: &TraceQuery, graph: &Graph, keep_rejected: usize) -> Track {
        let needs: Vec<PointIndex> = graph.depends_on(query.point).collect();
        Track {
            state: if needs.is_empty() { State::Open } else { State::Waiting },
            log: Log::default(),
            hits: 0,
            instances: 0,
            later: 0,
            rejected: Rejected::new(keep_rejected),
            index: query.index,
            passed: 0,
            needs,
            held: false,
        }
    }

    /// Counts the earlier instances that the run has not reported.
    pub(super) fn pass(&mut self, occurrence: &Occurrence) {
        let passed = occurrence.detail.as_ref().map_or(0, |detail| detail.passed);
        self.instances += passed.saturating_sub(self.passed);
        self.passed = self.passed.max(passed);
    }

    pub(super) fn reject(&mut self, occurrence: Occurrence, reason: Rejection) {
        self.rejected.add(occurrence, reason);
    }

    /// Number of last instances that a negative index needs.
    pub(super) fn window(&self) -> Option<usize> {
        (self.index < 0).then(|| usize::try_from(self.index.unsigned_abs()).unwrap_or(usize::MAX))
    }

    pub(super) fn found(&mut self, occurrence: Occurrence, uncertain: bool, tables: &Tables) {
        let view = StackView::new(&occurrence, tables);
        self.state = State::Located(Box::new(Located { occurrence, uncertain, view }));
        self.log = Log::default();
    }

    /// The answer from an open log, when no more instances can come.
    pub(super) fn conclude(&mut self) -> Option<Occurrence> {
        // `instances` counts from the first; the log holds the last of them.
        let place = match u64::try_from(self.index) {
            Ok(from_first) => usize::try_from(from_first).ok(),
            Err(_) => {
                let from_last = usize::try_from(self.index.unsigned_abs()).unwrap_or(usize::MAX);
                self.log.len().checked_sub(from_last)
            }
        };
        let mut chosen = None;
        if let Some(place) = place {
            self.log.sift(|at, occurrence| {
                if at == place {
                    chosen = Some(occurrence);
                }
                None
            });
        }
        chosen
    }

    pub(super) fn none_found(&mut self) {
        self.log = Log::default();
        self.state = State::Unlocated(match (self.hits, self.instances) {
            (0, _) => Unlocated::NeverOccurred,
            (_, 0) => Unlocated::AllRejected,
            (_, instances) => Unlocated::IndexOutOfRange { instances },
        });
    }

    pub(super) fn decided(&self) -> bool {
        matches!(self.state, State::Located(_) | State::Unlocated(_))
    }

    pub(super) fn located(&self) -> Option<&Located> {
        match &self.state {
            State::Located(located) => Some(located),
            _ => None,
        }
    }

    pub(super) fn report(&self, query: &TraceQuery) -> PointReport {
        PointReport {
            point: query.point,
            hits: self.hits,
            kept: self.log.len(),
            instances: self.instances,
            later: self.later,
            index: self.index,
            rejected: self.rejected.counts.clone(),
            sample: self.rejected.sample(),
            outcome: match &self.state {
                State::Located(_) => Ok(()),
                // The point was decided before its first hit, so later hits count as rejected.
                State::Unlocated(Unlocated::NeverOccurred) if self.hits > 0 => Err(Unlocated::AllRejected),
                State::Unlocated(reason) => Err(*reason),
                State::Waiting | State::Open => Err(Unlocated::NotYet),
            },
        }
    }
}
