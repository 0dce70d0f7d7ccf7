//! Call chains: the calls that lead from a method to a use site (Omission Finder §3.3.2).

use super::program::AnalysedProgram;
use super::use_site::UseSite;
use crate::program::call_index::{MethodAt, PlaceAt};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// By use site, by its position: the next call on a shortest way to it, with the method that it calls, and
/// the number of calls on the way. Without a call in the use site's own method.
type Ways = BTreeMap<usize, (Option<(PlaceAt, MethodAt)>, usize)>;

/// The calls that lead to use sites.
pub(super) struct Chains<'s> {
    sites: &'s [UseSite],
    ways: HashMap<MethodAt, Ways>,
}

/// A way from a method to a use site.
pub(super) struct Chain<'s> {
    /// The use site.
    pub site: &'s UseSite,
    /// The instruction in the first method: a call, or the use site itself.
    pub first: PlaceAt,
    /// The called methods, each with the instruction in it that is next: a call, or at last the use site.
    pub called: Vec<(MethodAt, u32)>,
}

impl<'s> Chains<'s> {
    /// Finds the shortest ways to each use site, of `within` calls at most. They have no cycles.
    pub fn new(program: &AnalysedProgram<'_>, sites: &'s [UseSite], within: usize) -> Chains<'s> {
        let mut ways: HashMap<MethodAt, Ways> = HashMap::new();
        for (number, site) in sites.iter().enumerate() {
            let own = site.place.0;
            ways.entry(own).or_default().insert(number, (None, 0));
            let mut work = VecDeque::from([(own, 0)]);
            while let Some((method, length)) = work.pop_front() {
                if length == within {
                    continue;
                }
                for place in program.callers(method) {
                    let from = place.0;
                    let known = ways.entry(from).or_default();
                    if known.contains_key(&number) {
                        continue;
                    }
                    known.insert(number, (Some((place, method)), length + 1));
                    work.push_back((from, length + 1));
                }
            }
        }
        Chains { sites, ways }
    }

    /// The chains that begin in a method: for each use site and each first call.
    pub fn from(&self, program: &AnalysedProgram<'_>, method: MethodAt, within: usize) -> Vec<Chain<'s>> {
        let mut found = Vec::new();
        for (number, site) in self.sites.iter().enumerate().filter(|(_, site)| site.place.0 == method) {
            _ = number;
            found.push(Chain { site, first: site.place, called: Vec::new() });
        }
        let Some(code) = program.index.code(method) else { return found };
        for instruction in &code.instructions {
            let place = (method, instruction.pc);
            for callee in program.callees(place) {
                let Some(ways) = self.ways.get(&callee) else { continue };
                for (number, (_, length)) in ways {
                    let Some(site) = self.sites.get(*number).filter(|_| *length < within) else { continue };
                    if let Some(called) = self.rest(method, callee, *number) {
                        found.push(Chain { site, first: place, called });
                    }
                }
            }
        }
        found
    }

    /// The methods from `at` to a use site; `None` if the way leads through the first method again.
    fn rest(&self, first: MethodAt, mut at: MethodAt, number: usize) -> Option<Vec<(MethodAt, u32)>> {
        let mut called = Vec::new();
        loop {
            if at == first {
                return None;
            }
            match self.ways.get(&at)?.get(&number)?.0 {
                Some((place, next)) => {
                    called.push((at, place.1));
                    at = next;
                }
                None => {
                    called.push((at, self.sites.get(number)?.place.1));
                    return Some(called);
                }
            }
        }
    }
}
