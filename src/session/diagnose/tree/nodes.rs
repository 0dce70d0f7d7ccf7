//! What the nodes of the trees are that are asked about: calls, and with `--loops` also executions of loops,
//! from one iteration to the end of the loop. `loops` finds these; without them each call is the node of its
//! number.

use crate::declarative::Forest;
use crate::trace::{EventPosition, Traced, TracedEvent};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// A call, by its number.
    Call(u32),
    /// A part of a call, by its place among the parts.
    Part(usize),
}

/// How a loop was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Left {
    /// The method went on behind it.
    Normally,
    /// The method returned.
    Return,
    /// By an exception.
    Exception,
}

/// An execution of a loop in a call, from one iteration to the end of the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns {
    /// The call.
    pub call: u32,
    /// The loop, by its place among those of the program.
    pub which: usize,
    /// Of the executions of loops in the call, which one.
    pub execution: u32,
    /// The iteration with which it begins, from 1 on.
    pub iteration: u32,
    /// The first event of it.
    pub begins: EventPosition,
    /// The first event behind it; none while it goes on.
    pub ends: Option<EventPosition>,
    /// How the loop was left.
    pub left: Left,
}

/// A loop of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopAt {
    /// Its first and its last line, if they are known.
    pub lines: Option<(u32, u32)>,
    /// The variables that have a value where its iterations begin.
    pub variables: Vec<String>,
}

/// A part of a call as people and programs are told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoopPart {
    /// The first line of the loop, if that is known.
    pub line: Option<u32>,
    /// Its last line.
    pub to_line: Option<u32>,
    /// The iteration with which the node begins, from 1 on.
    pub iteration: u32,
    /// Of a buggy node: its last iteration; none if that is the loop's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_iteration: Option<u32>,
    /// Of a question: how the loop was left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<Left>,
}

impl LoopPart {
    /// The loop by its lines.
    pub fn named(&self) -> String {
        match (self.line, self.to_line) {
            (Some(from), Some(to)) if from != to => format!("the loop at lines {from} to {to}"),
            (Some(line), _) => format!("the loop at line {line}"),
            (None, _) => "a loop".to_owned(),
        }
    }
}

/// What the nodes are.
#[derive(Default)]
pub struct Nodes {
    /// By node; empty where each call is the node of its number.
    rows: Vec<Node>,
    /// By call: its node.
    of_calls: Vec<u32>,
    parts: Vec<Turns>,
    loops: Vec<LoopAt>,
}

/// By a call, an execution of a loop in it and an iteration: the node.
pub type PartNodes = HashMap<(u32, u32, u32), u32>;

impl Nodes {
    /// These, in the order of the trees; and the loops of the program.
    pub fn new(rows: Vec<Node>, parts: Vec<Turns>, loops: Vec<LoopAt>) -> Nodes {
        let is_call = |(node, row): (u32, &Node)| matches!(row, Node::Call(_)).then_some(node);
        let of_calls = (0..).zip(&rows).filter_map(is_call).collect();
        Nodes { rows, of_calls, parts, loops }
    }

    /// Whether loops are among them.
    pub fn has_loops(&self) -> bool {
        !self.rows.is_empty()
    }

    /// How many there are; without loops as many as there are calls.
    pub fn count(&self, calls: usize) -> usize {
        if self.has_loops() { self.rows.len() } else { calls }
    }

    fn row(&self, node: u32) -> Option<Node> {
        self.rows.get(usize::try_from(node).ok()?).copied()
    }

    /// The part of a call that a node is; none of a call.
    pub fn part(&self, node: u32) -> Option<&Turns> {
        match self.row(node)? {
            Node::Call(_) => None,
            Node::Part(part) => self.parts.get(part),
        }
    }

    /// The nodes of calls that have influenced something below a call, with what of them, and of that call,
    /// are parts.
    pub fn with_parts(&self, below: u32, calls: BTreeSet<u32>) -> BTreeSet<u32> {
        if !self.has_loops() {
            return calls;
        }
        let is_one = |(call, ..): &(u32, u32, u32)| *call == below || calls.contains(call);
        let parts = self.of_parts().into_iter().filter(|(part, _)| is_one(part)).map(|(_, node)| node);
        parts.chain(calls.iter().map(|call| self.of_call(*call))).collect()
    }

    /// The loop that a part is of.
    pub fn loop_of(&self, part: &Turns) -> LoopAt {
        self.loops.get(part.which).cloned().unwrap_or_default()
    }

    /// The call that a node is, or that it is a part of.
    pub fn call(&self, node: u32) -> u32 {
        match self.row(node) {
            Some(Node::Call(call)) => call,
            Some(Node::Part(_)) => self.part(node).map_or(u32::MAX, |part| part.call),
            None if self.has_loops() => u32::MAX,
            None => node,
        }
    }

    /// The node of a call.
    pub fn of_call(&self, call: u32) -> u32 {
        if !self.has_loops() {
            return call;
        }
        usize::try_from(call).ok().and_then(|call| self.of_calls.get(call)).copied().unwrap_or(u32::MAX)
    }

    /// Whether a step of a recursion is made in a node, or in a part of it.
    pub fn calls_itself(&self, node: u32, forest: &Forest) -> bool {
        let mut left = vec![node];
        while let Some(node) = left.pop() {
            for child in forest.children(node) {
                match self.part(child) {
                    Some(_) => left.push(child),
                    None if forest.repeats_its_caller(child) => return true,
                    None => {}
                }
            }
        }
        false
    }

    /// The nodes of parts.
    pub fn of_parts(&self) -> PartNodes {
        let key = |node: u32| {
            let part = self.part(node)?;
            Some(((part.call, part.execution, part.iteration), node))
        };
        (0..).zip(&self.rows).filter_map(|(node, _)| key(node)).collect()
    }

    /// What is told of a node that is a part.
    pub fn told(&self, node: u32) -> Option<LoopPart> {
        let part = self.part(node)?;
        let lines = self.loop_of(part).lines;
        Some(LoopPart {
            line: lines.map(|(line, _)| line),
            to_line: lines.map(|(_, line)| line),
            iteration: part.iteration,
            to_iteration: None,
            left: Some(part.left),
        })
    }

    /// The same of the node alone, without those below it: as far as the iteration with which the next one
    /// begins.
    pub fn told_alone(&self, node: u32, forest: &Forest) -> Option<LoopPart> {
        let part = self.part(node)?;
        let is_next = |other: &&Turns| (other.call, other.execution) == (part.call, part.execution);
        let next = forest.children(node).filter_map(|child| self.part(child)).find(is_next);
        let to_iteration = next.map(|next| next.iteration.saturating_sub(1));
        Some(LoopPart { to_iteration, left: None, ..self.told(node)? })
    }
}

/// What is gathered of a node while one goes along the events of a thread.
pub trait Gathered: Default {
    /// Goes on in a part of the same call.
    fn inner(&mut self) -> Self {
        Self::default()
    }

    /// Is back from a part.
    fn back(&mut self, _inner: &mut Self) {}
}

/// One who goes along the events of a thread, and knows the nodes that they are in.
pub struct Along<'a, T> {
    nodes: &'a Nodes,
    open: Vec<(u32, T)>,
    /// The node that begins next.
    next: u32,
}

impl<'a, T: Gathered> Along<'a, T> {
    /// Along a thread, by its first call.
    pub fn new(nodes: &'a Nodes, first: u32) -> Along<'a, T> {
        Along { nodes, open: Vec::new(), next: nodes.of_call(first) }
    }

    /// What is gathered of the innermost node that an event is in; nodes that have ended are told.
    pub fn step(&mut self, seen: &TracedEvent<'_>, mut ended: impl FnMut(u32, T)) -> Option<&mut T> {
        let nodes = self.nodes;
        let is_entry = seen.site.what == Traced::Enter;
        let innermost = if is_entry { seen.around } else { seen.node };
        while let Some((node, of)) = self.open.pop_if(|(node, _)| Some(nodes.call(*node)) != innermost) {
            ended(node, of);
        }
        if let (true, Some(call), Some(mut at)) = (nodes.has_loops(), innermost, seen.position()) {
            at.node = call;
            let is_over = |part: &Turns| {
                // What returns from inside of a loop is a part of it.
                let is_return = part.left == Left::Return && part.ends == Some(at);
                part.ends.is_some_and(|end| end.is_before(at)) && !is_return
            };
            while let Some((node, mut of)) =
                self.open.pop_if(|(node, _)| nodes.part(*node).is_some_and(is_over))
            {
                if let Some((_, around)) = self.open.last_mut() {
                    around.back(&mut of);
                }
                ended(node, of);
            }
            let begun = |part: &&Turns| part.call == call && part.begins.is_before(at);
            while let Some(part) = nodes.part(self.next).filter(begun) {
                if !is_over(part) {
                    let of = self.open.last_mut().map(|(_, around)| around.inner()).unwrap_or_default();
                    self.open.push((self.next, of));
                }
                self.next = self.next.saturating_add(1);
            }
        }
        if let (true, Some(call)) = (is_entry, seen.node) {
            let node = nodes.of_call(call);
            self.open.push((node, T::default()));
            self.next = node.saturating_add(1);
        }
        let (node, of) = self.open.last_mut()?;
        (Some(nodes.call(*node)) == seen.node).then_some(of)
    }

    /// That was the last event.
    pub fn end(mut self, mut ended: impl FnMut(u32, T)) {
        while let Some((node, of)) = self.open.pop() {
            ended(node, of);
        }
    }
}
