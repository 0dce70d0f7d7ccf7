//! Choice points: making, trying and removing them.

use super::{Choice, Engine, HEADER, Kind, Outcome, Raise};
use crate::call::Call;
use crate::compile::image::{ClauseCode, PredKind};
use crate::relation::{Answers, Next, RelationError};
use crate::store::{Cell, Tag};

impl Engine {
    #[inline]
    pub(crate) fn push_choice(&mut self, kind: Kind, frame: usize, args: usize, top: usize) {
        let mark = self.store.mark();
        self.store.newest = mark.cells;
        self.protected = top;
        // Both stacks are bounded by the memory.
        #[allow(clippy::cast_possible_truncation)]
        let (answers, collectors) = (self.answers.len() as u32, self.collectors.len() as u32);
        let (cont_frame, cont_pc) = (self.cont_frame, self.cont_pc);
        self.choices.push(Choice { kind, frame, args, cont_frame, cont_pc, answers, collectors, mark, top });
    }

    #[inline]
    pub(crate) fn pop_choice(&mut self) {
        self.choices.pop();
        self.restore_limits();
    }

    /// Sets what depends on the newest choice point.
    #[inline]
    pub(crate) fn restore_limits(&mut self) {
        match self.choices.last() {
            Some(choice) => {
                self.store.newest = choice.mark.cells;
                self.protected = choice.top;
            }
            None => {
                self.store.newest = 0;
                self.protected = 0;
            }
        }
    }

    /// Removes all choice points but the oldest ones.
    #[inline]
    pub(crate) fn cut(&mut self, keep: usize) {
        if self.choices.len() > keep {
            let answers = self.choices[keep].answers as usize;
            self.choices.truncate(keep);
            self.answers.truncate(answers);
            self.restore_limits();
        }
    }

    pub(crate) fn soft_cut(&mut self, index: usize) {
        if index + 1 == self.choices.len() {
            self.pop_choice();
        } else if let Some(choice) = self.choices.get_mut(index) {
            choice.kind = Kind::Dead;
        }
    }

    /// Goes on with the newest choice point. False if there is none.
    pub(crate) fn backtrack(&mut self) -> Outcome {
        loop {
            let Some(&choice) = self.choices.last() else { return Ok(false) };
            self.store.undo(&choice.mark);
            if self.collectors.len() > choice.collectors as usize {
                // They belong to goals that were left by failure.
                self.drop_collectors(choice.collectors as usize);
            }
            match choice.kind {
                Kind::Clauses { pred, next } => {
                    self.step()?;
                    self.cont_frame = choice.cont_frame;
                    self.cont_pc = choice.cont_pc;
                    self.retry(pred, choice.frame, next);
                    return Ok(true);
                }
                Kind::Label { pc } => {
                    self.frame = choice.frame;
                    self.pc = pc;
                    return Ok(true);
                }
                Kind::Answers { pred, pc } => {
                    self.frame = choice.frame;
                    self.pc = pc;
                    if self.budget.step() {
                        self.look()?;
                    }
                    if self.resume(pred, &choice)? {
                        return Ok(true);
                    }
                }
                Kind::Catch | Kind::Dead => self.pop_choice(),
            }
        }
    }

    /// Asks the newest choice point, which is one of a relation, for an answer.
    fn resume(&mut self, pred: u32, choice: &Choice) -> Outcome {
        let PredKind::Relation(relation) = &self.image.preds[pred as usize].kind else { return Ok(false) };
        let arity = self.image.preds[pred as usize].arity as usize;
        let Some(answers) = self.answers.last_mut() else { return Ok(false) };
        let mut call = Call {
            store: &mut self.store,
            atoms: &self.atoms,
            args: &self.frames[choice.args..choice.args + arity],
            specs: &[],
            frame: &[],
            budget: &mut self.budget,
            bytes: self.collected + self.choices.len() * size_of::<Choice>(),
        };
        let result = answers.next(&mut call);
        let _ = relation;
        match result {
            Ok(Next::More) => Ok(true),
            Ok(Next::Last) => {
                self.answers.pop();
                self.pop_choice();
                Ok(true)
            }
            Ok(Next::None) => {
                self.answers.pop();
                self.pop_choice();
                Ok(false)
            }
            Err(error) => {
                self.answers.pop();
                self.pop_choice();
                self.current = pred;
                Err(self.relation_error(pred, choice.args, error))
            }
        }
    }

    /// Calls a relation. The continuation is a frame and an instruction.
    pub(crate) fn solve(&mut self, pred: u32, args: usize, bounds: u32, frame: usize, pc: u32) -> Outcome {
        self.current = pred;
        let entry = &self.image.preds[pred as usize];
        let PredKind::Relation(relation) = &entry.kind else { return Ok(false) };
        let arity = entry.arity as usize;
        let mut call = Call {
            store: &mut self.store,
            atoms: &self.atoms,
            args: &self.frames[args..args + arity],
            specs: self.image.bounds.get(bounds as usize).map_or(&[], Vec::as_slice),
            frame: &self.frames[frame + HEADER..],
            budget: &mut self.budget,
            bytes: self.collected + self.choices.len() * size_of::<Choice>(),
        };
        // Bindings that `solve` makes belong to the caller; what it builds stays.
        match relation.solve(&mut call) {
            Ok(Answers::None) => Ok(false),
            Ok(Answers::Once) => {
                self.frame = frame;
                self.pc = pc;
                Ok(true)
            }
            Ok(Answers::Lazy(answers)) => {
                self.frame = frame;
                self.push_choice(Kind::Answers { pred, pc }, frame, args, args + arity);
                self.answers.push(answers);
                let choice = self.choices[self.choices.len() - 1];
                self.pc = pc;
                self.resume(pred, &choice)
            }
            Err(error) => Err(self.relation_error(pred, args, error)),
        }
    }

    fn relation_error(&mut self, pred: u32, args: usize, error: RelationError) -> Raise {
        match error {
            RelationError::Stopped => Raise::Stop,
            RelationError::Unbound(argument) => self.unbound(argument),
            RelationError::Type { argument, expected } => {
                let culprit = self.arg(args, argument);
                self.type_error_named(&expected, culprit)
            }
            RelationError::Domain { argument, expected } => {
                let culprit = self.arg(args, argument);
                self.domain_error(&expected, culprit)
            }
            RelationError::Other(message) => self.host_error(pred, &message),
        }
    }

    /// The key of a call for the choice of clauses: 0 fits all.
    #[inline]
    fn key(&self, cell: Cell) -> u64 {
        let cell = self.store.deref(cell);
        match cell.tag() {
            Tag::Ref => 0,
            Tag::Atom | Tag::Int => cell.0,
            Tag::Struct => self.store.cells[cell.address()].0,
            Tag::List => Cell::functor(crate::atoms::known::DOT, 2).0,
            _ => u64::MAX,
        }
    }

    /// Enters the clauses of a predicate.
    #[inline]
    pub(crate) fn try_clauses(&mut self, pred: u32, base: usize) -> bool {
        let (found, next) = self.matching(pred, base, 0);
        let Some(clause) = found else { return false };
        self.barrier = self.choices.len();
        if let Some(next) = next {
            let arity = self.image.preds[pred as usize].arity as usize;
            let top = base + HEADER + arity;
            self.push_choice(Kind::Clauses { pred, next }, base, 0, top);
        }
        self.start(clause, base);
        true
    }

    fn retry(&mut self, pred: u32, base: usize, from: u32) {
        let (found, next) = self.matching(pred, base, from);
        let newest = self.choices.len() - 1;
        match next {
            Some(next) => {
                if let Some(choice) = self.choices.last_mut() {
                    choice.kind = Kind::Clauses { pred, next };
                }
            }
            None => self.pop_choice(),
        }
        self.barrier = newest;
        if let Some(clause) = found {
            self.start(clause, base);
        }
    }

    #[inline]
    fn start(&mut self, clause: ClauseCode, base: usize) {
        self.frame = base;
        self.pc = clause.pc;
        self.reach(base + HEADER + clause.size as usize);
    }

    /// The first clause from a position on that may match, and the position of the next one.
    #[inline]
    fn matching(&self, pred: u32, base: usize, from: u32) -> (Option<ClauseCode>, Option<u32>) {
        let entry = &self.image.preds[pred as usize];
        let PredKind::Clauses { first, count, index } = &entry.kind else { return (None, None) };
        let (first, count) = (*first as usize, *count as usize);
        let clauses = &self.image.clauses[first..first + count];
        let key = if entry.arity == 0 { 0 } else { self.key(self.frames[base + HEADER]) };
        if key != 0
            && let Some(index) = index
        {
            let list = index.by_key.get(&key).unwrap_or(&index.any);
            let clause = list.get(from as usize).and_then(|&at| clauses.get(at as usize)).copied();
            let next = (from as usize + 1 < list.len()).then_some(from + 1);
            return (clause, next);
        }
        let fits = |clause: &ClauseCode| key == 0 || clause.key == 0 || clause.key == key;
        let mut at = from as usize;
        while at < count && !fits(&clauses[at]) {
            at += 1;
        }
        let Some(&clause) = clauses.get(at) else { return (None, None) };
        at += 1;
        while at < count && !fits(&clauses[at]) {
            at += 1;
        }
        // The clause table is addressed with 32 bits.
        #[allow(clippy::cast_possible_truncation)]
        (Some(clause), (at < count).then_some(at as u32))
    }
}
