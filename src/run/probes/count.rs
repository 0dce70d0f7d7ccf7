//! What a run has counted that was watched for nothing else.

use super::agent_report::Told;
use super::sites::means;
use crate::classes::ClassPool;
use crate::model::Site;
use crate::query::{Event, TraceQuery};
use std::time::Duration;

/// The hits of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Of the queries, by site; a site whose class was not loaded is missing.
    pub sites: Vec<SiteHits>,
    /// Entries of methods that probes need not be told of, and JDWP events do.
    pub entries: u64,
    /// How long the processors were busy with the VM, where the system tells.
    pub busy: Option<Duration>,
}

/// How often a site was hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteHits {
    /// Whose it is.
    pub query: u16,
    /// The site.
    pub site: Site,
    /// How often, in all threads.
    pub hits: u64,
}

/// The hits of these queries; none if the VM did not tell them.
pub fn counted(told: &Told, queries: &[TraceQuery], pool: &ClassPool) -> Option<Counted> {
    let mut counted = Counted { busy: told.busy, ..Counted::default() };
    for (site, hits) in told.counted()? {
        let Some(query) = queries.iter().find(|q| q.point.0 == site.query) else {
            counted.entries = counted.entries.saturating_add(hits);
            continue;
        };
        match &query.event {
            Event::Written(field) | Event::Read(field) if !means(pool, field, &site) => continue,
            // The number by which an activation remembers a way.
            Event::Branched(_) if site.way.is_some() => continue,
            _ => {}
        }
        counted.sites.push(SiteHits { query: site.query, site: site.site.clone(), hits });
    }
    Some(counted)
}
