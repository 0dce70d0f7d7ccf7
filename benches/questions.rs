//! Number of questions that each strategy asks until it finds the faulty method: the five programs of
//! `examples/declarative` with their 32 faults, compared with JHyde's Table 1. The program without the fault
//! answers every question.
//!
//! `cargo bench --bench questions`; `QP_BENCH_ONLY=AvlTree` for one program, `QP_BENCH_ONLY=large` for the
//! time of the next question in a large tree, `QP_BENCH_SHOW=foremost` to see the questions.
//! `QP_BENCH_SEEDS=2-12` uses other faults than the 32, drawn from these seeds by the same operators.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a bench fails by panicking")]

#[path = "../tests/diagnosis/faults/mod.rs"]
mod faults;
#[path = "questions/large.rs"]
mod large;

use declarative::STRATEGIES;
use faults::trial::Trial;

/// JHyde's Table 1: average number of answers per strategy, for AVL tree, binary tree, B-tree, heap sort,
/// hash table, and all.
const PUBLISHED: [(&str, [f64; 6]); 4] = [
    ("top-down", [13.90, 11.80, 15.57, 9.60, 11.20, 12.84]),
    ("divide-and-query", [9.10, 10.20, 13.43, 7.20, 9.60, 10.00]),
    ("def-use-coverage", [7.70, 7.40, 8.57, 9.00, 9.00, 8.25]),
    ("edge-coverage", [6.60, 7.80, 9.43, 9.00, 5.80, 7.66]),
];

fn main() {
    if std::env::var("QP_BENCH_ONLY").is_ok_and(|only| only == "large") {
        large::compare();
        return large::measure();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(tokio::task::LocalSet::new().run_until(measure()));
}

async fn measure() {
    let only = std::env::var("QP_BENCH_ONLY").ok();
    let show = std::env::var("QP_BENCH_SHOW").ok();
    let programs = faults::programs();
    let mut trials: Vec<Trial> = Vec::new();
    for fault in faults(&programs) {
        if only.as_ref().is_some_and(|only| *only != fault.program) {
            continue;
        }
        let program = programs.iter().find(|p| p.name == fault.program).expect("a program");
        let trial = Box::pin(Trial::new(program, &fault)).await;
        for unknown in &trial.unknown {
            println!("not known: {}:{} {unknown}", trial.program, trial.line);
        }
        trials.push(trial);
    }
    let mut names: Vec<&str> = Vec::new();
    for trial in &trials {
        if !names.contains(&trial.program.as_str()) {
            names.push(&trial.program);
        }
    }
    print!("{:<26}", "answers, on average");
    names.iter().for_each(|name| print!("{name:>11}"));
    println!("{:>9} {:>7}", "all", "missed");
    for row in STRATEGIES {
        let played: Vec<_> = trials.iter().map(|trial| (trial, trial.play(row.name))).collect();
        let average = |of: Option<&str>| {
            let these = played.iter().filter(|(trial, _)| of.is_none_or(|of| trial.program == of));
            let answers: Vec<f64> = these.map(|(_, played)| count(played.answers)).collect();
            answers.iter().sum::<f64>() / count(answers.len().max(1))
        };
        let missed =
            played.iter().filter(|(trial, played)| played.ended_at.as_deref() != Some(&trial.faulty)).count();
        print!("{:<26}", row.name);
        names.iter().for_each(|name| print!("{:>11.2}", average(Some(name))));
        println!("{:>9.2} {missed:>7}", average(None));
        if show.as_deref() == Some(row.name) {
            for (trial, played) in &played {
                println!(
                    "  {}:{} {} -> {:?}: {}",
                    trial.program, trial.line, trial.faulty, played.ended_at, played.answers
                );
                for (name, right) in &played.asked {
                    println!("      {} {name}", if *right { "valid  " } else { "invalid" });
                }
            }
        }
    }
    if only.is_none() {
        println!("JHyde, Table 1:");
        for (name, averages) in PUBLISHED {
            print!("{name:<26}");
            averages[..5].iter().for_each(|average| print!("{average:>11.2}"));
            println!("{:>9.2}", averages[5]);
        }
    }
}

/// The 32 faults, or with `QP_BENCH_SEEDS` those that these seeds draw.
fn faults(programs: &[faults::Program]) -> Vec<faults::Fault> {
    let saved = faults::saved().faults;
    let Ok(seeds) = std::env::var("QP_BENCH_SEEDS") else { return saved };
    let (from, to) = seeds.split_once('-').unwrap_or((&seeds, &seeds));
    let (from, to): (u64, u64) = (from.parse().expect("a seed"), to.parse().expect("a seed"));
    let mut others: Vec<faults::Fault> = Vec::new();
    for fault in (from..=to).flat_map(|seed| faults::draw::draw(programs, seed).faults) {
        if !saved.contains(&fault) && !others.contains(&fault) {
            others.push(fault);
        }
    }
    println!("{} faults of other seeds", others.len());
    others
}

fn count(of: usize) -> f64 {
    f64::from(u32::try_from(of).expect("few"))
}
