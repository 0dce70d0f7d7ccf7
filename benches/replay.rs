//! `cargo bench --bench replay`: the time of a replay compared with the plain program, and the memory that a
//! million candidates take. Prints a table; judges nothing.
//!
//! - replay: wall times of `qp replay querypoints/intro.ron` and of the plain `java` command, alternating,
//!   including VM exit.
//! - memory: peak resident memory of `qp` while it follows writes to one field of N distinct objects, with
//!   their stacks (`QP_BENCH_OWNERS`, 1,000,000 unless set; some minutes). Linux only.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 15;
/// The root's line in the fixture.
const LINE_A: u32 = 30;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let scratch = tempfile::tempdir()?;
    replay()?;
    memory(scratch.path())
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn quiet(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}

fn replay() -> Outcome<()> {
    let intro = root().join("examples/intro");
    let javac =
        Command::new("javac").args(["-g", "-d", "classes", "Intro.java"]).current_dir(&intro).status()?;
    if !javac.success() {
        return Err("javac failed".into());
    }
    let mut plain = Command::new("java");
    plain.args(["-ea", "-cp", "classes", "Intro"]).current_dir(&intro);
    let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
    qp.env("QUERYPOINT_TRUST", "/");
    qp.args(["replay", "querypoints/intro.ron"]).current_dir(root());
    let (mut plains, mut replays) = (Vec::new(), Vec::new());
    for run in 0..=RUNS {
        let one = timed(&mut plain)?;
        let other = timed(&mut qp)?;
        // The first pair warms the disk cache and the record of the build.
        if run > 0 {
            plains.push(one);
            replays.push(other);
        }
    }
    let differences = replays.iter().zip(&plains).map(|(r, p)| r.saturating_sub(*p)).collect();
    println!("intro chain, {RUNS} pairs           min      median   max");
    row("java, plain run", plains);
    row("qp replay, 5 points", replays);
    row("difference", differences);
    Ok(())
}

fn timed(command: &mut Command) -> Outcome<Duration> {
    let started = Instant::now();
    quiet(command).status()?;
    Ok(started.elapsed())
}

fn row(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |i: usize| times.get(i).copied().unwrap_or_default().as_secs_f64();
    println!(
        "{name:<30} {:>7.3}s {:>7.3}s {:>7.3}s",
        at(0),
        at(times.len() / 2),
        at(times.len().saturating_sub(1))
    );
}

fn memory(scratch: &Path) -> Outcome<()> {
    let owners: u64 = std::env::var("QP_BENCH_OWNERS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let fixture = root().join("tests/fixtures/many-owners");
    let javac = Command::new("javac")
        .args(["-g", "-d"])
        .arg(scratch)
        .arg(fixture.join("ManyOwners.java"))
        .status()?;
    if !javac.success() {
        return Err("javac failed".into());
    }
    let chain = chain(scratch, owners)?;
    let started = Instant::now();
    let mut qp =
        quiet(Command::new(env!("CARGO_BIN_EXE_qp")).env("QUERYPOINT_TRUST", "/").arg("replay").arg(&chain))
            .spawn()?;
    let (peak, code) = peak(&mut qp)?;
    let seconds = started.elapsed().as_secs_f64();
    println!();
    let rate = 2.0 * owners as f64 / seconds;
    println!(
        "{owners} owners written twice each: peak {:.0} MB, exit {code:?}, {seconds:.0} s",
        peak / 1024.0
    );
    println!("{rate:.0} candidates/s, each with its stack, old value and locals");
    Ok(())
}

fn chain(scratch: &Path, owners: u64) -> Outcome<PathBuf> {
    let text = format!(
        r#"(format: 1, debuggee: (command: ["java", "-cp", ".", "ManyOwners", "{owners}"], timeout_s: 7200),
           points: [(id: "A", at: Line("ManyOwners", {LINE_A})), (id: "B", at: LastChange("A:chosen.value"))])"#,
    );
    let file = scratch.join("owners.ron");
    std::fs::write(&file, text)?;
    Ok(file)
}

/// Runs a process to its end and returns its peak resident memory in KiB.
fn peak(child: &mut Child) -> Outcome<(f64, Option<i32>)> {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0_f64;
    loop {
        if let Ok(text) = std::fs::read_to_string(&status) {
            let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
            let kib = line.and_then(|l| l.split_whitespace().next()).and_then(|n| n.parse().ok());
            peak = peak.max(kib.unwrap_or(0.0));
        }
        if let Some(status) = child.try_wait()? {
            return Ok((peak, status.code()));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
