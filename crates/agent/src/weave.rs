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
    if !weaving.is_called {
        return weave_writes(shape, effects, weaving, number);
    }
    let mut plan = MethodPlan {
        kept: vec![Kept { kind: Kind::Long, name: "qp:ring".to_owned() }],
        ..MethodPlan::default()
    };
    let mut sites = SiteList { sites: Vec::new(), number };
    let ring = Step::Load(Kind::Long, Slot::Kept(0));
    let mut detail = ring.clone();
    if weaving.has_window || !weaving.tests.is_empty() {
        plan.kept.push(Kept { kind: Kind::Long, name: "qp:detail".to_owned() });
        detail = Step::Load(Kind::Long, Slot::Kept(1));
    }
    let entered = sites.add(0, Traced::Enter);
    plan.entry = enter(shape, weaving, entered, &mut plan.scratch);
    weave_birth_and_catches(shape, &ring, &mut plan, &mut sites);
    let derived = DerivedLines::find(shape, effects, weaving.flow);
    let mut weaver = EffectWeaver::new(shape, weaving, &detail, &mut plan);
    weaver.all(effects, weaving, &derived, &ring, &mut sites);
    let given = weaver.given;
    weave_ends(shape, weaving, &ring, &mut plan, &mut sites);
    if let Some(given) = given {
        compare_given(shape, given, &detail, &mut plan);
    }
    let (class, kind) = (TRACE_CLASS.into(), Kind::Int);
    let cut = Step::Set { class, name: "cut".into(), kind, descriptor: "Z".into() };
    plan.guard = vec![Step::Int(1), cut];
    derived.note(&mut sites.sites);
    (plan, traced(shape, effects, weaving.level, sites.sites))
}

/// The sites of a method.
struct SiteList<'n> {
    sites: Vec<TracedSite>,
    /// Numbers a site.
    number: &'n mut dyn FnMut(u32, Traced) -> u32,
}

impl SiteList<'_> {
    /// Adds a site. Returns the step that pushes its number.
    fn add(&mut self, bci: u32, what: Traced) -> Step {
        let id = (self.number)(bci, what);
        self.sites.push(TracedSite {
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
    }
}

/// Inserts the code that records that a constructor's object can be used, and that exceptions are caught.
fn weave_birth_and_catches(
    shape: &MethodShape,
    ring: &Step,
    plan: &mut MethodPlan,
    sites: &mut SiteList<'_>,
) {
    if let (true, Some(at)) = (shape.name == "<init>", shape.constructs_at) {
        let this = Step::Load(Kind::Reference, Slot::Own(0));
        let born = call("born", "(Ljava/lang/Object;JI)V");
        plan.after.insert(at, vec![this, ring.clone(), sites.add(at, Traced::Born), born]);
    }
    for handler in &shape.handlers {
        let caught = [Step::Stack(StackOp::Dup), ring.clone(), sites.add(*handler, Traced::Catch)];
        plan.before.insert(*handler, caught.into_iter().chain([exception("caught")]).collect());
    }
}

/// Inserts the code that records how a method returns, or is left by an exception.
fn weave_ends(
    shape: &MethodShape,
    weaving: &Weaving<'_>,
    ring: &Step,
    plan: &mut MethodPlan,
    sites: &mut SiteList<'_>,
) {
    let exit = || weaving.has_window.then(|| window("exit", "()V"));
    for returns in &shape.returns {
        let id = sites.add(returns.pc, Traced::Return);
        let steps = match returns.kind {
            'V' => vec![ring.clone(), id, call("event", "(JI)V")],
            kind => {
                let kind = kind_of(kind);
                let dup = if kind.slots() == 2 { StackOp::Dup2 } else { StackOp::Dup };
                let told = event(kind, ring, id, weaving.may_skip());
                [Step::Stack(dup)].into_iter().chain(told).collect()
            }
        };
        let before = plan.before.entry(returns.pc).or_default();
        if shape.name == "<init>" && weaving.is_of_jdk {
            let this = Step::Load(Kind::Reference, Slot::Own(0));
            before.extend([this, ring.clone(), call("made", "(Ljava/lang/Object;J)V")]);
        }
        before.extend(steps.into_iter().chain(exit()));
    }
    let leave = sites.add(shape.length, Traced::Leave);
    plan.unwind = vec![Step::Stack(StackOp::Dup), ring.clone(), leave, exception("left")];
    plan.unwind.extend(exit());
}

/// Inserts the code that looks at what an unrecorded call was given, where an exception leaves the call.
fn compare_given(shape: &MethodShape, given: Slot, detail: &Step, plan: &mut MethodPlan) {
    plan.entry.extend([Step::Null, Step::Store(Kind::Reference, given)]);
    let back = || back(given, detail);
    plan.unwind.splice(0..0, back());
    for handler in &shape.handlers {
        if let Some(steps) = plan.before.get_mut(handler) {
            steps.splice(0..0, back());
        }
    }
}

/// The code that records only writes to fields, which does not begin with the method's entry.
fn weave_writes(
    shape: &MethodShape,
    effects: &[RecordedEffect],
    weaving: &Weaving<'_>,
    number: &mut dyn FnMut(u32, Traced) -> u32,
) -> (MethodPlan, TracedMethod) {
    let mut plan = MethodPlan::default();
    let mut sites = SiteList { sites: Vec::new(), number };
    let ring = match weaving.has_window {
        false => call("ring", "()J"),
        true => window("more", "()J"),
    };
    let mut weaver = EffectWeaver::new(shape, weaving, &ring, &mut plan);
    for effect in effects {
        match &effect.what {
            Effect::Put { .. } => weaver.effect(effect, &mut sites),
            Effect::Call { class, name, descriptor }
                if shape.constructs_at != Some(effect.pc) && !(weaving.is_recorded)(class) =>
            {
                if let Some(has_owner) = written_by(class, name, descriptor) {
                    weaver.write(effect.pc, descriptor, has_owner, &mut sites);
                }
            }
            _ => {}
        }
    }
    (plan, traced(shape, effects, weaving.level, sites.sites))
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

    /// Records the effects that are wanted. `ring` is for those that belong to the calls around a window too.
    fn all(
        &mut self,
        effects: &[RecordedEffect],
        weaving: &Weaving<'_>,
        derived: &DerivedLines,
        ring: &Step,
        sites: &mut SiteList<'_>,
    ) {
        let is_wanted = |what: &Effect| match weaving.chosen {
            Some(_) => !matches!(what, Effect::Line(_)),
            None => weaving.level >= least(what),
        };
        for effect in effects.iter().filter(|effect| is_wanted(&effect.what)) {
            match &effect.what {
                Effect::Line(line) if derived.has(effect.pc) => {
                    sites.add(effect.pc, Traced::Line(*line));
                }
                Effect::Call { .. } if self.shape.constructs_at == Some(effect.pc) => {}
                Effect::Call { class, name, descriptor } => {
                    let is_recorded = !class.starts_with('[') && (weaving.is_recorded)(class);
                    let is_own = is_recorded && !is_inherited(name, descriptor);
                    if let (false, Some(handed)) = (is_own, handed(class, name, descriptor)) {
                        self.call(effect.pc, &handed, sites);
                    }
                    if let (false, Some(has_owner)) = (is_own, written_by(class, name, descriptor)) {
                        self.write(effect.pc, descriptor, has_owner, sites);
                    }
                }
                Effect::Throw => {
                    let dup = Step::Stack(StackOp::Dup);
                    let id = sites.add(effect.pc, Traced::Throw);
                    self.before(effect.pc, vec![dup, ring.clone(), id, exception("thrown")]);
                }
                _ => self.effect(effect, sites),
            }
        }
    }

    fn effect(&mut self, effect: &RecordedEffect, sites: &mut SiteList<'_>) {
        let pc = effect.pc;
        // Before `this` is initialised, it cannot be passed to the recorder.
        let is_early = self.shape.is_early(pc);
        match &effect.what {
            Effect::Line(line) => {
                let steps = [self.ring.clone(), sites.add(pc, Traced::Line(*line)), call("event", "(JI)V")];
                self.before(pc, steps.to_vec());
            }
            Effect::Branch { to, or } => {
                // Skip jumps to the place where execution continues anyway.
                for target in to.iter().filter(|to| Some(**to) != *or).chain(or) {
                    let Ok(at) = u16::try_from(*target) else { continue };
                    let steps =
                        [self.ring.clone(), sites.add(pc, Traced::Branch(at)), call("event", "(JI)V")];
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
                let id = sites.add(pc, Traced::Preset);
                let told = event(kind, self.ring, id, self.may_skip);
                self.before(pc, [Step::Stack(dup)].into_iter().chain(told).collect());
            }
            Effect::Put { name, descriptor, constant: None, .. } => {
                let id = sites.add(pc, Traced::Put);
                self.put_field(pc, name, descriptor, &id);
            }
            Effect::Put { name, descriptor, constant: Some(constant), .. } => {
                let id = sites.add(pc, Traced::PutStatic);
                self.put_static(pc, name, descriptor, *constant, &id);
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
                let id = sites.add(pc, Traced::Element(*of));
                let dup = Step::Stack(StackOp::Dup2);
                self.before(pc, vec![store, dup, load.clone(), self.ring.clone(), id, told, load]);
            }
            Effect::Array(0) => {
                let id = sites.add(pc, Traced::Array);
                self.after(pc, vec![Step::Stack(StackOp::Dup), self.ring.clone(), id, rare()]);
            }
            Effect::Array(inside) => {
                let (made, element) = (sites.add(pc, Traced::Array), sites.add(pc, Traced::Element('L')));
                let told = arrays("made", "(Ljava/lang/Object;IJII)V");
                let (dup, inside) = (Step::Stack(StackOp::Dup), Step::Int((*inside).into()));
                self.after(pc, vec![dup, inside, self.ring.clone(), made, element, told]);
            }
            Effect::Local { kind: Kind::Reference, value, .. } if *value != Reference::Usable => {}
            Effect::Local { slot, kind, .. } => {
                let letter = kind.descriptor().chars().next().unwrap_or('L');
                let id = sites.add(pc, Traced::Local { slot: *slot, kind: letter });
                let load = Step::Load(*kind, Slot::Own(*slot));
                let told = event(*kind, self.ring, id, self.may_skip);
                self.after(pc, [load].into_iter().chain(told).collect());
            }
            Effect::Lock | Effect::Unlock if is_early => {}
            Effect::Lock => {
                let [store, load] = self.scratch(Kind::Reference);
                self.before(pc, vec![Step::Stack(StackOp::Dup), store]);
                let id = sites.add(pc, Traced::Lock);
                self.after(pc, vec![load, self.ring.clone(), id, rare()]);
            }
            Effect::Unlock => {
                let id = sites.add(pc, Traced::Unlock);
                self.before(pc, vec![Step::Stack(StackOp::Dup), self.ring.clone(), id, rare()]);
            }
            // `all` handles calls, because it knows which classes are recorded, and throws.
            Effect::Call { .. } | Effect::Throw => {}
        }
    }

    /// Records a write to a field of an object. `id` is the site.
    fn put_field(&mut self, pc: u32, field: &str, descriptor: &str, id: &Step) {
        let kind = Kind::of_descriptor(descriptor);
        let name = match descriptor {
            "Z" | "B" => "putByte",
            "C" => "putChar",
            "S" => "putShort",
            _ => "put",
        };
        let told = write(name, format!("(Ljava/lang/Object;{}JI)V", kind.descriptor()));
        let comparisons = self.comparisons(field, descriptor);
        if comparisons.is_empty() && kind.slots() == 1 {
            self.before(pc, vec![Step::Stack(StackOp::Dup2), self.ring.clone(), id.clone(), told]);
            return;
        }
        let [store, load] = self.scratch(kind);
        let mut steps = vec![store];
        if comparisons.is_empty() {
            steps.extend([Step::Stack(StackOp::Dup), load.clone(), self.ring.clone()]);
            steps.extend([id.clone(), told.clone()]);
        }
        for one in comparisons {
            steps.extend([Step::Stack(StackOp::Dup), load.clone()]);
            steps.extend(one.code(std::slice::from_ref(self.ring), &load));
            steps.extend([id.clone(), told.clone()]);
        }
        steps.push(load);
        self.before(pc, steps);
    }

    /// Records a write to a static field, which a constant of the class file names. `id` is the site.
    fn put_static(&mut self, pc: u32, field: &str, descriptor: &str, constant: u16, id: &Step) {
        let kind = Kind::of_descriptor(descriptor);
        let comparisons = self.comparisons(field, descriptor);
        let [store, load] = self.scratch(kind);
        let told = write("putStatic", format!("({0}{0}JI)V", kind.descriptor()));
        let old = Step::Static { constant, kind };
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

    /// Records a call to an unrecorded method that takes or returns arrays.
    fn call(&mut self, pc: u32, handed: &Handed, sites: &mut SiteList<'_>) {
        let mut given = Step::Null;
        if !handed.given.is_empty() {
            let slot = *self.given.get_or_insert_with(|| {
                let name = "qp:given".to_owned();
                self.plan.kept.push(Kept { kind: Kind::Reference, name });
                Slot::Kept(self.plan.kept.len() - 1)
            });
            given = Step::Load(Kind::Reference, slot);
            let steps = self.give(pc, handed, sites);
            self.before(pc, steps);
            self.before(pc, vec![Step::Store(Kind::Reference, slot)]);
            self.after(pc, vec![given.clone(), self.ring.clone(), arrays("back", "(Ljava/lang/Object;J)V")]);
        }
        if let Some(of) = handed.returned {
            // No argument uses this ordinal.
            let [keep, mark] = self.nth_scratch(Kind::Int, usize::MAX);
            self.before(pc, vec![arrays("mark", "()I"), keep]);
            let (made, element) = (sites.add(pc, Traced::Array), sites.add(pc, Traced::Element(of)));
            let told = arrays("came", "(Ljava/lang/Object;Ljava/lang/Object;IJII)V");
            let dup = Step::Stack(StackOp::Dup);
            self.after(pc, vec![dup, given, mark, self.ring.clone(), made, element, told]);
        }
        if let (false, Some(slot)) = (handed.given.is_empty(), self.given) {
            self.after(pc, vec![Step::Null, Step::Store(Kind::Reference, slot)]);
        }
    }

    /// Records a call through which a handle writes a field; its owner is the first argument, if any.
    fn write(&mut self, pc: u32, descriptor: &str, has_owner: bool, sites: &mut SiteList<'_>) {
        let parameters =
            descriptor::parse_method(descriptor).map(|parts| parts.parameters).unwrap_or_default();
        let handle = "Ljava/lang/Object;".to_owned();
        let arguments: Vec<String> = [handle].into_iter().chain(parameters).collect();
        let (mut steps, places) = spill(&arguments, &mut |kind, nth| self.nth_scratch(kind, nth));
        let load = |at: usize| places.get(at).map_or(Step::Null, |[_, load]| load.clone());
        // No argument uses this ordinal.
        let [keep, kept] = self.nth_scratch(Kind::Reference, usize::MAX);
        // This site records nothing itself; it gives the place of the fields found later.
        let id = sites.add(pc, Traced::Array);
        let owner = if has_owner { load(1) } else { Step::Null };
        let told = fields("given", "(Ljava/lang/Object;Ljava/lang/Object;JI)Ljava/lang/Object;");
        steps.extend([load(0), owner, self.ring.clone(), id, told, keep]);
        self.before(pc, steps);
        self.after(pc, vec![kept, self.ring.clone(), fields("back", "(Ljava/lang/Object;J)V")]);
    }

    /// Pushes the recorder's data about the arrays of a call, above the call's arguments.
    fn give(&mut self, pc: u32, handed: &Handed, sites: &mut SiteList<'_>) -> Vec<Step> {
        let first = handed.given.iter().map(|given| given.argument).min().unwrap_or(0);
        let arguments = handed.arguments.get(first..).unwrap_or_default();
        let (mut steps, places) = spill(arguments, &mut |kind, nth| self.nth_scratch(kind, nth));
        let load = |at: usize| places.get(at - first).map_or(Step::Int(0), |[_, load]| load.clone());
        // If none of these sites exists yet, their numbers are consecutive.
        let is_any = handed.given.iter().any(|given| given.of.is_none());
        steps.push(Step::Null);
        for given in &handed.given {
            let id = match given.of.filter(|_| !is_any) {
                Some(of) => sites.add(pc, Traced::Element(of)),
                None => {
                    let all = ARRAYS.map(|of| sites.add(pc, Traced::Element(of)));
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
