//! The condition of a branch or switch as text, and the outcome that each of its edges stands for.

use super::branches::is_assertion_flag;
use super::enums::{EnumTable, switched};
use super::node::{ExprNode, ReadBack, UnaryOp};
use super::render::Scope;
use super::simulation::{Compound, Simulation};
use super::value::{Value, leaves_of};
use super::{Expressions, Operand};
use crate::cfg::EdgeKind;
use crate::class::{ClassFile, Method};
use crate::descriptor::short_name;
use crate::op::{BinaryOp, Constant, Op};
use petgraph::graph::NodeIndex;
use std::collections::BTreeMap;
use std::fmt;

/// The outcome of a condition.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ConditionOutcome {
    /// The condition in `text` held.
    True,
    /// The condition in `text` did not hold.
    False,
    /// A switch selected this case (or these, separated by commas).
    Case(String),
    /// A switch selected its default, or no case.
    Default,
    /// Assertions are disabled: the condition of the `assert` was not evaluated.
    AssertionsOff,
    /// Assertions are enabled: the condition of the `assert` was evaluated next.
    AssertionsOn,
}

impl fmt::Display for ConditionOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConditionOutcome::True => f.write_str("true"),
            ConditionOutcome::False => f.write_str("false"),
            ConditionOutcome::Case(label) => write!(f, "case {label}"),
            ConditionOutcome::Default => f.write_str("default"),
            ConditionOutcome::AssertionsOff => f.write_str("not evaluated: assertions are off"),
            ConditionOutcome::AssertionsOn => f.write_str("evaluated: assertions are on"),
        }
    }
}

/// The condition that a branch or switch decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The branch or switch instruction.
    pub branch_pc: u32,
    /// Its source line.
    pub line: Option<u32>,
    /// The operand decided by this branch, such as `record.bar`; for a switch, its selector.
    pub text: String,
    /// The operand as a tree.
    pub node: ExprNode,
    /// The complete condition in the source: `record.bar || cond`, `assert x != null`, `switch (x)`.
    pub whole: Option<String>,
    /// The compared values and their parts, as far as they can be read back before the branch.
    pub operands: Vec<Operand>,
    /// Whether `text` holds when the branch is taken.
    taken_is_true: bool,
    /// Whether the branch tests the flag that javac adds before an `assert`, rather than its condition.
    is_flag: bool,
    /// Labels of the switch keys, if they differ from the keys.
    labels: BTreeMap<i32, String>,
    /// For a switch over an enum: the table that numbers its constants, which is in another class.
    pub enum_table: Option<EnumTable>,
    /// A branch back to the start of its loop is treated as the condition of a `do`-`while`. This is the same
    /// branch as the condition of an `if` at the end of the loop. Bytecode does not distinguish the two; the
    /// source does.
    pub as_if: Option<Box<Condition>>,
}

impl Condition {
    /// Labels the keys with the constants of the enum. `table` is the class named by
    /// [`Condition::enum_table`].
    #[must_use]
    pub fn with_enum(mut self, table: &ClassFile) -> Condition {
        if let Some(known) = &self.enum_table {
            self.labels = known.labels(table);
        }
        self
    }

    /// The value of an operand as Java text, if the edge taken determines it.
    pub fn implied_value(&self, operand: &Operand, edge: &EdgeKind) -> Option<String> {
        let holds = match self.outcome(edge) {
            ConditionOutcome::True => true,
            ConditionOutcome::False => false,
            ConditionOutcome::Case(label) => {
                let is_one = matches!(edge, EdgeKind::Case(keys) if keys.len() == 1);
                return (is_one && operand.node == self.node).then_some(label);
            }
            ConditionOutcome::Default | ConditionOutcome::AssertionsOff | ConditionOutcome::AssertionsOn => {
                return None;
            }
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

    /// The outcome that an edge of the branch stands for.
    pub fn outcome(&self, edge: &EdgeKind) -> ConditionOutcome {
        match edge {
            EdgeKind::Taken => self.holds(self.taken_is_true),
            EdgeKind::FallThrough | EdgeKind::Handler(_) => self.holds(!self.taken_is_true),
            EdgeKind::Case(keys) if keys.contains(&None) => ConditionOutcome::Default,
            EdgeKind::Case(keys) => {
                let label = |key: &i32| self.labels.get(key).cloned().unwrap_or_else(|| key.to_string());
                let labels: Vec<String> = keys.iter().flatten().map(label).collect();
                ConditionOutcome::Case(labels.join(", "))
            }
        }
    }

    fn holds(&self, holds: bool) -> ConditionOutcome {
        match (self.is_flag, holds) {
            (false, true) => ConditionOutcome::True,
            (false, false) => ConditionOutcome::False,
            // The flag is true if assertions are disabled.
            (true, true) => ConditionOutcome::AssertionsOff,
            (true, false) => ConditionOutcome::AssertionsOn,
        }
    }
}

/// The condition of the branch or switch at `branch_pc`; `None` for other instructions.
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
        // Falling through the branches of an `assert` means that it fails, so the source has the opposite.
        negated = !negated;
        format!("assert {asserted}", asserted = scope.text(&asserted))
    } else if is_flag {
        // The branches of its condition are not combined with that of the flag.
        "assert …".to_owned()
    } else {
        scope.text(&compound.node)
    };
    if is_flag {
        // The flag as the class holds it: whether assertions are disabled.
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

/// The condition of an `assert`, if these branches belong to one: the first of them tests the class's flag.
fn assertion(s: &Simulation<'_>, compound: &Compound) -> Option<ExprNode> {
    let (first, _) = compound.parts.first()?;
    if !is_assertion_flag(&s.jumps.get(*first)?.as_ref()?.node) {
        return None;
    }
    if compound.parts.len() > 1 {
        return without_flag(&compound.node).map(ExprNode::negated);
    }
    // `assert false` has no branch for its condition.
    let failing = s.cfg.block(NodeIndex::new(compound.fall))?;
    match &s.code.instructions.get(failing.first)?.op {
        Op::New(class) if class == "java.lang.AssertionError" => Some(ExprNode::Bool(false)),
        _ => None,
    }
}

/// The condition that falls through the branches of an `assert`, without the flag.
fn without_flag(node: &ExprNode) -> Option<ExprNode> {
    let ExprNode::Binary { op: BinaryOp::AndAnd, left, right } = node else { return None };
    if is_assertion_flag(left) {
        return Some((**right).clone());
    }
    without_flag(left).map(|rest| ExprNode::binary(BinaryOp::AndAnd, rest, (**right).clone()))
}

/// The operands of a comparison, or the expression itself; without constants.
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
        // A `long` or floating-point comparison pushed its result earlier, so its operands are inside that
        // value.
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
    let Selected { node, labels, mut readable, enum_table } = selected(s, position, selector);
    if readable.is_none() {
        readable = selector.leaves.iter().find(|leaf| **leaf == node).cloned();
    }
    // A selector saved in a compiler-generated variable is still in the variable it came from.
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

/// What a switch selects by, in the source.
struct Selected {
    node: ExprNode,
    /// The labels, if they are not the numbers of the code.
    labels: BTreeMap<i32, String>,
    /// What can be read instead of it.
    readable: Option<ExprNode>,
    enum_table: Option<EnumTable>,
}

fn selected(s: &Simulation<'_>, position: usize, selector: &Value) -> Selected {
    let leaf = |node: &ExprNode| selector.leaves.first().filter(|leaf| *leaf == node).cloned();
    if let Some((table, value)) = switched(&selector.node) {
        let (node, readable) = (value.clone(), leaf(value));
        return Selected { node, labels: BTreeMap::new(), readable, enum_table: Some(table) };
    }
    if let ExprNode::Dynamic { name, arguments, .. } = &selector.node
        && matches!(name.as_str(), "typeSwitch" | "enumSwitch")
        && let Some(value) = arguments.first()
    {
        let (node, readable) = (value.clone(), leaf(value));
        return Selected { node, labels: pattern_labels(s, position), readable, enum_table: None };
    }
    if let Some((node, labels)) = string_labels(s, position) {
        return Selected { node, labels, readable: None, enum_table: None };
    }
    let (node, readable) = (selector.node.clone(), selector.read.clone());
    let labels = match node.descriptor().as_deref() {
        Some("C") => character_labels(s, position),
        _ => BTreeMap::new(),
    };
    Selected { node, labels, readable, enum_table: None }
}

/// The labels of a pattern switch: the static arguments of the preceding `typeSwitch` call, numbered from 0.
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

/// The labels of a switch over a `char`.
fn character_labels(s: &Simulation<'_>, position: usize) -> BTreeMap<i32, String> {
    let Some(Op::Switch { keys, .. }) = s.code.instructions.get(position).map(|i| &i.op) else {
        return BTreeMap::new();
    };
    let label = |key: i32| {
        let node = ExprNode::Const(Constant::Int(key)).coerced("C");
        (key, Scope::default().text(&node))
    };
    keys.iter().map(|(key, _)| label(*key)).collect()
}

/// Recognises the second switch of a string switch. Its selector is a number that javac stored where `equals`
/// held. Returns the compared string and the literal of each number.
pub(super) fn string_labels(
    s: &Simulation<'_>,
    position: usize,
) -> Option<(ExprNode, BTreeMap<i32, String>)> {
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
