//! Executes a method's code on symbolic operands, block by block, and records the operands that instructions
//! pop. `step` defines the effect of one instruction, `branches` the meaning of branches.

use super::node::ExprNode;
use super::simulation::{Compound, Pushed, ReachingSlot, Simulation};
use super::value::{Change, Value};
use crate::cfg::{Cfg, EdgeKind, flow_of};
use crate::class::{ClassFile, Method};
use crate::descriptor::parameter_slots;
use crate::op::{Instruction, Kind, Op};
use crate::stack::effect;
use crate::stores::{Reaching, variable_in_slot};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, HashMap};

/// The symbolic operand stack during the execution of a block.
pub(crate) struct Machine {
    pub(crate) stack: Vec<Value>,
}

impl Machine {
    pub(crate) fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or_else(|| Value::unknown(Kind::Int))
    }

    pub(crate) fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    pub(crate) fn change(&mut self, change: &Change<'_>) {
        for value in &mut self.stack {
            value.apply(change);
        }
    }

    /// Pops operands that occupy `slots` slots in total. Returns them deepest first.
    pub(crate) fn pop_slots(&mut self, slots: u16) -> Vec<Value> {
        let mut taken = Vec::new();
        let mut left = slots;
        while left > 0 {
            let value = self.pop();
            left = left.saturating_sub(value.kind.slots());
            taken.push(value);
        }
        taken.reverse();
        taken
    }
}

impl<'a> Simulation<'a> {
    /// `None` if the method has no code.
    pub(crate) fn new(class: &'a ClassFile, method: &'a Method) -> Option<Simulation<'a>> {
        let code = method.code.as_ref()?;
        let cfg = Cfg::new(code);
        let dominators = flow_of(&cfg, false).dominators();
        let stores_0 =
            code.instructions.iter().any(|i| i.op.stored_slot().is_some_and(|(slot, _)| slot == 0));
        let mut simulation = Simulation {
            class,
            method,
            code,
            jumps: vec![None; cfg.len()],
            cfg,
            dominators,
            operands: BTreeMap::new(),
            reads: BTreeMap::new(),
            pushed: BTreeMap::new(),
            joined: BTreeMap::new(),
            stored: HashMap::new(),
            reaching: HashMap::new(),
            this_in_slot_0: !method.is_static() && !stores_0,
        };
        simulation.run();
        Some(simulation)
    }

    fn run(&mut self) {
        let handlers: Vec<usize> = self.cfg.handler_blocks().into_iter().map(NodeIndex::index).collect();
        let mut after: Vec<Option<Vec<Value>>> = vec![None; self.cfg.len()];
        for block in self.order() {
            let stack = if handlers.contains(&block) {
                vec![Value::opaque(ExprNode::Caught, Kind::Reference, Vec::new())]
            } else {
                self.entry_stack(block, &after)
            };
            if let Some(top) = stack.last()
                && self.predecessors(block).len() > 1
            {
                self.joined.insert(block, top.kind);
            }
            let mut machine = Machine { stack };
            let Some((first, last)) = self.cfg.block(NodeIndex::new(block)).map(|b| (b.first, b.last)) else {
                continue;
            };
            for position in first..=last {
                self.step(&mut machine, position, block);
                self.note_pushed(&machine, position);
            }
            if let Some(slot) = after.get_mut(block) {
                *slot = Some(machine.stack);
            }
        }
    }

    /// Notes what an instruction has pushed. A `dup` pushes nothing new.
    fn note_pushed(&mut self, machine: &Machine, position: usize) {
        let op = self.code.instructions.get(position).map(|instruction| &instruction.op);
        let (Some(op), Some(top)) = (op, machine.stack.last()) else { return };
        let moves = matches!(
            op,
            Op::Dup | Op::DupX1 | Op::DupX2 | Op::Dup2 | Op::Dup2X1 | Op::Dup2X2 | Op::Swap | Op::Jsr { .. }
        );
        if !moves && effect(op).1 > 0 {
            self.pushed.insert(position, Pushed { node: top.node.clone(), kind: top.kind });
        }
    }

    /// The blocks in reverse post-order over all edges: predecessors come first, except along back edges.
    fn order(&self) -> Vec<usize> {
        let mut seen = vec![false; self.cfg.len()];
        let mut order = Vec::new();
        // Each entry of the work list is a node with the successors that are still to be visited.
        let mut work: Vec<(usize, Vec<usize>)> = Vec::new();
        let next = |node: usize| -> Vec<usize> {
            self.cfg.successors(NodeIndex::new(node), true).into_iter().map(|(to, _)| to.index()).collect()
        };
        if let Some(first) = seen.first_mut() {
            *first = true;
            work.push((0, next(0)));
        }
        while let Some((node, rest)) = work.last_mut() {
            let node = *node;
            match rest.pop() {
                Some(to) => {
                    if let Some(slot) = seen.get_mut(to)
                        && !*slot
                    {
                        *slot = true;
                        work.push((to, next(to)));
                    }
                }
                None => {
                    order.push(node);
                    work.pop();
                }
            }
        }
        order.reverse();
        order
    }

    fn entry_stack(&self, block: usize, after: &[Option<Vec<Value>>]) -> Vec<Value> {
        let mut stacks: Vec<(usize, Vec<Value>)> = Vec::new();
        let mut complete = true;
        for (from, kind) in self.cfg.predecessors(NodeIndex::new(block), false) {
            match after.get(from.index()).and_then(Option::as_ref) {
                Some(stack) => {
                    let mut stack = stack.clone();
                    let is_jsr = self.last_op(from.index()).is_some_and(|op| matches!(op, Op::Jsr { .. }));
                    if is_jsr && *kind == EdgeKind::FallThrough {
                        stack.pop();
                    }
                    stacks.push((from.index(), stack));
                }
                None => complete = false,
            }
        }
        let depth = stacks.iter().map(|(_, s)| s.len()).min().unwrap_or(0);
        let mut merged = Vec::with_capacity(depth);
        for level in 0..depth {
            let column: Vec<(usize, Value)> =
                stacks.iter().filter_map(|(from, s)| Some((*from, s.get(level)?.clone()))).collect();
            let kind = column.first().map_or(Kind::Int, |(_, v)| v.kind);
            merged.push(if complete { self.merge(column) } else { Value::unknown(kind) });
        }
        merged
    }

    pub(crate) fn last_op(&self, block: usize) -> Option<&Op> {
        let last = self.cfg.block(NodeIndex::new(block))?.last;
        self.code.instructions.get(last).map(|i| &i.op)
    }

    /// Merges one operand from several predecessors: they agree, or it is the value of a conditional
    /// expression.
    fn merge(&self, column: Vec<(usize, Value)>) -> Value {
        let Some((_, first)) = column.first() else { return Value::unknown(Kind::Int) };
        let kind = first.kind;
        if column.iter().all(|(_, v)| v.node == first.node) {
            let mut value = first.clone();
            if !column.iter().all(|(_, v)| v.read == first.read) {
                value.read = None;
            }
            for (_, other) in &column {
                value.leaves.retain(|leaf| other.leaves.contains(leaf));
                if other.origin != value.origin {
                    value.origin = None;
                }
                if other.shared != value.shared {
                    value.shared = None;
                }
            }
            return value;
        }
        match self.conditional(&column, 0) {
            Some(node) => {
                let mut leaves = first.leaves.clone();
                leaves.retain(|leaf| column.iter().all(|(_, v)| v.leaves.contains(leaf)));
                Value::opaque(node, kind, leaves)
            }
            None => Value::unknown(kind),
        }
    }

    /// The conditional expression whose branches give these values.
    fn conditional(&self, column: &[(usize, Value)], level: usize) -> Option<ExprNode> {
        if let [(_, only)] = column {
            return Some(only.node.clone());
        }
        if level > 8 || column.is_empty() {
            return None;
        }
        let mut sources = column.iter().map(|(from, _)| *from);
        let head = sources.next()?;
        let head = sources.try_fold(head, |a, b| self.dominators.common(a, b))?;
        if let Some(Op::Switch { .. }) = self.last_op(head)
            && let Some(position) = self.cfg.block(NodeIndex::new(head)).map(|b| b.last)
            && let Some(selector) = self.operands.get(&position).and_then(|o| o.last())
        {
            return Some(ExprNode::Switch { selector: Box::new(selector.node.clone()) });
        }
        let Compound { node, taken, fall, .. } = self.compound_at(head)?;
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for (from, value) in column {
            match (self.dominators.dominates(fall, *from), self.dominators.dominates(taken, *from)) {
                (true, false) => yes.push((*from, value.clone())),
                (false, true) => no.push((*from, value.clone())),
                _ => return None,
            }
        }
        let then = self.conditional(&yes, level + 1)?;
        let otherwise = self.conditional(&no, level + 1)?;
        use crate::op::Constant::Int;
        Some(match (&then, &otherwise) {
            (
                ExprNode::Const(Int(1)) | ExprNode::Bool(true),
                ExprNode::Const(Int(0)) | ExprNode::Bool(false),
            ) => node,
            (
                ExprNode::Const(Int(0)) | ExprNode::Bool(false),
                ExprNode::Const(Int(1)) | ExprNode::Bool(true),
            ) => node.negated(),
            _ => ExprNode::Conditional {
                condition: Box::new(node),
                then: Box::new(then),
                otherwise: Box::new(otherwise),
            },
        })
    }

    /// An expression that reads the variable in a slot at `pc`.
    pub(crate) fn local(&self, slot: u16, pc: u32, kind: Kind) -> ExprNode {
        if slot == 0 && self.this_in_slot_0 {
            return ExprNode::This;
        }
        if let Some(variable) = variable_in_slot(self.code, slot, pc) {
            return ExprNode::Local {
                slot,
                name: Some(variable.name.clone()),
                descriptor: Some(variable.descriptor.clone()),
            };
        }
        let parameter = parameter_slots(&self.method.descriptor, self.method.is_static())
            .into_iter()
            .find(|(s, _)| *s == slot)
            .map(|(_, descriptor)| descriptor)
            // The slot of a parameter can be reused for another variable.
            .filter(|d| Kind::of_descriptor(d) == kind && self.code.variables.is_empty());
        let wide =
            matches!(kind, Kind::Long | Kind::Double | Kind::Float).then(|| kind.descriptor().to_owned());
        ExprNode::Local { slot, name: None, descriptor: parameter.or(wide) }
    }

    /// The variable that the store at `instruction` writes. Its range begins after the store; at the end of a
    /// scope, the variable may be valid only before it.
    pub(crate) fn stored_local(&self, slot: u16, instruction: &Instruction, kind: Kind) -> ExprNode {
        match self.local(slot, instruction.next_pc(), kind) {
            ExprNode::Local { name: None, .. } => self.local(slot, instruction.pc, kind),
            named => named,
        }
    }

    /// The meaning of a compiler-generated variable (unnamed among named variables), if a single store set
    /// it. For example, the iterator of an enhanced `for` is `list.iterator()`.
    pub(crate) fn temporary(&mut self, slot: u16, position: usize) -> Option<ExprNode> {
        if self.code.variables.is_empty() {
            return None;
        }
        let (method, code) = (self.method, self.code);
        let reaching =
            self.reaching.entry(slot).or_insert_with(|| ReachingSlot(Reaching::new(method, code, slot)));
        let definitions = reaching.0.at(position);
        match definitions.as_slice() {
            [only] => self.stored.get(&only.pc).filter(|n| n.size() <= 30).cloned(),
            _ => None,
        }
    }

    /// Whether a part of an expression is meaningful to a reader: neither `this` nor compiler-generated.
    pub(crate) fn is_shown(&self, leaf: &ExprNode) -> bool {
        let named = !self.code.variables.is_empty();
        *leaf != ExprNode::This
            && !leaf.any(&|n| match n {
                ExprNode::Local { name: None, .. } => named,
                ExprNode::Static { class, name, .. } => {
                    name.starts_with('$') && !self.class.is_in_source(class, name)
                }
                _ => false,
            })
            && !matches!(leaf, ExprNode::Field { class, name, .. }
                if name.starts_with("this$") && !self.class.is_in_source(class, name))
    }

    /// The code indices of the stores to a slot that reach an instruction.
    pub(crate) fn definitions(&self, slot: u16, position: usize) -> Vec<u32> {
        Reaching::new(self.method, self.code, slot).at(position).into_iter().map(|s| s.pc).collect()
    }
}
