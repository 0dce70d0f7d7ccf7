//! The facts that a translation must learn from a run, and those already learnt. Pure data, by names: it
//! survives a relaunch.

use model::Site;
use query::{Key, PointIndex};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// A fact that only a run can tell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// The method of a frame on a point's stack.
    Frame {
        /// The point.
        point: PointIndex,
        /// Its id.
        id: Arc<str>,
        /// The frame: 0 the newest, -1 the oldest.
        frame: i32,
    },
    /// The runtime class of an expression at a point.
    ClassOf {
        /// The point.
        point: PointIndex,
        /// Its id.
        id: Arc<str>,
        /// The frame in which the expression is evaluated.
        frame: i32,
        /// The expression.
        expr: Arc<str>,
    },
    /// The value of an expression at a point.
    ValueOf {
        /// The point.
        point: PointIndex,
        /// Its id.
        id: Arc<str>,
        /// The frame in which the expression is evaluated.
        frame: i32,
        /// The expression.
        expr: Arc<str>,
    },
    /// Nothing can help: facts learnt about other points show that this point cannot be asked.
    Nothing {
        /// The point.
        point: PointIndex,
        /// Why it cannot be asked.
        refusal: Arc<str>,
    },
    /// The site of a point.
    Site {
        /// The point.
        point: PointIndex,
        /// Its id.
        id: Arc<str>,
    },
}

impl Need {
    /// The point that must be located to learn the fact.
    pub fn point(&self) -> PointIndex {
        match self {
            Need::Frame { point, .. }
            | Need::ClassOf { point, .. }
            | Need::ValueOf { point, .. }
            | Need::Nothing { point, .. }
            | Need::Site { point, .. } => *point,
        }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Need::Frame { id, frame, .. } => write!(f, "the method of frame {frame} at {id}"),
            Need::ClassOf { id, frame, expr, .. } => write!(f, "the class of {id}({frame}):{expr}"),
            Need::ValueOf { id, frame, expr, .. } => write!(f, "the value of {id}({frame}):{expr}"),
            Need::Nothing { refusal, .. } => f.write_str(refusal),
            Need::Site { id, .. } => write!(f, "the place of {id}"),
        }
    }
}

/// Facts learnt from earlier runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    points: BTreeMap<PointIndex, LearnedPoint>,
    refused: BTreeMap<PointIndex, Arc<str>>,
}

/// Facts learnt about one point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LearnedPoint {
    /// Its stack when last located, newest frame first. Empty: not located yet.
    pub stack: Vec<Site>,
    /// The places of its newest frame in all runs. A program that does not repeat itself comes back to them.
    pub places: BTreeSet<Site>,
    /// Binary names of runtime classes, by frame and expression.
    pub classes: BTreeMap<(i32, Arc<str>), Arc<str>>,
    /// Values, by frame and expression; none for objects known only by their identity.
    pub values: BTreeMap<(i32, Arc<str>), Option<Key>>,
}

impl Learned {
    /// Remembers the stack of a located point, newest frame first.
    pub fn stack(&mut self, point: PointIndex, stack: Vec<Site>) {
        let known = self.points.entry(point).or_default();
        known.places.extend(stack.first().cloned());
        known.stack = stack;
    }

    /// Remembers the runtime class of an expression that a point kept.
    pub fn class(&mut self, point: PointIndex, frame: i32, expr: &str, class: impl Into<Arc<str>>) {
        self.points.entry(point).or_default().classes.insert((frame, expr.into()), class.into());
    }

    /// Remembers the value of an expression that a point kept.
    pub fn value(&mut self, point: PointIndex, frame: i32, expr: &str, value: Option<Key>) {
        self.points.entry(point).or_default().values.insert((frame, expr.into()), value);
    }

    /// Remembers that a point cannot be asked, so that the other points still can.
    pub fn refuse(&mut self, point: PointIndex, why: &str) {
        self.refused.insert(point, why.into());
    }

    pub(super) fn refusal(&self, point: PointIndex) -> Option<Arc<str>> {
        self.refused.get(&point).cloned()
    }

    /// Whether some of these facts differ from those learnt earlier about the same point.
    pub fn contradicts(&self, earlier: &Learned) -> bool {
        earlier.points.iter().any(|(point, known)| self.of(*point).is_some_and(|now| now != known))
    }

    /// The facts learnt about a point.
    pub fn of(&self, point: PointIndex) -> Option<&LearnedPoint> {
        self.points.get(&point)
    }

    pub(super) fn places(&self, point: PointIndex) -> impl Iterator<Item = &Site> {
        self.of(point).into_iter().flat_map(|known| &known.places)
    }

    pub(super) fn frames(&self, point: PointIndex) -> &[Site] {
        self.of(point).map_or(&[], |p| p.stack.as_slice())
    }

    pub(super) fn value_of(&self, point: PointIndex, frame: i32, expr: &str) -> Option<Option<Key>> {
        self.of(point)?.values.get(&(frame, expr.into())).cloned()
    }

    pub(super) fn class_of(&self, point: PointIndex, frame: i32, expr: &str) -> Option<Arc<str>> {
        self.of(point)?.classes.get(&(frame, expr.into())).cloned()
    }
}
