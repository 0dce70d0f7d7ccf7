//! Values of the operand stack in an answer: the instructions for which a run must keep them, and their
//! texts.

use super::PointAnswer;
use super::contents::add_contents_of;
use crate::facts::RunFacts;
use bytecode::{Expressions, StackPlace};
use classes::ClassPool;
use locate::Located;
use model::{MethodName, Namer, Site, StackValue, Tables};
use program::code_book::{CodeBook, accesses};
use query::{Event, TraceQuery};
use std::collections::{BTreeMap, BTreeSet};

/// The text of a value that was only on the operand stack, if no probe has kept it.
pub const GONE: &str = "? (not kept in a variable)";

/// The branches and stores of these TraceQueries, and sites that an earlier run found.
pub fn users(queries: &[TraceQuery], pool: &ClassPool, found: &BTreeSet<Site>) -> BTreeSet<Site> {
    let mut users = found.clone();
    for query in queries {
        match &query.event {
            Event::Branched(branches) => {
                let branches = branches.iter().filter(|branch| !branch.is_handler());
                users.extend(branches.map(|branch| branch.site.clone()));
            }
            Event::Stored(stores) => users.extend(stores.iter().map(|store| store.site.clone())),
            // Writes in other source files are known once a run has found them.
            Event::Written(field) => users.extend(accesses(pool, field, true)),
            _ => {}
        }
    }
    users
}

/// The calls whose results these TraceQueries use from the operand stack, as instructions by method. Results
/// of earlier evaluations, which an instruction may see in their place, are left out.
pub fn calls(
    queries: &[TraceQuery],
    pool: &ClassPool,
    found: &BTreeSet<Site>,
) -> BTreeMap<MethodName, BTreeSet<u32>> {
    let mut calls: BTreeMap<MethodName, BTreeSet<u32>> = BTreeMap::new();
    for site in users(queries, pool, found) {
        for value in texts(pool, &site) {
            if let (StackPlace::After(pc), None) = (value.place, value.forget_before) {
                calls.entry(site.method.clone()).or_default().insert(pc);
            }
        }
    }
    calls
}

/// Sites of located writes whose values the run has not kept, since it did not know the sites. `found` are
/// those that earlier runs found.
pub fn unkept(run_facts: &RunFacts, found: &BTreeSet<Site>) -> Vec<Site> {
    if run_facts.gates.is_none() {
        return Vec::new();
    }
    let known = users(&run_facts.queries, &run_facts.pool, found);
    let is_write = |query: &&TraceQuery| matches!(query.event, Event::Written(_) | Event::ElementWritten(_));
    let located = run_facts.queries.iter().filter(is_write).filter_map(|query| {
        let found = &run_facts.located(query.point)?.occurrence;
        Some(run_facts.outcome.tables.frame(found.frame)?.site.clone())
    });
    located.filter(|site| !known.contains(site) && !texts(&run_facts.pool, site).is_empty()).collect()
}

/// The values that the instruction at a site uses.
fn texts(pool: &ClassPool, site: &Site) -> Vec<bytecode::StackValue> {
    let Ok(Some(class)) = pool.find(&site.method.class) else { return Vec::new() };
    let Some(method) = class.file.method(&site.method.name, &site.method.descriptor) else {
        return Vec::new();
    };
    Expressions::new(&class.file, method).map(|e| e.stack_values(site.bci)).unwrap_or_default()
}

/// Adds the kept values of a located point to its operands. This comes last, so that the numbers of other
/// objects are the same without them.
pub fn add_stack_values(
    answer: &mut PointAnswer,
    namer: &mut Namer,
    tables: &Tables,
    book: &CodeBook<'_>,
    found: &Located,
) {
    let Some(detail) = &found.occurrence.detail else { return };
    let Some(frame) = tables.frame(found.occurrence.frame).filter(|_| !detail.stack_values.is_empty()) else {
        return;
    };
    for text in texts(book.pool, &frame.site) {
        let place = |kept: &&StackValue| match text.place {
            StackPlace::Before(pc) => kept.is_before && kept.pc == pc,
            StackPlace::After(pc) => !kept.is_before && kept.pc == pc,
        };
        let Some(kept) = detail.stack_values.iter().find(place) else { continue };
        if answer.operands.get(&text.text).is_none_or(|known| known == GONE) {
            answer.operands.insert(text.text, namer.text(&kept.value, tables));
            let name = namer.identity(&kept.value, tables);
            add_contents_of(answer, namer, tables, &kept.value, name, &found.occurrence);
        }
    }
}
