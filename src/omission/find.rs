//! Finds omissions (Omission Finder, Figure 9): for each executed call, the chains to use sites whose first
//! instruction the call did not execute, and the executed jumps that lost it. A call that ran another override
//! is such a jump too, and so is a pass of a branch that went the other way at other times.

use super::bodies::Body;
use super::chains::{Chain, Chains};
use super::executed::{Executed, Group, JumpSite, Pass, Window, passes};
use super::heap_walk::{Heap, Known, State, state_at};
use super::jumps::{ExecutedBlocks, UntakenEdge, dominant_jumps};
use super::operations::{Target, UseSite, use_sites};
use super::order;
use super::program::AnalysedProgram;
use super::suggestion::{Certainty, Jump, JumpKind, JumpPass, Operation, Passes, Place, Suggestion};
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
}

/// What identifies a candidate: the method, the jump, where the other way begins, and the chain's first
/// instruction and use site.
type Key = (u32, JumpSite, u32, u32, (MethodAt, u32));

/// A jump at which an operation was lost in some calls.
struct Candidate<'c> {
    method: u32,
    jump: JumpSite,
    /// The code index of the jump's instruction.
    pc: u32,
    /// The code index where the other way begins.
    to: u32,
    chain: Rc<Chain<'c>>,
    /// The blocks between the jump and the operation.
    between: BTreeSet<NodeIndex>,
    /// The calls in which it was lost, as far as they are named.
    calls: BTreeSet<u32>,
    /// Whether the same calls executed the operation at other times.
    is_partial: bool,
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
    (target, window): (&Target, Window),
    limits: &Limits,
) -> Result<Found, InspectError> {
    let mut sites = use_sites(program, target);
    let by_type = sites.iter().filter(|site| site.writes).count();
    let allocations = match &program.points_to {
        Some(points_to) if target.object != 0 => {
            points_to.allocations(calls, target.object, &target.class)?
        }
        _ => None,
    };
    if let Some(points_to) = &program.points_to {
        sites.retain(|site| points_to.is_reachable(site.place.0));
        if let Some(allocations) = &allocations {
            let index = &program.index;
            let may_be = |site: &UseSite| {
                index.op(site.place).is_some_and(|op| points_to.may_be(site, op, allocations))
            };
            sites.retain(may_be);
        }
    }
    let chains = Chains::new(program, &sites, limits.within);
    let executed = Executed::of(calls, window)?;
    let operations = sites.iter().filter(|site| site.writes).count();
    let mut found = Found { operations, unreachable: by_type - operations, ..Found::default() };
    let unsure = if allocations.is_some() { Certainty::May } else { Certainty::ByType };
    let mut executed_sites: BTreeSet<(MethodAt, u32)> = BTreeSet::new();
    let mut candidates: BTreeMap<Key, Candidate<'_>> = BTreeMap::new();
    let mut of_method: HashMap<u32, Option<Begin<'_>>> = HashMap::new();
    for group in &executed.groups {
        let known = of_method.entry(group.method).or_insert_with(|| {
            let name = name_of(calls, group.method)?;
            let at = program.index.find(&name)?;
            let body = program.bodies.of(&name)?;
            let chains = chains.from(program, at, limits.within).into_iter().map(Rc::new).collect();
            Some(Begin { at, body, chains })
        });
        let Some(begin) = known else { continue };
        let blocks = ExecutedBlocks::of(&begin.body, &group.trail);
        let of_it = sites.iter().filter(|site| site.place.0 == begin.at);
        executed_sites.extend(of_it.map(|site| site.place).filter(|place| blocks.has(&begin.body, place.1)));
        for chain in &begin.chains {
            for lost in lost_at(group, begin, chain, &blocks, (calls, program)) {
                let is_in_window = match lost.jump {
                    JumpSite::Branch(pc) => executed.ways.contains_key(&(group.method, pc)),
                    _ => true,
                };
                if !is_in_window {
                    continue;
                }
                let key = (group.method, lost.jump, lost.to, chain.first.1, chain.site.place);
                match candidates.get_mut(&key) {
                    // What was wholly omitted in one call counts more than what was at times.
                    Some(known) if known.is_partial && !lost.is_partial => *known = lost,
                    Some(known) if known.is_partial == lost.is_partial => {
                        known.between.extend(lost.between);
                        known.calls.extend(lost.calls);
                    }
                    Some(_) => {}
                    None => _ = candidates.insert(key, lost),
                }
            }
        }
    }
    found.executed = sites.iter().filter(|site| site.writes && executed_sites.contains(&site.place)).count();
    let jumps = candidates.values().map(|of| (of.method, of.jump)).collect();
    let passes = passes(calls, window, &jumps)?;
    let mut suggestions: Vec<(Suggestion, EventTime)> = Vec::new();
    for candidate in candidates.into_values() {
        let of_jump = passes.get(&(candidate.method, candidate.jump));
        let all: Vec<Pass> = of_jump.into_iter().flatten().copied().collect();
        let mut judge = Judge { calls, fields, program, target, unsure };
        let Some((certainty, pass)) = judge.certainty(&candidate, &all)? else {
            found.other_objects += usize::from(!candidate.is_partial);
            continue;
        };
        let counted = match candidate.jump {
            JumpSite::Branch(pc) => {
                let ways = executed.ways.get(&(candidate.method, pc));
                let all = ways.map_or(0, |ways| ways.values().sum());
                let taken = ways.and_then(|ways| ways.get(&candidate.to)).copied().unwrap_or(0);
                Passes { missed: all - taken, all }
            }
            _ => {
                let all = u64::try_from(all.len()).unwrap_or(u64::MAX);
                Passes { missed: all, all }
            }
        };
        if let Some(suggestion) = judge.suggestion(&candidate, certainty, &pass, counted) {
            suggestions.push((suggestion, pass.when));
        }
    }
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
    found.suggestions = suggestions.into_iter().map(|(suggestion, _)| suggestion).collect();
    Ok(found)
}

/// The jumps at which some calls lost the first instruction of a chain.
fn lost_at<'c>(
    group: &Group,
    begin: &Begin<'c>,
    chain: &Rc<Chain<'c>>,
    blocks: &ExecutedBlocks,
    (calls, program): (&Calls, &AnalysedProgram<'_>),
) -> Vec<Candidate<'c>> {
    let body = &begin.body;
    let calls_of_it: BTreeSet<u32> = group.calls.iter().copied().collect();
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
    if !blocks.has(body, first) {
        let (jumps, between) = dominant_jumps(body, blocks, first);
        let site = |edge: &UntakenEdge| match edge.is_exception {
            true => JumpSite::Exception(edge.branch),
            false => JumpSite::Branch(edge.branch),
        };
        return jumps.iter().map(|edge| new(site(edge), edge.branch, edge.to, between.clone())).collect();
    }
    // The call was executed: it may have run another override.
    if let Some((callee, _)) = chain.called.first()
        && let Some(wanted) = program.name(*callee)
    {
        let is = |number: &u32, same_class: bool| {
            calls.sites.method(*number).is_some_and(|method| {
                *method.name == *wanted.name
                    && *method.descriptor == *wanted.descriptor
                    && (*method.class == *wanted.class) == same_class
            })
        };
        if group.trail.callees.iter().any(|number| is(number, true)) {
            return partial(body, first, &new);
        }
        let others = group.trail.callees.iter().filter(|number| is(number, false));
        return others.map(|other| new(JumpSite::Dispatch(*other), first, first, BTreeSet::new())).collect();
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
    /// How sure it is that a use site may use the object.
    unsure: Certainty,
}

impl Judge<'_, '_> {
    /// How sure it is that the operation would use the object, with the pass that says so; `None` if all
    /// passes would use other objects.
    fn certainty(
        &mut self,
        candidate: &Candidate<'_>,
        passes: &[Pass],
    ) -> Result<Option<(Certainty, Pass)>, InspectError> {
        let of_it = passes.iter().rev().filter(|pass| candidate.calls.contains(&pass.node));
        let is_branch = matches!(candidate.jump, JumpSite::Branch(_));
        let mut may = None;
        for pass in of_it.filter(|pass| !is_branch || pass.to != candidate.to).take(EVALUATED) {
            match self.object_at(candidate, pass)? {
                Ending::Uses(Some(Value::Object(object))) if object == self.target.object => {
                    return Ok(Some((Certainty::Certain, *pass)));
                }
                Ending::Uses(None) => may = may.or(Some(*pass)),
                Ending::Uses(Some(_)) | Ending::Never => {}
            }
        }
        // At other times it was executed: only certain ones are worth a look.
        Ok(may.filter(|_| !candidate.is_partial).map(|pass| (self.unsure, pass)))
    }

    /// The operand of the operation, if the jump had gone the other way at this pass.
    fn object_at(&mut self, candidate: &Candidate<'_>, pass: &Pass) -> Result<Ending, InspectError> {
        let chain = &candidate.chain;
        let Some(name) = self.program.name(chain.first.0) else { return Ok(Ending::Uses(None)) };
        let Some(body) = self.program.bodies.of(&name) else { return Ok(Ending::Uses(None)) };
        let mut state;
        if matches!(candidate.jump, JumpSite::Dispatch(_)) {
            state = State::default().called(self.given(pass)?);
        } else {
            let begin = self.state_of(candidate, pass)?;
            let through = |block: NodeIndex| candidate.between.contains(&block);
            let way = (candidate.to, chain.first.1);
            let mut heap = Heap { calls: self.calls, fields: self.fields, when: pass.when };
            match state_at(&body, way, &through, begin, &mut heap)? {
                Some(known) => state = known,
                None => return Ok(Ending::Never),
            }
        }
        let mut is_dispatched = matches!(candidate.jump, JumpSite::Dispatch(_));
        let (mut body, mut pc) = (body, chain.first.1);
        for (method, next) in &chain.called {
            let Some(op) = body.code.at(pc).map(|instruction| instruction.op.clone()) else {
                return Ok(Ending::Uses(None));
            };
            let Some(name) = self.program.name(*method) else { return Ok(Ending::Uses(None)) };
            let Some(callee) = self.program.bodies.of(&name) else { return Ok(Ending::Uses(None)) };
            let arguments = match std::mem::take(&mut is_dispatched) {
                // The other override would have been given the same.
                true => Some(std::mem::take(&mut state.locals)),
                false => self.arguments(&op, &state, &name, callee.is_static),
            };
            let Some(arguments) = arguments else { return Ok(Ending::Never) };
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

    /// The arguments of the called method at a pass, by slot.
    fn given(&mut self, pass: &Pass) -> Result<Vec<Known>, InspectError> {
        let mut slots = Vec::new();
        let Some(call) = self.calls.call(pass.at.node)? else { return Ok(slots) };
        slots.extend(call.this.map(|this| Some(Value::Object(this)).filter(|_| this != 0)));
        for argument in call.arguments {
            slots.push(Some(argument));
            slots.extend(matches!(argument, Value::Long(_) | Value::Double(_)).then_some(None));
        }
        Ok(slots)
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
        let depth = bytecode::stack::depth_at(&body.code, candidate.to).unwrap_or(0);
        state.stack = vec![None; depth.into()];
        if let Some(known) = KnownLocals::before(None, self.calls, pass.at)? {
            let values = known.list();
            for variable in stores::variables_at(&body.code, candidate.pc) {
                let held = values.iter().rev().find(|local| local.name == variable.name);
                if let (Some(known), Some(held)) = (state.locals.get_mut(usize::from(variable.slot)), held) {
                    *known = Some(held.value);
                }
            }
        }
        if !body.is_static
            && let Some(this) = self.calls.call(pass.node)?.and_then(|call| call.this)
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
        passes: Passes,
    ) -> Option<Suggestion> {
        let jump_in = self.program.name(candidate.chain.first.0)?;
        let body = self.program.bodies.of(&jump_in)?;
        let place_of_jump = place(&jump_in, &body, candidate.pc);
        let (kind, (condition, was, would_be)) = match candidate.jump {
            JumpSite::Branch(pc) => {
                let way = (pass.to, candidate.to);
                let is_end = candidate.is_partial && ends_loop(&body, pc, way, candidate.chain.first.1);
                let kind = if is_end { JumpKind::LoopEnd } else { JumpKind::Branch };
                (kind, self.condition(&body, pc, (pass.to, candidate.to)))
            }
            JumpSite::Exception(_) => {
                let name = self.calls.objects.name(pass.exception);
                (JumpKind::Exception, (None, name, "no exception".to_owned()))
            }
            JumpSite::Dispatch(called) => {
                let ran = name_of(self.calls, called).map(|name| short(&name)).unwrap_or_default();
                let other = candidate.chain.called.first().and_then(|(method, _)| self.program.name(*method));
                let would = other.map(|name| short(&name)).unwrap_or_default();
                let call = body
                    .method()
                    .and_then(|method| bytecode::expression::call_at(&body.class, method, candidate.pc));
                (JumpKind::Dispatch, (call.map(|call| call.text), ran, would))
            }
        };
        let is_partial = candidate.is_partial;
        let jump =
            Jump { kind, place: place_of_jump, condition, was, would_be, to: candidate.to, is_partial };
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
        let node = pass.node;
        let thread = self.calls.thread_of(node).unwrap_or_default();
        let pass = JumpPass { call: self.calls.shown(node), thread, nth: pass.nth, at: pass.at };
        Some(Suggestion { jump, passes, operation, certainty, pass })
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
        let Some(mut condition) = condition else { return (None, "not taken".into(), "taken".into()) };
        if let Some(table) = &condition.enum_table
            && let Ok(Some(table)) = self.program.pool().find(&table.class)
        {
            condition = condition.with_enum(&table.file);
        }
        let is_switch = body.code.at(branch).is_some_and(|branch| matches!(branch.op, Op::Switch { .. }));
        let outcome = |to: u32| edge(to).map(|kind| condition.outcome(&kind).to_string()).unwrap_or_default();
        let text = if is_switch { format!("switch ({})", condition.text) } else { condition.text.clone() };
        (Some(text), outcome(went), outcome(to))
    }
}

/// Where the untaken way ends.
enum Ending {
    /// At the operation, with its operand, if that is known.
    Uses(Known),
    /// Elsewhere.
    Never,
}

/// Whether a branch is the condition of a loop around an instruction, and ended it.
fn ends_loop(body: &Body, branch: u32, (went, to): (u32, u32), pc: u32) -> bool {
    let cfg = &body.cfg;
    let (around, back) = (leads_to(cfg, pc), leads_to(cfg, branch));
    let is_inside = cfg.block_at(pc).is_some_and(|block| back.contains(&block));
    let comes_back = cfg.block_at(went).is_some_and(|block| around.contains(&block));
    if !is_inside || comes_back {
        return false;
    }
    let dominance = bytecode::dominators(&body.code, false);
    let Some(block) = cfg.block_at(branch) else { return false };
    let begins = |block: NodeIndex| cfg.block(block).map(|block| block.start_pc);
    let is_head = cfg.predecessors(block, false).into_iter().any(|(before, _)| {
        begins(before).is_some_and(|before| begins(block).is_some_and(|own| dominance.dominates(own, before)))
    });
    // Or it stands at the end of a `do` loop.
    is_head || dominance.dominates(to, branch)
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
