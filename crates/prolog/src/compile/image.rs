//! Linked code: what a machine runs.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::{BoundSpec, Instr, Literal};
use crate::atoms::AtomId;
use crate::machine::DetFn;
use crate::relation::Relation;

/// The clauses whose first argument may match a key, for predicates with many clauses.
#[derive(Debug, Default)]
pub(crate) struct ClauseIndex {
    pub by_key: HashMap<u64, Box<[u32]>, FixedState>,
    /// Clauses that match any key.
    pub any: Box<[u32]>,
}

/// How a predicate is answered.
#[derive(Clone)]
pub(crate) enum PredKind {
    /// By clauses, which lie one after another in the clause table.
    Clauses { first: u32, count: u32, index: Option<Arc<ClauseIndex>> },
    /// By a function without choice points.
    Det(DetFn),
    /// By a relation of the host or of the engine.
    Relation(Arc<dyn Relation>),
    /// By the machine itself.
    Control(Control),
    /// Not at all: nobody defines it.
    Unknown,
}

/// Predicates that change what the machine does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Control {
    /// `call/N`.
    Call,
    /// `'$call'(Goal, Choice)`: a goal in which a cut reaches to `Choice`.
    CallCut,
    /// `'$cut'(Choice)`.
    CutTo,
    /// `'$mark'(Choice)`.
    Mark,
}

#[derive(Clone)]
pub(crate) struct Pred {
    pub name: AtomId,
    pub arity: u32,
    pub kind: PredKind,
    /// Whether the user or the host defines it, and not the engine.
    pub user: bool,
}

/// A compiled clause.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClauseCode {
    /// Key of the first argument; 0 matches anything.
    pub key: u64,
    pub pc: u32,
    /// Slots of the frame.
    pub size: u32,
}

/// Where a clause comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClauseSource {
    pub file: u32,
    pub line: u32,
    /// The predicate that the clause belongs to.
    pub pred: u32,
}

/// Where the code from an instruction on comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub pc: u32,
    pub clause: ClauseSource,
}

/// Code, predicates and constants.
#[derive(Clone, Default)]
pub(crate) struct Image {
    pub code: Vec<Instr>,
    pub clauses: Vec<ClauseCode>,
    pub preds: Vec<Pred>,
    pub by_name: HashMap<(AtomId, u32), u32, FixedState>,
    pub literals: Vec<Literal>,
    pub bounds: Vec<Vec<BoundSpec>>,
    /// In ascending order of `pc`.
    pub sources: Vec<Source>,
    pub files: Vec<Arc<str>>,
    /// Whether the engine's own library is being compiled, which may use instructions that programs may not.
    pub library: bool,
    /// Number of helper predicates made for the goals of findall and others.
    pub helpers: u32,
}

/// A number as a 32-bit index.
pub(crate) fn index(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Sizes of an image, to return to after a query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImageMark {
    code: usize,
    clauses: usize,
    preds: usize,
    literals: usize,
    bounds: usize,
    sources: usize,
    helpers: u32,
}

impl Image {
    /// The predicate of a name and arity, which is added as unknown if needed.
    pub(crate) fn pred(&mut self, name: AtomId, arity: usize) -> u32 {
        let arity = index(arity);
        if let Some(&pred) = self.by_name.get(&(name, arity)) {
            return pred;
        }
        let pred = index(self.preds.len());
        self.preds.push(Pred { name, arity, kind: PredKind::Unknown, user: false });
        self.by_name.insert((name, arity), pred);
        pred
    }

    /// Gives a name and arity a new predicate. Code that is linked already keeps the old one.
    pub(crate) fn replace(&mut self, name: AtomId, arity: usize, kind: PredKind) -> u32 {
        let arity = index(arity);
        let pred = index(self.preds.len());
        self.preds.push(Pred { name, arity, kind, user: true });
        self.by_name.insert((name, arity), pred);
        pred
    }

    pub(crate) fn find(&self, name: AtomId, arity: usize) -> Option<u32> {
        self.by_name.get(&(name, index(arity))).copied()
    }

    pub(crate) fn literal(&mut self, literal: Literal) -> u32 {
        self.literals.push(literal);
        index(self.literals.len() - 1)
    }

    pub(crate) fn mark(&self) -> ImageMark {
        ImageMark {
            code: self.code.len(),
            clauses: self.clauses.len(),
            preds: self.preds.len(),
            literals: self.literals.len(),
            bounds: self.bounds.len(),
            sources: self.sources.len(),
            helpers: self.helpers,
        }
    }

    /// Drops what was added since a mark.
    pub(crate) fn undo(&mut self, mark: &ImageMark) {
        self.code.truncate(mark.code);
        self.clauses.truncate(mark.clauses);
        for pred in self.preds.drain(mark.preds.min(self.preds.len())..) {
            self.by_name.remove(&(pred.name, pred.arity));
        }
        self.literals.truncate(mark.literals);
        self.bounds.truncate(mark.bounds);
        self.sources.truncate(mark.sources);
        self.helpers = mark.helpers;
    }

    /// Gives a predicate its clauses, which are the last ones of the clause table from `first` on.
    pub(crate) fn define(&mut self, pred: u32, first: usize, user: bool) {
        let count = self.clauses.len() - first;
        let index =
            (count >= 8).then(|| Arc::new(build_index(self.clauses.get(first..).unwrap_or_default())));
        if let Some(entry) = self.preds.get_mut(pred as usize) {
            entry.kind = PredKind::Clauses { first: self::index(first), count: self::index(count), index };
            entry.user = user;
        }
    }

    /// The source of the clause that contains an instruction.
    pub(crate) fn source_of(&self, pc: u32) -> Option<&ClauseSource> {
        let at = self.sources.partition_point(|source| source.pc <= pc);
        self.sources.get(at.checked_sub(1)?).map(|source| &source.clause)
    }
}

fn build_index(clauses: &[ClauseCode]) -> ClauseIndex {
    let mut by_key: HashMap<u64, Vec<u32>, FixedState> = HashMap::default();
    let mut any = Vec::new();
    for (i, clause) in clauses.iter().enumerate() {
        if clause.key == 0 {
            for list in by_key.values_mut() {
                list.push(index(i));
            }
            any.push(index(i));
        } else {
            by_key.entry(clause.key).or_insert_with(|| any.clone()).push(index(i));
        }
    }
    let by_key = by_key.into_iter().map(|(key, list)| (key, list.into())).collect();
    ClauseIndex { by_key, any: any.into() }
}
