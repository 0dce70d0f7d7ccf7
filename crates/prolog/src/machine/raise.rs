//! Errors: building them, finding who catches them, and telling the host.

use super::{Engine, HEADER, Kind, Outcome, Raise};
use crate::atoms::{AtomId, known};
use crate::limits::Stopped;
use crate::store::Cell;
use crate::term::Value;

/// A term that no catch/3 caught.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Thrown {
    /// The term.
    pub term: Value,
    /// What it means, in a sentence.
    pub message: String,
    /// File and line of the clause that was running, if a file contains it.
    pub place: Option<(String, u32)>,
}

/// Why a query has no further answer that counts.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Failure {
    /// The query is no Prolog.
    #[error(transparent)]
    Syntax(#[from] crate::read::error::SyntaxError),
    /// A term was thrown.
    #[error("{0}")]
    Thrown(Box<Thrown>),
    /// A limit was exceeded.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl Engine {
    /// `error(Formal, context(Name/Arity, Message))` for the predicate that was called last.
    pub(crate) fn error(&mut self, formal: Cell, message: Option<String>) -> Raise {
        let (name, arity) = match self.pred(self.current) {
            Some(pred) => (pred.name, pred.arity as usize),
            None => (known::CALL, 1),
        };
        let message = match message {
            Some(message) => self.store.string(&message),
            None => self.store.var(),
        };
        let context = self.context(name, arity, message);
        Raise::Ball(self.store.compound(known::ERROR, &[formal, context]))
    }

    fn context(&mut self, name: AtomId, arity: usize, message: Cell) -> Cell {
        let arity = self.store.int(i64::try_from(arity).unwrap_or(i64::MAX));
        let indicator = self.store.compound(known::SLASH, &[Cell::atom(name), arity]);
        self.store.compound(known::CONTEXT, &[indicator, message])
    }

    /// The same error for another predicate.
    pub(crate) fn with_context(&mut self, ball: Cell, name: AtomId, arity: usize) -> Cell {
        let Some((formal, old)) = self.store.pair(ball, known::ERROR) else { return ball };
        let message = match self.store.pair(old, known::CONTEXT) {
            Some((_, message)) => message,
            None => self.store.var(),
        };
        let context = self.context(name, arity, message);
        self.store.compound(known::ERROR, &[formal, context])
    }

    pub(crate) fn type_error(&mut self, expected: AtomId, culprit: Cell) -> Raise {
        let culprit = self.store.deref(culprit);
        let formal = self.store.compound(known::TYPE_ERROR, &[Cell::atom(expected), culprit]);
        self.error(formal, None)
    }

    pub(crate) fn type_error_named(&mut self, expected: &str, culprit: Cell) -> Raise {
        let expected = self.atoms.intern(expected);
        self.type_error(expected, culprit)
    }

    pub(crate) fn domain_error(&mut self, expected: &str, culprit: Cell) -> Raise {
        let expected = self.atom(expected);
        let formal = self.store.compound(known::DOMAIN_ERROR, &[expected, culprit]);
        self.error(formal, None)
    }

    /// An argument, from 0, that must be bound.
    pub(crate) fn unbound(&mut self, argument: usize) -> Raise {
        let message = format!("argument {} is unbound", argument + 1);
        self.error(Cell::atom(known::INSTANTIATION), Some(message))
    }

    pub(crate) fn unbound_expression(&mut self) -> Raise {
        let message = "a variable of the expression is unbound".to_owned();
        self.error(Cell::atom(known::INSTANTIATION), Some(message))
    }

    pub(crate) fn host_error(&mut self, pred: u32, message: &str) -> Raise {
        let name = self.pred(pred).map_or(known::CALL, |pred| pred.name);
        let text = self.store.string(message);
        let kind = self.atoms.intern("relation_error");
        let formal = self.store.compound(kind, &[Cell::atom(name), text]);
        self.error(formal, None)
    }

    pub(crate) fn unknown(&mut self, pred: u32) -> Raise {
        match self.pred(pred) {
            Some(pred) => {
                let (name, arity) = (pred.name, pred.arity as usize);
                self.unknown_named(name, arity)
            }
            None => Raise::Stop,
        }
    }

    /// The error for a predicate that nobody defines.
    pub(crate) fn unknown_named(&mut self, name: AtomId, arity: usize) -> Raise {
        let hint = self.hint(name, arity);
        let number = self.store.int(i64::try_from(arity).unwrap_or(i64::MAX));
        let indicator = self.store.compound(known::SLASH, &[Cell::atom(name), number]);
        let formal = self.store.compound(known::EXISTENCE, &[Cell::atom(known::PROCEDURE), indicator]);
        let message = match hint {
            Some(hint) => self.store.string(&hint),
            None => self.store.var(),
        };
        let context = self.context(name, arity, message);
        Raise::Ball(self.store.compound(known::ERROR, &[formal, context]))
    }

    /// What may have been meant by an unknown predicate.
    fn hint(&self, name: AtomId, arity: usize) -> Option<String> {
        let text = self.atoms.text(name);
        if let Some(reason) = crate::builtins::left_out(text) {
            return Some(reason.to_owned());
        }
        let defined = || {
            self.image.preds.iter().filter(|pred| {
                !matches!(pred.kind, crate::compile::image::PredKind::Unknown)
                    && !self.atoms.text(pred.name).starts_with('$')
            })
        };
        let mut arities: Vec<u32> = defined().filter(|p| p.name == name).map(|p| p.arity).collect();
        arities.sort_unstable();
        if !arities.is_empty() {
            let list: Vec<String> = arities.iter().map(|arity| format!("{text}/{arity}")).collect();
            return Some(format!("there is {}, but not {text}/{arity}", list.join(", ")));
        }
        let (pred, distance) = defined()
            .map(|pred| (pred, strsim::damerau_levenshtein(text, self.atoms.text(pred.name))))
            .min_by_key(|&(pred, distance)| (distance, pred.arity as usize != arity, pred.arity))?;
        let near = distance <= (text.chars().count() / 3).max(1);
        near.then(|| format!("did you mean {}/{}?", self.atoms.text(pred.name), pred.arity))
    }

    /// Finds the catch/3 for an error and goes on with its recovery goal.
    ///
    /// The outer error is one that nobody catches; the inner result is that of entering the recovery goal.
    pub(crate) fn handle(&mut self, raise: Raise) -> Result<Outcome, Raise> {
        self.path.clear();
        self.numbers.clear();
        self.store.exhausted = false;
        let Raise::Ball(ball) = raise else {
            self.stop_predicate = Some(self.current);
            return Err(Raise::Stop);
        };
        let bucket = self.copied(ball)?;
        // Frames of the continuation lie in descending order, as do the frames of choice points.
        let mut chain = self.frame;
        while let Some(&choice) = self.choices.last() {
            if choice.kind != Kind::Catch {
                self.cut(self.choices.len() - 1);
                continue;
            }
            while chain > choice.frame {
                chain = self.frames[chain].0 as usize;
            }
            self.store.undo(&choice.mark);
            self.cut(self.choices.len() - 1);
            if chain != choice.frame {
                continue;
            }
            self.drop_collectors(choice.collectors as usize);
            let mark = self.store.mark();
            let catcher = self.frames[choice.frame + HEADER + 1];
            let ball = self.poured(&bucket);
            let newest = std::mem::replace(&mut self.store.newest, usize::MAX);
            let caught = self.store.unify(catcher, ball);
            self.store.newest = newest;
            if !caught {
                self.store.undo(&mark);
                continue;
            }
            let frame = choice.frame;
            self.frame = frame;
            self.next_args = (frame + HEADER + 3).max(self.protected) + HEADER;
            self.cont_frame = self.frames[frame].0 as usize;
            // A program counter was stored.
            #[allow(clippy::cast_possible_truncation)]
            {
                self.cont_pc = self.frames[frame + 1].0 as u32;
            }
            let recovery = self.frames[frame + HEADER + 2];
            return Ok(self.enter_goal(recovery));
        }
        self.drop_collectors(0);
        let ball = self.poured(&bucket);
        Err(Raise::Ball(ball))
    }

    fn poured(&mut self, bucket: &crate::store::Bucket) -> Cell {
        bucket.pour(&mut self.store).first().copied().unwrap_or(Cell::atom(known::NIL))
    }

    /// File and line of the clause that was running.
    pub(crate) fn place(&self) -> Option<(String, u32)> {
        let mut frame = self.frame;
        let mut pc = self.pc.saturating_sub(1);
        loop {
            let source = self.image.source_of(pc)?;
            let file = self.image.files.get(source.file as usize)?;
            if !file.is_empty() {
                return Some((file.to_string(), source.line));
            }
            if frame == 0 {
                return None;
            }
            // A program counter was stored.
            #[allow(clippy::cast_possible_truncation)]
            {
                pc = (self.frames.get(frame + 1)?.0 as u32).saturating_sub(1);
            }
            frame = self.frames.get(frame)?.0 as usize;
        }
    }

    /// Name and arity of a predicate, or of its first caller whose name is not one of the engine's own.
    pub(crate) fn visible_pred(&self, pred: u32) -> String {
        let mut name = self.pred_name(pred);
        let (mut frame, mut pc) = (self.frame, self.pc.saturating_sub(1));
        while name.starts_with('$') {
            let Some(source) = self.image.source_of(pc) else { break };
            name = self.pred_name(source.pred);
            if frame == 0 {
                break;
            }
            let (Some(next), Some(parent)) = (self.frames.get(frame + 1), self.frames.get(frame)) else {
                break;
            };
            // A program counter was stored.
            #[allow(clippy::cast_possible_truncation)]
            {
                pc = (next.0 as u32).saturating_sub(1);
            }
            frame = parent.0 as usize;
        }
        name
    }

    /// Name and arity of a predicate.
    pub(crate) fn pred_name(&self, pred: u32) -> String {
        match self.pred(pred) {
            Some(pred) => format!("{}/{}", self.atoms.text(pred.name), pred.arity),
            None => "the query".to_owned(),
        }
    }
}
