//! The public machine: queries and their solutions.

use std::sync::Arc;

use super::{Engine, Failure, HEADER, Raise, Thrown};
use crate::atoms::{AtomId, Atoms};
use crate::compile::compile_query;
use crate::compile::image::{ClauseSource, ImageMark};
use crate::limits::{Allowance, Excess, Limits};
use crate::program::{Linked, NotRead, Program};
use crate::read::error::SyntaxError;
use crate::relation::Relations;
use crate::store::{Cell, Store};
use crate::term::Value;

/// Receives text that a program writes.
pub type Output = Box<dyn FnMut(&str)>;

/// Options of a machine.
#[derive(Default)]
pub struct Options {
    /// Limits of each query.
    pub limits: Limits,
    /// Receives what `write/1` and others write. Without it the text is dropped.
    pub output: Option<Output>,
}

/// Runs queries over a linked program. Several machines may share the program.
pub struct Machine {
    engine: Engine,
}

/// A running query. Dropping it undoes whatever it built.
pub struct Query<'m> {
    engine: &'m mut Engine,
    names: Vec<(String, usize)>,
    mark: ImageMark,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Running,
    Ended,
}

/// An answer of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// Values of the variables in the order of their first occurrence, without `_`.
    pub bindings: Vec<(String, Value)>,
}

impl Solution {
    /// The value of a variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.bindings.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }
}

impl Machine {
    /// Links a program with relations and makes a machine for it.
    ///
    /// # Errors
    /// Clauses that cannot be linked, for example those that define a relation of the host, or a limit of the
    /// options.
    pub fn new(program: &Program, relations: &Relations, options: Options) -> Result<Self, NotRead> {
        let mut allowance = Allowance::new(options.limits.clone());
        Ok(Self::of(&program.link_within(relations, &mut allowance)?, options))
    }

    /// A machine for a program that is linked already.
    #[must_use]
    pub fn of(linked: &Linked, options: Options) -> Self {
        let output = options.output.unwrap_or_else(|| Box::new(|_: &str| {}));
        let image = (*linked.image).clone();
        Machine { engine: Engine::new(Arc::clone(&linked.atoms), image, options.limits, output) }
    }

    /// The table of atoms.
    #[must_use]
    pub fn atoms(&self) -> &Arc<Atoms> {
        &self.engine.atoms
    }

    /// The atom of a text.
    #[must_use]
    pub fn intern(&self, text: &str) -> AtomId {
        self.engine.atoms.intern(text)
    }

    /// Starts a query; the final `.` may be left out.
    ///
    /// # Errors
    /// A text that is no Prolog goal.
    pub fn query(&mut self, text: &str) -> Result<Query<'_>, Failure> {
        let engine = &mut self.engine;
        let read = crate::read::clauses::read_term("query", text, &engine.atoms)?;
        let mark = engine.image.mark();
        let count = read.variables.len();
        let source = ClauseSource { file: 0, line: 0, pred: u32::MAX };
        let atoms = Arc::clone(&engine.atoms);
        let (pc, size) = match compile_query(&mut engine.image, &atoms, &read.term, count, source) {
            Ok(code) => code,
            Err((node, message)) => {
                engine.image.undo(&mark);
                return Err(SyntaxError::at("query", text, read.span_of(node), message).into());
            }
        };
        engine.begin(pc, size, count);
        let names = read.variables.into_iter().enumerate().filter(|(_, name)| name != "_");
        let names = names.map(|(slot, name)| (name, slot)).collect();
        Ok(Query { engine, names, mark, state: State::New })
    }
}

impl Engine {
    /// Prepares to run the code of a query.
    fn begin(&mut self, pc: u32, size: u32, variables: usize) {
        self.budget.restart();
        self.store.fuel = super::FUEL;
        self.frame = 0;
        self.cont_frame = 0;
        self.cont_pc = pc;
        self.pc = pc;
        self.barrier = 0;
        self.reach(HEADER + size as usize + 1);
        for slot in 0..variables {
            let var = self.store.var();
            self.frames[HEADER + slot] = var;
        }
        self.next_args = HEADER + size as usize + HEADER;
    }

    /// Drops what a query left.
    fn reset(&mut self) {
        self.choices.clear();
        self.answers.clear();
        self.collectors.clear();
        self.collected = 0;
        self.path.clear();
        self.numbers.clear();
        self.restore_limits();
        const KEPT: usize = 1 << 20;
        if self.store.cells.capacity() > KEPT {
            self.store = Store::default();
        }
        self.store.undo(&crate::store::Mark::default());
        if self.frames.len() > KEPT {
            self.frames = vec![Cell::default(); 1024];
        }
        self.frames.fill(Cell::default());
        self.store.fuel = super::FUEL;
        self.store.exhausted = false;
    }
}

impl Query<'_> {
    /// The next solution, or `None` after the last one.
    ///
    /// # Errors
    /// A term that nobody catches, or an exceeded limit. The query has then ended.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Solution>, Failure> {
        let resume = match self.state {
            State::Ended => return Ok(None),
            State::New => false,
            State::Running => true,
        };
        self.state = State::Running;
        match self.engine.run(resume) {
            Ok(true) => {
                let solution = self.solution()?;
                if self.engine.choices.is_empty() {
                    self.state = State::Ended;
                }
                Ok(Some(solution))
            }
            Ok(false) => {
                self.state = State::Ended;
                Ok(None)
            }
            Err(raise) => {
                self.state = State::Ended;
                Err(self.failure(raise))
            }
        }
    }

    /// All solutions that are left.
    ///
    /// # Errors
    /// As [`Query::next`].
    pub fn all(&mut self) -> Result<Vec<Solution>, Failure> {
        let mut all = Vec::new();
        while let Some(solution) = self.next()? {
            all.push(solution);
        }
        Ok(all)
    }

    /// Whether there can be another solution.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.state != State::Ended
    }

    fn solution(&mut self) -> Result<Solution, Failure> {
        let cells: Vec<Cell> = self.names.iter().map(|(_, slot)| self.engine.frames[HEADER + slot]).collect();
        let values = self.values(&cells)?;
        let names = self.names.iter().map(|(name, _)| name.clone());
        Ok(Solution { bindings: names.zip(values).collect() })
    }

    fn values(&mut self, cells: &[Cell]) -> Result<Vec<Value>, Failure> {
        let before = self.engine.store.cells.len();
        let name = self.engine.atoms.intern("$answer");
        let tuple = self.engine.store.compound(name, cells);
        let limit = (self.engine.room() / 24).max(1024);
        let exported = self.engine.store.export(tuple, limit);
        self.engine.store.cells.truncate(before);
        match exported {
            Some(term) => {
                let term = Arc::new(term);
                let atoms = &self.engine.atoms;
                let roots = term.args(term.root()).iter();
                let value = |&root| Value { term: Arc::clone(&term), root, atoms: Arc::clone(atoms) };
                Ok(roots.map(value).collect())
            }
            None => {
                let _ = self.engine.budget.exceed(Excess::Memory);
                Err(self.failure(Raise::Stop))
            }
        }
    }

    fn failure(&mut self, raise: Raise) -> Failure {
        match raise {
            Raise::Ball(ball) => match self.values(&[ball]) {
                Ok(values) => {
                    let Some(term) = values.into_iter().next() else { return self.failure(Raise::Stop) };
                    let message = super::show::message(&term);
                    Failure::Thrown(Box::new(Thrown { term, message, place: self.engine.place() }))
                }
                Err(failure) => failure,
            },
            Raise::Stop => {
                let pred = self.engine.stop_predicate.unwrap_or(self.engine.current);
                let predicate = self.engine.visible_pred(pred);
                let excess = self.engine.budget.excess.unwrap_or(Excess::Interrupted);
                Failure::Stopped(self.engine.budget.stopped_in(excess, &predicate))
            }
        }
    }
}

impl Drop for Query<'_> {
    fn drop(&mut self) {
        self.engine.reset();
        self.engine.image.undo(&self.mark);
    }
}
