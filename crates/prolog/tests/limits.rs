//! Limits, deep recursion and deep terms.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use prolog::{Failure, Limits, Machine, Options, Program, Relations, Stopped};

fn machine(text: &str, limits: Limits) -> Machine {
    Machine::new(&common::program(text), &Relations::new(), Options { limits, output: None }).unwrap()
}

fn stopped(machine: &mut Machine, goal: &str) -> Stopped {
    match machine.query(goal).unwrap().all() {
        Err(Failure::Stopped(stopped)) => stopped,
        other => panic!("{goal}: {other:?}"),
    }
}

fn count(machine: &mut Machine, goal: &str) -> usize {
    machine.query(goal).unwrap().all().unwrap_or_else(|error| panic!("{goal}: {error}")).len()
}

const LOOPS: &str = "loop :- loop.
    grow(X) :- grow(g(X)).
    deep(N) :- deep(s(N)), true.
    left(X) :- left(X).
    left(_).
    backtrack :- repeat, fail.
    len([], 0).
    len([_|T], N) :- len(T, M), N is M + 1.
    nest(0, z) :- !.
    nest(N, s(X)) :- M is N - 1, nest(M, X).
    calls(0, true) :- !.
    calls(N, call(G)) :- M is N - 1, calls(M, G).
    nots(0, true) :- !.
    nots(N, \\+ G) :- M is N - 1, nots(M, G).
    commas(0, true) :- !.
    commas(N, (true, G)) :- M is N - 1, commas(M, G).
    conjunctions(0, true) :- !.
    conjunctions(N, (G, true)) :- M is N - 1, conjunctions(M, G).
    count(N, N) :- !.
    count(I, N) :- J is I + 1, count(J, N).";

#[test]
fn steps_and_time_stop_loops() {
    let mut steps = machine(LOOPS, Limits { steps: Some(100_000), ..Limits::default() });
    for goal in [
        "loop",
        "backtrack",
        "repeat, fail",
        "X = call(X), X",
        "X = call(X), call(X)",
        "left(x), fail",
        "between(1, inf, _), fail",
    ] {
        assert!(matches!(stopped(&mut steps, goal), Stopped::Steps { limit: 100_000, .. }), "{goal}");
    }
    assert_eq!(
        stopped(&mut steps, "loop").to_string(),
        "the query was stopped after 100000 steps, in `loop/0`"
    );
    let mut time = machine(LOOPS, Limits { time: Some(Duration::from_millis(50)), ..Limits::default() });
    let started = Instant::now();
    assert!(matches!(stopped(&mut time, "loop"), Stopped::Time { .. }));
    assert!(started.elapsed() < Duration::from_secs(5));
    // The machine goes on after a stop.
    assert_eq!(count(&mut steps, "member(X, [a, b])"), 2);
}

#[test]
fn steps_are_counted_exactly() {
    let limits = |steps| Limits { steps: Some(steps), ..Limits::default() };
    assert_eq!(count(&mut machine(LOOPS, limits(5_000)), "count(0, 2000)"), 1);
    assert!(matches!(stopped(&mut machine(LOOPS, limits(5_000)), "count(0, 6000)"), Stopped::Steps { .. }));
}

#[test]
fn memory_stops_growth() {
    let mut machine = machine(LOOPS, Limits { memory: 64 << 20, ..Limits::default() });
    let error = stopped(&mut machine, "grow(a)");
    assert_eq!(error.to_string(), "the query needs more than 67 MB, in `grow/1`; a recursion may not end");
    for goal in [
        "deep(0)",
        "left(x)",
        "length(L, 1000000000)",
        "numlist(1, 1000000000, L)",
        "findall(X, between(1, 1000000000, X), L)",
        "format(\"~*c\", [10000000000, 0'x])",
        "functor(T, f, 100000000)",
        "X = f(X), copy_term(X, Y)",
        "X = f(X), Y = f(Y), X = Y",
        "X = f(X, X), Y = f(Y, Y), X == Y",
        "X = [a|X], length(X, N), fail ; X = [a|X], atom_length(X, N)",
        "X = f(X), write(X)",
        "X = f(X)",
        "tab(100000000000)",
    ] {
        let result = machine.query(goal).unwrap().all();
        assert!(
            matches!(result, Err(Failure::Stopped(Stopped::Memory { .. }) | Failure::Thrown(_))),
            "{goal}: {result:?}"
        );
    }
}

#[test]
fn catch_does_not_swallow_a_stop() {
    let mut steps = machine(LOOPS, Limits { steps: Some(10_000), ..Limits::default() });
    for goal in [
        "catch(loop, _, true)",
        "catch(call_cleanup(loop, true), _, true)",
        "\\+ loop",
        "findall(x, loop, _)",
    ] {
        assert!(matches!(stopped(&mut steps, goal), Stopped::Steps { .. }), "{goal}");
    }
    let mut memory = machine(LOOPS, Limits { memory: 16 << 20, ..Limits::default() });
    assert!(matches!(stopped(&mut memory, "catch(grow(a), _, true)"), Stopped::Memory { .. }));
}

#[test]
fn an_interrupt_stops_a_query() {
    let flag = Arc::new(AtomicBool::new(false));
    let mut machine = machine(LOOPS, Limits::default().interrupted_by(flag.clone()));
    flag.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(matches!(stopped(&mut machine, "loop"), Stopped::Interrupted { .. }));
}

#[test]
fn a_million_deep_recursion_works() {
    let mut machine = machine(LOOPS, Limits::default());
    let solutions = machine.query("numlist(1, 1000000, L), len(L, N), L = [F|_]").unwrap().all().unwrap();
    assert_eq!(solutions[0].get("N").unwrap().to_string(), "1000000");
    assert_eq!(count(&mut machine, "count(0, 3000000)"), 1);
}

#[test]
fn deep_terms_need_no_native_stack() {
    let mut machine = machine(LOOPS, Limits::default());
    for goal in [
        "nest(1000000, X), nest(1000000, Y), X = Y, X == Y, compare(=, X, Y)",
        "nest(1000000, X), copy_term(X, Y), ground(Y), X = Y",
        "nest(1000000, X), term_to_atom(X, A), atom_length(A, 3000001)",
        "nest(1000000, X), findall(X, true, [Y]), X = Y",
        "nest(1000000, X), catch(throw(X), Y, true)",
        "nest(200000, X), term_variables(X, Vs), X =@= X",
        "nest(1000000, X), write(X)",
        "calls(1000000, G), call(G)",
        "nots(1000000, G), ( call(G) -> true ; true )",
        "commas(300000, G), call(G), conjunctions(300000, H), call(H)",
    ] {
        assert_eq!(count(&mut machine, goal), 1, "{goal}");
    }
    let solution = machine.query("nest(1000000, X)").unwrap().next().unwrap().unwrap();
    let value = solution.get("X").unwrap();
    let copy = value.clone();
    assert_eq!(*value, copy);
    assert_eq!(value.to_string().len(), 3_000_001);
    // The text reads back.
    let text = value.to_string();
    let read = prolog::Value::read(&text, machine.atoms()).unwrap();
    assert_eq!(*value, read);
}

#[test]
fn long_clauses_are_read_and_run() {
    let elements: Vec<String> = (0..100_000).map(|n| n.to_string()).collect();
    let goals = vec!["true"; 100_000].join(", ");
    let sum = vec!["1"; 20_000].join(" + ");
    let branches = vec!["fail"; 2_000].join(" ; ");
    let text = format!(
        "list([{}]).\nbody :- {goals}.\nsum(X) :- X is {sum}.\nbranches :- ( {branches} ; true ).",
        elements.join(",")
    );
    let mut machine = machine(&text, Limits::default());
    let goal = "list(L), length(L, N), body, sum(X), branches";
    let solutions = machine.query(goal).unwrap().all().unwrap();
    assert_eq!(solutions[0].get("N").unwrap().to_string(), "100000");
    assert_eq!(solutions[0].get("X").unwrap().to_string(), "20000");
}

#[test]
fn a_large_findall_stays_small() {
    let mut machine = machine("", Limits { memory: 200 << 20, ..Limits::default() });
    let goal = "findall(X-f(X), between(1, 1000000, X), L), length(L, N)";
    let solution = machine.query(&format!("{goal}, L = []")).unwrap().next().unwrap();
    assert_eq!(solution, None);
    assert_eq!(count(&mut machine, "( between(1, 200000, _), limit(1, true), fail ; true )"), 1);
    assert_eq!(count(&mut machine, "aggregate_all(count, between(1, 1000000, _), 1000000)"), 1);
}

#[test]
fn nested_controls_have_a_limit() {
    let deep = format!("{}true{}", "\\+ (".repeat(5_000), ")".repeat(5_000));
    let mut program = Program::new();
    program.consult("deep.pl", &format!("p :- {deep}.")).unwrap();
    let refused = Machine::new(&program, &Relations::new(), Options::default()).err().unwrap();
    assert_eq!(refused.errors()[0].message, "control constructs nest deeper than 500");
}
