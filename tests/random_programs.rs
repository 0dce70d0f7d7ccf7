//! Answers checked against brute force: small random Java programs run once with everything logged by text put into
//! their source, and once under `qp replay`, which is asked for the last change of variables and fields, the last
//! condition, and the exception that skipped a line. What must come is computed from the log and the program's own
//! syntax, without class files.
//!
//! `QP_RANDOM_PROGRAMS=1000 cargo test --release --test random_programs` tries a thousand programs, and
//! `QP_RANDOM_SEED=17` begins with the 17th; a wrong answer prints its seed, program and question.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod random;
mod support;

use random::ast::Program;
use random::generate::generate;
use random::log::{Event, parse};
use random::questions::{Objects, ask, chain, wrong};
use random::render::{LOG, render};
use random::trace::Trace;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{chain_file, replay, said, scratch};

/// Programs of one call of javac.
const BATCH: u64 = 20;
/// Programs tried where `QP_RANDOM_PROGRAMS` says nothing.
const FEW: u64 = 8;

/// How each chain is replayed: with every hit read as it comes, and with none but those that were the last.
const BACKENDS: [(&str, &str); 3] = [
    ("jdwp", "--backend jdwp"),
    ("probes", "--backend probe"),
    ("probes, kept in the VM", "--backend probe --eager 0 --max-runs 100"),
];

const EXCEPTIONS: &str = "class E1 extends RuntimeException { }\nclass E2 extends RuntimeException { }\n";

#[derive(Default)]
struct Count {
    programs: usize,
    left_out: usize,
    questions: usize,
    answered: usize,
    wrong: Vec<String>,
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn answers_agree_with_a_log_of_everything() {
    let (first, many) = (number("QP_RANDOM_SEED", 1), number("QP_RANDOM_PROGRAMS", FEW));
    let mut count = Count::default();
    let mut seed = first;
    while seed < first + many {
        let seeds: Vec<u64> = (seed..(seed + BATCH).min(first + many)).collect();
        seed += BATCH;
        batch(&seeds, &mut count);
        if many > BATCH {
            eprintln!(
                "{} programs ({} left out), {} questions, {} with an answer, {} wrong",
                count.programs,
                count.left_out,
                count.questions,
                count.answered,
                count.wrong.len()
            );
        }
    }
    let shown: Vec<&str> = count.wrong.iter().take(5).map(String::as_str).collect();
    assert!(count.wrong.is_empty(), "{} wrong answers\n{}", count.wrong.len(), shown.join("\n\n"));
    assert!(count.answered > 10, "the programs give something to ask: {} answers", count.answered);
}

fn batch(seeds: &[u64], count: &mut Count) {
    let folder = scratch().join(format!("random-{}", seeds[0]));
    let (plain, logged) = (folder.join("plain"), folder.join("logged"));
    let mut programs: Vec<Program> = seeds.iter().map(|s| generate(*s)).collect();
    for program in &mut programs {
        let texts = render(program);
        write(&plain, &program.main_class(), &texts.0);
        write(&logged, &program.main_class(), &texts.1);
    }
    write(&plain, "E1", EXCEPTIONS);
    write(&logged, "E1", EXCEPTIONS);
    write(&logged, "Log", LOG);
    compile(&plain);
    compile(&logged);
    std::thread::scope(|scope| {
        let halves: Vec<_> = programs
            .chunks(programs.len().div_ceil(2))
            .map(|half| {
                let (plain, logged) = (&plain, &logged);
                scope.spawn(move || {
                    let mut count = Count::default();
                    for program in half {
                        one(program, plain, logged, &mut count);
                    }
                    count
                })
            })
            .collect();
        for half in halves {
            let half = half.join().expect("a half of the programs");
            count.programs += half.programs;
            count.left_out += half.left_out;
            count.questions += half.questions;
            count.answered += half.answered;
            count.wrong.extend(half.wrong);
        }
    });
}

fn write(folder: &Path, class: &str, text: &str) {
    std::fs::create_dir_all(folder).expect("a folder");
    std::fs::write(folder.join(format!("{class}.java")), text).expect("written");
}

fn compile(folder: &Path) {
    let files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "java"))
        .collect();
    let output =
        Command::new("javac").args(["-g", "-nowarn", "-d"]).arg(folder).args(&files).output().expect("javac");
    assert!(output.status.success(), "javac: {}", said(&output));
}

fn one(program: &Program, plain: &Path, logged: &Path, count: &mut Count) {
    let output =
        Command::new("java").arg("-cp").arg(logged).arg(program.main_class()).output().expect("java");
    let events: Option<Vec<Event>> = parse(&String::from_utf8_lossy(&output.stdout));
    let Some(events) = events.filter(|events| !events.is_empty()) else {
        count.left_out += 1;
        return;
    };
    let trace = Trace::new(program, events);
    let questions = ask(&trace);
    count.programs += 1;
    count.questions += questions.len();
    let text = chain(program, plain, &questions);
    let file = chain_file(&format!("random-{}.ron", program.seed), &text);
    let mut differences = Vec::new();
    for (name, arguments) in BACKENDS {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let (code, answer) = replay(&file, &arguments);
        assert!(
            code == 0 || code == 1,
            "seed {}, {name}: exit code {code}: {answer:#}\n{text}",
            program.seed
        );
        let mut objects = Objects::default();
        for question in &questions {
            let found = support::point(&answer, &question.id);
            count.answered += usize::from(found["located"] == true);
            if let Some(wrong) = wrong(question, found, &mut objects) {
                differences.push(format!("{name}: {} ({}): {wrong}", question.id, question.point));
            }
        }
    }
    if !differences.is_empty() {
        let source = std::fs::read_to_string(plain.join(format!("{}.java", program.main_class())));
        let numbered: Vec<String> = source
            .expect("the source")
            .lines()
            .enumerate()
            .map(|(n, l)| format!("{:4} {l}", n + 1))
            .collect();
        count.wrong.push(format!(
            "seed {}\n{}\n{text}\n{}",
            program.seed,
            numbered.join("\n"),
            differences.join("\n")
        ));
    }
}
