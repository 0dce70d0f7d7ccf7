//! Goes through the calls of both runs in step.

use super::AlignedRun;
use super::changed::ChangedMethods;
use super::correspondence::Sameness;
use super::effects::{self, EffectScope};
use super::hashed::{NumberMap, NumberSet};
use super::heap::Held;
use super::matching::{Matched, StepKey, matched};
use super::open_pair::OpenPair;
use super::report::{Alignment, DifferentStep, DifferingCall, Verdict};
use super::state::State;
use super::step_reader::StepReader;
use super::steps::{OwnSteps, Step, StepKind, StepOrigin, initialisers};
use super::threads;
use super::variation::{Variation, VariedStep};
use trace::{EventTime, TraceError, Value};

/// Number of steps between two questions whether to go on.
const AT_ONCE: usize = 1 << 12;
/// Most calls that differ which are kept.
const DIFFERING: usize = 10_000;

/// The comparison of two runs.
pub struct Walk<'a, 'g> {
    state: State<'a>,
    readers: [StepReader; 2],
    open: Vec<OpenPair>,
    /// The name of the threads whose calls are compared.
    group: String,
    /// The methods of initialised classes, by shared number.
    initialised: NumberSet<u32>,
    /// The initialisers of each run by the shared number of the method.
    initialisers: [NumberMap<u32, u32>; 2],
    changed: ChangedMethods,
    found: Alignment,
    /// What differs, if both runs are of the same version.
    variation: Option<Variation>,
    /// The last time of the first run that is compared; of runs of one version, the first that is not.
    until: EventTime,
    goes_on: &'g mut dyn FnMut() -> bool,
}

impl<'a, 'g> Walk<'a, 'g> {
    /// Begins before the first step of both runs.
    pub fn new(here: AlignedRun<'a>, there: AlignedRun<'a>, goes_on: &'g mut dyn FnMut() -> bool) -> Self {
        Walk {
            state: State::new([here, there]),
            readers: [StepReader::new(0), StepReader::new(1)],
            open: Vec::new(),
            group: String::new(),
            initialised: NumberSet::default(),
            initialisers: Default::default(),
            changed: ChangedMethods::default(),
            found: Alignment::default(),
            variation: None,
            until: EventTime::END,
            goes_on,
        }
    }

    /// Compares two versions.
    ///
    /// # Errors
    /// A recording cannot be read, or the comparison was interrupted.
    pub fn align(mut self) -> Result<Alignment, TraceError> {
        self.until = self.end_of_first()?;
        self.go_through()?;
        self.found.differing.sort_by_key(|call| call.ended);
        self.found.only_in_one = self.state.versions.only_in_one.clone();
        self.found.is_cut = self.state.is_cut();
        Ok(self.found)
    }

    /// When the first run had its last event, without those by which an exception leaves its calls. Of
    /// several threads, one can go on after another has failed.
    fn end_of_first(&mut self) -> Result<EventTime, TraceError> {
        let [here, there] = [0, 1].map(|side: usize| self.state.runs[side].calls.threads());
        let ([(thread, ..)], [_]) = (&*here, &*there) else { return Ok(EventTime::END) };
        Ok(self.state.runs[0].calls.last_but_leaves(*thread)?.unwrap_or(EventTime::END))
    }

    /// What differs between two runs of the same version, up to a time of the first one.
    ///
    /// # Errors
    /// A recording cannot be read, or the comparison was interrupted.
    pub fn variation(mut self, until: EventTime) -> Result<Variation, TraceError> {
        self.until = until;
        self.variation = Some(Variation::default());
        self.go_through()?;
        Ok(self.variation.unwrap_or_default())
    }

    fn go_through(&mut self) -> Result<(), TraceError> {
        for side in [0, 1] {
            self.initialisers[side] = threads::initialisers(&self.state, side);
        }
        for group in threads::groups(&self.state) {
            let [here, there] = [0, 1].map(|side| threads::first_calls(&mut self.state, side, &group));
            let [here, there] = [here?, there?];
            let is_one = group.threads.iter().all(|threads| threads.len() == 1);
            let varies = self.state.runs.iter().any(|run| run.variation.threads.contains(&group.name));
            if let Some(variation) = &mut self.variation
                && group.threads[0].len() != group.threads[1].len()
            {
                variation.add_threads(&group.name);
            }
            let matched = match is_one {
                true => self.matched(&here, &there),
                false => Some(threads::by_input(&mut self.state, &here, &there)),
            };
            let initialisers = initialisers(&here, &there);
            let mut root = self.pair(None, [here, there], matched);
            root.varies |= varies;
            self.open.push(root);
            self.group = group.name;
            for (side, node) in initialisers {
                self.initialise(side, node)?;
            }
            self.run()?;
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), TraceError> {
        let mut count = 0;
        while let Some(top) = self.open.last_mut() {
            count += 1;
            if count % AT_ONCE == 0 && !(self.goes_on)() {
                return Err(TraceError::Interrupted);
            }
            let at = top.next;
            top.next += 1;
            let [here, there] = top.steps.clone();
            let next = match &top.matched {
                Some(matched) => matched.get(at).copied(),
                None => (at < here.steps().len()).then_some(Matched::Both(at, at)),
            };
            let after =
                |steps: &OwnSteps, at: usize| steps.steps().get(at + 1).map_or(EventTime::END, |of| of.time);
            match next {
                Some(Matched::Both(one, other)) => top.reached = [after(&here, one), after(&there, other)],
                Some(Matched::Here(one)) => top.reached[0] = after(&here, one),
                Some(Matched::There(other)) => top.reached[1] = after(&there, other),
                None => {}
            }
            let reached = top.reached[0];
            match next {
                None => self.close()?,
                Some(Matched::Both(one, other)) => {
                    if let (Some(one), Some(other)) = (here.steps().get(one), there.steps().get(other))
                        && (one.is_end() || !self.is_left_out(one.time))
                    {
                        self.both(one, other)?;
                    }
                }
                Some(Matched::Here(one)) => {
                    if let Some(step) = here.steps().get(one)
                        && (step.is_end() || !self.is_left_out(step.time))
                    {
                        self.alone(0, step)?;
                    }
                }
                Some(Matched::There(other)) => match there.steps().get(other) {
                    Some(step) if self.is_left_out(reached) && !step.is_end() => self.leave_out(step),
                    Some(step) => self.alone(1, step)?,
                    None => {}
                },
            }
        }
        Ok(())
    }

    /// Whether a step of the first run at this time is not compared.
    fn is_left_out(&self, time: EventTime) -> bool {
        if self.variation.is_some() { time >= self.until } else { time > self.until }
    }

    /// Leaves out a step of the second run: the first one has failed, and goes on no more.
    fn leave_out(&mut self, step: &Step) {
        self.found.there_until = self.found.there_until.min(step.time);
        if let Some(top) = self.open.last_mut() {
            top.is_off = true;
        }
    }

    /// The pairs of the steps of two calls; `None` if they are paired one by one.
    fn matched(&self, here: &OwnSteps, there: &OwnSteps) -> Option<Vec<Matched>> {
        let keys = |side, steps| OwnSteps::steps(steps).iter().map(move |step| self.key(side, step));
        let (one, other) = (keys(0, here), keys(1, there));
        let is_alike = one.clone().eq(other.clone());
        (!is_alike).then(|| matched(&one.collect::<Vec<StepKey>>(), &other.collect::<Vec<StepKey>>()))
    }

    fn key(&self, side: usize, step: &Step) -> StepKey {
        let method = |node| self.state.runs[side].calls.method_number(node).unwrap_or(u32::MAX);
        step.key(|node| self.state.versions.method(side, method(node)))
    }

    fn pair(
        &mut self,
        calls: Option<(u32, u32)>,
        steps: [OwnSteps; 2],
        matched: Option<Vec<Matched>>,
    ) -> OpenPair {
        let varies = |side: usize, node: u32| self.state.runs[side].variation.has(StepOrigin::all_of(node));
        let begin = |steps: &OwnSteps| steps.steps().first().map_or(EventTime::BEGIN, |step| step.time);
        let end = |steps: &OwnSteps| steps.steps().last().map_or(EventTime::END, |step| step.time);
        let reached = [begin(&steps[0]), begin(&steps[1])];
        let scope = EffectScope {
            pairs: self.state.pairs.pairs(),
            writes: [self.state.heaps[0].writes(), self.state.heaps[1].writes()],
            began: reached,
            ended: [end(&steps[0]), end(&steps[1])],
            born: None,
        };
        OpenPair {
            calls,
            varies: calls.is_some_and(|(here, there)| varies(0, here) || varies(1, there)),
            steps,
            matched,
            next: 0,
            is_judged: true,
            unjudged: Verdict::NotCompared,
            is_initialiser: false,
            scope,
            differs: Vec::new(),
            is_off: false,
            has_differing: false,
            has_varied: false,
            in_part: false,
            input_in_part: false,
            has_other_result: false,
            loose: Vec::new(),
            reached,
        }
    }

    /// Opens a pair of calls, and before it the class initialisers that ran in them.
    fn enter(
        &mut self,
        here: u32,
        there: u32,
        is_judged: bool,
        is_initialiser: bool,
    ) -> Result<(), TraceError> {
        let one = self.steps(0, here)?;
        let other = self.steps(1, there)?;
        let matched = self.matched(&one, &other);
        let initialisers = initialisers(&one, &other);
        let mut pair = self.pair(Some((here, there)), [one, other], matched);
        (pair.is_judged, pair.is_initialiser) = (is_judged, is_initialiser);
        self.open.push(pair);
        for (side, node) in initialisers {
            self.initialise(side, node)?;
        }
        Ok(())
    }

    fn steps(&mut self, side: usize, node: u32) -> Result<OwnSteps, TraceError> {
        let pools = self.state.pools();
        self.readers[side].steps(&mut self.state.runs[side], node, pools, &mut self.state.versions)
    }

    /// Opens the initialisers of a class, unless that was done. When a class is initialised depends on much,
    /// so they are aligned wherever they ran.
    fn initialise(&mut self, side: usize, node: u32) -> Result<(), TraceError> {
        let Some(method) = self.state.runs[side].calls.method_number(node) else { return Ok(()) };
        let shared = self.state.versions.method(side, method);
        if !self.initialised.insert(shared) {
            return Ok(());
        }
        match (self.initialisers[0].get(&shared).copied(), self.initialisers[1].get(&shared).copied()) {
            (Some(here), Some(there)) => self.enter(here, there, true, true),
            _ => self.apply(side, node, false),
        }
    }

    /// Takes a step of both runs.
    fn both(&mut self, here: &Step, there: &Step) -> Result<(), TraceError> {
        let varies =
            self.state.runs[0].variation.has(here.origin) || self.state.runs[1].variation.has(there.origin);
        let Some(top) = self.open.last() else { return Ok(()) };
        self.state.inner_difference = None;
        let is_end = matches!(here.kind, StepKind::Return | StepKind::Throw);
        // What a call hands out that took other steps can be new. Other pairs were compared when written.
        let pairs = if is_end && top.is_off && top.is_judged { top.scope.pairs } else { usize::MAX };
        let scope = EffectScope { pairs, born: None, ..top.scope };
        let same = if matches!(here.kind, StepKind::Born) {
            self.are_born(here, there)
        } else if matches!((here.kind, there.kind), (StepKind::Enter(_), _)) {
            // Methods whose parameters changed are compared by those that both have.
            let common = here.values.len().min(there.values.len());
            effects::are_same(&mut self.state, &scope, &here.values[..common], &there.values[..common])?
        } else {
            effects::are_same(&mut self.state, &scope, &here.values, &there.values)?
        };
        if !same && (!varies || self.variation.is_some()) {
            self.differ(here, there);
        }
        let in_part = self.state.take_in_part();
        if let Some(top) = self.open.last_mut() {
            top.has_varied |= varies;
            top.in_part |= in_part;
        }
        if let (StepKind::Enter(one), StepKind::Enter(other)) = (here.kind, there.kind) {
            let is_judged = (same || varies) && !self.state.reaches_difference(&here.values);
            self.enter(one, other, is_judged, false)?;
            let entered = self.open.iter_mut().rev().find(|pair| pair.calls == Some((one, other)));
            if let Some(entered) = entered {
                entered.has_varied = varies;
                entered.in_part |= in_part;
                entered.input_in_part = in_part || varies;
                entered.unjudged = if same { Verdict::NotCompared } else { Verdict::OtherInput };
            }
            return Ok(());
        }
        for (side, step) in [(0, here), (1, there)] {
            self.write(side, step, varies);
        }
        if let Some(place) = here.written() {
            self.state.set_differs(place, !same && !varies);
        }
        Ok(())
    }

    /// Pairs the objects that constructors initialised.
    fn are_born(&mut self, here: &Step, there: &Step) -> bool {
        let (one, other) = (here.object(), there.object());
        let same = match self.state.compare(Value::Object(one), Value::Object(other)) {
            Sameness::Different => false,
            Sameness::Same => true,
            Sameness::New => {
                self.state.pairs.pair(one, other);
                true
            }
        };
        if let Some(top) = self.open.last_mut().filter(|_| same) {
            top.scope.born = Some((one, other));
        }
        same
    }

    /// Notes that a step of both calls has other values.
    fn differ(&mut self, here: &Step, there: &Step) {
        let is_named = self.names_difference(here.kind);
        if !is_named {
            return self.differ_unnamed(here);
        }
        let sides = [(0, here), (1, there)];
        let values = sides.map(|(side, step)| match step.kind {
            StepKind::Enter(_) => {
                let values: Vec<String> =
                    step.values.iter().map(|value| self.state.show(side, *value)).collect();
                values.join(", ")
            }
            _ => step.values.last().map_or_else(|| "none".to_owned(), |value| self.state.show(side, *value)),
        });
        let what = self.state.changed_by(0, here);
        if let Some(variation) = &mut self.variation {
            let (node, kind, place) = (here.origin.call, Some(here.kind), here.written());
            let step = VariedStep { node, kind, place, is_named, what, values: values.into() };
            return variation.add(here.origin, step);
        }
        let what = what.unwrap_or_else(|| "a step".to_owned());
        let inner = self.state.inner_difference.take();
        self.differ_unnamed(here);
        if let Some(top) = self.open.last_mut() {
            let is_end = matches!(here.kind, StepKind::Return | StepKind::Throw);
            let [here, there] = values;
            top.differs.push(DifferentStep { what, here, there }.by(inner, is_end));
        }
    }

    /// Whether the texts of a difference in the innermost calls are of use.
    fn names_difference(&self, kind: StepKind) -> bool {
        match (&self.variation, self.open.last()) {
            (Some(variation), _) => variation.names_next(),
            // A text is shown whole, when the calls are compared.
            (None, Some(top)) => kind != StepKind::Text && top.keeps_differences(),
            (None, None) => false,
        }
    }

    /// Notes that a step of both calls has other values, without their texts.
    fn differ_unnamed(&mut self, here: &Step) {
        if let Some(variation) = &mut self.variation {
            let (node, kind, place) = (here.origin.call, Some(here.kind), here.written());
            let step = VariedStep { node, kind, place, is_named: false, what: None, values: Vec::new() };
            return variation.add(here.origin, step);
        }
        if let Some(top) = self.open.last_mut() {
            top.is_off = true;
            top.has_other_result |= matches!(here.kind, StepKind::Return | StepKind::Throw | StepKind::Born);
        }
    }

    /// Takes a step of one run that the other run lacks.
    fn alone(&mut self, side: usize, step: &Step) -> Result<(), TraceError> {
        let Some(top) = self.open.last() else { return Ok(()) };
        let is_end = matches!(step.kind, StepKind::Return | StepKind::Throw);
        // Whether a call returns or throws is compared also where its steps vary in number.
        let varies = top.varies && !is_end || self.state.runs[side].variation.has(step.origin);
        let calls = top.calls;
        let is_first = self.open.iter().rev().nth(1).is_some_and(|around| around.calls.is_none());
        if let Some(calls) = calls.filter(|_| is_end && is_first && !varies) {
            self.found.other_ends.push(calls);
        }
        let is_effect = step.is_effect();
        let is_place = step.written().is_some();
        let is_kept = self.open.last().is_some_and(OpenPair::keeps_differences);
        let is_named = match &self.variation {
            Some(variation) => variation.names_next(),
            None => is_kept && !is_place,
        };
        let what = if is_named { self.state.changed_by(side, step) } else { None };
        if is_effect {
            self.note_variation(side, step, calls.map(|(node, _)| node), what.as_deref());
        }
        let from = self.state.heaps[side].writes();
        match step.kind {
            StepKind::Enter(node) => self.apply(side, node, varies)?,
            _ => self.write(side, step, varies),
        }
        if let Some(top) = self.open.last_mut().filter(|_| varies) {
            top.has_varied = true;
        }
        if varies || !is_effect || self.variation.is_some() {
            return Ok(());
        }
        let text = match step.kind {
            StepKind::Enter(_) => "called".to_owned(),
            _ if !is_named => String::new(),
            _ => step.values.last().map_or_else(|| "none".to_owned(), |value| self.state.show(side, *value)),
        };
        let to = self.state.heaps[side].writes();
        let Some(top) = self.open.last_mut() else { return Ok(()) };
        // Later calls of the same caller must not be judged by what differs already.
        let now = EffectScope { born: None, ended: top.reached, ..top.scope };
        effects::note_differences(&mut self.state, &now, &[(side, from, to)])?;
        top.is_off = true;
        top.loose.push((side, from, to));
        top.has_other_result |= matches!(step.kind, StepKind::Return | StepKind::Throw | StepKind::Start);
        if let Some(what) = what {
            let none = match step.kind {
                StepKind::Enter(_) => "not called",
                _ => "none",
            };
            let (here, there) = if side == 0 { (text, none.to_owned()) } else { (none.to_owned(), text) };
            top.differs.push(DifferentStep { what, here, there });
        }
        Ok(())
    }

    /// Notes that a step varies that only one of two runs of a version has, in this call.
    fn note_variation(&mut self, side: usize, step: &Step, node: Option<u32>, what: Option<&str>) {
        let Some(variation) = &mut self.variation else { return };
        match node {
            Some(node) => {
                let of_calls = VariedStep {
                    node,
                    kind: None,
                    place: None,
                    is_named: true,
                    what: None,
                    values: Vec::new(),
                };
                variation.add(StepOrigin::all_of(node), of_calls);
            }
            None => variation.add_threads(&self.group),
        }
        if side == 0 {
            let kind = Some(step.kind).filter(|kind| !matches!(kind, StepKind::Enter(_)));
            let is_named = what.is_some() || kind.is_none();
            let what = kind.and(what).map(str::to_owned);
            let (node, place) = (step.origin.call, step.written());
            let step_of = VariedStep { node, kind, place, is_named, what, values: Vec::new() };
            variation.add(step.origin, step_of);
        }
    }

    /// Keeps what a step wrote.
    fn write(&mut self, side: usize, step: &Step, varies: bool) {
        let shares = !varies && step.written().is_some_and(|place| self.state.shares_by(side, place.0));
        let heap = &mut self.state.heaps[side];
        let stored = |value: &Value| match value {
            Value::Object(object) => Some(*object),
            _ => None,
        };
        if shares {
            let first = if step.kind == StepKind::Contents { 3 } else { step.values.len().saturating_sub(1) };
            step.values.iter().skip(first).filter_map(stored).for_each(|object| heap.share(object));
        }
        match (step.kind, step.written(), step.values.last()) {
            (StepKind::Contents, Some((collection, _)), _) => {
                heap.change_contents(collection, varies, step.values.iter().skip(3).filter_map(stored));
            }
            (StepKind::Text, Some((text, _)), _) => heap.change_text(text, varies),
            (_, Some(place), Some(value)) => {
                let now = if varies { Held::Varies } else { Held::Value(*value) };
                heap.write(place, step.before, now);
            }
            _ => {}
        }
    }

    /// Keeps what a call without a partner wrote, with all calls below it.
    fn apply(&mut self, side: usize, node: u32, varies: bool) -> Result<(), TraceError> {
        let mut open = vec![(self.steps(side, node)?, 0)];
        self.is_without_partner(side, node);
        let mut initialisers = Vec::new();
        let mut count = 0;
        while let Some((steps, next)) = open.last_mut() {
            count += 1;
            if count % AT_ONCE == 0 && !(self.goes_on)() {
                return Err(TraceError::Interrupted);
            }
            if *next == 0 {
                initialisers.extend(steps.initialisers.iter().copied());
            }
            let steps = steps.clone();
            let step = steps.steps().get(*next);
            *next += 1;
            match step {
                None => drop(open.pop()),
                Some(Step { kind: StepKind::Enter(inner), .. }) => {
                    self.is_without_partner(side, *inner);
                    let inner = self.steps(side, *inner)?;
                    open.push((inner, 0));
                }
                Some(step) => self.write(side, step, varies),
            }
        }
        for initialiser in initialisers {
            self.initialise(side, initialiser)?;
        }
        Ok(())
    }

    fn is_without_partner(&mut self, side: usize, node: u32) {
        if side == 0 && self.variation.is_none() {
            self.found.judge(node, None, Verdict::NoPartner);
        }
    }

    /// Whether the code of a call's method differs between the versions.
    fn is_changed(&mut self, here: u32, pair: &OpenPair) -> Option<bool> {
        let method = self.state.runs[0].calls.method(here)?;
        let is_changed = self.changed.is_changed(method, self.state.pools());
        is_changed.map(|is| is || pair.steps.iter().any(|steps| steps.has_inlined))
    }

    /// Finishes the innermost pair of calls.
    fn close(&mut self) -> Result<(), TraceError> {
        let Some(mut pair) = self.open.pop() else { return Ok(()) };
        if self.variation.is_some() {
            return Ok(());
        }
        let Some((here, there)) = pair.calls else {
            self.found.among_roots.append(&mut pair.differs);
            return Ok(());
        };
        let mut verdict = match (pair.is_judged, pair.has_differing) {
            (false, _) => pair.unjudged,
            (true, true) => Verdict::Differs,
            (true, false) => Verdict::Same,
        };
        if pair.is_off && pair.is_judged && !pair.has_differing {
            let mut differs = effects::differences(&mut self.state, &pair.scope)?;
            if !differs.is_empty() || pair.has_other_result {
                verdict = Verdict::Differs;
                DifferentStep::add_others(&mut differs, std::mem::take(&mut pair.differs));
                if self.found.differing.len() < DIFFERING {
                    let ended = pair.scope.ended[0];
                    let is_in_doubt = pair.has_varied;
                    let is_changed = self.is_changed(here, &pair);
                    let call = DifferingCall { here, there, ended, is_in_doubt, is_changed, differs };
                    self.found.differing.push(call);
                }
            }
        } else if !pair.loose.is_empty() {
            effects::note_differences(&mut self.state, &pair.scope, &pair.loose)?;
        }
        self.found.judge(here, Some(there), verdict);
        let in_part = pair.in_part || pair.has_varied || self.state.take_in_part();
        // A difference is certain if the input is.
        let is_unsure = if verdict == Verdict::Differs { pair.input_in_part } else { in_part };
        if is_unsure {
            self.found.judge_in_part(here);
        }
        if let Some(around) = self.open.last_mut() {
            around.has_varied |= pair.has_varied;
            around.in_part |= in_part;
            around.has_differing |= verdict == Verdict::Differs || pair.has_differing;
            around.is_off |= !pair.is_initialiser && !pair.is_judged && pair.is_off;
        }
        Ok(())
    }
}
