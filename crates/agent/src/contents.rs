//! Inserts calls of the recorder (`QuerypointTraceContents`) into the JDK's collections: at each change that
//! a method's own code makes (`jdk::Change`), and at each write of a map node's value. For a collection that
//! recorded code has not met, a call only looks up the collection's number.
//!
//! The other methods of these classes call these methods, or only read. A JDK may lack a method. Events carry
//! the collection's size, so readers of the recording notice a change that was missed.

use descriptor::Kind;
use jdk::Change;
use rewrite::{self, Effect, Kept, MethodPlan, MethodShape, RewriteError, Scan, Slot, StackOp, Step, Text};
use wire::{TRACE_CLASS, TRACE_CONTENTS_CLASS};

/// The recorder call for a method, and the data that it passes. "At the exit" means a normal return.
#[derive(Clone, Debug)]
enum Told {
    /// At the entry, reads the size. At the exit, passes `this`, the old size and an index to this recorder
    /// method. An exception that leaves the method is reported too.
    Around(&'static str, At),
    /// At the entry, finds the index of the place in this parameter. At the exit, reports the removal of the
    /// element at that index.
    RemovedAt(Kind, u16),
    /// At the entry, finds the index of the node in this parameter. At the exit, reports that the first
    /// parameter was inserted at that index.
    Linked(u16),
    /// At the entry, passes `this` and these parameters.
    Begins(&'static str, Vec<(Kind, u16)>),
    /// At the exit, passes `this` and these parameters.
    Ends(&'static str, Vec<(Kind, u16)>),
    /// At the exit, passes the returned value and `this`.
    Returns(&'static str),
    /// At the exit, also by an exception, passes `this`. It is a list that stores its contents in an array of
    /// the program.
    Rewrites,
    /// At the exit, passes the returned value, `this`, and the size at the entry.
    Polled,
    /// At the exit, passes `this`, the size at the entry, and the first parameter.
    Offered,
}

/// The index that a call passes at the exit of a method.
#[derive(Clone, Copy, Debug)]
enum At {
    /// No index.
    Nowhere,
    /// This one.
    Is(i32),
    /// The index of the last element.
    Last,
    /// The value of the parameter in this slot.
    Slot(u16),
}

use Told::{Around, Begins, Ends, Linked, Offered, Polled, RemovedAt, Returns, Rewrites};

/// The recorder call for a change.
fn told(change: Change) -> Told {
    let place = |at| match at {
        jdk::At::First => At::Is(0),
        jdk::At::Last => At::Last,
        jdk::At::Local(slot) => At::Slot(slot),
    };
    match change {
        Change::Any => Around("changed", At::Nowhere),
        Change::Appended => Around("appended", At::Nowhere),
        Change::Inserted(at) => Around("inserted", place(at)),
        Change::Set(at) => Around("set", place(at)),
        Change::Removed(at) => Around("removed", place(at)),
        Change::RemovedCell(slot) => RemovedAt(Kind::Int, slot),
        Change::RemovedNode(slot) => RemovedAt(Kind::Reference, slot),
        Change::InsertedBefore(slot) => Linked(slot),
        Change::SetInPart(slot) => Ends("setOfPart", vec![(Kind::Int, slot)]),
        Change::SetInArray(slot) => Ends("written", vec![(Kind::Int, slot)]),
        Change::Rewritten => Rewrites,
        Change::SetByIterator => Ends("setByIterator", Vec::new()),
        Change::Copied => Ends("copied", Vec::new()),
        Change::Offered => Offered,
        Change::Polled => Polled,
        Change::TakenFromHeap(slot) => Begins("taking", vec![(Kind::Int, slot)]),
        Change::PutPair(key, value) => Begins("put", vec![(Kind::Reference, key), (Kind::Reference, value)]),
        Change::RemovedPair => Returns("unput"),
        Change::Used(slot) => Begins("used", vec![(Kind::Reference, slot)]),
        Change::SetValue(slot) => Begins("setValue", vec![(Kind::Reference, slot)]),
        Change::TreeGrown(slot) => Begins("grown", vec![(Kind::Reference, slot)]),
        Change::TreeShrinks(slot) => Begins("shrinks", vec![(Kind::Reference, slot)]),
        Change::Keyed(slot) => Ends("keyed", vec![(Kind::Reference, slot)]),
        Change::Reached => Returns("reached"),
    }
}

/// Whether a class gets calls of the recorder. The class name has slashes.
pub fn concerns(class: &str) -> bool {
    jdk::changes_contents(class)
}

/// Inserts calls of the recorder into a class of the JDK.
///
/// # Errors
/// The class file is broken, or its constant pool is full.
pub fn put_into(class: &str, bytes: &[u8]) -> Result<Vec<u8>, RewriteError> {
    let nodes = jdk::class(class).map_or(&[][..], |class| class.nodes);
    let scan = Scan::new(bytes)?;
    let mut plan = rewrite::Plan::default();
    let shapes = scan.methods()?;
    // `sort` calls `sortRange` if the JDK has it. The call in `sortRange` is then enough.
    let has_range = shapes.iter().any(|shape| shape.name == "sortRange");
    for shape in shapes {
        if shape.is_static() || shape.name == "<init>" {
            continue;
        }
        let mut method = MethodPlan::default();
        let change = jdk::facts(class, &shape.name, &shape.descriptor).change;
        if let Some(change) = change.filter(|_| !(has_range && shape.name == "sort")) {
            tell(&mut method, &shape, told(change));
        }
        if !nodes.is_empty() {
            for effect in scan.recorded_effects(&shape.name, &shape.descriptor)? {
                let Effect::Put { class: owner, name, constant: None, .. } = &effect.what else { continue };
                let dup = Step::Stack(StackOp::Dup2);
                let steps = match name.as_str() {
                    "value" if nodes.iter().any(|node| jdk::is_same_class(node, owner)) => {
                        vec![dup, this(), call("node", format!("({OBJECT}{OBJECT}{OBJECT})V"))]
                    }
                    "root" if owner == class => vec![dup, call("root", format!("({OBJECT}{OBJECT})V"))],
                    _ => continue,
                };
                method.before.entry(effect.pc).or_default().extend(steps);
            }
        }
        if !method.is_empty() {
            let (class, kind) = (TRACE_CLASS.into(), Kind::Int);
            let cut = Step::Set { class, name: "cut".into(), kind, descriptor: "Z".into() };
            method.guard = vec![Step::Int(1), cut];
            plan.methods.insert((shape.name, shape.descriptor), method);
        }
    }
    Ok(rewrite::rewrite(bytes, &plan)?.bytes)
}

const OBJECT: &str = "Ljava/lang/Object;";

fn this() -> Step {
    Step::Load(Kind::Reference, Slot::Own(0))
}

fn call(name: &'static str, descriptor: impl Into<Text>) -> Step {
    Step::Call { class: TRACE_CONTENTS_CLASS.into(), name: name.into(), descriptor: descriptor.into() }
}

/// Keeps an `int` from the entry to the exit of a method: a size or an index. Returns the step that loads it.
fn keep(plan: &mut MethodPlan, steps: impl IntoIterator<Item = Step>) -> Step {
    plan.kept.push(Kept { kind: Kind::Int, name: "qp:held".to_owned() });
    plan.entry.extend(steps);
    plan.entry.push(Step::Store(Kind::Int, Slot::Kept(0)));
    Step::Load(Kind::Int, Slot::Kept(0))
}

fn tell(plan: &mut MethodPlan, shape: &MethodShape, told: Told) {
    let sized = || [this(), call("sized", format!("({OBJECT})I"))];
    let at_ends = |plan: &mut MethodPlan, steps: &[Step]| {
        for returns in &shape.returns {
            plan.before.entry(returns.pc).or_default().splice(0..0, steps.iter().cloned());
        }
    };
    match told {
        Around(name, at) => {
            let kept = keep(plan, sized());
            let mut steps = vec![this(), kept.clone()];
            steps.extend(match at {
                At::Nowhere => None,
                At::Is(index) => Some(Step::Int(index)),
                At::Last => Some(Step::Int(-1)),
                At::Slot(slot) => Some(Step::Load(Kind::Int, Slot::Own(slot))),
            });
            let index = if matches!(at, At::Nowhere) { "" } else { "I" };
            steps.push(call(name, format!("({OBJECT}I{index})V")));
            at_ends(plan, &steps);
            // The handler of an exception that leaves the method cannot read the method's own variables.
            let (kind, slot) = (Kind::Reference, Slot::Kept(1));
            plan.kept.push(Kept { kind, name: "qp:self".to_owned() });
            plan.entry.extend([this(), Step::Store(kind, slot)]);
            plan.unwind = vec![Step::Load(kind, slot), kept, call(left_of(name), format!("({OBJECT}I)V"))];
        }
        RemovedAt(kind, slot) => {
            let find = call("indexOf", format!("({OBJECT}{})I", kind.descriptor()));
            let kept = keep(plan, [this(), Step::Load(kind, Slot::Own(slot)), find]);
            at_ends(plan, &[this(), kept, call("removedAt", format!("({OBJECT}I)V"))]);
        }
        Linked(slot) => {
            let find = call("indexOf", format!("({OBJECT}{OBJECT})I"));
            let kept = keep(plan, [this(), Step::Load(Kind::Reference, Slot::Own(slot)), find]);
            let element = Step::Load(Kind::Reference, Slot::Own(1));
            at_ends(plan, &[this(), element, kept, call("linked", format!("({OBJECT}{OBJECT}I)V"))]);
        }
        Begins(name, slots) => plan.entry.extend(with(name, &slots)),
        Ends(name, slots) => at_ends(plan, &with(name, &slots)),
        Returns(name) => {
            let dup = Step::Stack(StackOp::Dup);
            at_ends(plan, &[dup, this(), call(name, format!("({OBJECT}{OBJECT})V"))]);
        }
        Rewrites => {
            at_ends(plan, &with("rewritten", &[]));
            let (kind, slot) = (Kind::Reference, Slot::Kept(0));
            plan.kept.push(Kept { kind, name: "qp:self".to_owned() });
            plan.entry.extend([this(), Step::Store(kind, slot)]);
            plan.unwind = vec![Step::Load(kind, slot), call("rewritten", format!("({OBJECT})V"))];
        }
        Polled => {
            let kept = keep(plan, sized());
            let dup = Step::Stack(StackOp::Dup);
            at_ends(plan, &[dup, this(), kept, call("polled", format!("({OBJECT}{OBJECT}I)V"))]);
        }
        Offered => {
            let kept = keep(plan, sized());
            let element = Step::Load(Kind::Reference, Slot::Own(1));
            at_ends(plan, &[this(), kept, element, call("offered", format!("({OBJECT}I{OBJECT})V"))]);
        }
    }
}

/// The recorder method to call when an exception leaves a method. A method that can make any change may have
/// made one before the exception; after the others, the recorder compares the size.
fn left_of(name: &str) -> &'static str {
    if name == "changed" { "changed" } else { "left" }
}

/// The steps that pass `this` and some parameters to a recorder method.
fn with(name: &'static str, slots: &[(Kind, u16)]) -> Vec<Step> {
    let mut steps = vec![this()];
    let mut descriptor = OBJECT.to_owned();
    for (kind, slot) in slots {
        steps.push(Step::Load(*kind, Slot::Own(*slot)));
        descriptor.push_str(kind.descriptor());
    }
    steps.push(call(name, format!("({descriptor})V")));
    steps
}
