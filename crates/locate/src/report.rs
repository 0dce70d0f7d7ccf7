//! Reports on a point's hits: the rejected candidates, the number of instances, and why the point was not
//! located. It may use `model` and `query`.

use model::Occurrence;
use query::PointIndex;
use std::collections::BTreeMap;
use std::fmt;

/// Why a candidate is not an instance. Each reason holds the point of the failed constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rejection {
    /// Not earlier than the point.
    NotBefore(PointIndex),
    /// Not later than the point.
    NotAfter(PointIndex),
    /// In another thread.
    OtherThread(PointIndex),
    /// Its reference is another object than the point's.
    OtherObject(PointIndex),
    /// It is another element of the array.
    OtherElement(PointIndex),
    /// It received another value than the point has.
    OtherValue(PointIndex),
    /// One of its values could not be read.
    Unread(PointIndex),
    /// A value of the point could not be read, so no candidate can match.
    PointUnread(PointIndex),
    /// Its reference is `null`, or could not be read.
    NoReference(PointIndex),
    /// The point's reference is `null` or could not be read, so no candidate can match.
    PointHasNoReference(PointIndex),
    /// In another activation, or in one that is not tracked.
    OtherActivation(PointIndex),
    /// A store to another variable than the one the point's frame sees.
    OtherVariable(PointIndex),
    /// The point is not control dependent on the way taken.
    OtherWay(PointIndex),
    /// The point's activation was not on the stack.
    NotWithin(PointIndex),
    /// The exception was not caught in the activation that the point requires.
    CaughtElsewhere(PointIndex),
    /// It was dropped during the run because it could no longer become the answer. Either its activation had
    /// ended and no possible point names it, or another instance always takes precedence.
    Outdone,
}

impl Rejection {
    /// The point that the failed constraint names.
    pub fn point(&self) -> Option<PointIndex> {
        match self {
            Rejection::NotBefore(p)
            | Rejection::NotAfter(p)
            | Rejection::OtherThread(p)
            | Rejection::OtherObject(p)
            | Rejection::OtherElement(p)
            | Rejection::OtherValue(p)
            | Rejection::Unread(p)
            | Rejection::PointUnread(p)
            | Rejection::NoReference(p)
            | Rejection::PointHasNoReference(p)
            | Rejection::OtherActivation(p)
            | Rejection::OtherVariable(p)
            | Rejection::OtherWay(p)
            | Rejection::NotWithin(p)
            | Rejection::CaughtElsewhere(p) => Some(*p),
            Rejection::Outdone => None,
        }
    }

    /// Describes the reason; `id` gives the id of a point.
    pub fn describe(&self, id: impl Fn(PointIndex) -> String) -> String {
        match self {
            Rejection::NotBefore(p) => format!("not before {}", id(*p)),
            Rejection::NotAfter(p) => format!("not after {}", id(*p)),
            Rejection::OtherThread(p) => format!("another thread than {}", id(*p)),
            Rejection::OtherObject(p) => format!("another object than at {}", id(*p)),
            Rejection::OtherElement(p) => format!("another element than at {}", id(*p)),
            Rejection::OtherValue(p) => format!("received another value than {} has", id(*p)),
            Rejection::Unread(_) => "the value it received could not be read".to_owned(),
            Rejection::PointUnread(p) => format!("a value at {} could not be read", id(*p)),
            Rejection::NoReference(_) => "its reference is null or unreadable".to_owned(),
            Rejection::PointHasNoReference(p) => format!("the reference at {} is null or unreadable", id(*p)),
            Rejection::OtherActivation(p) => format!("another activation than on the stack of {}", id(*p)),
            Rejection::OtherVariable(p) => format!("a store to another variable than {} sees", id(*p)),
            Rejection::OtherWay(p) => format!("{} does not depend on the way taken", id(*p)),
            Rejection::NotWithin(p) => format!("outside the activation of {}", id(*p)),
            Rejection::CaughtElsewhere(p) => {
                format!("not caught in the activation on the stack of {}", id(*p))
            }
            Rejection::Outdone => "could no longer become the answer".to_owned(),
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(|p| format!("point number {}", p.0 + 1)))
    }
}

/// Why a point has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unlocated {
    /// The run is not over, and the point can still be located.
    NotYet,
    /// Its event never occurred.
    NeverOccurred,
    /// A point that its constraints name was not located.
    EffectNotLocated(PointIndex),
    /// Its event occurred, but no occurrence satisfied every constraint; [`PointReport::rejected`] tells
    /// which constraints failed.
    AllRejected,
    /// There were fewer instances than its index requires.
    IndexOutOfRange {
        /// Number of instances.
        instances: u64,
    },
}

/// The report on one point's hits. `hits` is the sum of `kept`, all `rejected`, `later`, and the `instances`
/// that are not kept.
#[derive(Clone, Debug, PartialEq)]
pub struct PointReport {
    /// The point.
    pub point: PointIndex,
    /// Occurrences offered.
    pub hits: u64,
    /// Candidates currently held.
    pub kept: usize,
    /// Hits that satisfied every constraint, without undecided ones and those dropped as
    /// [`Rejection::Outdone`].
    pub instances: u64,
    /// Hits after the answer was found; they were not examined.
    pub later: u64,
    /// The requested instance: 0 is the first, -1 the last.
    pub index: i64,
    /// Rejected candidates, by the first constraint that failed.
    pub rejected: BTreeMap<Rejection, u64>,
    /// A sample of the rejected candidates, spread evenly over the run and in its order.
    pub sample: Vec<(Occurrence, Rejection)>,
    /// Whether it was located, or why not.
    pub outcome: Result<(), Unlocated>,
}

/// Counts rejected candidates and keeps an even sample of them.
#[derive(Debug)]
pub(super) struct Rejected {
    pub(super) counts: BTreeMap<Rejection, u64>,
    sample: Vec<(Occurrence, Rejection)>,
    wanted: usize,
    /// The sample keeps one candidate in `stride`; it doubles when the sample reaches twice the wanted size.
    stride: u64,
    total: u64,
}

impl Rejected {
    pub(super) fn new(wanted: usize) -> Rejected {
        Rejected { counts: BTreeMap::new(), sample: Vec::new(), wanted, stride: 1, total: 0 }
    }

    pub(super) fn add(&mut self, occurrence: Occurrence, reason: Rejection) {
        *self.counts.entry(reason).or_insert(0) += 1;
        let place = self.total;
        self.total += 1;
        if self.wanted == 0 || !place.is_multiple_of(self.stride) {
            return;
        }
        self.sample.push((occurrence, reason));
        if self.sample.len() >= self.wanted.saturating_mul(2) {
            let mut place = 0;
            self.sample.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.stride = self.stride.saturating_mul(2);
        }
    }

    /// The sample, reduced to the wanted size, in the order of the run.
    pub(super) fn sample(&self) -> Vec<(Occurrence, Rejection)> {
        let held = self.sample.len();
        let taken = held.min(self.wanted);
        let mut sample: Vec<_> =
            (0..taken).filter_map(|i| self.sample.get(i * held / taken).cloned()).collect();
        sample.sort_by_key(|(o, _)| o.sequence);
        sample
    }
}
