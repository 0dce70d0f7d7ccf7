//! Turns TraceQueries into the agent's plan. Pure, except that it reads class files.

use super::conditions::Conditions;
use super::field_names::means_all;
use super::gate::{Gate, GatedQuery};
use crate::watches::{Interest, MethodWatch, Watches};
use bytecode::construct::self_call;
use bytecode::{Code, Op};
use classes::ClassPool;
use model::{Coordinate, MethodName, Site, ThreadIdentity};
use query::{
    self, Aspect, ContentsCall, Copies, CopySite, CopyWhat, Event, Key, Making, MakingSite, StoreSite,
    TraceQuery, groups_of_way,
};
use std::collections::{BTreeMap, BTreeSet};
use wire::{
    ArmedHit, ArraySites, BranchEdge, CollectionCall, ContentsSites, CopyEvent, Counts, FieldSites,
    LocalStore, MakingSites, MethodSites, Plan, PlannedQuery, PlannedSite, SiteEvent, TestPlace,
};

/// How far the number of a thread without a name may be from that in the previous run.
const NEAR: u64 = 256;

/// The plan for these queries and the watches of a run.
///
/// # Errors
/// The reason why something cannot be watched by probes.
pub fn plan(
    queries: &[TraceQuery],
    gates: &[Gate],
    watches: &Watches,
    pool: &ClassPool,
) -> Result<(Plan, Conditions), String> {
    let mut plan = Plan::default();
    let mut conditions = Conditions::default();
    for (place, query) in queries.iter().enumerate() {
        let gate = gates.get(place).unwrap_or(&Gate::All);
        let number = usize::from(query.point.0);
        if plan.queries.len() <= number {
            plan.queries.resize(number + 1, PlannedQuery { budget: u32::MAX, ..PlannedQuery::default() });
        }
        if let (Some(planned), Some(budget)) = (plan.queries.get_mut(number), gate.budget()) {
            planned.budget = budget;
            if let Gate::Varied(varied) = gate {
                planned.varied = Some(*varied);
            }
            if let Gate::First { armed, .. } = gate {
                planned.armed = armed.iter().filter_map(|at| armed_at(query, at)).collect();
            }
        }
        if let Some(planned) = plan.queries.get_mut(number) {
            planned.thread = query.local.thread.as_ref().map(|name| name.to_string());
            planned.from = query.local.from.as_ref().map(|name| name.to_string());
            if let Gate::Log(lines) = gate {
                planned.lines = Some(*lines);
            }
        }
        let (field, writes) = match &query.event {
            Event::Written(field) => (field, true),
            Event::Read(field) => (field, false),
            Event::ElementWritten(element) => {
                conditions.untested(query);
                let kind = kind_of(&element.descriptor);
                let (query, keep) = (query.point.0, gate.keeps());
                plan.arrays.push(ArraySites { query, kind, keep, index: element.index });
                continue;
            }
            Event::Changed(contents) => {
                conditions.untested(query);
                let query = query.point.0;
                let about = format!("{} {}", contents.class, asked(&contents.aspect));
                plan.contents.push(ContentsSites { query, about });
                for call in &contents.calls {
                    plan.methods.push(collection_call(query, call, gate.keeps(), pool)?);
                }
                continue;
            }
            Event::Made(Making::Array { descriptor }) => {
                conditions.untested(query);
                let (query, descriptor) = (query.point.0, descriptor.to_string());
                plan.makings.push(MakingSites { query, descriptor, keep: gate.keeps() });
                continue;
            }
            _ => continue,
        };
        let tested = gate
            .tests()
            .then(|| conditions.at_access(GatedQuery { query, gate }, field, writes, pool))
            .flatten();
        plan.fields.push(FieldSites {
            tested,
            query: query.point.0,
            class: slashes(&field.class),
            name: field.name.to_string(),
            descriptor: String::new(),
            is_static: field.is_static,
            writes,
            keep: gate.keeps(),
        });
    }
    plan.counts = gates.contains(&Gate::Count);
    // Also count the method entries that only JDWP events would have to report.
    let entries = plan.counts.then(|| u16::try_from(plan.queries.len()).unwrap_or(u16::MAX));
    plan.queries.extend(entries.map(|_| PlannedQuery::default()));
    for query in queries {
        if let Event::Copied(copies) = &query.event {
            plan.methods.extend(copying(query.point.0, copies, pool)?);
        }
    }
    for (class, watch) in &watches.classes {
        for ((name, descriptor), method) in &watch.methods {
            let name = MethodName::new(class.clone(), name.clone(), descriptor.clone());
            let numbered = method.at.get(&0).is_some_and(|i| i.contains(&Interest::Activation));
            let sites = |code: &Code| {
                let mut sites = sites(queries, gates, pool, method, code, &name, &mut conditions);
                let entry = entries.filter(|_| numbered);
                sites.extend(entry.map(|query| PlannedSite { query, bci: 0, what: SiteEvent::Entered }));
                sites
            };
            let mut planned = in_method(&name, pool, numbered && !plan.counts, sites)?;
            let is_mark = |(_, interests): &(&u32, &Vec<Interest>)| interests.contains(&Interest::Mark);
            planned.marks = method.at.iter().filter(is_mark).map(|(bci, _)| *bci).collect();
            plan.methods.push(planned);
        }
    }
    for (query, gate) in queries.iter().zip(gates) {
        let is_counted = match &query.event {
            Event::Written(field) | Event::Read(field) => gate.index().is_some() && means_all(pool, field),
            _ => true,
        };
        if let Some(planned) = plan.queries.get_mut(usize::from(query.point.0))
            && conditions.tests_all(query)
            && is_counted
        {
            planned.before = gate.index();
        }
    }
    plan.conditions = std::mem::take(&mut conditions.classes);
    conditions.close();
    Ok((plan, conditions))
}

/// The queried aspect of a collection, in the recorder's format.
fn asked(aspect: &Aspect) -> String {
    match aspect {
        Aspect::All => "c".to_owned(),
        Aspect::Element(index) => format!("i{index}"),
        Aspect::Key(Key::Null) => "n".to_owned(),
        Aspect::Key(Key::Text(text)) => {
            text.encode_utf16().fold("s".to_owned(), |all, unit| format!("{all}{unit:04x}"))
        }
        Aspect::Key(Key::Boxed(letter, number)) => format!("{letter}{number}"),
    }
}

/// The site for a method of a collection.
fn collection_call(
    query: u16,
    call: &ContentsCall,
    keep: bool,
    pool: &ClassPool,
) -> Result<MethodSites, String> {
    let name = &call.method;
    let file = pool.find(&name.class).ok().flatten();
    let file = file.ok_or_else(|| format!("no class file of {} was found", name.class))?;
    let found = file.file.method(&name.name, &name.descriptor);
    let (method, code) = found
        .and_then(|m| Some((m, m.code.as_ref()?)))
        .ok_or_else(|| format!("{} has no {name} with code", file.origin))?;
    let returns = code.instructions.iter().filter(|i| matches!(i.op, Op::Return(_))).map(|i| i.pc);
    let made = if &*name.name == "<init>" {
        let made = self_call(&file.file, method);
        Some(made.ok_or_else(|| format!("the place where {name} creates its object cannot be found"))?)
    } else {
        None
    };
    let result = name.descriptor.rsplit_once(')').map_or("V", |(_, result)| result);
    let what = SiteEvent::Changes(CollectionCall {
        is_view: call.is_view,
        calls: call.calls,
        counts: match call.counts {
            query::Counts::No => Counts::No,
            query::Counts::Put(slot, place) => Counts::Put(
                slot,
                match place {
                    query::PutPosition::At(slot) => wire::PutPosition::At(slot),
                    query::PutPosition::Key(slot) => wire::PutPosition::Key(slot),
                    query::PutPosition::Here => wire::PutPosition::Here,
                },
            ),
            query::Counts::May => Counts::May,
        },
        returns: returns.collect(),
        result: result.chars().next().unwrap_or('V'),
        call: made.map(|made| (made.pc, made.behind)),
        keep,
    });
    Ok(MethodSites {
        class: slashes(&name.class),
        name: name.name.to_string(),
        descriptor: name.descriptor.to_string(),
        code: wire::code_hash(&code.bytes),
        serial: false,
        marks: Vec::new(),
        stack_values: Vec::new(),
        sites: vec![PlannedSite { query, bci: 0, what }],
    })
}

/// The sites of one method.
pub fn in_method(
    name: &MethodName,
    pool: &ClassPool,
    serial: bool,
    sites: impl FnOnce(&Code) -> Vec<PlannedSite>,
) -> Result<MethodSites, String> {
    let file = pool.find(&name.class).ok().flatten();
    let file = file.ok_or_else(|| format!("no class file of {} was found", name.class))?;
    let found = file.file.method(&name.name, &name.descriptor);
    let code = found.and_then(|m| m.code.as_ref());
    let code = code.ok_or_else(|| format!("{} has no {name} with code", file.origin))?;
    Ok(MethodSites {
        class: slashes(&name.class),
        name: name.name.to_string(),
        descriptor: name.descriptor.to_string(),
        code: wire::code_hash(&code.bytes),
        serial,
        marks: Vec::new(),
        stack_values: Vec::new(),
        sites: sites(code),
    })
}

/// The methods that can copy a value.
fn copying(query: u16, copies: &Copies, pool: &ClassPool) -> Result<Vec<MethodSites>, String> {
    let mut by_method: BTreeMap<&MethodName, Vec<PlannedSite>> = BTreeMap::new();
    for place in &copies.sites {
        let site = PlannedSite { query, bci: place.site.bci, what: copied(place) };
        by_method.entry(&place.site.method).or_default().push(site);
    }
    let methods = by_method.into_iter().map(|(name, sites)| in_method(name, pool, true, |_| sites));
    methods.collect()
}

/// What happens at a place that a value can pass.
pub fn copied(place: &CopySite) -> SiteEvent {
    SiteEvent::Copied(match &place.what {
        CopyWhat::Entered { slot, descriptor, .. } => {
            CopyEvent::Entered(LocalStore { slot: *slot, kind: kind_of(descriptor) })
        }
        CopyWhat::Stored { kind, .. } | CopyWhat::Returned { kind } => CopyEvent::Top { kind: *kind },
        CopyWhat::Increased { slot, by } => CopyEvent::Increased { slot: *slot, by: *by },
        CopyWhat::Put { constructed: Some(behind), .. } => CopyEvent::Constructed { behind: *behind },
        CopyWhat::Put { descriptor, is_static, .. } => {
            CopyEvent::Put { kind: kind_of(descriptor), is_static: *is_static }
        }
        CopyWhat::ElementPut { kind } => CopyEvent::ElementPut { kind: *kind },
        CopyWhat::Got { kind, is_static } => CopyEvent::Got { kind: *kind, is_static: *is_static },
        CopyWhat::GotElement => CopyEvent::GotElement,
        CopyWhat::Called { .. } | CopyWhat::Chosen => CopyEvent::Here,
        CopyWhat::Back => CopyEvent::Behind,
    })
}

/// Converts a binary class name to the form of class files.
pub fn slashes(name: &str) -> String {
    name.replace('.', "/")
}

/// The numbers that a thread of the previous run can have in this one. A name usually identifies the thread,
/// or a few. There may be thousands without a name: the VM numbers them in turn, but for a few of its own.
fn near(thread: &ThreadIdentity) -> Option<(u64, u64)> {
    let is_known = thread.name.is_empty() && thread.number != 0;
    is_known.then(|| (thread.number.saturating_sub(NEAR), thread.number.saturating_add(NEAR)))
}

fn armed_at(query: &TraceQuery, at: &Coordinate) -> Option<ArmedHit> {
    let way = match &query.event {
        Event::Stored(stores) => {
            let store = stores.get(usize::from(at.way?.get()))?;
            assigned(store, None).and_then(|what| what.way())
        }
        Event::Copied(copies) => copied(copies.site(at.way?.get().into())?).way(),
        _ => None,
    };
    let Site { method, bci } = &at.site;
    Some(ArmedHit {
        class: slashes(&method.class),
        method: method.name.to_string(),
        descriptor: method.descriptor.to_string(),
        bci: *bci,
        way,
        thread: at.thread.name.to_string(),
        numbers: near(&at.thread),
        ordinal: at.ordinal.into(),
    })
}

fn sites(
    queries: &[TraceQuery],
    gates: &[Gate],
    pool: &ClassPool,
    watch: &MethodWatch,
    code: &Code,
    name: &MethodName,
    conditions: &mut Conditions,
) -> Vec<PlannedSite> {
    let mut found = Vec::new();
    let tested = tested(queries, gates, pool, watch, conditions);
    let event = |number: u16| queries.iter().find(|q| q.point.0 == number).map(|q| &q.event);
    for (bci, interests) in &watch.at {
        for interest in interests {
            let mut add = |query: u16, what: SiteEvent| {
                let site = PlannedSite { query, bci: *bci, what };
                if !found.contains(&site) {
                    found.push(site);
                }
            };
            match *interest {
                Interest::Activation | Interest::Redefined | Interest::Completes | Interest::Mark => {}
                Interest::PassEnds { query, pass } => match tested.contains_key(&(query, pass)) {
                    true => add(query, SiteEvent::PassEnded(pass)),
                    false => add(query, SiteEvent::At),
                },
                Interest::Pass { query, pass } => {
                    if let Some(what) = tested.get(&(query, pass)).and_then(|at| at.get(bci)) {
                        add(query, what.clone());
                        continue;
                    }
                    let Some(Event::Reached(passes)) = event(query) else { continue };
                    let on_entry = passes.get(usize::from(pass)).is_some_and(|p| p.on_entry);
                    add(query, if on_entry { SiteEvent::Entered } else { SiteEvent::At });
                }
                Interest::Store { query, store } => {
                    let Some(Event::Stored(stores)) = event(query) else { continue };
                    let Some(store) = stores.get(usize::from(store)) else { continue };
                    let Some(what) = assigned(store, Some(code)) else { continue };
                    let asked = narrowed(queries, gates, query);
                    let tested = asked.and_then(|asked| conditions.at_store(asked, store, &what, pool));
                    add(query, tested.unwrap_or(what));
                }
                Interest::Made { query } => {
                    let Some(Event::Made(Making::Object { sites, .. })) = event(query) else { continue };
                    let here = |s: &&MakingSite| s.site.method == *name && s.site.bci == *bci;
                    let Some(made) = sites.iter().find(here) else { continue };
                    let place = queries.iter().position(|q| q.point.0 == query);
                    let gate = place.and_then(|place| gates.get(place));
                    let keep = gate.is_some_and(Gate::keeps);
                    add(query, SiteEvent::Made { call: made.call, keep });
                }
                Interest::Turn { query, branch } => add(query, SiteEvent::Turn(branch)),
                Interest::Branch { query, branch } => {
                    let number = Some(branch);
                    let Some(Event::Branched(branches)) = event(query) else { continue };
                    let Some(branch) = branches.get(usize::from(branch)) else { continue };
                    let Some(instruction) = code.at(*bci) else { continue };
                    let targets = instruction.op.targets();
                    let next = instruction.next_pc();
                    let goes_on = !matches!(instruction.op, Op::Switch { .. });
                    let all: BTreeSet<u32> = targets.iter().copied().chain(goes_on.then_some(next)).collect();
                    let edge = |to: u32| {
                        let (jumps, falls) = (targets.contains(&to), goes_on && to == next);
                        let leaves = number.filter(|_| branch.turns.is_some() && branch.decides(to));
                        BranchEdge { to, jumps, falls, leaves }
                    };
                    let ways: Vec<(BranchEdge, Vec<u16>)> = all
                        .into_iter()
                        .map(|to| (edge(to), groups_of_way(branches, &branch.site, to)))
                        .collect();
                    // An edge that decides about no asked place is only counted.
                    let asked_for: Vec<BranchEdge> =
                        ways.iter().filter(|(_, groups)| !groups.is_empty()).map(|(edge, _)| *edge).collect();
                    let asked = narrowed(queries, gates, query).filter(|_| !branch.is_handler());
                    let tests = asked.and_then(|a| conditions.at_branch(a, &branch.site, &asked_for, pool));
                    let is_tested = tests.is_some();
                    tests.into_iter().flatten().for_each(|test| add(query, test));
                    for (edge, groups) in ways {
                        if !is_tested || groups.is_empty() {
                            add(query, SiteEvent::Way { edge, groups });
                        }
                    }
                }
            }
        }
    }
    // A point is the state before an instruction, so it precedes the instruction's assignment. At the entry
    // of a method its parameters have their values.
    found.sort_by_key(|site| {
        let order = match &site.what {
            SiteEvent::Tested(tested) if tested.place == TestPlace::Entry => 2,
            SiteEvent::At | SiteEvent::Tested(_) => 0,
            _ => 1,
        };
        (site.bci, order)
    });
    let kind = kind_of(name.descriptor.rsplit_once(')').map_or("V", |(_, result)| result));
    for query in &watch.returns {
        for instruction in &code.instructions {
            if matches!(instruction.op, Op::Return(_)) {
                let place = queries.iter().position(|q| q.point.0 == *query);
                let asked = place.and_then(|place| {
                    Some(GatedQuery { query: queries.get(place)?, gate: gates.get(place)? })
                });
                let asked = asked.filter(|asked| asked.gate.tests());
                let tested = asked.and_then(|asked| conditions.at_return(asked, name, instruction.pc, pool));
                let what = tested.unwrap_or(SiteEvent::Returns { kind });
                found.push(PlannedSite { query: *query, bci: instruction.pc, what });
            }
        }
    }
    found
}

/// A query with a condition, or that asks for a thread or a caller, and its gate. All hits that it asks for
/// stop.
fn narrowed<'a>(queries: &'a [TraceQuery], gates: &'a [Gate], number: u16) -> Option<GatedQuery<'a>> {
    let place = queries.iter().position(|query| query.point.0 == number)?;
    let (query, gate) = (queries.get(place)?, gates.get(place)?);
    let local = &query.local;
    let is_narrowed = local.when.is_some() || local.thread.is_some() || local.from.is_some();
    (is_narrowed && *gate == Gate::All).then_some(GatedQuery { query, gate })
}

/// The tests of the passes in a method, by query and pass, then by index. A pass is tested at all of its
/// sites or at none.
fn tested(
    queries: &[TraceQuery],
    gates: &[Gate],
    pool: &ClassPool,
    watch: &MethodWatch,
    conditions: &mut Conditions,
) -> BTreeMap<(u16, u16), BTreeMap<u32, SiteEvent>> {
    let mut tested: BTreeMap<(u16, u16), BTreeMap<u32, SiteEvent>> = BTreeMap::new();
    for (place, query) in queries.iter().enumerate() {
        let (Event::Reached(passes), Some(gate)) = (&query.event, gates.get(place)) else { continue };
        if !gate.tests() {
            continue;
        }
        // Of such a pass, each place that it reaches is counted.
        if *gate == Gate::Count && passes.iter().any(|pass| pass.entries.len() > 1) {
            continue;
        }
        for (number, pass) in (0..).zip(passes) {
            let begins = Interest::Pass { query: query.point.0, pass: number };
            if !watch.at.values().any(|interests| interests.contains(&begins)) {
                continue;
            }
            if let Some(tests) = conditions.at_pass(GatedQuery { query, gate }, number, pass, pool) {
                tested.insert((query.point.0, number), tests);
            }
        }
    }
    tested
}

/// The first letter of a descriptor; `L` for every reference.
fn kind_of(descriptor: &str) -> char {
    descriptor.chars().next().filter(|letter| *letter != '[').unwrap_or('L')
}

/// What happens at a store; without the code this is known only for parameters.
pub fn assigned(store: &StoreSite, code: Option<&Code>) -> Option<SiteEvent> {
    let local = LocalStore { slot: store.slot, kind: kind_of(&store.descriptor) };
    if store.value_at == store.site.bci {
        return Some(SiteEvent::Passed(local));
    }
    match code?.at(store.site.bci)?.op {
        Op::Iinc { slot, by } => Some(SiteEvent::Increased { slot, by }),
        _ => Some(SiteEvent::Stored(local)),
    }
}
