//! What goes into the methods of classes that are recorded.

use crate::steps::{kind_of, letter};
use bytecode::Kind;
use bytecode::descriptor;
use bytecode::rewrite::{self, Kept, MethodPlan, MethodShape, RewriteError, Scan, Slot, StackOp, Step};
use std::collections::{BTreeMap, HashMap, HashSet};
use wire::TRACE_CLASS;
use wire::recording::{
    FIRST_SITE, LONGEST_REFERENCE, TracePlan, Traced, TracedClass, TracedMethod, TracedSite,
};

/// What the recorder itself stands on cannot be recorded: it would record itself.
const BELOW: [&str; 4] = ["java/lang/", "jdk/internal/", "sun/misc/", "java/io/ObjectStreamClass"];

/// The recording of this run.
#[derive(Debug)]
pub struct Tracer {
    plan: TracePlan,
    numbers: HashMap<(String, String, String, u32, Traced), u32>,
    rings: u32,
    lost: HashSet<i32>,
}

/// A class that is recorded now.
#[derive(Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The class file; none where it stays as it is.
    pub bytes: Option<Vec<u8>>,
    /// What is recorded of it.
    pub report: TracedClass,
}

impl Tracer {
    /// For a plan.
    pub fn new(plan: TracePlan) -> Tracer {
        Tracer { plan, numbers: HashMap::new(), rings: 0, lost: HashSet::new() }
    }

    /// The number of a new ring.
    pub fn next_ring(&mut self) -> u32 {
        self.rings += 1;
        self.rings
    }

    /// Whether something is lost for the first time.
    pub fn loses(&mut self, what: i32) -> bool {
        self.lost.insert(what)
    }

    /// Whether a class is recorded, by its name with slashes.
    pub fn concerns(&self, class: &str) -> bool {
        !BELOW.iter().any(|below| class.starts_with(below)) && self.plan.records(&class.replace('/', "."))
    }

    /// Puts into a class what records it; none if it is not recorded.
    ///
    /// # Errors
    /// The class file is broken, or its constant pool is full.
    pub fn record(&mut self, name: Option<&str>, bytes: &[u8]) -> Result<Option<Recorded>, RewriteError> {
        if name.is_some_and(|name| !self.concerns(name)) {
            return Ok(None);
        }
        let scan = Scan::new(bytes)?;
        let class = scan.name()?;
        if !self.concerns(&class) {
            return Ok(None);
        }
        let mut plan = rewrite::Plan::default();
        let mut methods = BTreeMap::new();
        let mut left = Vec::new();
        for shape in scan.methods()? {
            if shape.name == "<init>" && shape.constructs_at.is_none() {
                let why = "it is not plain from where on its object can be handed out";
                left.push((shape.name, shape.descriptor, why.to_owned()));
                continue;
            }
            let key = (shape.name.clone(), shape.descriptor.clone());
            let mut number = |bci, what| self.number(&class, &key, bci, what);
            let (code, traced) = weave(&shape, &mut number);
            plan.methods.insert(key.clone(), code);
            methods.insert(key, traced);
        }
        let source = scan.source_file()?;
        let mut report = TracedClass { class, source, methods: Vec::new(), left };
        let rewritten = rewrite::rewrite(bytes, &plan)?;
        for (name, descriptor, why) in rewritten.left_alone {
            report.left.push((name, descriptor, why.to_string()));
        }
        for method in &rewritten.methods {
            report.methods.extend(methods.remove(&(method.name.clone(), method.descriptor.clone())));
        }
        let bytes = (!report.methods.is_empty()).then_some(rewritten.bytes);
        Ok(Some(Recorded { bytes, report }))
    }

    fn number(&mut self, class: &str, (name, descriptor): &(String, String), bci: u32, what: Traced) -> u32 {
        let next = FIRST_SITE + u32::try_from(self.numbers.len()).unwrap_or(u32::MAX / 2);
        *self.numbers.entry((class.to_owned(), name.clone(), descriptor.clone(), bci, what)).or_insert(next)
    }
}

/// What goes into a method, and its sites.
fn weave(shape: &MethodShape, number: &mut dyn FnMut(u32, Traced) -> u32) -> (MethodPlan, TracedMethod) {
    let mut plan = MethodPlan {
        kept: vec![Kept { kind: Kind::Long, name: "qp:ring".to_owned() }],
        ..MethodPlan::default()
    };
    let mut sites = Vec::new();
    let mut site = |bci, what| {
        let id = number(bci, what);
        sites.push(TracedSite { id, bci, what });
        Step::Int(id.cast_signed())
    };
    let ring = Step::Load(Kind::Long, Slot::Kept(0));
    plan.entry = vec![call("ring", "()J"), Step::Store(Kind::Long, Slot::Kept(0))];
    let is_constructor = shape.name == "<init>";
    let is_static = shape.access & STATIC != 0;
    let mut arguments = descriptor::parameter_slots(&shape.descriptor, is_static);
    if !is_static && !is_constructor {
        arguments.insert(0, (0, "Ljava/lang/Object;".to_owned()));
    }
    let enter = site(0, Traced::Enter);
    match arguments.as_slice() {
        [] => plan.entry.extend([ring.clone(), enter, call("event", "(JI)V")]),
        [(slot, of)] => {
            let kind = Kind::of_descriptor(of);
            plan.entry.extend([Step::Load(kind, Slot::Own(*slot)), ring.clone(), enter, event(kind)]);
        }
        several => {
            let most = several.iter().map(|(_, of)| length(Kind::of_descriptor(of))).sum::<usize>() + 4;
            let most = Step::Int(i32::try_from(most).unwrap_or(i32::MAX));
            plan.scratch.push(Kind::Long);
            let at = Slot::Scratch(0);
            let begin = call("begin", "(JII)J");
            plan.entry.extend([ring.clone(), enter, most, begin, Step::Store(Kind::Long, at)]);
            for (slot, of) in several {
                let kind = Kind::of_descriptor(of);
                let value = call("value", &format!("({}J)J", letter(kind)));
                let next = [Step::Load(kind, Slot::Own(*slot)), Step::Load(Kind::Long, at), value];
                plan.entry.extend(next);
                plan.entry.push(Step::Store(Kind::Long, at));
            }
            plan.entry.extend([Step::Load(Kind::Long, at), ring.clone(), call("end", "(JJ)V")]);
        }
    }
    if let (true, Some(call)) = (is_constructor, shape.constructs_at) {
        let this = Step::Load(Kind::Reference, Slot::Own(0));
        let born = [this, ring.clone(), site(call, Traced::Born), rare()];
        plan.after.insert(call, born.to_vec());
    }
    for handler in &shape.handlers {
        // Before `this` is an object nothing can be caught that the code put in could go on with.
        if shape.initialised_from.is_some_and(|from| *handler >= from) {
            let caught = [Step::Stack(StackOp::Dup), ring.clone(), site(*handler, Traced::Catch)];
            plan.before.insert(*handler, caught.into_iter().chain([rare()]).collect());
        }
    }
    for returns in &shape.returns {
        let id = site(returns.pc, Traced::Return);
        let steps = match returns.kind {
            'V' => vec![ring.clone(), id, call("event", "(JI)V")],
            kind => {
                let kind = kind_of(kind);
                let dup = if kind.slots() == 2 { StackOp::Dup2 } else { StackOp::Dup };
                vec![Step::Stack(dup), ring.clone(), id, event(kind)]
            }
        };
        plan.before.entry(returns.pc).or_default().extend(steps);
    }
    let leave = site(shape.length, Traced::Leave);
    plan.unwind = vec![Step::Stack(StackOp::Dup), ring, leave, rare()];
    let (class, kind) = (TRACE_CLASS.to_owned(), Kind::Int);
    let cut = Step::Set { class, name: "cut".to_owned(), kind, descriptor: "Z".to_owned() };
    plan.guard = vec![Step::Int(1), cut];
    let (name, descriptor, access) = (shape.name.clone(), shape.descriptor.clone(), shape.access);
    (plan, TracedMethod { name, descriptor, access, sites })
}

/// The access flag of static methods (JVMS §4.6).
const STATIC: u16 = 0x0008;

/// How many bytes a value takes at most.
fn length(kind: Kind) -> usize {
    match kind {
        Kind::Int | Kind::Float => 4,
        Kind::Long | Kind::Double => 8,
        Kind::Reference => LONGEST_REFERENCE,
    }
}

fn event(kind: Kind) -> Step {
    call("event", &format!("({}JI)V", letter(kind)))
}

/// An event with a reference, where methods should not grow by it.
fn rare() -> Step {
    call("rare", "(Ljava/lang/Object;JI)V")
}

fn call(name: &str, descriptor: &str) -> Step {
    Step::Call { class: TRACE_CLASS.to_owned(), name: name.to_owned(), descriptor: descriptor.to_owned() }
}
