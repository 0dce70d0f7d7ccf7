//! Assigns new code indices to the instructions and to the steps inserted between them.

use super::Map;
use super::error::{NotRewritten, RewriteError};
use super::instructions::{GOTO, GOTO_W, JSR, JSR_W, JumpTargets, MONITORENTER, MONITOREXIT, Raw, padding};
use std::collections::BTreeMap;

/// The maximum length of a method's code in bytes (JVMS §4.7.3).
const LONGEST: u32 = 65_535;

/// The parts of the new code.
pub struct Parts<'a> {
    /// The original code array.
    pub code: &'a [u8],
    /// The instructions of the original code.
    pub instructions: &'a [Raw],
    /// Code executed at the start of each call.
    pub entry: &'a [u8],
    /// Code before an instruction, executed however the instruction is reached.
    pub before: BTreeMap<u32, Vec<u8>>,
    /// Code after an instruction, executed when that instruction completes.
    pub after: BTreeMap<u32, Vec<u8>>,
    /// Code on the edge from a branch to a target.
    pub taken: BTreeMap<(u32, u32), Vec<u8>>,
    /// The code that handles exceptions of inserted steps, and the number of copies.
    pub guard: (&'a [u8], usize),
    /// Code that ends with a jump, each with the index of the instruction to which it jumps.
    pub resumes: Vec<(u32, &'a [u8])>,
    /// The code at the end, for exceptions that leave the method.
    pub unwind: &'a [u8],
}

/// The new positions.
pub struct Placed {
    /// The new code array.
    pub code: Vec<u8>,
    /// The new index of each instruction, after the code inserted before it.
    at: Map<u32, u32>,
    /// The new index for jumps to an instruction, before the code inserted before it.
    lands: Map<u32, u32>,
    /// The new index of the code on each branch edge.
    pub stubs: BTreeMap<(u32, u32), u32>,
    /// The start and end of the code inserted after an instruction, by the instruction with its handlers.
    behind: BTreeMap<u32, (u32, u32)>,
    /// The start and end of each copy of the guard code.
    pub guards: Vec<(u32, u32)>,
    /// The start of each resuming code.
    pub resumes: Vec<u32>,
    /// The start of the code for exceptions that leave the method.
    pub unwind_at: u32,
    old_end: u32,
}

impl Placed {
    /// The new index of an instruction.
    pub fn at(&self, was: u32) -> Result<u32, RewriteError> {
        self.at.get(&was).copied().ok_or(RewriteError::BadIndex(was))
    }

    /// The new index for jumps to an instruction. Also accepts the end of the code, to which tables may
    /// refer.
    pub fn lands(&self, was: u32) -> Result<u32, RewriteError> {
        if was == self.old_end {
            return Ok(self.end());
        }
        self.lands.get(&was).copied().ok_or(RewriteError::BadIndex(was))
    }

    /// The code on branch edges as `(branch, from, to)`. It follows all other code of the method itself.
    pub fn stub_ranges(&self) -> Vec<(u32, u32, u32)> {
        let mut starts: Vec<(u32, u32)> = self.stubs.iter().map(|((branch, _), at)| (*at, *branch)).collect();
        starts.sort_unstable();
        let ends = starts.iter().skip(1).map(|(at, _)| *at).chain([self.own_end()]);
        starts.iter().zip(ends).map(|((from, branch), to)| (*branch, *from, to)).collect()
    }

    /// The code inserted before and after instructions and on branch edges, as `(instruction, from, to)`: the
    /// handlers of that instruction are those of the code.
    pub fn inserted(&self) -> Vec<(u32, u32, u32)> {
        let before = self.at.iter().filter_map(|(pc, at)| Some((*pc, *self.lands.get(pc)?, *at)));
        let behind = self.behind.iter().map(|(pc, (from, to))| (*pc, *from, *to));
        let mut inserted: Vec<_> = before.chain(behind).filter(|(_, from, to)| from < to).collect();
        inserted.extend(self.stub_ranges());
        inserted.sort_unstable();
        inserted
    }

    /// The new index of the original end of the code.
    pub fn end(&self) -> u32 {
        self.stubs.values().copied().min().unwrap_or_else(|| self.own_end())
    }

    /// The end of the code that belongs to the method's own instructions.
    fn own_end(&self) -> u32 {
        let guard = self.guards.first().map(|(from, _)| *from);
        guard.or(self.resumes.first().copied()).unwrap_or(self.unwind_at)
    }

    /// The old and new index of each instruction, ascending.
    pub fn moved(&self) -> Vec<(u32, u32)> {
        let mut moved: Vec<(u32, u32)> = self.at.iter().map(|(was, now)| (*was, *now)).collect();
        moved.sort_unstable();
        moved
    }
}

/// Lays out the parts.
pub fn place(parts: &Parts<'_>) -> Result<Result<Placed, NotRewritten>, RewriteError> {
    // Branches and stubs that need a four-byte offset. Found iteratively, because each one makes the code
    // longer.
    let mut wide: Map<u32, bool> = Map::default();
    let mut wide_stubs: Map<(u32, u32), bool> = Map::default();
    loop {
        let placed = addresses(parts, &wide, &wide_stubs);
        if placed.length > LONGEST {
            return Ok(Err(NotRewritten::TooLong(placed.length as usize)));
        }
        let mut grown = false;
        for raw in parts.instructions {
            let JumpTargets::To(target) = raw.targets else { continue };
            let (from, to) = (placed.placed.at(raw.pc)?, new_target(parts, &placed.placed, raw.pc, target)?);
            if is_near(from, to) || matches!(raw.opcode, GOTO_W | JSR_W) {
                continue;
            }
            if !matches!(raw.opcode, GOTO | JSR) {
                return Ok(Err(NotRewritten::TooFar(raw.pc)));
            }
            grown |= wide.insert(raw.pc, true).is_none();
        }
        for ((branch, target), at) in &placed.placed.stubs {
            let length = parts.taken.get(&(*branch, *target)).map_or(0, Vec::len);
            let from = at + u32::try_from(length).unwrap_or(LONGEST);
            if !is_near(from, placed.placed.lands(*target)?) {
                grown |= wide_stubs.insert((*branch, *target), true).is_none();
            }
        }
        if !grown {
            let mut placed = placed.placed;
            placed.code = write(parts, &placed, &wide, &wide_stubs)?;
            return Ok(Ok(placed));
        }
    }
}

fn is_near(from: u32, to: u32) -> bool {
    i16::try_from(i64::from(to) - i64::from(from)).is_ok()
}

/// The new target of a branch: the stub of the edge, if it has one.
fn new_target(parts: &Parts<'_>, placed: &Placed, branch: u32, target: u32) -> Result<u32, RewriteError> {
    if parts.taken.contains_key(&(branch, target))
        && let Some(stub) = placed.stubs.get(&(branch, target))
    {
        return Ok(*stub);
    }
    placed.lands(target)
}

/// The instruction whose handlers serve the code inserted after this one. A monitor is entered or left by
/// then, as for the next instruction; otherwise a `finally` that begins there would be left out.
pub fn covered_as(raw: &Raw) -> u32 {
    match raw.opcode {
        MONITORENTER | MONITOREXIT => raw.pc + raw.length,
        _ => raw.pc,
    }
}

struct Addresses {
    placed: Placed,
    length: u32,
}

fn addresses(parts: &Parts<'_>, wide: &Map<u32, bool>, wide_stubs: &Map<(u32, u32), bool>) -> Addresses {
    let size = |bytes: Option<&Vec<u8>>| u32::try_from(bytes.map_or(0, Vec::len)).unwrap_or(LONGEST);
    let mut next = u32::try_from(parts.entry.len()).unwrap_or(LONGEST);
    let (mut at, mut lands, mut behind) = (Map::default(), Map::default(), BTreeMap::new());
    for raw in parts.instructions {
        lands.insert(raw.pc, next);
        next += size(parts.before.get(&raw.pc));
        at.insert(raw.pc, next);
        next += match &raw.targets {
            JumpTargets::To(_) if wide.contains_key(&raw.pc) => 5,
            JumpTargets::Table { targets, .. } => 1 + padding(next) as u32 + 12 + 4 * targets.len() as u32,
            JumpTargets::Lookup { pairs, .. } => 1 + padding(next) as u32 + 8 + 8 * pairs.len() as u32,
            _ => raw.length,
        };
        if let Some(bytes) = parts.after.get(&raw.pc) {
            let from = next;
            next += size(Some(bytes));
            behind.insert(covered_as(raw), (from, next));
        }
        // The layout has failed; continuing could overflow.
        if next > LONGEST * 4 {
            break;
        }
    }
    let mut stubs = BTreeMap::new();
    for (way, bytes) in &parts.taken {
        stubs.insert(*way, next);
        next += size(Some(bytes)) + if wide_stubs.contains_key(way) { 5 } else { 3 };
    }
    let mut guards = Vec::with_capacity(parts.guard.1);
    for _ in 0..parts.guard.1 {
        let from = next;
        next += u32::try_from(parts.guard.0.len()).unwrap_or(LONGEST);
        guards.push((from, next));
    }
    let mut resumes = Vec::with_capacity(parts.resumes.len());
    for (_, code) in &parts.resumes {
        resumes.push(next);
        next += u32::try_from(code.len()).unwrap_or(LONGEST) + 5;
    }
    let unwind_at = next;
    let length = next + u32::try_from(parts.unwind.len()).unwrap_or(LONGEST);
    let old_end = u32::try_from(parts.code.len()).unwrap_or(LONGEST);
    Addresses {
        placed: Placed { code: Vec::new(), at, lands, stubs, behind, guards, resumes, unwind_at, old_end },
        length,
    }
}

fn write(
    parts: &Parts<'_>,
    placed: &Placed,
    wide: &Map<u32, bool>,
    wide_stubs: &Map<(u32, u32), bool>,
) -> Result<Vec<u8>, RewriteError> {
    let mut out = parts.entry.to_vec();
    for raw in parts.instructions {
        out.extend_from_slice(parts.before.get(&raw.pc).map_or(&[][..], Vec::as_slice));
        write_instruction(&mut out, parts, placed, raw, wide.contains_key(&raw.pc))?;
        out.extend_from_slice(parts.after.get(&raw.pc).map_or(&[][..], Vec::as_slice));
    }
    for ((branch, target), bytes) in &parts.taken {
        out.extend_from_slice(bytes);
        let here = u32::try_from(out.len()).unwrap_or(LONGEST);
        let offset = placed.lands(*target)?.cast_signed() - here.cast_signed();
        if wide_stubs.contains_key(&(*branch, *target)) {
            far(&mut out, GOTO_W, offset);
        } else {
            near(&mut out, GOTO, offset);
        }
    }
    for _ in 0..parts.guard.1 {
        out.extend_from_slice(parts.guard.0);
    }
    for (instruction, code) in &parts.resumes {
        out.extend_from_slice(code);
        let here = u32::try_from(out.len()).unwrap_or(LONGEST);
        far(&mut out, GOTO_W, placed.at(*instruction)?.cast_signed() - here.cast_signed());
    }
    out.extend_from_slice(parts.unwind);
    Ok(out)
}

/// Writes an instruction of the original code, with its jumps to the new positions.
fn write_instruction(
    out: &mut Vec<u8>,
    parts: &Parts<'_>,
    placed: &Placed,
    raw: &Raw,
    is_wide: bool,
) -> Result<(), RewriteError> {
    let here = placed.at(raw.pc)?;
    let lead = |target: u32| -> Result<i32, RewriteError> {
        let to = new_target(parts, placed, raw.pc, target)?;
        Ok(to.cast_signed() - here.cast_signed())
    };
    match &raw.targets {
        JumpTargets::None => {
            let (start, end) = (raw.pc as usize, (raw.pc + raw.length) as usize);
            out.extend_from_slice(super::reader::slice(parts.code, start, end)?);
        }
        JumpTargets::To(target) => {
            let offset = lead(*target)?;
            match (raw.opcode, is_wide) {
                (GOTO | GOTO_W, true) => far(out, GOTO_W, offset),
                (JSR | JSR_W, true) => far(out, JSR_W, offset),
                (GOTO_W | JSR_W, false) => far(out, raw.opcode, offset),
                _ => near(out, raw.opcode, offset),
            }
        }
        JumpTargets::Table { default, low, high, targets } => {
            out.push(raw.opcode);
            out.extend(std::iter::repeat_n(0, padding(here)));
            for word in [lead(*default)?, *low, *high] {
                out.extend_from_slice(&word.to_be_bytes());
            }
            for target in targets {
                out.extend_from_slice(&lead(*target)?.to_be_bytes());
            }
        }
        JumpTargets::Lookup { default, pairs } => {
            out.push(raw.opcode);
            out.extend(std::iter::repeat_n(0, padding(here)));
            let count = i32::try_from(pairs.len()).unwrap_or(i32::MAX);
            for word in [lead(*default)?, count] {
                out.extend_from_slice(&word.to_be_bytes());
            }
            for (key, target) in pairs {
                out.extend_from_slice(&key.to_be_bytes());
                out.extend_from_slice(&lead(*target)?.to_be_bytes());
            }
        }
    }
    Ok(())
}

fn near(out: &mut Vec<u8>, opcode: u8, offset: i32) {
    out.push(opcode);
    // The offset was checked to fit. Otherwise the nearest offset is written, which would not verify.
    out.extend_from_slice(&i16::try_from(offset).unwrap_or(i16::MAX).to_be_bytes());
}

fn far(out: &mut Vec<u8>, opcode: u8, offset: i32) {
    out.push(opcode);
    out.extend_from_slice(&offset.to_be_bytes());
}
