//! Searches backwards from a branch or a store for the instructions that pushed its operands, and what those
//! were made from.

use super::condition::string_labels;
use super::enums::switched;
use super::node::ExprNode;
use super::simulation::{Pushed, Simulation};
use super::step::is_widening;
use super::value::leaves_of;
use crate::class::Code;
use crate::kind::Kind;
use crate::op::{BinaryOp, Op};
use crate::producers::{Producer, Producers};
use crate::stack::effect;
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};

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

/// The producers of a method's values. `None` for code with subroutines, and for code that jumps back with a
/// value on the stack: it may be from an earlier turn of the loop.
pub(super) fn producers(code: &Code) -> Option<Producers<'_>> {
    let producers = Producers::new(code)?;
    let jumps = code.instructions.iter().flat_map(|i| i.op.targets().into_iter().map(|to| (i.pc, to)));
    let mut back = jumps.filter(|(from, to)| to <= from);
    back.all(|(_, to)| producers.depth(to) == Some(0)).then_some(producers)
}

/// Searches backwards from an instruction.
pub(super) struct Search<'s, 'a> {
    s: &'s Simulation<'a>,
    producers: &'s Producers<'a>,
    pc: u32,
    position: usize,
    /// The assigned field.
    target: Option<ExprNode>,
    /// Variables, fields and elements that can still be read at the instruction.
    readable: Vec<ExprNode>,
    visited: BTreeSet<(u32, bool)>,
    /// Values to look at, each with the instructions that may have pushed it.
    work: Vec<(Vec<Producer>, Use)>,
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

impl<'s, 'a> Search<'s, 'a> {
    /// A search for the values of the instruction at `pc`, which assigns `target` if it is a store.
    pub(super) fn new(
        s: &'s Simulation<'a>,
        producers: &'s Producers<'a>,
        pc: u32,
        target: Option<ExprNode>,
    ) -> Option<Search<'s, 'a>> {
        let position = s.code.index_of(pc)?;
        let operands = s.operands.get(&position)?;
        let readable = leaves_of(&operands.iter().collect::<Vec<_>>());
        let (visited, work, found) = (BTreeSet::new(), Vec::new(), BTreeMap::new());
        Some(Search { s, producers, pc, position, target, readable, visited, work, found })
    }

    /// The values, each with where it is on top of the stack; `None` if the instruction is neither branch nor
    /// store.
    pub(super) fn found(mut self) -> Option<BTreeMap<StackPlace, Pushed>> {
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
        while let Some((producers, used)) = self.work.pop() {
            self.made(&producers, used);
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
        self.work.push((self.producers.below(pc, below), used));
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
        // What a narrowing conversion lost is in its operand alone.
        if used != Use::Passed
            && let Op::Convert { from, to } = &instruction.op
            && !is_widening(*from, *to)
            && let [Producer::At(operand)] = self.producers.below(pc, 0)[..]
            // A cast of a `long` to a `byte` is two conversions.
            && !matches!(s.code.at(operand).map(|i| &i.op), Some(Op::Convert { .. }))
            && let Some(operand) = s.code.index_of(operand).and_then(|position| s.pushed.get(&position))
        {
            self.compared(pc, 0, &operand.node);
        }
        let parts = used.of_parts(&instruction.op);
        if !self.visited.insert((pc, parts == Use::Passed)) {
            return;
        }
        let (pops, _) = effect(&instruction.op);
        let mut slots: Vec<Vec<Producer>> = (0..pops).map(|below| self.producers.below(pc, below)).collect();
        slots.extend(self.contents(pc, &instruction.op));
        slots.dedup();
        self.work.extend(slots.into_iter().map(|producers| (producers, parts)));
    }

    /// The producers of what is put into an object or array that the instruction at `pc` creates: arguments
    /// of its constructor, and elements.
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
                Op::ArrayStore(element)
                    if is_array && self.producers.below(at, element.kind().slots() + 1) == made =>
                {
                    found.push(self.producers.top(at));
                }
                Op::Invoke { method, .. }
                    if !is_array
                        && method.name == "<init>"
                        && self.producers.receiver(at, &method.descriptor) == made =>
                {
                    let (pops, _) = effect(&instruction.op);
                    found.extend((0..pops.saturating_sub(1)).map(|below| self.producers.below(at, below)));
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
                (0..pops).for_each(|below| self.operand(pc, below, used));
            }
        }
    }

    /// The kind of a value that several instructions may have pushed. It is on top of the stack at the start
    /// of the block in which their paths join.
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
                self.s.is_shown(node)
                    && !matches!(node, ExprNode::Lambda { .. })
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
