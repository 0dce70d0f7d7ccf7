//! Relations of the host: laziness, determinism, bounds, errors, and who may define them.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use prolog::{
    AnswerIter, Answers, Bound, Call, Comparison, Failure, Limits, Machine, Next, Num, Options, Program,
    Relation, RelationError, Relations, View,
};

/// `row(N, Text)` for N from 0; counts the rows that it gives and keeps the bounds of its last call.
struct Rows {
    size: i64,
    given: Arc<AtomicU64>,
    bounds: Arc<Mutex<Vec<Bound>>>,
    use_bounds: bool,
    overridable: bool,
}

struct RowIter {
    next: i64,
    end: i64,
    given: Arc<AtomicU64>,
}

impl AnswerIter for RowIter {
    fn next(&mut self, call: &mut Call<'_>) -> Result<Next, RelationError> {
        while self.next <= self.end {
            call.check()?;
            let row = self.next;
            self.next += 1;
            self.given.fetch_add(1, Ordering::Relaxed);
            let text = call.string(&format!("row {row}"));
            if call.attempt(|call| call.unify_int(0, row) && call.unify_arg(1, text)) {
                return Ok(if self.next > self.end { Next::Last } else { Next::More });
            }
        }
        Ok(Next::None)
    }
}

impl Relation for Rows {
    fn name(&self) -> &str {
        "row"
    }

    fn arity(&self) -> usize {
        2
    }

    fn overridable(&self) -> bool {
        self.overridable
    }

    fn solve(&self, call: &mut Call<'_>) -> Result<Answers, RelationError> {
        *self.bounds.lock().unwrap() = call.bounds();
        match call.view_arg(0) {
            View::Int(n) if (0..self.size).contains(&n) => {
                let text = call.string(&format!("row {n}"));
                Ok(if call.unify_arg(1, text) { Answers::Once } else { Answers::None })
            }
            View::Int(_) => Ok(Answers::None),
            View::Var(_) => {
                let (low, high) = if self.use_bounds { call.int_range(0) } else { (i64::MIN, i64::MAX) };
                Ok(Answers::Lazy(Box::new(RowIter {
                    next: low.max(0),
                    end: high.min(self.size - 1),
                    given: Arc::clone(&self.given),
                })))
            }
            View::Atom(_) => Err(RelationError::Other("rows have numbers, no names".to_owned())),
            _ => Err(RelationError::Type { argument: 0, expected: "integer".to_owned() }),
        }
    }
}

struct Setup {
    given: Arc<AtomicU64>,
    bounds: Arc<Mutex<Vec<Bound>>>,
    relations: Relations,
}

fn setup(use_bounds: bool, overridable: bool) -> Setup {
    let (given, bounds) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(Vec::new())));
    let mut relations = Relations::new();
    relations.add(Rows {
        size: 1_000_000,
        given: Arc::clone(&given),
        bounds: Arc::clone(&bounds),
        use_bounds,
        overridable,
    });
    Setup { given, bounds, relations }
}

fn machine(setup: &Setup, text: &str) -> Machine {
    Machine::new(&common::program(text), &setup.relations, Options::default()).unwrap()
}

fn texts(machine: &mut Machine, goal: &str, variable: &str) -> Vec<String> {
    let solutions = machine.query(goal).unwrap().all().unwrap();
    solutions.iter().map(|solution| solution.get(variable).unwrap().to_string()).collect()
}

#[test]
fn answers_are_lazy() {
    let setup = setup(false, false);
    let mut machine = machine(&setup, "");
    let mut query = machine.query("row(N, T)").unwrap();
    let first = query.next().unwrap().unwrap();
    assert_eq!(first.get("T").unwrap().to_string(), "\"row 0\"");
    assert_eq!(setup.given.load(Ordering::Relaxed), 1);
    query.next().unwrap();
    assert_eq!(setup.given.load(Ordering::Relaxed), 2);
}

#[test]
fn a_deterministic_answer_leaves_no_choice_point() {
    let setup = setup(false, false);
    let mut machine = machine(&setup, "");
    let mut query = machine.query("row(7, T)").unwrap();
    assert!(query.next().unwrap().is_some());
    assert!(!query.has_more());
    drop(query);
    let mut query = machine.query("row(N, T), N >= 999999").unwrap();
    assert!(query.next().unwrap().is_some());
    assert!(!query.has_more());
}

#[test]
fn bounds_reach_the_relation() {
    let setup = setup(true, false);
    let mut machine = machine(
        &setup,
        "near(From, N) :- To is From + 2, row(N, _), N >= From, true, N < To + 1.
         inside(N) :- findall(X, ( row(X, _), X < 3 ), N).
         equal(N) :- row(N, T), T \\== none, 5 =:= N.",
    );
    assert_eq!(texts(&mut machine, "near(10, N)", "N"), ["10", "11", "12"]);
    assert_eq!(setup.given.load(Ordering::Relaxed), 3);
    assert_eq!(texts(&mut machine, "row(N, _), 999997 < N", "N"), ["999998", "999999"]);
    assert_eq!(texts(&mut machine, "inside(N)", "N"), ["[0,1,2]"]);
    assert_eq!(texts(&mut machine, "equal(N)", "N"), ["5"]);
    assert_eq!(texts(&mut machine, "row(N, T), N = 4", "N"), ["4"]);
    assert!(setup.given.load(Ordering::Relaxed) <= 12);
    let bounds = setup.bounds.lock().unwrap().clone();
    assert_eq!(bounds, [Bound { arg: 0, op: Comparison::Eq, value: Num::Int(4) }]);
}

#[test]
fn bounds_do_not_cross_other_goals() {
    let setup = setup(true, false);
    let mut machine = machine(&setup, "user(_).");
    for goal in [
        "row(N, _), user(N), N < 3, !",
        "row(N, _), write(x), N < 3, !",
        "row(N, _), ( N < 3 ; true ), !",
        "row(N, _), \\+ N > 3, N < 2, !",
        "row(N, _), !, N < 3",
        "row(N, T), N < M ; true",
        "row(N, _), N =\\= 3, !",
    ] {
        let _ = machine.query(goal).unwrap().next();
        assert_eq!(*setup.bounds.lock().unwrap(), [], "{goal}");
    }
    machine.query("M = 5, row(N, _), N < M").unwrap().next().unwrap();
    assert_eq!(setup.bounds.lock().unwrap().len(), 1);
    // A bound argument needs no bounds.
    machine.query("N = 1, row(N, _), N < 5").unwrap().next().unwrap();
    assert_eq!(*setup.bounds.lock().unwrap(), []);
}

#[test]
fn a_relation_in_call_and_findall() {
    let setup = setup(false, false);
    let mut machine = machine(&setup, "");
    assert_eq!(texts(&mut machine, "G = row(3, T), call(G)", "T"), ["\"row 3\""]);
    assert_eq!(texts(&mut machine, "call(row(N), \"row 5\"), !", "N"), ["5"]);
    assert_eq!(texts(&mut machine, "aggregate_all(count, row(_, _), C)", "C"), ["1000000"]);
    assert_eq!(texts(&mut machine, "findall(N, limit(3, row(N, _)), L)", "L"), ["[0,1,2]"]);
}

#[test]
fn errors_of_a_relation_are_prolog_errors() {
    let setup = setup(false, false);
    let mut machine = machine(&setup, "r :-\n    row(foo, _).");
    let error = machine.query("r").unwrap().next().unwrap_err();
    let Failure::Thrown(thrown) = error else { panic!("{error}") };
    assert_eq!(thrown.message, "rows have numbers, no names (in row/2)");
    assert_eq!(thrown.place, Some(("test.pl".to_owned(), 1)));
    let caught = texts(&mut machine, "catch(row(f(x), _), error(E, _), true)", "E");
    assert_eq!(caught, ["type_error(integer,f(x))"]);
}

#[test]
fn limits_stop_a_relation() {
    let setup = setup(false, false);
    let limits = Limits { steps: Some(10_000), ..Limits::default() };
    let options = Options { limits, output: None };
    let mut machine = Machine::new(&Program::new(), &setup.relations, options).unwrap();
    let error = machine.query("row(N, \"none\")").unwrap().next().unwrap_err();
    assert_eq!(error.to_string(), "the query was stopped after 10000 steps, in `row/2`");
}

#[test]
fn a_program_overrides_only_what_may_be() {
    let text = "row(one, two). append(a, b, c). p(X) :- append(X, _, _). r(L) :- atomic_list_concat(L, x).";
    let plain = setup(false, false);
    let refused = Machine::new(&common::program(text), &plain.relations, Options::default()).err().unwrap();
    let errors = refused.errors();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].message, "the host answers `row/2`; a program cannot define it");
    let open = setup(false, true);
    let mut machine = machine(&open, text);
    assert_eq!(texts(&mut machine, "row(X, Y)", "X"), ["one"]);
    assert_eq!(texts(&mut machine, "p(X)", "X"), ["a"]);
    // The library keeps its own append/3.
    assert_eq!(texts(&mut machine, "append([[1], [2]], L)", "L"), ["[1,2]"]);
    let mut program = Program::new();
    let refused =
        program.consult("bad.pl", "atom_length(X, X).\nfindall(_, _, _).\n(a, b) :- c.").unwrap_err();
    let errors = refused.errors();
    assert_eq!(errors.len(), 3);
    assert_eq!(errors[0].message, "`atom_length/2` is built in; a program cannot define it");
}

#[test]
fn threads_share_a_program() {
    let setup = setup(true, false);
    let program = common::program("small(N) :- row(N, _), N < 1000.");
    let linked = program.link(&setup.relations).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let linked = &linked;
            scope.spawn(move || {
                let mut machine = Machine::of(linked, Options::default());
                assert_eq!(texts(&mut machine, "aggregate_all(sum(N), small(N), S)", "S"), ["499500"]);
            });
        }
    });
}
