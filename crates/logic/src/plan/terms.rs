//! Abstract terms: what is known of a term before a goal runs.

use prolog::{NodeId, Term, View};
use std::collections::BTreeMap;
use trace::{Constant, Member};

/// Depth to which terms are marked.
const DEPTH: usize = 12;
/// Most elements of a list that are looked at.
const ELEMENTS: usize = 16;

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

/// The bindings of variables, and what is known of the ids of events that they hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Bindings {
    bound: Vec<Option<Abstract>>,
    ids: Vec<bool>,
    /// The methods of the calls whose ids variables hold.
    calls: BTreeMap<usize, Member>,
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
                    if let Some(call) = self.calls.get(&number).cloned() {
                        self.calls.insert(other, call);
                    }
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

    /// Notes that a term is the id of a call of a method.
    pub fn is_call(&mut self, term: &Abstract, method: Member) {
        if let Abstract::Variable(number) = self.seen(term) {
            self.calls.insert(number, method);
        }
    }

    /// The method of the call whose id a term is, if that is known.
    pub fn call(&self, term: &Abstract) -> Option<&Member> {
        match self.seen(term) {
            Abstract::Variable(number) => self.calls.get(&number),
            _ => None,
        }
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

    /// The first elements of a list, as far as they are known.
    pub fn elements(&self, list: &Abstract) -> Vec<Abstract> {
        let mut elements = Vec::new();
        let mut list = self.seen(list);
        while let Abstract::Compound(name, mut cell) = list
            && name == "[|]"
            && let (Some(rest), Some(first)) = (cell.pop(), cell.pop())
            && elements.len() < ELEMENTS
        {
            elements.push(first);
            list = self.seen(&rest);
        }
        elements
    }

    /// The constant of Java that a term stands for.
    pub fn constant(&self, term: &Abstract) -> Option<Constant> {
        match self.seen(term) {
            Abstract::Integer(value) => Some(Constant::Integer(value)),
            Abstract::Atom(name) => match name.as_str() {
                "null" => Some(Constant::Null),
                "true" => Some(Constant::Boolean(true)),
                "false" => Some(Constant::Boolean(false)),
                _ => None,
            },
            _ => None,
        }
    }

    /// A text that is equal for calls that ask for the same.
    pub fn key(&self, term: &Abstract, depth: usize) -> String {
        match self.seen(term) {
            _ if depth == 0 => "_".to_owned(),
            Abstract::Variable(number) => {
                let id = self.ids.get(number).copied().unwrap_or(false);
                let call = self.calls.get(&number).map(|call| format!("{call:?}")).unwrap_or_default();
                if id { format!("#{call}") } else { "_".to_owned() }
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
