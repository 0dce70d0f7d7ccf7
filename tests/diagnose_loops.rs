//! `qp diagnose --loops`: executions of loops are nodes of the trees. Random programs tell a log of their loops, and it is compared.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod loops;
mod support;

use loops::generate::{Program, program};
use loops::rng::Rng;
use querypoint::session::{Bounds, DiagnoseOptions, Diagnoser, Interrupt, MEMORY, RecordedTrace, Silent};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{finish, said, scratch};

/// Does something that waits.
fn wait<T>(what: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(tokio::task::LocalSet::new().run_until(what))
}

fn folder() -> PathBuf {
    tempfile::tempdir_in(scratch()).expect("a folder").keep()
}

async fn diagnoser(trace: &Path) -> Diagnoser {
    let (_stop, mut interrupt) = Interrupt::new();
    let trace = RecordedTrace::open(trace, MEMORY, &mut Silent, &mut interrupt).await.expect("opened");
    let options = DiagnoseOptions {
        strategy: Some("top-down".to_owned()),
        p: None,
        node: None,
        compress: None,
        loops: true,
        bounds: Bounds { depth: 1, elements: 4, parts: 10 },
    };
    Diagnoser::new(trace, options).expect("begun")
}

/// The trees of a recorded run as texts; with the lines of loops, or without.
async fn trees(trace: &Path, with_lines: bool) -> Vec<String> {
    let mut diagnoser = diagnoser(trace).await;
    assert_eq!(diagnoser.notes, Vec::<String>::new());
    let (_stop, mut interrupt) = Interrupt::new();
    let forest = diagnoser.diagnosis().forest().clone();
    let mut found: Vec<String> = Vec::new();
    let mut ends: Vec<u32> = Vec::new();
    for node in 0..forest.count() {
        while ends.pop_if(|end| *end <= node).is_some() {}
        assert!(forest.has_ended(node), "{node}");
        let question = diagnoser.question(node, &mut Silent, &mut interrupt).await.expect("a question");
        let text = match question.part {
            None => format!("{}.{}", question.class, question.method),
            Some(part) => {
                let left = format!("{:?}", part.left.expect("told")).to_lowercase();
                assert_eq!(part.line.is_some(), with_lines);
                format!("loop {} from {} {left}", part.line.unwrap_or(0), part.iteration)
            }
        };
        if ends.is_empty() {
            found.push(String::new());
        }
        found.last_mut().expect("a tree").push_str(&format!("{}{text}\n", "  ".repeat(ends.len())));
        ends.push(forest.tree(node).end);
    }
    found
}

/// Compiles random programs, runs and records them: the trees by the log, and those of the diagnosis.
fn compared(programs: &[Program], options: &[&str]) {
    let folder = folder();
    for program in programs {
        std::fs::write(folder.join(format!("{}.java", program.name)), &program.text).expect("written");
    }
    std::fs::write(folder.join("Log.java"), include_str!("loops/Log.java")).expect("written");
    let mut javac = Command::new("javac");
    javac.current_dir(&folder).args(options).arg("Log.java");
    let output = finish(javac.args(programs.iter().map(|program| format!("{}.java", program.name))));
    assert!(output.status.success(), "{}", said(&output));
    let (log, trace) = (folder.join("log"), folder.join("trace"));
    let mut record = support::qp();
    record.current_dir(&folder).args(["trace", "record", "--level=all", "--trust=Log", "--out"]).arg(&trace);
    record.args(["--", "java", "-cp", ".", "Log", "log"]);
    let output = finish(record.args(programs.iter().map(|program| &program.name)));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let with_lines = !options.contains(&"-g:none");
    let mut lines = HashMap::new();
    for program in programs {
        for (id, line) in &program.lines {
            lines.insert((program.name.clone(), *id), if with_lines { *line } else { 0 });
        }
    }
    let log = std::fs::read_to_string(log).expect("a log");
    let mut wanted = loops::trees(&log, &lines);
    let mut found = wait(trees(&trace, with_lines));
    wanted.sort();
    found.sort();
    assert_eq!(wanted.len(), programs.len() + 2);
    assert!(wanted.iter().filter(|tree| tree.contains("loop")).count() > programs.len() / 2);
    for (wanted, found) in wanted.iter().zip(&found) {
        let same = wanted.lines().zip(found.lines()).take_while(|(wanted, found)| wanted == found).count();
        let rest = |text: &str| {
            text.lines().skip(same.saturating_sub(5)).take(10).map(|l| format!("{l}\n")).collect::<String>()
        };
        assert!(
            found == wanted,
            "{}, line {same}: found\n{}wanted\n{}",
            folder.display(),
            rest(found),
            rest(wanted)
        );
    }
    assert_eq!(found.len(), wanted.len());
}

fn programs(from: u64, count: u64, is_one_line: bool) -> Vec<Program> {
    (from..from + count).map(|seed| program(&mut Rng::new(seed), &format!("P{seed}"), is_one_line)).collect()
}

#[test]
fn the_trees_of_random_programs_are_those_of_their_logs() {
    compared(&programs(0, 40, false), &["-g"]);
}

#[test]
fn so_are_those_of_programs_without_lines_or_all_on_one() {
    compared(&programs(100, 20, true), &["-g"]);
    compared(&programs(200, 20, false), &["-g:none"]);
}
