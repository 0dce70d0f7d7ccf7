//! Tells how execution continues after each instruction of a method.

use super::error::RewriteError;
use super::instructions::{self, ATHROW, GOTO, GOTO_W, JSR, JSR_W, JumpTargets, Raw};
use super::reader::{CodeAt, MethodAt, Reader, slice};
use super::scan::Scan;

const RET: u8 = 0xa9;

/// How execution continues after an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successors {
    /// The code index of the instruction.
    pub pc: u32,
    /// The instructions that can be next unless this one throws, ascending and distinct.
    pub next: Vec<u32>,
    /// It neither throws, nor runs other code, nor writes anything but the operand stack, and always
    /// continues at the same instruction.
    pub is_plain: bool,
}

impl Scan<'_> {
    /// How execution continues after each instruction of a method, in code order. Empty for a method without
    /// code, and for one with subroutines (JVMS §4.9.1), whose returns do not name where they lead.
    ///
    /// # Errors
    /// If the class file is invalid.
    pub fn successors(&self, name: &str, descriptor: &str) -> Result<Vec<Successors>, RewriteError> {
        let class = self.layout();
        let is = |m: &&MethodAt| class.is(m.name, name) && class.is(m.descriptor, descriptor);
        let Some(CodeAt { start, end }) = class.methods.iter().find(is).and_then(|method| method.code) else {
            return Ok(Vec::new());
        };
        let mut reader = Reader::at(slice(class.bytes, 0, end)?, start + 10);
        let length = reader.length()?;
        let instructions = instructions::read(reader.take(length)?)?;
        if instructions.iter().any(|raw| matches!(raw.opcode, JSR | JSR_W | RET)) {
            return Ok(Vec::new());
        }
        Ok(instructions.iter().map(successors).collect())
    }
}

fn successors(raw: &Raw) -> Successors {
    let mut next = raw.targets();
    let falls_through = match raw.targets {
        JumpTargets::None => !matches!(raw.opcode, 0xac..=0xb1 | ATHROW),
        JumpTargets::To(_) => !matches!(raw.opcode, GOTO | GOTO_W),
        JumpTargets::Table { .. } | JumpTargets::Lookup { .. } => false,
    };
    next.extend(falls_through.then_some(raw.pc + raw.length));
    next.sort_unstable();
    next.dedup();
    Successors { pc: raw.pc, next, is_plain: is_plain(raw.opcode) }
}

/// Constants except those of the constant pool, loads of local variables, operations on the stack,
/// arithmetic except integer division, conversions, comparisons and `goto` (JVMS §6.5).
fn is_plain(opcode: u8) -> bool {
    matches!(opcode,
        0x00..=0x11 | 0x15..=0x2d | 0x57..=0x6b | 0x6e..=0x6f | 0x72..=0x83 | 0x85..=0x98 | GOTO | GOTO_W)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: &[u8]) -> Vec<(u32, Vec<u32>, bool)> {
        let raws = instructions::read(code).unwrap();
        raws.iter().map(successors).map(|found| (found.pc, found.next, found.is_plain)).collect()
    }

    #[test]
    fn branches_have_two_successors_and_returns_none() {
        // iload_0; ifeq 6; nop; nop; goto 0; return
        let found = of(&[0x1a, 0x99, 0, 5, 0, 0, GOTO, 0xff, 0xfa, 0xb1]);
        let expected = [
            (0, vec![1], true),
            (1, vec![4, 6], false),
            (4, vec![5], true),
            (5, vec![6], true),
            (6, vec![0], true),
            (9, vec![], false),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn instructions_that_throw_or_write_are_not_plain() {
        // iload_0; iload_1; idiv; istore_2; aload_3; athrow
        let found = of(&[0x1a, 0x1b, 0x6c, 0x3d, 0x2d, ATHROW]);
        let plain: Vec<bool> = found.iter().map(|(.., is_plain)| *is_plain).collect();
        assert_eq!(plain, [true, true, false, false, true, false]);
        assert!(found.last().is_some_and(|(_, next, _)| next.is_empty()));
    }
}
