//! `SkippedLine("Class", 14)` with `after: "D"`: the first exception after D whose throw bypassed the line in
//! D's activation, because it was caught there behind the line or left the activation (DESIGN §5.10). With
//! `before: "A"` alone: the last one before A, in any activation. It answers "which exception skipped this
//! line?".

use super::{Complaint, Rule, SpecialField, class_complaints, line_complaints};
use crate::translate::lines::SourceLine;
use crate::translate::{Ask, PointContext, Refusal, Stop};
use bytecode::Code;
use bytecode::skip::{is_bypassed, leading_to};
use expr::{EventTypes, Type};
use model::Site;
use query::{Constraint, Event, SkippedLine as Skip};
use std::collections::BTreeMap;

pub(super) struct SkippedLine<'a> {
    pub(super) class: &'a str,
    pub(super) line: &'a u32,
}

impl Rule for SkippedLine<'_> {
    fn complaints(&self) -> Vec<Complaint> {
        class_complaints(self.class).into_iter().chain(line_complaints(*self.line)).collect()
    }

    fn takes(&self) -> &'static [SpecialField] {
        &[SpecialField::Text]
    }

    fn needs_order(&self) -> bool {
        true
    }

    fn translate(&self, point: &mut PointContext<'_, '_>) -> Result<Ask, Stop> {
        let remembered = point.point().remembered();
        let after = point.point().after.clone().map(|after| point.earlier(&after)).transpose()?;
        let found = SourceLine::find(point.classes(), self.class, *self.line, &remembered)?;
        if let Some(warning) = &found.warning {
            point.warn(warning);
        }
        let mut skips = Vec::new();
        let mut sites = Vec::new();
        for part in found.parts() {
            let bypassed_from = bypasses(part.code, found.line);
            let left_from = leaves(part.code, &part.entries);
            let mut from: Vec<u32> = bypassed_from.values().flatten().chain(&left_from).copied().collect();
            from.sort_unstable();
            from.dedup();
            if !from.is_empty() {
                sites.extend(from.into_iter().map(|bci| Site { method: part.method.clone(), bci }));
                skips.push(Skip { method: part.method, bypassed_from, left_from });
            }
        }
        if skips.is_empty() {
            return Err(Refusal::NeverSkipped { file: found.file, line: found.line }.into());
        }
        let events = EventTypes { exception: Some(Type::Unknown), ..EventTypes::default() };
        let constraints = after.map(|after| vec![Constraint::After(after), Constraint::CaughtIn(after)]);
        let constraints = constraints.unwrap_or_default();
        Ok(Ask { constraints, ..Ask::plain(Event::Skipped(skips), Some(sites), events) })
    }
}

/// Maps each handler to the protected instructions from which an exception bypasses the line.
fn bypasses(code: &Code, line: u32) -> BTreeMap<u32, Vec<u32>> {
    let mut found: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for handler in &code.handlers {
        let protected =
            code.instructions.iter().filter(|i| i.pc >= handler.start_pc && i.pc < handler.end_pc);
        for instruction in protected.filter(|i| i.op.can_throw()) {
            if is_bypassed(code, instruction.pc, handler.handler_pc, line) {
                found.entry(handler.handler_pc).or_default().push(instruction.pc);
            }
        }
    }
    for from in found.values_mut() {
        from.sort_unstable();
        from.dedup();
    }
    found
}

/// The instructions that can throw and from which normal flow leads to the line. An exception that a handler
/// caught and throws again came from an earlier instruction.
fn leaves(code: &Code, entries: &[u32]) -> Vec<u32> {
    let throws =
        |pc: &u32| code.at(*pc).is_some_and(|i| i.op.can_throw()) && bytecode::rethrow(code, *pc).is_none();
    leading_to(code, entries).into_iter().filter(throws).collect()
}
