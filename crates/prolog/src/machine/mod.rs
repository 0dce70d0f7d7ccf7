//! The machine that runs compiled clauses: frames, choice points, and the loop over instructions.

mod backtrack;
mod calls;
mod evaluate;
mod meta;
mod query;
mod raise;
mod run;
mod show;

use std::sync::Arc;

use crate::arith::Num;
use crate::atoms::{AtomId, Atoms, known};
use crate::compile::image::{Image, Pred};
use crate::limits::{Budget, Limits};
use crate::relation::AnswerIter;
pub(crate) use evaluate::holds;

use crate::store::{Bucket, Cell, Mark, Store};

pub use query::{Machine, Options, Output, Query, Solution};
pub use raise::{Failure, Thrown};

/// A native predicate without choice points. Its arguments start at the given place of the frames.
pub(crate) type DetFn = fn(&mut Engine, usize) -> Outcome;

/// Whether a goal succeeded.
pub(crate) type Outcome = Result<bool, Raise>;

/// Why a goal ended neither with success nor with failure.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Raise {
    /// A term was thrown.
    Ball(Cell),
    /// A limit was exceeded.
    Stop,
}

/// Cells of a frame before its slots: the frame and the instruction to go on with, and the cut barrier.
pub(crate) const HEADER: usize = 3;

/// What backtracking does at a choice point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Tries the next clause, whose position is kept.
    Clauses { pred: u32, next: u32 },
    /// Goes on at an instruction of the same clause.
    Label { pc: u32 },
    /// Asks a relation for its next answer and goes on at an instruction.
    Answers { pred: u32, pc: u32 },
    /// Nothing: it marks a frame of catch/3.
    Catch,
    /// Nothing: a soft cut disabled it.
    Dead,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub kind: Kind,
    /// The frame: of the callee for clauses, else the current one.
    pub frame: usize,
    /// Where the arguments of a relation are.
    pub args: usize,
    pub cont_frame: usize,
    pub cont_pc: u32,
    /// Height of the stack of answers.
    pub answers: u32,
    /// Height of the stack of collectors.
    pub collectors: u32,
    pub mark: Mark,
    /// Frames below must be kept.
    pub top: usize,
}

/// What findall and others gather over the answers of a goal.
pub(crate) enum Collector {
    Terms(Bucket),
    Count(i64),
    Sum(Num),
    Best { max: bool, best: Option<Num>, witness: Bucket },
}

/// The state of a machine.
pub(crate) struct Engine {
    pub atoms: Arc<Atoms>,
    pub image: Image,
    pub store: Store,
    pub frames: Vec<Cell>,
    pub choices: Vec<Choice>,
    pub answers: Vec<Box<dyn AnswerIter>>,
    pub collectors: Vec<Collector>,
    pub budget: Budget,
    pub output: Box<dyn FnMut(&str)>,
    /// Column of the output, for format/2.
    pub column: usize,
    /// The current frame and the next instruction.
    pub frame: usize,
    pub pc: u32,
    /// The continuation of the predicate that is being entered.
    pub cont_frame: usize,
    pub cont_pc: u32,
    /// Number of choice points when the current clause was entered.
    pub barrier: usize,
    /// Frames below belong to choice points.
    pub protected: usize,
    /// Where the arguments of the next goal go.
    pub next_args: usize,
    /// Next cell for the `Unify…` instructions, whether they write, and the way back.
    pub at: usize,
    pub writing: bool,
    pub path: Vec<(usize, bool)>,
    pub numbers: Vec<Num>,
    /// The predicate that was called last.
    pub current: u32,
    /// The predicate in which a limit was exceeded.
    pub stop_predicate: Option<u32>,
    /// Bytes in collectors.
    pub collected: usize,
}

impl Engine {
    pub(crate) fn new(atoms: Arc<Atoms>, image: Image, limits: Limits, output: Box<dyn FnMut(&str)>) -> Self {
        Engine {
            atoms,
            image,
            store: Store::default(),
            frames: vec![Cell::default(); 1024],
            choices: Vec::new(),
            answers: Vec::new(),
            collectors: Vec::new(),
            budget: Budget::new(limits),
            output,
            column: 0,
            frame: 0,
            pc: 0,
            cont_frame: 0,
            cont_pc: 0,
            barrier: 0,
            protected: 0,
            next_args: HEADER,
            at: 0,
            writing: false,
            path: Vec::new(),
            numbers: Vec::new(),
            current: 0,
            stop_predicate: None,
            collected: 0,
        }
    }

    /// An argument of a native predicate.
    #[inline]
    pub(crate) fn arg(&self, base: usize, index: usize) -> Cell {
        self.store.deref(self.frames[base + index])
    }

    /// Unifies an argument with a term.
    #[inline]
    pub(crate) fn unify_arg(&mut self, base: usize, index: usize, value: Cell) -> Outcome {
        let arg = self.frames[base + index];
        Ok(self.store.unify(arg, value))
    }

    /// The slot of the current frame.
    #[inline]
    pub(crate) fn slot(&self, slot: u32) -> Cell {
        self.frames[self.frame + HEADER + slot as usize]
    }

    #[inline]
    pub(crate) fn set_slot(&mut self, slot: u32, value: Cell) {
        self.frames[self.frame + HEADER + slot as usize] = value;
    }

    /// Makes sure that frames reach to an index.
    #[inline]
    pub(crate) fn reach(&mut self, end: usize) {
        if self.frames.len() < end {
            self.grow(end);
        }
    }

    #[cold]
    fn grow(&mut self, end: usize) {
        self.frames.resize(end.next_power_of_two(), Cell::default());
    }

    pub(crate) fn pred(&self, pred: u32) -> Option<&Pred> {
        self.image.preds.get(pred as usize)
    }

    /// Bytes in use, without the heap.
    pub(crate) fn outer_bytes(&self) -> usize {
        let frames = self.next_args.max(self.protected).max(self.frame) * size_of::<Cell>();
        frames + self.choices.len() * size_of::<Choice>() + self.answers.len() * 64 + self.collected
    }

    /// Takes a step and looks at the limits now and then.
    #[inline]
    pub(crate) fn step(&mut self) -> Result<(), Raise> {
        if self.budget.step() { self.look() } else { Ok(()) }
    }

    #[cold]
    pub(crate) fn look(&mut self) -> Result<(), Raise> {
        let bytes = self.outer_bytes() + self.store.bytes();
        self.store.fuel = FUEL;
        self.budget.look(bytes).map_err(|_| Raise::Stop)
    }

    /// Makes sure that a native predicate may use so many bytes more.
    pub(crate) fn afford(&mut self, bytes: usize) -> Result<(), Raise> {
        if bytes < 1 << 16 {
            return Ok(());
        }
        let all = bytes.saturating_add(self.outer_bytes()).saturating_add(self.store.bytes());
        if all > self.budget.limits.memory {
            let _ = self.budget.exceed(crate::limits::Excess::Memory);
            return Err(Raise::Stop);
        }
        Ok(())
    }

    /// Bytes that may still be used.
    pub(crate) fn room(&self) -> usize {
        self.budget.limits.memory.saturating_sub(self.outer_bytes() + self.store.bytes())
    }

    /// Reports what a long unification or comparison left behind.
    #[inline]
    pub(crate) fn settle(&mut self) -> Result<(), Raise> {
        if self.store.exhausted { self.exhausted() } else { Ok(()) }
    }

    /// The work that terms of finite size can need is bounded by the memory; beyond it they are cyclic.
    #[cold]
    fn exhausted(&mut self) -> Result<(), Raise> {
        self.store.exhausted = false;
        self.store.fuel = FUEL;
        let _ = self.budget.exceed(crate::limits::Excess::Memory);
        Err(Raise::Stop)
    }

    /// The text of an atom.
    pub(crate) fn text(&self, atom: AtomId) -> &str {
        self.atoms.text(atom)
    }

    /// The cell of an atom with a text.
    pub(crate) fn atom(&self, text: &str) -> Cell {
        Cell::atom(self.atoms.intern(text))
    }

    /// A copy of a term outside of the heap.
    pub(crate) fn copied(&mut self, term: Cell) -> Result<Bucket, Raise> {
        let mut bucket = Bucket::default();
        let room = self.room();
        if !bucket.push(&mut self.store, term, room) {
            let _ = self.budget.exceed(crate::limits::Excess::Memory);
            return Err(Raise::Stop);
        }
        Ok(bucket)
    }

    /// The elements of a proper list. `None` if it is no list.
    pub(crate) fn list_items(&self, list: Cell) -> Option<Vec<Cell>> {
        let mut items = Vec::new();
        let mut rest = self.store.deref(list);
        while let Some((head, tail)) = self.store.pair(rest, known::DOT) {
            items.push(head);
            rest = tail;
            if items.len() > self.store.cells.len() {
                return None;
            }
        }
        (rest == Cell::atom(known::NIL)).then_some(items)
    }

    /// What stands behind the elements of a list: `[]`, a variable or another term; in a cyclic list, one of
    /// its cells.
    pub(crate) fn list_end(&self, list: Cell) -> Cell {
        let mut rest = list;
        let mut steps = 0;
        while let Some((_, tail)) = self.store.pair(rest, known::DOT) {
            rest = tail;
            steps += 1;
            if steps > self.store.cells.len() {
                break;
            }
        }
        rest
    }
}

/// Work that one unification or comparison may do between two looks at the limits.
pub(crate) const FUEL: u64 = 30_000_000;
