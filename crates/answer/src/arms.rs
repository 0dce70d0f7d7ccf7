//! Finds the arm of an expression that produced a value: the instructions that a run must mark, and the lines
//! that an answer shows.

use crate::facts::RunFacts;
use bytecode::{ArmLines, Arms, Code, Op, ValueLines};
use classes::ClassPool;
use model::{MethodName, Site};
use program::code_book::accesses;
use query::{CopyWhat, Event, TraceQuery};
use run::Marks;
use std::collections::{BTreeMap, BTreeSet};

/// The lines of the value that an instruction stores or returns. `arm` is the last mark executed before it.
pub fn given(pool: &ClassPool, site: &Site, arm: Option<u32>) -> Option<ValueLines> {
    let lines = in_code(pool, &site.method, |code| Arms::new(code)?.of(site.bci)).flatten()?;
    Some(lines.value_lines(arm))
}

/// Notes that several lines can have produced the value.
pub fn unknown(given: &ValueLines) -> Option<String> {
    let (last, others) = given.open.split_last()?;
    let others: Vec<String> = others.iter().map(ToString::to_string).collect();
    Some(format!("the value came from line {} or {last}: it is unknown which of them ran", others.join(", ")))
}

/// The instructions that a run must mark for these TraceQueries, and for sites that an earlier run found.
pub fn marks(queries: &[TraceQuery], pool: &ClassPool, found: &BTreeSet<Site>) -> Marks {
    let mut wanted: BTreeMap<&MethodName, BTreeSet<u32>> = BTreeMap::new();
    let mut fields = Vec::new();
    for site in found {
        wanted.entry(&site.method).or_default().insert(site.bci);
    }
    for query in queries {
        match &query.event {
            Event::Stored(stores) => {
                for store in stores.iter().filter(|store| store.value_at != store.site.bci) {
                    wanted.entry(&store.site.method).or_default().insert(store.site.bci);
                }
            }
            Event::Returned(methods) => {
                for method in methods {
                    let returns = in_code(pool, method, returns).unwrap_or_default();
                    wanted.entry(method).or_default().extend(returns);
                }
            }
            Event::Copied(copies) => {
                for place in copies.sites.iter().filter(|place| uses(&place.what)) {
                    wanted.entry(&place.site.method).or_default().insert(place.site.bci);
                }
            }
            Event::Written(field) => fields.push(field),
            _ => {}
        }
    }
    // Writes in other source files are marked once a run has found them.
    let puts: Vec<Site> = fields.into_iter().flat_map(|field| accesses(pool, field, true)).collect();
    for site in &puts {
        wanted.entry(&site.method).or_default().insert(site.bci);
    }
    let mut marks = Marks::new();
    for (method, sites) in wanted {
        let found = in_code(pool, method, |code| open(code, &sites)).unwrap_or_default();
        if !found.is_empty() {
            marks.insert(method.clone(), found);
        }
    }
    marks
}

/// Sites of located points whose arm is unknown; the next run must mark their arms.
pub fn unmarked(run_facts: &RunFacts) -> Vec<Site> {
    let located = run_facts.queries.iter().filter(|query| query.event.gives());
    let located = located.filter_map(|query| Some(&run_facts.located(query.point)?.occurrence));
    let unknown = located.filter(|found| found.detail.as_ref().is_none_or(|detail| detail.arm.is_none()));
    let sites = unknown.filter_map(|found| Some(run_facts.outcome.tables.frame(found.frame)?.site.clone()));
    sites
        .filter(|site| given(&run_facts.pool, site, None).is_some_and(|given| !given.open.is_empty()))
        .collect()
}

/// Whether the place stores or returns a value.
pub fn uses(what: &CopyWhat) -> bool {
    matches!(
        what,
        CopyWhat::Stored { .. }
            | CopyWhat::Put { constructed: None, .. }
            | CopyWhat::ElementPut { .. }
            | CopyWhat::Returned { .. }
    )
}

fn open(code: &Code, sites: &BTreeSet<u32>) -> BTreeSet<u32> {
    // Without jumps, only one path leads to each instruction.
    if !code.instructions.iter().any(|i| !i.op.targets().is_empty()) {
        return BTreeSet::new();
    }
    let Some(arms) = Arms::new(code) else { return BTreeSet::new() };
    let found = sites.iter().filter_map(|pc| arms.of(*pc)).filter(ArmLines::is_open);
    found.flat_map(|lines| lines.marks.into_keys()).collect()
}

fn returns(code: &Code) -> Vec<u32> {
    let returns = code.instructions.iter().filter(|i| matches!(i.op, Op::Return(Some(_))));
    returns.map(|i| i.pc).collect()
}

fn in_code<T>(pool: &ClassPool, method: &MethodName, look: impl FnOnce(&Code) -> T) -> Option<T> {
    let class = pool.find(&method.class).ok().flatten()?;
    Some(look(class.file.method(&method.name, &method.descriptor)?.code.as_ref()?))
}
