//! The operands of instructions by their role, and which of them count as uses of an object.

use super::Reached;
use super::body::{NO_VALUE, Step, Value};
use bytecode::op::{InvokeKind, Op};

/// The role of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Position {
    /// The receiver of a call.
    Receiver,
    /// An argument of a call (also of `invokedynamic`), from 0, without the receiver.
    Argument(u16),
    /// The object whose field is read or written.
    Object,
    /// The array whose element is read or written.
    Array,
    /// What is written to a field or an element.
    Stored,
    /// What is returned, thrown or cast.
    Passed,
}

impl Position {
    /// Whether an instruction uses an object in this position: as the receiver or an argument of a call, or
    /// to access its field or element. To store, return, throw or cast a reference only passes it on.
    pub fn is_use(self) -> bool {
        !matches!(self, Position::Stored | Position::Passed)
    }
}

/// The step of the instruction at a code index.
pub(super) fn step_at(method: &Reached, pc: u32) -> Option<&Step> {
    let at = method.body.steps.binary_search_by_key(&pc, |s| s.pc).ok()?;
    method.body.steps.get(at)
}

/// The role of the operand with this index, see [`Step::operands`].
fn position(op: &Op, index: usize) -> Option<Position> {
    let argument = |index: usize| u16::try_from(index).ok().map(Position::Argument);
    Some(match (op, index) {
        (Op::Invoke { kind, .. }, _) if *kind == InvokeKind::Static => argument(index)?,
        (Op::Invoke { .. }, 0) => Position::Receiver,
        (Op::Invoke { .. }, _) => argument(index - 1)?,
        (Op::InvokeDynamic { .. }, _) => argument(index)?,
        (Op::GetField(_) | Op::PutField(_), 0) => Position::Object,
        (Op::ArrayLoad(_) | Op::ArrayStore(_), 0) => Position::Array,
        (Op::PutField(_) | Op::ArrayStore(_), 1) | (Op::PutStatic(_), 0) => Position::Stored,
        (Op::Return(_) | Op::Throw | Op::CheckCast(_), 0) => Position::Passed,
        _ => return None,
    })
}

/// The value in a position of the instruction at a code index.
pub(super) fn value_at(method: &Reached, pc: u32, wanted: Position) -> Value {
    let find = || {
        let step = step_at(method, pc)?;
        let op = &method.code()?.instructions.get(step.at)?.op;
        let index = (0..step.operands.len()).find(|index| position(op, *index) == Some(wanted))?;
        step.operands.get(index).copied()
    };
    find().unwrap_or(NO_VALUE)
}

/// Calls a function for the value of each use, in code order.
pub(super) fn each_use(method: &Reached, mut found: impl FnMut(u32, Position, Value)) {
    let Some(code) = method.code() else { return };
    for step in &method.body.steps {
        let Some(op) = code.instructions.get(step.at).map(|i| &i.op) else { continue };
        let constructs = matches!(op, Op::Invoke { method, .. } if method.name == "<init>");
        for (index, value) in step.operands.iter().enumerate() {
            if let Some(position) = position(op, index)
                && position.is_use()
                && *value != NO_VALUE
                && !(constructs && position == Position::Receiver)
            {
                found(step.pc, position, *value);
            }
        }
    }
}
