//! Compiles bodies: conjunctions, branches and cuts, with an explicit stack of work.

use std::rc::Rc;

use super::clause::{Compiler, Refused};
use super::image::index;
use super::{Instr, Test};
use crate::atoms::known;
use crate::term::{Node, NodeId, View};

/// How deep control constructs may nest.
const MAX_NESTING: u32 = 500;

/// Where a cut reaches to.
#[derive(Clone, Copy)]
pub(super) enum CutTo {
    Clause,
    /// The condition of a branch: the number of choice points before it is in a slot, and `keep` belong to
    /// it.
    Condition {
        slot: u32,
        keep: u32,
    },
}

/// How a goal is compiled.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub last: bool,
    pub cut: CutTo,
    pub depth: u32,
}

/// What is still to be compiled.
pub(super) enum Work {
    Goal(NodeId, Context),
    /// The goals of a conjunction from an index.
    Goals(Rc<[NodeId]>, usize, Context),
    Emit(Instr),
    /// Emits a jump and remembers it in a group of jumps to patch.
    Jump(usize),
    /// Sets the label of an instruction to here.
    Label(usize),
    /// Sets the labels of a group of jumps to here.
    Land(usize),
    /// A negated goal.
    Negation(NodeId, Context),
    /// The next branch of a disjunction.
    Branch {
        branches: Rc<[NodeId]>,
        at: usize,
        context: Context,
        group: usize,
        ready: Rc<[bool]>,
    },
}

impl Compiler<'_> {
    /// Compiles a body, which ends with `Proceed` or, for a query, with `Answer`.
    pub(super) fn body(&mut self, body: NodeId, query: bool) -> Result<(), Refused> {
        let context = Context { last: !query, cut: CutTo::Clause, depth: 0 };
        let mut work = Vec::new();
        if query {
            work.push(Work::Emit(Instr::Answer));
        }
        work.push(Work::Goal(body, context));
        let mut groups: Vec<Vec<usize>> = Vec::new();
        while let Some(item) = work.pop() {
            match item {
                Work::Emit(instr) => self.emit(instr),
                Work::Negation(goal, context) => {
                    self.negation(goal, |inside| vec![Work::Goal(goal, inside)], context, &mut work);
                }
                Work::Goal(goal, context) => {
                    if context.depth > MAX_NESTING {
                        return Err((goal, format!("control constructs nest deeper than {MAX_NESTING}")));
                    }
                    self.goal(goal, context, &mut work, &mut groups)?;
                }
                Work::Goals(goals, at, context) => {
                    let Some(&goal) = goals.get(at) else { continue };
                    let last = at + 1 == goals.len();
                    if !last {
                        work.push(Work::Goals(Rc::clone(&goals), at + 1, context));
                    }
                    let context = Context { last: context.last && last, ..context };
                    let rest = goals.get(at + 1..).unwrap_or_default();
                    if !self.relation_goal(goal, rest, context)? {
                        work.push(Work::Goal(goal, context));
                    }
                }
                Work::Jump(group) => {
                    if let Some(group) = groups.get_mut(group) {
                        group.push(self.image.code.len());
                    }
                    self.emit(Instr::Jump { label: 0 });
                }
                Work::Label(at) => self.patch(at),
                Work::Land(group) => {
                    for at in groups.get_mut(group).map(std::mem::take).unwrap_or_default() {
                        self.patch(at);
                    }
                }
                Work::Branch { branches, at, context, group, ready } => {
                    self.ready[..ready.len()].copy_from_slice(&ready);
                    self.branch(&branches, at, context, group, &mut work)?;
                }
            }
        }
        Ok(())
    }

    /// Sets the label of an instruction to the next one.
    pub(super) fn patch(&mut self, at: usize) {
        let here = index(self.image.code.len());
        if let Some(
            Instr::Jump { label }
            | Instr::Try { label, .. }
            | Instr::Compare { label, .. }
            | Instr::TestSlot { label, .. },
        ) = self.image.code.get_mut(at)
        {
            *label = here
        }
    }

    /// The goals of a conjunction from left to right.
    fn conjunction(&self, goal: NodeId) -> Rc<[NodeId]> {
        let mut goals = Vec::new();
        let mut work = vec![goal];
        while let Some(goal) = work.pop() {
            match self.term.pair(goal, known::COMMA) {
                Some((a, b)) => work.extend([b, a]),
                None => goals.push(goal),
            }
        }
        goals.into()
    }

    fn goal(
        &mut self,
        goal: NodeId,
        context: Context,
        work: &mut Vec<Work>,
        groups: &mut Vec<Vec<usize>>,
    ) -> Result<(), Refused> {
        let inner = Context { depth: context.depth + 1, ..context };
        let args = self.term.args(goal);
        match (self.term.node(goal), args) {
            (Node::Compound { name: known::COMMA, .. }, [_, _]) => {
                work.push(Work::Goals(self.conjunction(goal), 0, inner));
            }
            (Node::Compound { name: known::SEMICOLON | known::BAR, .. }, [_, _]) => {
                self.disjunction(goal, inner, work, groups)?;
            }
            (Node::Compound { name: known::ARROW | known::SOFT, .. }, [_, _])
            | (Node::Compound { name: known::ONCE, .. }, [_]) => {
                let branches: Rc<[NodeId]> = Rc::from([goal]);
                self.shared(&branches);
                let group = groups.len();
                groups.push(Vec::new());
                work.push(Work::Land(group));
                self.branch(&branches, 0, inner, group, work)?;
            }
            (Node::Compound { name: known::IGNORE, .. }, &[inside]) => {
                self.ignore(inside, inner, work, groups);
            }
            (Node::Compound { name: known::NOT | known::NOT_, .. }, &[inside]) => {
                work.push(Work::Negation(inside, inner));
            }
            (Node::Compound { name: known::FORALL, .. }, &[condition, action]) => {
                let steps = |inside| vec![Work::Negation(action, inside), Work::Goal(condition, inside)];
                self.negation(goal, steps, inner, work);
            }
            (Node::Atom(known::CUT), _) => {
                self.emit(match context.cut {
                    CutTo::Clause => Instr::Cut,
                    CutTo::Condition { slot, keep } => Instr::CutTo { slot, keep },
                });
                self.finish(context);
            }
            (Node::Atom(known::TRUE), _) => self.finish(context),
            (Node::Atom(known::FAIL | known::FALSE), _) => self.emit(Instr::Fail),
            _ => self.call(goal, context)?,
        }
        Ok(())
    }

    /// Ends the clause after its last goal.
    pub(super) fn finish(&mut self, context: Context) {
        if context.last {
            self.emit(Instr::Proceed);
        }
    }

    /// Makes variables that occur both in one of the branches and outside of it, unless they exist already.
    fn shared(&mut self, branches: &[NodeId]) {
        let mut counts = vec![0_u32; self.total.len()];
        let mut seen: Vec<u32> = Vec::new();
        for &branch in branches {
            seen.clear();
            let mut work = vec![branch];
            while let Some(node) = work.pop() {
                if let Node::Var(variable) = self.term.node(node) {
                    let count = &mut counts[variable as usize];
                    if *count == 0 {
                        seen.push(variable);
                    }
                    *count += 1;
                }
                work.extend_from_slice(self.term.args(node));
            }
            for &variable in &seen {
                let inside = std::mem::take(&mut counts[variable as usize]);
                if inside < self.total[variable as usize] && !self.ready[variable as usize] {
                    let (slot, _) = self.slot(variable);
                    self.emit(Instr::Init { slot });
                }
            }
        }
    }

    fn disjunction(
        &mut self,
        goal: NodeId,
        context: Context,
        work: &mut Vec<Work>,
        groups: &mut Vec<Vec<usize>>,
    ) -> Result<(), Refused> {
        let mut branches = Vec::new();
        let mut rest = goal;
        while let Some((a, b)) =
            self.term.pair(rest, known::SEMICOLON).or_else(|| self.term.pair(rest, known::BAR))
        {
            branches.push(a);
            rest = b;
        }
        // `->` in the last branch has no else, which `branch` knows.
        branches.push(rest);
        self.shared(&branches);
        let group = groups.len();
        groups.push(Vec::new());
        work.push(Work::Land(group));
        self.branch(&branches.into(), 0, context, group, work)
    }

    /// Compiles one branch and plans the next one.
    fn branch(
        &mut self,
        branches: &Rc<[NodeId]>,
        at: usize,
        context: Context,
        group: usize,
        work: &mut Vec<Work>,
    ) -> Result<(), Refused> {
        let Some(&branch) = branches.get(at) else { return Ok(()) };
        let more = at + 1 < branches.len();
        let once = match (self.term.node(branch), self.term.args(branch)) {
            (Node::Compound { name: known::ONCE, .. }, &[condition]) if !more => Some((condition, None)),
            _ => self.term.pair(branch, known::ARROW).map(|(c, t)| (c, Some(t))),
        };
        let soft = self.term.pair(branch, known::SOFT);
        let ready: Rc<[bool]> = Rc::from(self.ready.as_slice());
        let next = Work::Branch { branches: Rc::clone(branches), at: at + 1, context, group, ready };
        let then = |then: Option<NodeId>| match then {
            Some(then) => vec![Work::Goal(then, context)],
            None if context.last => vec![Work::Emit(Instr::Proceed)],
            None => Vec::new(),
        };
        if let Some((condition, then_goal)) = once
            && let Some(labels) = self.simple_condition(condition)?
        {
            // Without another branch a failing test backtracks.
            if more {
                work.push(next);
                work.extend(labels.into_iter().map(Work::Label));
                leave(work, context, group);
            }
            work.extend(then(then_goal));
            return Ok(());
        }
        let condition = once.or(soft.map(|(c, t)| (c, Some(t))));
        let slot = condition.map(|_| self.fresh());
        if let Some(slot) = slot {
            self.emit(Instr::Save { slot });
        }
        if more {
            let choice = self.image.code.len();
            self.emit(Instr::Try { label: 0, size: 0 });
            work.push(next);
            work.push(Work::Emit(Instr::Trust));
            work.push(Work::Label(choice));
            leave(work, context, group);
        }
        let (Some(slot), Some((condition, then_goal))) = (slot, condition) else {
            work.push(Work::Goal(branch, context));
            return Ok(());
        };
        work.extend(then(then_goal));
        if once.is_some() {
            work.push(Work::Emit(Instr::CutTo { slot, keep: 0 }));
        } else if more {
            work.push(Work::Emit(Instr::SoftCut { slot }));
        }
        let cut = CutTo::Condition { slot, keep: u32::from(more) };
        work.push(Work::Goal(condition, Context { last: false, cut, depth: context.depth }));
        Ok(())
    }

    /// Compiles a negation, whose steps are planned in reverse order.
    fn negation(
        &mut self,
        goal: NodeId,
        steps: impl FnOnce(Context) -> Vec<Work>,
        context: Context,
        work: &mut Vec<Work>,
    ) {
        self.shared(&[goal]);
        let slot = self.fresh();
        self.emit(Instr::Save { slot });
        let choice = self.image.code.len();
        self.emit(Instr::Try { label: 0, size: 0 });
        if context.last {
            work.push(Work::Emit(Instr::Proceed));
        }
        work.push(Work::Emit(Instr::Trust));
        work.push(Work::Label(choice));
        work.push(Work::Emit(Instr::Fail));
        work.push(Work::Emit(Instr::CutTo { slot, keep: 0 }));
        let cut = CutTo::Condition { slot, keep: 1 };
        work.extend(steps(Context { last: false, cut, depth: context.depth + 1 }));
    }

    fn ignore(&mut self, goal: NodeId, context: Context, work: &mut Vec<Work>, groups: &mut Vec<Vec<usize>>) {
        self.shared(&[goal]);
        let slot = self.fresh();
        self.emit(Instr::Save { slot });
        let choice = self.image.code.len();
        self.emit(Instr::Try { label: 0, size: 0 });
        let inside = Context { last: false, cut: CutTo::Condition { slot, keep: 1 }, depth: context.depth };
        let group = groups.len();
        groups.push(Vec::new());
        if context.last {
            work.push(Work::Emit(Instr::Proceed));
        }
        work.push(Work::Land(group));
        work.push(Work::Emit(Instr::Trust));
        work.push(Work::Label(choice));
        work.push(Work::Jump(group));
        work.push(Work::Emit(Instr::CutTo { slot, keep: 0 }));
        work.push(Work::Goal(goal, inside));
    }

    /// Compiles a condition of tests without bindings. Returns the instructions whose labels lead to the else
    /// branch, or nothing if the condition needs a choice point.
    fn simple_condition(&mut self, condition: NodeId) -> Result<Option<Vec<usize>>, Refused> {
        let goals = self.conjunction(condition);
        if !goals.iter().all(|&goal| self.is_simple_test(goal)) {
            return Ok(None);
        }
        let mut labels = Vec::new();
        for &goal in goals.iter() {
            if let Some(instr) = self.simple_test(goal)? {
                labels.push(self.image.code.len());
                self.emit(instr);
            }
        }
        Ok(Some(labels))
    }

    /// Whether a goal is an arithmetic comparison or a type test that can be compiled in place.
    fn is_simple_test(&self, goal: NodeId) -> bool {
        match (self.term.functor(goal), self.term.args(goal)) {
            (Some((known::TRUE, 0)), _) => true,
            (Some((name, 2)), &[a, b]) => {
                super::goals::comparison(name).is_some() && self.is_arithmetic(a) && self.is_arithmetic(b)
            }
            (Some((name, 1)), &[arg]) => {
                super::goals::test(name).is_some()
                    && matches!(self.term.view(arg), View::Var(v) if self.ready.get(v) == Some(&true))
            }
            _ => false,
        }
    }

    /// Emits what a simple test needs and returns its last instruction, whose label is not set.
    pub(super) fn simple_test(&mut self, goal: NodeId) -> Result<Option<Instr>, Refused> {
        if !self.is_simple_test(goal) {
            return Ok(None);
        }
        match (self.term.functor(goal), self.term.args(goal)) {
            (Some((name, 2)), &[a, b]) => {
                let Some(op) = super::goals::comparison(name) else { return Ok(None) };
                self.expression(a);
                self.expression(b);
                Ok(Some(Instr::Compare { op, label: 0 }))
            }
            (Some((name, 1)), &[arg]) => {
                let (Some(test), Node::Var(variable)) = (super::goals::test(name), self.term.node(arg))
                else {
                    return Ok(None);
                };
                let (slot, _) = self.slot(variable);
                let test: Test = test;
                Ok(Some(Instr::TestSlot { test, slot, label: 0 }))
            }
            _ => Ok(None),
        }
    }
}

/// Leaves a branch that other branches follow.
fn leave(work: &mut Vec<Work>, context: Context, group: usize) {
    if !context.last {
        work.push(Work::Jump(group));
    }
}
