//! The calls of the recorder that recorded methods contain.

use descriptor::Kind;
use rewrite::{Slot, Step, Text};
use wire::{
    TRACE_ARRAYS_CLASS, TRACE_CLASS, TRACE_FIELDS_CLASS, TRACE_THROWS_CLASS, TRACE_WINDOW_CLASS,
    TRACE_WRITES_CLASS,
};

/// Replaces the object on the stack by its number.
pub fn number(ring: &Step, may_skip: bool) -> Vec<Step> {
    match may_skip {
        false => vec![call("number", "(Ljava/lang/Object;)I")],
        true => vec![ring.clone(), call("number", "(Ljava/lang/Object;J)I")],
    }
}

/// Records an event with the value on the stack.
pub fn event(kind: Kind, ring: &Step, site: Step, may_skip: bool) -> Vec<Step> {
    // One call decides whether it is recorded: another thread may reach the window's begin or end meanwhile.
    if kind == Kind::Reference && may_skip {
        return vec![ring.clone(), site, rare()];
    }
    vec![ring.clone(), site, call("event", format!("({}JI)V", kind.descriptor()))]
}

/// An event with a reference, through a method that adds little code.
pub fn rare() -> Step {
    call("rare", "(Ljava/lang/Object;JI)V")
}

pub fn call(name: &'static str, descriptor: impl Into<Text>) -> Step {
    call_of(TRACE_CLASS, name, descriptor)
}

/// An event with an exception that is thrown, caught or leaves the method.
pub fn exception(name: &'static str) -> Step {
    call_of(TRACE_THROWS_CLASS, name, "(Ljava/lang/Object;JI)V")
}

/// A call of one of the recorder's classes.
pub fn call_of(class: &'static str, name: &'static str, descriptor: impl Into<Text>) -> Step {
    Step::Call { class: class.into(), name: name.into(), descriptor: descriptor.into() }
}

/// A call that queries the window.
pub fn window(name: &'static str, descriptor: impl Into<Text>) -> Step {
    call_of(TRACE_WINDOW_CLASS, name, descriptor)
}

/// A call that records a write.
pub fn write(name: &'static str, descriptor: impl Into<Text>) -> Step {
    call_of(TRACE_WRITES_CLASS, name, descriptor)
}

/// A call that records an array passed to, or received from, unrecorded code.
pub fn arrays(name: &'static str, descriptor: impl Into<Text>) -> Step {
    call_of(TRACE_ARRAYS_CLASS, name, descriptor)
}

/// A call that records a field written through a handle.
pub fn fields(name: &'static str, descriptor: impl Into<Text>) -> Step {
    call_of(TRACE_FIELDS_CLASS, name, descriptor)
}

/// Records what unrecorded code did to the arrays passed to it.
pub fn back(given: Slot, ring: &Step) -> [Step; 5] {
    let back = arrays("back", "(Ljava/lang/Object;J)V");
    [Step::Load(Kind::Reference, given), ring.clone(), back, Step::Null, Step::Store(Kind::Reference, given)]
}
