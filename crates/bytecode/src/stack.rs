//! The depth of the operand stack before each instruction. Distinguishes the start of a line from a return
//! into the middle of an expression.

use crate::cfg::normal_edges;
use crate::class::Code;
use crate::descriptor::{argument_slots, parse_method, slots};
use crate::op::{Constant, InvokeKind, Kind, Op};

/// The new top slots of an instruction that only copies or moves slots, deepest first, each given by its
/// distance from the old top; empty for other instructions.
pub fn moved(op: &Op) -> &'static [usize] {
    match op {
        Op::Dup => &[0, 0],
        Op::DupX1 => &[0, 1, 0],
        Op::DupX2 => &[0, 2, 1, 0],
        Op::Dup2 => &[1, 0, 1, 0],
        Op::Dup2X1 => &[1, 0, 2, 1, 0],
        Op::Dup2X2 => &[1, 0, 3, 2, 1, 0],
        Op::Swap => &[0, 1],
        _ => &[],
    }
}

/// The number of stack slots that an instruction pops and pushes (JVMS §6.5).
pub fn effect(op: &Op) -> (u16, u16) {
    let width = |k: &Kind| k.slots();
    match op {
        Op::Nop | Op::Iinc { .. } | Op::Goto { .. } | Op::Ret { .. } => (0, 0),
        Op::Const(constant) => (
            0,
            match constant {
                Constant::Long(_) | Constant::Double(_) => 2,
                Constant::Dynamic { descriptor, .. } => slots(descriptor),
                _ => 1,
            },
        ),
        Op::Load { kind, .. } => (0, width(kind)),
        Op::Store { kind, .. } => (width(kind), 0),
        Op::ArrayLoad(element) => (2, element.kind().slots()),
        Op::ArrayStore(element) => (2 + element.kind().slots(), 0),
        Op::Pop => (1, 0),
        Op::Pop2 => (2, 0),
        Op::Dup => (1, 2),
        Op::DupX1 => (2, 3),
        Op::DupX2 => (3, 4),
        Op::Dup2 => (2, 4),
        Op::Dup2X1 => (3, 5),
        Op::Dup2X2 => (4, 6),
        Op::Swap => (2, 2),
        Op::Binary { op, kind } => {
            use crate::op::BinaryOp::{Shl, Shr, Ushr};
            // The distance of a shift is always an int.
            let right = if matches!(op, Shl | Shr | Ushr) { 1 } else { width(kind) };
            (width(kind) + right, width(kind))
        }
        Op::Negate(kind) => (width(kind), width(kind)),
        Op::Convert { from, to } => (width(from), if matches!(to, 'J' | 'D') { 2 } else { 1 }),
        Op::Compare { kind } => (2 * width(kind), 1),
        Op::If { test, .. } => match test {
            crate::op::Test::Zero(_) | crate::op::Test::Null(_) => (1, 0),
            _ => (2, 0),
        },
        Op::Jsr { .. } => (0, 1),
        Op::Switch { .. } | Op::Throw | Op::MonitorEnter | Op::MonitorExit => (1, 0),
        Op::Return(kind) => (kind.as_ref().map_or(0, width), 0),
        Op::GetField(field) => (1, slots(&field.descriptor)),
        Op::PutField(field) => (1 + slots(&field.descriptor), 0),
        Op::GetStatic(field) => (0, slots(&field.descriptor)),
        Op::PutStatic(field) => (slots(&field.descriptor), 0),
        Op::Invoke { kind, method } => (
            argument_slots(&method.descriptor, *kind == InvokeKind::Static),
            result_slots(&method.descriptor),
        ),
        Op::InvokeDynamic { descriptor, .. } => (argument_slots(descriptor, true), result_slots(descriptor)),
        Op::New(_) => (0, 1),
        Op::MultiNewArray { dimensions, .. } => (u16::from(*dimensions), 1),
        Op::NewArray(_) | Op::ArrayLength | Op::CheckCast(_) | Op::InstanceOf(_) => (1, 1),
    }
}

fn result_slots(descriptor: &str) -> u16 {
    parse_method(descriptor).map_or(0, |d| slots(&d.result))
}

/// The depth in slots before each instruction, by position; `None` if it is unreachable.
pub fn depths(code: &Code) -> Vec<Option<u16>> {
    let mut depths: Vec<Option<u16>> = vec![None; code.instructions.len()];
    let mut work: Vec<(usize, u16)> = vec![(0, 0)];
    let handlers: Vec<(u32, u32, usize)> = code
        .handlers
        .iter()
        .filter_map(|h| Some((h.start_pc, h.end_pc, code.index_of(h.handler_pc)?)))
        .collect();
    while let Some((position, depth)) = work.pop() {
        match depths.get_mut(position) {
            Some(slot @ None) => *slot = Some(depth),
            _ => continue,
        }
        let Some(instruction) = code.instructions.get(position) else { continue };
        let (pops, pushes) = effect(&instruction.op);
        let after = depth.saturating_sub(pops).saturating_add(pushes);
        for (target, kind) in normal_edges(code, position) {
            // The subroutine has popped the return address when it returns to the instruction after the jsr.
            let jsr_return =
                matches!(instruction.op, Op::Jsr { .. }) && kind == crate::cfg::EdgeKind::FallThrough;
            if let Some(next) = code.index_of(target) {
                work.push((next, if jsr_return { depth } else { after }));
            }
        }
        for (start, end, handler) in &handlers {
            if instruction.pc >= *start && instruction.pc < *end {
                work.push((*handler, 1));
            }
        }
    }
    depths
}

/// The depth in slots before the instruction at `pc`; `None` if it is unreachable or not an instruction.
pub fn depth_at(code: &Code, pc: u32) -> Option<u16> {
    depths(code).get(code.index_of(pc)?).copied().flatten()
}
