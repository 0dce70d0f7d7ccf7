//! Collects the hit counts of a run that only counts.

use super::agent_report::AgentReport;
use super::field_names::means;
use classes::ClassPool;
use model::Site;
use query::{Event, TraceQuery};
use std::collections::BTreeMap;
use std::time::Duration;
use wire::TestedCounts;

/// The hits of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HitCounts {
    /// Hits of the queries by site; sites in classes not loaded are missing.
    pub sites: Vec<SiteHits>,
    /// Number of method entries that interrupt with JDWP events but not with probes.
    pub entries: u64,
    /// CPU time of the VM, if the operating system reports it.
    pub busy: Option<Duration>,
    /// What became of the hits of queries that the VM has tested.
    pub tested: BTreeMap<u16, TestedCounts>,
}

/// The hit count of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteHits {
    /// Its query.
    pub query: u16,
    /// The site.
    pub site: Site,
    /// Number of hits in all threads.
    pub hits: u64,
}

/// The hits of these queries; none if the VM did not report them.
pub fn counted(report: &AgentReport, queries: &[TraceQuery], pool: &ClassPool) -> Option<HitCounts> {
    let mut counted = HitCounts { busy: report.busy, tested: report.tested(), ..HitCounts::default() };
    for (site, hits) in report.counted()? {
        let Some(query) = queries.iter().find(|q| q.point.0 == site.query) else {
            counted.entries = counted.entries.saturating_add(hits);
            continue;
        };
        match &query.event {
            Event::Written(field) | Event::Read(field) if !means(pool, field, &site) => continue,
            // The site by which an activation stores a way.
            Event::Branched(_) if site.way.is_some() => continue,
            _ => {}
        }
        counted.sites.push(SiteHits { query: site.query, site: site.site.clone(), hits });
    }
    Some(counted)
}
