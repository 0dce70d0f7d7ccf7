//! Finds the values on the operand stack from which a branch, a `switch` or a store makes its decision or its
//! value: the compared values, the results of calls and the elements that flow there, and what a narrowing
//! conversion narrowed. They can be kept
//! when they are pushed, and are gone afterwards.
//!
//! `stack_search` finds the instructions that pushed them, and the simulation knows their text.

use super::Expressions;
use super::node::{ExprNode, UnaryOp};
use super::simulation::{Pushed, Simulation};
use super::stack_search::{Search, StackPlace, producers};
use crate::kind::Kind;
use crate::op::{Constant, Op};
use petgraph::graph::NodeIndex;
use std::collections::BTreeMap;

/// Maximum number of values for one instruction; more are useless to a reader.
const MOST: usize = 16;

/// A value that an instruction uses, and that is on the operand stack before.
#[derive(Debug, Clone, PartialEq)]
pub struct StackValue {
    /// Source-like text, unique among the values of the instruction: `next()`, `next() (2nd)`.
    pub text: String,
    /// Where it is on top of the stack.
    pub place: StackPlace,
    /// The first letter of the descriptor of its type; `L` for every reference.
    pub letter: char,
    /// If the instruction can also be reached without this value: the code index before which a value from an
    /// earlier evaluation must be forgotten.
    pub forget_before: Option<u32>,
}

impl Expressions<'_> {
    /// The values on the operand stack that the branch, `switch` or store at `pc` uses, in the order of
    /// evaluation. The stored value itself and the object whose field or element is stored are left out.
    /// Empty for other instructions, and if the code is not understood.
    pub fn stack_values(&self, pc: u32) -> Vec<StackValue> {
        let s = &self.simulation;
        let Some(instruction) = s.code.at(pc) else { return Vec::new() };
        let is_branch = matches!(instruction.op, Op::If { .. } | Op::Switch { .. });
        let stores = matches!(
            instruction.op,
            Op::Store { .. } | Op::PutField(_) | Op::PutStatic(_) | Op::ArrayStore(_)
        );
        if !is_branch && !stores {
            return Vec::new();
        }
        let scope = if stores { instruction.next_pc() } else { pc };
        let producers = self.producers.get_or_init(|| producers(s.code)).as_ref();
        let target = self.stored_expression(pc).and_then(|stored| stored.target);
        let search = producers.and_then(|producers| Search::new(s, producers, pc, target));
        let found = search.and_then(Search::found).unwrap_or_default();
        let mut found: Vec<(StackPlace, Pushed)> = found.into_iter().collect();
        found.sort_by_key(|(place, _)| place.pc());
        let mut texts: BTreeMap<String, u32> = BTreeMap::new();
        let mut values = Vec::new();
        for (place, Pushed { node, kind }) in found {
            let Some(letter) = letter(&node, kind) else { continue };
            let Some(forget_before) = s.forget_before(place, pc) else { continue };
            let expression = self.text_at(&node, scope);
            let times = texts.entry(expression.clone()).or_insert(0);
            *times += 1;
            let text = match times {
                1 => expression,
                times => format!("{expression} ({})", ordinal(*times)),
            };
            values.push(StackValue { text, place, letter, forget_before });
        }
        // The compared values come last.
        values.split_off(values.len().saturating_sub(MOST))
    }
}

/// `2nd`, `3rd`, `4th`.
fn ordinal(number: u32) -> String {
    match number {
        2 => "2nd".to_owned(),
        3 => "3rd".to_owned(),
        _ => format!("{number}th"),
    }
}

impl Simulation<'_> {
    /// Where a value from an earlier evaluation must be forgotten, so that it is not taken for one of the
    /// evaluation that reaches `user`: `Some(None)` if each path there passes the place. `None` if unknown.
    fn forget_before(&self, place: StackPlace, user: u32) -> Option<Option<u32>> {
        let (made, used) = (self.cfg.block_at(place.pc())?.index(), self.cfg.block_at(user)?.index());
        if self.dominators.dominates(made, used) {
            return Some(None);
        }
        // No path leads from the end of this block to the user but through one evaluation.
        let head = self.dominators.common(made, used)?;
        Some(Some(self.cfg.last_pc(NodeIndex::new(head))?)).filter(|_| head != used)
    }
}

/// The first letter of the descriptor of a value of this kind; `None` if its type is unknown.
fn letter(node: &ExprNode, kind: Kind) -> Option<char> {
    match kind {
        Kind::Long => Some('J'),
        Kind::Float => Some('F'),
        Kind::Double => Some('D'),
        Kind::Reference => Some('L'),
        Kind::Int => small(node),
    }
}

/// The letter of an expression that pushes an `int`.
fn small(node: &ExprNode) -> Option<char> {
    let promoted = |letter: char| if matches!(letter, 'B' | 'C' | 'S') { 'I' } else { letter };
    match node {
        ExprNode::Conditional { then, otherwise, .. } => match (small(then)?, small(otherwise)?) {
            (one, other) if one == other => Some(one),
            (one, other) => fits(then, other).or_else(|| fits(otherwise, one)).or(Some('I')),
        },
        ExprNode::Unary { op: UnaryOp::Negate, operand } => small(operand).map(promoted),
        node => node.descriptor()?.chars().next().filter(|letter| "ZBCSI".contains(*letter)),
    }
}

/// The letter of a type that the other arm has and that this constant fits (JLS §15.25).
fn fits(node: &ExprNode, other: char) -> Option<char> {
    let value = match node {
        ExprNode::Const(Constant::Int(value)) => i64::from(*value),
        _ => return None,
    };
    let range = match other {
        'Z' => 0..=1,
        'B' => i64::from(i8::MIN)..=i64::from(i8::MAX),
        'S' => i64::from(i16::MIN)..=i64::from(i16::MAX),
        'C' => 0..=i64::from(u16::MAX),
        _ => return None,
    };
    range.contains(&value).then_some(other)
}
