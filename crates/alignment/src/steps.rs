//! The steps of calls: entries of callees, writes, and the end.

use super::heap::Place;
use super::matching::StepKey;
use smallvec::SmallVec;
use std::ops::Range;
use std::rc::Rc;
use trace::{CONTENTS, EventTime, TEXT, Value};

/// What happened in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// A call of this node. The values are its arguments, the receiver first.
    Enter(u32),
    /// A constructor's object was initialised: the value.
    Born,
    /// A field was written: its shared number. The values are the object and the new value.
    Field(u32),
    /// A static field was written: its shared number. The value is the new one.
    StaticField(u32),
    /// An element was written. The values are the array, the index and the new value.
    Element,
    /// An array was created: the value.
    Array,
    /// The contents of a collection were listed or changed. The values are those of the event.
    Contents,
    /// A text was listed, changed or printed. The values are the builder or stream, the kind of change, the
    /// position, the numbers of removed and inserted units, and a digest of the inserted text.
    Text,
    /// A thread was started: the value.
    Start,
    /// A handler began: the value is the exception.
    Catch,
    /// The call returned. The value is the result, if any.
    Return,
    /// The call threw: the value.
    Throw,
}

/// The call of which a step is an own one, and its index among those.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StepOrigin {
    /// The call, a node.
    pub call: u32,
    /// The index.
    pub index: u32,
}

impl StepOrigin {
    /// Stands for all steps of a call from one on.
    pub fn all_of(call: u32) -> StepOrigin {
        StepOrigin { call, index: u32::MAX }
    }
}

/// The values of a step. Most have at most three.
pub type StepValues = SmallVec<[Value; 3]>;

/// A step of a call.
#[derive(Clone, Debug)]
pub struct Step {
    /// What happened.
    pub kind: StepKind,
    /// The values, as `kind` says.
    pub values: StepValues,
    /// What a write replaced, if recorded.
    pub before: Option<Value>,
    /// Whose own step it is. Differs from the call that the step counts for if that call's method exists in
    /// one version only.
    pub origin: StepOrigin,
    /// When it happened.
    pub time: EventTime,
}

impl Step {
    /// Whether it is an effect of its call. A new array and a caught exception are none, and a listing of
    /// contents is no change.
    pub fn is_effect(&self) -> bool {
        match self.kind {
            StepKind::Array | StepKind::Catch | StepKind::Born => false,
            StepKind::Contents => !matches!(self.values.get(1), Some(Value::Int(1 | 2 | 12))),
            StepKind::Text => !matches!(self.values.get(1), Some(Value::Int(1 | 4))),
            _ => true,
        }
    }

    /// Whether the call ends with it.
    pub fn is_end(&self) -> bool {
        matches!(self.kind, StepKind::Return | StepKind::Throw)
    }

    /// The object that a write changed; 0 for a static field.
    pub fn object(&self) -> u32 {
        match (self.kind, self.values.first()) {
            (StepKind::StaticField(_), _) => 0,
            (_, Some(Value::Object(object))) => *object,
            _ => 0,
        }
    }

    /// What it is paired by: its kind, with the shared number of the method or field. `shared_method` has the
    /// number of a call's method.
    pub fn key(&self, shared_method: impl Fn(u32) -> u32) -> StepKey {
        match self.kind {
            StepKind::Enter(node) => (0, shared_method(node)),
            StepKind::Field(field) => (1, field),
            StepKind::StaticField(field) => (2, field),
            StepKind::Born => (3, 0),
            StepKind::Element => (4, 0),
            StepKind::Array => (5, 0),
            StepKind::Contents => {
                let change = match self.values.get(1) {
                    Some(Value::Int(change)) => change.cast_unsigned(),
                    _ => 0,
                };
                (6, change)
            }
            StepKind::Text => {
                let effect = match self.values.get(1) {
                    Some(Value::Int(effect)) => effect.cast_unsigned(),
                    _ => 0,
                };
                (11, effect)
            }
            StepKind::Start => (7, 0),
            StepKind::Catch => (8, 0),
            StepKind::Return => (9, 0),
            StepKind::Throw => (10, 0),
        }
    }

    /// The place that it wrote; `None` if it wrote none.
    pub fn written(&self) -> Option<Place> {
        let object = self.object();
        match (self.kind, self.values.get(1)) {
            (StepKind::Field(field), _) => Some((object, field)),
            (StepKind::StaticField(field), _) => Some((0, field)),
            (StepKind::Element, Some(Value::Int(index))) => Some((object, u32::try_from(*index).ok()?)),
            (StepKind::Contents, _) => Some((object, CONTENTS)),
            (StepKind::Text, _) => Some((object, TEXT)),
            _ => None,
        }
    }
}

/// The steps of a call, without those of its callees.
#[derive(Clone, Debug, Default)]
pub struct OwnSteps {
    /// The steps of many calls, those of each call together.
    batch: Rc<Vec<Step>>,
    /// Those of this call.
    range: Range<usize>,
    /// The class initialisers that ran in between. When a class is initialised says nothing about the caller.
    pub initialisers: Vec<u32>,
    /// Whether some steps are those of callees whose methods only one version has.
    pub has_inlined: bool,
}

impl OwnSteps {
    /// These steps, in order.
    pub fn of(steps: Vec<Step>) -> OwnSteps {
        let range = 0..steps.len();
        OwnSteps::among(Rc::new(steps), range)
    }

    /// The steps of one of the calls of a batch.
    pub fn among(batch: Rc<Vec<Step>>, range: Range<usize>) -> OwnSteps {
        OwnSteps { batch, range, initialisers: Vec::new(), has_inlined: false }
    }

    /// The same steps, with class initialisers in between.
    pub fn with_initialisers(self, initialisers: Vec<u32>) -> OwnSteps {
        OwnSteps { initialisers, ..self }
    }

    /// The same steps, of which some are those of callees.
    pub fn inlined(self) -> OwnSteps {
        OwnSteps { has_inlined: true, ..self }
    }

    /// The steps in order.
    pub fn steps(&self) -> &[Step] {
        self.batch.get(self.range.clone()).unwrap_or_default()
    }
}

/// The initialisers that ran in two calls, with the side of each.
pub fn initialisers(here: &OwnSteps, there: &OwnSteps) -> Vec<(usize, u32)> {
    let of = |side: usize, steps: &OwnSteps| -> Vec<(usize, u32)> {
        steps.initialisers.iter().map(|node| (side, *node)).collect()
    };
    [of(0, here), of(1, there)].concat()
}
