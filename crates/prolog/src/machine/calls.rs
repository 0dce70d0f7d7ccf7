//! Entering predicates, and goals that are only known when they are called.

use super::{Engine, HEADER, Outcome, Raise};
use crate::atoms::{AtomId, known};
use crate::compile::image::{Control, PredKind};
use crate::store::{Cell, Tag};

impl Engine {
    /// Enters a predicate whose arguments are in place. The continuation is set.
    #[inline]
    pub(crate) fn enter(&mut self, pred: u32, base: usize) -> Outcome {
        self.current = pred;
        if self.budget.step() {
            self.frame = self.cont_frame;
            self.look()?;
        }
        match self.image.preds[pred as usize].kind {
            PredKind::Clauses { .. } => Ok(self.try_clauses(pred, base)),
            _ => self.enter_other(pred, base),
        }
    }

    fn enter_other(&mut self, pred: u32, base: usize) -> Outcome {
        // An error belongs to the continuation, where its catch/3 may be.
        self.frame = self.cont_frame;
        match &self.image.preds[pred as usize].kind {
            PredKind::Clauses { .. } => Ok(self.try_clauses(pred, base)),
            PredKind::Det(run) => {
                let run = *run;
                let ok = run(self, base + HEADER)?;
                self.settle()?;
                self.pc = self.cont_pc;
                Ok(ok)
            }
            PredKind::Relation(_) => {
                // Without bounds the frame is not looked at.
                self.solve(pred, base + HEADER, 0, self.cont_frame, self.cont_pc)
            }
            PredKind::Control(control) => self.control(*control, pred, base),
            PredKind::Unknown => Err(self.unknown(pred)),
        }
    }

    fn control(&mut self, control: Control, pred: u32, base: usize) -> Outcome {
        let args = base + HEADER;
        match control {
            Control::Call => {
                let arity = self.image.preds[pred as usize].arity as usize;
                self.call_term(base, arity, None)
            }
            Control::CallCut => {
                let barrier = usize::try_from(self.arg(args, 1).int()).unwrap_or(0);
                self.call_term(base, 1, Some(barrier))
            }
            Control::CutTo => {
                let barrier = usize::try_from(self.arg(args, 0).int()).unwrap_or(0);
                self.cut(barrier);
                self.pc = self.cont_pc;
                Ok(true)
            }
            Control::Mark => {
                let count = i64::try_from(self.choices.len()).unwrap_or(i64::MAX);
                self.pc = self.cont_pc;
                self.unify_arg(args, 0, Cell::small(count).unwrap_or_default())
            }
        }
    }

    /// Calls the first argument with the others added. With a barrier a cut in the goal reaches to it.
    pub(crate) fn call_term(&mut self, base: usize, arity: usize, barrier: Option<usize>) -> Outcome {
        let args = base + HEADER;
        let (mut arity, mut barrier) = (arity, barrier);
        // A goal that is a call itself takes another round: nested calls need no native stack.
        loop {
            let goal = self.behind_modules(self.arg(args, 0));
            if goal.is_ref() {
                return Err(self.unbound(0));
            }
            let Some((name, own, first)) = self.store.callable(goal) else {
                return Err(self.type_error(known::CALLABLE, goal));
            };
            let extra = arity - 1;
            let total = own + extra;
            self.reach(args + total.max(4) + 1);
            if extra > 0 {
                self.frames.copy_within(args + 1..args + 1 + extra, args + own);
            }
            for i in 0..own {
                self.frames[args + i] = self.store.cells[first + i];
            }
            let is_control = matches!(
                (name, total),
                (known::COMMA | known::SEMICOLON | known::ARROW | known::SOFT | known::BAR, 2)
                    | (known::NOT, 1)
                    | (known::CUT, 0)
            );
            if is_control {
                return self.call_control(name, base, goal, barrier);
            }
            let Some(pred) = self.image.find(name, total) else {
                return Err(self.unknown_named(name, total));
            };
            match self.image.preds[pred as usize].kind {
                PredKind::Control(Control::Call) => (arity, barrier) = (total, None),
                PredKind::Control(Control::CallCut) => {
                    let count = usize::try_from(self.arg(args, 1).int()).unwrap_or(0);
                    (arity, barrier) = (1, Some(count));
                }
                _ => return self.enter(pred, base),
            }
            self.current = pred;
            self.step()?;
        }
    }

    /// The goal behind module qualifiers, which mean nothing here.
    fn behind_modules(&self, mut goal: Cell) -> Cell {
        for _ in 0..1000 {
            match self.store.pair(goal, known::COLON) {
                Some((module, inner)) if module.tag() == Tag::Atom => goal = inner,
                _ => break,
            }
        }
        goal
    }

    /// Calls a control construct through the predicates of the library that stand for them.
    fn call_control(&mut self, name: AtomId, base: usize, goal: Cell, barrier: Option<usize>) -> Outcome {
        let args = base + HEADER;
        if barrier.is_none() && !self.is_body(goal) {
            return Err(self.type_error(known::CALLABLE, goal));
        }
        let barrier_at = barrier.unwrap_or(self.choices.len());
        let cut = Cell::small(i64::try_from(barrier_at).unwrap_or(i64::MAX)).unwrap_or_default();
        let (helper, count) = match name {
            known::CUT => {
                self.cut(barrier_at);
                self.frame = self.cont_frame;
                self.pc = self.cont_pc;
                return Ok(true);
            }
            known::NOT => (known::DOLLAR_NOT, 1),
            known::COMMA => (known::DOLLAR_AND, 2),
            known::ARROW | known::SOFT => {
                self.frames[args + 2] = Cell::atom(known::FAIL);
                (if name == known::ARROW { known::DOLLAR_ITE } else { known::DOLLAR_SOFT }, 3)
            }
            _ => {
                let (left, right) = (self.arg(args, 0), self.frames[args + 1]);
                let branch = match self.store.pair(left, known::ARROW) {
                    Some(pair) => Some((known::DOLLAR_ITE, pair)),
                    None => self.store.pair(left, known::SOFT).map(|pair| (known::DOLLAR_SOFT, pair)),
                };
                match branch {
                    Some((helper, (condition, then))) => {
                        self.frames[args] = condition;
                        self.frames[args + 1] = then;
                        self.frames[args + 2] = right;
                        (helper, 3)
                    }
                    None => (known::DOLLAR_OR, 2),
                }
            }
        };
        let mut total = count;
        if helper != known::DOLLAR_NOT {
            self.frames[args + count] = cut;
            total += 1;
        }
        match self.image.find(helper, total) {
            Some(pred) => self.enter(pred, base),
            None => Err(self.unknown_named(helper, total)),
        }
    }

    /// Whether a term can be a body: no part of its control constructs is a number or a string.
    fn is_body(&mut self, goal: Cell) -> bool {
        let mut work = vec![goal];
        let mut visited = 0_usize;
        while let Some(goal) = work.pop() {
            let goal = self.store.deref(goal);
            visited += 1;
            if visited > self.store.cells.len() + 16 {
                return false;
            }
            match self.store.callable(goal) {
                Some((known::COMMA | known::SEMICOLON | known::ARROW | known::SOFT, 2, first)) => {
                    work.push(self.store.cells[first]);
                    work.push(self.store.cells[first + 1]);
                }
                Some(_) => {}
                None if goal.is_ref() => {}
                None => return false,
            }
        }
        true
    }

    /// Enters a predicate by name with arguments that are given as cells.
    pub(crate) fn enter_goal(&mut self, goal: Cell) -> Outcome {
        let base = self.next_args - HEADER;
        self.reach(self.next_args + 8);
        self.frames[self.next_args] = goal;
        match self.image.find(known::CALL, 1) {
            Some(pred) => self.enter(pred, base),
            None => Err(Raise::Stop),
        }
    }
}
