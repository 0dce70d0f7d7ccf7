//! `cargo bench --bench startup`: the agent's share of a VM's start. Prints a table; judges nothing.
//!
//! Each row starts a program `QP_BENCH_PAIRS` times (40 unless set) alone and as often with the agent,
//! alternating, and compares the medians of the wall times. The plan asks for a field that no class has, or
//! for one that many classes have (the agent rewrites each of them), or there is no plan.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use wire::{FieldSites, Plan, PlannedQuery};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The plans, or none.
const PLANS: &[(&str, Option<&str>)] =
    &[("no plan", None), ("nothing matches", Some("noSuchField")), ("fields `pos`", Some("pos"))];

fn main() -> Outcome<()> {
    let scratch = tempfile::tempdir()?;
    let scratch = scratch.path();
    let pairs = std::env::var("QP_BENCH_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(40_usize);
    let hello = "class Hello { public static void main(String[] a) { System.out.println(\"hello\"); } }";
    std::fs::write(scratch.join("Hello.java"), hello)?;
    let programs: &[(&str, &[&str])] =
        &[("Hello", &["java", "-cp", ".", "Hello"]), ("javac Hello.java", &["javac", "Hello.java"])];
    // Compile it before the runs.
    run(scratch, &["javac", "Hello.java"], None)?;
    let agent = scratch.join("libagent.so");
    std::fs::write(&agent, debuggee::LIBRARY)?;
    println!("{pairs} pairs each, medians in ms");
    println!("{:<18} {:<18} {:>8} {:>8} {:>8} {:>8}", "", "", "alone", "agent", "more", "classes");
    for (program, command) in programs {
        for (name, field) in PLANS {
            let folder = tempfile::tempdir()?;
            let report = folder.path().join("report");
            if let Some(field) = field {
                plan(&report, field).write(&Plan::path(folder.path(), None))?;
            }
            let option = format!("-agentpath:{}={}", agent.display(), folder.path().display());
            let (mut alone, mut watched, mut more) = (Vec::new(), Vec::new(), Vec::new());
            let mut classes = 0;
            for _ in 0..pairs {
                std::fs::write(&report, "")?;
                let plain = run(scratch, command, None)?;
                let agent = run(scratch, command, Some(&option))?;
                classes = std::fs::read_to_string(&report)?.matches("\"Class\"").count();
                alone.push(plain);
                watched.push(agent);
                more.push(agent - plain);
            }
            let [alone, watched, more] = [alone, watched, more].map(median);
            println!("{program:<18} {name:<18} {alone:>8.1} {watched:>8.1} {more:>8.1} {classes:>8}");
        }
    }
    Ok(())
}

/// A plan for writes to all `int` fields of a name.
fn plan(report: &Path, field: &str) -> Plan {
    let query = PlannedQuery::default();
    // For an unknown class the agent searches by the names alone.
    let class = "no/such/Class".to_owned();
    let (name, descriptor) = (field.to_owned(), String::new());
    let field = FieldSites {
        query: 0,
        class,
        name,
        descriptor,
        is_static: false,
        writes: true,
        keep: true,
        tested: None,
    };
    Plan { report: PathBuf::from(report), queries: vec![query], fields: vec![field], ..Plan::default() }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Wall time in milliseconds.
fn run(folder: &Path, command: &[&str], option: Option<&str>) -> Outcome<f64> {
    let (program, arguments) = command.split_first().ok_or("a command")?;
    let mut run = Command::new(program);
    run.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    match option {
        Some(option) if *program == "javac" => drop(run.arg(format!("-J{option}"))),
        Some(option) => drop(run.arg(option)),
        None => {}
    }
    let started = Instant::now();
    let status = run.args(arguments).status()?;
    let took = started.elapsed().as_secs_f64() * 1e3;
    if status.success() { Ok(took) } else { Err(format!("{command:?} {option:?} failed").into()) }
}
