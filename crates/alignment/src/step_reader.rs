//! Reads the steps of calls from the events of a run.

use super::AlignedRun;
use super::hashed::{NumberMap, NumberSet};
use super::steps::{OwnSteps, Step, StepKind, StepOrigin, StepValues};
use super::versions::{Versions, is_initialiser};
use classes::ClassPool;
use smallvec::smallvec;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;
use trace::{
    Calls, TextChange, TextEffect, TraceError, Traced, TracedEvent, Value, WalkControl, WalkPosition,
};

/// Number of calls whose steps are read at once: at least, and where one call follows the other.
const READ_AT_ONCE: Range<u32> = 1 << 10..1 << 15;
/// Number of such parts that are kept. A class initialiser is read where it ran, and then the walk goes on
/// where it was.
const KEPT: usize = 3;
/// Number of steps that calls have on average.
const USUAL: usize = 3;
/// Most events that are read at once.
const MOST_STEPS: usize = 1 << 17;
/// How deep calls of methods that only one version has are taken apart.
const INLINED: u32 = 32;

/// Reads steps of one run, and keeps those of neighbouring calls.
pub struct StepReader {
    side: usize,
    /// The parts that were read last, the newest one last: the first call, and the steps by call from there
    /// on.
    kept: VecDeque<(u32, Vec<OwnSteps>)>,
    /// Number of calls in the newest part, at most.
    read_at_once: u32,
    /// The steps of further calls, whose ends were not recorded.
    unended: NumberMap<u32, OwnSteps>,
}

impl StepReader {
    /// A reader for the run on this side: 0 or 1.
    pub fn new(side: usize) -> StepReader {
        StepReader {
            side,
            kept: VecDeque::new(),
            read_at_once: READ_AT_ONCE.start,
            unended: NumberMap::default(),
        }
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
        let goes_on =
            self.kept.back().is_some_and(|(first, _)| first.saturating_add(self.read_at_once) == node);
        self.read_at_once =
            if goes_on { (self.read_at_once * 2).min(READ_AT_ONCE.end) } else { READ_AT_ONCE.start };
        let end = node.saturating_add(self.read_at_once);
        let mut reading = Reading::of(self.side, node..end);
        let (mut many, mut stopped) = (0, None);
        run.calls.walk_after(node, None, |calls, event| {
            many += 1;
            let is_far = event.node.is_some_and(|of| of >= end);
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
        self.kept.push_back((node, reading.finish(&mut self.unended)));
        if self.kept.len() > KEPT {
            self.kept.pop_front();
        }
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
        let around = around.take_while(|of| *of >= reading.range.start);
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
        let of_part = |(first, steps): &'_ (u32, Vec<OwnSteps>)| {
            let at = usize::try_from(node.checked_sub(*first)?).ok()?;
            steps.get(at).cloned()
        };
        self.unended.get(&node).cloned().or_else(|| self.kept.iter().rev().find_map(of_part))
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
    /// The calls.
    range: Range<u32>,
    /// Each step with its call, in the order of the events.
    read: Vec<(u32, Option<Step>)>,
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
    /// For some calls.
    fn of(side: usize, range: Range<u32>) -> Reading {
        Reading {
            side,
            read: Vec::with_capacity(range.len().saturating_mul(USUAL)),
            range,
            counts: Vec::new(),
            unended: NumberMap::default(),
            initialisers: NumberMap::default(),
            preset: NumberMap::default(),
        }
    }

    /// The steps of the calls from the first on; those of further calls are added to `unended`.
    fn finish(self, unended: &mut NumberMap<u32, OwnSteps>) -> Vec<OwnSteps> {
        let mut own: NumberMap<u32, Vec<Step>> = self.unended.keys().map(|of| (*of, Vec::new())).collect();
        let place = |of: u32| usize::try_from(of.saturating_sub(self.range.start)).unwrap_or(usize::MAX);
        let mut ends = vec![0_usize; self.counts.len()];
        let (mut steps, mut all) = (self.read, 0);
        for (of, step) in &mut steps {
            if let Some(own) = own.get_mut(of) {
                own.extend(step.take());
            } else if let Some(count) = ends.get_mut(place(*of)) {
                *count += 1;
                all += 1;
            }
        }
        let mut begin = 0;
        for end in &mut ends {
            begin += std::mem::replace(end, begin);
        }
        // Now each end is where the steps of its call begin, and moves to where they end.
        let mut order = vec![0; all];
        for (at, (of, step)) in steps.iter().enumerate() {
            if let Some(end) = ends.get_mut(place(*of)).filter(|_| step.is_some()) {
                if let Some(slot) = order.get_mut(*end) {
                    *slot = at;
                }
                *end += 1;
            }
        }
        let step_at = |at: usize| steps.get_mut(at).and_then(|(_, step)| step.take());
        let mut batch = Vec::with_capacity(all);
        batch.extend(order.into_iter().filter_map(step_at));
        let batch = Rc::new(batch);
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
        let calls = self.range.zip(ranges);
        calls.map(|(of, range)| with_initialisers(of, OwnSteps::among(batch.clone(), range))).collect()
    }

    /// The number of steps so far of a call; `None` if the call is not read.
    fn count_of(&mut self, of: u32) -> Option<&mut u32> {
        match self.unended.get_mut(&of) {
            Some(count) => Some(count),
            None => {
                let at = of.checked_sub(self.range.start).filter(|_| of < self.range.end)?;
                let at = usize::try_from(at).ok()?;
                // A thread may have far fewer calls.
                if self.counts.len() <= at {
                    self.counts.resize(at + 1, 0);
                }
                self.counts.get_mut(at)
            }
        }
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
                    if self.count_of(of).is_none() {
                        return;
                    }
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
        let Some(count) = self.count_of(of) else { return };
        let index = *count;
        *count += 1;
        let origin = StepOrigin { call: of, index };
        let step = Step { kind, values, before: event.found(), origin, time: event.when() };
        if event.site.what == Traced::Preset {
            return self.preset.entry(of).or_default().push(step);
        }
        let born = step.values.first().copied();
        self.read.push((of, Some(step)));
        if kind == StepKind::Born && !self.preset.is_empty() {
            for mut preset in self.preset.remove(&of).unwrap_or_default() {
                preset.values = born.into_iter().chain(preset.values).collect();
                self.read.push((of, Some(preset)));
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
