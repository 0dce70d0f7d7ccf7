//! How objects come to be: the call in a constructor that makes `this` an object, and the `new` that a call
//! belongs to.

use crate::class::{ClassFile, Code, Method};
use crate::op::{InvokeKind, Op};

/// The call of another constructor on `this`, that each constructor but that of `Object` makes once (JVMS
/// §4.10.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfCall {
    /// Its index.
    pub pc: u32,
    /// The index behind it: from there on `this` can be handed out.
    pub behind: u32,
    /// Whether it is a constructor of the class itself (`this(…)`), which has made it an object before.
    pub delegates: bool,
}

/// The call of another constructor on `this` in a constructor; none where it cannot be told.
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

/// The `new` whose object a call of a constructor makes; none for a call on `this`, and for any other
/// instruction.
pub fn new_of(code: &Code, call: u32) -> Option<u32> {
    calls(code).into_iter().find(|(pc, _)| *pc == call)?.1
}

/// Every call of a constructor with its `new`. Each `new` is followed by the call for it, and what stands
/// between makes whole objects of its own.
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
