//! Finds the comparisons further right in a conjunction that a relation may use to give fewer answers.

use super::Comparison;
use super::clause::Compiler;
use super::goals::{comparison, test};
use super::image::{PredKind, index};
use crate::arith::{Num, Op, constant};
use crate::atoms::known;
use crate::term::{Node, NodeId};

/// A step of the other side of a comparison, in postfix order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand {
    Number(Num),
    Slot(u32),
    Apply(Op),
}

/// A comparison of an argument of the relation with an expression.
#[derive(Clone, Debug)]
pub(crate) struct BoundSpec {
    pub arg: u32,
    /// The argument stands on the left.
    pub op: Comparison,
    pub expression: Vec<Operand>,
}

/// How many goals further right are looked at.
const REACH: usize = 64;

impl Compiler<'_> {
    /// Collects the comparisons for a relation and returns their index; 0 is none.
    pub(super) fn bounds(&mut self, goal: NodeId, rest: &[NodeId]) -> u32 {
        let args: Vec<NodeId> = self.term.args(goal).to_vec();
        let mut found = Vec::new();
        for &next in rest.iter().take(REACH) {
            let next = self.unqualified(next);
            let Some((name, arity)) = self.term.functor(next) else { break };
            match (name, arity, self.term.args(next)) {
                (known::EQ | known::EQEQ, 2, &[a, b]) => {
                    self.bound(&args, a, b, Comparison::Eq, true, &mut found);
                    self.bound(&args, b, a, Comparison::Eq, true, &mut found);
                }
                (_, 2, &[a, b]) if comparison(name).is_some() => {
                    let Some(op) = comparison(name) else { break };
                    self.bound(&args, a, b, op, false, &mut found);
                    self.bound(&args, b, a, mirrored(op), false, &mut found);
                }
                (known::TRUE, 0, _) => {}
                (
                    known::NEQEQ | known::NEQ | known::LT_AT | known::GT_AT | known::LEQ_AT | known::GEQ_AT,
                    2,
                    _,
                ) => {}
                (_, 1, _) if test(name).is_some() => {}
                _ => {
                    let pred = self.image.find(name, arity);
                    match pred.and_then(|pred| self.image.preds.get(pred as usize)).map(|pred| &pred.kind) {
                        Some(PredKind::Relation(relation)) if relation.is_pure() => {}
                        _ => break,
                    }
                }
            }
        }
        if found.is_empty() {
            return 0;
        }
        self.image.bounds.push(found);
        index(self.image.bounds.len() - 1)
    }

    /// Adds `left op right` if the left side is an argument and the right side can be known at the call.
    fn bound(
        &self,
        args: &[NodeId],
        left: NodeId,
        right: NodeId,
        op: Comparison,
        literal: bool,
        found: &mut Vec<BoundSpec>,
    ) {
        let Node::Var(variable) = self.term.node(left) else { return };
        if op == Comparison::Ne {
            return;
        }
        let Some(expression) = self.known_expression(right, literal) else { return };
        for (i, &arg) in args.iter().enumerate() {
            if matches!(self.term.node(arg), Node::Var(v) if v == variable) {
                found.push(BoundSpec { arg: index(i), op, expression: expression.clone() });
            }
        }
    }

    /// The steps of an expression whose variables exist before the call.
    fn known_expression(&self, expression: NodeId, literal: bool) -> Option<Vec<Operand>> {
        let mut steps = Vec::new();
        // Built backwards: a functor before its arguments, the last argument first.
        let mut work = vec![expression];
        while let Some(node) = work.pop() {
            steps.push(match self.term.node(node) {
                Node::Int(value) => Operand::Number(Num::Int(value)),
                Node::Float(value) => Operand::Number(Num::Float(value)),
                Node::Var(variable) if self.ready.get(variable as usize) == Some(&true) => {
                    Operand::Slot((*self.slots.get(variable as usize)?)?)
                }
                Node::Atom(atom) if !literal => Operand::Number(constant(self.atoms, atom)?),
                Node::Compound { name, arity, .. } if !literal => {
                    work.extend_from_slice(self.term.args(node));
                    Operand::Apply(Op::find(self.atoms.text(name), arity as usize)?)
                }
                _ => return None,
            });
        }
        steps.reverse();
        Some(steps)
    }
}

/// The comparison with its sides exchanged.
fn mirrored(op: Comparison) -> Comparison {
    match op {
        Comparison::Lt => Comparison::Gt,
        Comparison::Le => Comparison::Ge,
        Comparison::Gt => Comparison::Lt,
        Comparison::Ge => Comparison::Le,
        same => same,
    }
}
