//! Abstract terms: what is known of a term before a goal runs.

use prolog::{NodeId, Term, View};

/// Depth to which terms are marked.
const DEPTH: usize = 12;

/// A term of which parts may be unknown.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Abstract {
    /// A variable, by its number.
    Variable(usize),
    /// An atom.
    Atom(String),
    /// An integer.
    Integer(i64),
    /// A float or string: no name and no id.
    Other,
    /// A compound.
    Compound(String, Vec<Abstract>),
}

/// The bindings of variables, and the variables that hold ids of events.
#[derive(Clone, Debug, Default)]
pub(super) struct Bindings {
    bound: Vec<Option<Abstract>>,
    ids: Vec<bool>,
}

impl Bindings {
    /// A new variable.
    pub fn fresh(&mut self) -> Abstract {
        self.bound.push(None);
        self.ids.push(false);
        Abstract::Variable(self.bound.len() - 1)
    }

    /// A term of a program. Its variables are new ones, starting at `first`.
    pub fn import(
        &mut self,
        term: &Term,
        node: NodeId,
        first: usize,
        text: &dyn Fn(prolog::AtomId) -> String,
    ) -> Abstract {
        match term.view(node) {
            View::Var(number) => {
                while self.bound.len() <= first + number {
                    _ = self.fresh();
                }
                Abstract::Variable(first + number)
            }
            View::Atom(atom) => Abstract::Atom(text(atom)),
            View::Int(value) => Abstract::Integer(value),
            View::Float(_) | View::Str(_) => Abstract::Other,
            View::Compound { name, .. } => {
                let arguments = term.args(node).iter();
                let arguments = arguments.map(|argument| self.import(term, *argument, first, text));
                Abstract::Compound(text(name), arguments.collect())
            }
        }
    }

    /// The number of the next new variable.
    pub fn next(&self) -> usize {
        self.bound.len()
    }

    /// A term with its outermost variable replaced by what it is bound to.
    pub fn seen(&self, term: &Abstract) -> Abstract {
        let mut term = term.clone();
        while let Abstract::Variable(number) = term {
            match self.bound.get(number).cloned().flatten() {
                Some(bound) => term = bound,
                None => return Abstract::Variable(number),
            }
        }
        term
    }

    /// Unifies two terms as far as `depth`. Returns false if they cannot be equal.
    pub fn unify(&mut self, one: &Abstract, other: &Abstract, depth: usize) -> bool {
        let (one, other) = (self.seen(one), self.seen(other));
        if depth == 0 || one == other {
            return true;
        }
        match (one, other) {
            (Abstract::Variable(number), term) | (term, Abstract::Variable(number)) => {
                if let Abstract::Variable(other) = term
                    && let (Some(one), Some(of_other)) =
                        (self.ids.get(number).copied(), self.ids.get_mut(other))
                {
                    *of_other |= one;
                }
                if let Some(bound) = self.bound.get_mut(number) {
                    *bound = Some(term);
                }
                true
            }
            (Abstract::Compound(one, of_one), Abstract::Compound(other, of_other)) => {
                one == other
                    && of_one.len() == of_other.len()
                    && of_one.iter().zip(&of_other).all(|(one, other)| self.unify(one, other, depth - 1))
            }
            (Abstract::Other, Abstract::Other) => true,
            _ => false,
        }
    }

    /// Notes that a term is the id of an event, or contains one.
    pub fn is_id(&mut self, term: &Abstract) {
        self.mark(term, DEPTH);
    }

    fn mark(&mut self, term: &Abstract, depth: usize) {
        match self.seen(term) {
            Abstract::Variable(number) => {
                if let Some(id) = self.ids.get_mut(number) {
                    *id = true;
                }
            }
            Abstract::Compound(_, arguments) if depth > 0 => {
                arguments.iter().for_each(|argument| self.mark(argument, depth - 1));
            }
            _ => {}
        }
    }

    /// Whether a term contains the id of an event, as far as `depth`.
    pub fn has_id(&self, term: &Abstract, depth: usize) -> bool {
        match self.seen(term) {
            _ if depth == 0 => true,
            Abstract::Variable(number) => self.ids.get(number).copied().unwrap_or(false),
            Abstract::Compound(_, arguments) => {
                arguments.iter().any(|argument| self.has_id(argument, depth - 1))
            }
            _ => false,
        }
    }

    /// A text that is equal for calls that ask for the same.
    pub fn key(&self, term: &Abstract, depth: usize) -> String {
        match self.seen(term) {
            _ if depth == 0 => "_".to_owned(),
            Abstract::Variable(number) => {
                let id = self.ids.get(number).copied().unwrap_or(false);
                if id { "#".to_owned() } else { "_".to_owned() }
            }
            Abstract::Atom(name) => format!("{name:?}"),
            Abstract::Integer(value) => value.to_string(),
            Abstract::Other => "?".to_owned(),
            Abstract::Compound(name, arguments) => {
                let arguments: Vec<String> =
                    arguments.iter().map(|argument| self.key(argument, depth - 1)).collect();
                format!("{name:?}({})", arguments.join(","))
            }
        }
    }
}
