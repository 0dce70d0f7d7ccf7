//! Numbers the sites of this run, and selects the hits that stop.

use std::collections::HashMap;
use wire::{ArmedHit, ClassReport, Plan, SiteReport};

/// The name and descriptor of a method.
pub type Name = (String, String);

/// A place where an event of a query can occur.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// Its query.
    pub query: u16,
    /// The class, with slashes.
    pub class: String,
    /// The method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The index in the original code.
    pub bci: u32,
    /// Distinguishes it from other sites at that index.
    pub way: Option<u32>,
    /// The class by which the code names the field, if that is not the planned class.
    pub named_by: Option<String>,
}

/// Maximum number of sites that records of hits can distinguish.
const MOST: usize = 1 << 20;

/// The site numbers. A class that is transformed again keeps its numbers.
#[derive(Debug, Default)]
pub struct Sites {
    numbers: HashMap<Site, u32>,
    all: Vec<Site>,
}

impl Sites {
    /// The number of a site, and whether it is new; none if there are too many.
    pub fn number(&mut self, site: &Site) -> Option<(u32, bool)> {
        if let Some(number) = self.numbers.get(site) {
            return Some((*number, false));
        }
        let number = u32::try_from(self.all.len()).ok().filter(|_| self.all.len() < MOST)?;
        self.numbers.insert(site.clone(), number);
        self.all.push(site.clone());
        Some((number, true))
    }

    /// The number of sites.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// The site with a number.
    pub fn get(&self, number: u32) -> Option<&Site> {
        self.all.get(usize::try_from(number).ok()?)
    }

    /// The ordinals of hits that stop at a site in a thread with this name and number, ascending.
    pub fn armed(&self, plan: &Plan, site: &Site, thread: &str, number: u64) -> Vec<u64> {
        let here = |a: &&ArmedHit| {
            a.class == site.class
                && a.method == site.method
                && a.descriptor == site.descriptor
                && (a.bci, a.way) == (site.bci, site.way)
                && a.thread == thread
                && a.numbers.is_none_or(|(first, last)| (first..=last).contains(&number))
        };
        let query = plan.queries.get(usize::from(site.query));
        let mut hits: Vec<u64> =
            query.iter().flat_map(|q| &q.armed).filter(here).map(|a| a.ordinal).collect();
        hits.sort_unstable();
        hits.dedup();
        hits
    }
}

/// The number of a site, which is reported.
pub fn numbered(sites: &mut Sites, site: &Site, report: &mut ClassReport) -> Option<i32> {
    let (id, _) = sites.number(site)?;
    let Site { query, method, descriptor, bci, way, named_by, .. } = site.clone();
    report.sites.push(SiteReport { id, query, method, descriptor, bci, way, named_by, by: None });
    i32::try_from(id).ok()
}
