//! Call chains: the calls that lead from a method to a use site (Omission Finder §3.3.2).

use super::program::AnalysedProgram;
use super::use_site::UseSite;
use program::call_index::{MethodAt, PlaceAt};
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// Most other ways from a call to a use site.
const OTHERS: usize = 15;
/// Most methods that are looked at for them, of each use site and of all.
const STEPS: (usize, usize) = (2_000, 100_000);

/// A shortest way to a method: its next call with the called method, `None` in the method itself; and its
/// length.
type Way = (Option<(PlaceAt, MethodAt)>, usize);

/// The calls that lead to use sites.
pub(super) struct Chains<'s> {
    /// The use sites by method, in order of their methods' first sites.
    sites: Vec<(MethodAt, Vec<&'s UseSite>)>,
    /// By method: its position in `sites`.
    numbers: HashMap<MethodAt, usize>,
    /// By method: the ways to the methods with use sites, by their positions.
    ways: HashMap<MethodAt, BTreeMap<usize, Way>>,
    within: usize,
    /// Number of methods that may still be looked at to find other chains.
    left: Cell<usize>,
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

/// What a search for other chains looks for.
struct Search<'c, 's> {
    /// The known chain.
    chain: &'c Chain<'s>,
    /// The method of its use site, by its position.
    number: usize,
    /// Number of methods behind the first.
    length: usize,
    /// Number of methods that may still be looked at.
    left: &'c Cell<usize>,
}

impl<'s> Chains<'s> {
    /// Finds the shortest ways to each use site, of `within` calls at most. They have no cycles. The use
    /// sites of one method share them.
    pub fn new(program: &AnalysedProgram<'_>, all: &'s [UseSite], within: usize) -> Chains<'s> {
        let mut sites: Vec<(MethodAt, Vec<&'s UseSite>)> = Vec::new();
        let mut numbers: HashMap<MethodAt, usize> = HashMap::new();
        for site in all {
            let number = *numbers.entry(site.place.0).or_insert(sites.len());
            match sites.get_mut(number) {
                Some((_, known)) => known.push(site),
                None => sites.push((site.place.0, vec![site])),
            }
        }
        let mut ways: HashMap<MethodAt, BTreeMap<usize, Way>> = HashMap::new();
        let mut callers: HashMap<MethodAt, Vec<PlaceAt>> = HashMap::new();
        for (number, (own, _)) in sites.iter().enumerate() {
            ways.entry(*own).or_default().insert(number, (None, 0));
            let mut work = VecDeque::from([(*own, 0)]);
            while let Some((method, length)) = work.pop_front() {
                if length == within {
                    continue;
                }
                for place in callers.entry(method).or_insert_with(|| program.callers(method)) {
                    let from = place.0;
                    let known = ways.entry(from).or_default();
                    if known.contains_key(&number) {
                        continue;
                    }
                    known.insert(number, (Some((*place, method)), length + 1));
                    work.push_back((from, length + 1));
                }
            }
        }
        Chains { sites, numbers, ways, within, left: Cell::new(STEPS.1) }
    }

    /// The chains that begin in a method: for each use site and each first call.
    pub fn from(&self, program: &AnalysedProgram<'_>, method: MethodAt, within: usize) -> Vec<Chain<'s>> {
        let own = self.numbers.get(&method).and_then(|number| self.sites.get(*number));
        let own = own.into_iter().flat_map(|(_, sites)| sites);
        let mut found: Vec<Chain<'s>> =
            own.map(|site| Chain { site, first: site.place, called: Vec::new() }).collect();
        let Some(code) = program.index.code(method) else { return found };
        for instruction in &code.instructions {
            let place = (method, instruction.pc);
            for callee in program.callees(place) {
                let Some(ways) = self.ways.get(&callee) else { continue };
                for (number, _) in ways.iter().filter(|(_, (_, length))| *length < within) {
                    let Some((of_sites, sites)) = self.sites.get(*number) else { continue };
                    let Some(called) = self.rest(method, callee, *number) else { continue };
                    for site in sites {
                        let mut called = called.clone();
                        called.push((*of_sites, site.place.1));
                        found.push(Chain { site, first: place, called });
                    }
                }
            }
        }
        found
    }

    /// The calls from `at` to the method of use sites; `None` if the way leads through the first method
    /// again.
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
                None => return Some(called),
            }
        }
    }

    /// Other chains from the same call to the same use site, the shortest first: over other methods, or
    /// over other calls of the same ones. For a call that ran another override, only those over the same
    /// override.
    pub fn others(
        &self,
        program: &AnalysedProgram<'_>,
        chain: &Chain<'s>,
        same_callee: bool,
    ) -> Vec<Chain<'s>> {
        let mut found: Vec<Chain<'s>> = Vec::new();
        let Some((known, _)) = chain.called.first() else { return found };
        let Some(number) = self.numbers.get(&chain.site.place.0).copied() else { return found };
        let callees = program.callees(chain.first).into_iter();
        let callees: Vec<MethodAt> = callees.filter(|callee| !same_callee || callee == known).collect();
        // First those with as few calls as there can be, then longer ones.
        let left = Cell::new(STEPS.0.min(self.left.get()));
        let all = left.get();
        for length in 1..=self.within {
            for callee in callees.iter().filter(|callee| **callee != chain.first.0) {
                let search = Search { chain, number, length, left: &left };
                self.extend(program, &search, &mut vec![(*callee, 0)], &mut found);
            }
        }
        self.left.set(self.left.get() - (all - left.get()));
        found.retain(|other| other.called != chain.called);
        found.truncate(OTHERS);
        found
    }

    /// Adds the chains of a length that begin with these calls.
    fn extend(
        &self,
        program: &AnalysedProgram<'_>,
        search: &Search<'_, 's>,
        called: &mut Vec<(MethodAt, u32)>,
        found: &mut Vec<Chain<'s>>,
    ) {
        let Search { chain, number, length, left: steps } = search;
        let Some((at, _)) = called.last().copied() else { return };
        let left = length - called.len();
        let least = |method: MethodAt| Some(self.ways.get(&method)?.get(number)?.1);
        if found.len() > OTHERS || steps.get() == 0 || least(at).is_none_or(|least| least > left) {
            return;
        }
        steps.set(steps.get() - 1);
        if left == 0 {
            if let Some(last) = called.last_mut() {
                last.1 = chain.site.place.1;
            }
            found.push(Chain { site: chain.site, first: chain.first, called: called.clone() });
            return;
        }
        let Some(code) = program.index.code(at) else { return };
        for instruction in &code.instructions {
            for callee in program.callees((at, instruction.pc)) {
                let is_new = callee != chain.first.0 && called.iter().all(|(method, _)| *method != callee);
                if !is_new || least(callee).is_none_or(|least| least >= left) {
                    continue;
                }
                if let Some(last) = called.last_mut() {
                    last.1 = instruction.pc;
                }
                called.push((callee, 0));
                self.extend(program, search, called, found);
                called.pop();
            }
        }
    }
}
