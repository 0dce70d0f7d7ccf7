//! Reads the steps of calls from the events of a run.

use super::AlignedRun;
use super::hashed::{NumberMap, NumberSet};
use super::steps::{OwnSteps, Step, StepKind, StepOrigin, StepValues};
use super::versions::{Versions, is_initialiser};
use classes::ClassPool;
use smallvec::smallvec;
use std::rc::Rc;
use trace::{
    Calls, TextChange, TextEffect, TraceError, Traced, TracedEvent, Value, WalkControl, WalkPosition,
};

/// Number of calls whose steps are read at once.
const READ_AT_ONCE: u32 = 1 << 12;
/// Most events that are read at once.
const MOST_STEPS: usize = 1 << 18;
/// How deep calls of methods that only one version has are taken apart.
const INLINED: u32 = 32;

/// Reads steps of one run, and keeps those of neighbouring calls.
pub struct StepReader {
    side: usize,
    /// The first call whose steps are kept.
    first: u32,
    /// The steps by call from the first on.
    kept: Vec<OwnSteps>,
    /// The steps of further calls, whose ends were not recorded.
    unended: NumberMap<u32, OwnSteps>,
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
    ) -> Result<OwnSteps, TraceError> {
        let own = self.own(run, node, pools, versions)?;
        let has_inlined = |calls: &Calls, versions: &Versions| {
            own.steps().iter().any(|step| is_inlined(self.side, calls, step, versions))
        };
        if !has_inlined(run.calls, versions) {
            return Ok(own);
        }
        let mut whole = Inlined { steps: Vec::new(), initialisers: own.initialisers.clone() };
        self.inline(run, &own, 0, pools, versions, &mut whole)?;
        let Inlined { steps, initialisers } = whole;
        Ok(OwnSteps::of(steps).with_initialisers(initialisers).inlined())
    }

    fn inline(
        &mut self,
        run: &mut AlignedRun<'_>,
        own: &OwnSteps,
        depth: u32,
        pools: [Option<&ClassPool>; 2],
        versions: &mut Versions,
        whole: &mut Inlined,
    ) -> Result<(), TraceError> {
        for step in own.steps() {
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
    ) -> Result<OwnSteps, TraceError> {
        if let Some(kept) = self.kept(node) {
            return Ok(kept);
        }
        let mut reading = Reading::of(self.side, node);
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
        self.kept = reading.finish(&mut self.unended);
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
                        reading.unended.insert(entered, 0);
                    }
                    WalkControl::Next
                }
                (Traced::Return | Traced::Leave, _) if of == outermost => WalkControl::Stop,
                _ => WalkControl::Next,
            }
        })
    }

    fn kept(&self, node: u32) -> Option<OwnSteps> {
        let at = || usize::try_from(node.checked_sub(self.first)?).ok();
        self.unended.get(&node).or_else(|| self.kept.get(at()?)).cloned()
    }
}

/// What is collected of a call of which some callees are taken apart.
struct Inlined {
    steps: Vec<Step>,
    initialisers: Vec<u32>,
}

/// The call that an event is a step of.
fn call_of(event: &TracedEvent<'_>) -> Option<u32> {
    if event.site.what == Traced::Enter { event.around } else { event.node }
}

fn is_inlined(side: usize, calls: &Calls, step: &Step, versions: &Versions) -> bool {
    let StepKind::Enter(node) = step.kind else { return false };
    calls.method_number(node).is_some_and(|method| versions.is_inlined(side, method))
}

/// The steps of some calls while they are read.
struct Reading {
    side: usize,
    first: u32,
    /// Each step with its call, in the order of the events.
    read: Vec<(u32, Step)>,
    /// The number of steps so far of each call from the first on.
    counts: Vec<u32>,
    /// The same of further calls that are read.
    unended: NumberMap<u32, u32>,
    /// The class initialisers that ran in a call.
    initialisers: NumberMap<u32, Vec<u32>>,
    /// Fields that a constructor wrote before its object was initialised: the object is not known yet.
    preset: NumberMap<u32, Vec<Step>>,
}

impl Reading {
    /// For the calls from `first` on.
    fn of(side: usize, first: u32) -> Reading {
        Reading {
            side,
            first,
            read: Vec::new(),
            counts: Vec::new(),
            unended: NumberMap::default(),
            initialisers: NumberMap::default(),
            preset: NumberMap::default(),
        }
    }

    /// The steps of the calls from the first on; those of further calls are added to `unended`.
    fn finish(self, unended: &mut NumberMap<u32, OwnSteps>) -> Vec<OwnSteps> {
        let mut own: NumberMap<u32, Vec<Step>> = self.unended.keys().map(|of| (*of, Vec::new())).collect();
        let place = |of: u32| usize::try_from(of.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let mut ends = vec![0_usize; self.counts.len()];
        let mut steps = Vec::with_capacity(self.read.len());
        for (of, step) in self.read {
            if let Some(own) = own.get_mut(&of) {
                own.push(step);
            } else if let Some(count) = ends.get_mut(place(of)) {
                *count += 1;
                steps.push((of, Some(step)));
            }
        }
        let mut begin = 0;
        for end in &mut ends {
            begin += std::mem::replace(end, begin);
        }
        // Now each end is where the steps of its call begin, and moves to where they end.
        let mut order = vec![0; steps.len()];
        for (at, (of, _)) in steps.iter().enumerate() {
            if let Some(end) = ends.get_mut(place(*of)) {
                if let Some(slot) = order.get_mut(*end) {
                    *slot = at;
                }
                *end += 1;
            }
        }
        let step_at = |at: usize| steps.get_mut(at).and_then(|(_, step)| step.take());
        let batch: Rc<Vec<Step>> = Rc::new(order.into_iter().filter_map(step_at).collect());
        let mut initialisers = self.initialisers;
        let mut with_initialisers = |of: u32, steps: OwnSteps| match initialisers.is_empty() {
            true => steps,
            false => steps.with_initialisers(initialisers.remove(&of).unwrap_or_default()),
        };
        for (of, steps) in own {
            unended.insert(of, with_initialisers(of, OwnSteps::of(steps)));
        }
        let mut begin = 0;
        let ranges = ends.into_iter().map(|end| std::mem::replace(&mut begin, end)..end);
        let calls = (self.first..).zip(ranges);
        calls.map(|(of, range)| with_initialisers(of, OwnSteps::among(batch.clone(), range))).collect()
    }

    /// Counts a step of a call, and returns its index there; `None` if the call is not read.
    fn count(&mut self, of: u32) -> Option<u32> {
        let count = match self.unended.get_mut(&of) {
            Some(count) => count,
            None => {
                let at = of.checked_sub(self.first).filter(|at| *at < READ_AT_ONCE)?;
                let at = usize::try_from(at).ok()?;
                // A thread may have far fewer calls.
                if self.counts.len() <= at {
                    self.counts.resize(at + 1, 0);
                }
                self.counts.get_mut(at)?
            }
        };
        let index = *count;
        *count += 1;
        Some(index)
    }

    fn take(
        &mut self,
        calls: &Calls,
        event: &TracedEvent<'_>,
        versions: &mut Versions,
        pools: [Option<&ClassPool>; 2],
    ) {
        let Some(of) = call_of(event) else { return };
        let mut field = || {
            let written = event.site.written.as_ref()?;
            versions.field(self.side, calls, written, pools)
        };
        let kind = match event.site.what {
            Traced::Enter => match event.node {
                Some(node) if calls.method(node).is_some_and(is_initialiser) => {
                    return self.initialisers.entry(of).or_default().push(node);
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
        let Some(index) = self.count(of) else { return };
        let origin = StepOrigin { call: of, index };
        let step = Step { kind, values, before: event.found(), origin, time: event.when() };
        if event.site.what == Traced::Preset {
            return self.preset.entry(of).or_default().push(step);
        }
        let born = step.values.first().copied();
        self.read.push((of, step));
        if kind == StepKind::Born && !self.preset.is_empty() {
            for mut preset in self.preset.remove(&of).unwrap_or_default() {
                preset.values = born.into_iter().chain(preset.values).collect();
                self.read.push((of, preset));
            }
        }
    }
}

/// The values of a step that are compared; `None` if the event is no step.
fn values_of(event: &TracedEvent<'_>) -> Option<StepValues> {
    Some(match (event.site.what, event.values) {
        (Traced::Put, [object, _, new]) => smallvec![*object, *new],
        (Traced::PutStatic, [_, new]) => smallvec![*new],
        (Traced::Element(_), [array, index, .., new]) => smallvec![*array, *index, *new],
        (Traced::Text, _) => text_values(&event.text_change()?),
        (_, values) => StepValues::from_slice(values),
    })
}

fn text_values(change: &TextChange<'_>) -> StepValues {
    let count = |count: usize| Value::Int(i32::try_from(count).unwrap_or(i32::MAX));
    let (effect, digest) = (count(change.effect as usize), Value::Long(change.digest().cast_signed()));
    let same_as = Value::Object(change.same_as);
    match change.effect {
        TextEffect::SameAs => smallvec![Value::Object(change.object), effect, same_as],
        _ => {
            let sizes = [change.from, change.removed, change.inserted].map(count);
            [Value::Object(change.object), effect].into_iter().chain(sizes).chain([digest]).collect()
        }
    }
}
