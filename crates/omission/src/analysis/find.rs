//! Finds omissions (Omission Finder, Figure 9): for each executed call, the chains to use sites whose first
//! instruction the call did not execute, and the executed jumps that lost it. A call that ran another
//! override is such a jump too, and so is a pass of a branch that went the other way at other times.

use super::bodies::{Body, leads_to};
use super::candidate::{Candidate, Key};
use super::chains::{Chain, Chains};
use super::describe::{operation, suggestion};
use super::executed::{Executed, Group, JumpSite, Pass, Window, name_of, passes};
use super::judge::{Judge, evaluated};
use super::jumps::{ExecutedBlocks, UntakenEdge, dominant_jumps};
use super::operations::use_sites;
use super::order;
use super::pass_locals::PassLocals;
use super::program::AnalysedProgram;
use super::suggestion::{Certainty, JumpKind, Operation, Passes, Suggestion};
use super::use_site::{Target, UseSite};
use model::MethodName;
use past::PastError;
use past::fields::Fields;
use petgraph::graph::NodeIndex;
use program::call_index::{MethodAt, PlaceAt};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use trace::{Calls, EventPosition, EventTime};

/// Most passes of a jump that are evaluated with the recorded values.
const EVALUATED: usize = 32;
/// Most chains that are evaluated because a shorter one leads to another object.
const OTHER_CHAINS: usize = 2_000;
/// Most passes that are evaluated for each of those.
const OTHER_PASSES: usize = 8;

/// How far to look.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Most calls between a jump and an operation.
    pub within: usize,
    /// Whether operations that only read the object are suggested too.
    pub reads: bool,
    /// Whether further turns of loops that ended are suggested too.
    pub loops: bool,
}

/// What was found, and why nothing more.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The suggestions, in order.
    pub suggestions: Vec<Suggestion>,
    /// Number of suggestions that only read the object, and are hidden.
    pub hidden_reads: usize,
    /// Number of loops that could have gone on, and are hidden.
    pub hidden_loops: usize,
    /// Number of operations in the code that can change such an object.
    pub operations: usize,
    /// Number of further operations on objects of this class, which this object cannot reach.
    pub unreachable: usize,
    /// Number of those that were executed in the window.
    pub executed: usize,
    /// Number of jumps whose untaken way would use another object.
    pub other_objects: usize,
    /// If nothing is suggested: operations that were executed, and can only be on other objects of this
    /// class.
    pub elsewhere: Vec<Operation>,
}

/// A method with the chains that begin in it.
struct Begin<'c> {
    at: MethodAt,
    body: Rc<Body>,
    chains: Vec<Rc<Chain<'c>>>,
}

/// Finds the omissions of a target in a window.
///
/// # Errors
/// The recording cannot be read.
pub fn find(
    calls: &mut Calls,
    fields: &mut Fields,
    program: &mut AnalysedProgram<'_>,
    target: &Target,
    window: Window,
    limits: &Limits,
) -> Result<Found, PastError> {
    // What was executed is read while the allocations of the object are looked for.
    let mut others = calls.again();
    let mut search = Search { calls, fields, program, target, window, limits };
    let (executed, sites) = std::thread::scope(|scope| {
        let executed = scope.spawn(|| Executed::of(&mut others, window));
        let sites = search.sites();
        (executed.join(), sites)
    });
    let executed = executed.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    let Sites { sites, mut of_class, unsure } = sites?;
    let chains = Chains::new(search.program, &sites, limits.within);
    let losses = search.losses(&sites, &chains, &executed);
    let operations = sites.iter().filter(|site| site.writes).count();
    let is_done = |site: &&UseSite| site.writes && losses.executed_sites.contains(&site.place);
    let mut found = Found {
        operations,
        unreachable: of_class.len() - operations,
        executed: sites.iter().filter(is_done).count(),
        ..Found::default()
    };
    let judged = search.judged(losses, &chains, &executed, unsure)?;
    found.other_objects = judged.other_objects;
    let mut suggestions = judged.suggestions;
    let mut hide = |is_hidden: fn(&Suggestion) -> bool| {
        let before = suggestions.len();
        suggestions.retain(|(suggestion, _)| !is_hidden(suggestion));
        before - suggestions.len()
    };
    if !limits.reads {
        found.hidden_reads = hide(|suggestion| !suggestion.operation.writes);
    }
    if !limits.loops {
        found.hidden_loops = hide(|suggestion| suggestion.jump.kind == JumpKind::LoopEnd);
    }
    order::sort(&mut suggestions);
    order::join(&mut suggestions);
    found.suggestions = suggestions.into_iter().map(|(suggestion, _)| suggestion).collect();
    if found.suggestions.is_empty() {
        let own: BTreeSet<_> = sites.iter().map(|site| site.place).collect();
        of_class.retain(|site| !own.contains(&site.place));
        found.elsewhere = done(search.calls, search.program, &of_class, window)?;
    }
    Ok(found)
}

/// A search for the omissions of a target.
struct Search<'f, 'p> {
    calls: &'f mut Calls,
    fields: &'f mut Fields,
    program: &'f mut AnalysedProgram<'p>,
    target: &'f Target,
    window: Window,
    limits: &'f Limits,
}

/// The use sites of a target.
struct Sites {
    /// Those that may use it.
    sites: Vec<UseSite>,
    /// Those that write objects of its class, even if they cannot reach it.
    of_class: Vec<UseSite>,
    /// How sure it is that a use site may use it.
    unsure: Certainty,
}

/// What the executed calls say about the use sites.
#[derive(Default)]
struct Losses<'c> {
    /// The jumps at which operations may have been lost.
    candidates: BTreeMap<Key, Candidate<'c>>,
    /// The places of the use sites that were executed.
    executed_sites: BTreeSet<PlaceAt>,
}

impl<'c> Losses<'c> {
    fn add(&mut self, key: Key, lost: Candidate<'c>) {
        match self.candidates.get_mut(&key) {
            // What was wholly omitted in one call counts more than what was at times.
            Some(known) if known.is_partial && !lost.is_partial => *known = lost,
            Some(known) if known.is_partial == lost.is_partial => {
                known.between.extend(lost.between);
                known.calls.extend(lost.calls);
            }
            Some(_) => {}
            None => _ = self.candidates.insert(key, lost),
        }
    }

    /// The jumps, each with the calls that lost something at it.
    fn jumps(&self) -> BTreeMap<(u32, JumpSite), BTreeSet<u32>> {
        let mut jumps: BTreeMap<(u32, JumpSite), BTreeSet<u32>> = BTreeMap::new();
        for candidate in self.candidates.values() {
            let calls = jumps.entry((candidate.method, candidate.jump)).or_default();
            calls.extend(candidate.calls.iter().copied());
        }
        jumps
    }
}

/// What became of the candidates.
#[derive(Default)]
struct Judged {
    /// The suggestions, each with the time of its pass.
    suggestions: Vec<(Suggestion, EventTime)>,
    /// Number of jumps whose untaken way would use another object.
    other_objects: usize,
}

impl Search<'_, '_> {
    fn sites(&mut self) -> Result<Sites, PastError> {
        let mut sites = use_sites(self.program, self.target);
        let of_class: Vec<UseSite> = sites.iter().filter(|site| site.writes).cloned().collect();
        let allocations = match &self.program.points_to {
            Some(points_to) if self.target.object != 0 => {
                points_to.allocations(self.calls, self.target.object, &self.target.class)?
            }
            _ => None,
        };
        if let Some(points_to) = &self.program.points_to {
            sites.retain(|site| points_to.is_reachable(site.place.0));
            if let Some(allocations) = &allocations {
                let index = &self.program.index;
                let may_be = |site: &UseSite| {
                    index.op(site.place).is_some_and(|op| points_to.may_be(site, op, allocations))
                };
                sites.retain(may_be);
            }
        }
        let unsure = if allocations.is_some() { Certainty::May } else { Certainty::ByType };
        Ok(Sites { sites, of_class, unsure })
    }

    /// Compares what the calls executed with the chains that begin in them.
    fn losses<'c>(&mut self, sites: &'c [UseSite], chains: &Chains<'c>, executed: &Executed) -> Losses<'c> {
        let mut sites_in: HashMap<MethodAt, Vec<&UseSite>> = HashMap::new();
        for site in sites {
            sites_in.entry(site.place.0).or_default().push(site);
        }
        let mut losses = Losses::default();
        let mut of_method: HashMap<u32, Option<Begin<'c>>> = HashMap::new();
        for group in &executed.groups {
            let calls_of_it: BTreeSet<u32> = group.calls.iter().copied().collect();
            let known = of_method.entry(group.method).or_insert_with(|| self.begin(group.method, chains));
            let Some(begin) = known else { continue };
            let blocks = ExecutedBlocks::of(&begin.body, &group.trail);
            let of_it = sites_in.get(&begin.at).into_iter().flatten().map(|site| site.place);
            losses.executed_sites.extend(of_it.filter(|place| blocks.has_completed(&begin.body, place.1)));
            for chain in &begin.chains {
                for lost in lost_at(group, &calls_of_it, begin, chain, &blocks, self.calls, self.program) {
                    let is_in_window = match lost.jump {
                        JumpSite::Branch(pc) => executed.ways.contains_key(&(group.method, pc)),
                        _ => true,
                    };
                    if is_in_window {
                        let key = (group.method, lost.jump, lost.to, chain.first.1, chain.site.place);
                        losses.add(key, lost);
                    }
                }
            }
        }
        losses
    }

    /// A method of the recording with the chains that begin in it; `None` if its code is not known.
    fn begin<'c>(&mut self, method: u32, chains: &Chains<'c>) -> Option<Begin<'c>> {
        let name = name_of(self.calls, method)?;
        let at = self.program.index.find(&name)?;
        let body = self.program.bodies.of(&name)?;
        let chains = chains.from(self.program, at, self.limits.within).into_iter().map(Rc::new).collect();
        Some(Begin { at, body, chains })
    }

    /// Keeps the candidates whose untaken way may use the target, and describes them.
    fn judged<'c>(
        &mut self,
        losses: Losses<'c>,
        chains: &Chains<'c>,
        executed: &Executed,
        unsure: Certainty,
    ) -> Result<Judged, PastError> {
        let passes = passes(self.calls, self.window, &losses.jumps())?;
        let mut judged = Judged::default();
        let mut locals = PassLocals::default();
        let of_all = losses.candidates.values().flat_map(|candidate| {
            let of_jump = passes.get(&(candidate.method, candidate.jump));
            of_jump.into_iter().flat_map(|of| evaluated(candidate, of.of_calls.iter(), EVALUATED))
        });
        let of_all: HashMap<EventPosition, Pass> = of_all.map(|pass| (pass.at, *pass)).collect();
        locals.read(self.calls, of_all.into_values().collect())?;
        let mut left = OTHER_CHAINS;
        for mut candidate in losses.candidates.into_values() {
            let of_jump = passes.get(&(candidate.method, candidate.jump));
            let all: Vec<Pass> = of_jump.iter().flat_map(|passes| &passes.of_calls).copied().collect();
            let mut judge = Judge {
                calls: self.calls,
                fields: self.fields,
                program: self.program,
                locals: &mut locals,
                target: self.target,
                unsure,
                most: EVALUATED,
            };
            let Some((certainty, pass)) = certainty(&mut judge, chains, &mut candidate, &all, &mut left)?
            else {
                judged.other_objects += usize::from(!candidate.is_partial);
                continue;
            };
            let counted = missed(executed, &candidate, of_jump.map_or(0, |passes| passes.count));
            let first = first_missed(self.calls, &candidate, &all, &pass);
            let described =
                suggestion(self.calls, self.program, &candidate, certainty, &pass, first, counted);
            judged.suggestions.extend(described.map(|suggestion| (suggestion, pass.when)));
        }
        Ok(judged)
    }
}

/// How sure it is that a candidate is about the object, with the pass that says so. `left` further chains
/// may be evaluated; the candidate has the chain that leads to the object.
fn certainty<'c>(
    judge: &mut Judge<'_, '_>,
    chains: &Chains<'c>,
    candidate: &mut Candidate<'c>,
    passes: &[Pass],
    left: &mut usize,
) -> Result<Option<(Certainty, Pass)>, PastError> {
    let mut judged = judge.certainty(candidate, passes)?;
    if judged.is_some() || *left == 0 {
        return Ok(judged);
    }
    // A longer chain, or another call on it, may lead to the object.
    let is_dispatch = matches!(candidate.jump, JumpSite::Dispatch(_));
    judge.most = OTHER_PASSES;
    for other in chains.others(judge.program, &candidate.chain, is_dispatch).into_iter().take(*left) {
        *left -= 1;
        candidate.chain = Rc::new(other);
        judged = judge.certainty(candidate, passes)?;
        if judged.is_some() {
            break;
        }
    }
    Ok(judged)
}

/// How many passes of a candidate's jump missed the operation, of how many. `count` is the number of its
/// known passes.
fn missed(executed: &Executed, candidate: &Candidate<'_>, count: u64) -> Passes {
    let JumpSite::Branch(pc) = candidate.jump else { return Passes { missed: count, all: count } };
    let ways = executed.ways.get(&(candidate.method, pc));
    let all = ways.map_or(0, |ways| ways.values().sum());
    let taken = ways.and_then(|ways| ways.get(&candidate.to)).copied().unwrap_or(0);
    Passes { missed: all - taken, all }
}

/// The number of the first pass that missed the operation in the thread of a pass, at most that pass's own.
fn first_missed(calls: &Calls, candidate: &Candidate<'_>, all: &[Pass], pass: &Pass) -> u64 {
    let is_branch = matches!(candidate.jump, JumpSite::Branch(_));
    let is_missed = |other: &&Pass| {
        calls.thread_of(other.node) == calls.thread_of(pass.node) && (!is_branch || other.to != candidate.to)
    };
    all.iter().find(is_missed).map_or(pass.nth, |first| first.nth.min(pass.nth))
}

/// The operations of use sites that were executed before the end of the window.
fn done(
    calls: &mut Calls,
    program: &mut AnalysedProgram<'_>,
    sites: &[UseSite],
    window: Window,
) -> Result<Vec<Operation>, PastError> {
    if sites.is_empty() {
        return Ok(Vec::new());
    }
    let executed = Executed::of(calls, Window { from: EventTime::BEGIN, ..window })?;
    let mut of_method: HashMap<MethodAt, Vec<&UseSite>> = HashMap::new();
    for site in sites {
        of_method.entry(site.place.0).or_default().push(site);
    }
    let mut found: BTreeMap<PlaceAt, &UseSite> = BTreeMap::new();
    for group in &executed.groups {
        let Some(name) = name_of(calls, group.method) else { continue };
        let (Some(at), Some(body)) = (program.index.find(&name), program.bodies.of(&name)) else { continue };
        let Some(of_it) = of_method.get(&at) else { continue };
        let blocks = ExecutedBlocks::of(&body, &group.trail);
        let of_it = of_it.iter().filter(|site| blocks.has_completed(&body, site.place.1)).copied();
        found.extend(of_it.map(|site| (site.place, site)));
    }
    Ok(found.into_values().filter_map(|site| operation(program, site, Vec::new())).collect())
}

/// The jumps at which some calls lost the first instruction of a chain.
fn lost_at<'c>(
    group: &Group,
    calls_of_it: &BTreeSet<u32>,
    begin: &Begin<'c>,
    chain: &Rc<Chain<'c>>,
    blocks: &ExecutedBlocks,
    calls: &Calls,
    program: &AnalysedProgram<'_>,
) -> Vec<Candidate<'c>> {
    let body = &begin.body;
    let first = chain.first.1;
    let new = |jump, pc, to, between| Candidate {
        method: group.method,
        jump,
        pc,
        to,
        chain: chain.clone(),
        between,
        calls: calls_of_it.clone(),
        is_partial: false,
    };
    let wanted = chain.called.first().and_then(|(callee, _)| program.name(*callee));
    let called = |number: &&u32, wanted: &MethodName| {
        let method = calls.sites.method(**number);
        method.is_some_and(|of| *of.name == *wanted.name && *of.descriptor == *wanted.descriptor)
    };
    let is_executed = match &wanted {
        None => blocks.has_completed(body, first),
        // The call is one that an exception left if it ran something.
        Some(wanted) => {
            let ran_something = || group.trail.callees.iter().any(|number| called(&number, wanted));
            blocks.has(body, first) && (!blocks.is_behind_event(body, first) || ran_something())
        }
    };
    if !is_executed {
        let (jumps, between) = dominant_jumps(body, blocks, first);
        let site = |edge: &UntakenEdge| match edge.is_exception {
            true => JumpSite::Exception(edge.branch),
            false => JumpSite::Branch(edge.branch),
        };
        return jumps.iter().map(|edge| new(site(edge), edge.branch, edge.to, between.clone())).collect();
    }
    // The call was executed: it may have run another override.
    if let Some(wanted) = wanted {
        let is_same =
            |number: &u32| calls.sites.method(*number).is_some_and(|method| *method.class == *wanted.class);
        let called = group.trail.callees.iter().filter(|number| called(number, &wanted));
        if called.clone().any(is_same) {
            return partial(body, first, &new);
        }
        return called.map(|other| new(JumpSite::Dispatch(*other), first, first, BTreeSet::new())).collect();
    }
    partial(body, first, &new)
}

/// The branches on which an executed instruction depends: at some passes they went the other way.
fn partial<'c>(
    body: &Body,
    first: u32,
    new: &dyn Fn(JumpSite, u32, u32, BTreeSet<NodeIndex>) -> Candidate<'c>,
) -> Vec<Candidate<'c>> {
    let between = leads_to(&body.cfg, first);
    let edges = body.control().of(first).edges;
    let candidate = |edge: &bytecode::BranchEdge| Candidate {
        is_partial: true,
        ..new(JumpSite::Branch(edge.branch_pc), edge.branch_pc, edge.target_pc, between.clone())
    };
    edges.iter().map(candidate).collect()
}
