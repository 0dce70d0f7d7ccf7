//! The steps of a value flow, as an answer shows them.

use super::{StatementAnswer, StepAnswer, arms};
use crate::facts::{RunFacts, visit};
use bytecode::ValueLines;
use bytecode::class::ACC_BRIDGE;
use bytecode::stores::variable_in_slot;
use model::{FlowStep, Frame, Site, ValueFlow};
use program::code_book::CodeBook;
use query::{Copies, CopyWhat};

/// The steps of an observed value flow, from the point backwards.
pub fn steps(
    run_facts: &RunFacts,
    copies: &Copies,
    flow: &ValueFlow,
    book: &CodeBook<'_>,
) -> Vec<StepAnswer> {
    flow.steps.iter().filter_map(|step| one(run_facts, copies, step, book)).collect()
}

fn one(run_facts: &RunFacts, copies: &Copies, step: &FlowStep, book: &CodeBook<'_>) -> Option<StepAnswer> {
    let outcome = &run_facts.outcome;
    let visit = visit(&step.at, &outcome.report.visits, &outcome.tables)?;
    let what = &copies.site(step.at.way?.get().into())?.what;
    let own = outcome.tables.frame(visit.frame)?;
    // A parameter is shown at the call that passes it.
    let caller = visit.caller.filter(|_| step.caller.is_some() && matches!(what, CopyWhat::Entered { .. }));
    let frame: &Frame = caller.and_then(|caller| outcome.tables.frame(caller)).unwrap_or(own);
    if is_bridge(&frame.site, book) {
        return None;
    }
    let given = match caller {
        None if arms::uses(what) => arms::given(book.pool, &own.site, visit.arm).unwrap_or_default(),
        _ => ValueLines::default(),
    };
    let shown = Frame { line: given.line.or(frame.line), ..frame.clone() };
    Some(StepAnswer {
        passed: passed(what).to_owned(),
        variable: variable(what, &own.site, book),
        class: frame.site.method.class.to_string(),
        method: frame.site.method.name.to_string(),
        file: frame.source_file.as_ref().map(ToString::to_string),
        line: shown.line,
        text: book.text(&shown),
        statement: StatementAnswer::of(book, frame, &given),
        thread: outcome.tables.thread_label(&visit.at.thread).to_string(),
        hit: step.at.ordinal.into(),
    })
}

/// Whether the compiler generated the method as a bridge to one of the same name with other types.
fn is_bridge(site: &Site, book: &CodeBook<'_>) -> bool {
    let found = book.pool.find(&site.method.class).ok().flatten();
    let method = found.as_ref().and_then(|f| f.file.method(&site.method.name, &site.method.descriptor));
    method.is_some_and(|method| method.access & ACC_BRIDGE != 0)
}

fn passed(what: &CopyWhat) -> &'static str {
    match what {
        CopyWhat::Entered { .. } => "parameter",
        CopyWhat::Returned { .. } => "returned",
        CopyWhat::Put { .. } => "field",
        CopyWhat::ElementPut { .. } => "element",
        CopyWhat::Called { .. } => "argument",
        _ => "assigned",
    }
}

/// The target of the copy: `x`, `Box.value`, `m()`.
fn variable(what: &CopyWhat, site: &Site, book: &CodeBook<'_>) -> Option<String> {
    let found = book.pool.find(&site.method.class).ok().flatten()?;
    let code = found.file.method(&site.method.name, &site.method.descriptor)?.code.as_ref()?;
    let local = |slot: u16, pc: u32| variable_in_slot(code, slot, pc).map(|v| v.name.clone());
    match what {
        CopyWhat::Entered { slot, .. } => local(*slot, 0),
        // The range of a variable begins after its first store.
        CopyWhat::Stored { slot, .. } | CopyWhat::Increased { slot, .. } => {
            local(*slot, code.successor(site.bci)?)
        }
        CopyWhat::Put { name, .. } => Some(name.to_string()),
        CopyWhat::Returned { .. } => Some(format!("{}()", site.method.name)),
        CopyWhat::ElementPut { .. } => book.assigned(site).map(|text| match text.split_once(" = ") {
            Some((target, _)) => target.to_owned(),
            None => text,
        }),
        _ => None,
    }
}
