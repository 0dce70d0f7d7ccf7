//! Compiles single goals: calls, comparisons in place, and goals that become helper predicates.

use super::body::Context;
use super::clause::{Compiler, Helper, Refused};
use super::image::{PredKind, index};
use super::{Comparison, Instr, Test};
use crate::atoms::{AtomId, known};
use crate::term::{Node, NodeId};

/// The comparison of a name.
pub(super) fn comparison(name: AtomId) -> Option<Comparison> {
    Some(match name {
        known::LT => Comparison::Lt,
        known::LE => Comparison::Le,
        known::GT => Comparison::Gt,
        known::GE => Comparison::Ge,
        known::AEQ => Comparison::Eq,
        known::ANE => Comparison::Ne,
        _ => return None,
    })
}

/// The test of a name.
pub(super) fn test(name: AtomId) -> Option<Test> {
    Some(match name {
        known::VAR => Test::Var,
        known::NONVAR => Test::NonVar,
        known::ATOM => Test::Atom,
        known::NUMBER => Test::Number,
        known::INTEGER => Test::Integer,
        known::FLOAT => Test::Float,
        known::STRING => Test::String,
        known::ATOMIC => Test::Atomic,
        known::COMPOUND => Test::Compound,
        known::CALLABLE => Test::Callable,
        _ => return None,
    })
}

impl Compiler<'_> {
    /// Compiles a goal that is no control construct.
    pub(super) fn call(&mut self, goal: NodeId, context: Context) -> Result<(), Refused> {
        let goal = self.unqualified(goal);
        if matches!(self.term.node(goal), Node::Var(_)) {
            return self.call_pred(known::CALL, &[goal], context, 0);
        }
        let Some((name, _)) = self.term.functor(goal) else {
            return Err((goal, "a goal must be an atom or a compound, not a number or string".to_owned()));
        };
        let args: Vec<NodeId> = self.term.args(goal).to_vec();
        if let Some(instr) = self.simple_test(goal)? {
            self.emit(instr);
            self.finish(context);
            return Ok(());
        }
        match (name, args.as_slice()) {
            (known::EQ, &[a, b]) => {
                self.emit(Instr::Begin { size: 0, args: 2 });
                self.put(a, 0)?;
                self.put(b, 1)?;
                self.emit(Instr::Unify);
                self.finish(context);
                return Ok(());
            }
            (known::IS, &[left, right]) if self.is_arithmetic(right) => {
                if let Node::Var(variable) = self.term.node(left) {
                    self.expression(right);
                    let (slot, ready) = self.slot(variable);
                    self.emit(if ready { Instr::IsValue { slot } } else { Instr::IsFirst { slot } });
                    self.finish(context);
                    return Ok(());
                }
            }
            (known::DOLLAR_CATCH, []) if self.image.library => {
                self.emit(Instr::Catch);
                return Ok(());
            }
            (known::DOLLAR_END_CATCH, []) if self.image.library => {
                self.emit(Instr::EndCatch);
                self.finish(context);
                return Ok(());
            }
            (known::CALL, &[inside]) if self.needs_helper(inside) => {
                let (name, variables) = self.helper(inside);
                let pred = self.image.pred(name, variables.len());
                self.put_variables(&variables);
                self.emit_call(pred, context);
                return Ok(());
            }
            _ => {}
        }
        self.call_pred(name, &args, context, 0)
    }

    /// The goal behind module qualifiers, which mean nothing here.
    pub(super) fn unqualified(&self, mut goal: NodeId) -> NodeId {
        while let Some((module, inner)) = self.term.pair(goal, known::COLON)
            && matches!(self.term.node(module), Node::Atom(_))
        {
            goal = inner;
        }
        goal
    }

    fn call_pred(
        &mut self,
        name: AtomId,
        args: &[NodeId],
        context: Context,
        bounds: u32,
    ) -> Result<(), Refused> {
        let pred = self.image.pred(name, args.len());
        self.emit(Instr::Begin { size: 0, args: index(args.len()) });
        let closure = closure_argument(name, args.len());
        for (i, &arg) in args.iter().enumerate() {
            if Some(i) == closure && self.needs_helper(arg) {
                let (name, variables) = self.helper(arg);
                self.put_helper(name, &variables, i);
            } else {
                self.put(arg, i)?;
            }
        }
        if let Some(PredKind::Relation(_)) = self.image.preds.get(pred as usize).map(|pred| &pred.kind) {
            self.emit(Instr::Relation { pred, bounds });
            self.finish(context);
            return Ok(());
        }
        self.emit_call(pred, context);
        Ok(())
    }

    fn emit_call(&mut self, pred: u32, context: Context) {
        match self.image.preds.get(pred as usize).map(|pred| &pred.kind) {
            Some(PredKind::Det(_)) => {
                self.emit(Instr::Det { pred });
                self.finish(context);
            }
            _ if context.last => self.emit(Instr::LastCall { pred }),
            _ => self.emit(Instr::Call { pred }),
        }
    }

    /// Compiles the call of a relation with the comparisons further right. False if the goal is no such call.
    pub(super) fn relation_goal(
        &mut self,
        goal: NodeId,
        rest: &[NodeId],
        context: Context,
    ) -> Result<bool, Refused> {
        let goal = self.unqualified(goal);
        let Some((name, arity)) = self.term.functor(goal) else { return Ok(false) };
        let Some(pred) = self.image.find(name, arity) else { return Ok(false) };
        if !matches!(self.image.preds.get(pred as usize).map(|p| &p.kind), Some(PredKind::Relation(_))) {
            return Ok(false);
        }
        let bounds = self.bounds(goal, rest);
        let args: Vec<NodeId> = self.term.args(goal).to_vec();
        self.call_pred(name, &args, context, bounds)?;
        Ok(true)
    }

    /// Whether compiling a goal as a predicate of its own pays: it is a control construct.
    fn needs_helper(&self, goal: NodeId) -> bool {
        let control = matches!(
            (self.term.functor(goal), self.term.args(goal).len()),
            (Some((known::COMMA | known::SEMICOLON | known::ARROW | known::SOFT, _)), 2)
                | (Some((known::NOT, _)), 1)
        );
        control && self.is_body(goal)
    }

    /// Whether a term can be compiled as a body; calling any other term must raise an error when it is
    /// called.
    fn is_body(&self, goal: NodeId) -> bool {
        let mut work = vec![(goal, 0)];
        while let Some((goal, depth)) = work.pop() {
            if depth > 100 {
                return false;
            }
            match (self.term.node(goal), self.term.args(goal)) {
                (
                    Node::Compound {
                        name: known::COMMA | known::SEMICOLON | known::ARROW | known::SOFT | known::FORALL,
                        ..
                    },
                    &[a, b],
                ) => work.extend([(a, depth + 1), (b, depth)]),
                (
                    Node::Compound { name: known::NOT | known::ONCE | known::IGNORE | known::NOT_, .. },
                    &[a],
                ) => {
                    work.push((a, depth + 1));
                }
                (Node::Compound { .. } | Node::Atom(_) | Node::Var(_), _) => {}
                _ => return false,
            }
        }
        true
    }

    fn helper(&mut self, goal: NodeId) -> (AtomId, Vec<u32>) {
        let mut variables = Vec::new();
        let mut work = vec![goal];
        while let Some(node) = work.pop() {
            if let Node::Var(variable) = self.term.node(node)
                && !variables.contains(&variable)
            {
                variables.push(variable);
            }
            work.extend_from_slice(self.term.args(node));
        }
        let name = self.atoms.intern(&format!("$goal{}", self.image.helpers));
        self.image.helpers += 1;
        self.helpers.push(Helper { name, variables: variables.clone(), goal });
        // The predicate must exist before it is called.
        self.image.pred(name, variables.len());
        (name, variables)
    }

    fn put_variables(&mut self, variables: &[u32]) {
        self.emit(Instr::Begin { size: 0, args: index(variables.len()) });
        for (i, &variable) in variables.iter().enumerate() {
            let (slot, ready) = self.slot(variable);
            let arg = index(i);
            self.emit(if ready { Instr::PutValue { arg, slot } } else { Instr::PutFirst { arg, slot } });
        }
    }

    fn put_helper(&mut self, name: AtomId, variables: &[u32], arg: usize) {
        let arg = index(arg);
        if variables.is_empty() {
            self.emit(Instr::PutConst { arg, value: crate::store::Cell::atom(name) });
            return;
        }
        let functor = crate::store::Cell::functor(name, variables.len());
        self.emit(Instr::PutStruct { arg, functor });
        for &variable in variables {
            let (slot, ready) = self.slot(variable);
            self.emit(if ready { Instr::UnifyValue { slot } } else { Instr::UnifyFirst { slot } });
        }
    }
}

/// The argument of a built-in predicate that is called as it is.
fn closure_argument(name: AtomId, arity: usize) -> Option<usize> {
    match (name, arity) {
        (known::FINDALL, 3 | 4) | (known::AGGREGATE, 3) => Some(1),
        (known::CATCH, 3) => Some(0),
        _ => None,
    }
}
