//! Detects rethrown exceptions: `throw e` in a `catch`, and the code that `javac` generates for `finally`,
//! `synchronized` and try-with-resources.

use crate::class::Code;
use crate::control::dominators;
use crate::lines::line_of;
use crate::op::Op;
use crate::stores::variables_at;

/// A rethrow of the exception that an enclosing handler caught.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rethrow {
    /// First code index of the handler.
    pub handler_pc: u32,
    /// Name of the variable that holds the exception; `None` if it is compiler-generated, or without `-g`.
    pub variable: Option<String>,
    /// First and last line protected by the handler, if the class file has line numbers.
    pub lines: Option<(u32, u32)>,
}

/// The rethrow performed by the `athrow` at `pc`; `None` if it throws something else, or may do so.
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
    // Another store to the variable replaced the caught exception.
    if code.instructions.iter().any(|i| i.pc > handler_pc && i.pc < pc && stores(&i.op)) {
        return None;
    }
    // The handlers of `finally` and `synchronized` also protect their own first instructions.
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
