//! Compiles arithmetic to operations on a stack of numbers.

use super::clause::Compiler;
use super::{Instr, Literal};
use crate::arith::{Op, constant};
use crate::store::Cell;
use crate::term::{Node, NodeId};

impl Compiler<'_> {
    /// Whether an expression can be compiled: its functors are evaluable and its variables exist.
    pub(super) fn is_arithmetic(&self, expression: NodeId) -> bool {
        let mut work = vec![expression];
        while let Some(node) = work.pop() {
            match self.term.node(node) {
                Node::Int(_) | Node::Float(_) => {}
                Node::Var(variable) => {
                    if self.ready.get(variable as usize) != Some(&true) {
                        return false;
                    }
                }
                Node::Atom(atom) => {
                    if constant(self.atoms, atom).is_none() {
                        return false;
                    }
                }
                Node::Str { .. } => return false,
                Node::Compound { name, arity, .. } => {
                    if Op::find(self.atoms.text(name), arity as usize).is_none() {
                        return false;
                    }
                    work.extend_from_slice(self.term.args(node));
                }
            }
        }
        true
    }

    /// Emits the operations of an expression for which [`Self::is_arithmetic`] holds.
    pub(super) fn expression(&mut self, expression: NodeId) {
        enum Step {
            Push(NodeId),
            Apply(Op),
        }
        let mut work = vec![Step::Push(expression)];
        while let Some(step) = work.pop() {
            let node = match step {
                Step::Apply(op) => {
                    self.emit(Instr::Operate { op });
                    continue;
                }
                Step::Push(node) => node,
            };
            match self.term.node(node) {
                Node::Int(value) => self.push_int(value),
                Node::Float(value) => self.push_float(value),
                Node::Var(variable) => {
                    let (slot, _) = self.slot(variable);
                    self.emit(Instr::PushSlot { slot });
                }
                Node::Atom(atom) => match constant(self.atoms, atom) {
                    Some(crate::arith::Num::Int(value)) => self.push_int(value),
                    Some(crate::arith::Num::Float(value)) => self.push_float(value),
                    None => {}
                },
                Node::Str { .. } => {}
                Node::Compound { name, arity, .. } => {
                    if let Some(op) = Op::find(self.atoms.text(name), arity as usize) {
                        work.push(Step::Apply(op));
                        work.extend(self.term.args(node).iter().rev().map(|&arg| Step::Push(arg)));
                    }
                }
            }
        }
    }

    fn push_int(&mut self, value: i64) {
        match Cell::small(value) {
            Some(value) => self.emit(Instr::PushInt { value }),
            None => {
                let literal = self.image.literal(Literal::Big(value));
                self.emit(Instr::PushLiteral { literal });
            }
        }
    }

    fn push_float(&mut self, value: f64) {
        let literal = self.image.literal(Literal::Float(value));
        self.emit(Instr::PushLiteral { literal });
    }
}
