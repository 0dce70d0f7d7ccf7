//! Turns TraceQueries into the agent's plan. Pure, except that it reads class files.

use super::conditions::Conditions;
use super::field_names::means_all;
use super::gate::{Gate, GatedQueries, GatedQuery};
use super::site_events::{assigned, copied, kind_of};
use super::watched_method::WatchedMethod;
use crate::watches::{Interest, MethodWatch, Watches};
use bytecode::construct::self_call;
use bytecode::{Code, Op};
use classes::ClassPool;
use model::{Coordinate, MethodName, Site, ThreadIdentity};
use query::{Aspect, ContentsCall, Copies, Event, Field, Key, Making, TraceQuery};
use std::collections::BTreeMap;
use wire::{
    ArmedHit, ArraySites, CollectionCall, ContentsSites, Counts, FieldSites, MakingSites, MethodSites, Plan,
    PlannedQuery, PlannedSite, SiteEvent,
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
    let asked = GatedQueries { queries, gates };
    let mut planner = Planner { asked, pool, plan: Plan::default(), conditions: Conditions::default() };
    for (place, query) in queries.iter().enumerate() {
        let asked = GatedQuery { query, gate: gates.get(place).unwrap_or(&Gate::All) };
        planner.add_query(asked);
        planner.add_event(asked)?;
    }
    planner.plan.counts = gates.contains(&Gate::Count);
    let entries = planner.plan.counts.then(|| planner.count_entries());
    for query in queries {
        if let Event::Copied(copies) = &query.event {
            planner.plan.methods.extend(copying(query.point.0, copies, pool)?);
        }
    }
    for (class, watch) in &watches.classes {
        for ((name, descriptor), method) in &watch.methods {
            let name = MethodName::new(class.clone(), name.clone(), descriptor.clone());
            planner.add_method(&name, method, entries)?;
        }
    }
    planner.number_hits();
    let Planner { mut plan, mut conditions, .. } = planner;
    plan.conditions = std::mem::take(&mut conditions.classes);
    conditions.close();
    Ok((plan, conditions))
}

/// A plan in the making.
struct Planner<'a> {
    asked: GatedQueries<'a>,
    pool: &'a ClassPool,
    plan: Plan,
    conditions: Conditions,
}

impl Planner<'_> {
    /// Adds a query and which of its hits interrupt, without sites.
    fn add_query(&mut self, asked: GatedQuery<'_>) {
        let GatedQuery { query, gate } = asked;
        let number = usize::from(query.point.0);
        let queries = &mut self.plan.queries;
        if queries.len() <= number {
            queries.resize(number + 1, PlannedQuery { budget: u32::MAX, ..PlannedQuery::default() });
        }
        let Some(planned) = queries.get_mut(number) else { return };
        planned.thread = query.local.thread.as_ref().map(|name| name.to_string());
        planned.from = query.local.from.as_ref().map(|name| name.to_string());
        if let Some(budget) = gate.budget() {
            planned.budget = budget;
        }
        match gate {
            Gate::Varied(varied) => planned.varied = Some(*varied),
            Gate::First { armed, .. } => {
                planned.armed = armed.iter().filter_map(|at| armed_at(query, at)).collect();
            }
            Gate::Log(lines) => planned.lines = Some(*lines),
            Gate::All | Gate::Only(_) | Gate::Last(_) | Gate::Count => {}
        }
    }

    /// Adds an event that can occur in any method, or in methods of the JDK. The watches of a run have only
    /// the sites of the other events.
    fn add_event(&mut self, asked: GatedQuery<'_>) -> Result<(), String> {
        let (query, keep) = (asked.query.point.0, asked.gate.keeps());
        match &asked.query.event {
            Event::Written(field) => self.add_field(asked, field, true),
            Event::Read(field) => self.add_field(asked, field, false),
            Event::ElementWritten(element) => {
                self.conditions.untested(asked.query);
                let kind = kind_of(&element.descriptor);
                self.plan.arrays.push(ArraySites { query, kind, keep, index: element.index });
            }
            Event::Changed(contents) => {
                self.conditions.untested(asked.query);
                let about = format!("{} {}", contents.class, aspect(&contents.aspect));
                self.plan.contents.push(ContentsSites { query, about });
                for call in &contents.calls {
                    self.plan.methods.push(collection_call(query, call, keep, self.pool)?);
                }
            }
            Event::Made(Making::Array { descriptor }) => {
                self.conditions.untested(asked.query);
                self.plan.makings.push(MakingSites { query, descriptor: descriptor.to_string(), keep });
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds the accesses to a field, in any method.
    fn add_field(&mut self, asked: GatedQuery<'_>, field: &Field, writes: bool) {
        let tests = asked.gate.tests();
        let tested = tests.then(|| self.conditions.at_access(asked, field, writes, self.pool)).flatten();
        self.plan.fields.push(FieldSites {
            tested,
            query: asked.query.point.0,
            class: slashes(&field.class),
            name: field.name.to_string(),
            descriptor: String::new(),
            is_static: field.is_static,
            writes,
            keep: asked.gate.keeps(),
        });
    }

    /// Adds a query that counts the method entries that only JDWP events would have to report. Returns its
    /// number.
    fn count_entries(&mut self) -> u16 {
        let number = u16::try_from(self.plan.queries.len()).unwrap_or(u16::MAX);
        self.plan.queries.push(PlannedQuery::default());
        number
    }

    /// Adds the sites of a watched method. `entries` is the query that counts method entries.
    fn add_method(
        &mut self,
        name: &MethodName,
        watch: &MethodWatch,
        entries: Option<u16>,
    ) -> Result<(), String> {
        let is_numbered = watch.at.get(&0).is_some_and(|i| i.contains(&Interest::Activation));
        let (asked, pool) = (self.asked, self.pool);
        let sites = |code: &Code| {
            let mut sites = WatchedMethod { asked, pool, name, code, watch }.sites(&mut self.conditions);
            let entry = entries.filter(|_| is_numbered);
            sites.extend(entry.map(|query| PlannedSite { query, bci: 0, what: SiteEvent::Entered }));
            sites
        };
        let mut planned = in_method(name, pool, is_numbered && !self.plan.counts, sites)?;
        let is_mark = |(_, interests): &(&u32, &Vec<Interest>)| interests.contains(&Interest::Mark);
        planned.marks = watch.at.iter().filter(is_mark).map(|(bci, _)| *bci).collect();
        self.plan.methods.push(planned);
        Ok(())
    }

    /// Plans at which index a hit interrupts, for queries whose hits the VM counts exactly.
    fn number_hits(&mut self) {
        for (query, gate) in self.asked.queries.iter().zip(self.asked.gates) {
            let is_counted = match &query.event {
                Event::Written(field) | Event::Read(field) => {
                    gate.index().is_some() && means_all(self.pool, field)
                }
                _ => true,
            };
            if let Some(planned) = self.plan.queries.get_mut(usize::from(query.point.0))
                && self.conditions.tests_all(query)
                && is_counted
            {
                planned.before = gate.index();
            }
        }
    }
}

/// The queried aspect of a collection, in the recorder's format.
fn aspect(aspect: &Aspect) -> String {
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
