//! The line of another version of a method that does the same as a line of this one. Lines move where a
//! version has more or fewer of them.

use alignment::text_without_numbers;
use bytecode::class::Code;
use bytecode::{Instruction, Op, stores};

/// The line of `there` that has the code of a line of `here`. `None` if that is not clear.
pub(super) fn same_line(here: &Code, there: &Code, line: u32) -> Option<u32> {
    let (own, others) = (lines(here), lines(there));
    let wanted = text(here, line);
    let alike = |code: &Code, all: &[u32]| -> Vec<u32> {
        all.iter().copied().filter(|of| text(code, *of) == wanted).collect()
    };
    let (own_alike, others_alike) = (alike(here, &own), alike(there, &others));
    // Of several lines with the same code, the one in the same place among them.
    if own_alike.len() == others_alike.len() {
        let among = own_alike.iter().position(|of| *of == line)?;
        return others_alike.get(among).copied();
    }
    // The code of the line itself differs, between lines that are the same.
    let at = own.iter().position(|of| *of == line).filter(|_| own == others)?;
    let around = [at.checked_sub(1), at.checked_add(1)].into_iter().flatten().filter_map(|at| own.get(at));
    around.into_iter().all(|of| text(here, *of) == text(there, *of)).then_some(line)
}

/// The lines of a method, in ascending order.
fn lines(code: &Code) -> Vec<u32> {
    let mut lines: Vec<u32> = code.lines.iter().map(|entry| entry.line).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// What a line does, without the numbers of variables and of code indices.
fn text(code: &Code, line: u32) -> Vec<String> {
    let is_of_line = |instruction: &&Instruction| {
        let entry = code.lines.iter().rev().find(|entry| entry.start_pc <= instruction.pc);
        entry.is_some_and(|entry| entry.line == line)
    };
    code.instructions.iter().filter(is_of_line).map(|instruction| operation(code, instruction)).collect()
}

fn operation(code: &Code, Instruction { pc, op, .. }: &Instruction) -> String {
    let variable = |slot: u16, pc: u32| {
        stores::variable_in_slot(code, slot, pc).map_or("a variable", |variable| &variable.name)
    };
    match op {
        Op::Load { kind, slot } => format!("load {kind:?} {}", variable(*slot, *pc)),
        // The variable has a value behind the store.
        Op::Store { kind, slot } => {
            format!("store {kind:?} {}", variable(*slot, code.successor(*pc).unwrap_or(*pc)))
        }
        Op::Iinc { slot, by } => format!("add {by} to {}", variable(*slot, *pc)),
        Op::If { test, .. } => format!("if {test:?}"),
        Op::Goto { .. } => "goto".to_owned(),
        Op::Switch { keys, .. } => {
            format!("switch {:?}", keys.iter().map(|(key, _)| key).collect::<Vec<_>>())
        }
        other => text_without_numbers(other),
    }
}
