//! Unfolds a goal without data: follows the clauses that it can call, and notes the events that it can ask
//! for. What is unknown counts as anything, so the plan may contain too much, and never too little.

use super::needed::Needed;
use super::terms::{Abstract, Bindings};
use crate::log::Kind;
use crate::queries::QUERIES;
use prolog::{AtomId, Program, Value};
use std::collections::HashMap;
use trace::{Level, Member};

/// Depth to which terms are looked at.
const DEPTH: usize = 12;
/// Most calls that are followed.
const CALLS: usize = 5_000;
/// Why calls of all methods are recorded.
const ANY_CALL: &str = "a goal asks for calls of any method";
/// Most calls inside each other.
const NESTED: usize = 200;

/// The plan for a goal.
pub fn plan(program: &Program, goal: &Value) -> Needed {
    let mut bindings = Bindings::default();
    let goal_text = |atom: AtomId| goal.atom_text(atom).to_owned();
    let term = bindings.import(goal.term(), goal.root(), 0, &goal_text);
    let mut unfolding = Unfolding { program, needed: Needed::nothing(), known: HashMap::new(), left: CALLS };
    let mut expressions = Vec::new();
    unfolding.goal(&term, &mut bindings, 0, &mut expressions);
    unfolding.arithmetic(&expressions, &bindings);
    unfolding.needed
}

struct Unfolding<'a> {
    program: &'a Program,
    needed: Needed,
    /// The calls that were followed, with the arguments that can be ids afterwards; `None` while they are
    /// followed.
    known: HashMap<String, Option<Vec<bool>>>,
    left: usize,
}

/// How many arguments in front of a predicate's are goals, with the number of arguments that are added.
fn closures(name: &str, arity: usize) -> Option<(usize, usize)> {
    Some(match (name, arity) {
        ("maplist", 2..) => (1, arity - 1),
        ("foldl", 4..) => (1, arity - 1),
        ("include" | "exclude" | "partition", 3..) => (1, 1),
        ("predsort", 3) => (1, 3),
        ("call", 2..) => (1, arity - 1),
        _ => return None,
    })
}

impl Unfolding<'_> {
    fn goal(
        &mut self,
        goal: &Abstract,
        bindings: &mut Bindings,
        nested: usize,
        expressions: &mut Vec<Abstract>,
    ) {
        if nested > NESTED || self.left == 0 {
            self.needed.level(Level::All, "the rules are nested too deeply to be followed");
            return;
        }
        let (name, arguments) = match bindings.seen(goal) {
            Abstract::Atom(name) => (name, Vec::new()),
            Abstract::Compound(name, arguments) => (name, arguments),
            Abstract::Variable(_) => {
                self.needed.level(Level::All, "a goal is a variable, so any event may be asked for");
                return;
            }
            Abstract::Integer(_) | Abstract::Other => return,
        };
        match (name.as_str(), arguments.as_slice()) {
            (",", [first, second]) => {
                // An equation further right holds in every solution.
                if is_pure(second) {
                    equations(second, bindings);
                }
                self.goal(first, bindings, nested, expressions);
                self.goal(second, bindings, nested, expressions);
            }
            (";" | "->" | "*->", [first, second]) => {
                if name != ";" {
                    self.needed.is_monotone = false;
                }
                for branch in [first, second] {
                    // Neither branch knows what the other one has bound, unless it is the condition's.
                    let mut inner = bindings.clone();
                    self.goal(branch, &mut inner, nested, expressions);
                    self.arithmetic(expressions, &inner);
                }
            }
            ("!", []) => self.needed.is_monotone = false,
            ("\\+" | "not" | "forall" | "findall" | "bagof" | "setof" | "aggregate_all" | "limit", _) => {
                self.needed.is_monotone = false;
                self.inner_goals(&arguments, bindings, nested);
            }
            ("once" | "ignore" | "catch" | "call", _) => {
                if name == "ignore" || name == "catch" {
                    self.needed.is_monotone = false;
                }
                match closures(&name, arguments.len()) {
                    Some((_, added)) => self.closure(&arguments, added, bindings, nested, expressions),
                    None => self.inner_goals(&arguments, bindings, nested),
                }
            }
            ("^", [_, goal]) => self.goal(goal, bindings, nested, expressions),
            ("=", [one, other]) => {
                bindings.unify(one, other, DEPTH);
            }
            ("is" | "=:=" | "=\\=" | "<" | ">" | "=<" | ">=", [one, other]) => {
                // Comparing two ids is the same in every log. Computing with them is not.
                let sides = [one, other].into_iter();
                expressions.extend(sides.filter(|side| !is_plain(side, bindings)).cloned());
                if name == "is" {
                    expressions.push(other.clone());
                }
            }
            ("write" | "print" | "writeln" | "writeq" | "nl" | "format" | "tab" | "write_canonical", _) => {
                self.needed.is_monotone = false
            }
            ("event", [id, _, event]) => {
                self.event(id, event, bindings);
                bindings.is_id(id);
            }
            _ => self.call(&name, &arguments, bindings, nested, expressions),
        }
    }

    /// The goals among the arguments of a control predicate.
    fn inner_goals(&mut self, arguments: &[Abstract], bindings: &mut Bindings, nested: usize) {
        for argument in arguments {
            if let Abstract::Compound(..) | Abstract::Atom(_) = bindings.seen(argument) {
                let mut inner = bindings.clone();
                let mut of_inner = Vec::new();
                self.goal(argument, &mut inner, nested + 1, &mut of_inner);
                self.arithmetic(&of_inner, &inner);
            }
        }
        // What was collected can contain ids.
        if let Some(last) = arguments.last() {
            bindings.is_id(last);
        }
    }

    /// A goal that lacks its last arguments.
    fn closure(
        &mut self,
        arguments: &[Abstract],
        added: usize,
        bindings: &mut Bindings,
        nested: usize,
        expressions: &mut Vec<Abstract>,
    ) {
        let Some(closure) = arguments.first().map(|closure| bindings.seen(closure)) else { return };
        let mut inner = bindings.clone();
        let mut further: Vec<Abstract> = (0..added).map(|_| inner.fresh()).collect();
        // Elements of lists can be ids.
        for variable in &further {
            inner.is_id(variable);
        }
        let goal = match closure {
            Abstract::Atom(name) => Abstract::Compound(name, further),
            Abstract::Compound(name, mut arguments) => {
                arguments.append(&mut further);
                Abstract::Compound(name, arguments)
            }
            other => other,
        };
        self.goal(&goal, &mut inner, nested + 1, expressions);
        self.arithmetic(expressions, &inner);
    }

    fn call(
        &mut self,
        name: &str,
        arguments: &[Abstract],
        bindings: &mut Bindings,
        nested: usize,
        expressions: &mut Vec<Abstract>,
    ) {
        if let Some((_, added)) = closures(name, arguments.len()) {
            self.needed.is_monotone = false;
            return self.closure(arguments, added, bindings, nested, expressions);
        }
        let clauses: Vec<_> = self.program.clauses(name, arguments.len()).collect();
        if clauses.is_empty() {
            return self.relation(name, arguments, bindings);
        }
        let key = arguments.iter().map(|argument| bindings.key(argument, DEPTH)).collect::<Vec<_>>();
        let key = format!("{name:?}({})", key.join(","));
        if let Some(known) = self.known.get(&key) {
            for (at, argument) in arguments.iter().enumerate() {
                // Inside a recursion, any argument may be one.
                if known.as_ref().is_none_or(|ids| ids.get(at).copied().unwrap_or(true)) {
                    bindings.is_id(argument);
                }
            }
            return;
        }
        self.known.insert(key.clone(), None);
        self.left -= 1;
        let mut ids = vec![false; arguments.len()];
        let atoms = self.program.atoms().clone();
        let text = |atom: AtomId| atoms.text(atom).to_owned();
        for clause in clauses {
            let mut inner = bindings.clone();
            let (first, term) = (inner.next(), &clause.read.term);
            let head = inner.import(term, clause.head, first, &text);
            let call = Abstract::Compound(name.to_owned(), arguments.to_vec());
            let head = if arguments.is_empty() { call.clone() } else { head };
            if !inner.unify(&head, &call, DEPTH) {
                continue;
            }
            if let Some(body) = clause.body {
                let body = inner.import(term, body, first, &text);
                let mut of_body = Vec::new();
                self.goal(&body, &mut inner, nested + 1, &mut of_body);
                self.arithmetic(&of_body, &inner);
            }
            for (argument, id) in arguments.iter().zip(&mut ids) {
                *id |= inner.has_id(argument, DEPTH);
            }
        }
        for (argument, _) in arguments.iter().zip(&ids).filter(|(_, id)| **id) {
            bindings.is_id(argument);
        }
        self.known.insert(key, Some(ids));
    }

    /// A relation that `qp` answers.
    fn relation(&mut self, name: &str, arguments: &[Abstract], bindings: &mut Bindings) {
        let ids: &[usize] = match name {
            "enclosing_call" | "direct_call" | "call_end" => {
                self.needed.level(Level::Calls, &format!("{name}/2 needs all calls"));
                &[0, 1]
            }
            "event_term" => &[0],
            "field_at" => {
                self.needed.level(Level::Writes, "field_at/5 needs all writes");
                &[0, 3]
            }
            _ => {
                let is_query = QUERIES.iter().any(|query| query.name.replace('-', "_") == name);
                if is_query {
                    self.needed.level(Level::All, &format!("the query {name} looks at the whole log"));
                }
                return;
            }
        };
        for at in ids {
            let Some(argument) = arguments.get(*at) else { continue };
            if let Abstract::Integer(id) = bindings.seen(argument) {
                self.needed.level(Level::All, &format!("id {id} counts all events of the run"));
            }
            bindings.is_id(argument);
        }
    }

    /// An event that is asked for.
    fn event(&mut self, id: &Abstract, event: &Abstract, bindings: &mut Bindings) {
        if let Abstract::Integer(id) = bindings.seen(id) {
            self.needed.level(Level::All, &format!("id {id} counts all events of the run"));
        }
        let (name, arguments) = match bindings.seen(event) {
            Abstract::Compound(name, arguments) => (name, arguments),
            Abstract::Variable(_) => {
                self.needed.level(Level::All, "a goal asks for events of any kind");
                return;
            }
            _ => return,
        };
        let Some(kind) = Kind::named(&name).filter(|kind| kind.arity() == arguments.len()) else { return };
        let named = |at: usize| match arguments.get(at).map(|name| bindings.seen(name)) {
            Some(Abstract::Atom(name)) => Some(name),
            _ => None,
        };
        let class = |at: usize| match arguments.get(at).map(|owner| bindings.seen(owner)) {
            Some(Abstract::Compound(c, of)) if c == "c" => match of.first().map(|of| bindings.seen(of)) {
                Some(Abstract::Atom(class)) => Some(class),
                _ => None,
            },
            _ => None,
        };
        match kind {
            Kind::MethodCall => {
                let method = Member { class: class(1), name: named(2), ..Member::default() };
                if method.class.is_none() && method.name.is_none() {
                    self.needed.level(Level::Calls, ANY_CALL);
                    return;
                }
                let given = arguments.get(3).map(|given| bindings.elements(given)).unwrap_or_default();
                let tests = (0..).zip(&given).filter_map(|(at, of)| Some((at, bindings.constant(of)?)));
                let method = Member { tests: tests.collect(), ..method };
                bindings.is_call(id, method.clone());
                self.needed.method(method);
            }
            Kind::MethodExit => {
                let call = arguments.first();
                let method = Member { class: class(2), name: named(3), ..Member::default() };
                if let Some(method) = call.and_then(|call| bindings.call(call)) {
                    self.needed.method(method.clone());
                } else if method.class.is_none() && method.name.is_none() {
                    self.needed.level(Level::Calls, ANY_CALL);
                } else {
                    self.needed.method(method);
                }
                if let Some(call) = call {
                    bindings.is_id(call);
                }
            }
            Kind::SetField => match (class(1), named(2)) {
                (_, None) => self.needed.level(Level::Writes, "a goal asks for writes to any field"),
                (class, name) => {
                    let value = arguments.get(3).and_then(|value| bindings.constant(value));
                    let tests = value.map(|value| (0, value)).into_iter().collect();
                    self.needed.field(Member { class, name, tests });
                }
            },
            Kind::Exception => self.needed.level(Level::Calls, "an exception can pass through any call"),
            Kind::MemberFields => self.needed.level(Level::Calls, "memberfields precede the first calls"),
            Kind::ThreadStart | Kind::ThreadDeath => {
                self.needed.level(Level::Calls, "threads are known by their calls");
            }
            Kind::DataStructure => {
                self.needed.level(Level::Writes, "contents of data structures need all writes");
            }
            Kind::Step => {
                self.needed.level(Level::All, "steps need all lines, and the calls that return to them");
            }
        }
    }

    /// Ids in arithmetic count events of the whole run.
    fn arithmetic(&mut self, expressions: &[Abstract], bindings: &Bindings) {
        if expressions.iter().any(|expression| bindings.has_id(expression, DEPTH)) {
            self.needed.level(Level::All, "a goal computes with ids, which count all events of the run");
        }
    }
}

/// Whether a side of a comparison is only a variable or a number.
fn is_plain(term: &Abstract, bindings: &Bindings) -> bool {
    matches!(bindings.seen(term), Abstract::Variable(_) | Abstract::Integer(_) | Abstract::Other)
}

/// Whether a conjunction has only goals that find events or compare.
fn is_pure(goal: &Abstract) -> bool {
    match goal {
        Abstract::Compound(name, arguments) => match (name.as_str(), arguments.as_slice()) {
            (",", [one, other]) => is_pure(one) && is_pure(other),
            ("event", [..]) => true,
            (name, [_, _]) => ["=", "==", "<", ">", "=<", ">="].contains(&name),
            _ => false,
        },
        Abstract::Atom(name) => name == "true",
        _ => false,
    }
}

/// Binds what the equations of a conjunction say.
fn equations(goal: &Abstract, bindings: &mut Bindings) {
    if let Abstract::Compound(name, arguments) = goal
        && let [one, other] = arguments.as_slice()
    {
        match name.as_str() {
            "," => {
                equations(one, bindings);
                equations(other, bindings);
            }
            "=" => _ = bindings.unify(one, other, DEPTH),
            _ => {}
        }
    }
}
