//! Decodes instructions for the rewriter: their positions, lengths and jump targets (JVMS §6.5).

use super::error::RewriteError;
use super::reader::Reader;

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw {
    pub pc: u32,
    pub length: u32,
    pub opcode: u8,
    pub targets: JumpTargets,
}

/// The jump targets of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JumpTargets {
    /// No jump target in the code.
    None,
    /// One target.
    To(u32),
    /// A `tableswitch` with its lowest and highest key.
    Table { default: u32, low: i32, high: i32, targets: Vec<u32> },
    /// A `lookupswitch`.
    Lookup { default: u32, pairs: Vec<(i32, u32)> },
}

pub const ALOAD: u8 = 0x19;
pub const ASTORE: u8 = 0x3a;
pub const POP: u8 = 0x57;
pub const DUP: u8 = 0x59;
pub const GOTO: u8 = 0xa7;
pub const JSR: u8 = 0xa8;
pub const MONITORENTER: u8 = 0xc2;
pub const MONITOREXIT: u8 = 0xc3;
pub const GOTO_W: u8 = 0xc8;
pub const JSR_W: u8 = 0xc9;
pub const TABLESWITCH: u8 = 0xaa;
pub const LOOKUPSWITCH: u8 = 0xab;
pub const ATHROW: u8 = 0xbf;
pub const RETURN: u8 = 0xb1;
pub const NEW: u8 = 0xbb;
pub const INVOKESPECIAL: u8 = 0xb7;

impl Raw {
    /// All jump targets, without the next instruction.
    pub fn targets(&self) -> Vec<u32> {
        match &self.targets {
            JumpTargets::None => Vec::new(),
            JumpTargets::To(target) => vec![*target],
            JumpTargets::Table { default, targets, .. } => targets.iter().chain([default]).copied().collect(),
            JumpTargets::Lookup { default, pairs } => {
                pairs.iter().map(|(_, t)| *t).chain([*default]).collect()
            }
        }
    }
}

/// Decodes a code array.
pub fn read(code: &[u8]) -> Result<Vec<Raw>, RewriteError> {
    let mut reader = Reader::new(code);
    let mut found = Vec::new();
    while reader.position() < code.len() {
        let pc = index(reader.position());
        let opcode = reader.u1()?;
        let targets = operands(&mut reader, pc, opcode)?;
        found.push(Raw { pc, length: index(reader.position()) - pc, opcode, targets });
    }
    Ok(found)
}

/// A code array has less than 65,536 bytes in any class that a VM accepts.
fn index(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

fn operands(reader: &mut Reader<'_>, pc: u32, opcode: u8) -> Result<JumpTargets, RewriteError> {
    let bad = RewriteError::BadOpcode { byte: opcode, pc };
    let plain = match opcode {
        0x00..=0x0f | 0x1a..=0x35 | 0x3b..=0x83 | 0x85..=0x98 | 0xac..=0xb1 | 0xbe | 0xbf | 0xc2 | 0xc3 => 0,
        0x10 | 0x12 | 0x15..=0x19 | 0x36..=0x3a | 0xa9 | 0xbc => 1,
        0x11 | 0x13 | 0x14 | 0x84 | 0xb2..=0xb8 | 0xbb | 0xbd | 0xc0 | 0xc1 => 2,
        0xc5 => 3,
        0xb9 | 0xba => 4,
        0xc4 => match reader.u1()? {
            0x84 => 4,
            0x15..=0x19 | 0x36..=0x3a | 0xa9 => 2,
            _ => return Err(bad),
        },
        0x99..=0xa8 | 0xc6 | 0xc7 => {
            let offset = i32::from(reader.u2()?.cast_signed());
            return Ok(JumpTargets::To(target(pc, offset)?));
        }
        GOTO_W | JSR_W => return Ok(JumpTargets::To(target(pc, reader.u4()?.cast_signed())?)),
        TABLESWITCH => {
            pad(reader, pc)?;
            let default = target(pc, reader.u4()?.cast_signed())?;
            let (low, high) = (reader.u4()?.cast_signed(), reader.u4()?.cast_signed());
            let count = i64::from(high) - i64::from(low) + 1;
            let mut targets = Vec::new();
            for _ in 0..count.max(0) {
                targets.push(target(pc, reader.u4()?.cast_signed())?);
            }
            return Ok(JumpTargets::Table { default, low, high, targets });
        }
        LOOKUPSWITCH => {
            pad(reader, pc)?;
            let default = target(pc, reader.u4()?.cast_signed())?;
            let mut pairs = Vec::new();
            for _ in 0..reader.u4()? {
                let key = reader.u4()?.cast_signed();
                pairs.push((key, target(pc, reader.u4()?.cast_signed())?));
            }
            return Ok(JumpTargets::Lookup { default, pairs });
        }
        _ => return Err(bad),
    };
    reader.take(plain)?;
    Ok(JumpTargets::None)
}

fn pad(reader: &mut Reader<'_>, pc: u32) -> Result<(), RewriteError> {
    reader.take(padding(pc)).map(|_| ())
}

/// The number of padding bytes after the opcode of a switch, which align its operands to four bytes.
pub fn padding(pc: u32) -> usize {
    (3 - pc % 4) as usize
}

fn target(pc: u32, offset: i32) -> Result<u32, RewriteError> {
    pc.checked_add_signed(offset).ok_or(RewriteError::BadIndex(pc))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switch_operands_follow_the_padding() {
        // `nop`, then a `tableswitch` at index 1 with two bytes of padding.
        let mut code = vec![0x00, TABLESWITCH, 0, 0];
        for word in [23_i32, 5, 6, 23, 24] {
            code.extend_from_slice(&word.to_be_bytes());
        }
        code.extend_from_slice(&[0xb1, 0xb1]);
        let read = read(&code).unwrap();
        assert_eq!(read.len(), 4);
        assert_eq!(read[1].length, 23);
        let targets = JumpTargets::Table { default: 24, low: 5, high: 6, targets: vec![24, 25] };
        assert_eq!(read[1].targets, targets);
    }

    #[test]
    fn invalid_instructions_are_errors() {
        assert_eq!(read(&[0x00, 0xcb]), Err(RewriteError::BadOpcode { byte: 0xcb, pc: 1 }));
        assert!(matches!(read(&[0x11, 0]), Err(RewriteError::Truncated(_))));
        assert_eq!(read(&[GOTO, 0xff, 0xff]), Err(RewriteError::BadIndex(0)));
    }
}
