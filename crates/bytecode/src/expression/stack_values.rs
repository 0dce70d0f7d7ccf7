//! Finds the values on the operand stack from which a branch, a `switch` or a store makes its decision or its
//! value: the compared values, and the results of calls and the elements that flow there. They can be kept
//! when they are pushed, and are gone afterwards.
//!
//! `producers` knows which instructions pushed them, the simulation their text.

use super::Expressions;
use super::condition::string_labels;
use super::enums::switched;
use super::node::{ExprNode, UnaryOp};
use super::simulation::{Pushed, Simulation};
use super::step::is_widening;
use super::value::leaves_of;
use crate::kind::Kind;
use crate::op::{BinaryOp, Constant, Op};
use crate::producers::{Producer, Producers};
use crate::stack::effect;
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of values for one instruction; more are useless to a reader.
const MOST: usize = 16;

/// Where a value is on top of the operand stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StackPlace {
    /// Before the instruction at this code index, however it is reached.
    Before(u32),
    /// After the instruction at this code index has completed.
    After(u32),
}

impl StackPlace {
    /// The code index of the instruction.
    pub fn pc(self) -> u32 {
        match self {
            StackPlace::Before(pc) | StackPlace::After(pc) => pc,
        }
    }
}

/// A value that an instruction uses, and that is on the operand stack before.
#[derive(Debug, Clone, PartialEq)]
pub struct StackValue {
    /// Source-like text, unique among the values of the instruction: `next()`, `next() (2nd)`.
    pub text: String,
    /// The same text without the number of its occurrence.
    pub expression: String,
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
        let producers = self.producers.get_or_init(|| Producers::new(self.simulation.code)).as_ref();
        let target = self.stored_expression(pc).and_then(|stored| stored.target);
        let finder = producers.and_then(|producers| Finder::new(&self.simulation, producers, pc, target));
        let Some(found) = finder.and_then(Finder::find) else { return Vec::new() };
        let mut found: Vec<(StackPlace, Pushed)> = found.into_iter().collect();
        found.sort_by_key(|(place, _)| place.pc());
        let s = &self.simulation;
        let next = s.code.at(pc).map_or(pc, |instruction| instruction.next_pc());
        let is_store = s.code.at(pc).is_some_and(|i| !matches!(i.op, Op::If { .. } | Op::Switch { .. }));
        let mut texts: BTreeMap<String, u32> = BTreeMap::new();
        let mut values = Vec::new();
        for (place, Pushed { node, kind }) in found {
            let Some(letter) = letter(&node, kind) else { continue };
            let Some(forget_before) = s.forget_before(place, pc) else { continue };
            let expression = self.text_at(&node, if is_store { next } else { pc });
            let times = texts.entry(expression.clone()).or_insert(0);
            *times += 1;
            let text = match times {
                1 => expression.clone(),
                times => format!("{expression} ({})", ordinal(*times)),
            };
            values.push(StackValue { text, expression, place, letter, forget_before });
        }
        values.truncate(MOST);
        values
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

/// Searches backwards from an instruction.
struct Finder<'s, 'a> {
    s: &'s Simulation<'a>,
    producers: &'s Producers<'a>,
    pc: u32,
    position: usize,
    /// The assigned field.
    target: Option<ExprNode>,
    /// Variables, fields and elements that can still be read at the instruction.
    readable: Vec<ExprNode>,
    visited: BTreeSet<(u32, bool)>,
    found: BTreeMap<StackPlace, Pushed>,
}

/// How a value is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It is shown elsewhere in the answer; its parts are not.
    Known,
    /// It is a part of such a value.
    Part,
    /// It is, or is a part of, the receiver or an argument of a call, or selects what is read.
    Passed,
}

impl Use {
    fn of_parts(self, op: &Op) -> Use {
        match (self, op) {
            (Use::Passed, _)
            | (
                _,
                Op::Invoke { .. }
                | Op::InvokeDynamic { .. }
                | Op::GetField(_)
                | Op::ArrayLoad(_)
                | Op::ArrayLength
                | Op::New(_)
                | Op::NewArray(_),
            ) => Use::Passed,
            _ => Use::Part,
        }
    }
}

impl<'s, 'a> Finder<'s, 'a> {
    fn new(
        s: &'s Simulation<'a>,
        producers: &'s Producers<'a>,
        pc: u32,
        target: Option<ExprNode>,
    ) -> Option<Finder<'s, 'a>> {
        // A value that is on the stack while a loop turns may be from an earlier turn.
        let turns = s.code.instructions.iter().flat_map(|i| i.op.targets().into_iter().map(|to| (i.pc, to)));
        let mut back = turns.filter(|(from, to)| to <= from);
        if back.any(|(_, to)| producers.depth(to) != Some(0)) {
            return None;
        }
        let position = s.code.index_of(pc)?;
        let operands = s.operands.get(&position)?;
        let readable = leaves_of(&operands.iter().collect::<Vec<_>>());
        let (visited, found) = (BTreeSet::new(), BTreeMap::new());
        Some(Finder { s, producers, pc, position, target, readable, visited, found })
    }

    fn find(mut self) -> Option<BTreeMap<StackPlace, Pushed>> {
        let s = self.s;
        let nodes: Vec<&ExprNode> = s.operands.get(&self.position)?.iter().map(|value| &value.node).collect();
        match (&s.code.instructions.get(self.position)?.op, nodes.as_slice()) {
            (Op::If { .. }, [left, right]) => {
                self.compared(self.pc, 1, left);
                self.compared(self.pc, 0, right);
            }
            // The operands of a comparison that itself pushes a number (`lcmp`).
            (Op::If { .. }, [ExprNode::Binary { op: BinaryOp::Compare, left, right }]) => {
                let [Producer::At(pc)] = self.producers.top(self.pc)[..] else { return None };
                let Op::Compare { kind } = s.code.at(pc)?.op else { return None };
                self.compared(pc, kind.slots(), left);
                self.compared(pc, 0, right);
            }
            (Op::If { .. }, [value]) => self.compared(self.pc, 0, value),
            (Op::Switch { .. }, [selector]) => self.selected(selector)?,
            (Op::Store { .. } | Op::PutStatic(_), _) => self.operand(self.pc, 0, Use::Known),
            (Op::PutField(field), _) => {
                self.operand(self.pc, 0, Use::Known);
                self.operand(self.pc, Kind::of_descriptor(&field.descriptor).slots(), Use::Known);
            }
            (Op::ArrayStore(element), _) => {
                let wide = element.kind().slots();
                self.operand(self.pc, 0, Use::Known);
                self.operand(self.pc, wide, Use::Part);
                self.operand(self.pc, wide + 1, Use::Known);
            }
            _ => return None,
        }
        Some(self.found)
    }

    /// The value of a `switch`, which javac may have numbered first.
    fn selected(&mut self, selector: &ExprNode) -> Option<()> {
        let s = self.s;
        if let Some((_, value)) = switched(selector) {
            let [Producer::At(load)] = self.producers.top(self.pc)[..] else { return None };
            let [Producer::At(ordinal)] = self.producers.top(load)[..] else { return None };
            self.compared(ordinal, 0, value);
        } else if let ExprNode::Dynamic { name, arguments, .. } = selector
            && matches!(name.as_str(), "typeSwitch" | "enumSwitch")
        {
            let [Producer::At(call)] = self.producers.top(self.pc)[..] else { return None };
            self.compared(call, 1, arguments.first()?);
        } else if let Some((text, _)) = string_labels(s, self.position) {
            // The string is in a variable without a name.
            let earlier = s.code.instructions.get(..self.position)?;
            let store = earlier.iter().rev().find(|instruction| {
                matches!(instruction.op, Op::Store { kind: Kind::Reference, .. })
                    && s.stored.get(&instruction.pc) == Some(&text)
            });
            self.compared(store?.pc, 0, &text);
        } else {
            self.compared(self.pc, 0, selector);
        }
        Some(())
    }

    /// A compared value, so many slots below the top before the instruction at `pc`.
    fn compared(&mut self, mut pc: u32, mut below: u16, node: &ExprNode) {
        // The source does not show that a value is widened: its own type is shown.
        while let [Producer::At(widened)] = self.producers.below(pc, below)[..]
            && let Some(Op::Convert { from, to }) = self.s.code.at(widened).map(|i| &i.op)
            && is_widening(*from, *to)
        {
            (pc, below) = (widened, 0);
        }
        let place = match self.producers.below(pc, below)[..] {
            [Producer::At(pc)] => {
                let op = self.s.code.at(pc).map(|instruction| &instruction.op);
                let pushed = self.s.code.index_of(pc).and_then(|position| self.s.pushed.get(&position));
                let is_value = !matches!(op, Some(Op::Const(_) | Op::New(_)));
                pushed.filter(|_| is_value).map(|pushed| (StackPlace::After(pc), pushed.kind))
            }
            _ => self.joined(pc, below),
        };
        // What is still in a variable, field or element is read from there.
        if let Some((place, kind)) = place
            && has_text(node)
            && self.s.is_shown(node)
            && !self.readable.contains(node)
        {
            self.found.insert(place, Pushed { node: node.clone(), kind });
        }
        self.operand(pc, below, Use::Part);
    }

    /// An operand of the instruction at `pc`, so many slots below the top.
    fn operand(&mut self, pc: u32, below: u16, used: Use) {
        let producers = self.producers.below(pc, below);
        self.made(&producers, used);
    }

    /// A value that one of these producers pushed.
    fn made(&mut self, producers: &[Producer], used: Use) {
        match producers {
            [Producer::At(pc)] => self.pushed(*pc, used),
            [] | [Producer::Caught(_)] => {}
            several => {
                let part = if used == Use::Passed { used } else { Use::Part };
                let pcs: Vec<u32> = several
                    .iter()
                    .filter_map(|producer| match producer {
                        Producer::At(pc) => Some(*pc),
                        Producer::Caught(_) => None,
                    })
                    .collect();
                self.decided(&pcs, part);
                pcs.into_iter().for_each(|pc| self.pushed(pc, part));
            }
        }
    }

    /// The value that the instruction at `pc` pushed.
    fn pushed(&mut self, pc: u32, used: Use) {
        let s = self.s;
        let Some((position, instruction)) =
            s.code.index_of(pc).and_then(|position| Some((position, s.code.instructions.get(position)?)))
        else {
            return;
        };
        if let Some(pushed) = s.pushed.get(&position)
            && self.is_shown(&instruction.op, &pushed.node, used)
        {
            self.found.entry(StackPlace::After(pc)).or_insert_with(|| pushed.clone());
        }
        let parts = used.of_parts(&instruction.op);
        if !self.visited.insert((pc, parts == Use::Passed)) {
            return;
        }
        let (pops, _) = effect(&instruction.op);
        let mut slots: Vec<Vec<Producer>> = (0..pops).map(|below| self.producers.below(pc, below)).collect();
        slots.extend(self.contents(pc, &instruction.op));
        slots.dedup();
        slots.into_iter().for_each(|producers| self.made(&producers, parts));
    }

    /// The producers of what is put into an object or array that the instruction at `pc` creates: arguments of
    /// its constructor, and elements.
    fn contents(&self, pc: u32, op: &Op) -> Vec<Vec<Producer>> {
        let made = [Producer::At(pc)];
        let is_array = matches!(op, Op::NewArray(_));
        if !is_array && !matches!(op, Op::New(_)) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for instruction in &self.s.code.instructions {
            let at = instruction.pc;
            match &instruction.op {
                Op::ArrayStore(element) if is_array => {
                    if self.producers.below(at, element.kind().slots() + 1) == made {
                        found.push(self.producers.top(at));
                    }
                }
                Op::Invoke { method, .. } if !is_array && method.name == "<init>" => {
                    if self.producers.receiver(at, &method.descriptor) == made {
                        let (pops, _) = effect(&instruction.op);
                        let arguments = (0..pops.saturating_sub(1)).map(|n| self.producers.below(at, n));
                        found.extend(arguments);
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The operands of the branches that decide which of these instructions is executed.
    fn decided(&mut self, pcs: &[u32], used: Use) {
        let s = self.s;
        let blocks: BTreeSet<usize> =
            pcs.iter().filter_map(|pc| Some(s.cfg.block_at(*pc)?.index())).collect();
        let mut all = blocks.iter().copied();
        let Some(first) = all.next() else { return };
        let Some(head) = all.try_fold(first, |a, b| s.dominators.common(a, b)) else { return };
        let mut between = BTreeSet::from([head]);
        if !matches!(s.last_op(head), Some(Op::Switch { .. })) {
            let mut work: Vec<usize> = blocks.into_iter().collect();
            while let Some(block) = work.pop() {
                if !s.dominators.dominates(head, block) || !between.insert(block) {
                    continue;
                }
                work.extend(s.predecessors(block));
            }
        }
        for block in between {
            let Some(pc) = s.cfg.last_pc(NodeIndex::new(block)) else { continue };
            if let Some(op @ (Op::If { .. } | Op::Switch { .. })) = s.last_op(block) {
                let (pops, _) = effect(op);
                for below in 0..pops {
                    let producers = self.producers.below(pc, below);
                    self.made(&producers, used);
                }
            }
        }
    }

    /// The kind of a value that several instructions may have pushed. It is on top of the stack at the start of the block
    /// in which their paths join.
    fn joined(&self, pc: u32, below: u16) -> Option<(StackPlace, Kind)> {
        let s = self.s;
        let depth = self.producers.depth(pc)?.checked_sub(usize::from(below))?;
        let mut block = s.cfg.block_at(pc)?.index();
        loop {
            let start = s.cfg.block(NodeIndex::new(block))?.start_pc;
            let at_start = self.producers.depth(start)?;
            if at_start <= depth {
                let is_same = self.producers.top(start) == self.producers.below(pc, below);
                let kind = *s.joined.get(&block)?;
                return (at_start == depth && is_same).then_some((StackPlace::Before(start), kind));
            }
            block = s.dominators.immediate(block)?;
        }
    }

    fn is_shown(&self, op: &Op, node: &ExprNode, used: Use) -> bool {
        if used == Use::Known || !has_text(node) {
            return false;
        }
        let is_gone = !self.readable.contains(node) && self.s.is_shown(node);
        match op {
            Op::Invoke { method, .. } => {
                let is_builder =
                    matches!(method.class.as_str(), "java.lang.StringBuilder" | "java.lang.StringBuffer");
                self.s.is_shown(node) && !(is_builder && method.name == "append")
            }
            Op::InvokeDynamic { name, .. } => {
                !matches!(node, ExprNode::Lambda { .. })
                    && !matches!(name.as_str(), "typeSwitch" | "enumSwitch")
            }
            Op::ArrayLoad(_) => is_gone,
            // The old value of the target is shown elsewhere.
            Op::GetField(_) | Op::GetStatic(_) => {
                used == Use::Part && is_gone && self.target.as_ref() != Some(node)
            }
            _ => false,
        }
    }
}

/// Whether the text says what the expression is.
fn has_text(node: &ExprNode) -> bool {
    !matches!(node, ExprNode::Unknown | ExprNode::Caught | ExprNode::Const(_))
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
