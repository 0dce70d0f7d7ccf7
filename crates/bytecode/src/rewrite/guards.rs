//! What stands ready for a call that was put in and ends by an exception: near the end of the stack the VM
//! may refuse it (JVMS §2.5.2). Its steps tell that, and the exception goes where it would have gone.
//!
//! A handler stands for all calls whose exception goes to one handler of the method, or to none: it says to
//! the verifier what the handler behind it says (JVMS §4.10.1), which holds wherever that handler can be
//! reached from.

use super::layout::Placed;
use super::tables::Handler;
use std::collections::BTreeMap;

/// Which handler of the method, by its row, an exception goes to; none: it leaves the method.
pub type Next = Option<usize>;

/// Where calls were put, and where their exceptions go.
#[derive(Clone, Debug, Default)]
pub struct Guards {
    /// By the instruction: what stands before it, behind it, or on its ways.
    of: BTreeMap<u32, Next>,
}

impl Guards {
    /// For what is put at these instructions, in a method with these handlers; `catches` tells which classes
    /// of a row can be those of the exception. What stands before `from` has no guard: `this` is no object
    /// there yet.
    pub fn new(
        at: impl Iterator<Item = u32>,
        from: u32,
        handlers: &[Handler],
        catches: impl Fn(u16) -> bool,
    ) -> Guards {
        let next =
            |pc: u32| handlers.iter().position(|row| row.start <= pc && pc < row.end && catches(row.class));
        Guards { of: at.filter(|pc| *pc >= from).map(|pc| (pc, next(pc))).collect() }
    }

    /// Where exceptions go, each once: one handler is placed for each, in this order.
    pub fn all(&self) -> Vec<Next> {
        let mut all: Vec<Next> = self.of.values().copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The rows of the exception table: first what is guarded, then the guards themselves where something
    /// catches what they throw on.
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

/// What a row of the exception table leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Where it is, if it is no instruction of the original.
    pub now: Option<u32>,
    /// Else which.
    pub handler: u32,
    /// The class that is caught; 0: any.
    pub class: u16,
}
