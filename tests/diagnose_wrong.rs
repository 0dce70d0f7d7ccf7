//! `wrong PATH`: somebody points at what is wrong, and calls that have influenced it are asked about first.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod faults;
mod influences;
mod support;

use faults::trial::Trial;
use querypoint::declarative::STRATEGIES;
use querypoint::session::{Bounds, DiagnoseOptions, Diagnoser, Interrupt, MEMORY, RecordedTrace, Silent};
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{finish, qp, said, scratch};

/// Records a program.
fn recorded(classes: &Path, class: &str, level: &str) -> PathBuf {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("trace");
    let mut command = qp();
    command.args(["trace", "record", "--level", level, "--out"]).arg(&folder);
    let output = finish(command.args(["--", "java", "-cp"]).arg(classes).arg(class));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    folder
}

/// The 32 faults of `examples/declarative`: whoever points at the first part that differs is led to the same method, by every strategy.
#[test]
fn whoever_points_at_what_differs_is_led_to_the_fault_too() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(tokio::task::LocalSet::new().run_until(play_all()));
}

async fn play_all() {
    let programs = faults::programs();
    let mut trials = Vec::new();
    for fault in faults::saved().faults {
        let program = programs.iter().find(|p| p.name == fault.program).expect("a program");
        let trial = Trial::new(program, &fault).await;
        for why in &trial.unknown {
            println!("{}:{} {why}", fault.program, fault.line);
        }
        let (mut wrong, mut pointed, mut below, mut influential) = (0, 0, 0, 0);
        for (at, right) in trial.right.iter().enumerate() {
            wrong += usize::from(*right == Some(false));
            if let Some(these) = &trial.influential[at] {
                pointed += 1;
                below += trial.forest.tree(at as u32).len() - 1;
                influential += these.len();
                println!("      {at} {}: {} of {}", trial.name(at as u32), these.len(), trial.forest.tree(at as u32).len() - 1);
            }
        }
        println!("{}:{} {}: {pointed} of {wrong}, {influential} of {below}", fault.program, fault.line, fault.method);
        trials.push(trial);
    }
    for row in STRATEGIES {
        let (mut plain, mut pointing) = (0, 0);
        for trial in &trials {
            let (one, other) = (trial.play(row.name), trial.play_pointing(row.name));
            assert_eq!(one.ended_at.as_deref(), Some(trial.faulty.as_str()), "{}:{}", trial.program, trial.line);
            assert_eq!(other.ended_at, one.ended_at, "{} {}:{}", row.name, trial.program, trial.line);
            plain += one.answers;
            pointing += other.answers;
            if ["foremost", "top-down", "divide-and-query"].contains(&row.name) && one.answers != other.answers {
                println!("   {} {}:{} {} -> {}", row.name, trial.program, trial.line, one.answers, other.answers);
            }
        }
        println!("{:<26} {plain:>5} {pointing:>5}", row.name);
    }
}

/// A call of `tap` whose other result changes what is left is never left out, nor are those around it; the program has found out by running so.
#[test]
fn no_call_is_left_out_that_has_influenced_a_value() {
    let first = std::env::var("QP_RANDOM_SEED").ok().map_or(1, |seed| seed.parse().expect("a number"));
    let many = std::env::var("QP_RANDOM_PROGRAMS").ok().map_or(6, |many| many.parse().expect("a number"));
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
    let (plain, finds_out) = influences::program(seed);
    let folder = tempfile::tempdir_in(support::scratch()).expect("a folder");
    let made = |name: &str, text: &str| {
        let to = folder.path().join(name);
        std::fs::create_dir(&to).expect("a folder");
        let file = to.join("Influences.java");
        std::fs::write(&file, text).expect("written");
        let output = finish(Command::new("javac").args(["-g", "-nowarn", "-d"]).arg(&to).arg(&file));
        assert!(output.status.success(), "{seed}: {}\n{text}", said(&output));
        to
    };
    let (plain, finds_out) = (made("plain", &plain), made("finds-out", &finds_out));
    let output = finish(Command::new("java").arg("-cp").arg(&finds_out).arg("Influences"));
    if !output.status.success() {
        // It throws an exception.
        return;
    }
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    let trace = recorded(&plain, "Influences", "all");
    let (_stop, mut interrupt) = Interrupt::new();
    let trace = RecordedTrace::open(&trace, MEMORY, &mut Silent, &mut interrupt).await.expect("opened");
    let bounds = Bounds { depth: 2, elements: 4, parts: 100 };
    let options = DiagnoseOptions { strategy: None, p: None, node: None, compress: None, bounds };
    let mut diagnoser = Diagnoser::new(trace, options).expect("begun");
    let forest = diagnoser.diagnosis().forest().clone();
    let mut names = std::collections::HashMap::new();
    for node in 0..forest.count() {
        if let std::collections::hash_map::Entry::Vacant(name) = names.entry(forest.method(node)) {
            let question = diagnoser.question(node, &mut Silent, &mut interrupt).await.expect("a question");
            name.insert(question.method);
        }
    }
    let of = |name: &str| (0..forest.count()).filter(|node| names[&forest.method(*node)] == name).collect::<Vec<_>>();
    let (compute, taps) = (of("compute")[0], of("tap"));
    let question = diagnoser.question(compute, &mut Silent, &mut interrupt).await.expect("a question");
    for line in found.lines() {
        let numbers: Vec<usize> = line.split(' ').map(|number| number.parse().expect("a number")).collect();
        let path = influences::PATHS[numbers[0]];
        let mut silent = Silent;
        let influential = diagnoser.influential(compute, &question, path, &mut silent, &mut interrupt);
        let influential = match influential.await.expect("a part") {
            Ok(influential) => influential,
            Err(why) => panic!("{seed}, {path}: {why}"),
        };
        *told += 1;
        *left_out += taps.iter().filter(|tap| !influential.contains(tap)).count();
        for tap in &numbers[1..] {
            let call = taps[*tap];
            assert!(influential.contains(&call), "{seed}: {path} depends on tap {tap}, call #{call}: {influential:?}");
            let around = (compute + 1..call).filter(|around| forest.tree(*around).contains(&call));
            around.for_each(|around| assert!(influential.contains(&around), "{seed}: {path}, #{around}"));
        }
    }
}
#[test]
#[ignore]
fn dump() {
    let seed = std::env::var("QP_RANDOM_SEED").unwrap().parse().unwrap();
    let (a, b) = influences::program(seed);
    std::fs::create_dir_all("/tmp/wr/d/a").unwrap();
    std::fs::create_dir_all("/tmp/wr/d/b").unwrap();
    std::fs::write("/tmp/wr/d/a/Influences.java", a).unwrap();
    std::fs::write("/tmp/wr/d/b/Influences.java", b).unwrap();
}
