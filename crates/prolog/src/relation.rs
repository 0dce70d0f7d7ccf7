//! Relations: predicates whose answers come lazily from the host.

use std::collections::HashMap;
use std::sync::Arc;

use crate::call::Call;

/// A predicate that the host answers.
pub trait Relation: Send + Sync {
    /// Name of the predicate.
    fn name(&self) -> &str;

    /// Number of arguments.
    fn arity(&self) -> usize;

    /// Whether the relation neither writes nor depends on the order of calls. Only then do comparisons behind
    /// it
    /// reach relations before it.
    fn is_pure(&self) -> bool {
        true
    }

    /// Whether a program may define the predicate itself, which then hides the relation.
    fn overridable(&self) -> bool {
        false
    }

    /// Begins to answer a call.
    ///
    /// # Errors
    /// Whatever the host reports; it becomes a Prolog error.
    fn solve(&self, call: &mut Call<'_>) -> Result<Answers, RelationError>;
}

/// The answers of a relation to one call.
pub enum Answers {
    /// There is no answer.
    None,
    /// There is one answer, whose bindings are made.
    Once,
    /// Answers that are asked for one by one.
    Lazy(Box<dyn AnswerIter>),
}

/// Gives answers one by one. Dropped when the machine needs no more of them.
pub trait AnswerIter {
    /// Makes the bindings of the next answer. Bindings of the previous one are undone before.
    ///
    /// # Errors
    /// Whatever the host reports; it becomes a Prolog error.
    fn next(&mut self, call: &mut Call<'_>) -> Result<Next, RelationError>;
}

/// What an [`AnswerIter`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// There is no further answer.
    None,
    /// This is the last answer: no choice point is kept.
    Last,
    /// This is an answer, and there may be more.
    More,
}

/// Why a relation cannot answer.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum RelationError {
    /// A limit of the query is exceeded; [`Call::check`] says so.
    #[error("the query is stopped")]
    Stopped,
    /// An argument, counted from 0, must be bound.
    #[error("argument {} must be bound", .0 + 1)]
    Unbound(usize),
    /// An argument, counted from 0, has the wrong type.
    #[error("argument {} must be of type {expected}", argument + 1)]
    Type {
        /// Number of the argument.
        argument: usize,
        /// Name of the expected type.
        expected: String,
    },
    /// An argument, counted from 0, has a value outside of the domain.
    #[error("argument {} must be in the domain {expected}", argument + 1)]
    Domain {
        /// Number of the argument.
        argument: usize,
        /// Name of the domain.
        expected: String,
    },
    /// Anything else, as a sentence.
    #[error("{0}")]
    Other(String),
}

/// The relations of a host.
#[derive(Clone, Default)]
pub struct Relations {
    by_name: HashMap<(String, usize), Arc<dyn Relation>>,
}

impl Relations {
    /// No relations.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a relation. One of the same name and arity is replaced.
    pub fn add(&mut self, relation: impl Relation + 'static) -> &mut Self {
        self.add_shared(Arc::new(relation))
    }

    /// Adds a relation that others use too.
    pub fn add_shared(&mut self, relation: Arc<dyn Relation>) -> &mut Self {
        self.by_name.insert((relation.name().to_owned(), relation.arity()), relation);
        self
    }

    /// The relation of a name and arity.
    #[must_use]
    pub fn get(&self, name: &str, arity: usize) -> Option<&Arc<dyn Relation>> {
        self.by_name.get(&(name.to_owned(), arity))
    }

    /// All relations, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Relation>> {
        self.by_name.values()
    }
}
