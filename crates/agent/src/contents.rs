//! What goes into the JDK's collections, where it is recorded what they hold: by class, the methods and
//! instructions that change it, and what the recorder is told there (`QuerypointTraceContents`). A collection
//! that no recorded code has met costs a look at its number.
//!
//! Other methods of these classes do what they do by those, or only read. One that is not there in some JDK
//! gets nothing; who reads the recording compares how many there should be.

use bytecode::Kind;
use bytecode::rewrite::{
    self, Effect, Kept, MethodPlan, MethodShape, RewriteError, Scan, Slot, StackOp, Step, Text,
};
use wire::{TRACE_CLASS, TRACE_CONTENTS_CLASS};

/// What the recorder is told of a method.
#[derive(Clone, Copy, Debug)]
enum Told {
    /// How many there were as it begins, and as it ends that, with an index.
    Around(&'static str, At),
    /// As it begins where a place is, given by this parameter; as it ends that something was removed there.
    RemovedAt(Kind, u16),
    /// As it begins where the node is that this parameter gives; as it ends that the first parameter was put
    /// in there.
    Linked(u16),
    /// As it begins: `this`, and these parameters.
    Begins(&'static str, &'static [(Kind, u16)]),
    /// As it ends: `this`, and these parameters.
    Ends(&'static str, &'static [(Kind, u16)]),
    /// As it ends: what it returns, and `this`.
    Returns(&'static str),
    /// As it ends, by an exception too: `this`, which keeps what it holds in an array of the program.
    Rewrites,
    /// As it ends: what it returns, `this`, and how many there were.
    Polled,
    /// As it ends: `this`, how many there were, and the first parameter.
    Offered,
}

/// The index that is told as a method ends.
#[derive(Clone, Copy, Debug)]
enum At {
    /// None.
    Nowhere,
    /// This one.
    Is(i32),
    /// That of the last element.
    Last,
    /// What this parameter gives.
    Slot(u16),
}

use Told::{Around, Begins, Ends, Linked, Offered, Polled, RemovedAt, Returns, Rewrites};

const CHANGED: Told = Around("changed", At::Nowhere);
const APPENDED: Told = Around("appended", At::Nowhere);
const PUT_LAST: Told = Around("inserted", At::Last);
const PUT_FIRST: Told = Around("inserted", At::Is(0));
const TAKE_LAST: Told = Around("removed", At::Last);
const TAKE_FIRST: Told = Around("removed", At::Is(0));
const KEYED: Told = Ends("keyed", &[(Kind::Reference, 1)]);

const fn put_at(slot: u16) -> Told {
    Around("inserted", At::Slot(slot))
}

const fn set_at(slot: u16) -> Told {
    Around("set", At::Slot(slot))
}

const fn take_at(slot: u16) -> Told {
    Around("removed", At::Slot(slot))
}

/// A method by its name, what its descriptor begins with, and what is told of it.
type Row = (&'static str, &'static str, Told);

/// The classes, with slashes, and their methods.
const TABLE: [(&str, &[Row]); 18] = [
    (
        "java/util/ArrayList",
        &[
            ("add", "(Ljava/lang/Object;[Ljava/lang/Object;I)", PUT_LAST),
            ("add", "(ILjava/lang/Object;)", put_at(1)),
            ("set", "(ILjava/lang/Object;)", set_at(1)),
            ("fastRemove", "([Ljava/lang/Object;I)", take_at(2)),
            ("addAll", "(Ljava/util/Collection;)", APPENDED),
            ("addAll", "(I", CHANGED),
            ("clear", "()", CHANGED),
            ("removeRange", "(II)", CHANGED),
            ("batchRemove", "(Ljava/util/Collection;ZII)", CHANGED),
            ("removeIf", "(Ljava/util/function/Predicate;II)", CHANGED),
            ("replaceAllRange", "(", CHANGED),
            ("sort", "(", CHANGED),
            ("sortRange", "(", CHANGED),
        ],
    ),
    (
        "java/util/ArrayList$SubList",
        &[("set", "(ILjava/lang/Object;)", Ends("setOfPart", &[(Kind::Int, 1)]))],
    ),
    (
        "java/util/Arrays$ArrayList",
        &[
            ("set", "(ILjava/lang/Object;)", Ends("written", &[(Kind::Int, 1)])),
            ("replaceAll", "(", Rewrites),
            ("sort", "(", Rewrites),
        ],
    ),
    (
        "java/util/Vector",
        &[
            ("add", "(Ljava/lang/Object;[Ljava/lang/Object;I)", PUT_LAST),
            ("insertElementAt", "(Ljava/lang/Object;I)", put_at(2)),
            ("set", "(ILjava/lang/Object;)", set_at(1)),
            ("setElementAt", "(Ljava/lang/Object;I)", set_at(2)),
            ("remove", "(I)", take_at(1)),
            ("removeElementAt", "(I)", take_at(1)),
            ("addAll", "(Ljava/util/Collection;)", APPENDED),
            ("addAll", "(I", CHANGED),
            ("removeAllElements", "()", CHANGED),
            ("setSize", "(", CHANGED),
            ("removeRange", "(II)", CHANGED),
            ("bulkRemove", "(", CHANGED),
            ("replaceAll", "(", CHANGED),
            ("sort", "(", CHANGED),
        ],
    ),
    (
        "java/util/PriorityQueue",
        &[
            ("offer", "(Ljava/lang/Object;)", Offered),
            ("poll", "()Ljava/lang/Object;", Polled),
            ("removeAt", "(I)", Begins("taking", &[(Kind::Int, 1)])),
            ("clear", "()", CHANGED),
            ("bulkRemove", "(", CHANGED),
        ],
    ),
    (
        "java/util/ArrayDeque",
        &[
            ("addFirst", "(Ljava/lang/Object;)", PUT_FIRST),
            ("addLast", "(Ljava/lang/Object;)", PUT_LAST),
            ("pollFirst", "()", TAKE_FIRST),
            ("pollLast", "()", TAKE_LAST),
            ("delete", "(I)", RemovedAt(Kind::Int, 1)),
            ("clear", "()", CHANGED),
            ("bulkRemove", "(", CHANGED),
        ],
    ),
    (
        "java/util/LinkedList",
        &[
            ("linkFirst", "(Ljava/lang/Object;)", PUT_FIRST),
            ("linkLast", "(Ljava/lang/Object;)", PUT_LAST),
            ("linkBefore", "(Ljava/lang/Object;Ljava/util/LinkedList$Node;)", Linked(2)),
            ("unlinkFirst", "(", TAKE_FIRST),
            ("unlinkLast", "(", TAKE_LAST),
            ("unlink", "(Ljava/util/LinkedList$Node;)", RemovedAt(Kind::Reference, 1)),
            ("set", "(ILjava/lang/Object;)", set_at(1)),
            ("addAll", "(I", CHANGED),
            ("clear", "()", CHANGED),
        ],
    ),
    ("java/util/LinkedList$ListItr", &[("set", "(Ljava/lang/Object;)V", Ends("setByIterator", &[]))]),
    ("java/util/concurrent/CopyOnWriteArrayList", &[("setArray", "(", Ends("copied", &[]))]),
    (
        "java/util/HashMap",
        &[
            ("newNode", "(I", Begins("put", &[(Kind::Reference, 2), (Kind::Reference, 3)])),
            ("newTreeNode", "(I", Begins("put", &[(Kind::Reference, 2), (Kind::Reference, 3)])),
            ("removeNode", "(I", Returns("unput")),
            ("clear", "()", CHANGED),
        ],
    ),
    (
        "java/util/LinkedHashMap",
        &[
            ("newNode", "(I", Begins("put", &[(Kind::Reference, 2), (Kind::Reference, 3)])),
            ("newTreeNode", "(I", Begins("put", &[(Kind::Reference, 2), (Kind::Reference, 3)])),
            ("afterNodeAccess", "(", Begins("used", &[(Kind::Reference, 1)])),
            ("putFirst", "(", CHANGED),
            ("putLast", "(", CHANGED),
        ],
    ),
    ("java/util/HashMap$Node", &[("setValue", "(", Begins("setValue", &[(Kind::Reference, 1)]))]),
    ("java/util/HashMap$HashIterator", &[("nextNode", "()", Returns("reached"))]),
    ("java/util/LinkedHashMap$LinkedHashIterator", &[("nextNode", "()", Returns("reached"))]),
    (
        "java/util/TreeMap",
        &[
            ("fixAfterInsertion", "(", Begins("grown", &[(Kind::Reference, 1)])),
            ("deleteEntry", "(", Begins("shrinks", &[(Kind::Reference, 1)])),
            ("buildFromSorted", "(ILjava/util/Iterator;", CHANGED),
            ("clear", "()", CHANGED),
        ],
    ),
    ("java/util/TreeMap$Entry", &[("setValue", "(", Begins("setValue", &[(Kind::Reference, 1)]))]),
    ("java/util/TreeMap$PrivateEntryIterator", &[("nextEntry", "()", Returns("reached"))]),
    (
        "java/util/concurrent/ConcurrentHashMap",
        &[
            ("putVal", "(Ljava/lang/Object;", KEYED),
            ("replaceNode", "(Ljava/lang/Object;", KEYED),
            ("computeIfAbsent", "(", KEYED),
            ("computeIfPresent", "(", KEYED),
            ("compute", "(", KEYED),
            ("merge", "(", KEYED),
            ("clear", "()", CHANGED),
        ],
    ),
];

/// The nodes of maps whose values are written in methods of the maps.
const NODES: [&str; 4] = [
    "java/util/HashMap$Node",
    "java/util/HashMap$TreeNode",
    "java/util/LinkedHashMap$Entry",
    "java/util/TreeMap$Entry",
];
const MAPS: [&str; 3] = ["java/util/HashMap", "java/util/LinkedHashMap", "java/util/TreeMap"];

/// The access flag of static methods (JVMS §4.6).
const STATIC: u16 = 0x0008;

/// Whether something goes into a class, by its name with slashes.
pub fn concerns(class: &str) -> bool {
    TABLE.iter().any(|(name, _)| *name == class)
}

/// Puts into a class of the JDK what tells of its contents.
///
/// # Errors
/// The class file is broken, or its constant pool is full.
pub fn put_into(class: &str, bytes: &[u8]) -> Result<Vec<u8>, RewriteError> {
    let rows = TABLE.iter().find(|(name, _)| *name == class).map_or(&[][..], |(_, rows)| rows);
    let scan = Scan::new(bytes)?;
    let mut plan = rewrite::Plan::default();
    let shapes = scan.methods()?;
    // Where there is this one the other does all by it.
    let has_range = shapes.iter().any(|shape| shape.name == "sortRange");
    for shape in shapes {
        if shape.access & STATIC != 0 || shape.name == "<init>" {
            continue;
        }
        let mut method = MethodPlan::default();
        let is_it = |(name, begins, _): &&Row| {
            let is_named = shape.name == *name && shape.descriptor.starts_with(begins);
            is_named && !(has_range && *name == "sort")
        };
        if let Some((_, _, told)) = rows.iter().find(is_it) {
            tell(&mut method, &shape, *told);
        }
        if MAPS.contains(&class) {
            for effect in scan.recorded_effects(&shape.name, &shape.descriptor)? {
                let Effect::Put { class: owner, name, constant: None, .. } = &effect.what else { continue };
                let dup = Step::Stack(StackOp::Dup2);
                let steps = match name.as_str() {
                    "value" if NODES.contains(&owner.as_str()) => {
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

/// What is kept while the method runs: how many there were, or where.
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
            // Where an exception leaves the method its own variables are not known any more.
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
        Begins(name, slots) => plan.entry.extend(with(name, slots)),
        Ends(name, slots) => at_ends(plan, &with(name, slots)),
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

/// What is told where an exception leaves a method: one that may do anything may have done it.
fn left_of(name: &str) -> &'static str {
    if name == "changed" { "changed" } else { "left" }
}

/// `this` and some parameters.
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
