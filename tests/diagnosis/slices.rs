//! A slice never leaves out a call that influenced a value: traps of the language and of the JDK, where the
//! program computes the influences itself.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::diagnosed::{diagnoser, made};
use crate::support::{finish, root, said, scratch};
use diagnose::Diagnoser;
use session::{Context, SessionError};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::process::Command;

/// The body of `tap`, and its body where the program computes the influences.
const TAP: (&str, &str) =
    ("{ return value; }\n\n    interface", "{ return at++ == wrong ? value + by : value; }\n\n    interface");

/// The calls by the names of their methods, in their order.
async fn calls_of(diagnoser: &mut Diagnoser) -> HashMap<String, Vec<u32>> {
    let context = Context::silent();
    let forest = diagnoser.diagnosis().forest().clone();
    let mut names: HashMap<u32, String> = HashMap::new();
    let mut calls: HashMap<String, Vec<u32>> = HashMap::new();
    for node in 0..forest.count() {
        let method = forest.method(node);
        if let Entry::Vacant(name) = names.entry(method) {
            let question = diagnoser.question(node, &context).await.expect("a question");
            name.insert(question.method);
        }
        calls.entry(names[&method].clone()).or_default().push(node);
    }
    calls
}

async fn in_no_trap() {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let text = std::fs::read_to_string(root().join("tests/fixtures/slices/Slices.java")).expect("a program");
    assert!(text.contains(TAP.0));
    let (plain, finds_out) = (folder.path().join("plain"), folder.path().join("finds-out"));
    made(&plain, "Slices", &text);
    made(&finds_out, "Slices", &text.replace(TAP.0, TAP.1));
    let output = finish(Command::new("java").arg("-cp").arg(&finds_out).args(["Slices", "find"]));
    assert!(output.status.success(), "{}", said(&output));
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut diagnoser = diagnoser(&plain, "Slices").await;
    let calls = calls_of(&mut diagnoser).await;
    let forest = diagnoser.diagnosis().forest().clone();
    let context = Context::silent();
    let (mut told, mut left_out, mut missing) = (0, 0, Vec::new());
    // A class is initialised once, so the program cannot compute that influence.
    for line in found.lines().chain(["testInitialized result 0"]) {
        let [method, path, numbers @ ..] = &line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let call = calls[*method][0];
        let below = forest.tree(call);
        let taps: Vec<u32> = calls["tap"].iter().copied().filter(|tap| below.contains(tap)).collect();
        let question = diagnoser.question(call, &context).await.expect("a question");
        let influential = diagnoser.influential(&question, path, &context);
        let influential = match influential.await.expect("a part") {
            Ok(influential) => influential,
            Err(why) => panic!("{method}, {path}: {why}"),
        };
        told += 1;
        left_out += taps.iter().filter(|tap| !influential.contains(tap)).count();
        for number in numbers {
            let number: usize = number.parse().expect("a number");
            let tap = taps[number];
            let whole = (call + 1..=tap).filter(|around| forest.tree(*around).contains(&tap));
            if !whole.clone().all(|around| influential.contains(&around)) {
                missing
                    .push(format!("{method}, {path}: tap {number}, one of {:?}", whole.collect::<Vec<_>>()));
            }
        }
    }
    println!("{told} values, {left_out} calls of tap left out");
    assert!(told > 140 && left_out > 0, "{told}, {left_out}");
    assert!(missing.is_empty(), "{missing:#?}");
}

fn run(work: impl std::future::Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(tokio::task::LocalSet::new().run_until(work));
}

async fn interrupted() {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let text = std::fs::read_to_string(root().join("tests/fixtures/slices/Slices.java")).expect("a program");
    let plain = folder.path().join("plain");
    made(&plain, "Slices", &text);
    let mut diagnoser = diagnoser(&plain, "Slices").await;
    let call = calls_of(&mut diagnoser).await["testRecursion"][0];
    let (stop, context) = Context::silent().renewed();
    let question = diagnoser.question(call, &context).await.expect("a question");
    stop.send(true).expect("somebody listens");
    let found = diagnoser.influential(&question, "result", &context).await;
    assert!(matches!(found, Err(SessionError::Interrupted)), "{found:?}");
    stop.send(false).expect("somebody listens");
    let found = diagnoser.influential(&question, "result", &context).await;
    assert!(found.expect("a part").expect("a slice").len() > 3);
}

#[test]
fn somebody_can_interrupt_it() {
    run(interrupted());
}

#[test]
fn no_call_is_left_out_whatever_the_language_and_the_jdk_do() {
    run(in_no_trap());
}
