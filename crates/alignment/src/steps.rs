//! Reads the steps of calls: entries of callees, writes, and the end.

use super::AlignedRun;
use super::hashed::{NumberMap, NumberSet};
use super::heap::Place;
use super::matching::StepKey;
use super::versions::{Versions, is_initialiser};
use classes::ClassPool;
use std::rc::Rc;
use trace::{
    CONTENTS, Calls, EventTime, TEXT, TextChange, TextEffect, TraceError, Traced, TracedEvent, Value,
    WalkControl, WalkPosition,
};

/// Number of calls whose steps are read at once.
const READ_AT_ONCE: u32 = 1 << 12;
/// Most events that are read at once.
const MOST_STEPS: usize = 1 << 18;
/// How deep calls of methods that only one version has are taken apart.
const INLINED: u32 = 32;

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

/// A step of a call.
#[derive(Clone, Debug)]
pub struct Step {
    /// What happened.
    pub kind: StepKind,
    /// The values, as `kind` says.
    pub values: Box<[Value]>,
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
#[derive(Debug, Default)]
pub struct OwnSteps {
    /// The steps in order.
    pub steps: Vec<Step>,
    /// The class initialisers that ran in between. When a class is initialised says nothing about the caller.
    pub initialisers: Vec<u32>,
    /// Whether some steps are those of callees whose methods only one version has.
    pub has_inlined: bool,
}

/// The initialisers that ran in two calls, with the side of each.
pub fn initialisers(here: &OwnSteps, there: &OwnSteps) -> Vec<(usize, u32)> {
    let of = |side: usize, steps: &OwnSteps| -> Vec<(usize, u32)> {
        steps.initialisers.iter().map(|node| (side, *node)).collect()
    };
    [of(0, here), of(1, there)].concat()
}

/// Reads steps of one run, and keeps those of neighbouring calls.
pub struct StepReader {
    side: usize,
    /// The first call whose steps are kept.
    first: u32,
    /// The steps by call from the first on.
    kept: Vec<Rc<OwnSteps>>,
    /// The steps of further calls, whose ends were not recorded.
    unended: NumberMap<u32, Rc<OwnSteps>>,
}

impl StepReader {
    /// A reader for the run on this side: 0 or 1.
    pub fn new(side: usize) -> StepReader {
        StepReader { side, first: 0, kept: Vec::new(), unended: NumberMap::default() }
    }

    /// The steps of a call. Calls of methods that only this version has are replaced by their steps.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn steps(
        &mut self,
        run: &mut AlignedRun<'_>,
        node: u32,
        pools: [Option<&ClassPool>; 2],
        versions: &mut Versions,
    ) -> Result<Rc<OwnSteps>, TraceError> {
        let own = self.own(run, node, pools, versions)?;
        let has_inlined = |calls: &Calls, versions: &Versions| {
            own.steps.iter().any(|step| is_inlined(self.side, calls, step, versions))
        };
        if !has_inlined(run.calls, versions) {
            return Ok(own);
        }
        let mut whole =
            OwnSteps { steps: Vec::new(), initialisers: own.initialisers.clone(), has_inlined: true };
        self.inline(run, &own, 0, pools, versions, &mut whole)?;
        Ok(Rc::new(whole))
    }

    fn inline(
        &mut self,
        run: &mut AlignedRun<'_>,
        own: &OwnSteps,
        depth: u32,
        pools: [Option<&ClassPool>; 2],
        versions: &mut Versions,
        whole: &mut OwnSteps,
    ) -> Result<(), TraceError> {
        for step in &own.steps {
            let is_end = matches!(step.kind, StepKind::Return | StepKind::Throw);
            match step.kind {
                StepKind::Enter(node)
                    if depth < INLINED
                        && whole.steps.len() < MOST_STEPS
                        && is_inlined(self.side, run.calls, step, versions) =>
                {
                    let inner = self.own(run, node, pools, versions)?;
                    whole.initialisers.extend(&inner.initialisers);
                    self.inline(run, &inner, depth + 1, pools, versions, whole)?;
                }
                _ if is_end && depth > 0 => {}
                _ => whole.steps.push(step.clone()),
            }
        }
        Ok(())
    }

    fn own(
        &mut self,
        run: &mut AlignedRun<'_>,
        node: u32,
        pools: [Option<&ClassPool>; 2],
        versions: &mut Versions,
    ) -> Result<Rc<OwnSteps>, TraceError> {
        if let Some(kept) = self.kept(node) {
            return Ok(kept);
        }
        let mut reading = Reading::of(self.side, node, READ_AT_ONCE);
        let (mut many, mut stopped) = (0, None);
        run.calls.walk_after(node, None, |calls, event| {
            many += 1;
            let is_far = event.node.is_some_and(|of| of >= node.saturating_add(READ_AT_ONCE));
            if is_far || many > MOST_STEPS {
                stopped = Some((event.walk_position(), call_of(event)));
                return WalkControl::Stop;
            }
            reading.take(calls, event, versions, pools);
            WalkControl::Next
        })?;
        if let Some((position, inside)) = stopped {
            self.read_rest(run, position, inside, &mut reading, pools, versions)?;
        }
        self.first = node;
        self.kept = reading.calls.into_iter().map(|of| Rc::new(of.steps)).collect();
        self.unended.extend(reading.unended.into_iter().map(|(of, call)| (of, Rc::new(call.steps))));
        Ok(self.kept(node).unwrap_or_default())
    }

    /// Reads on in the calls that are open at a position, without their callees: all of them in one pass,
    /// since a deep recursion has many. A callee without a recorded end cannot be skipped, so its steps are
    /// read too.
    fn read_rest(
        &self,
        run: &mut AlignedRun<'_>,
        position: WalkPosition,
        inside: Option<u32>,
        reading: &mut Reading,
        pools: [Option<&ClassPool>; 2],
        versions: &mut Versions,
    ) -> Result<(), TraceError> {
        let around = std::iter::successors(inside, |of| run.calls.parent(*of));
        let around = around.take_while(|of| *of >= reading.first);
        let mut open: NumberSet<u32> = around.filter(|of| !self.unended.contains_key(of)).collect();
        let Some(outermost) = open.iter().min().copied() else { return Ok(()) };
        let last = outermost.saturating_add(run.calls.below(outermost));
        run.calls.walk_after(outermost, Some(position), |calls, event| {
            let Some(of) = call_of(event).filter(|of| (outermost..=last).contains(of)) else {
                return WalkControl::Stop;
            };
            if !open.contains(&of) {
                return WalkControl::SkipCall;
            }
            reading.take(calls, event, versions, pools);
            match (event.site.what, event.node) {
                (Traced::Enter, Some(entered)) if calls.time_of_end(entered).is_some() => {
                    WalkControl::SkipCall
                }
                (Traced::Enter, Some(entered)) => {
                    if !self.unended.contains_key(&entered) && open.insert(entered) {
                        reading.unended.insert(entered, PartialSteps::default());
                    }
                    WalkControl::Next
                }
                (Traced::Return | Traced::Leave, _) if of == outermost => WalkControl::Stop,
                _ => WalkControl::Next,
            }
        })
    }

    fn kept(&self, node: u32) -> Option<Rc<OwnSteps>> {
        let at = || usize::try_from(node.checked_sub(self.first)?).ok();
        self.unended.get(&node).or_else(|| self.kept.get(at()?)).cloned()
    }
}

/// The call that an event is a step of.
fn call_of(event: &TracedEvent<'_>) -> Option<u32> {
    if event.site.what == Traced::Enter { event.around } else { event.node }
}

fn is_inlined(side: usize, calls: &Calls, step: &Step, versions: &Versions) -> bool {
    let StepKind::Enter(node) = step.kind else { return false };
    calls.method_number(node).is_some_and(|method| versions.is_inlined(side, method))
}

/// The steps of a call while they are read.
#[derive(Default)]
struct PartialSteps {
    steps: OwnSteps,
    /// Fields that a constructor wrote before its object was initialised: the object is not known yet.
    preset: Vec<Step>,
}

/// The steps of some calls while they are read.
struct Reading {
    side: usize,
    first: u32,
    /// Most calls that are read.
    count: usize,
    calls: Vec<PartialSteps>,
    /// Further calls that are read.
    unended: NumberMap<u32, PartialSteps>,
}

impl Reading {
    /// For the calls from `first` on.
    fn of(side: usize, first: u32, count: u32) -> Reading {
        let count = usize::try_from(count).unwrap_or(0);
        Reading { side, first, count, calls: Vec::new(), unended: NumberMap::default() }
    }

    /// The steps read so far of a call; `None` if it is not one of those that are read.
    fn partial(&mut self, of: u32) -> Option<&mut PartialSteps> {
        if let Some(call) = self.unended.get_mut(&of) {
            return Some(call);
        }
        let at = of.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        let at = at.filter(|at| *at < self.count)?;
        // A thread may have far fewer calls.
        if self.calls.len() <= at {
            self.calls.resize_with(at + 1, PartialSteps::default);
        }
        self.calls.get_mut(at)
    }

    fn take(
        &mut self,
        calls: &Calls,
        event: &TracedEvent<'_>,
        versions: &mut Versions,
        pools: [Option<&ClassPool>; 2],
    ) {
        let Some(of) = call_of(event) else { return };
        let side = self.side;
        let Some(call) = self.partial(of) else { return };
        let mut field = || {
            let written = event.site.written.as_ref()?;
            versions.field(side, calls, written, pools)
        };
        let kind = match event.site.what {
            Traced::Enter => match event.node {
                Some(node) if calls.method(node).is_some_and(is_initialiser) => {
                    return call.steps.initialisers.push(node);
                }
                Some(node) => StepKind::Enter(node),
                None => return,
            },
            Traced::Born => StepKind::Born,
            Traced::Put | Traced::Preset => match field() {
                Some(field) => StepKind::Field(field),
                None => return,
            },
            Traced::PutStatic => match field() {
                Some(field) => StepKind::StaticField(field),
                None => return,
            },
            Traced::Element(_) => StepKind::Element,
            Traced::Array => StepKind::Array,
            Traced::Contents => StepKind::Contents,
            Traced::Text => StepKind::Text,
            Traced::Start => StepKind::Start,
            Traced::Catch => StepKind::Catch,
            Traced::Return => StepKind::Return,
            Traced::Leave => StepKind::Throw,
            // Where an exception came from is no effect of the call.
            Traced::Throw
            | Traced::Raised
            | Traced::Local { .. }
            | Traced::Line(_)
            | Traced::Branch(_)
            | Traced::Lock
            | Traced::Unlock => return,
        };
        let Some(values) = values_of(event) else { return };
        let index = u32::try_from(call.steps.steps.len() + call.preset.len()).unwrap_or(u32::MAX);
        let step = Step {
            kind,
            values: values.into(),
            before: event.found(),
            origin: StepOrigin { call: of, index },
            time: event.when(),
        };
        if event.site.what == Traced::Preset {
            return call.preset.push(step);
        }
        let born = step.values.first().copied();
        call.steps.steps.push(step);
        if kind == StepKind::Born {
            for mut preset in std::mem::take(&mut call.preset) {
                preset.values = born.into_iter().chain(preset.values).collect();
                call.steps.steps.push(preset);
            }
        }
    }
}

/// The values of a step that are compared; `None` if the event is no step.
fn values_of(event: &TracedEvent<'_>) -> Option<Vec<Value>> {
    Some(match (event.site.what, event.values) {
        (Traced::Put, [object, _, new]) => vec![*object, *new],
        (Traced::PutStatic, [_, new]) => vec![*new],
        (Traced::Element(_), [array, index, .., new]) => vec![*array, *index, *new],
        (Traced::Text, _) => text_values(&event.text_change()?),
        (_, values) => values.to_vec(),
    })
}

fn text_values(change: &TextChange<'_>) -> Vec<Value> {
    let count = |count: usize| Value::Int(i32::try_from(count).unwrap_or(i32::MAX));
    let (effect, digest) = (count(change.effect as usize), Value::Long(change.digest().cast_signed()));
    let same_as = Value::Object(change.same_as);
    match change.effect {
        TextEffect::SameAs => vec![Value::Object(change.object), effect, same_as],
        _ => {
            let sizes = [change.from, change.removed, change.inserted].map(count);
            [Value::Object(change.object), effect].into_iter().chain(sizes).chain([digest]).collect()
        }
    }
}
