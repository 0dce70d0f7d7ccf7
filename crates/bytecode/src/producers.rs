//! Finds the instructions that pushed the operands of an instruction. Looks through instructions that only
//! move or convert a value (`dup`, `checkcast`, boxing). A `?:` has one producer per arm.

use crate::cfg::normal_edges;
use crate::class::Code;
use crate::descriptor::{parse_method, slots};
use crate::member::MethodRef;
use crate::op::{InvokeKind, Op};
use crate::stack::{effect, moved};
use std::collections::BTreeSet;

/// The origin of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Producer {
    /// The instruction at a code index.
    At(u32),
    /// The VM: the exception at the start of the handler at this code index.
    Caught(u32),
}

/// The producers of one slot of the operand stack.
type Slot = BTreeSet<Producer>;

/// The operand stack before each instruction of a method, as producers.
#[derive(Debug)]
pub struct Producers<'a> {
    code: &'a Code,
    before: Vec<Option<Vec<Slot>>>,
}

/// Maximum tracked stack depth in slots; javac needs less.
const DEEPEST: usize = 4096;

impl<'a> Producers<'a> {
    /// `None` for code with subroutines (`jsr`), whose stack depends on the caller.
    pub fn new(code: &'a Code) -> Option<Producers<'a>> {
        if code.instructions.iter().any(|i| matches!(i.op, Op::Jsr { .. } | Op::Ret { .. })) {
            return None;
        }
        let mut before: Vec<Option<Vec<Slot>>> = vec![None; code.instructions.len()];
        let mut work = vec![0];
        if let Some(first) = before.first_mut() {
            *first = Some(Vec::new());
        }
        for handler in &code.handlers {
            if let Some(at) = code.index_of(handler.handler_pc)
                && let Some(state) = before.get_mut(at)
            {
                *state = Some(vec![BTreeSet::from([Producer::Caught(handler.handler_pc)])]);
                work.push(at);
            }
        }
        while let Some(position) = work.pop() {
            let (Some(instruction), Some(Some(state))) =
                (code.instructions.get(position), before.get(position))
            else {
                continue;
            };
            let after = step(&instruction.op, instruction.pc, state)?;
            for (target, _) in normal_edges(code, position) {
                let Some(to) = code.index_of(target) else { continue };
                let Some(known) = before.get_mut(to) else { continue };
                if join(known, &after) {
                    work.push(to);
                }
            }
        }
        Some(Producers { code, before })
    }

    /// The producers of the value `slots` slots below the top, before the instruction at `pc`; empty if that
    /// instruction is unreachable.
    pub fn below(&self, pc: u32, slots: u16) -> Vec<Producer> {
        let at = self.state(pc).and_then(|s| Some((s, s.len().checked_sub(usize::from(slots) + 1)?)));
        at.and_then(|(state, at)| state.get(at)).map(|set| set.iter().copied().collect()).unwrap_or_default()
    }

    /// The depth of the stack in slots before the instruction at `pc`; `None` if it is unreachable.
    pub fn depth(&self, pc: u32) -> Option<usize> {
        self.state(pc).map(Vec::len)
    }

    fn state(&self, pc: u32) -> Option<&Vec<Slot>> {
        self.code.index_of(pc).and_then(|at| self.before.get(at)).and_then(Option::as_ref)
    }

    /// The producers of the top value before the instruction at `pc`.
    pub fn top(&self, pc: u32) -> Vec<Producer> {
        self.below(pc, 0)
    }

    /// The producers of an argument of the call at `pc`, by its position in the descriptor.
    pub fn argument(&self, pc: u32, descriptor: &str, place: usize) -> Vec<Producer> {
        let parameters = parse_method(descriptor).map(|d| d.parameters).unwrap_or_default();
        let above = parameters.iter().skip(place + 1).map(|p| slots(p)).sum();
        self.below(pc, above)
    }

    /// The producers of the receiver of the instance method call at `pc`.
    pub fn receiver(&self, pc: u32, descriptor: &str) -> Vec<Producer> {
        let parameters = parse_method(descriptor).map(|d| d.parameters).unwrap_or_default();
        self.below(pc, parameters.iter().map(|p| slots(p)).sum())
    }
}

/// Merges an incoming stack. Returns whether anything changed.
fn join(known: &mut Option<Vec<Slot>>, after: &[Slot]) -> bool {
    let Some(known) = known else {
        *known = Some(after.to_vec());
        return true;
    };
    let mut changed = false;
    for (old, new) in known.iter_mut().zip(after) {
        let before = old.len();
        old.extend(new);
        changed |= old.len() > before;
    }
    changed
}

/// The stack after an instruction; `None` for code that fails verification.
fn step(op: &Op, pc: u32, before: &[Slot]) -> Option<Vec<Slot>> {
    let mut stack = before.to_vec();
    let moved = moved(op);
    let (pops, pushes) = effect(op);
    let left = stack.len().checked_sub(pops.into())?;
    if !moved.is_empty() {
        let from = |n: &usize| before.get(before.len().checked_sub(n + 1)?).cloned();
        let top = moved.iter().map(from).collect::<Option<Vec<Slot>>>()?;
        stack.truncate(left);
        stack.extend(top);
        return Some(stack);
    }
    let pushed = match op {
        Op::CheckCast(_) => stack.last().cloned()?,
        Op::Invoke { kind, method } if passes(*kind, method) => stack.last().cloned()?,
        _ => BTreeSet::from([Producer::At(pc)]),
    };
    stack.truncate(left);
    stack.extend(std::iter::repeat_n(pushed, pushes.into()));
    (stack.len() <= DEEPEST).then_some(stack)
}

/// Whether a call only boxes, unboxes or returns its argument.
pub(crate) fn passes(kind: InvokeKind, method: &MethodRef) -> bool {
    const BOXES: [(&str, &str, &str); 8] = [
        ("java.lang.Boolean", "Z", "booleanValue"),
        ("java.lang.Byte", "B", "byteValue"),
        ("java.lang.Character", "C", "charValue"),
        ("java.lang.Short", "S", "shortValue"),
        ("java.lang.Integer", "I", "intValue"),
        ("java.lang.Long", "J", "longValue"),
        ("java.lang.Float", "F", "floatValue"),
        ("java.lang.Double", "D", "doubleValue"),
    ];
    let (name, descriptor) = (method.name.as_str(), method.descriptor.as_str());
    if (kind, method.class.as_str(), name) == (InvokeKind::Static, "java.util.Objects", "requireNonNull") {
        return descriptor == "(Ljava/lang/Object;)Ljava/lang/Object;";
    }
    let Some((class, letter, unbox)) = BOXES.iter().find(|(class, ..)| *class == method.class) else {
        return false;
    };
    match kind {
        InvokeKind::Static => {
            name == "valueOf" && descriptor == format!("({letter})L{};", class.replace('.', "/"))
        }
        _ => name == *unbox && descriptor == format!("(){letter}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{Constant, Instruction, Relation, Test};

    fn code(ops: Vec<Op>) -> Code {
        let instructions = (0..).zip(ops).map(|(pc, op)| Instruction { pc, length: 1, op });
        Code {
            bytes: Vec::new(),
            max_locals: 4,
            max_stack: 8,
            instructions: instructions.collect(),
            handlers: Vec::new(),
            lines: Vec::new(),
            variables: Vec::new(),
            clears_variables: false,
            copied_lines: Vec::new(),
            has_variable_table: false,
        }
    }

    fn load(slot: u16) -> Op {
        Op::Load { kind: crate::Kind::Reference, slot }
    }

    fn int(value: i32) -> Op {
        Op::Const(Constant::Int(value))
    }

    fn call(class: &str, name: &str, descriptor: &str) -> Op {
        let method = MethodRef {
            class: class.into(),
            name: name.into(),
            descriptor: descriptor.into(),
            interface: false,
        };
        Op::Invoke { kind: InvokeKind::Static, method }
    }

    #[test]
    fn casts_and_boxing_keep_the_producer() {
        let code = code(vec![
            int(3),
            call("java.lang.Integer", "valueOf", "(I)Ljava/lang/Integer;"),
            Op::CheckCast("java.lang.Object".into()),
            Op::Dup,
            Op::Store { kind: crate::Kind::Reference, slot: 0 },
            Op::Return(Some(crate::Kind::Reference)),
        ]);
        let producers = Producers::new(&code).unwrap();
        assert_eq!(producers.top(4), [Producer::At(0)]);
        assert_eq!(producers.top(5), [Producer::At(0)]);
    }

    #[test]
    fn a_conditional_has_the_producers_of_both_arms() {
        let code = code(vec![
            load(0),
            Op::If { test: Test::Null(Relation::Eq), target: 4 },
            load(1),
            Op::Goto { target: 5 },
            load(2),
            Op::Return(Some(crate::Kind::Reference)),
        ]);
        assert_eq!(Producers::new(&code).unwrap().top(5), [Producer::At(2), Producer::At(4)]);
    }

    #[test]
    fn arguments_are_found_below_wide_ones() {
        let code = code(vec![
            load(0),
            int(1),
            Op::Const(Constant::Long(2)),
            call("A", "m", "(Ljava/lang/Object;IJ)V"),
            Op::Return(None),
        ]);
        let producers = Producers::new(&code).unwrap();
        let found: Vec<_> = (0..3).map(|n| producers.argument(3, "(Ljava/lang/Object;IJ)V", n)).collect();
        assert_eq!(found, [[Producer::At(0)], [Producer::At(1)], [Producer::At(2)]]);
    }
}
