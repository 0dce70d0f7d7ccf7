//! The nodes of the execution trees: calls, and with `--loops` also executions of loops, each from one
//! iteration to the end of the loop. `loops` finds them. Without loops, a node's number is that of its call.

use declarative::Forest;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use trace::{EventPosition, Traced, TracedEvent};

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// A call, by its number.
    Call(u32),
    /// A part of a call, by its index among the parts.
    Part(usize),
}

/// How a loop was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LoopExit {
    /// Execution continued after it in the same method.
    Normally,
    /// The method returned.
    Return,
    /// An exception left it.
    Exception,
}

/// An execution of a loop in a call, from one iteration to the end of the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopExecution {
    /// The call.
    pub call: u32,
    /// The loop, by its index among the loops of the program.
    pub which: usize,
    /// The number of this execution among those of all loops in the call.
    pub execution: u32,
    /// The iteration with which it begins, from 1.
    pub iteration: u32,
    /// Its first event.
    pub begins: EventPosition,
    /// The first event after it; `None` if the recording does not show its end.
    pub ends: Option<EventPosition>,
    /// How the loop was left.
    pub left: LoopExit,
}

/// A loop of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramLoop {
    /// Its first and last line, if known.
    pub lines: Option<(u32, u32)>,
    /// The variables that have a value at the start of an iteration.
    pub variables: Vec<String>,
}

/// A loop as shown to the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoopPart {
    /// The first line of the loop, if known.
    pub line: Option<u32>,
    /// Its last line.
    pub to_line: Option<u32>,
    /// The iteration with which the node begins, from 1.
    pub iteration: u32,
    /// For a buggy node, its last iteration; `None` if that is the last of the loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_iteration: Option<u32>,
    /// For a question, how the loop was left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<LoopExit>,
}

impl LoopPart {
    /// The name of the loop, by its lines.
    pub fn named(&self) -> String {
        match (self.line, self.to_line) {
            (Some(from), Some(to)) if from != to => format!("the loop at lines {from} to {to}"),
            (Some(line), _) => format!("the loop at line {line}"),
            (None, _) => "a loop".to_owned(),
        }
    }
}

/// The nodes of the execution trees.
#[derive(Default)]
pub struct Nodes {
    /// The nodes by number; empty if each call is the node of its number.
    rows: Vec<Node>,
    /// The node of each call.
    of_calls: Vec<u32>,
    parts: Vec<LoopExecution>,
    loops: Vec<ProgramLoop>,
}

/// Nodes by call, execution of a loop in the call, and iteration.
pub type PartNodes = HashMap<(u32, u32, u32), u32>;

impl Nodes {
    /// Creates the nodes, in the order of the trees, with the loops of the program.
    pub fn new(rows: Vec<Node>, parts: Vec<LoopExecution>, loops: Vec<ProgramLoop>) -> Nodes {
        let is_call = |(node, row): (u32, &Node)| matches!(row, Node::Call(_)).then_some(node);
        let of_calls = (0..).zip(&rows).filter_map(is_call).collect();
        Nodes { rows, of_calls, parts, loops }
    }

    /// Whether some nodes are loops.
    pub fn has_loops(&self) -> bool {
        !self.rows.is_empty()
    }

    /// The number of nodes; without loops, the number of calls.
    pub fn count(&self, calls: usize) -> usize {
        if self.has_loops() { self.rows.len() } else { calls }
    }

    fn row(&self, node: u32) -> Option<Node> {
        self.rows.get(usize::try_from(node).ok()?).copied()
    }

    /// The part that a node is; `None` if it is a call.
    pub fn part(&self, node: u32) -> Option<&LoopExecution> {
        match self.row(node)? {
            Node::Call(_) => None,
            Node::Part(part) => self.parts.get(part),
        }
    }

    /// The nodes of the calls that influenced a value, with the loops in them and in the call that was asked
    /// about.
    pub fn with_parts(&self, below: u32, calls: BTreeSet<u32>) -> BTreeSet<u32> {
        if !self.has_loops() {
            return calls;
        }
        let is_one = |(call, ..): &(u32, u32, u32)| *call == below || calls.contains(call);
        let parts = self.of_parts().into_iter().filter(|(part, _)| is_one(part)).map(|(_, node)| node);
        parts.chain(calls.iter().map(|call| self.of_call(*call))).collect()
    }

    /// The loop of a part.
    pub fn loop_of(&self, part: &LoopExecution) -> ProgramLoop {
        self.loops.get(part.which).cloned().unwrap_or_default()
    }

    /// The call that a node is or belongs to.
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

    /// Whether a node, or a loop in it, makes a recursive call.
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

    /// The nodes of all parts.
    pub fn of_parts(&self) -> PartNodes {
        let key = |node: u32| {
            let part = self.part(node)?;
            Some(((part.call, part.execution, part.iteration), node))
        };
        (0..).zip(&self.rows).filter_map(|(node, _)| key(node)).collect()
    }

    /// The description of a node that is a part.
    pub fn shown_part(&self, node: u32) -> Option<LoopPart> {
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

    /// The description of the node alone, without the nodes below it: it ends before the iteration with which
    /// the next node begins.
    pub fn told_alone(&self, node: u32, forest: &Forest) -> Option<LoopPart> {
        let part = self.part(node)?;
        let is_next = |other: &&LoopExecution| (other.call, other.execution) == (part.call, part.execution);
        let next = forest.children(node).filter_map(|child| self.part(child)).find(is_next);
        let to_iteration = next.map(|next| next.iteration.saturating_sub(1));
        Some(LoopPart { to_iteration, left: None, ..self.shown_part(node)? })
    }
}

/// Data collected about a node during a walk over the events of a thread.
pub trait Gathered: Default {
    /// Starts the data of a part of the same call.
    fn inner(&mut self) -> Self {
        Self::default()
    }

    /// Takes over the data of a part that has ended.
    fn back(&mut self, _inner: &mut Self) {}
}

/// Walks over the events of a thread, and tracks the nodes that contain the current event.
pub struct Along<'a, T> {
    nodes: &'a Nodes,
    open: Vec<(u32, T)>,
    /// The node that begins next.
    next: u32,
}

impl<'a, T: Gathered> Along<'a, T> {
    /// Starts a walk at the first call of a thread.
    pub fn new(nodes: &'a Nodes, first: u32) -> Along<'a, T> {
        Along { nodes, open: Vec::new(), next: nodes.of_call(first) }
    }

    /// Moves to an event. Returns the data of the innermost node that contains it, and passes ended nodes to
    /// `ended`.
    pub fn step(&mut self, seen: &TracedEvent<'_>, mut ended: impl FnMut(u32, T)) -> Option<&mut T> {
        let nodes = self.nodes;
        let is_entry = seen.site.what == Traced::Enter;
        let innermost = if is_entry { seen.around } else { seen.node };
        while let Some((node, of)) = self.open.pop_if(|(node, _)| Some(nodes.call(*node)) != innermost) {
            ended(node, of);
        }
        if let (true, Some(call), Some(mut at)) = (nodes.has_loops(), innermost, seen.position()) {
            at.node = call;
            let is_over = |part: &LoopExecution| {
                // A return from inside a loop belongs to the loop.
                let is_return = part.left == LoopExit::Return && part.ends == Some(at);
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
            let begun = |part: &&LoopExecution| part.call == call && part.begins.is_before(at);
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

    /// Ends the walk: all open nodes have ended.
    pub fn end(mut self, mut ended: impl FnMut(u32, T)) {
        while let Some((node, of)) = self.open.pop() {
            ended(node, of);
        }
    }
}
