//! The operands with which a conditional jump goes a certain way.

use super::error::RewriteError;
use super::instructions::{self, JumpTargets, Raw};
use super::reader::{ClassLayout, Reader};
use super::scan::Scan;

/// Operands with which a conditional jump goes a certain way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JumpOperands {
    /// An `int`: for comparisons with 0, and for switches.
    Int(i32),
    /// Two `int`s.
    Ints(i32, i32),
    /// A reference.
    Reference {
        /// Whether it must be null; otherwise it must not be.
        is_null: bool,
    },
    /// Two references.
    References {
        /// Whether they must be the same; otherwise they must differ.
        is_same: bool,
    },
}

/// A conditional jump as the condition of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopCondition {
    /// Operands with which the loop goes on.
    pub operands: JumpOperands,
    /// The opcode of the jump; negative if the loop goes on where it does not jump.
    pub test: i32,
    /// The code index where the loop ends.
    pub end: u32,
}

/// The class file with the conditional jump at `pc` inverted: it goes each time the way that it would not
/// have gone. `None` if there is no such method, or no such jump there.
///
/// # Errors
/// If the class file is invalid.
pub fn inverted_jump(
    bytes: &[u8],
    name: &str,
    descriptor: &str,
    pc: u32,
) -> Result<Option<Vec<u8>>, RewriteError> {
    let layout = ClassLayout::read(bytes)?;
    let mut methods = layout.methods.iter();
    let method =
        methods.find(|method| layout.is(method.name, name) && layout.is(method.descriptor, descriptor));
    let Some(code) = method.and_then(|method| method.code) else { return Ok(None) };
    let is_jump = Scan::new(bytes)?.jump_at(name, descriptor, pc)?.is_some();
    // Before the code come the attribute's name and length, `max_stack`, `max_locals` and the code's length
    // (JVMS §4.7.3).
    let at = usize::try_from(pc).ok().map(|pc| code.start + 14 + pc).filter(|_| is_jump);
    let Some(at) = at else { return Ok(None) };
    let Some(inverse) = inverse(Reader::at(bytes, at).u1()?) else { return Ok(None) };
    let mut inverted = bytes.to_vec();
    if let Some(opcode) = inverted.get_mut(at) {
        *opcode = inverse;
    }
    Ok(Some(inverted))
}

/// The conditional jump that is taken where another one is not (JVMS §6.5).
fn inverse(opcode: u8) -> Option<u8> {
    match opcode {
        // From `ifeq` to `if_acmpne`, in pairs.
        0x99..=0xa6 => Some(((opcode - 0x99) ^ 1) + 0x99),
        // `ifnull` and `ifnonnull`.
        0xc6 => Some(0xc7),
        0xc7 => Some(0xc6),
        _ => None,
    }
}

impl Scan<'_> {
    /// The operands with which the conditional jump or switch at `pc` continues at `to`. `None` if there is
    /// no such method, no such jump, or no way from there to `to`.
    ///
    /// # Errors
    /// If the class file is invalid.
    pub fn operands_toward(
        &self,
        name: &str,
        descriptor: &str,
        pc: u32,
        to: u32,
    ) -> Result<Option<JumpOperands>, RewriteError> {
        Ok(self.jump_at(name, descriptor, pc)?.and_then(|jump| toward(&jump, to)))
    }

    /// The conditional jump at `pc` as the condition of a loop that goes on at `to`. `None` if there is no
    /// such jump, or if it is a switch.
    ///
    /// # Errors
    /// If the class file is invalid.
    pub fn loop_condition(
        &self,
        name: &str,
        descriptor: &str,
        pc: u32,
        to: u32,
    ) -> Result<Option<LoopCondition>, RewriteError> {
        Ok(self.jump_at(name, descriptor, pc)?.and_then(|jump| condition(&jump, to)))
    }

    fn jump_at(&self, name: &str, descriptor: &str, pc: u32) -> Result<Option<Raw>, RewriteError> {
        let Some(code) = self.code(name, descriptor)? else { return Ok(None) };
        Ok(instructions::read(code)?.into_iter().find(|raw| raw.pc == pc))
    }
}

/// The condition of a loop that goes on at `to`; `None` for a switch.
fn condition(jump: &Raw, to: u32) -> Option<LoopCondition> {
    let JumpTargets::To(target) = jump.targets else { return None };
    let (operands, next) = (toward(jump, to)?, jump.pc + jump.length);
    let opcode = i32::from(jump.opcode);
    let (test, end) = if target == to { (opcode, next) } else { (-opcode, target) };
    Some(LoopCondition { operands, test, end })
}

fn toward(jump: &Raw, to: u32) -> Option<JumpOperands> {
    match &jump.targets {
        JumpTargets::None => None,
        JumpTargets::To(target) if *target == to => comparison(jump.opcode, true),
        JumpTargets::To(_) if jump.pc + jump.length == to => comparison(jump.opcode, false),
        JumpTargets::To(_) => None,
        JumpTargets::Table { default, low, high, targets } => {
            let of_case = (*low..=*high).zip(targets).find(|(_, target)| **target == to).map(|(key, _)| key);
            let outside = || low.checked_sub(1).or_else(|| high.checked_add(1)).filter(|_| *default == to);
            of_case.or_else(outside).map(JumpOperands::Int)
        }
        JumpTargets::Lookup { default, pairs } => {
            let of_case = pairs.iter().find(|(_, target)| *target == to).map(|(key, _)| *key);
            let outside = || (0..).find(|key| pairs.iter().all(|(case, _)| case != key));
            of_case.or_else(|| outside().filter(|_| *default == to)).map(JumpOperands::Int)
        }
    }
}

/// The operands of a comparison that holds or not; `None` for an unconditional jump.
fn comparison(opcode: u8, holds: bool) -> Option<JumpOperands> {
    let either = |yes: i32, no: i32| Some(JumpOperands::Int(if holds { yes } else { no }));
    let second = |yes: i32, no: i32| Some(JumpOperands::Ints(0, if holds { yes } else { no }));
    match opcode {
        // `ifeq`, `ifne`, `iflt`, `ifge`, `ifgt`, `ifle`.
        0x99 => either(0, 1),
        0x9a => either(1, 0),
        0x9b => either(-1, 0),
        0x9c => either(0, -1),
        0x9d => either(1, 0),
        0x9e => either(0, 1),
        // `if_icmpeq`, `if_icmpne`, `if_icmplt`, `if_icmpge`, `if_icmpgt`, `if_icmple`.
        0x9f => second(0, 1),
        0xa0 => second(1, 0),
        0xa1 => second(1, 0),
        0xa2 => second(0, 1),
        0xa3 => second(-1, 0),
        0xa4 => second(0, -1),
        // `if_acmpeq`, `if_acmpne`.
        0xa5 => Some(JumpOperands::References { is_same: holds }),
        0xa6 => Some(JumpOperands::References { is_same: !holds }),
        // `ifnull`, `ifnonnull`.
        0xc6 => Some(JumpOperands::Reference { is_null: holds }),
        0xc7 => Some(JumpOperands::Reference { is_null: !holds }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::instructions::GOTO;
    use super::*;

    fn jump(opcode: u8, targets: JumpTargets) -> Raw {
        Raw { pc: 10, length: 3, opcode, targets }
    }

    #[test]
    fn a_comparison_goes_to_its_target_or_to_the_next_instruction() {
        type Test = fn(i32, i32) -> bool;
        let tests: [(u8, Test); 6] = [
            (0x99, |a, b| a == b),
            (0x9a, |a, b| a != b),
            (0x9b, |a, b| a < b),
            (0x9c, |a, b| a >= b),
            (0x9d, |a, b| a > b),
            (0x9e, |a, b| a <= b),
        ];
        for (opcode, test) in tests {
            for (to, holds) in [(40, true), (13, false)] {
                let Some(JumpOperands::Int(a)) = toward(&jump(opcode, JumpTargets::To(40)), to) else {
                    panic!("{opcode}")
                };
                assert_eq!(test(a, 0), holds, "{opcode}");
                // The comparisons of two numbers follow in the same order.
                let Some(JumpOperands::Ints(a, b)) = toward(&jump(opcode + 6, JumpTargets::To(40)), to)
                else {
                    panic!("{opcode}")
                };
                assert_eq!(test(a, b), holds, "{opcode}");
            }
        }
        assert_eq!(toward(&jump(0x99, JumpTargets::To(40)), 16), None);
        assert_eq!(toward(&jump(GOTO, JumpTargets::To(40)), 40), None);
    }

    #[test]
    fn an_inverted_jump_needs_the_operands_of_the_other_way() {
        for opcode in (0x99..=0xa6).chain([0xc6, 0xc7]) {
            let other = inverse(opcode).expect("a conditional jump");
            assert_eq!(inverse(other), Some(opcode));
            assert_eq!(comparison(opcode, true), comparison(other, false), "{opcode:#x}");
        }
        assert_eq!((inverse(GOTO), inverse(0xaa)), (None, None));
    }

    #[test]
    fn a_loop_goes_on_where_its_condition_holds() {
        let ifeq = jump(0x99, JumpTargets::To(40));
        let (on, off) = (JumpOperands::Int(0), JumpOperands::Int(1));
        assert_eq!(condition(&ifeq, 40), Some(LoopCondition { operands: on, test: 0x99, end: 13 }));
        assert_eq!(condition(&ifeq, 13), Some(LoopCondition { operands: off, test: -0x99, end: 40 }));
        assert_eq!(condition(&ifeq, 16), None);
        assert_eq!(condition(&jump(GOTO, JumpTargets::To(40)), 40), None);
    }

    #[test]
    fn a_switch_goes_to_an_arm_by_its_least_key() {
        let table =
            |low, targets| jump(0xaa, JumpTargets::Table { default: 90, low, high: low + 2, targets });
        assert_eq!(toward(&table(5, vec![90, 60, 60]), 60), Some(JumpOperands::Int(6)));
        assert_eq!(toward(&table(5, vec![70, 60, 60]), 90), Some(JumpOperands::Int(4)));
        assert_eq!(toward(&table(i32::MIN, vec![70; 3]), 90), Some(JumpOperands::Int(i32::MIN + 3)));
        assert_eq!(toward(&table(5, vec![70; 3]), 13), None);
        let lookup = |pairs| jump(0xab, JumpTargets::Lookup { default: 90, pairs });
        assert_eq!(toward(&lookup(vec![(-7, 60), (0, 70), (1, 60)]), 70), Some(JumpOperands::Int(0)));
        assert_eq!(toward(&lookup(vec![(-7, 60), (0, 70), (1, 60)]), 60), Some(JumpOperands::Int(-7)));
        assert_eq!(toward(&lookup(vec![(-7, 60), (0, 70), (1, 60)]), 90), Some(JumpOperands::Int(2)));
        assert_eq!(toward(&lookup(Vec::new()), 90), Some(JumpOperands::Int(0)));
    }
}
