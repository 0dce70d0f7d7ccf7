//! Decides whether the untaken way of a jump would have used the object.

use super::candidate::Candidate;
use super::executed::{JumpSite, Pass};
use super::heap_walk::{Heap, Known, State, Way, state_at, state_in};
use super::pass_locals::PassLocals;
use super::program::AnalysedProgram;
use super::suggestion::Certainty;
use super::use_site::Target;
use bytecode::op::InvokeKind;
use bytecode::{Op, descriptor, stores};
use model::MethodName;
use past::PastError;
use past::fields::Fields;
use petgraph::graph::NodeIndex;
use trace::{Calls, Value};

/// Decides which object the untaken way would use.
pub(super) struct Judge<'j, 'p> {
    /// The recording.
    pub calls: &'j mut Calls,
    /// The fields of classes.
    pub fields: &'j mut Fields,
    /// The program.
    pub program: &'j mut AnalysedProgram<'p>,
    /// The variables at passes.
    pub locals: &'j mut PassLocals,
    /// What is wrong.
    pub target: &'j Target,
    /// How sure it is that a use site may use the object.
    pub unsure: Certainty,
    /// Most passes that are evaluated.
    pub most: usize,
}

impl Judge<'_, '_> {
    /// How sure it is that the operation would use the object, with the pass that says so; `None` if all
    /// passes would use other objects.
    pub fn certainty(
        &mut self,
        candidate: &Candidate<'_>,
        passes: &[Pass],
    ) -> Result<Option<(Certainty, Pass)>, PastError> {
        let mut may = None;
        for pass in evaluated(candidate, passes.iter(), self.most) {
            let target = Some(Value::Object(self.target.object));
            match self.object_at(candidate, pass, false)? {
                Ending::Uses(known) if known == target => return Ok(Some((Certainty::Certain, *pass))),
                Ending::Uses(None) => {
                    // Loops lead there again with other values. What is known may be the first one.
                    let first = self.object_at(candidate, pass, true)?;
                    if matches!(first, Ending::Uses(known) if known == target) {
                        return Ok(Some((Certainty::Certain, *pass)));
                    }
                    may = may.or(Some(*pass));
                }
                Ending::Uses(Some(_)) | Ending::Never => {}
            }
        }
        // At other times it was executed: only certain ones are worth a look.
        Ok(may.filter(|_| !candidate.is_partial).map(|pass| (self.unsure, pass)))
    }

    /// The operand of the operation, if the jump had gone the other way at this pass.
    /// If `is_first`, the first time that the way leads there, and not all times.
    fn object_at(
        &mut self,
        candidate: &Candidate<'_>,
        pass: &Pass,
        is_first: bool,
    ) -> Result<Ending, PastError> {
        let chain = &candidate.chain;
        let Some(name) = self.program.name(chain.first.0) else { return Ok(Ending::Uses(None)) };
        let Some(body) = self.program.bodies.of(&name) else { return Ok(Ending::Uses(None)) };
        let mut state;
        if matches!(candidate.jump, JumpSite::Dispatch(_)) {
            state = State::default().called(self.given(pass)?);
        } else {
            let begin = self.state_of(candidate, pass)?;
            let through = |block: NodeIndex| candidate.between.contains(&block);
            let way = Way { from: candidate.to, target: chain.first.1, is_first };
            let mut heap =
                Heap { calls: self.calls, fields: self.fields, index: &self.program.index, when: pass.when };
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
            let begin = state.called(arguments);
            let mut heap =
                Heap { calls: self.calls, fields: self.fields, index: &self.program.index, when: pass.when };
            let Some(known) = state_in(&callee, *next, is_first, &begin, &mut heap)? else {
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
    fn given(&mut self, pass: &Pass) -> Result<Vec<Known>, PastError> {
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
        let line = program::lineage(pool, &found.file);
        let declares = |file: &&std::sync::Arc<bytecode::ClassFile>| {
            file.method(&callee.name, &callee.descriptor).is_some_and(|method| !method.is_abstract())
        };
        line.iter().find(declares).is_none_or(|file| *file.name == *callee.class)
    }

    /// What is known at a pass, as the untaken way begins.
    fn state_of(&mut self, candidate: &Candidate<'_>, pass: &Pass) -> Result<State, PastError> {
        let mut state = State::default();
        let Some(name) = self.program.name(candidate.chain.first.0) else { return Ok(state) };
        let Some(body) = self.program.bodies.of(&name) else { return Ok(state) };
        state.locals = vec![None; body.code.max_locals.into()];
        let depth = body.depth_at(candidate.to).unwrap_or(0);
        state.stack = vec![None; depth.into()];
        if let Some(values) = self.locals.at(self.calls, pass)? {
            for variable in stores::variables_at(&body.code, candidate.pc) {
                let held = values.iter().rev().find(|(name, _)| **name == *variable.name);
                if let (Some(known), Some((_, held))) =
                    (state.locals.get_mut(usize::from(variable.slot)), held)
                {
                    *known = Some(*held);
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
}

/// The passes of a candidate's jump that are evaluated: the last ones that missed the way, the latest first.
pub(super) fn evaluated<'p>(
    candidate: &Candidate<'_>,
    passes: impl DoubleEndedIterator<Item = &'p Pass>,
    most: usize,
) -> impl Iterator<Item = &'p Pass> {
    let is_branch = matches!(candidate.jump, JumpSite::Branch(_));
    let is_missed =
        move |pass: &&Pass| candidate.calls.contains(&pass.node) && (!is_branch || pass.to != candidate.to);
    passes.rev().filter(is_missed).take(most)
}

/// Where the untaken way ends.
enum Ending {
    /// At the operation, with its operand, if that is known.
    Uses(Known),
    /// Elsewhere.
    Never,
}
