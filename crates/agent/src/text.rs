//! Inserts calls of the recorder (`QuerypointTraceText`) into the JDK's builders and streams: at each method
//! whose own code changes a text or prints (`jdk::TextChange`). For a builder that recorded code has not met,
//! a call only looks up the builder's number.

use descriptor::Kind;
use jdk::TextChange;
use rewrite::{Kept, MethodPlan, MethodShape, RewriteError, Scan, Slot, Step, Text};
use wire::{TRACE_CLASS, TRACE_TEXT_CLASS};

const OBJECT: &str = "Ljava/lang/Object;";

/// Whether a class gets calls of the recorder. The class name has slashes.
pub fn concerns(class: &str) -> bool {
    jdk::changes_text(class)
}

/// Inserts calls of the recorder into a class of the JDK.
///
/// # Errors
/// The class file is broken, or its constant pool is full.
pub fn put_into(class: &str, bytes: &[u8]) -> Result<Vec<u8>, RewriteError> {
    let mut plan = rewrite::Plan::default();
    for shape in Scan::new(bytes)?.methods()? {
        let change = jdk::facts(class, &shape.name, &shape.descriptor).text;
        if let Some(change) = change.filter(|_| !shape.is_static()) {
            let mut method = tell(&shape, change);
            let (class, kind) = (TRACE_CLASS.into(), Kind::Int);
            let cut = Step::Set { class, name: "cut".into(), kind, descriptor: "Z".into() };
            method.guard = vec![Step::Int(1), cut];
            plan.methods.insert((shape.name, shape.descriptor), method);
        }
    }
    Ok(rewrite::rewrite(bytes, &plan)?.bytes)
}

/// The recorder's methods for a change: at the entry, at a normal return with the parameters to pass, and
/// when an exception leaves the method.
fn told(
    shape: &MethodShape,
    change: TextChange,
) -> (&'static str, &'static str, Vec<(u16, String)>, &'static str) {
    let ints = |slots: &[u16]| slots.iter().map(|slot| (*slot, "I".to_owned())).collect();
    let all = || descriptor::parameter_slots(&shape.descriptor, false);
    match change {
        TextChange::Appended => ("begins", "appended", Vec::new(), "left"),
        TextChange::Inserted(from) => ("begins", "inserted", ints(&[from]), "left"),
        TextChange::Deleted(from) => ("begins", "deleted", ints(&[from]), "left"),
        TextChange::Replaced(from, to) => ("begins", "replaced", ints(&[from, to]), "left"),
        TextChange::Set(at) => ("begins", "set", ints(&[at]), "left"),
        TextChange::Resized => ("begins", "resized", Vec::new(), "left"),
        TextChange::Rewritten => ("begins", "rewritten", Vec::new(), "left"),
        TextChange::PrintedChars => ("prints", "chars", all(), "flushed"),
        TextChange::PrintedLine => ("prints", "line", all(), "flushed"),
        TextChange::PrintedBytes => ("prints", "bytes", all(), "flushed"),
        TextChange::Flushed => ("flushes", "flushed", Vec::new(), "flushed"),
    }
}

/// The code for one method. A local variable keeps what the recorder returns at the entry.
fn tell(shape: &MethodShape, change: TextChange) -> MethodPlan {
    let (begins, ends, parameters, leaves) = told(shape, change);
    let this = Step::Load(Kind::Reference, Slot::Own(0));
    let begun = Step::Load(Kind::Int, Slot::Kept(0));
    let mut plan = MethodPlan::default();
    plan.kept.push(Kept { kind: Kind::Int, name: "qp:begun".to_owned() });
    // The handler of an exception that leaves the method cannot read the method's own variables.
    plan.kept.push(Kept { kind: Kind::Reference, name: "qp:self".to_owned() });
    plan.entry = vec![
        this.clone(),
        call(begins, format!("({OBJECT})I")),
        Step::Store(Kind::Int, Slot::Kept(0)),
        this.clone(),
        Step::Store(Kind::Reference, Slot::Kept(1)),
    ];
    let mut steps = vec![this, begun.clone()];
    let mut taken = String::new();
    for (slot, of) in parameters {
        steps.push(Step::Load(Kind::of_descriptor(&of), Slot::Own(slot)));
        taken.push_str(&of);
    }
    steps.push(call(ends, format!("({OBJECT}I{taken})V")));
    for returns in &shape.returns {
        plan.before.entry(returns.pc).or_default().extend(steps.iter().cloned());
    }
    let own = Step::Load(Kind::Reference, Slot::Kept(1));
    plan.unwind = vec![own, begun, call(leaves, format!("({OBJECT}I)V"))];
    plan
}

fn call(name: &'static str, descriptor: impl Into<Text>) -> Step {
    Step::Call { class: TRACE_TEXT_CLASS.into(), name: name.into(), descriptor: descriptor.into() }
}
