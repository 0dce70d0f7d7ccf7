//! The sites that the agent watches in one method, by the method's watch.

use super::conditions::Conditions;
use super::gate::{Gate, GatedQueries, GatedQuery};
use super::site_events::{assigned, kind_of};
use crate::watches::{Interest, MethodWatch};
use bytecode::{Code, Op};
use classes::ClassPool;
use model::MethodName;
use query::{BranchSite, Event, Making, MakingSite, groups_of_way};
use std::collections::{BTreeMap, BTreeSet};
use wire::{BranchEdge, PlannedSite, SiteEvent, TestPlace};

/// The tests of passes, by query and pass, then by index.
type TestedPasses = BTreeMap<(u16, u16), BTreeMap<u32, SiteEvent>>;

/// A method, and what the queries watch in it.
#[derive(Clone, Copy)]
pub struct WatchedMethod<'a> {
    /// All queries of the run.
    pub asked: GatedQueries<'a>,
    /// The class files, for the names in conditions.
    pub pool: &'a ClassPool,
    /// The method.
    pub name: &'a MethodName,
    /// Its code.
    pub code: &'a Code,
    /// What to watch.
    pub watch: &'a MethodWatch,
}

impl WatchedMethod<'_> {
    /// The sites of the method. Notes which conditions the VM tests there.
    pub fn sites(self, conditions: &mut Conditions) -> Vec<PlannedSite> {
        let tested = self.tested_passes(conditions);
        let mut found = Vec::new();
        for (bci, interests) in &self.watch.at {
            for interest in interests {
                let Some(query) = query_of(interest) else { continue };
                for what in self.events(*interest, *bci, &tested, conditions) {
                    let site = PlannedSite { query, bci: *bci, what };
                    if !found.contains(&site) {
                        found.push(site);
                    }
                }
            }
        }
        // A point is the state before an instruction, so it precedes the instruction's assignment. At the
        // entry of a method its parameters have their values.
        found.sort_by_key(|site| {
            let order = match &site.what {
                SiteEvent::Tested(tested) if tested.place == TestPlace::Entry => 2,
                SiteEvent::At | SiteEvent::Tested(_) => 0,
                _ => 1,
            };
            (site.bci, order)
        });
        found.extend(self.returns(conditions));
        found
    }

    /// The tests of the passes in the method. A pass is tested at all of its sites or at none.
    fn tested_passes(self, conditions: &mut Conditions) -> TestedPasses {
        let mut tested = TestedPasses::new();
        for (query, gate) in self.asked.queries.iter().zip(self.asked.gates) {
            let Event::Reached(passes) = &query.event else { continue };
            if !gate.tests() {
                continue;
            }
            // Of such a pass, each place that it reaches is counted.
            if *gate == Gate::Count && passes.iter().any(|pass| pass.entries.len() > 1) {
                continue;
            }
            for (number, pass) in (0..).zip(passes) {
                let begins = Interest::Pass { query: query.point.0, pass: number };
                if !self.watch.at.values().any(|interests| interests.contains(&begins)) {
                    continue;
                }
                if let Some(tests) = conditions.at_pass(GatedQuery { query, gate }, number, pass, self.pool) {
                    tested.insert((query.point.0, number), tests);
                }
            }
        }
        tested
    }

    /// What the agent does at an index for an interest.
    fn events(
        self,
        interest: Interest,
        bci: u32,
        tested: &TestedPasses,
        conditions: &mut Conditions,
    ) -> Vec<SiteEvent> {
        let one = match interest {
            Interest::Activation | Interest::Redefined | Interest::Completes | Interest::Mark => None,
            Interest::PassEnds { query, pass } => Some(match tested.contains_key(&(query, pass)) {
                true => SiteEvent::PassEnded(pass),
                false => SiteEvent::At,
            }),
            Interest::Pass { query, pass } => {
                let test = tested.get(&(query, pass)).and_then(|at| at.get(&bci));
                test.cloned().or_else(|| self.pass(query, pass))
            }
            Interest::Store { query, store } => self.store(query, store, conditions),
            Interest::Made { query } => self.making(query, bci),
            Interest::Turn { branch, .. } => Some(SiteEvent::Turn(branch)),
            Interest::Branch { query, branch } => return self.branch(query, branch, bci, conditions),
        };
        one.into_iter().collect()
    }

    /// The beginning of a pass whose condition the VM does not test.
    fn pass(self, query: u16, pass: u16) -> Option<SiteEvent> {
        let Event::Reached(passes) = self.asked.event(query)? else { return None };
        let is_on_entry = passes.get(usize::from(pass)).is_some_and(|pass| pass.on_entry);
        Some(if is_on_entry { SiteEvent::Entered } else { SiteEvent::At })
    }

    fn store(self, query: u16, store: u16, conditions: &mut Conditions) -> Option<SiteEvent> {
        let Event::Stored(stores) = self.asked.event(query)? else { return None };
        let store = stores.get(usize::from(store))?;
        let what = assigned(store, Some(self.code))?;
        let asked = self.asked.narrowed(query);
        let tested = asked.and_then(|asked| conditions.at_store(asked, store, &what, self.pool));
        Some(tested.unwrap_or(what))
    }

    fn making(self, query: u16, bci: u32) -> Option<SiteEvent> {
        let Event::Made(Making::Object { sites, .. }) = self.asked.event(query)? else { return None };
        let is_here = |made: &&MakingSite| made.site.method == *self.name && made.site.bci == bci;
        let made = sites.iter().find(is_here)?;
        let keep = self.asked.numbered(query).is_some_and(|asked| asked.gate.keeps());
        Some(SiteEvent::Made { call: made.call, keep })
    }

    /// The ways that execution can go at a branch. A condition is tested only at those that decide about an
    /// asked place; the others are only counted.
    fn branch(self, query: u16, branch: u16, bci: u32, conditions: &mut Conditions) -> Vec<SiteEvent> {
        let number = branch;
        let Some(Event::Branched(branches)) = self.asked.event(query) else { return Vec::new() };
        let Some(branch) = branches.get(usize::from(number)) else { return Vec::new() };
        let Some(edges) = self.edges(branch, number, bci) else { return Vec::new() };
        let ways: Vec<(BranchEdge, Vec<u16>)> =
            edges.into_iter().map(|edge| (edge, groups_of_way(branches, &branch.site, edge.to))).collect();
        let asked_for: Vec<BranchEdge> =
            ways.iter().filter(|(_, groups)| !groups.is_empty()).map(|(edge, _)| *edge).collect();
        let asked = self.asked.narrowed(query).filter(|_| !branch.is_handler());
        let tests = asked.and_then(|a| conditions.at_branch(a, &branch.site, &asked_for, self.pool));
        let is_tested = tests.is_some();
        let untested = ways.into_iter().filter(|(_, groups)| !is_tested || groups.is_empty());
        let untested = untested.map(|(edge, groups)| SiteEvent::Way { edge, groups });
        tests.into_iter().flatten().chain(untested).collect()
    }

    /// The edges of a branch with this number in its query, by their targets; `None` if there is no such
    /// instruction.
    fn edges(self, branch: &BranchSite, number: u16, bci: u32) -> Option<Vec<BranchEdge>> {
        let instruction = self.code.at(bci)?;
        let targets = instruction.op.targets();
        let next = instruction.next_pc();
        let goes_on = !matches!(instruction.op, Op::Switch { .. });
        let all: BTreeSet<u32> = targets.iter().copied().chain(goes_on.then_some(next)).collect();
        let edge = |to: u32| {
            let (jumps, falls) = (targets.contains(&to), goes_on && to == next);
            let leaves = Some(number).filter(|_| branch.turns.is_some() && branch.decides(to));
            BranchEdge { to, jumps, falls, leaves }
        };
        Some(all.into_iter().map(edge).collect())
    }

    /// The returns that queries ask about.
    fn returns(self, conditions: &mut Conditions) -> Vec<PlannedSite> {
        let mut found = Vec::new();
        let kind = kind_of(self.name.descriptor.rsplit_once(')').map_or("V", |(_, result)| result));
        for query in &self.watch.returns {
            for instruction in &self.code.instructions {
                if matches!(instruction.op, Op::Return(_)) {
                    let bci = instruction.pc;
                    let asked = self.asked.numbered(*query).filter(|asked| asked.gate.tests());
                    let tested =
                        asked.and_then(|asked| conditions.at_return(asked, self.name, bci, self.pool));
                    let what = tested.unwrap_or(SiteEvent::Returns { kind });
                    found.push(PlannedSite { query: *query, bci, what });
                }
            }
        }
        found
    }
}

/// The query for which the agent does something at an interest's index.
fn query_of(interest: &Interest) -> Option<u16> {
    match *interest {
        Interest::Activation | Interest::Redefined | Interest::Completes | Interest::Mark => None,
        Interest::PassEnds { query, .. }
        | Interest::Store { query, .. }
        | Interest::Pass { query, .. }
        | Interest::Made { query }
        | Interest::Turn { query, .. }
        | Interest::Branch { query, .. } => Some(query),
    }
}
