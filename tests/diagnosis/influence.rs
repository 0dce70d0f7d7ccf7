//! A slice never leaves out a call that influenced a value: random programs compute the influences
//! themselves.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::diagnosed::{diagnoser, made};
use crate::support::{finish, scratch};
use session::Context;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::process::Command;

fn number_of(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect("a number"))
}

/// Never left out: a call of `tap` whose changed result changes the final values, and its enclosing calls.
/// The program computed that by its own runs.
#[test]
fn no_call_is_left_out_that_has_influenced_a_value() {
    let first = number_of("QP_RANDOM_SEED").unwrap_or(1);
    let many = number_of("QP_RANDOM_PROGRAMS").unwrap_or(6);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (mut told, mut left_out) = (0, 0);
    for seed in first..first + many {
        let (mut one, mut other) = (0, 0);
        runtime.block_on(tokio::task::LocalSet::new().run_until(compare(seed, &mut one, &mut other)));
        told += one;
        left_out += other;
    }
    println!("{told} values, {left_out} calls of tap left out");
    assert!(told > 0 && left_out > 0);
}

async fn compare(seed: u64, told: &mut usize, left_out: &mut usize) {
    let (plain, finds_out) = crate::support::influences::program(seed);
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let paths = ["plain", "finds-out"].map(|name| folder.path().join(name));
    made(&paths[0], "Influences", &plain);
    made(&paths[1], "Influences", &finds_out);
    let [plain, finds_out] = paths;
    let output = finish(Command::new("java").arg("-cp").arg(&finds_out).arg("Influences"));
    if !output.status.success() {
        // It throws an exception.
        return;
    }
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut diagnoser = diagnoser(&plain, "Influences").await;
    let context = Context::silent();
    let forest = diagnoser.diagnosis().forest().clone();
    let mut names = HashMap::new();
    for node in 0..forest.count() {
        if let Entry::Vacant(name) = names.entry(forest.method(node)) {
            let question = diagnoser.question(node, &context).await.expect("a question");
            name.insert(question.method);
        }
    }
    let of = |name: &str| {
        (0..forest.count()).filter(|node| names[&forest.method(*node)] == name).collect::<Vec<_>>()
    };
    let (compute, taps) = (of("compute")[0], of("tap"));
    let question = diagnoser.question(compute, &context).await.expect("a question");
    for line in found.lines() {
        let numbers: Vec<usize> = line.split(' ').map(|number| number.parse().expect("a number")).collect();
        let path = crate::support::influences::PATHS[numbers[0]];
        let influential = diagnoser.influential(&question, path, &context);
        let influential = match influential.await.expect("a part") {
            Ok(influential) => influential,
            Err(why) => panic!("{seed}, {path}: {why}"),
        };
        *told += 1;
        *left_out += taps.iter().filter(|tap| !influential.contains(tap)).count();
        for tap in &numbers[1..] {
            let call = taps[*tap];
            assert!(
                influential.contains(&call),
                "{seed}: {path} depends on tap {tap}, call #{call}: {influential:?}"
            );
            let around = (compute + 1..call).filter(|around| forest.tree(*around).contains(&call));
            around.for_each(|around| assert!(influential.contains(&around), "{seed}: {path}, #{around}"));
        }
    }
}
