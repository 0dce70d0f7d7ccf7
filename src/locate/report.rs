//! What became of the hits of a point: what rejected them, how many instances there were, why it was not
//! located. It may use `model` and `query`.

use crate::model::Occurrence;
use crate::query::PointIndex;
use std::collections::BTreeMap;
use std::fmt;

/// Why a candidate is not an instance. Each reason holds the point that the failed constraint names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rejection {
    /// Not earlier than the point.
    NotBefore(PointIndex),
    /// Not later than the point.
    NotAfter(PointIndex),
    /// In another thread.
    OtherThread(PointIndex),
    /// Its reference names another object than the point's.
    OtherObject(PointIndex),
    /// Another element of the array.
    OtherElement(PointIndex),
    /// It was given another value than the point has.
    OtherValue(PointIndex),
    /// A value of it could not be read.
    Unread(PointIndex),
    /// A value of the point could not be read, so nothing is the same value.
    PointUnread(PointIndex),
    /// Its reference is `null`, or could not be read.
    NoReference(PointIndex),
    /// The point's reference is `null`, or could not be read, so nothing is the same object.
    PointHasNoReference(PointIndex),
    /// In another activation, or in one that is not tracked.
    OtherActivation(PointIndex),
    /// A store to another variable than the one the point's frame sees.
    OtherVariable(PointIndex),
    /// The point does not depend on the way that was taken.
    OtherWay(PointIndex),
    /// The point's activation was not on the stack.
    NotWithin(PointIndex),
    /// The exception was not caught in the activation the point asks for.
    CaughtElsewhere(PointIndex),
    /// It was forgotten while the program ran, when it could no longer win: either its activation had ended
    /// and no point that may still be the answer names it, or another instance wins wherever this one would.
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

    /// The reason in words; `id` gives the id of a point.
    pub fn describe(&self, id: impl Fn(PointIndex) -> String) -> String {
        match self {
            Rejection::NotBefore(p) => format!("not before {}", id(*p)),
            Rejection::NotAfter(p) => format!("not after {}", id(*p)),
            Rejection::OtherThread(p) => format!("another thread than {}", id(*p)),
            Rejection::OtherObject(p) => format!("another object than at {}", id(*p)),
            Rejection::OtherElement(p) => format!("another element than at {}", id(*p)),
            Rejection::OtherValue(p) => format!("given another value than {} has", id(*p)),
            Rejection::Unread(_) => "what it was given could not be read".to_owned(),
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
            Rejection::Outdone => "could no longer win".to_owned(),
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
    /// Its event occurred, but no occurrence satisfied every constraint; [`PointReport::rejected`] says which
    /// failed.
    AllRejected,
    /// There were instances, but not as many as its index asks for.
    IndexOutOfRange {
        /// How many there were.
        instances: u64,
    },
}

/// What became of the hits of one point: `hits` is the sum of `kept`, `instances` that are not kept, all
/// `rejected` and `later`.
#[derive(Clone, Debug, PartialEq)]
pub struct PointReport {
    /// The point.
    pub point: PointIndex,
    /// Occurrences offered.
    pub hits: u64,
    /// Candidates held at the moment.
    pub kept: usize,
    /// Hits that satisfied every constraint, as far as they were decided and not forgotten as
    /// [`Rejection::Outdone`].
    pub instances: u64,
    /// Hits that came after the answer was found and were not looked at.
    pub later: u64,
    /// Which instance was asked for: 0 the first, -1 the last.
    pub index: i64,
    /// Candidates that are not instances, by the first constraint that failed.
    pub rejected: BTreeMap<Rejection, u64>,
    /// A sample of them, spread evenly over the run and in its order.
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
    /// One of so many is kept: doubled whenever the sample has twice the wanted size.
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

    /// As many as were wanted, in the order of the run.
    pub(super) fn sample(&self) -> Vec<(Occurrence, Rejection)> {
        let held = self.sample.len();
        let taken = held.min(self.wanted);
        let mut sample: Vec<_> =
            (0..taken).filter_map(|i| self.sample.get(i * held / taken).cloned()).collect();
        sample.sort_by_key(|(o, _)| o.sequence);
        sample
    }
}
