//! Rules that never end, rules with errors, and interrupts.

use crate::recordings::{Recorded, example};
use crate::support::{finish, qp, said, scratch};
use rustix::process::{Pid, Signal, kill_process};
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

fn rules(text: &str) -> PathBuf {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let file = folder.join("rules.pl");
    std::fs::write(&file, text).expect("written");
    file
}

fn ask(recorded: &Recorded, text: &str, goal: &str, options: &[&str]) -> Output {
    let file = rules(text);
    finish(qp().args(["query", "ask", goal, "--rules"]).arg(file).args(options).arg(&recorded.folder))
}

#[track_caller]
fn fails(output: &Output, texts: &[&str]) {
    let said = crate::support::unwrapped(&said(output));
    assert_eq!(output.status.code(), Some(2), "{said}");
    for text in texts {
        assert!(said.contains(text), "`{text}` is missing in {said}");
    }
}

#[test]
fn a_rule_that_loops_is_stopped() {
    let recorded = example("javata", "Example");
    let started = Instant::now();
    let output = ask(&recorded, "loop :- loop.", "loop", &["--timeout", "1"]);
    fails(&output, &["stopped after 1000 ms", "loop/0"]);
    let output =
        ask(&recorded, "again :- event(_, _, _), fail.\nagain :- again.", "again", &["--timeout", "1"]);
    fails(&output, &["stopped after 1000 ms"]);
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}

#[test]
fn deep_recursion_has_bounded_memory() {
    let recorded = example("javata", "Example");
    let rules = "count(N, s(R)) :- M is N + 1, count(M, R).\nlist(N, [N | R]) :- list(N, R), true.";
    for goal in ["count(0, X)", "list(0, X)", "findall(X, repeat, L)"] {
        let output = ask(&recorded, rules, goal, &["--goal-memory", "64", "--timeout", "60"]);
        fails(&output, &["needs more than 64 MB"]);
    }
}

/// The limits hold for the rules, which may be large, and for the answers too.
#[test]
fn limits_cover_reading_and_printing() {
    let recorded = example("javata", "Example");
    let started = Instant::now();
    let facts: String = (0..300_000).map(|n| format!("f({n}).\n")).collect();
    fails(&ask(&recorded, &facts, "f(7)", &["--timeout", "1"]), &["stopped after 1000 ms", "rules.pl"]);
    let facts = &facts[..facts.find("f(30000)").expect("a fact")];
    fails(&ask(&recorded, facts, "f(7)", &["--goal-memory", "2"]), &["more than 2 MB, while it read"]);
    let list = format!("l([{}1]).\n", "1,".repeat(10_000_000));
    fails(&ask(&recorded, &list, "l(X)", &[]), &["needs more than 1024 MB, while it read", "rules.pl"]);
    let output = ask(&recorded, "a.", "numlist(1, 3000000, L)", &["--goal-memory", "256"]);
    fails(&output, &["needs more than 256 MB, while an answer was written"]);
    // What is deep is no harm.
    let deep = format!("p({}0{}).\n", "s(".repeat(100_000), ")".repeat(100_000));
    let output = ask(&recorded, &deep, "p(X)", &[]);
    assert!(output.status.success() && output.stdout.len() > 300_000, "{}", output.status);
    assert!(started.elapsed() < Duration::from_secs(40), "{:?}", started.elapsed());
}

/// A text of many errors takes no longer than one of many clauses.
#[test]
fn the_first_hundred_errors_are_told() {
    let recorded = example("javata", "Example");
    let wrong = "a :- b(.\n".repeat(100_000);
    let output = ask(&recorded, &wrong, "a", &[]);
    fails(&output, &["rules.pl:1:8", "rules.pl:100:8"]);
    assert!(!said(&output).contains("rules.pl:101:8"));
}

#[test]
fn an_interrupt_ends_a_goal_soon() {
    let recorded = example("javata", "Example");
    for goal in ["loop", "findall(X, (repeat, event(X, _, _), fail), L)"] {
        let file = rules("loop :- loop.");
        let mut command = qp();
        command.args(["query", "ask", goal, "--rules"]).arg(file).arg(&recorded.folder);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("qp starts");
        std::thread::sleep(Duration::from_millis(700));
        let pid = Pid::from_raw(i32::try_from(child.id()).expect("a pid")).expect("a pid");
        let started = Instant::now();
        kill_process(pid, Signal::INT).expect("sent");
        let output = crate::support::wait(child);
        assert_eq!(output.status.code(), Some(130), "{goal}: {}", said(&output));
        assert!(started.elapsed() < Duration::from_secs(5), "{goal}: {:?}", started.elapsed());
    }
}

#[test]
fn errors_in_rules_have_their_place() {
    let recorded = example("javata", "Example");
    let endless = finish(qp().args(["query", "ask", "a", "--rules", "/dev/zero"]).arg(&recorded.folder));
    fails(&endless, &["/dev/zero", "not a regular file"]);
    let output = finish(qp().args(["query", "ask", "a", "--rules", "missing.pl"]).arg(&recorded.folder));
    fails(&output, &["missing.pl"]);
    fails(&ask(&recorded, "a :- b(.\n", "a", &[]), &["rules.pl:1:8", "expected a term"]);
    fails(&ask(&recorded, "a.\n\n  b :- c,\n d\ne.", "a", &[]), &["rules.pl:5:1"]);
    fails(&ask(&recorded, "a.", "a, b(", &[]), &["query:1:"]);
}

#[test]
fn an_unknown_field_names_the_nearest() {
    let recorded = crate::recordings::queried();
    let rec = recorded.events.iter().find(|event| event.is("setfield") && event.name() == "bar").unwrap();
    let number = rec.owner().of("o").unwrap()[1].int().unwrap();
    for (words, text) in [
        (
            ["where-set".to_owned(), "Rec.baz".to_owned()],
            "no recorded class has a field `Rec.baz`; the nearest name is",
        ),
        (
            ["history".to_owned(), format!("@{number}.bars")],
            "no recorded class has a field `bars`; the nearest name is bar",
        ),
        (["history".to_owned(), "Queried.counts".to_owned()], "the nearest name is Queried.count"),
    ] {
        fails(&finish(qp().arg("query").args(words).arg(&recorded.folder)), &[text]);
    }
}

#[test]
fn an_unknown_predicate_names_the_nearest() {
    let recorded = example("javata", "Example");
    fails(
        &ask(&recorded, "chained(X) :- call_chian(15, X).", "chained(X)", &[]),
        &["call_chian/2", "call_chain/2"],
    );
    fails(&ask(&recorded, "a.", "evnt(X, _, _)", &[]), &["evnt/3", "event/3"]);
    // An argument that must be bound is named.
    fails(&ask(&recorded, "a.", "enclosing_call(X, Y)", &[]), &["enclosing_call"]);
}
