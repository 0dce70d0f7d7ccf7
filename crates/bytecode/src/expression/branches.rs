//! Conditions: what one conditional branch tests, and how short-circuit branches combine to `a || b && c`.
//!
//! A condition is stored as the expression that holds when the branch *falls through*, because javac jumps
//! over the body if the condition of an `if` or loop is false. Two consecutive conditions combine if they
//! share a target. If both jump to the same target, `x && y` falls through. If the first jumps to where the
//! second falls through, `!x || y` falls through.

use super::node::{ExprNode, UnaryOp};
use super::simulation::{Compound, Jump, Simulation};
use super::value::Value;
use crate::cfg::EdgeKind;
use crate::op::{BinaryOp, Constant, Relation, Test};
use crate::stack::effect;
use petgraph::graph::NodeIndex;
use std::collections::BTreeSet;

fn relation(relation: Relation, left: &ExprNode, right: &ExprNode) -> ExprNode {
    ExprNode::binary(relation.operator(), left.clone(), right.clone())
}

/// The expression that holds when the branch is taken.
fn taken(test: Test, operands: &[Value]) -> ExprNode {
    match (test, operands) {
        (Test::Zero(r), [value]) => match &value.node {
            ExprNode::Binary { op: BinaryOp::Compare, left, right } => relation(r, left, right),
            node if node.is_boolean() && r == Relation::Ne => node.clone(),
            node if node.is_boolean() && r == Relation::Eq => node.clone().negated(),
            node => relation(r, node, &ExprNode::Const(Constant::Int(0))),
        },
        (Test::Null(r), [value]) => relation(r, &value.node, &ExprNode::Const(Constant::Null)),
        (Test::Ints(r) | Test::References(r), [left, right]) => {
            let (mut l, mut r_) = (left.node.clone(), right.node.clone());
            for ty in ["Z", "C"] {
                if l.descriptor().as_deref() == Some(ty) {
                    r_ = r_.coerced(ty);
                } else if r_.descriptor().as_deref() == Some(ty) {
                    l = l.coerced(ty);
                }
            }
            relation(r, &l, &r_)
        }
        _ => ExprNode::Unknown,
    }
}

impl Simulation<'_> {
    pub(crate) fn note_jump(&mut self, block: usize, _position: usize, test: Test, operands: &[Value]) {
        let successors = self.cfg.successors(NodeIndex::new(block), false);
        let to = |wanted: EdgeKind| successors.iter().find(|(_, k)| **k == wanted).map(|(n, _)| n.index());
        let (Some(taken_to), Some(fall)) = (to(EdgeKind::Taken), to(EdgeKind::FallThrough)) else { return };
        let condition = taken(test, operands);
        // Negates even an unknown value, so that its polarity stays visible.
        let node = condition.negated();
        if let Some(slot) = self.jumps.get_mut(block) {
            *slot = Some(Jump { node, taken: taken_to, fall });
        }
    }

    fn jump(&self, block: usize) -> Option<&Jump> {
        self.jumps.get(block).and_then(Option::as_ref)
    }

    /// Whether the block only computes the next operand of a condition: it completes no statement before its
    /// branch, and no new source line begins with it.
    fn continues(&self, block: usize, before: usize) -> bool {
        let code = self.code;
        let Some(this) = self.cfg.block(NodeIndex::new(block)) else { return false };
        let Some(last) = self.cfg.last_pc(NodeIndex::new(before)) else { return false };
        // An `assert` is a separate statement: `if (c) assert x;` has two conditions.
        let asserts = self.jump(block).is_some_and(|jump| is_assertion_flag(&jump.node));
        if this.first == this.last || asserts {
            return false;
        }
        let new_line = code.lines.iter().any(|l| l.start_pc == this.start_pc)
            && crate::lines::line_of(code, this.start_pc) != crate::lines::line_of(code, last);
        if new_line {
            return false;
        }
        let mut depth = 0u16;
        for instruction in code.instructions.get(this.first..this.last).unwrap_or_default() {
            let (pops, pushes) = effect(&instruction.op);
            if pops > depth {
                return false;
            }
            depth = depth - pops + pushes;
            if depth == 0 {
                return false;
            }
        }
        true
    }

    pub(crate) fn predecessors(&self, block: usize) -> Vec<usize> {
        self.cfg.predecessors(NodeIndex::new(block), false).into_iter().map(|(n, _)| n.index()).collect()
    }

    /// The combined conditions of the sequence of conditional blocks that contains `block`. Each entry is one
    /// complete condition.
    fn run_of(&self, block: usize) -> Vec<Compound> {
        let mut head = block;
        for _ in 0..64 {
            let above = self.predecessors(head).into_iter().find(|p| {
                *p != head && self.jump(*p).is_some_and(|j| j.fall == head) && self.continues(head, *p)
            });
            match above {
                Some(above) if above < head => head = above,
                _ => break,
            }
        }
        let mut items: Vec<Compound> = Vec::new();
        let mut current = head;
        while let Some(jump) = self.jump(current) {
            items.push(Compound {
                node: jump.node.clone(),
                taken: jump.taken,
                fall: jump.fall,
                parts: vec![(current, false)],
            });
            let next = jump.fall;
            if items.len() >= 128
                || next <= current
                || self.jump(next).is_none()
                || !self.continues(next, current)
            {
                break;
            }
            current = next;
        }
        while let Some(at) = (1..items.len()).find(|at| self.can_join(&items, *at)) {
            let second = items.remove(at);
            if let Some(first) = items.get_mut(at - 1) {
                join(first, second);
            }
        }
        items
    }

    fn can_join(&self, items: &[Compound], at: usize) -> bool {
        let (Some(first), Some(second)) = (at.checked_sub(1).and_then(|a| items.get(a)), items.get(at))
        else {
            return false;
        };
        let Some((head, _)) = second.parts.first() else { return false };
        let inside: BTreeSet<usize> = first.parts.iter().map(|(b, _)| *b).collect();
        first.fall == *head
            && (first.taken == second.taken || first.taken == second.fall)
            && self.predecessors(*head).iter().all(|p| inside.contains(p))
    }

    /// The complete condition that begins with `block`.
    pub(crate) fn compound_at(&self, block: usize) -> Option<Compound> {
        self.jump(block)?;
        self.run_of(block).into_iter().find(|c| c.parts.first().is_some_and(|(b, _)| *b == block))
    }

    /// The complete condition that contains `block`.
    pub(crate) fn compound_with(&self, block: usize) -> Option<Compound> {
        self.jump(block)?;
        self.run_of(block).into_iter().find(|c| c.parts.iter().any(|(b, _)| *b == block))
    }

    /// Whether the source condition holds when the branch is *taken*, as at the end of a `do`-`while`, which
    /// jumps back to its body. A backward jump whose fall-through stays inside the loop is an ordinary `if`:
    /// javac redirects the jump over its body to the start of the loop.
    pub(crate) fn turns_back(&self, compound: &Compound) -> bool {
        let Some((last, _)) = compound.parts.last() else { return false };
        let header = compound.taken;
        if !self.dominators.dominates(header, *last) {
            return false;
        }
        let mut inside = BTreeSet::from([header]);
        let mut work: Vec<usize> =
            self.predecessors(header).into_iter().filter(|p| self.dominators.dominates(header, *p)).collect();
        while let Some(block) = work.pop() {
            if inside.insert(block) {
                work.extend(self.predecessors(block));
            }
        }
        !inside.contains(&compound.fall)
    }
}

fn join(first: &mut Compound, second: Compound) {
    let node = std::mem::replace(&mut first.node, ExprNode::Unknown);
    if first.taken == second.taken {
        first.node = ExprNode::binary(BinaryOp::AndAnd, node, second.node);
    } else {
        first.node = ExprNode::binary(BinaryOp::OrOr, node.negated(), second.node);
        for (_, negated) in &mut first.parts {
            *negated = !*negated;
        }
    }
    first.taken = second.taken;
    first.fall = second.fall;
    first.parts.extend(second.parts);
}

/// Whether the expression is the flag that javac tests before an `assert`.
pub(crate) fn is_assertion_flag(node: &ExprNode) -> bool {
    match node {
        ExprNode::Unary { op: UnaryOp::Not, operand } => is_assertion_flag(operand),
        ExprNode::Static { name, .. } => name == "$assertionsDisabled",
        _ => false,
    }
}
