//! Finds omissions (Omission Finder, Figure 9): for each executed call, the chains to use sites whose first
//! instruction the call did not execute, and the executed jumps that lost it.

use super::bodies::Body;
use super::chains::{Chain, Chains};
use super::executed::{Executed, Pass, Window, passes};
use super::heap_walk::{Heap, Known, State, state_at};
use super::jumps::{ExecutedBlocks, UntakenEdge, dominant_jumps};
use super::operations::{Target, UseSite, use_sites};
use super::order;
use super::program::AnalysedProgram;
use super::suggestion::{Certainty, Jump, JumpPass, Operation, Passes, Place, Suggestion};
use crate::inspect::InspectError;
use crate::inspect::fields::Fields;
use crate::inspect::locals::KnownLocals;
use crate::model::MethodName;
use crate::program::call_index::MethodAt;
use crate::trace::{Calls, EventTime, Value};
use bytecode::op::InvokeKind;
use bytecode::{Cfg, Op, descriptor, stores};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// Most passes of a jump that are evaluated with the recorded values.
const EVALUATED: usize = 32;

/// How far to look.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Most calls between a jump and an operation.
    pub within: usize,
    /// Whether operations that only read the object are suggested too.
    pub reads: bool,
}

/// What was found, and why nothing more.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The suggestions, in order.
    pub suggestions: Vec<Suggestion>,
    /// Number of suggestions that only read the object, and are hidden.
    pub hidden_reads: usize,
    /// Number of operations in the code that can change such an object.
    pub operations: usize,
    /// Number of those that were executed in the window.
    pub executed: usize,
    /// Number of jumps whose untaken way would use another object.
    pub other_objects: usize,
}

/// A jump at which an operation was lost in some calls.
struct Candidate<'c> {
    method: u32,
    edge: UntakenEdge,
    chain: Rc<Chain<'c>>,
    /// The unexecuted blocks between the jump and the operation.
    between: BTreeSet<NodeIndex>,
    /// The calls in which it was lost, as far as they are named.
    calls: BTreeSet<u32>,
}

/// Finds the omissions of a target in a window.
///
/// # Errors
/// The recording cannot be read.
pub fn find(
    calls: &mut Calls,
    fields: &mut Fields,
    program: &mut AnalysedProgram<'_>,
    (target, window): (&Target, Window),
    limits: &Limits,
) -> Result<Found, InspectError> {
    let sites = use_sites(program, target);
    let chains = Chains::new(program, &sites, limits.within);
    let executed = Executed::of(calls, window)?;
    let mut found = Found { operations: sites.iter().filter(|site| site.writes).count(), ..Found::default() };
    let mut executed_sites: BTreeSet<(MethodAt, u32)> = BTreeSet::new();
    // By method, jump, and first instruction and use site of the chain.
    let mut candidates: BTreeMap<(u32, UntakenEdge, u32, (MethodAt, u32)), Candidate<'_>> = BTreeMap::new();
    let mut of_method: HashMap<u32, Option<(MethodAt, Rc<Body>, Vec<Rc<Chain<'_>>>)>> = HashMap::new();
    for group in &executed.groups {
        let known = of_method.entry(group.method).or_insert_with(|| {
            let name = name_of(calls, group.method)?;
            let at = program.index.find(&name)?;
            let body = program.bodies.of(&name)?;
            let chains = chains.from(program, at, limits.within).into_iter().map(Rc::new).collect();
            Some((at, body, chains))
        });
        let Some((at, body, chains)) = known else { continue };
        let blocks = ExecutedBlocks::of(body, &group.edges);
        for site in sites.iter().filter(|site| site.place.0 == *at && blocks.has(body, site.place.1)) {
            executed_sites.insert(site.place);
        }
        for chain in chains {
            let (jumps, between) = dominant_jumps(body, &blocks, chain.first.1);
            for edge in jumps {
                if !executed.ways.contains_key(&(group.method, edge.branch)) {
                    continue;
                }
                let key = (group.method, edge, chain.first.1, chain.site.place);
                let candidate = candidates.entry(key).or_insert_with(|| Candidate {
                    method: group.method,
                    edge,
                    chain: chain.clone(),
                    between: BTreeSet::new(),
                    calls: BTreeSet::new(),
                });
                candidate.between.extend(between.iter().copied());
                candidate.calls.extend(group.calls.iter().copied());
            }
        }
    }
    found.executed = sites.iter().filter(|site| site.writes && executed_sites.contains(&site.place)).count();
    let branches = candidates.values().map(|of| (of.method, of.edge.branch)).collect();
    let passes = passes(calls, window, &branches)?;
    let mut suggestions: Vec<(Suggestion, EventTime)> = Vec::new();
    for candidate in candidates.into_values() {
        let key = (candidate.method, candidate.edge.branch);
        let all = passes.get(&key).map(Vec::as_slice).unwrap_or_default();
        let mut judge = Judge { calls, fields, program, target };
        let Some((certainty, pass)) = judge.certainty(&candidate, all)? else {
            found.other_objects += 1;
            continue;
        };
        let ways = executed.ways.get(&key).cloned().unwrap_or_default();
        if let Some(suggestion) = judge.suggestion(&candidate, certainty, &pass, &ways) {
            suggestions.push((suggestion, pass.when));
        }
    }
    if !limits.reads {
        let before = suggestions.len();
        suggestions.retain(|(suggestion, _)| suggestion.operation.writes);
        found.hidden_reads = before - suggestions.len();
    }
    order::sort(&mut suggestions);
    found.suggestions = suggestions.into_iter().map(|(suggestion, _)| suggestion).collect();
    Ok(found)
}

fn name_of(calls: &Calls, method: u32) -> Option<MethodName> {
    let method = calls.sites.method(method)?;
    Some(MethodName::new(method.class.clone(), method.name.as_str(), method.descriptor.as_str()))
}

/// Decides which object the untaken way would use.
struct Judge<'j, 'p> {
    calls: &'j mut Calls,
    fields: &'j mut Fields,
    program: &'j mut AnalysedProgram<'p>,
    target: &'j Target,
}

impl Judge<'_, '_> {
    /// How sure it is that the operation would use the object, with the pass that says so; `None` if all
    /// passes would use other objects.
    fn certainty(
        &mut self,
        candidate: &Candidate<'_>,
        passes: &[Pass],
    ) -> Result<Option<(Certainty, Pass)>, InspectError> {
        let of_it = passes.iter().rev().filter(|pass| candidate.calls.contains(&pass.at.node));
        let mut may = None;
        for pass in of_it.filter(|pass| pass.to != candidate.edge.to).take(EVALUATED) {
            match self.object_at(candidate, pass)? {
                Ending::Uses(Some(Value::Object(object))) if object == self.target.object => {
                    return Ok(Some((Certainty::Certain, *pass)));
                }
                Ending::Uses(None) => may = may.or(Some(*pass)),
                Ending::Uses(Some(_)) | Ending::Never => {}
            }
        }
        Ok(may.map(|pass| (Certainty::ByType, pass)))
    }

    /// The operand of the operation, if the jump had gone the other way at this pass.
    fn object_at(&mut self, candidate: &Candidate<'_>, pass: &Pass) -> Result<Ending, InspectError> {
        let chain = &candidate.chain;
        let begin = self.state_of(candidate, pass)?;
        let Some(name) = self.program.name(chain.first.0) else { return Ok(Ending::Uses(None)) };
        let Some(body) = self.program.bodies.of(&name) else { return Ok(Ending::Uses(None)) };
        let through = |block: NodeIndex| candidate.between.contains(&block);
        let way = (candidate.edge.to, chain.first.1);
        let mut heap = Heap { calls: self.calls, fields: self.fields, when: pass.when };
        let Some(mut state) = state_at(&body, way, &through, begin, &mut heap)? else {
            return Ok(Ending::Never);
        };
        let (mut body, mut pc) = (body, chain.first.1);
        for (method, next) in &chain.called {
            let Some(op) = body.code.at(pc).map(|instruction| instruction.op.clone()) else {
                return Ok(Ending::Uses(None));
            };
            let Some(name) = self.program.name(*method) else { return Ok(Ending::Uses(None)) };
            let Some(callee) = self.program.bodies.of(&name) else { return Ok(Ending::Uses(None)) };
            let Some(arguments) = self.arguments(&op, &state, &name, callee.is_static) else {
                return Ok(Ending::Never);
            };
            let reaches = leads_to(&callee.cfg, *next);
            let through = |block: NodeIndex| reaches.contains(&block);
            let begin = state.called(arguments);
            let mut heap = Heap { calls: self.calls, fields: self.fields, when: pass.when };
            let Some(known) = state_at(&callee, (0, *next), &through, begin, &mut heap)? else {
                return Ok(Ending::Never);
            };
            (state, body, pc) = (known, callee, *next);
        }
        Ok(Ending::Uses(match chain.site.above {
            None => Some(Value::Object(0)),
            Some(above) => state.below(above, 1),
        }))
    }

    /// The arguments of a call, by slot; `None` if the call cannot run this method.
    fn arguments(&self, op: &Op, state: &State, callee: &MethodName, is_static: bool) -> Option<Vec<Known>> {
        let Op::Invoke { kind, method } = op else { return Some(Vec::new()) };
        let types = descriptor::parse_method(&method.descriptor)?;
        let slots: u16 = types.parameters.iter().map(|of| descriptor::slots(of)).sum();
        let mut found = Vec::new();
        if !is_static {
            let receiver = state.below(slots, 1);
            if let Some(Value::Object(object)) = receiver
                && !self.runs(object, *kind, callee)
            {
                return None;
            }
            // Behind an interface may be a lambda, whose method has other parameters.
            if method.descriptor != *callee.descriptor {
                return Some(Vec::new());
            }
            found.push(receiver);
        }
        let mut above = slots;
        for of in &types.parameters {
            let width = descriptor::slots(of);
            above -= width;
            found.push(state.below(above, width));
            found.extend((1..width).map(|_| None));
        }
        Some(found)
    }

    /// Whether a call on an object runs a method.
    fn runs(&self, object: u32, kind: InvokeKind, callee: &MethodName) -> bool {
        if object == 0 {
            return false;
        }
        let Some(class) = self.calls.objects.class(object) else { return true };
        if kind == InvokeKind::Special {
            return true;
        }
        let pool = self.program.pool();
        let Ok(Some(found)) = pool.find(class) else { return true };
        let line = crate::program::lineage(pool, &found.file);
        let declares = |file: &&std::sync::Arc<bytecode::ClassFile>| {
            file.method(&callee.name, &callee.descriptor).is_some_and(|method| !method.is_abstract())
        };
        line.iter().find(declares).is_none_or(|file| *file.name == *callee.class)
    }

    /// What is known at a pass, as the untaken way begins.
    fn state_of(&mut self, candidate: &Candidate<'_>, pass: &Pass) -> Result<State, InspectError> {
        let mut state = State::default();
        let Some(name) = self.program.name(candidate.chain.first.0) else { return Ok(state) };
        let Some(body) = self.program.bodies.of(&name) else { return Ok(state) };
        state.locals = vec![None; body.code.max_locals.into()];
        let depth = bytecode::stack::depth_at(&body.code, candidate.edge.to).unwrap_or(0);
        state.stack = vec![None; depth.into()];
        if let Some(known) = KnownLocals::before(None, self.calls, pass.at)? {
            let values = known.list();
            for variable in stores::variables_at(&body.code, candidate.edge.branch) {
                let held = values.iter().rev().find(|local| local.name == variable.name);
                if let (Some(known), Some(held)) = (state.locals.get_mut(usize::from(variable.slot)), held) {
                    *known = Some(held.value);
                }
            }
        }
        if !body.is_static
            && let Some(this) = self.calls.call(pass.at.node)?.and_then(|call| call.this)
            && let Some(known) = state.locals.first_mut()
        {
            *known = Some(Value::Object(this)).filter(|_| this != 0);
        }
        Ok(state)
    }

    fn suggestion(
        &mut self,
        candidate: &Candidate<'_>,
        certainty: Certainty,
        pass: &Pass,
        ways: &BTreeMap<u32, u64>,
    ) -> Option<Suggestion> {
        let UntakenEdge { branch, to } = candidate.edge;
        let jump_in = self.program.name(candidate.chain.first.0)?;
        let body = self.program.bodies.of(&jump_in)?;
        let all: u64 = ways.values().sum();
        let taken = ways.get(&to).copied().unwrap_or(0);
        let (condition, was, would_be) = self.condition(&body, branch, (pass.to, to));
        let jump = Jump { place: place(&jump_in, &body, branch), condition, was, would_be, to };
        let site = candidate.chain.site;
        let in_method = self.program.name(site.place.0)?;
        let of_site = self.program.bodies.of(&in_method)?;
        let mut chain = vec![short(&jump_in)];
        chain.extend(
            candidate
                .chain
                .called
                .iter()
                .filter_map(|(method, _)| self.program.name(*method))
                .map(|name| short(&name)),
        );
        let operation = Operation {
            place: place(&in_method, &of_site, site.place.1),
            text: text(&of_site, site),
            writes: site.writes,
            chain,
        };
        let node = pass.at.node;
        let thread = self.calls.thread_of(node).unwrap_or_default();
        let pass = JumpPass { call: self.calls.shown(node), thread, nth: pass.nth, at: pass.at };
        Some(Suggestion { jump, passes: Passes { missed: all - taken, all }, operation, certainty, pass })
    }

    /// The text of a branch's condition, what it was, and what it would have to be.
    fn condition(
        &self,
        body: &Body,
        branch: u32,
        (went, to): (u32, u32),
    ) -> (Option<String>, String, String) {
        let condition =
            body.method().and_then(|method| bytecode::expression::condition_at(&body.class, method, branch));
        let edge = |to: u32| {
            let block = body.cfg.block_at(branch)?;
            let mut edges = body.cfg.successors(block, false).into_iter();
            let starts = |next: NodeIndex| body.cfg.block(next).is_some_and(|block| block.start_pc == to);
            edges.find(|(next, _)| starts(*next)).map(|(_, kind)| kind.clone())
        };
        let Some(condition) = condition else { return (None, "not taken".into(), "taken".into()) };
        let outcome = |to: u32| edge(to).map(|kind| condition.outcome(&kind).to_string()).unwrap_or_default();
        (Some(condition.text.clone()), outcome(went), outcome(to))
    }
}

/// Where the untaken way ends.
enum Ending {
    /// At the operation, with its operand, if that is known.
    Uses(Known),
    /// Elsewhere.
    Never,
}

/// The blocks from which an instruction can be reached.
fn leads_to(cfg: &Cfg, pc: u32) -> BTreeSet<NodeIndex> {
    let mut found = BTreeSet::new();
    let mut work: Vec<NodeIndex> = cfg.block_at(pc).into_iter().collect();
    while let Some(block) = work.pop() {
        if found.insert(block) {
            work.extend(cfg.predecessors(block, false).into_iter().map(|(before, _)| before));
        }
    }
    found
}

fn place(name: &MethodName, body: &Body, pc: u32) -> Place {
    Place {
        class: name.class.to_string(),
        method: name.name.to_string(),
        descriptor: name.descriptor.to_string(),
        pc,
        line: body.line(pc),
    }
}

fn short(name: &MethodName) -> String {
    format!("{}.{}", crate::model::short_class_name(&name.class), name.name)
}

/// The operation as text.
fn text(body: &Body, site: &UseSite) -> String {
    let pc = site.place.1;
    let Some(method) = body.method() else { return String::new() };
    let call = bytecode::expression::call_at(&body.class, method, pc).map(|call| call.text);
    let stored =
        || bytecode::expression::stored_expression(&body.class, method, pc).map(|stored| stored.text);
    call.or_else(stored).unwrap_or_default()
}
