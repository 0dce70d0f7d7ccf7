//! Lets the program's stack overflow where a recorded method begins, and not within the recorder.
//!
//! The recorder's calls need more of the stack than the program alone. Without further care they overflow it
//! in the middle of a method, at a place that needs no stack in the program, such as the code of a `finally`.
//! So the calls at a method's entry ask for more than the others in the same frame will need:
//!
//! - The interpreter grants a call its local variables before it begins, so an entry first calls a method
//!   that has many and does nothing.
//! - Compiled code asks for what the interpreter needs to go on in its place, also for inlined methods: the
//!   operand stack of an entry is deeper than it uses.

use crate::recorder_calls::call_of;
use descriptor::Kind;
use rewrite::{MethodPlan, MethodShape, Plan, Scan, rewrite};
use std::borrow::Cow;
use wire::{TRACE_CALLS_CLASS, TRACE_CLASS, TRACE_WINDOW_CLASS};

/// The recorder's methods that a recorded method calls at its entry: class and name.
const ENTRIES: [(&str, &str); 3] =
    [(TRACE_CALLS_CLASS, "enter"), (TRACE_CLASS, "ring"), (TRACE_WINDOW_CLASS, "ring")];

/// The method that these call first.
const ROOM: &str = "room";

/// Number of local variables, of eight bytes each: the stack that the recorder's deepest calls need beyond
/// the calls at an entry, in the interpreter. It is small, since the interpreter clears them at each entry.
const LOCALS: usize = 512;

/// The same for compiled code, as the depth of an operand stack. It costs nothing.
const DEPTH: u16 = 1024;

/// A class of the recorder. Its entry methods ask for the stack that the recorder's other calls need.
pub(crate) fn provided<'a>(name: &str, bytes: &'a [u8]) -> Cow<'a, [u8]> {
    let Some((_, entry)) = ENTRIES.iter().find(|(class, _)| *class == name) else {
        return Cow::Borrowed(bytes);
    };
    let shapes = Scan::new(bytes).and_then(|scan| scan.methods()).unwrap_or_default();
    let methods = shapes.into_iter().filter_map(|MethodShape { name: method, descriptor, .. }| {
        let plan = if method == *entry {
            let first = call_of(TRACE_CLASS, ROOM, "()V");
            MethodPlan { spare: DEPTH, entry: vec![first], ..MethodPlan::default() }
        } else if (name, method.as_str()) == (TRACE_CLASS, ROOM) {
            MethodPlan { scratch: vec![Kind::Int; LOCALS], ..MethodPlan::default() }
        } else {
            return None;
        };
        Some(((method, descriptor), plan))
    });
    let plan = Plan { methods: methods.collect() };
    rewrite(bytes, &plan).map_or(Cow::Borrowed(bytes), |rewritten| Cow::Owned(rewritten.bytes))
}
