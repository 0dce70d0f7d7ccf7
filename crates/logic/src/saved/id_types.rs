//! Infers which variables of a goal have ids of events. A solution has plain integers, and only ids are made
//! comparable.
//!
//! Types flow from the first argument of `event/3` and from the relations about calls, through variables,
//! unifications, lists, `findall` and the predicates of the user.

use crate::queries::QUERIES;
use prolog::{NodeId, Program, ReadTerm, View};
use std::collections::HashMap;

/// Deepest type.
const DEEPEST: usize = 6;
/// Maximum number of passes over the clauses.
const PASSES: usize = 8;

/// What is known of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IdType {
    /// Nothing.
    #[default]
    Unknown,
    /// It is the id of an event.
    Id,
    /// A list of such values.
    List(Box<IdType>),
    /// A compound of this name.
    Compound(String, Vec<IdType>),
}

impl IdType {
    /// The type of the elements of a list.
    pub fn element(&self) -> IdType {
        match self {
            IdType::List(element) => (**element).clone(),
            _ => IdType::Unknown,
        }
    }

    /// The type of an argument of a compound.
    pub fn argument(&self, name: &str, index: usize) -> IdType {
        match self {
            IdType::Compound(of, arguments) if of == name => {
                arguments.get(index).cloned().unwrap_or_default()
            }
            _ => IdType::Unknown,
        }
    }

    fn list(element: IdType) -> IdType {
        IdType::List(Box::new(element))
    }

    /// Adds what another occurrence says. If both differ, the first stays.
    fn join(&mut self, other: &IdType, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        match (&mut *self, other) {
            (_, IdType::Unknown) => {}
            (IdType::Unknown, _) => *self = other.clone(),
            (IdType::List(own), IdType::List(other)) => own.join(other, depth + 1),
            (IdType::Compound(own, arguments), IdType::Compound(name, others))
                if own == name && arguments.len() == others.len() =>
            {
                for (own, other) in arguments.iter_mut().zip(others) {
                    own.join(other, depth + 1);
                }
            }
            _ => {}
        }
    }
}

/// The types of the arguments of predicates.
type Signatures = HashMap<(String, usize), Vec<IdType>>;

/// Infers the types of the variables of a goal: names and types.
pub fn infer(program: &Program, goal: &ReadTerm) -> Vec<(String, IdType)> {
    let mut known = given();
    let predicates: Vec<(String, usize)> =
        program.predicates().map(|(name, arity)| (name.to_owned(), arity)).collect();
    for _ in 0..PASSES {
        let before = known.clone();
        for (name, arity) in &predicates {
            for clause in program.clauses(name, *arity) {
                let Some(body) = clause.body else { continue };
                let mut scope = Scope::new(program, &clause.read);
                scope.goals(body, &known);
                let head = clause.read.term.args(clause.head).iter().map(|node| scope.of(*node, 0));
                let head: Vec<IdType> = head.collect();
                let signature = known.entry((name.clone(), *arity)).or_default();
                signature.resize(*arity, IdType::Unknown);
                for (own, other) in signature.iter_mut().zip(&head) {
                    own.join(other, 0);
                }
            }
        }
        if before == known {
            break;
        }
    }
    let mut scope = Scope::new(program, goal);
    scope.goals(goal.term.root(), &known);
    let types = scope.variables.into_iter();
    goal.variables.iter().cloned().zip(types).collect()
}

/// The types of the predicates that are not written in Prolog.
fn given() -> Signatures {
    use IdType::{Id, Unknown};
    let mut given = Signatures::new();
    let mut add = |name: &str, types: &[IdType]| {
        given.insert((name.to_owned(), types.len()), types.to_vec());
    };
    let exit = IdType::Compound("methodexit".to_owned(), vec![Id, Unknown, Unknown, Unknown, Unknown]);
    add("event", &[Id, Unknown, exit]);
    add("event_term", &[Id, Unknown]);
    for name in ["enclosing_call", "direct_call", "call_end"] {
        add(name, &[Id, Id]);
    }
    for query in QUERIES {
        let of_word = |word: &crate::queries::Word| if word.name == "EVENT" { Id } else { Unknown };
        let mut types: Vec<IdType> = query.words.iter().map(of_word).collect();
        types.push(Unknown);
        add(&query.name.replace('-', "_"), &types);
    }
    given
}

/// The variables of a clause.
struct Scope<'a> {
    program: &'a Program,
    read: &'a ReadTerm,
    variables: Vec<IdType>,
}

impl<'a> Scope<'a> {
    fn new(program: &'a Program, read: &'a ReadTerm) -> Scope<'a> {
        Scope { program, read, variables: vec![IdType::Unknown; read.variables.len()] }
    }

    /// Goes over a body until nothing new is learned.
    fn goals(&mut self, body: NodeId, known: &Signatures) {
        for _ in 0..PASSES {
            let before = self.variables.clone();
            self.goal(body, known, 0);
            if before == self.variables {
                break;
            }
        }
    }

    fn functor(&self, node: NodeId) -> (&str, &'a [NodeId]) {
        let functor = self.read.term.functor(node);
        (functor.map_or("", |(name, _)| self.program.atoms().text(name)), self.read.term.args(node))
    }

    /// The type of a term.
    fn of(&self, node: NodeId, depth: usize) -> IdType {
        if depth > DEEPEST {
            return IdType::Unknown;
        }
        match self.read.term.view(node) {
            View::Var(number) => self.variables.get(number).cloned().unwrap_or_default(),
            View::Compound { .. } => match self.functor(node) {
                ("[|]", &[head, tail]) => {
                    let mut of_list = IdType::list(self.of(head, depth + 1));
                    of_list.join(&self.of(tail, depth + 1), 0);
                    of_list
                }
                (name, arguments) => {
                    let of_arguments = arguments.iter().map(|node| self.of(*node, depth + 1)).collect();
                    IdType::Compound(name.to_owned(), of_arguments)
                }
            },
            _ => IdType::Unknown,
        }
    }

    /// Gives a term a type.
    fn give(&mut self, node: NodeId, of_type: &IdType, depth: usize) {
        if depth > DEEPEST || *of_type == IdType::Unknown {
            return;
        }
        if let View::Var(number) = self.read.term.view(node) {
            if let Some(variable) = self.variables.get_mut(number) {
                variable.join(of_type, 0);
            }
            return;
        }
        let (name, arguments) = self.functor(node);
        match (name, arguments, of_type) {
            ("[|]", &[head, tail], IdType::List(element)) => {
                self.give(head, element, depth + 1);
                self.give(tail, of_type, depth);
            }
            (name, arguments, IdType::Compound(of, types)) if name == of => {
                for (argument, of_type) in arguments.iter().zip(types) {
                    self.give(*argument, of_type, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// Gives two terms what is known of either.
    fn same(&mut self, a: NodeId, b: NodeId) {
        let (of_a, of_b) = (self.of(a, 0), self.of(b, 0));
        self.give(a, &of_b, 0);
        self.give(b, &of_a, 0);
    }

    fn is_element(&mut self, element: NodeId, list: NodeId) {
        let (of_element, of_list) = (self.of(element, 0), self.of(list, 0));
        self.give(list, &IdType::list(of_element), 0);
        self.give(element, &of_list.element(), 0);
    }

    fn goal(&mut self, node: NodeId, known: &Signatures, depth: usize) {
        if depth > 200 || matches!(self.read.term.view(node), View::Var(_)) {
            return;
        }
        let (name, arguments) = self.functor(node);
        let name = name.to_owned();
        match (name.as_str(), arguments) {
            ("," | ";" | "->" | "*->" | "forall", &[a, b]) => {
                self.goal(a, known, depth + 1);
                self.goal(b, known, depth + 1);
            }
            ("\\+" | "call" | "once" | "ignore" | "not", &[inner]) | ("^", &[_, inner]) => {
                self.goal(inner, known, depth + 1);
            }
            ("findall" | "setof" | "bagof", &[template, inner, list]) => {
                self.goal(inner, known, depth + 1);
                self.is_element(template, list);
            }
            ("aggregate_all", &[template, inner, result]) => {
                self.goal(inner, known, depth + 1);
                match self.functor(template) {
                    ("max" | "min", &[value]) => self.same(value, result),
                    ("bag" | "set", &[value]) => self.is_element(value, result),
                    _ => {}
                }
            }
            ("=" | "==" | "is" | "reverse" | "msort" | "sort" | "=:=", &[a, b]) => self.same(a, b),
            ("<" | ">" | "=<" | ">=", &[a, b]) => {
                // An id is compared with ids.
                let is_variable = |node| matches!(self.read.term.view(node), View::Var(_));
                if is_variable(a) && is_variable(b) {
                    self.same(a, b);
                }
            }
            ("member" | "memberchk", &[element, list]) | ("last", &[list, element]) => {
                self.is_element(element, list);
            }
            ("nth0" | "nth1", &[_, list, element]) => self.is_element(element, list),
            ("append", &[a, b, c]) => {
                self.same(a, c);
                self.same(b, c);
            }
            (_, arguments) => {
                if let Some(signature) = known.get(&(name, arguments.len())) {
                    for (argument, of_type) in arguments.iter().zip(signature) {
                        self.give(*argument, of_type, 0);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prolog::ClauseReader;

    fn types(rules: &str, goal: &str) -> Vec<(String, IdType)> {
        let mut program = Program::new();
        program.consult("rules.pl", rules).expect("rules");
        let goal = ClauseReader::new("goal", goal, program.atoms()).next().expect("a goal").expect("a goal");
        infer(&program, &goal)
    }

    fn id_of(found: &[(String, IdType)], name: &str) -> IdType {
        found.iter().find(|(of, _)| of == name).expect("the variable").1.clone()
    }

    #[test]
    fn ids_flow_through_rules_and_lists() {
        let rules = "pair(A, B) :- event(A, T, setfield(_, _, bar, _)), event(B, T, _), B > A.
            all(L) :- findall(A-N, (pair(A, _), N = 1), L).";
        let found = types(rules, "pair(X, Y), all(L), member(P, L), Z = X, N is 5.");
        assert_eq!(["X", "Y", "Z"].map(|name| id_of(&found, name)), [const { IdType::Id }; 3]);
        assert_eq!(id_of(&found, "N"), IdType::Unknown);
        let pair = IdType::Compound("-".to_owned(), vec![IdType::Id, IdType::Unknown]);
        assert_eq!(id_of(&found, "P"), pair);
        assert_eq!(id_of(&found, "L"), IdType::list(pair));
    }

    #[test]
    fn values_of_events_are_no_ids() {
        let found = types("", "event(I, _, methodexit(C, _, _, _, V)), event(_, _, setfield(_, _, _, V)).");
        assert_eq!(id_of(&found, "I"), IdType::Id);
        assert_eq!(id_of(&found, "C"), IdType::Id);
        assert_eq!(id_of(&found, "V"), IdType::Unknown);
    }

    #[test]
    fn recursive_rules_end() {
        let rules = "deep([X], X) :- event(X, _, _).\ndeep([[X]|T], [T]) :- deep(X, T).";
        let found = types(rules, "deep(A, B).");
        assert_eq!(id_of(&found, "B"), IdType::Id);
    }
}
