//! An interpreted call: its local variables, its operand stack, and the decisions on which the current
//! instruction depends.

use super::Lost;
use super::code::Body;
use super::graph::{Graph, Node};
use super::heap::Val;
use bytecode::Instruction;
use std::rc::Rc;
use trace::Value;

/// A call in progress.
#[derive(Clone)]
pub struct Frame {
    /// The call.
    pub call: u32,
    /// Its code; `None` if the call is not fully recorded.
    pub body: Option<Rc<Body>>,
    /// The next instruction.
    pub pc: u32,
    stack: Vec<Val>,
    locals: Vec<Val>,
    /// The reasons why it was called.
    base: Node,
    /// The decisions on which the current instruction depends.
    choices: Vec<Choice>,
    /// The results of calls that unrecorded code made for it, since its last own event.
    pub pending: Node,
    /// The dependences of an exception that left one of its callees.
    pub thrown: Node,
    /// The dependences of the last call of unrecorded code that returned nothing.
    pub made: Node,
    /// The last instruction if it called unrecorded code, and the dependences of that call.
    pub called: Option<(u32, Node)>,
    /// The callee in progress.
    pub calling: Option<Calling>,
    /// The last call of an assertion.
    pub asserted: Option<AssertionCall>,
}

/// A call of an assertion of a test framework.
#[derive(Clone, Copy)]
pub struct AssertionCall {
    /// The calling instruction.
    pub pc: u32,
    /// The argument that it examines, with its position; `None` if it examines nothing.
    pub examined: Option<(usize, Val)>,
    /// The argument with which it compares that one, with its position.
    pub expected: Option<(usize, Val)>,
}

/// A control decision.
#[derive(Clone, Copy)]
struct Choice {
    node: Node,
    /// The instruction at which the decision stops mattering; `None` if there is none.
    join: Option<u32>,
    /// The stack depth at the decision. Operands above it depend on the decision.
    depth: usize,
}

/// The origin of a call.
#[derive(Clone)]
pub struct Calling {
    /// The calling instruction.
    pub instruction: Instruction,
    /// The dependence node of the receiver.
    pub receiver: Node,
}

impl Frame {
    /// A frame at the method's entry.
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
            asserted: None,
        }
    }

    /// The decisions on which the next instruction depends.
    pub fn control(&self) -> Node {
        self.choices.last().map_or(self.base, |choice| choice.node)
    }

    /// Whether it can catch an exception.
    pub fn can_catch(&self) -> bool {
        self.body.as_ref().is_none_or(|body| !body.code.handlers.is_empty())
    }

    /// Arrives at the next instruction: decisions whose paths join here stop mattering.
    pub fn arrive(&mut self, graph: &mut Graph) {
        while let Some(choice) = self.choices.pop_if(|choice| choice.join == Some(self.pc)) {
            for val in self.stack.iter_mut().skip(choice.depth) {
                val.node = graph.join(val.node, choice.node);
            }
        }
    }

    /// Records a control decision.
    pub fn choose(&mut self, node: Node, join: Option<u32>) {
        // The node already depends on the previous decision.
        match self.choices.last_mut().filter(|choice| choice.join == join) {
            Some(last) => last.node = node,
            None => self.choices.push(Choice { node, join, depth: self.stack.len() }),
        }
    }

    /// Makes everything that follows depend on a node too.
    pub fn depend(&mut self, graph: &mut Graph, node: Node) {
        self.base = graph.join(self.base, node);
        for choice in &mut self.choices {
            choice.node = graph.join(choice.node, node);
        }
    }

    /// Pushes a value that occupies this number of slots.
    pub fn push(&mut self, val: Val, slots: u16) {
        self.stack.extend(std::iter::repeat_n(val, slots.into()));
    }

    /// Pops this number of slots, the lowest first.
    pub fn take(&mut self, slots: u16) -> Result<Vec<Val>, Lost> {
        let at = self
            .stack
            .len()
            .checked_sub(slots.into())
            .ok_or(Lost("an instruction finds too few operands"))?;
        Ok(self.stack.split_off(at))
    }

    /// Pops one value.
    pub fn pop(&mut self, slots: u16) -> Result<Val, Lost> {
        Ok(self.take(slots)?.last().copied().unwrap_or_default())
    }

    /// Reorders the top slots of the stack. `order` counts from the lowest.
    pub fn shuffle(&mut self, slots: u16, order: &[usize]) -> Result<(), Lost> {
        let taken = self.take(slots)?;
        self.stack.extend(order.iter().filter_map(|place| taken.get(*place)));
        Ok(())
    }

    /// Enters a handler: the stack contains only the exception.
    pub fn catch(&mut self, exception: Val) {
        self.stack = vec![exception];
        self.pending = 0;
        self.thrown = 0;
    }

    /// Reads a local variable.
    pub fn local(&self, slot: u16) -> Val {
        self.locals.get(usize::from(slot)).copied().unwrap_or_default()
    }

    /// Writes a local variable.
    pub fn store(&mut self, slot: u16, val: Val) {
        let slot = usize::from(slot);
        if self.locals.len() <= slot {
            self.locals.resize(slot + 1, Val::default());
        }
        if let Some(local) = self.locals.get_mut(slot) {
            *local = val;
        }
    }

    /// Visits all local variables.
    pub fn each_local(&mut self, mut visit: impl FnMut(u16, &mut Val)) {
        (0..).zip(&mut self.locals).for_each(|(slot, val)| visit(slot, val));
    }

    /// The value on top of the stack.
    pub fn top(&self) -> Val {
        self.stack.last().copied().unwrap_or_default()
    }

    /// The dependences of the whole stack.
    pub fn operands(&self, graph: &mut Graph) -> Node {
        self.stack.iter().fold(0, |all, val| graph.join(all, val.node))
    }

    /// The dependences of all local variables.
    pub fn variables(&self, graph: &mut Graph) -> Node {
        self.locals.iter().fold(0, |all, val| graph.join(all, val.node))
    }

    /// Replaces the node of a new object by the node of its constructor's inputs.
    pub fn made_of(&mut self, object: Node, node: Node) {
        for val in self.stack.iter_mut().chain(&mut self.locals).filter(|val| val.node == object) {
            val.node = node;
        }
    }

    /// Sets the object number of a new object.
    pub fn born(&mut self, node: Node, object: u32) {
        for val in self.stack.iter_mut().chain(&mut self.locals) {
            if val.node == node && val.known.is_none() {
                val.known = Some(Value::Object(object));
            }
        }
    }
}
