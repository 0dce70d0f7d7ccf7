//! The condition that a branch or switch decides, as text, and which way each of its edges is.

use super::branches::{Compound, is_assertion_flag};
use super::enums::{EnumTable, switched};
use super::node::{ExprNode, ReadBack, UnaryOp};
use super::render::Scope;
use super::simulate::Simulation;
use super::value::leaves_of;
use super::{Expressions, Operand};
use crate::cfg::EdgeKind;
use crate::class::{ClassFile, Method};
use crate::descriptor::short_name;
use crate::op::{BinaryOp, Constant, Op};
use petgraph::graph::NodeIndex;
use std::collections::BTreeMap;
use std::fmt;

/// Which way a condition went.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Way {
    /// The condition of the text held.
    True,
    /// The condition of the text did not hold.
    False,
    /// A switch went to this case (or these, separated by commas).
    Case(String),
    /// A switch went to its default, or past all its cases.
    Default,
    /// Assertions are off: the condition of the `assert` was not evaluated.
    AssertionsOff,
    /// Assertions are on: the condition of the `assert` was evaluated next.
    AssertionsOn,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::True => f.write_str("true"),
            Way::False => f.write_str("false"),
            Way::Case(label) => write!(f, "case {label}"),
            Way::Default => f.write_str("default"),
            Way::AssertionsOff => f.write_str("not evaluated: assertions are off"),
            Way::AssertionsOn => f.write_str("evaluated: assertions are on"),
        }
    }
}

/// A deciding condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The branch or switch instruction.
    pub branch_pc: u32,
    /// Its source line.
    pub line: Option<u32>,
    /// The operand that this very branch decides: `record.bar`; a switch's selector.
    pub text: String,
    /// The same as a tree.
    pub node: ExprNode,
    /// The source's whole condition: `record.bar || cond`, `assert x != null`, `switch (x)`.
    pub whole: Option<String>,
    /// The compared sides and what they are made of, as far as values can be read back before the branch.
    pub operands: Vec<Operand>,
    /// Whether `text` holds when the jump is taken.
    taken_is_true: bool,
    /// Whether the branch tests the flag that javac puts before an `assert`, instead of its condition.
    is_flag: bool,
    /// Labels of a switch's keys, where they are not the keys themselves.
    labels: BTreeMap<i32, String>,
    /// For a switch over an enum: where its constants are numbered, which is in another class.
    pub enum_table: Option<EnumTable>,
    /// For a branch back to the start of its loop, which is taken for the condition of a `do`: the same as
    /// the condition of an `if` at the loop's end. The source tells which it is, and bytecode does not.
    pub as_if: Option<Box<Condition>>,
}

impl Condition {
    /// The same with the constants of its enum as labels; `table` is the class that [`Condition::enum_table`]
    /// names.
    #[must_use]
    pub fn with_enum(mut self, table: &ClassFile) -> Condition {
        if let Some(known) = &self.enum_table {
            self.labels = known.labels(table);
        }
        self
    }

    /// The value of an operand, as in Java, where the way that the branch has taken tells it.
    pub fn told(&self, operand: &Operand, edge: &EdgeKind) -> Option<String> {
        let holds = match self.way(edge) {
            Way::True => true,
            Way::False => false,
            Way::Case(label) => {
                let is_one = matches!(edge, EdgeKind::Case(keys) if keys.len() == 1);
                return (is_one && operand.node == self.node).then_some(label);
            }
            Way::Default | Way::AssertionsOff | Way::AssertionsOn => return None,
        };
        let constant = |node: &ExprNode| matches!(node, ExprNode::Const(_) | ExprNode::Char(_));
        match &self.node {
            node if *node == operand.node && node.is_boolean() => Some(holds.to_string()),
            ExprNode::Unary { op: UnaryOp::Not, operand: inner } if **inner == operand.node => {
                Some((!holds).to_string())
            }
            ExprNode::Binary { op, left, right } if **left == operand.node && constant(right) => {
                let is_equal = (*op == BinaryOp::Eq && holds) || (*op == BinaryOp::Ne && !holds);
                is_equal.then(|| Scope::default().text(right))
            }
            _ => None,
        }
    }

    /// The way an edge of the branch is.
    pub fn way(&self, edge: &EdgeKind) -> Way {
        match edge {
            EdgeKind::Taken => self.holds(self.taken_is_true),
            EdgeKind::FallThrough | EdgeKind::Handler(_) => self.holds(!self.taken_is_true),
            EdgeKind::Case(keys) if keys.contains(&None) => Way::Default,
            EdgeKind::Case(keys) => {
                let label = |key: &i32| self.labels.get(key).cloned().unwrap_or_else(|| key.to_string());
                let labels: Vec<String> = keys.iter().flatten().map(label).collect();
                Way::Case(labels.join(", "))
            }
        }
    }

    fn holds(&self, holds: bool) -> Way {
        match (self.is_flag, holds) {
            (false, true) => Way::True,
            (false, false) => Way::False,
            // The flag says whether assertions are off.
            (true, true) => Way::AssertionsOff,
            (true, false) => Way::AssertionsOn,
        }
    }
}

/// The condition decided by the conditional branch or switch at `branch_pc`; none for other instructions.
pub fn condition_at(class: &ClassFile, method: &Method, branch_pc: u32) -> Option<Condition> {
    Expressions::new(class, method)?.condition_at(branch_pc)
}

pub(super) fn of(s: &Simulation<'_>, pc: u32, scope: &Scope) -> Option<Condition> {
    let position = s.code.index_of(pc)?;
    match &s.code.instructions.get(position)?.op {
        Op::If { .. } => branch(s, pc, position, scope),
        Op::Switch { .. } => switch(s, pc, position, scope),
        _ => None,
    }
}

fn branch(s: &Simulation<'_>, pc: u32, position: usize, scope: &Scope) -> Option<Condition> {
    let block = s.cfg.block_at(pc)?.index();
    let own = s.jumps.get(block)?.as_ref()?.node.clone();
    let is_flag = is_assertion_flag(&own);
    let compound = s.compound_with(block)?;
    let mut negated = compound.parts.iter().find(|(b, _)| *b == block).is_some_and(|(_, n)| *n);
    let asserted = assertion(s, &compound);
    let is_assert = is_flag || asserted.is_some();
    let whole = if let Some(asserted) = asserted {
        // Falling through an assertion's branches means that it fails: the source has the opposite.
        negated = !negated;
        format!("assert {asserted}", asserted = scope.text(&asserted))
    } else if is_flag {
        // Its condition is in branches that are not joined to the flag's.
        "assert …".to_owned()
    } else {
        scope.text(&compound.node)
    };
    if is_flag {
        // The flag as it stands in the class: whether assertions are off.
        negated = matches!(own, ExprNode::Unary { op: UnaryOp::Not, .. });
    }
    let made = |whole: String, negated: bool| {
        let node = if negated { own.clone().negated() } else { own.clone() };
        Condition {
            branch_pc: pc,
            line: crate::lines::line_of(s.code, pc),
            text: scope.text(&node),
            operands: if is_flag { Vec::new() } else { operands(s, position, &node, scope) },
            node,
            whole: Some(whole),
            taken_is_true: negated,
            is_flag,
            labels: BTreeMap::new(),
            enum_table: None,
            as_if: None,
        }
    };
    if is_assert || !s.turns_back(&compound) {
        return Some(made(whole, negated));
    }
    let turned = made(scope.text(&compound.node.negated()), !negated);
    Some(Condition { as_if: Some(Box::new(made(whole, negated))), ..turned })
}

/// What an `assert` states, where the branches are those of one: the first of them tests the flag of the
/// class.
fn assertion(s: &Simulation<'_>, compound: &Compound) -> Option<ExprNode> {
    let (first, _) = compound.parts.first()?;
    if !is_assertion_flag(&s.jumps.get(*first)?.as_ref()?.node) {
        return None;
    }
    if compound.parts.len() > 1 {
        return without_flag(&compound.node).map(ExprNode::negated);
    }
    // `assert false` has no branch of its own.
    let failing = s.cfg.block(NodeIndex::new(compound.fall))?;
    match &s.code.instructions.get(failing.first)?.op {
        Op::New(class) if class == "java.lang.AssertionError" => Some(ExprNode::Bool(false)),
        _ => None,
    }
}

/// What falls through the branches of an `assert`, without the flag.
fn without_flag(node: &ExprNode) -> Option<ExprNode> {
    let ExprNode::Binary { op: BinaryOp::AndAnd, left, right } = node else { return None };
    if is_assertion_flag(left) {
        return Some((**right).clone());
    }
    without_flag(left).map(|rest| ExprNode::binary(BinaryOp::AndAnd, rest, (**right).clone()))
}

/// The sides of a comparison, else the expression itself; constants say nothing.
fn sides(node: &ExprNode) -> Vec<&ExprNode> {
    let found = match node {
        ExprNode::Binary {
            op: BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Ge | BinaryOp::Gt | BinaryOp::Le,
            left,
            right,
        } => vec![&**left, &**right],
        ExprNode::Unary { op: UnaryOp::Not, operand } => vec![&**operand],
        other => vec![other],
    };
    found
        .into_iter()
        .filter(|side| !matches!(side, ExprNode::Const(_) | ExprNode::Bool(_) | ExprNode::Char(_)))
        .collect()
}

fn operands(s: &Simulation<'_>, position: usize, node: &ExprNode, scope: &Scope) -> Vec<Operand> {
    let values = s.operands.get(&position).map(Vec::as_slice).unwrap_or_default();
    let leaves = leaves_of(&values.iter().collect::<Vec<_>>());
    let mut found: Vec<Operand> = Vec::new();
    for side in sides(node) {
        let direct = values.iter().find(|v| v.node == *side).and_then(|v| v.read.clone());
        // The sides of a `long` or floating comparison were operands of an instruction before this one.
        let compared = values.iter().find_map(|v| match (&v.node, &v.read) {
            (
                ExprNode::Binary { op: BinaryOp::Compare, left, right },
                Some(ExprNode::Binary { left: read_left, right: read_right, .. }),
            ) => {
                if **left == *side {
                    Some((**read_left).clone())
                } else {
                    (**right == *side).then(|| (**read_right).clone())
                }
            }
            _ => None,
        });
        let leaf = leaves.iter().find(|leaf| *leaf == side).cloned();
        let readable = direct.or(compared).or(leaf).map(|node| ReadBack { node });
        found.push(Operand { text: scope.text(side), node: side.clone(), readable });
    }
    for leaf in leaves {
        let text = scope.text(&leaf);
        if s.is_shown(&leaf) && !found.iter().any(|o| o.text == text) {
            found.push(Operand { text, readable: Some(ReadBack { node: leaf.clone() }), node: leaf });
        }
    }
    found
}

fn switch(s: &Simulation<'_>, pc: u32, position: usize, scope: &Scope) -> Option<Condition> {
    let selector = s.operands.get(&position)?.last()?;
    let mut node = selector.node.clone();
    let mut labels = BTreeMap::new();
    let mut readable = selector.read.clone();
    let mut enum_table = None;
    if let Some((table, value)) = switched(&selector.node) {
        node = value.clone();
        enum_table = Some(table);
        readable = selector.leaves.first().filter(|leaf| **leaf == node).cloned();
    } else if let ExprNode::Dynamic { name, arguments, .. } = &selector.node
        && matches!(name.as_str(), "typeSwitch" | "enumSwitch")
        && let Some(value) = arguments.first()
    {
        labels = pattern_labels(s, position);
        node = value.clone();
        readable = selector.leaves.first().filter(|leaf| **leaf == node).cloned();
    } else if let Some((text, found)) = string_labels(s, position) {
        labels = found;
        node = text;
        readable = None;
    }
    if readable.is_none() {
        readable = selector.leaves.iter().find(|leaf| **leaf == node).cloned();
    }
    // A selector kept in a compiler-made variable is still in the variable it came from.
    if readable.is_none() && matches!(node, ExprNode::Local { name: Some(_), .. }) {
        readable = Some(node.clone());
    }
    let text = scope.text(&node);
    let mut operands = vec![Operand {
        text: text.clone(),
        node: node.clone(),
        readable: readable.map(|node| ReadBack { node }),
    }];
    for leaf in &selector.leaves {
        let leaf_text = scope.text(leaf);
        if *leaf != node && s.is_shown(leaf) {
            operands.push(Operand {
                text: leaf_text,
                node: leaf.clone(),
                readable: Some(ReadBack { node: leaf.clone() }),
            });
        }
    }
    Some(Condition {
        branch_pc: pc,
        line: crate::lines::line_of(s.code, pc),
        whole: Some(format!("switch ({text})")),
        text,
        node,
        operands,
        taken_is_true: true,
        is_flag: false,
        labels,
        enum_table,
        as_if: None,
    })
}

/// Labels of a pattern switch: the static arguments of the `typeSwitch` call right before it, numbered
/// from 0.
fn pattern_labels(s: &Simulation<'_>, position: usize) -> BTreeMap<i32, String> {
    let call = position.checked_sub(1).and_then(|p| s.code.instructions.get(p));
    let Some(Op::InvokeDynamic { bootstrap: Some(bootstrap), .. }) = call.map(|i| &i.op) else {
        return BTreeMap::new();
    };
    let label = |constant: &Constant| match constant {
        Constant::Class(class) => short_name(class).to_owned(),
        other => Scope::default().text(&ExprNode::Const(other.clone())),
    };
    let mut labels: BTreeMap<i32, String> = (0..).zip(bootstrap.arguments.iter().map(label)).collect();
    labels.insert(-1, "null".to_owned());
    labels
}

/// The second switch of a string switch: its selector is a number that javac stored where `equals` held.
/// Gives the string that was compared and the literal of each number.
fn string_labels(s: &Simulation<'_>, position: usize) -> Option<(ExprNode, BTreeMap<i32, String>)> {
    let before = position.checked_sub(1)?;
    let Op::Load { slot, .. } = s.code.instructions.get(before)?.op else { return None };
    let mut labels = BTreeMap::new();
    let mut compared = None;
    for pc in s.definitions(slot, before) {
        let Some(ExprNode::Const(Constant::Int(number))) = s.stored.get(&pc) else { return None };
        if *number < 0 {
            continue;
        }
        let block = s.cfg.block_at(pc)?;
        let guard = s.cfg.predecessors(block, false).into_iter().find_map(|(from, _)| {
            let jump = s.jumps.get(NodeIndex::index(from))?.as_ref()?;
            equality(&jump.node)
        });
        let (text, literal) = guard?;
        labels.insert(*number, Scope::default().text(&ExprNode::Const(Constant::String(literal))));
        compared = Some(text);
    }
    compared.map(|text| (text, labels))
}

fn equality(node: &ExprNode) -> Option<(ExprNode, String)> {
    match node {
        ExprNode::Unary { op: UnaryOp::Not, operand } => equality(operand),
        ExprNode::Call { receiver: Some(receiver), method, arguments, .. } if method.name == "equals" => {
            match arguments.as_slice() {
                [ExprNode::Const(Constant::String(literal))] => Some(((**receiver).clone(), literal.clone())),
                _ => None,
            }
        }
        _ => None,
    }
}
