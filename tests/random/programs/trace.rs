//! Maps the log to the graphs: each event of an activation is one step along its method's graph.

use super::ast::{Block, Expr, Kind, Program, Stmt, each};
use super::graph::{EXIT, Graph, Tok, draw};
use super::log::Event;
use super::render::expr;
use std::collections::HashMap;

pub struct Activation {
    pub method: usize,
    pub thread: String,
    /// Its receiver; `-` in a static method.
    pub this: String,
    /// Number of the event that entered it.
    pub entered: usize,
    /// Its own events, each with its node.
    pub steps: Vec<(usize, usize)>,
}

pub struct Trace<'p> {
    pub program: &'p Program,
    pub events: Vec<Event>,
    pub graphs: Vec<Graph>,
    pub activations: HashMap<u32, Activation>,
    /// For each event its activation and node.
    pub at: Vec<Option<(u32, usize)>>,
    pub statements: HashMap<u32, &'p Stmt>,
}

impl<'p> Trace<'p> {
    pub fn new(program: &'p Program, events: Vec<Event>) -> Trace<'p> {
        let plain = |e: &Expr| program.named(&expr(e, false));
        let graphs: Vec<Graph> = program.methods.iter().map(|m| draw(m, plain)).collect();
        let mut statements = HashMap::new();
        let mut note = |body: &'p Block| {
            each(body, &mut |s| {
                // These have no line in the log.
                if !matches!(s.kind, Kind::Try { .. } | Kind::Declare { value: None, .. }) {
                    statements.insert(s.line, s);
                }
            });
        };
        program.methods.iter().for_each(|m| note(&m.body));
        let mut trace = Trace {
            program,
            at: vec![None; events.len()],
            events,
            graphs,
            activations: HashMap::new(),
            statements,
        };
        for number in 0..trace.events.len() {
            trace.step(number);
        }
        trace
    }

    fn step(&mut self, number: usize) {
        let event = self.events[number].clone();
        let (act, tok) = match event {
            Event::Enter { act, parent, method, thread, this, .. } => {
                let entered = Activation { method, thread, this, entered: number, steps: Vec::new() };
                self.activations.insert(act, entered);
                (parent, Tok::Call(method))
            }
            Event::Leave { .. } | Event::Array { .. } | Event::Write { initial: true, .. } => return,
            Event::Line { act, line } => (act, Tok::Line(line)),
            Event::Branch { act, id, .. } => (act, Tok::Branch(id)),
            Event::Store { act, var, .. } => (act, Tok::Store(var)),
            Event::Write { act, field, .. } => (act, Tok::Write(field)),
            Event::Read { act, field, .. } => (act, Tok::Read(field)),
            Event::Element { act, .. } => (act, Tok::Element),
            Event::Handler { act, id, .. } => (act, Tok::Handler(id)),
        };
        let Some(activation) = self.activations.get(&act) else { return };
        let graph = &self.graphs[activation.method];
        let node = if let Tok::Handler(id) = tok {
            let last = activation.steps.last().expect("an exception is thrown somewhere").1;
            let handlers = &graph.nodes[last].handlers;
            handlers.iter().find(|(known, _)| *known == id).expect("a handler around").1
        } else {
            self.next(act)
        };
        let expected = &graph.nodes[node].tok;
        assert_eq!(*expected, tok, "seed {}: event {number} {:?}", self.program.seed, self.events[number]);
        self.at[number] = Some((act, node));
        self.activations.get_mut(&act).expect("known").steps.push((number, node));
    }

    /// The next node of normal flow in an activation.
    fn next(&self, act: u32) -> usize {
        let activation = &self.activations[&act];
        let graph = &self.graphs[activation.method];
        match activation.steps.last() {
            None => graph.entry,
            Some((number, node)) => self.way(*number, *node).map_or(EXIT, |way| {
                graph.nodes[*node].ways.iter().find(|(w, _)| *w == way).map_or(EXIT, |(_, to)| *to)
            }),
        }
    }

    /// The branch by which an event left its node.
    pub fn way(&self, number: usize, node: usize) -> Option<Option<i64>> {
        let (act, _) = self.at[number]?;
        let ways = &self.graphs[self.activations[&act].method].nodes[node].ways;
        let way = match &self.events[number] {
            Event::Branch { way, .. } if ways.iter().any(|(w, _)| *w == Some(*way)) => Some(*way),
            _ => None,
        };
        Some(way)
    }

    pub fn graph_of(&self, act: u32) -> &Graph {
        &self.graphs[self.activations[&act].method]
    }

    pub fn line_of(&self, number: usize) -> u32 {
        self.at[number].map_or(0, |(act, node)| self.graph_of(act).nodes[node].line)
    }
}
