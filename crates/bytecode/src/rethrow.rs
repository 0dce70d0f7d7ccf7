//! Throws of what a handler has caught: `throw e` in a `catch`, and what `javac` makes of `finally`,
//! `synchronized` and try-with-resources.

use crate::class::Code;
use crate::control::dominators;
use crate::lines::line_of;
use crate::op::Op;
use crate::stores::variables_at;

/// A throw of the exception that a handler around it begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rethrow {
    /// First code index of the handler.
    pub handler_pc: u32,
    /// Name of the variable that holds the exception; none for the compiler's own, or without `-g`.
    pub variable: Option<String>,
    /// First and last line of what the handler protects, where the class file has lines.
    pub lines: Option<(u32, u32)>,
}

/// What the `athrow` at `pc` throws again; none where it surely, or perhaps, throws something else.
pub fn rethrow(code: &Code, pc: u32) -> Option<Rethrow> {
    let at = code.instructions.iter().position(|i| i.pc == pc)?;
    let (before, throw) = (code.instructions.get(at.checked_sub(1)?)?, code.instructions.get(at)?);
    let (Op::Throw, Op::Load { slot, .. }) = (&throw.op, &before.op) else { return None };
    let stores = |op: &Op| match op {
        Op::Store { slot: stored, .. } => stored == slot,
        _ => false,
    };
    let dominance = dominators(code, true);
    let keeps = |handler: &u32| {
        let first = code.instructions.iter().find(|i| i.pc == *handler);
        first.is_some_and(|i| stores(&i.op)) && dominance.dominates(*handler, pc)
    };
    let handler_pc = code.handlers.iter().map(|h| h.handler_pc).filter(|h| *h < pc).filter(keeps).max()?;
    // What another store left in the variable meanwhile is not what was caught.
    if code.instructions.iter().any(|i| i.pc > handler_pc && i.pc < pc && stores(&i.op)) {
        return None;
    }
    // The handlers of `finally` and `synchronized` protect their own beginning as well.
    let ranges = code.handlers.iter().filter(|h| h.handler_pc == handler_pc && h.start_pc < handler_pc);
    let lines = ranges.flat_map(|h| {
        let protected = code.instructions.iter().filter(|i| i.pc >= h.start_pc && i.pc < h.end_pc);
        protected.filter_map(|i| line_of(code, i.pc))
    });
    let lines: Vec<u32> = lines.collect();
    let variable = variables_at(code, pc).into_iter().find(|v| v.slot == *slot).map(|v| v.name.clone());
    Some(Rethrow {
        handler_pc,
        variable,
        lines: lines.iter().min().copied().zip(lines.iter().max().copied()),
    })
}
