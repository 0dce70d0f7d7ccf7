//! Measures inferences and answers of relations per second, beside SWI-Prolog if it is installed.

use std::process::Command;
use std::time::Instant;

use prolog::{
    AnswerIter, Answers, Call, Limits, Machine, Next, Options, Program, Relation, RelationError, Relations,
};

const PROGRAM: &str = "
app([], L, L).
app([H|T], L, [H|R]) :- app(T, L, R).
nrev([], []).
nrev([H|T], R) :- nrev(T, RT), app(RT, [H], R).
bench(0, _) :- !.
bench(N, L) :- nrev(L, _), M is N - 1, bench(M, L).
nrev30 :- numlist(1, 30, L), bench(20000, L).
count(0) :- !.
count(N) :- M is N - 1, count(M).
fib(0, 0).
fib(1, 1).
fib(N, F) :- N > 1, A is N - 1, B is N - 2, fib(A, FA), fib(B, FB), F is FA + FB.
queens(N, Qs) :- numlist(1, N, Ns), select_queens(Ns, [], Qs).
select_queens([], Qs, Qs).
select_queens(Free, Safe, Qs) :-
    select(Q, Free, Rest), \\+ attacks(Q, 1, Safe), select_queens(Rest, [Q|Safe], Qs).
attacks(X, N, [Y|_]) :- ( X =:= Y + N ; X =:= Y - N ).
attacks(X, N, [_|Ys]) :- M is N + 1, attacks(X, M, Ys).
";

/// `int(X)` for ten million integers.
struct Ints;

struct IntIter(i64);

impl AnswerIter for IntIter {
    fn next(&mut self, call: &mut Call<'_>) -> Result<Next, RelationError> {
        let value = self.0;
        self.0 += 1;
        call.unify_int(0, value);
        Ok(if value + 1 == 10_000_000 { Next::Last } else { Next::More })
    }
}

impl Relation for Ints {
    fn name(&self) -> &str {
        "int"
    }

    fn arity(&self) -> usize {
        1
    }

    fn solve(&self, _: &mut Call<'_>) -> Result<Answers, RelationError> {
        Ok(Answers::Lazy(Box::new(IntIter(0))))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut program = Program::new();
    program.consult("speed.pl", PROGRAM).map_err(|errors| format!("{errors:?}"))?;
    let mut relations = Relations::new();
    relations.add(Ints);
    let options = Options { limits: Limits { memory: 4 << 30, ..Limits::default() }, output: None };
    let mut machine = Machine::new(&program, &relations, options).map_err(|errors| format!("{errors:?}"))?;
    let file = std::env::temp_dir().join("prolog_speed.pl");
    std::fs::write(&file, format!("{PROGRAM}int(X) :- between(0, 9999999, X).\n"))?;
    println!("{:60} {:>9} {:>9}", "goal", "here", "swipl");
    for (goal, count) in [
        ("int(X), fail ; true", 10_000_000_u64),
        ("between(1, 10000000, X), X > 9999999", 10_000_000),
        ("between(1, 10000000, X), Y is X, Y > 9999999", 10_000_000),
        ("nrev30", 20_000 * 496),
        ("count(3000000)", 3_000_000),
        ("fib(24, F)", 150_049),
        ("findall(Q, queens(8, Q), L), length(L, 92)", 0),
        ("findall(X, between(1, 1000000, X), L), sum_list(L, S)", 2_000_000),
    ] {
        let started = Instant::now();
        let mut query = machine.query(goal)?;
        query.next()?;
        drop(query);
        let here = started.elapsed().as_secs_f64();
        let timed = format!(
            "statistics(cputime, A), ( once(( {goal} )) -> true ; true ), statistics(cputime, B), C is B - A, \
             format('~3f', [C])"
        );
        let swipl = Command::new("swipl").args(["-g", &timed, "-t", "halt"]).arg(&file).output();
        let theirs =
            swipl.map_or_else(|_| "-".to_owned(), |out| String::from_utf8_lossy(&out.stdout).into_owned());
        // A rate needs no more digits than a float has.
        #[allow(clippy::cast_precision_loss)]
        let rate = count as f64 / here / 1e6;
        println!("{goal:60} {here:7.3} s {theirs:>7} s   {rate:.1} million/s");
    }
    Ok(())
}
