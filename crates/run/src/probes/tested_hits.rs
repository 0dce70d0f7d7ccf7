//! Counts the hits at tested sites, most of which do not interrupt the program.

use super::agent_report::NumberedSite;
use super::conditions::Conditions;
use crate::report::RunReport;
use model::{Site, ThreadIdentity};
use query::TraceQuery;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use wire::TestedCounts;

/// The result that the recorder tells of a hit with another caller than the one asked for.
const STRANGER: i32 = 3;

/// The hits at tested sites of a run.
#[derive(Debug, Default)]
pub struct TestedHits {
    /// The tested sites, with their queries.
    sites: HashSet<(u16, Site)>,
    /// The queries about fields whose accesses are tested.
    fields: HashSet<u16>,
    /// The parts of conditions that are evaluated from outside, by query.
    outside: BTreeMap<u16, BTreeSet<String>>,
    /// By site and thread, what the last interruption has told of the hits before it: how many were not asked
    /// for, and how many had another caller.
    last: HashMap<(u32, ThreadIdentity), (u64, u64)>,
}

/// What the recorder tells with an interruption at a tested site.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passed {
    /// How many hits of the site in the thread were not asked for.
    pub missed: u64,
    /// How many hits that were asked for have not interrupted, since they came before the index.
    pub before: u64,
    /// How many hits of the site in the thread had another caller.
    pub strangers: u64,
}

impl TestedHits {
    /// Begins a run with these conditions.
    pub fn new(conditions: Conditions) -> TestedHits {
        let Conditions { sites, fields, outside, .. } = conditions;
        TestedHits { sites, fields, outside, last: HashMap::new() }
    }

    /// Adds to the report what the VM cannot test, and the hits that have not interrupted, as it tells them
    /// at its end.
    pub fn close(&self, report: &mut RunReport, counted: &BTreeMap<u16, TestedCounts>) {
        for (query, parts) in &self.outside {
            report.query(*query).outside = parts.iter().cloned().collect();
        }
        if counted.is_empty() {
            let tested = self.sites.iter().map(|(query, _)| query).chain(&self.fields);
            tested.for_each(|query| report.query(*query).at_least = true);
        }
        for (query, counts) in counted {
            let report = report.query(*query);
            let TestedCounts { other_thread, false_condition, other_caller, asked } = *counts;
            report.events = report.events.max(other_thread + false_condition + other_caller + asked);
            report.other_thread = report.other_thread.max(other_thread);
            report.condition_false = report.condition_false.max(false_condition + report.refuted);
            report.other_caller = report.other_caller.max(other_caller);
            report.asked = asked;
        }
    }

    /// Whether hits of a site are tested.
    pub fn is_tested(&self, site: &NumberedSite) -> bool {
        self.fields.contains(&site.query) || self.sites.contains(&(site.query, site.site.clone()))
    }

    /// Adds to the report the hits that have not interrupted since the last one in the thread that did. An
    /// interruption tells its site and the result of the test.
    pub fn note(
        &mut self,
        report: &mut RunReport,
        query: &TraceQuery,
        thread: &ThreadIdentity,
        site: u32,
        result: i32,
        passed: Passed,
    ) {
        let now = (passed.missed, passed.strangers);
        let last = self.last.insert((site, thread.clone()), now).unwrap_or_default();
        // What interrupts is counted when it is evaluated.
        let is_missed = u64::from(result == 0);
        let silent = passed.missed.saturating_sub(last.0).saturating_sub(is_missed);
        let is_stranger = u64::from(result == STRANGER);
        let strangers = passed.strangers.saturating_sub(last.1).saturating_sub(is_stranger);
        let report = report.query(query.point.0);
        report.events += silent + strangers;
        report.other_caller += strangers;
        let is_other = |wanted: &Arc<str>| !wire::names_thread(wanted, &thread.name, thread.number);
        if query.local.thread.as_ref().is_some_and(is_other) {
            report.other_thread += silent;
        } else {
            report.condition_false += silent;
        }
    }
}
