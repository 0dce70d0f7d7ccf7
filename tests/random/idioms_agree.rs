//! Random programs with common idioms (values over several lines, lambdas, streams, records, enums with
//! bodies, resources, iterators, patterns, captures, assertions), each with its own log. Compared: every back
//! end's answers, a recording's events, and the program with itself.
//!
//! `QP_IDIOM_PROGRAMS=1000 cargo test --release --test random idioms_agree::` tries a thousand programs;
//! `QP_IDIOM_SEED=17` begins with the 17th, `QP_IDIOM_ROOTS=9` asks from nine statements of each, and
//! `QP_IDIOM_SHOW=1` prints the text of those that are wrong.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::idioms::generate::Program;
use crate::idioms::judge::{Compiled, compile};
use crate::support::scratch;

/// Programs per call of javac.
const BATCH: u64 = 10;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

/// Compiles the selected programs, and runs a function for each that returns the errors.
fn each(name: &str, few: u64, mut act: impl FnMut(&Compiled, &Program) -> Vec<String>) {
    let (first, many) = (number("QP_IDIOM_SEED", 1), number("QP_IDIOM_PROGRAMS", few));
    let mut wrong = Vec::new();
    let mut seed = first;
    while seed < first + many {
        let folder = scratch().join(format!("idioms-{name}-{seed}"));
        let compiled = compile(&folder, seed..(seed + BATCH).min(first + many));
        for program in &compiled.programs {
            let found = act(&compiled, program);
            if !found.is_empty() && number("QP_IDIOM_SHOW", 0) > 0 {
                let text = program.plain.lines().enumerate();
                let text: Vec<String> = text.map(|(n, line)| format!("{:4} {line}", n + 1)).collect();
                eprintln!("{}\n{}", text.join("\n"), found.join("\n"));
            }
            wrong.extend(found);
        }
        seed += BATCH;
        std::fs::remove_dir_all(&folder).expect("removed");
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn answers_agree_with_a_log() {
    let roots = usize::try_from(number("QP_IDIOM_ROOTS", 4)).expect("small");
    let (mut programs, mut answers) = (0, 0);
    each("answers", 3, |compiled, program| {
        let Some(truth) = compiled.truth(program) else { return Vec::new() };
        let (count, wrong) = compiled.answers(&truth, roots);
        programs += 1;
        answers += count;
        wrong
    });
    eprintln!("{programs} programs, {answers} answers");
    assert!(answers > 100, "{answers} answers");
}

#[test]
fn recordings_agree_with_a_log() {
    let mut programs = 0;
    each("recordings", 3, |compiled, program| {
        let Some(truth) = compiled.truth(program) else { return Vec::new() };
        programs += 1;
        compiled.recording(&truth).into_iter().collect()
    });
    assert!(programs > 0);
}

#[test]
fn no_program_differs_from_itself() {
    each("itself", 2, |compiled, program| compiled.differs_from_itself(program).into_iter().collect());
}
