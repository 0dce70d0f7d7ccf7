//! A call as it is gone through: its variables and operands, and the choices that have led to where it is.

use super::Lost;
use super::code::Body;
use super::graph::{Graph, Node};
use super::heap::Val;
use crate::trace::Value;
use bytecode::Instruction;
use std::rc::Rc;

/// A call that is open.
#[derive(Clone)]
pub struct Frame {
    /// The call.
    pub call: u32,
    /// Its code; none: what it does is not recorded in full.
    pub body: Option<Rc<Body>>,
    /// The next instruction.
    pub pc: u32,
    stack: Vec<Val>,
    locals: Vec<Val>,
    /// Why it was called.
    base: Node,
    /// The choices that have led here.
    choices: Vec<Choice>,
    /// What came of calls that code which is not recorded has made for it, since the last event of its own.
    pub pending: Node,
    /// What an exception depends on that has left a call of its own.
    pub thrown: Node,
    /// What the last call that code made depends on of which nothing is recorded, and that returned nothing.
    pub made: Node,
    /// The last instruction, if it has called code of which nothing is recorded, and what that call depends
    /// on.
    pub called: Option<(u32, Node)>,
    /// The call of its own that goes on.
    pub calling: Option<Calling>,
}

/// A way that was chosen.
#[derive(Clone, Copy)]
struct Choice {
    node: Node,
    /// The instruction from which on it does not matter any more; none: it always does.
    join: Option<u32>,
    /// How much was on the stack: what is above was put there because of it.
    depth: usize,
}

/// What has made a call.
#[derive(Clone)]
pub struct Calling {
    /// The instruction.
    pub instruction: Instruction,
    /// The node of what it was made on.
    pub receiver: Node,
}

impl Frame {
    /// As it begins.
    pub fn new(call: u32, body: Option<Rc<Body>>, base: Node) -> Frame {
        Frame {
            call,
            body,
            pc: 0,
            stack: Vec::new(),
            locals: Vec::new(),
            base,
            choices: Vec::new(),
            pending: 0,
            thrown: 0,
            made: 0,
            called: None,
            calling: None,
        }
    }

    /// What has led to the next instruction.
    pub fn control(&self) -> Node {
        self.choices.last().map_or(self.base, |choice| choice.node)
    }

    /// Whether an exception can be caught in it.
    pub fn can_catch(&self) -> bool {
        self.body.as_ref().is_none_or(|body| !body.code.handlers.is_empty())
    }

    /// It arrives at its next instruction: choices whose ways come together here do not matter any more.
    pub fn arrive(&mut self, graph: &mut Graph) {
        while let Some(choice) = self.choices.pop_if(|choice| choice.join == Some(self.pc)) {
            for val in self.stack.iter_mut().skip(choice.depth) {
                val.node = graph.join(val.node, choice.node);
            }
        }
    }

    /// A way was chosen.
    pub fn choose(&mut self, node: Node, join: Option<u32>) {
        // The choice before it is one of those that the node knows.
        match self.choices.last_mut().filter(|choice| choice.join == join) {
            Some(last) => last.node = node,
            None => self.choices.push(Choice { node, join, depth: self.stack.len() }),
        }
    }

    /// Whatever it does from here on depends on that too.
    pub fn depend(&mut self, graph: &mut Graph, node: Node) {
        self.base = graph.join(self.base, node);
        for choice in &mut self.choices {
            choice.node = graph.join(choice.node, node);
        }
    }

    /// Puts something on the stack that takes so many slots.
    pub fn push(&mut self, val: Val, slots: u16) {
        self.stack.extend(std::iter::repeat_n(val, slots.into()));
    }

    /// Takes so many slots from the stack, the lowest first.
    pub fn take(&mut self, slots: u16) -> Result<Vec<Val>, Lost> {
        let at = self.stack.len().checked_sub(slots.into()).ok_or(Lost("an instruction finds too little"))?;
        Ok(self.stack.split_off(at))
    }

    /// Takes one value from the stack.
    pub fn pop(&mut self, slots: u16) -> Result<Val, Lost> {
        Ok(self.take(slots)?.last().copied().unwrap_or_default())
    }

    /// Takes so many slots and puts them back in another order, by their places from the lowest on.
    pub fn shuffle(&mut self, slots: u16, order: &[usize]) -> Result<(), Lost> {
        let taken = self.take(slots)?;
        self.stack.extend(order.iter().filter_map(|place| taken.get(*place)));
        Ok(())
    }

    /// A handler begins: nothing but the exception is on the stack.
    pub fn catch(&mut self, exception: Val) {
        self.stack = vec![exception];
        self.pending = 0;
        self.thrown = 0;
    }

    /// A variable.
    pub fn local(&self, slot: u16) -> Val {
        self.locals.get(usize::from(slot)).copied().unwrap_or_default()
    }

    /// Writes a variable.
    pub fn store(&mut self, slot: u16, val: Val) {
        let slot = usize::from(slot);
        if self.locals.len() <= slot {
            self.locals.resize(slot + 1, Val::default());
        }
        if let Some(local) = self.locals.get_mut(slot) {
            *local = val;
        }
    }

    /// Goes through the variables.
    pub fn each_local(&mut self, mut visit: impl FnMut(u16, &mut Val)) {
        (0..).zip(&mut self.locals).for_each(|(slot, val)| visit(slot, val));
    }

    /// The value on top of the stack.
    pub fn top(&self) -> Node {
        self.stack.last().map_or(0, |val| val.node)
    }

    /// All that is on the stack.
    pub fn operands(&self, graph: &mut Graph) -> Node {
        self.stack.iter().fold(0, |all, val| graph.join(all, val.node))
    }

    /// All that its variables hold.
    pub fn variables(&self, graph: &mut Graph) -> Node {
        self.locals.iter().fold(0, |all, val| graph.join(all, val.node))
    }

    /// An object that was made knows what it was made of.
    pub fn made_of(&mut self, object: Node, node: Node) {
        for val in self.stack.iter_mut().chain(&mut self.locals).filter(|val| val.node == object) {
            val.node = node;
        }
    }

    /// An object that was made has got its number.
    pub fn born(&mut self, node: Node, object: u32) {
        for val in self.stack.iter_mut().chain(&mut self.locals) {
            if val.node == node && val.known.is_none() {
                val.known = Some(Value::Object(object));
            }
        }
    }
}
