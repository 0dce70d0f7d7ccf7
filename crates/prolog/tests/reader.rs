//! What the reader accepts, where it finds errors, and how it names them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use prolog::{Atoms, ClauseReader, Machine, Options, Program, Relations, Value};

/// The error of a text as `line:column: message`.
fn error(text: &str) -> String {
    let mut program = Program::new();
    program.consult("f.pl", text).expect_err(text).errors()[0].to_string()
}

#[test]
fn errors_name_place_and_expectation() {
    for (text, expected) in [
        ("p :- event(X Y).", "f.pl:1:14: found `Y`, expected `)` or `,` in the arguments of `event`"),
        (
            "p.\nq(X) :- X = [1, 2.\nr.",
            "f.pl:2:18: found the end of the clause, expected `]`, `,` or `|` in the list",
        ),
        ("p(X) :- foo(X), .", "f.pl:1:17: found the end of the clause, expected a term"),
        ("p(X)", "f.pl:1:4: the last clause has no `.` at its end"),
        ("p :- q), r.", "f.pl:1:7: found `)`, expected an operator or `.` at the end of the clause"),
        ("p('abc).\nq.", "f.pl:1:3: a text opened with ' has no closing quote on its line"),
        ("p /* open", "f.pl:1:3: the comment has no closing `*/`"),
        ("p(99999999999999999999).", "f.pl:1:3: the integer does not fit into 64 bits"),
        ("p :- X = a :- b.", "f.pl:1:12: the left argument of `:-` has priority 1200; put it in parentheses"),
        ("p(\"a\\qb\").", "f.pl:1:3: `\\q` is no escape"),
        (":- op(700, xfx, ===).", "f.pl:1:4: the operators are fixed; `op/3` is left out"),
        ("p --> q.", "f.pl:1:1: grammar rules (`-->`) are left out"),
        ("p :- q, 3.", "f.pl:1:9: a goal must be an atom or a compound, not a number or string"),
        ("3 :- p.", "f.pl:1:1: the head of a clause must be an atom or a compound"),
        ("p(X) :- X = `abc`.", "f.pl:1:13: lists of codes in backquotes are left out; write \"…\" or '…'"),
    ] {
        assert_eq!(error(text), expected, "{text}");
    }
}

#[test]
fn all_errors_of_a_file_are_found() {
    let mut program = Program::new();
    let refused = program.consult("f.pl", "p(.\nq.\nr :- ].\ns.").unwrap_err();
    let errors = refused.errors();
    assert_eq!(errors.iter().map(|error| error.line).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(program.predicates().count(), 0);
}

#[test]
fn warnings_tell_singletons_and_scattered_clauses() {
    let mut program = Program::new();
    program.consult("f.pl", "p(X, _Y) :- q(Z).\nq(_).\np(a, b).\n:- dynamic r/1.").unwrap();
    let warnings: Vec<String> = program.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "f.pl:1:3: `X`, `Z` occur only once; write `_` if that is meant",
            "f.pl:3:1: the clauses of `p/2` do not stand together",
        ]
    );
}

#[test]
fn clauses_can_be_inspected() {
    let mut program = Program::new();
    let text = "p(X) :-\n    q(X, 1),\n    r.\np(a).";
    program.consult("f.pl", text).unwrap();
    let clauses: Vec<_> = program.clauses("p", 1).collect();
    assert_eq!(clauses.len(), 2);
    let term = &clauses[0].read.term;
    let body = clauses[0].body.unwrap();
    let first = term.args(body)[0];
    let span = clauses[0].read.span_of(first);
    assert_eq!(&text[span.start as usize..span.end as usize], "q(X, 1)");
    assert_eq!(clauses[1].line, 4);
    assert!(clauses[1].body.is_none());
    assert_eq!(program.predicates().collect::<Vec<_>>(), [("p", 1)]);
    let linked = program.link(&Relations::new()).unwrap();
    assert_eq!(linked.unknown_predicates(), ["q/2", "r/0"]);
}

#[test]
fn a_text_can_be_read_from_an_offset() {
    let atoms = Arc::new(Atoms::new());
    let text = "a. b. % comment\nc(X).";
    let mut reader = ClauseReader::new("f.pl", text, &atoms);
    assert!(reader.next().unwrap().is_ok());
    let offset = reader.offset();
    let rest: Vec<_> = ClauseReader::from_offset("f.pl", text, offset, &atoms).collect();
    assert_eq!(rest.len(), 2);
    assert_eq!(rest[1].as_ref().unwrap().variables, ["X"]);
}

#[test]
fn values_are_lists_and_compare() {
    let atoms = Arc::new(Atoms::new());
    let read = |text| Value::read(text, &atoms).unwrap();
    let list = read("[a, f(X), \"s\", 1.5 | T]");
    let items: Vec<String> = list.cursor().list().map(|item| item.to_string()).collect();
    assert_eq!(items, ["a", "f(_G0)", "\"s\"", "1.5"]);
    assert!(read("1.0") < read("1"));
    assert!(read("\"a\"") < read("a"));
    assert!(read("f(a)") < read("f(b)"));
    assert_eq!(read("'hello world'").to_string(), "'hello world'");
    assert_eq!(read("'hello world'").plain(), "hello world");
    assert!(Value::read("f(", &atoms).is_err());
}

#[test]
fn internal_predicates_cannot_break_the_machine() {
    let mut machine = Machine::new(&Program::new(), &Relations::new(), Options::default()).unwrap();
    for goal in [
        "'$catch'",
        "'$end_catch'",
        "'$close'(a, X, Y)",
        "'$close'(0, X, Y)",
        "findall(X, ( '$close'(0, _, []) ; X = 1 ), L)",
        "'$cut'(0), fail",
        "'$cut'(f(x))",
        "'$call'(!, 100000)",
        "'$call'(true, x)",
        "'$and'(true, X, y)",
        "'$collect'(3, f(X))",
        "'$open'(X, Y), '$tick'(Y, Z)",
        "'$unbound'(x, y)",
        "'$free_variables'(x, Y, Z)",
        "catch('$cut'(0), _, true), throw(x)",
    ] {
        let _ = machine.query(goal).unwrap().all();
    }
    assert!(machine.query("true").unwrap().next().unwrap().is_some());
}
