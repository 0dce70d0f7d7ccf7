//! Evaluates arithmetic expressions that are terms, and turns faults into errors.

use std::cmp::Ordering;

use super::{Engine, Raise};
use crate::arith::{Fault, Num, Op, binary, constant, unary};
use crate::atoms::{AtomId, known};
use crate::compile::Comparison;
use crate::store::{Cell, Tag};
use crate::term::View;

/// Whether a comparison holds.
#[inline]
pub(crate) fn holds(op: Comparison, a: Num, b: Num) -> bool {
    let Some(order) = a.compare(b) else { return op == Comparison::Ne };
    match op {
        Comparison::Lt => order == Ordering::Less,
        Comparison::Le => order != Ordering::Greater,
        Comparison::Gt => order == Ordering::Greater,
        Comparison::Ge => order != Ordering::Less,
        Comparison::Eq => order == Ordering::Equal,
        Comparison::Ne => order != Ordering::Equal,
    }
}

/// The name of a comparison.
pub(crate) fn comparison_name(op: Comparison) -> AtomId {
    match op {
        Comparison::Lt => known::LT,
        Comparison::Le => known::LE,
        Comparison::Gt => known::GT,
        Comparison::Ge => known::GE,
        Comparison::Eq => known::AEQ,
        Comparison::Ne => known::ANE,
    }
}

impl Engine {
    /// The cell of a number.
    #[inline]
    pub(crate) fn number_cell(&mut self, value: Num) -> Cell {
        match value {
            Num::Int(value) => self.store.int(value),
            Num::Float(value) => self.store.float(value),
        }
    }

    /// The number that a term is, without evaluating it.
    pub(crate) fn number_of(&self, cell: Cell) -> Option<Num> {
        match self.store.view(self.store.deref(cell)) {
            View::Int(value) => Some(Num::Int(value)),
            View::Float(value) => Some(Num::Float(value)),
            _ => None,
        }
    }

    /// The value of an expression.
    pub(crate) fn evaluate(&mut self, expression: Cell) -> Result<Num, Raise> {
        enum Step {
            Term(Cell),
            Apply(Op),
        }
        let expression = self.store.deref(expression);
        if let Some(value) = self.number_of(expression) {
            return Ok(value);
        }
        let mut stack: Vec<Num> = Vec::new();
        let mut work = vec![Step::Term(expression)];
        let mut visited = 0_u32;
        while let Some(step) = work.pop() {
            visited += 1;
            if visited.is_multiple_of(1024) {
                self.look()?;
                self.afford(work.len() * 16)?;
            }
            let cell = match step {
                Step::Apply(op) => {
                    let last = stack.pop().unwrap_or(Num::Int(0));
                    let first = if op.arity() == 1 { last } else { stack.pop().unwrap_or(Num::Int(0)) };
                    let value = if op.arity() == 1 { unary(op, last) } else { binary(op, first, last) };
                    match value {
                        Ok(value) => stack.push(value),
                        Err(fault) => return Err(self.fault(fault, first, last)),
                    }
                    continue;
                }
                Step::Term(cell) => self.store.deref(cell),
            };
            if let Some(value) = self.number_of(cell) {
                stack.push(value);
                continue;
            }
            match cell.tag() {
                Tag::Ref => return Err(self.unbound_expression()),
                Tag::Atom => match constant(&self.atoms, cell.atom_id()) {
                    Some(value) => stack.push(value),
                    None => return Err(self.not_evaluable(cell.atom_id(), 0)),
                },
                Tag::Str => {
                    let mut chars = self.store.str_of(cell).chars();
                    match (chars.next(), chars.next()) {
                        (Some(c), None) => stack.push(Num::Int(i64::from(u32::from(c)))),
                        _ => return Err(self.type_error(known::CHARACTER, cell)),
                    }
                }
                Tag::List => {
                    // `[X]` is X.
                    let address = cell.address();
                    if self.store.deref(self.store.cells[address + 1]) != Cell::atom(known::NIL) {
                        return Err(self.type_error(known::EVALUABLE, cell));
                    }
                    work.push(Step::Term(self.store.cells[address]));
                }
                _ => {
                    let Some((name, arity, first)) = self.store.shape(cell) else { continue };
                    match Op::find(self.atoms.text(name), arity) {
                        Some(op) => {
                            work.push(Step::Apply(op));
                            for i in (0..arity).rev() {
                                work.push(Step::Term(self.store.cells[first + i]));
                            }
                        }
                        None => return Err(self.not_evaluable(name, arity)),
                    }
                }
            }
        }
        Ok(stack.pop().unwrap_or(Num::Int(0)))
    }

    fn not_evaluable(&mut self, name: AtomId, arity: usize) -> Raise {
        let arity = self.store.int(i64::try_from(arity).unwrap_or(i64::MAX));
        let indicator = self.store.compound(known::SLASH, &[Cell::atom(name), arity]);
        self.type_error(known::EVALUABLE, indicator)
    }

    /// The error of an operation with these operands. If it has one, that is both the first and the last.
    pub(crate) fn fault(&mut self, fault: Fault, first: Num, last: Num) -> Raise {
        let evaluation = |what| (known::EVALUATION, what);
        let (kind, what) = match fault {
            Fault::Overflow => evaluation(known::OVERFLOW),
            Fault::FloatOverflow => evaluation(known::FLOAT_OVERFLOW),
            Fault::Undefined => evaluation(known::UNDEFINED),
            Fault::ZeroDivisor => evaluation(known::ZERO_DIVISOR),
            Fault::NoInteger(is_last) => {
                let culprit = self.number_cell(if is_last { last } else { first });
                return self.type_error(known::INTEGER, culprit);
            }
            Fault::MustBePositive(value) => {
                let culprit = self.store.int(value);
                return self.domain_error("not_less_than_one", culprit);
            }
        };
        let formal = self.store.compound(kind, &[Cell::atom(what)]);
        self.error(formal, None)
    }
}
