//! Generates the code inserted into a recorded method, and lists its sites.

use crate::derived_lines::DerivedLines;
use crate::entry::enter;
use crate::external_writes::{ARRAYS, GivenPart, Handed, handed, is_inherited, written_by};
use crate::recorder_calls::{arrays, back, call, event, exception, fields, rare, window, write};
use crate::site_report::traced;
use crate::spill::spill;
use crate::steps::kind_of;
use crate::value_tests::{Comparison, comparable};
use crate::weaving::Weaving;
use descriptor::Kind;
use rewrite::{Effect, Kept, MethodPlan, MethodShape, RecordedEffect, Reference, Slot, StackOp, Step};
use wire::TRACE_CLASS;
use wire::chosen::Chosen;
use wire::recording::{Level, Traced, TracedMethod, TracedSite};

/// The code inserted into a method, and its sites. `effects` are the recorded effects of the method besides
/// being called. `number` numbers sites.
pub fn weave(
    shape: &MethodShape,
    effects: &[RecordedEffect],
    weaving: &Weaving<'_>,
    number: &mut dyn FnMut(u32, Traced) -> u32,
) -> (MethodPlan, TracedMethod) {
    let Weaving { level, has_window, is_called, is_of_jdk, chosen, tests, is_recorded, flow } = *weaving;
    if !is_called {
        return weave_writes(shape, effects, weaving, number);
    }
    let may_skip = weaving.may_skip();
    let mut plan = MethodPlan {
        kept: vec![Kept { kind: Kind::Long, name: "qp:ring".to_owned() }],
        ..MethodPlan::default()
    };
    let mut sites = Vec::new();
    let mut site = |bci, what| {
        let id = number(bci, what);
        sites.push(TracedSite {
            id,
            bci,
            what,
            line: None,
            to: None,
            written: None,
            by: None,
            lines: Vec::new(),
        });
        Step::Int(id.cast_signed())
    };
    let exit = || has_window.then(|| window("exit", "()V"));
    let ring = Step::Load(Kind::Long, Slot::Kept(0));
    let mut detail = ring.clone();
    if has_window || !tests.is_empty() {
        plan.kept.push(Kept { kind: Kind::Long, name: "qp:detail".to_owned() });
        detail = Step::Load(Kind::Long, Slot::Kept(1));
    }
    let is_constructor = shape.name == "<init>";
    plan.entry = enter(shape, weaving, site(0, Traced::Enter), &mut plan.scratch);
    let event = |kind, ring: &Step, site| event(kind, ring, site, may_skip);
    if let (true, Some(at)) = (is_constructor, shape.constructs_at) {
        let this = Step::Load(Kind::Reference, Slot::Own(0));
        let born = call("born", "(Ljava/lang/Object;JI)V");
        plan.after.insert(at, vec![this, ring.clone(), site(at, Traced::Born), born]);
    }
    for handler in &shape.handlers {
        let caught = [Step::Stack(StackOp::Dup), ring.clone(), site(*handler, Traced::Catch)];
        plan.before.insert(*handler, caught.into_iter().chain([exception("caught")]).collect());
    }
    let derived = DerivedLines::find(shape, effects, flow);
    let mut weaver = EffectWeaver::new(shape, weaving, &detail, &mut plan);
    let is_wanted = |what: &Effect| match chosen {
        Some(_) => !matches!(what, Effect::Line(_)),
        None => level >= least(what),
    };
    for effect in effects.iter().filter(|effect| is_wanted(&effect.what)) {
        match &effect.what {
            Effect::Line(line) if derived.has(effect.pc) => {
                site(effect.pc, Traced::Line(*line));
            }
            Effect::Call { .. } if shape.constructs_at == Some(effect.pc) => {}
            Effect::Call { class, name, descriptor } => {
                let is_own = !class.starts_with('[') && is_recorded(class) && !is_inherited(name, descriptor);
                if let (false, Some(handed)) = (is_own, handed(class, name, descriptor)) {
                    weaver.call(effect.pc, &handed, &mut site);
                }
                if let (false, Some(has_owner)) = (is_own, written_by(class, name, descriptor)) {
                    weaver.write(effect.pc, descriptor, has_owner, &mut site);
                }
            }
            // Like the exits of the call, it belongs to the calls around a window too.
            Effect::Throw => {
                let dup = Step::Stack(StackOp::Dup);
                let id = site(effect.pc, Traced::Throw);
                weaver.before(effect.pc, vec![dup, ring.clone(), id, exception("thrown")]);
            }
            _ => weaver.put(effect, &mut site),
        }
    }
    let given = weaver.given;
    for returns in &shape.returns {
        let id = site(returns.pc, Traced::Return);
        let steps = match returns.kind {
            'V' => vec![ring.clone(), id, call("event", "(JI)V")],
            kind => {
                let kind = kind_of(kind);
                let dup = if kind.slots() == 2 { StackOp::Dup2 } else { StackOp::Dup };
                [Step::Stack(dup)].into_iter().chain(event(kind, &ring, id)).collect()
            }
        };
        let before = plan.before.entry(returns.pc).or_default();
        if is_constructor && is_of_jdk {
            let this = Step::Load(Kind::Reference, Slot::Own(0));
            before.extend([this, ring.clone(), call("made", "(Ljava/lang/Object;J)V")]);
        }
        before.extend(steps.into_iter().chain(exit()));
    }
    let leave = site(shape.length, Traced::Leave);
    plan.unwind = vec![Step::Stack(StackOp::Dup), ring, leave, exception("left")];
    plan.unwind.extend(exit());
    if let Some(given) = given {
        plan.entry.extend([Step::Null, Step::Store(Kind::Reference, given)]);
        let back = || back(given, &detail);
        plan.unwind.splice(0..0, back());
        for handler in &shape.handlers {
            if let Some(steps) = plan.before.get_mut(handler) {
                steps.splice(0..0, back());
            }
        }
    }
    let (class, kind) = (TRACE_CLASS.into(), Kind::Int);
    let cut = Step::Set { class, name: "cut".into(), kind, descriptor: "Z".into() };
    plan.guard = vec![Step::Int(1), cut];
    derived.note(&mut sites);
    (plan, traced(shape, effects, level, sites))
}

/// The code that records only writes to fields, which does not begin with the method's entry.
fn weave_writes(
    shape: &MethodShape,
    effects: &[RecordedEffect],
    weaving: &Weaving<'_>,
    number: &mut dyn FnMut(u32, Traced) -> u32,
) -> (MethodPlan, TracedMethod) {
    let mut plan = MethodPlan::default();
    let mut sites = Vec::new();
    let mut site = |bci, what| {
        let id = number(bci, what);
        sites.push(TracedSite {
            id,
            bci,
            what,
            line: None,
            to: None,
            written: None,
            by: None,
            lines: Vec::new(),
        });
        Step::Int(id.cast_signed())
    };
    let ring = match weaving.has_window {
        false => call("ring", "()J"),
        true => window("more", "()J"),
    };
    let mut weaver = EffectWeaver::new(shape, weaving, &ring, &mut plan);
    for effect in effects {
        match &effect.what {
            Effect::Put { .. } => weaver.put(effect, &mut site),
            Effect::Call { class, name, descriptor }
                if shape.constructs_at != Some(effect.pc) && !(weaving.is_recorded)(class) =>
            {
                if let Some(has_owner) = written_by(class, name, descriptor) {
                    weaver.write(effect.pc, descriptor, has_owner, &mut site);
                }
            }
            _ => {}
        }
    }
    (plan, traced(shape, effects, weaving.level, sites))
}

/// The lowest level at which an effect is recorded.
fn least(what: &Effect) -> Level {
    match what {
        Effect::Throw => Level::Calls,
        Effect::Put { .. } | Effect::Element(_) | Effect::Array(_) | Effect::Call { .. } => Level::Writes,
        Effect::Line(_) | Effect::Local { .. } | Effect::Branch { .. } | Effect::Lock | Effect::Unlock => {
            Level::All
        }
    }
}

/// Inserts the code that records the effects of a method.
struct EffectWeaver<'a> {
    shape: &'a MethodShape,
    may_skip: bool,
    chosen: Option<&'a Chosen>,
    ring: &'a Step,
    plan: &'a mut MethodPlan,
    /// The scratch locals, by kind and ordinal within the kind.
    scratch: Vec<(Kind, usize, usize)>,
    /// The local that holds the arrays passed to unrecorded code.
    given: Option<Slot>,
}

impl<'a> EffectWeaver<'a> {
    fn new(
        shape: &'a MethodShape,
        weaving: &Weaving<'a>,
        ring: &'a Step,
        plan: &'a mut MethodPlan,
    ) -> EffectWeaver<'a> {
        let (may_skip, chosen) = (weaving.may_skip(), weaving.chosen);
        EffectWeaver { shape, may_skip, chosen, ring, plan, scratch: Vec::new(), given: None }
    }

    /// The comparisons of the writes to a field, of which one must hold; none if all writes are recorded.
    fn comparisons(&self, name: &str, descriptor: &str) -> Vec<Comparison> {
        let values = self.chosen.map(|chosen| chosen.field_values(name)).unwrap_or_default();
        comparable(&values, descriptor)
    }

    fn put(&mut self, effect: &RecordedEffect, site: &mut dyn FnMut(u32, Traced) -> Step) {
        let pc = effect.pc;
        // Before `this` is initialised, it cannot be passed to the recorder.
        let is_early = self.shape.is_early(pc);
        match &effect.what {
            Effect::Line(line) => {
                let steps = [self.ring.clone(), site(pc, Traced::Line(*line)), call("event", "(JI)V")];
                self.before(pc, steps.to_vec());
            }
            Effect::Branch { to, or } => {
                // Skip jumps to the place where execution continues anyway.
                for target in to.iter().filter(|to| Some(**to) != *or).chain(or) {
                    let Ok(at) = u16::try_from(*target) else { continue };
                    let steps = [self.ring.clone(), site(pc, Traced::Branch(at)), call("event", "(JI)V")];
                    match Some(*target) == *or {
                        true => self.after(pc, steps.to_vec()),
                        false => self.plan.taken.entry((pc, *target)).or_default().extend(steps),
                    }
                }
            }
            Effect::Put { constant: None, owner: Reference::Unknown, .. } => {}
            Effect::Put { descriptor, constant: None, owner: Reference::UninitialisedThis, .. } => {
                let kind = Kind::of_descriptor(descriptor);
                let dup = if kind.slots() == 2 { StackOp::Dup2 } else { StackOp::Dup };
                let id = site(pc, Traced::Preset);
                let told = event(kind, self.ring, id, self.may_skip);
                self.before(pc, [Step::Stack(dup)].into_iter().chain(told).collect());
            }
            Effect::Put { name: field, descriptor, constant: None, .. } => {
                let kind = Kind::of_descriptor(descriptor);
                let comparisons = self.comparisons(field, descriptor);
                let name = match descriptor.as_str() {
                    "Z" | "B" => "putByte",
                    "C" => "putChar",
                    "S" => "putShort",
                    _ => "put",
                };
                let told = write(name, format!("(Ljava/lang/Object;{}JI)V", kind.descriptor()));
                let id = site(pc, Traced::Put);
                let steps = if !comparisons.is_empty() {
                    let [store, load] = self.scratch(kind);
                    let mut steps = vec![store];
                    for one in comparisons {
                        steps.extend([Step::Stack(StackOp::Dup), load.clone()]);
                        steps.extend(one.code(std::slice::from_ref(self.ring), &load));
                        steps.extend([id.clone(), told.clone()]);
                    }
                    steps.push(load);
                    steps
                } else if kind.slots() == 1 {
                    vec![Step::Stack(StackOp::Dup2), self.ring.clone(), id, told]
                } else {
                    let [store, load] = self.scratch(kind);
                    vec![store, Step::Stack(StackOp::Dup), load.clone(), self.ring.clone(), id, told, load]
                };
                self.before(pc, steps);
            }
            Effect::Put { name, descriptor, constant: Some(constant), .. } => {
                let kind = Kind::of_descriptor(descriptor);
                let comparisons = self.comparisons(name, descriptor);
                let [store, load] = self.scratch(kind);
                let told = write("putStatic", format!("({0}{0}JI)V", kind.descriptor()));
                let old = Step::Static { constant: *constant, kind };
                let id = site(pc, Traced::PutStatic);
                let mut steps = vec![store];
                if comparisons.is_empty() {
                    steps.extend([old.clone(), load.clone(), self.ring.clone(), id.clone(), told.clone()]);
                }
                for one in comparisons {
                    steps.extend([old.clone(), load.clone()]);
                    steps.extend(one.code(std::slice::from_ref(self.ring), &load));
                    steps.extend([id.clone(), told.clone()]);
                }
                steps.push(load);
                self.before(pc, steps);
            }
            Effect::Element(of) => {
                let kind = kind_of(*of);
                let [store, load] = self.scratch(kind);
                let array = match of {
                    'L' => "[Ljava/lang/Object;".to_owned(),
                    'B' => "Ljava/lang/Object;".to_owned(),
                    of => format!("[{of}"),
                };
                let told = write("element", format!("({array}I{}JI)V", kind.descriptor()));
                let id = site(pc, Traced::Element(*of));
                let dup = Step::Stack(StackOp::Dup2);
                self.before(pc, vec![store, dup, load.clone(), self.ring.clone(), id, told, load]);
            }
            Effect::Array(0) => {
                let id = site(pc, Traced::Array);
                self.after(pc, vec![Step::Stack(StackOp::Dup), self.ring.clone(), id, rare()]);
            }
            Effect::Array(inside) => {
                let (made, element) = (site(pc, Traced::Array), site(pc, Traced::Element('L')));
                let told = arrays("made", "(Ljava/lang/Object;IJII)V");
                let (dup, inside) = (Step::Stack(StackOp::Dup), Step::Int((*inside).into()));
                self.after(pc, vec![dup, inside, self.ring.clone(), made, element, told]);
            }
            Effect::Local { kind: Kind::Reference, value, .. } if *value != Reference::Usable => {}
            Effect::Local { slot, kind, .. } => {
                let letter = kind.descriptor().chars().next().unwrap_or('L');
                let id = site(pc, Traced::Local { slot: *slot, kind: letter });
                let load = Step::Load(*kind, Slot::Own(*slot));
                let told = event(*kind, self.ring, id, self.may_skip);
                self.after(pc, [load].into_iter().chain(told).collect());
            }
            Effect::Lock | Effect::Unlock if is_early => {}
            Effect::Lock => {
                let [store, load] = self.scratch(Kind::Reference);
                self.before(pc, vec![Step::Stack(StackOp::Dup), store]);
                let id = site(pc, Traced::Lock);
                self.after(pc, vec![load, self.ring.clone(), id, rare()]);
            }
            Effect::Unlock => {
                let id = site(pc, Traced::Unlock);
                self.before(pc, vec![Step::Stack(StackOp::Dup), self.ring.clone(), id, rare()]);
            }
            // `weave` handles calls, because it knows which classes are recorded, and throws.
            Effect::Call { .. } | Effect::Throw => {}
        }
    }

    /// Records a call to an unrecorded method that takes or returns arrays.
    fn call(&mut self, pc: u32, handed: &Handed, site: &mut dyn FnMut(u32, Traced) -> Step) {
        let mut given = Step::Null;
        if !handed.given.is_empty() {
            let slot = *self.given.get_or_insert_with(|| {
                let name = "qp:given".to_owned();
                self.plan.kept.push(Kept { kind: Kind::Reference, name });
                Slot::Kept(self.plan.kept.len() - 1)
            });
            given = Step::Load(Kind::Reference, slot);
            let steps = self.give(pc, handed, site);
            self.before(pc, steps);
            self.before(pc, vec![Step::Store(Kind::Reference, slot)]);
            self.after(pc, vec![given.clone(), self.ring.clone(), arrays("back", "(Ljava/lang/Object;J)V")]);
        }
        if let Some(of) = handed.returned {
            // No argument uses this ordinal.
            let [keep, mark] = self.nth_scratch(Kind::Int, usize::MAX);
            self.before(pc, vec![arrays("mark", "()I"), keep]);
            let (made, element) = (site(pc, Traced::Array), site(pc, Traced::Element(of)));
            let told = arrays("came", "(Ljava/lang/Object;Ljava/lang/Object;IJII)V");
            let dup = Step::Stack(StackOp::Dup);
            self.after(pc, vec![dup, given, mark, self.ring.clone(), made, element, told]);
        }
        if let (false, Some(slot)) = (handed.given.is_empty(), self.given) {
            self.after(pc, vec![Step::Null, Step::Store(Kind::Reference, slot)]);
        }
    }

    /// Records a call through which a handle writes a field; its owner is the first argument, if any.
    fn write(
        &mut self,
        pc: u32,
        descriptor: &str,
        has_owner: bool,
        site: &mut dyn FnMut(u32, Traced) -> Step,
    ) {
        let parameters =
            descriptor::parse_method(descriptor).map(|parts| parts.parameters).unwrap_or_default();
        let handle = "Ljava/lang/Object;".to_owned();
        let arguments: Vec<String> = [handle].into_iter().chain(parameters).collect();
        let (mut steps, places) = spill(&arguments, &mut |kind, nth| self.nth_scratch(kind, nth));
        let load = |at: usize| places.get(at).map_or(Step::Null, |[_, load]| load.clone());
        // No argument uses this ordinal.
        let [keep, kept] = self.nth_scratch(Kind::Reference, usize::MAX);
        // This site records nothing itself; it gives the place of the fields found later.
        let id = site(pc, Traced::Array);
        let owner = if has_owner { load(1) } else { Step::Null };
        let told = fields("given", "(Ljava/lang/Object;Ljava/lang/Object;JI)Ljava/lang/Object;");
        steps.extend([load(0), owner, self.ring.clone(), id, told, keep]);
        self.before(pc, steps);
        self.after(pc, vec![kept, self.ring.clone(), fields("back", "(Ljava/lang/Object;J)V")]);
    }

    /// Pushes the recorder's data about the arrays of a call, above the call's arguments.
    fn give(&mut self, pc: u32, handed: &Handed, site: &mut dyn FnMut(u32, Traced) -> Step) -> Vec<Step> {
        let first = handed.given.iter().map(|given| given.argument).min().unwrap_or(0);
        let arguments = handed.arguments.get(first..).unwrap_or_default();
        let (mut steps, places) = spill(arguments, &mut |kind, nth| self.nth_scratch(kind, nth));
        let load = |at: usize| places.get(at - first).map_or(Step::Int(0), |[_, load]| load.clone());
        // If none of these sites exists yet, their numbers are consecutive.
        let is_any = handed.given.iter().any(|given| given.of.is_none());
        steps.push(Step::Null);
        for given in &handed.given {
            let id = match given.of.filter(|_| !is_any) {
                Some(of) => site(pc, Traced::Element(of)),
                None => {
                    let all = ARRAYS.map(|of| site(pc, Traced::Element(of)));
                    let [first, ..] = all;
                    first
                }
            };
            let GivenPart { from, many, how } = given.part.given(load);
            let how = Step::Int(i32::from(is_any) | how);
            let told = arrays("given", "(Ljava/lang/Object;Ljava/lang/Object;IIIJI)Ljava/lang/Object;");
            steps.extend([load(given.argument), from, many, how, self.ring.clone(), id, told]);
        }
        steps
    }

    fn before(&mut self, pc: u32, steps: Vec<Step>) {
        self.plan.before.entry(pc).or_default().extend(steps);
    }

    fn after(&mut self, pc: u32, steps: Vec<Step>) {
        self.plan.after.entry(pc).or_default().extend(steps);
    }

    /// The store and load of a kind's scratch local.
    fn scratch(&mut self, kind: Kind) -> [Step; 2] {
        self.nth_scratch(kind, 0)
    }

    /// The store and load of a further scratch local.
    fn nth_scratch(&mut self, kind: Kind, nth: usize) -> [Step; 2] {
        let known = self.scratch.iter().find(|(of, n, _)| (*of, *n) == (kind, nth)).map(|(.., at)| *at);
        let at = known.unwrap_or_else(|| {
            self.plan.scratch.push(kind);
            self.scratch.push((kind, nth, self.plan.scratch.len() - 1));
            self.plan.scratch.len() - 1
        });
        [Step::Store(kind, Slot::Scratch(at)), Step::Load(kind, Slot::Scratch(at))]
    }
}
