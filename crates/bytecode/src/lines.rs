//! Line tables in both directions: the line of an instruction, and the start of a pass over a line (DESIGN
//! §5.8).

use crate::cfg::normal_edges;
use crate::class::{ClassFile, Code, CopiedLine, LineEntry, Method};
use crate::op::{Constant, Op};
use crate::stack::depths;
use crate::stores::variable_in_slot;
use smap::SourceMap;

/// The source line of the instruction at `pc`; `None` without a line table or before its first entry.
pub fn line_of(code: &Code, pc: u32) -> Option<u32> {
    let after = code.lines.partition_point(|l| l.start_pc <= pc);
    code.lines.get(after.checked_sub(1)?).map(|l| l.line)
}

/// The entries of a line of another file, of a package, from which code was copied; as [`entries_of_line`].
pub fn entries_of_copied_line(code: &Code, file: &str, package: &str, line: u32) -> LineEntries {
    let is_it = |copied: &CopiedLine| copied.line == line && copied.is_of(file, package);
    if !code.copied_lines.iter().any(is_it) {
        return LineEntries::default();
    }
    let row = |copied: &CopiedLine| {
        let begin = LineEntry { start_pc: copied.start_pc, line: if is_it(copied) { line } else { 0 } };
        [begin, LineEntry { start_pc: copied.end_pc, line: 0 }]
    };
    let mut lines: Vec<LineEntry> = code.copied_lines.iter().flat_map(row).collect();
    // Where one part ends and the next begins, the next counts.
    lines.sort_by_key(|entry| (entry.start_pc, entry.line));
    let mut rows: Vec<LineEntry> = Vec::new();
    for entry in lines {
        match rows.last_mut() {
            Some(last) if last.start_pc == entry.start_pc => *last = entry,
            _ => rows.push(entry),
        }
    }
    entries_of_line(&Code { lines: rows, ..code.clone() }, line)
}

impl Code {
    /// Replaces the numbers of the line table by the lines that they mean. Code of no line of the source has
    /// that of the code before it.
    pub(crate) fn write_sources(&mut self, map: &SourceMap) {
        let end = self.instructions.last().map_or(0, |last| last.pc + last.length);
        let ends = self.lines.iter().skip(1).map(|next| next.start_pc).chain([end]);
        for (entry, end_pc) in self.lines.iter().zip(ends) {
            if let Some((file, line)) = map.copied(entry.line) {
                let (start_pc, file, path) = (entry.start_pc, file.name.clone(), file.path.clone());
                self.copied_lines.push(CopiedLine { start_pc, end_pc, file, path, line });
            }
        }
        self.lines.retain_mut(|entry| match map.line(entry.line) {
            Some(line) => {
                entry.line = line;
                true
            }
            None => false,
        });
    }
}

/// The instructions of one line in a method's code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineEntries {
    /// Entry points of the line. Each stop at one of them is one pass over the line.
    pub pcs: Vec<u32>,
    /// All instructions of the line.
    pub inside: Vec<u32>,
    /// Instructions of other lines that can execute directly after one of this line, without an exception.
    pub exits: Vec<u32>,
}

/// The entries of a line: its instructions that control reaches with an empty operand stack from another
/// line, from the method's entry, or from an exception on another line. Returning into the middle of an
/// expression starts no new pass. If no entry has an empty stack, the line's first instruction is its entry.
/// Empty if the line has no code in this method.
pub fn entries_of_line(code: &Code, line: u32) -> LineEntries {
    let on_line: Vec<bool> = code.instructions.iter().map(|i| line_of(code, i.pc) == Some(line)).collect();
    let is_on = |position: usize| on_line.get(position).copied().unwrap_or(false);
    let mut found = LineEntries::default();
    if !on_line.contains(&true) {
        return found;
    }
    let ways = WaysIn::find(code, &is_on);
    found.exits = ways.exits;
    let depths = depths(code);
    for (position, instruction) in code.instructions.iter().enumerate().filter(|(p, _)| is_on(*p)) {
        found.inside.push(instruction.pc);
        let empty = depths.get(position).copied().flatten() == Some(0);
        let is = |list: &[bool]| list.get(position).copied().unwrap_or(false);
        // `true` and `false` have the line of the last operand of `&&` and `||`, which need not have
        // executed.
        let is_row = code.lines.iter().any(|row| row.start_pc == instruction.pc);
        let is_truth =
            matches!(instruction.op, Op::Const(Constant::Int(0 | 1))) && !is_row && is(&ways.decided);
        let begins = is(&ways.entered) && empty && !is_truth && !returns_kept_value(code, position, line);
        // At a handler only the exception is on the stack, so no expression is in progress.
        if begins || is(&ways.caught) {
            found.pcs.push(instruction.pc);
        }
    }
    if found.pcs.is_empty() {
        found.pcs.extend(found.inside.first());
    }
    found.exits.sort_unstable();
    found
}

/// How execution comes to the instructions of a line from others, by the instructions' positions.
struct WaysIn {
    /// Whether control reaches it from another line, or from the method's entry.
    entered: Vec<bool>,
    /// Whether a condition on another line leads here.
    decided: Vec<bool>,
    /// Whether an exception on another line leads here.
    caught: Vec<bool>,
    /// Instructions of other lines that can execute directly after one of this line.
    exits: Vec<u32>,
}

impl WaysIn {
    /// Finds them. `is_on` tells whether the instruction at a position is on the line.
    fn find(code: &Code, is_on: &dyn Fn(usize) -> bool) -> WaysIn {
        let none = vec![false; code.instructions.len()];
        let mut ways =
            WaysIn { entered: none.clone(), decided: none.clone(), caught: none, exits: Vec::new() };
        if is_on(0)
            && let Some(first) = ways.entered.get_mut(0)
        {
            *first = true;
        }
        for (position, instruction) in code.instructions.iter().enumerate() {
            for (target, _) in normal_edges(code, position) {
                let Some(to) = code.index_of(target) else { continue };
                if !is_on(position) && is_on(to) {
                    if let Some(slot) = ways.entered.get_mut(to) {
                        *slot = true;
                    }
                    if let Some(slot) = ways.decided.get_mut(to) {
                        *slot |= matches!(instruction.op, Op::If { .. });
                    }
                } else if is_on(position) && !is_on(to) && !ways.exits.contains(&target) {
                    ways.exits.push(target);
                }
            }
        }
        for handler in &code.handlers {
            let Some(to) = code.index_of(handler.handler_pc).filter(|to| is_on(*to)) else { continue };
            let is_covered = |pc: u32| pc >= handler.start_pc && pc < handler.end_pc;
            let mut all = code.instructions.iter().enumerate();
            let outside = all.any(|(position, i)| is_covered(i.pc) && !is_on(position));
            if let Some(slot) = ways.caught.get_mut(to).filter(|_| outside) {
                *slot = true;
            }
        }
        ways
    }
}

/// Whether `return x` continues here after the copy of a finally block. javac saves the value in an unnamed
/// slot before the copy and loads it afterwards. That is the same pass over the line.
fn returns_kept_value(code: &Code, position: usize, line: u32) -> bool {
    let op = |at: usize| code.instructions.get(at).map(|i| &i.op);
    let (Some(Op::Load { slot, .. }), Some(Op::Return(_))) = (op(position), op(position + 1)) else {
        return false;
    };
    let Some(pc) = code.instructions.get(position).map(|i| i.pc) else { return false };
    let kept = |i: &crate::op::Instruction| {
        matches!(i.op, Op::Store { slot: other, .. } if other == *slot) && line_of(code, i.pc) == Some(line)
    };
    variable_in_slot(code, *slot, pc).is_none()
        && code.instructions.get(..position).unwrap_or_default().iter().any(kept)
}

/// All lines of the class that have code, ascending.
pub fn lines_with_code(class: &ClassFile) -> Vec<u32> {
    let codes = class.methods.iter().filter_map(|m| m.code.as_ref());
    let mut lines: Vec<u32> = codes.flat_map(|c| c.lines.iter().map(|l| l.line)).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// The nearest lines with code: the line itself if it has code, otherwise the last one before and the first
/// one after it.
pub fn nearest_lines_with_code(class: &ClassFile, line: u32) -> Vec<u32> {
    let lines = lines_with_code(class);
    if lines.binary_search(&line).is_ok() {
        return vec![line];
    }
    let before = lines.iter().rev().find(|l| **l < line);
    let after = lines.iter().find(|l| **l > line);
    before.into_iter().chain(after).copied().collect()
}

/// The first and last line of the method's code.
pub fn span(method: &Method) -> Option<(u32, u32)> {
    let lines = &method.code.as_ref()?.lines;
    Some((lines.iter().map(|l| l.line).min()?, lines.iter().map(|l| l.line).max()?))
}
