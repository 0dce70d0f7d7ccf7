//! Object construction: the constructor call inside a constructor, and the `new` instruction of a constructor
//! call.

use crate::class::{ClassFile, Code, Method};
use crate::op::{InvokeKind, Op};

/// The call of another constructor on `this`. Every constructor except that of `Object` makes exactly one
/// (JVMS §4.10.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfCall {
    /// The code index of the call.
    pub pc: u32,
    /// The code index after the call, from which `this` is initialised and can be passed on.
    pub behind: u32,
    /// Whether it calls a constructor of the same class (`this(…)`).
    pub delegates: bool,
}

/// The constructor call on `this` in a constructor; `None` if it is ambiguous.
pub fn self_call(class: &ClassFile, constructor: &Method) -> Option<SelfCall> {
    let code = constructor.code.as_ref()?;
    let mut found = None;
    for (pc, made_by) in calls(code) {
        if made_by.is_none() {
            if found.is_some() {
                return None;
            }
            found = Some(pc);
        }
    }
    let call = code.at(found?)?;
    let Op::Invoke { method, .. } = &call.op else { return None };
    let delegates = *method.class == *class.name;
    let known = delegates || class.super_name.as_ref().is_some_and(|name| *name == *method.class);
    known.then(|| SelfCall { pc: call.pc, behind: call.next_pc(), delegates })
}

/// The `new` instruction whose object a constructor call initialises. `None` for a call on `this` and for any
/// other instruction.
pub fn new_of(code: &Code, call: u32) -> Option<u32> {
    calls(code).into_iter().find(|(pc, _)| *pc == call)?.1
}

/// Every constructor call with its `new`. The call follows its `new`; calls in between initialise other
/// objects completely.
fn calls(code: &Code) -> Vec<(u32, Option<u32>)> {
    let mut open: Vec<(u32, &str)> = Vec::new();
    let mut calls = Vec::new();
    for instruction in &code.instructions {
        match &instruction.op {
            Op::New(class) => open.push((instruction.pc, class)),
            Op::Invoke { kind: InvokeKind::Special, method } if &*method.name == "<init>" => {
                let made = open.iter().rposition(|(_, class)| **class == *method.class);
                let pc = made.map(|place| {
                    let (pc, _) = open.remove(place);
                    open.truncate(place);
                    pc
                });
                calls.push((instruction.pc, pc));
            }
            _ => {}
        }
    }
    calls
}
