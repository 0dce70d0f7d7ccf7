//! Conditions that are tested in the VM, so that only hits that satisfy them interrupt the program.
//!
//! A compiled condition says "false", "true" or "unknown". Hits for which it is false are counted. All others
//! interrupt, and so do false ones at each power of two, which show how the operands change. What interrupts is
//! evaluated again from outside, and that decides.

use super::agent_report::NumberedSite;
use super::ask::RecorderStop;
use super::gate::Gate;
use crate::classes::ClassPool;
use crate::expr::{self, ClassLookup, Scope, TestedSite};
use crate::model::{MethodName, Site};
use crate::query::{Event, Pass, TraceQuery};
use crate::run::report::RunReport;
use bytecode::{ClassFile, Kind};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use wire::{CompiledCondition, LocalStore, SiteEvent, TestParameter, TestedCondition, TestedCounts};

/// The first version of class files whose code can name its class as a constant (JVMS §5.1).
const NAMES_CLASSES: u16 = 49;

/// The conditions of one run, compiled for their sites.
#[derive(Debug, Default)]
pub struct Conditions {
    /// The classes.
    pub classes: Vec<CompiledCondition>,
    /// The tested sites, with their queries.
    pub sites: HashSet<(u16, Site)>,
    /// The parts of conditions that are evaluated from outside, by query.
    pub outside: BTreeMap<u16, BTreeSet<String>>,
}

impl Conditions {
    /// How the condition of a query is tested where a pass begins. `None` if it is evaluated from outside at each
    /// hit.
    pub fn test(
        &mut self,
        (query, gate): (&TraceQuery, &Gate),
        (number, pass): (u16, &Pass),
        bci: u32,
        pool: &ClassPool,
    ) -> Option<SiteEvent> {
        let is_filtered = query.local.thread.is_some() || query.local.from.is_some() || gate != &Gate::All;
        let always;
        let when = match &query.local.when {
            Some(when) => &**when,
            None if is_filtered => {
                always = expr::Expr::parse("true").ok()?;
                &always
            }
            None => return None,
        };
        let found = pool.find(&pass.method.class).ok().flatten()?;
        let method = found.file.method(&pass.method.name, &pass.method.descriptor)?;
        let kinds = kinds(&pass.method, bci, pool)?;
        let scope = Scope::at(&found.file, method, bci);
        let has_passes = pass.entries.len() > 1;
        let site =
            TestedSite { scope: &scope, kinds: &kinds, classes: &Known(pool), has_passes, is_filtered };
        let condition = u16::try_from(self.classes.len()).ok()?;
        let name = format!("{}Condition{condition}", wire::PROBE_CLASS);
        let compiled = expr::compile(when, &site, &name);
        let outside = self.outside.entry(query.point.0).or_default();
        match &compiled {
            Some(compiled) => outside.extend(compiled.outside.iter().cloned()),
            None => {
                outside.insert(when.text().to_owned());
            }
        }
        let compiled = compiled?;
        let parameters = compiled.parameters.iter().map(|parameter| match *parameter {
            expr::TestParameter::Local(slot, kind) => TestParameter::Local(LocalStore { slot, kind }),
            expr::TestParameter::Class => TestParameter::Class,
            expr::TestParameter::Begun => TestParameter::Begun,
        });
        let parameters: Vec<TestParameter> = parameters.collect();
        if found.file.major < NAMES_CLASSES && parameters.contains(&TestParameter::Class) {
            return None;
        }
        self.classes.push(CompiledCondition { class: name, bytes: compiled.bytes });
        self.sites.insert((query.point.0, Site { method: pass.method.clone(), bci }));
        Some(SiteEvent::Tested(TestedCondition {
            condition,
            parameters,
            descriptor: compiled.descriptor,
            pass: has_passes.then_some(number),
            on_entry: pass.on_entry,
        }))
    }
}

impl Conditions {
    /// Whether each place of a query is tested.
    pub fn tests_all(&self, query: &TraceQuery) -> bool {
        let Event::Reached(passes) = &query.event else { return false };
        let mut sites = passes
            .iter()
            .flat_map(|pass| pass.entries.iter().map(|bci| Site { method: pass.method.clone(), bci: *bci }));
        sites.all(|site| self.sites.contains(&(query.point.0, site)))
    }
}

/// The class files, for names in conditions.
struct Known<'a>(&'a ClassPool);

impl ClassLookup for Known<'_> {
    fn class(&self, binary_name: &str) -> Option<Arc<ClassFile>> {
        self.0.find(binary_name).ok().flatten().map(|found| found.file.clone())
    }
}

/// What the verifier knows of the local variables at an index.
fn kinds(method: &MethodName, bci: u32, pool: &ClassPool) -> Option<BTreeMap<u16, Kind>> {
    let bytes = pool.read(&method.class).ok().flatten()?.bytes;
    bytecode::rewrite::local_kinds(&bytes, &method.name, &method.descriptor, bci).ok().flatten()
}

/// The result that the recorder tells of a hit with another caller than the one asked for.
const STRANGER: i32 = 3;

/// The hits at tested sites of a run.
#[derive(Debug, Default)]
pub struct TestedHits {
    /// The tested sites, with their queries.
    sites: HashSet<(u16, Site)>,
    /// The parts of conditions that are evaluated from outside, by query.
    outside: BTreeMap<u16, BTreeSet<String>>,
    /// By site and thread, what the last interruption has told of the hits before it: how many were not asked for,
    /// and how many had another caller.
    last: HashMap<(u32, Arc<str>), (u64, u64)>,
}

/// What the recorder tells with an interruption at a tested site.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passed {
    /// How many hits that were asked for have not interrupted, since they came before the index.
    pub before: u64,
    /// How many hits of the site in the thread had another caller.
    pub strangers: u64,
}

impl TestedHits {
    /// Begins a run with these conditions.
    pub fn new(conditions: Conditions) -> TestedHits {
        let Conditions { sites, outside, .. } = conditions;
        TestedHits { sites, outside, last: HashMap::new() }
    }

    /// Adds to the report what the VM cannot test, and the hits that have not interrupted, as it tells them at its
    /// end.
    pub fn close(&self, report: &mut RunReport, counted: &BTreeMap<u16, TestedCounts>) {
        for (query, parts) in &self.outside {
            report.query(*query).outside = parts.iter().cloned().collect();
        }
        for (query, counts) in counted {
            let report = report.query(*query);
            let TestedCounts { other_thread, false_condition, other_caller, asked } = *counts;
            report.events = report.events.max(other_thread + false_condition + other_caller + asked);
            report.other_thread = report.other_thread.max(other_thread);
            report.condition_false = report.condition_false.max(false_condition);
            report.other_caller = report.other_caller.max(other_caller);
            report.asked = asked;
        }
    }

    /// Whether hits of a site are tested.
    pub fn is_tested(&self, site: &NumberedSite) -> bool {
        self.sites.contains(&(site.query, site.site.clone()))
    }

    /// Adds to the report the hits that have not interrupted since the last one in the thread that did.
    pub fn note(
        &mut self,
        report: &mut RunReport,
        query: &TraceQuery,
        thread: &Arc<str>,
        hit: &RecorderStop,
        passed: Passed,
    ) {
        let missed = u64::try_from(hit.bits).unwrap_or(0);
        let now = (missed, passed.strangers);
        let last = self.last.insert((hit.site, thread.clone()), now).unwrap_or_default();
        // What interrupts is counted when it is evaluated.
        let is_missed = u64::from(hit.index == 0);
        let silent = missed.saturating_sub(last.0).saturating_sub(is_missed);
        let is_stranger = u64::from(hit.index == STRANGER);
        let strangers = passed.strangers.saturating_sub(last.1).saturating_sub(is_stranger);
        let report = report.query(query.point.0);
        report.events += silent + strangers;
        report.other_caller += strangers;
        if query.local.thread.as_ref().is_some_and(|wanted| wanted != thread) {
            report.other_thread += silent;
        } else {
            report.condition_false += silent;
        }
    }
}
