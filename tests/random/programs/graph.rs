//! The control flow graph of a generated method, built from its syntax, with a node for each logged event.
//! `finally` blocks are copied for each way into them, as compilers for the JVM must do. Control dependence
//! follows its definition: remove a node, and see which paths can still reach the end, or continue for ever.
//! Loops with a condition at the start (`for`, `while`) are assumed to end; `while (true)` and `do` are not.

use super::ast::{Block, Expr, Kind, Method, Op, Part, Stmt};
use std::collections::HashMap;
use std::ops::Range;

/// The log entries that make nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tok {
    Exit,
    Line(u32),
    Branch(u32),
    Store(u32),
    Write(usize),
    Read(usize),
    Element,
    Call(usize),
    Handler(u32),
    /// Nothing: a place represented by another node.
    Pass,
}

/// The ways out of a node: the branch's value (a switch's key, `None` its default), and its target.
pub type Ways = Vec<(Option<i64>, usize)>;

#[derive(Clone, Debug)]
pub struct Node {
    pub tok: Tok,
    pub line: u32,
    pub ways: Ways,
    /// Handlers around, innermost first: number, node.
    pub handlers: Vec<(u32, usize)>,
}

#[derive(Default)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub entry: usize,
    /// Source text of each branch's operand; labels of each switch's ways.
    pub operands: HashMap<u32, String>,
    /// Loops that are assumed to end: the start of their iterations, and their nodes.
    ending: Vec<(usize, Range<usize>)>,
}

pub const EXIT: usize = 0;

/// The dependences of a node.
#[derive(Debug, Default)]
pub struct Dependence {
    /// Edges: node and way.
    pub edges: Vec<(usize, Option<i64>)>,
    pub from_entry: bool,
    /// Handler nodes that lead here without any of the edges.
    pub handlers: Vec<usize>,
}

#[derive(Clone)]
struct Env<'a> {
    handlers: Vec<(u32, usize)>,
    /// Enclosing `finally` blocks, outermost first, with their own environments.
    finals: Vec<(&'a Block, Env<'a>)>,
    /// Label, node after, node of the next iteration, number of enclosing `finally` blocks.
    targets: Vec<(u32, usize, usize, usize)>,
}

pub fn draw(method: &Method, of: impl Fn(&Expr) -> String) -> Graph {
    let mut graph = Graph::default();
    let env = Env { handlers: Vec::new(), finals: Vec::new(), targets: Vec::new() };
    graph.add(Tok::Exit, 0, Vec::new(), &env);
    graph.entry = graph.block(&method.body, EXIT, &env, &of);
    graph.entry = graph.skip(graph.entry);
    for node in 0..graph.nodes.len() {
        let ways = graph.nodes[node].ways.iter().map(|(way, to)| (*way, graph.skip(*to))).collect();
        graph.nodes[node].ways = ways;
    }
    graph.ending = graph.ending.iter().map(|(head, nodes)| (graph.skip(*head), nodes.clone())).collect();
    graph
}

impl Graph {
    fn add(&mut self, tok: Tok, line: u32, ways: Ways, env: &Env<'_>) -> usize {
        self.nodes.push(Node { tok, line, ways, handlers: env.handlers.clone() });
        self.nodes.len() - 1
    }

    fn then(&mut self, tok: Tok, line: u32, next: usize, env: &Env<'_>) -> usize {
        self.add(tok, line, vec![(None, next)], env)
    }

    /// The node that represents a place without a token.
    fn skip(&self, mut node: usize) -> usize {
        while self.nodes[node].tok == Tok::Pass {
            node = self.nodes[node].ways[0].1;
        }
        node
    }

    fn block<'a>(
        &mut self,
        block: &'a Block,
        next: usize,
        env: &Env<'a>,
        of: &dyn Fn(&Expr) -> String,
    ) -> usize {
        block.iter().rev().fold(next, |next, stmt| self.stmt(stmt, next, env, of))
    }

    /// A jump out of the innermost `finally` blocks, down to `kept` of them: each is copied.
    fn through<'a>(
        &mut self,
        kept: usize,
        target: usize,
        env: &Env<'a>,
        of: &dyn Fn(&Expr) -> String,
    ) -> usize {
        env.finals[kept..].iter().fold(target, |next, (block, around)| self.block(block, next, around, of))
    }

    fn stmt<'a>(&mut self, s: &'a Stmt, next: usize, env: &Env<'a>, of: &dyn Fn(&Expr) -> String) -> usize {
        let line = s.line;
        let to = match &s.kind {
            Kind::Declare { value: None, .. } => return next,
            Kind::Declare { var, value: Some(value) } => {
                let store = self.then(Tok::Store(var.id), line, next, env);
                self.expr(value, line, store, env, of)
            }
            Kind::Assign { var, op, value, .. } => {
                let store = self.then(Tok::Store(var.id), line, next, env);
                if *op == Op::Inc { store } else { self.expr(value, line, store, env, of) }
            }
            Kind::SetField { field, owner, op, value } => {
                let mut at = self.then(Tok::Write(*field), line, next, env);
                if *op != Op::Inc {
                    at = self.expr(value, line, at, env, of);
                }
                if *op != Op::Set {
                    at = self.then(Tok::Read(*field), line, at, env);
                }
                owner.as_ref().map_or(at, |o| self.expr(o, line, at, env, of))
            }
            Kind::SetElement { array, index, op, value, .. } => {
                let mut at = self.then(Tok::Element, line, next, env);
                if *op != Op::Inc {
                    at = self.expr(value, line, at, env, of);
                }
                at = self.expr(index, line, at, env, of);
                self.expr(array, line, at, env, of)
            }
            Kind::Run(call) => self.expr(call, line, next, env, of),
            Kind::If { cond, then, other } => {
                let then = self.block(then, next, env, of);
                let other = other.as_ref().map_or(next, |o| self.block(o, next, env, of));
                self.cond(cond, line, then, other, env, of)
            }
            Kind::While { label, cond, body } => {
                let head = self.add(Tok::Pass, line, Vec::new(), env);
                let inner = env.with(*label, next, head);
                let body = self.block(body, head, &inner, of);
                let first = match cond {
                    Some(cond) => {
                        let test = self.cond(cond, line, body, next, env, of);
                        self.then(Tok::Line(line), line, test, env)
                    }
                    None => body,
                };
                self.nodes[head].ways = vec![(None, first)];
                if cond.is_some() {
                    self.ending.push((head, head..self.nodes.len()));
                }
                return head;
            }
            Kind::Do { label, cond, body } => {
                let head = self.add(Tok::Pass, line, Vec::new(), env);
                let test = self.cond(cond, line, head, next, env, of);
                let test = self.then(Tok::Line(line), line, test, env);
                let body = self.block(body, test, &env.with(*label, next, test), of);
                self.nodes[head].ways = vec![(None, body)];
                return head;
            }
            Kind::For { label, var, cond, body } => {
                let head = self.add(Tok::Pass, line, Vec::new(), env);
                let update = self.then(Tok::Store(var.id), line, head, env);
                let body = self.block(body, update, &env.with(*label, next, update), of);
                let test = self.cond(cond, line, body, next, env, of);
                let test = self.then(Tok::Line(line), line, test, env);
                self.nodes[head].ways = vec![(None, test)];
                self.ending.push((head, head..self.nodes.len()));
                return self.then(Tok::Store(var.id), line, head, env);
            }
            Kind::Switch { label, id, selector, arms } => {
                let inner = env.with(*label, next, next);
                let mut ways: Ways = Vec::new();
                let mut after = next;
                let mut default = next;
                for arm in arms.iter().rev() {
                    after = self.block(&arm.body, after, &inner, of);
                    for key in &arm.labels {
                        match key {
                            Some(key) => ways.push((Some(i64::from(*key)), after)),
                            None => default = after,
                        }
                    }
                }
                ways.push((None, default));
                self.operands.insert(*id, of(selector));
                let node = self.add(Tok::Branch(*id), line, ways, env);
                self.expr(selector, line, node, env, of)
            }
            Kind::Try { body, catches, finish } => {
                let mut inside = env.clone();
                let mut after = next;
                if let Some(finish) = finish {
                    after = self.block(&finish.body, next, env, of);
                    let rest = self.block(&finish.body, EXIT, env, of);
                    let any = self.then(Tok::Handler(finish.id), 0, rest, env);
                    inside.handlers.insert(0, (finish.id, any));
                    inside.finals.push((&finish.body, env.clone()));
                }
                let mut within = inside.clone();
                let mut handlers = Vec::new();
                for catch in catches {
                    // The end of each handler has its own copy too.
                    let end = finish.as_ref().map_or(next, |f| self.block(&f.body, next, env, of));
                    let first = self.block(&catch.body, end, &inside, of);
                    let store = self.then(Tok::Store(catch.var.id), catch.line, first, &inside);
                    let handler = self.then(Tok::Handler(catch.id), catch.line, store, &inside);
                    handlers.push((catch.id, handler));
                }
                within.handlers.splice(0..0, handlers);
                return self.block(body, after, &within, of);
            }
            Kind::Jump { label, again } => {
                let target = env.targets.iter().find(|t| t.0 == *label).expect("a label around");
                let to = if *again { target.2 } else { target.1 };
                self.through(target.3, to, env, of)
            }
            Kind::Return(value) => {
                let out = self.through(0, EXIT, env, of);
                value.as_ref().map_or(out, |v| self.expr(v, line, out, env, of))
            }
            Kind::Throw(_) => EXIT,
        };
        self.then(Tok::Line(line), line, to, env)
    }

    fn expr<'a>(
        &mut self,
        e: &Expr,
        line: u32,
        next: usize,
        env: &Env<'a>,
        of: &dyn Fn(&Expr) -> String,
    ) -> usize {
        match e {
            Expr::Parts(parts) => self.parts(parts, line, next, env, of),
            Expr::Call(method, parts) => {
                let call = self.then(Tok::Call(*method), line, next, env);
                self.parts(parts, line, call, env, of)
            }
            Expr::Field(field, owner) => {
                let read = self.then(Tok::Read(*field), line, next, env);
                owner.as_ref().map_or(read, |o| self.expr(o, line, read, env, of))
            }
            Expr::Inc(var) => self.then(Tok::Store(var.id), line, next, env),
            Expr::Elements(_, values) => values.iter().rev().fold(next, |next, value| {
                let store = self.then(Tok::Element, line, next, env);
                self.expr(value, line, store, env, of)
            }),
            Expr::Choice(c, a, b) => {
                let a = self.expr(a, line, next, env, of);
                let b = self.expr(b, line, next, env, of);
                self.cond(c, line, a, b, env, of)
            }
            _ => self.cond(e, line, next, next, env, of),
        }
    }

    fn parts<'a>(
        &mut self,
        parts: &[Part],
        line: u32,
        next: usize,
        env: &Env<'a>,
        of: &dyn Fn(&Expr) -> String,
    ) -> usize {
        parts.iter().rev().fold(next, |next, part| match part {
            Part::Text(_) => next,
            Part::Expr(e) => self.expr(e, line, next, env, of),
        })
    }

    fn cond<'a>(
        &mut self,
        e: &Expr,
        line: u32,
        yes: usize,
        no: usize,
        env: &Env<'a>,
        of: &dyn Fn(&Expr) -> String,
    ) -> usize {
        match e {
            Expr::And(a, b) => {
                let b = self.cond(b, line, yes, no, env, of);
                self.cond(a, line, b, no, env, of)
            }
            Expr::Or(a, b) => {
                let b = self.cond(b, line, yes, no, env, of);
                self.cond(a, line, yes, b, env, of)
            }
            Expr::Not(a) => self.cond(a, line, no, yes, env, of),
            Expr::Choice(c, a, b) => {
                let a = self.cond(a, line, yes, no, env, of);
                let b = self.cond(b, line, yes, no, env, of);
                self.cond(c, line, a, b, env, of)
            }
            Expr::Atom(id, operand) => {
                self.operands.insert(*id, of(operand));
                let branch = self.add(Tok::Branch(*id), line, vec![(Some(1), yes), (Some(0), no)], env);
                self.expr(operand, line, branch, env, of)
            }
            Expr::Parts(_) | Expr::Call(..) | Expr::Field(..) | Expr::Inc(_) | Expr::Elements(..) => {
                panic!("a condition's operand is an atom: {e:?}")
            }
        }
    }

    fn forward(&self, start: usize, cut: &[(usize, Option<i64>)]) -> Vec<bool> {
        let mut seen = vec![false; self.nodes.len()];
        let mut work = vec![start];
        while let Some(at) = work.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                let open = self.nodes[at].ways.iter().filter(|(way, _)| !cut.contains(&(at, *way)));
                work.extend(open.map(|(_, to)| *to));
            }
        }
        seen
    }

    /// Whether execution can return to a node for ever without passing `without`.
    fn turns(&self, node: usize, without: usize) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut work = vec![node];
        while let Some(at) = work.pop() {
            for (_, to) in &self.nodes[at].ways {
                let ends = self.ending.iter().any(|(head, nodes)| head == to && nodes.contains(&at));
                if ends || *to == without {
                    continue;
                }
                if *to == node {
                    return true;
                }
                if !std::mem::replace(&mut seen[*to], true) {
                    work.push(*to);
                }
            }
        }
        false
    }

    /// For each node, whether execution can continue from it to the exit, or for ever, without passing
    /// `without`.
    fn escapes(&self, without: usize) -> Vec<bool> {
        let turns = |at: usize| at != without && self.turns(at, without);
        let mut found: Vec<bool> = (0..self.nodes.len()).map(turns).collect();
        found[EXIT] = EXIT != without;
        loop {
            let mut changed = false;
            for at in 0..self.nodes.len() {
                if !found[at] && at != without && self.nodes[at].ways.iter().any(|(_, to)| found[*to]) {
                    found[at] = true;
                    changed = true;
                }
            }
            if !changed {
                return found;
            }
        }
    }

    /// Whether every path from `from` to the end passes `node`.
    pub fn always_reaches(&self, from: usize, node: usize) -> bool {
        !self.escapes(node)[from]
    }

    pub fn dependence(&self, node: usize) -> Dependence {
        let escapes = self.escapes(node);
        let mut edges = Vec::new();
        for (at, known) in self.nodes.iter().enumerate() {
            let first = known.ways.first().map(|(_, to)| *to);
            if known.ways.iter().all(|(_, to)| Some(*to) == first) || (at != node && !escapes[at]) {
                continue;
            }
            edges.extend(known.ways.iter().filter(|(_, to)| !escapes[*to]).map(|(way, _)| (at, *way)));
        }
        let free = |start: usize| self.forward(start, &edges)[node];
        let handlers = (0..self.nodes.len()).filter(|n| matches!(self.nodes[*n].tok, Tok::Handler(_)));
        Dependence { from_entry: free(self.entry), handlers: handlers.filter(|h| free(*h)).collect(), edges }
    }
}

impl<'a> Env<'a> {
    fn with(&self, label: u32, after: usize, again: usize) -> Env<'a> {
        let mut env = self.clone();
        env.targets.push((label, after, again, self.finals.len()));
        env
    }
}
