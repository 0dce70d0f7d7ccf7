//! Handles exceptions thrown by inserted calls. Near the end of the stack, the VM may refuse a call (JVMS
//! §2.5.2). The guard's steps report that, then the exception continues to the handler that the method has
//! for it. Where a handler begins, the method goes on instead (`Resume`), so that a `finally` does its work.
//!
//! One guard serves all inserted calls whose exceptions go to the same handler of the method, or to none. Its
//! frame for the verifier is that of the handler (JVMS §4.10.1), which is valid wherever the handler can be
//! reached from.

use super::frames::{self, Frame, Type};
use super::instructions::{ALOAD, ASTORE, DUP, POP};
use super::layout::Placed;
use super::steps::local;
use super::tables::Handler;
use std::collections::BTreeMap;

/// The handler of the method that an exception goes to, as a row of its table; `None` if it leaves the
/// method.
pub type Next = Option<usize>;

/// The inserted calls, and the handlers for their exceptions.
#[derive(Clone, Debug, Default)]
pub struct Guards {
    /// By instruction: applies to the steps before it, after it and on its branch edges.
    of: BTreeMap<u32, Next>,
}

impl Guards {
    /// Creates guards for steps at these instructions, in a method with these handlers. `catches` says
    /// whether the class of a handler can match the exception. Steps before index `from` have no guard,
    /// because `this` is not yet initialised there.
    pub fn new(
        at: impl Iterator<Item = u32>,
        from: u32,
        handlers: &[Handler],
        catches: impl Fn(u16) -> bool,
    ) -> Guards {
        // A compiler lets the handler of a `finally` cover its own first instruction, which cannot throw. An
        // inserted step there can: its exception must not come back to it for ever.
        let is_for = |row: &Handler, pc: u32| {
            let covers_itself = row.start <= row.handler && row.handler <= pc;
            row.start <= pc && pc < row.end && !covers_itself
        };
        let next = |pc: u32| handlers.iter().position(|row| is_for(row, pc) && catches(row.class));
        Guards { of: at.filter(|pc| *pc >= from).map(|pc| (pc, next(pc))).collect() }
    }

    /// The distinct destinations of exceptions. One guard is placed for each, in this order.
    pub fn all(&self) -> Vec<Next> {
        let mut all: Vec<Next> = self.of.values().copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The rows to add to the exception table: first those for the guarded steps, then those for the guards
    /// themselves, if a handler of the method catches what they rethrow.
    pub fn rows(&self, placed: &Placed, handlers: &[Handler]) -> Vec<(u32, u32, Target)> {
        let places: BTreeMap<Next, (u32, u32)> = self.all().into_iter().zip(placed.guards.clone()).collect();
        let mut rows = Vec::new();
        for (pc, from, to) in placed.inserted() {
            let place = self.of.get(&pc).and_then(|next| places.get(next));
            if let Some((guard, _)) = place.filter(|_| from < to) {
                rows.push((from, to, Target { now: Some(*guard), handler: 0, class: 0 }));
            }
        }
        for (next, (from, to)) in places {
            if let Some(row) = next.and_then(|row| handlers.get(row)) {
                rows.push((from, to, Target { now: None, handler: row.handler, class: row.class }));
            }
        }
        rows
    }
}

/// The destination of a row of the exception table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its new code index, if it is not an instruction of the original code.
    pub now: Option<u32>,
    /// Otherwise the index of the handler in the original code.
    pub handler: u32,
    /// The constant of the caught class; 0 means any.
    pub class: u16,
}

/// What serves the calls inserted where a handler begins: the exception that the handler has caught is kept
/// in a local variable, and the handler goes on with it whatever those calls throw.
#[derive(Clone, Debug)]
pub struct Resume {
    /// The index of the handler in the original code.
    pub handler: u32,
    /// Code to put before the inserted calls: it keeps the caught exception.
    pub keeps: Vec<u8>,
    /// Code for what the calls throw; behind it, the handler's first instruction follows.
    pub code: Vec<u8>,
    /// The local variables where `code` begins.
    pub locals: Vec<Type>,
}

impl Resume {
    /// Serves a handler with this frame, whose code may use the local variable `slot`. `guard` reports that
    /// an inserted call was refused. Returns `None` if the frame has no caught exception.
    pub fn new(frame: &Frame, slot: u16, guard: &[u8]) -> Option<Resume> {
        let [caught] = frame.stack.as_slice() else { return None };
        let (mut keeps, mut code) = (vec![DUP], vec![POP]);
        local(&mut keeps, ASTORE, slot);
        code.extend_from_slice(guard);
        local(&mut code, ALOAD, slot);
        let mut locals = frame.locals.clone();
        frames::fill(&mut locals, slot);
        locals.push(caught.clone());
        Some(Resume { handler: frame.pc, keeps, code, locals })
    }
}
