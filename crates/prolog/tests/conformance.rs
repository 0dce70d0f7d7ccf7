//! Compares solutions, output and errors of a list of goals with SWI-Prolog.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

/// Goals whose result differs on purpose.
const DIFFERENT: &[&str] = &[];

#[test]
fn goals_answer_as_in_swipl() {
    if !common::has_swipl() {
        return;
    }
    let text = include_str!("data/conformance.pl");
    let goals: Vec<String> = include_str!("data/conformance.txt")
        .lines()
        .filter(|line| !line.is_empty() && !DIFFERENT.contains(line))
        .map(str::to_owned)
        .collect();
    let program = common::program(text);
    let theirs = common::run_swipl(text, &goals);
    let mut wrong = String::new();
    for (goal, theirs) in goals.iter().zip(theirs) {
        let ours = common::run(&program, goal);
        if ours != theirs {
            wrong.push_str(&format!("?- {goal}\n  ours:\n{ours}  swipl:\n{theirs}\n"));
        }
    }
    assert!(wrong.is_empty(), "{} goals differ:\n{wrong}", wrong.matches("?- ").count());
}
