//! Generates the code inserted into methods: calls of the recorder, without jumps.

use descriptor::Kind;
use rewrite::{Kept, MethodPlan, Slot, StackOp, Step, Text};
use std::collections::BTreeMap;
use wire::{
    ARM, BranchEdge, CollectionCall, Counts, LocalStore, PROBE_CLASS, PutPosition, SERIAL, SiteEvent,
    TestParameter, TestPlace, TestedCondition, kept_name, pass_name, turns_name,
};

/// Builds the code inserted into one method.
#[derive(Debug, Default)]
pub struct Weaver {
    /// The inserted code.
    pub plan: MethodPlan,
    /// Entry code that follows the numbering of the activation.
    entry: Vec<Step>,
    /// Logs the parameters. Precedes code that may stop at the entry, since parameters already have their
    /// values there.
    passed: Vec<Step>,
    /// Logs instructions. Follows code that may stop there, since the instruction has not run yet.
    logged: BTreeMap<u32, Vec<Step>>,
}

impl Weaver {
    /// Numbers the activations of the method.
    pub fn serial(&mut self) {
        if self.plan.kept.iter().any(|kept| kept.name == SERIAL) {
            return;
        }
        let slot = self.kept(SERIAL);
        self.plan.entry.push(call("enter", "()J"));
        self.plan.entry.push(Step::Store(Kind::Long, slot));
    }

    /// The local that holds the number of the activation.
    pub(crate) fn numbered(&mut self) -> Slot {
        self.serial();
        Slot::Kept(self.plan.kept.iter().position(|kept| kept.name == SERIAL).unwrap_or_default())
    }

    /// Makes the activation remember an instruction as its last mark.
    pub fn mark(&mut self, bci: u32) {
        let known = self.plan.kept.iter().position(|kept| kept.name == ARM).map(Slot::Kept);
        let slot = known.unwrap_or_else(|| {
            let slot = self.kept(ARM);
            self.plan.entry.extend([Step::Long(0), Step::Store(Kind::Long, slot)]);
            slot
        });
        // Follows code that may stop here, because a stop needs the previous mark.
        self.ahead(bci, [Step::Long(i64::from(bci) + 1), Step::Store(Kind::Long, slot)]);
    }

    /// Adds code that logs a parameter at the entry.
    pub(crate) fn entering(&mut self, steps: impl IntoIterator<Item = Step>) {
        self.passed.extend(steps);
    }

    /// Adds code that logs an instruction before it runs.
    pub(crate) fn ahead(&mut self, bci: u32, steps: impl IntoIterator<Item = Step>) {
        self.logged.entry(bci).or_default().extend(steps);
    }

    /// The local that holds the last hit of a query in an activation, for a group of places.
    fn last(&mut self, query: u16, group: u16) -> Slot {
        let name = kept_name(query, group);
        if let Some(known) = self.plan.kept.iter().position(|k| k.name == name) {
            return Slot::Kept(known);
        }
        let slot = self.kept(&name);
        self.plan.entry.extend([Step::Long(0), Step::Store(Kind::Long, slot)]);
        slot
    }

    /// The local that counts the iterations of an endless loop that a branch of a query can leave.
    fn turns(&mut self, query: u16, branch: u16) -> Slot {
        let name = turns_name(query, branch);
        if let Some(known) = self.plan.kept.iter().position(|k| k.name == name) {
            return Slot::Kept(known);
        }
        let slot = self.kept_as(Kind::Int, &name);
        self.plan.entry.extend([Step::Int(0), Step::Store(Kind::Int, slot)]);
        slot
    }

    /// Counts the start of an iteration of such a loop.
    pub fn turn(&mut self, query: u16, branch: u16, bci: u32) {
        let slot = self.turns(query, branch);
        self.before(bci, [Step::Increment(slot)]);
    }

    /// The local that says whether a pass over a place of a query has begun.
    fn begun(&mut self, query: u16, pass: u16) -> Slot {
        let name = pass_name(query, pass);
        if let Some(known) = self.plan.kept.iter().position(|k| k.name == name) {
            return Slot::Kept(known);
        }
        let slot = self.kept_as(Kind::Int, &name);
        self.plan.entry.extend([Step::Int(0), Step::Store(Kind::Int, slot)]);
        slot
    }

    /// Tests a condition where execution reaches an instruction of `class`. `condition` is the class that
    /// evaluates it.
    pub fn tested(
        &mut self,
        query: u16,
        site: i32,
        bci: u32,
        class: &str,
        condition: &str,
        tested: &TestedCondition,
    ) {
        let begun = tested.pass.map(|pass| self.begun(query, pass));
        let mut steps = Vec::new();
        let mut result = None;
        for parameter in &tested.parameters {
            let step = match parameter {
                TestParameter::Local(LocalStore { slot, kind }) => {
                    Step::Load(kind_of(*kind), Slot::Own(*slot))
                }
                TestParameter::Class => Step::Class(class.to_owned().into()),
                TestParameter::Begun => begun.map_or(Step::Int(0), |slot| Step::Load(Kind::Int, slot)),
                TestParameter::Owner => Step::Null,
                TestParameter::Value(kind) => match tested.place {
                    TestPlace::Passed(slot) => Step::Load(kind_of(*kind), Slot::Own(slot)),
                    TestPlace::Increased(slot, by) => {
                        steps.extend([Step::Load(Kind::Int, Slot::Own(slot)), Step::Int(by)]);
                        call("sum", "(II)I")
                    }
                    _ => {
                        let kind = kind_of(*kind);
                        let scratch = self.scratch(kind);
                        result = Some(Step::Load(kind, scratch));
                        steps.insert(0, Step::Store(kind, scratch));
                        Step::Load(kind, scratch)
                    }
                },
            };
            steps.push(step);
        }
        let (condition, descriptor) = (condition.to_owned().into(), tested.descriptor.clone().into());
        steps.extend([Step::Int(site), Step::Call { class: condition, name: "test".into(), descriptor }]);
        steps.extend(result);
        if let Some(begun) = begun {
            steps.extend([Step::Int(1), Step::Store(Kind::Int, begun)]);
        }
        match tested.place {
            TestPlace::Entry | TestPlace::Passed(_) => self.entry.extend(steps),
            TestPlace::Before | TestPlace::Increased(..) => {
                self.plan.before.entry(bci).or_default().extend(steps);
            }
            TestPlace::Edge(edge) => self.at_edge(query, bci, edge, steps),
        }
    }

    /// Inserts code where a branch takes an edge.
    fn at_edge(&mut self, query: u16, bci: u32, edge: BranchEdge, mut steps: Vec<Step>) {
        if let Some(branch) = edge.leaves {
            steps.extend([Step::Int(0), Step::Store(Kind::Int, self.turns(query, branch))]);
        }
        if edge.jumps {
            self.plan.taken.entry((bci, edge.to)).or_default().extend(steps.clone());
        }
        if edge.falls {
            self.plan.after.entry(bci).or_default().extend(steps);
        }
    }

    /// Ends a pass over a place.
    pub fn end_pass(&mut self, query: u16, pass: u16, bci: u32) {
        let slot = self.begun(query, pass);
        self.before(bci, [Step::Int(0), Step::Store(Kind::Int, slot)]);
    }

    fn kept(&mut self, name: &str) -> Slot {
        self.kept_as(Kind::Long, name)
    }

    fn kept_as(&mut self, kind: Kind, name: &str) -> Slot {
        self.plan.kept.push(Kept { kind, name: name.to_owned() });
        Slot::Kept(self.plan.kept.len() - 1)
    }

    /// A local that holds a value temporarily.
    pub(crate) fn scratch(&mut self, kind: Kind) -> Slot {
        let known = self.plan.scratch.iter().position(|k| *k == kind);
        Slot::Scratch(known.unwrap_or_else(|| {
            self.plan.scratch.push(kind);
            self.plan.scratch.len() - 1
        }))
    }

    /// Inserts the probe of a site. `mark` is the number by which an activation remembers the branch taken.
    pub fn site(&mut self, query: u16, site: i32, mark: i32, bci: u32, what: &SiteEvent) {
        match what {
            SiteEvent::At => self.before(bci, [Step::Int(site), call("at", "(I)V")]),
            SiteEvent::Entered => self.entry.extend([Step::Int(site), call("at", "(I)V")]),
            SiteEvent::Way { edge, groups } => {
                let way = Step::Int(i32::try_from(edge.to).unwrap_or(i32::MAX));
                let mut steps = match groups.as_slice() {
                    [] => vec![Step::Int(site), call("count", "(I)V")],
                    _ => vec![way, Step::Int(site), Step::Int(mark), call("edge", "(III)J")],
                };
                for (place, group) in groups.iter().enumerate() {
                    if place + 1 < groups.len() {
                        steps.push(Step::Stack(StackOp::Dup2));
                    }
                    steps.push(Step::Store(Kind::Long, self.last(query, *group)));
                }
                self.at_edge(query, bci, *edge, steps);
            }
            SiteEvent::Stored(LocalStore { kind, .. }) => {
                let last = self.last(query, 0);
                let kind = kind_of(*kind);
                let dup = if kind.slots() == 2 { StackOp::Dup2 } else { StackOp::Dup };
                let store = stored(kind);
                self.before(bci, [Step::Stack(dup), Step::Int(site), store, Step::Store(Kind::Long, last)]);
            }
            SiteEvent::Increased { slot, by } => {
                let last = self.last(query, 0);
                self.before(
                    bci,
                    [
                        Step::Load(Kind::Int, Slot::Own(*slot)),
                        Step::Int(*by),
                        Step::Int(site),
                        call("increase", "(III)J"),
                        Step::Store(Kind::Long, last),
                    ],
                );
            }
            SiteEvent::Made { call: made, keep } => {
                let this = Step::Load(Kind::Reference, Slot::Own(0));
                let query = if *keep { i32::from(query) } else { -1 };
                let steps = [this, Step::Null, Step::Int(site), Step::Int(query), call("put", PUT)];
                self.plan.after.entry(*made).or_default().extend(steps);
            }
            SiteEvent::Changes(called) => self.collection(query, site, called),
            // Other functions insert these.
            SiteEvent::Copied(_) | SiteEvent::Turn(_) | SiteEvent::Tested(_) | SiteEvent::PassEnded(_) => {}
            SiteEvent::Returns { kind: 'V' } => self.before(bci, [Step::Int(site), call("at", "(I)V")]),
            SiteEvent::Returns { kind } => {
                let kind = kind_of(*kind);
                let scratch = self.scratch(kind);
                let put = call("put", format!("(Ljava/lang/Object;{}II)V", kind.descriptor()));
                self.before(
                    bci,
                    [
                        Step::Store(kind, scratch),
                        Step::Null,
                        Step::Load(kind, scratch),
                        Step::Int(site),
                        Step::Int(-1),
                        put,
                        Step::Load(kind, scratch),
                    ],
                );
            }
            SiteEvent::Passed(LocalStore { slot, kind }) => {
                let last = self.last(query, 0);
                let kind = kind_of(*kind);
                self.entry.extend([
                    Step::Load(kind, Slot::Own(*slot)),
                    Step::Int(site),
                    stored(kind),
                    Step::Store(Kind::Long, last),
                ]);
            }
        }
    }

    fn before<const N: usize>(&mut self, bci: u32, steps: [Step; N]) {
        self.plan.before.entry(bci).or_default().extend(steps);
    }

    /// Probes an instruction that writes a field, for several queries. First each query may stop, then each
    /// keeps the hit.
    pub fn put(&mut self, bci: u32, field: &FieldAccess, sites: &[FieldSite]) {
        let FieldAccess { is_static, kind, .. } = *field;
        let kind = kind_of(kind);
        let mut steps = initialised(field);
        let scratch = (kind.slots() == 2 || is_static).then(|| self.scratch(kind));
        if let Some(scratch) = scratch {
            steps.push(Step::Store(kind, scratch));
        }
        let owner = if is_static { Step::Null } else { Step::Stack(StackOp::Dup) };
        let (both, alone) = match scratch {
            Some(scratch) => (vec![owner.clone(), Step::Load(kind, scratch)], vec![owner]),
            None => {
                let dup = Step::Stack(StackOp::Dup2);
                (vec![dup.clone()], vec![dup, Step::Stack(StackOp::Pop)])
            }
        };
        let value = kind.descriptor();
        let calls = Calls {
            look: (both.clone(), call("look", format!("(Ljava/lang/Object;{value}I)V"))),
            hit: (both.clone(), call("put", format!("(Ljava/lang/Object;{value}II)V"))),
            keep: (alone, call("keep", KEEP)),
            given: both,
        };
        steps.extend(calls.steps(sites));
        if let Some(scratch) = scratch {
            steps.push(Step::Load(kind, scratch));
        }
        self.plan.before.entry(bci).or_default().extend(steps);
    }

    /// Probes an instruction that stores to an array, for several queries.
    pub fn element(&mut self, bci: u32, kind: char, sites: &[FieldSite]) {
        let kind = kind_of(kind);
        let scratch = self.scratch(kind);
        let mut steps = vec![Step::Store(kind, scratch)];
        let place = Step::Stack(StackOp::Dup2);
        let both = vec![place.clone(), Step::Load(kind, scratch)];
        let value = kind.descriptor();
        let calls = Calls {
            look: (both.clone(), call("look", format!("(Ljava/lang/Object;I{value}I)V"))),
            hit: (both.clone(), call("element", format!("(Ljava/lang/Object;I{value}II)V"))),
            keep: match kind {
                // A store of an incompatible reference throws.
                Kind::Reference => (both, call("keepElement", "(Ljava/lang/Object;ILjava/lang/Object;II)V")),
                _ => (vec![place], call("keepElement", "(Ljava/lang/Object;III)V")),
            },
            given: Vec::new(),
        };
        steps.extend(calls.steps(sites));
        steps.push(Step::Load(kind, scratch));
        self.plan.before.entry(bci).or_default().extend(steps);
    }

    /// Probes a method that may change a collection, at its start and its end.
    fn collection(&mut self, query: u16, site: i32, called: &CollectionCall) {
        let token = self.kept(&format!("call:{query}"));
        let begin = begin_of(query, called, token);
        match called.call {
            None => self.entry.extend(begin),
            Some((call, _)) => {
                self.entry.extend([Step::Long(-1), Step::Store(Kind::Long, token)]);
                self.plan.after.entry(call).or_default().extend(begin);
            }
        }
        let counts = match called.counts {
            Counts::No => 0,
            Counts::Put(..) => 1,
            Counts::May => 2,
        };
        let returns = if called.result == 'V' { 0 } else { RETURNS };
        let flags = counts | (i32::from(called.keep) << 2) | returns | (i32::from(query) << 8);
        let end = |result: Step, letter: &str, flags: i32| {
            let leave = contents("leave", format!("({letter}JII)V"));
            [result, Step::Load(Kind::Long, token), Step::Int(site), Step::Int(flags), leave]
        };
        let nothing = |flags: i32| end(Step::Null, "Ljava/lang/Object;", flags);
        for bci in &called.returns {
            let kind = kind_of(called.result);
            let steps = match called.result {
                'V' if called.counts == Counts::May => end(Step::Int(1), "I", flags).to_vec(),
                'Z' | 'L' | '[' => {
                    let scratch = self.scratch(kind);
                    let mut steps = vec![Step::Store(kind, scratch)];
                    steps.extend(end(Step::Load(kind, scratch), kind.descriptor(), flags));
                    steps.push(Step::Load(kind, scratch));
                    steps
                }
                _ => nothing(flags).to_vec(),
            };
            // Calls end in the reverse order of their starts.
            self.plan.before.entry(*bci).or_default().splice(0..0, steps);
        }
        self.plan.unwind.splice(0..0, nothing(flags | THROWN));
    }

    /// Probes an instruction that creates arrays, for several queries. `level` is the depth of the array
    /// inside the one left on the stack.
    pub fn array(&mut self, pc: u32, level: u8, sites: &[FieldSite]) {
        let mut steps = Vec::new();
        for site in sites {
            let query = if site.keep { site.query } else { -1 };
            steps.extend([
                Step::Stack(StackOp::Dup),
                Step::Int(level.into()),
                Step::Int(site.number),
                Step::Int(query),
                call("made", "(Ljava/lang/Object;III)V"),
            ]);
        }
        self.plan.after.entry(pc).or_default().extend(steps);
    }

    /// Probes an instruction that reads a field.
    pub fn get(&mut self, bci: u32, field: &FieldAccess, sites: &[FieldSite]) {
        let owner = if field.is_static { Step::Null } else { Step::Stack(StackOp::Dup) };
        let mut steps = initialised(field);
        let calls = Calls {
            look: (vec![owner.clone(), Step::Int(0)], call("look", "(Ljava/lang/Object;II)V")),
            hit: (vec![owner.clone()], call("get", KEEP)),
            keep: (vec![owner.clone()], call("keep", KEEP)),
            given: vec![owner],
        };
        steps.extend(calls.steps(sites));
        self.plan.before.entry(bci).or_default().extend(steps);
    }

    /// Returns the complete code.
    pub fn finish(mut self) -> MethodPlan {
        self.plan.entry.extend(self.passed);
        self.plan.entry.extend(self.entry);
        for (bci, steps) in self.logged {
            self.plan.before.entry(bci).or_default().extend(steps);
        }
        // Near the end of the stack a call may fail. Then the hit is unknown, and the recorder reports that.
        let (class, name, kind) = (PROBE_CLASS.into(), "cut".into(), Kind::Int);
        self.plan.guard = vec![Step::Int(1), Step::Set { class, name, kind, descriptor: "Z".into() }];
        self.plan
    }
}

/// An access to a field.
#[derive(Clone, Copy, Debug)]
pub struct FieldAccess {
    /// Whether the field is static.
    pub is_static: bool,
    /// The first letter of its descriptor.
    pub kind: char,
    /// The constant that names the field, if the access may initialise the field's class.
    pub initialises: Option<u16>,
}

/// Code that initialises the class before the probe. So the hit follows the hits in the initialiser that the
/// access runs.
pub(crate) fn initialised(field: &FieldAccess) -> Vec<Step> {
    let Some(constant) = field.initialises else { return Vec::new() };
    let kind = kind_of(field.kind);
    let pop = if kind.slots() == 2 { StackOp::Pop2 } else { StackOp::Pop };
    vec![Step::Static { constant, kind }, Step::Stack(pop)]
}

/// The part of one query in an access to a field.
#[derive(Clone, Debug)]
pub struct FieldSite {
    /// The number of its site.
    pub number: i32,
    /// The query.
    pub query: i32,
    /// Whether the last hit is stored by owner.
    pub keep: bool,
    /// The call that tests a condition, if hits are tested.
    pub test: Option<Step>,
}

/// The calls at an access, each with its arguments before the site number.
struct Calls {
    /// Only stops.
    look: (Vec<Step>, Step),
    /// Stops, counts and keeps.
    hit: (Vec<Step>, Step),
    /// Counts and keeps.
    keep: (Vec<Step>, Step),
    /// The arguments of a test, before the site number.
    given: Vec<Step>,
}

impl Calls {
    /// The code for the queries of one access: all queries may stop before any query keeps the hit.
    fn steps(self, sites: &[FieldSite]) -> Vec<Step> {
        let mut steps = Vec::new();
        for site in sites {
            if let Some(test) = &site.test {
                steps.extend(self.given.iter().cloned());
                steps.extend([Step::Int(site.number), test.clone()]);
            }
        }
        let untested: Vec<&FieldSite> = sites.iter().filter(|site| site.test.is_none()).collect();
        let Some((last, others)) = untested.split_last() else { return steps };
        for site in others {
            steps.extend(self.look.0.iter().cloned());
            steps.extend([Step::Int(site.number), self.look.1.clone()]);
        }
        steps.extend(self.hit.0.iter().cloned());
        let query = if last.keep { last.query } else { -1 };
        steps.extend([Step::Int(last.number), Step::Int(query), self.hit.1.clone()]);
        for site in others {
            if site.keep {
                steps.extend(self.keep.0.iter().cloned());
                steps.extend([Step::Int(site.number), Step::Int(site.query), self.keep.1.clone()]);
            } else {
                steps.extend([Step::Int(site.number), call("count", "(I)V")]);
            }
        }
        steps
    }
}

/// The code at the start of a method that may change a collection. It stores to `token` what the recorder
/// returns.
fn begin_of(query: u16, called: &CollectionCall, token: Slot) -> [Step; 8] {
    let (given, place) = match called.counts {
        Counts::Put(slot, place) => (Step::Load(Kind::Reference, Slot::Own(slot)), Some(place)),
        Counts::No | Counts::May => (Step::Null, None),
    };
    let key = match place {
        Some(PutPosition::Key(slot)) => Step::Load(Kind::Reference, Slot::Own(slot)),
        _ => Step::Null,
    };
    let index = match place {
        Some(PutPosition::At(slot)) => Step::Load(Kind::Int, Slot::Own(slot)),
        _ => Step::Int(0),
    };
    let puts = match place {
        None => 0,
        Some(PutPosition::At(_)) => 4,
        Some(PutPosition::Key(_)) => 8,
        Some(PutPosition::Here) => 16,
    };
    [
        Step::Load(Kind::Reference, Slot::Own(0)),
        given,
        key,
        index,
        Step::Int(query.into()),
        Step::Int(i32::from(called.is_view) | (i32::from(called.calls) << 1) | puts),
        contents("enter", "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;III)J"),
        Step::Store(Kind::Long, token),
    ]
}

/// Flag: an exception leaves the method.
const THROWN: i32 = 8;
/// Flag: the method returns a value; a method that puts a value returns the previous one.
const RETURNS: i32 = 16;

/// A call of the recorder's class for collections.
fn contents(name: &'static str, descriptor: impl Into<Text>) -> Step {
    Step::Call {
        class: format!("{PROBE_CLASS}Contents").into(),
        name: name.into(),
        descriptor: descriptor.into(),
    }
}

/// The descriptor of `put` for a reference.
const PUT: &str = "(Ljava/lang/Object;Ljava/lang/Object;II)V";
/// The descriptor of `keep` and `get`.
const KEEP: &str = "(Ljava/lang/Object;II)V";

pub(crate) fn call(name: &'static str, descriptor: impl Into<Text>) -> Step {
    Step::Call { class: PROBE_CLASS.into(), name: name.into(), descriptor: descriptor.into() }
}

fn stored(kind: Kind) -> Step {
    call("store", format!("({}I)J", kind.descriptor()))
}

pub(crate) fn kind_of(letter: char) -> Kind {
    match letter {
        'J' => Kind::Long,
        'F' => Kind::Float,
        'D' => Kind::Double,
        'L' | '[' => Kind::Reference,
        _ => Kind::Int,
    }
}
