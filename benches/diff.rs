//! `cargo bench --bench diff`: how the time of `qp diff` and `qp diagnose --reference` grows. A document has
//! N nodes, and N calls get it; the two versions differ in the last call. Prints a table with the time of the
//! whole command, of the plain run, and of the row before; judges nothing.
//!
//! A row takes twice the nodes of the row before it. If the time doubled its growth too, it would be
//! quadratic. `QP_BENCH_SHARE=5` takes a fifth of the nodes.

#[allow(dead_code, reason = "each bench uses a part of it")]
#[path = "programs/common.rs"]
mod common;

use common::{Outcome, median, root, share};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const ROUNDS: usize = 3;
const NODES: [u32; 5] = [2_500, 5_000, 10_000, 20_000, 40_000];

fn main() -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let text = std::fs::read_to_string(root().join("benches/diff/Document.java"))?;
    let here = compiled(&text, &folder.path().join("here"))?;
    let right = text.replace("node.next == null ? 1 : 0", "node.next == null ? 2 : 0");
    let there = compiled(&right, &folder.path().join("there"))?;
    println!("{:>7}  {:>8}  {:>16}  {:>22}", "nodes", "plain s", "diff s (growth)", "diagnose s (growth)");
    let mut before: Option<[f64; 2]> = None;
    for nodes in NODES.map(|nodes| (nodes / share()).max(10)) {
        let program = |command: &mut Command| {
            command.args(["--", "java", "-cp"]).arg(&here).arg("Document").arg(nodes.to_string());
        };
        let plain = timed(|| {
            let mut java = Command::new("java");
            java.arg("-cp").arg(&here).arg("Document").arg(nodes.to_string());
            java
        })?;
        let diff = timed(|| {
            let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
            program(qp.args(["diff", "--reference"]).arg(&there));
            qp
        })?;
        let diagnose = timed(|| {
            let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
            program(qp.args(["diagnose", "--unattended", "--reference"]).arg(&there));
            qp
        })?;
        let growth = |at: usize, time: f64| match before.as_ref().and_then(|before| before.get(at)) {
            Some(before) => format!("{time:.2} ({:.1}x)", time / before),
            None => format!("{time:.2}"),
        };
        println!("{nodes:>7}  {plain:>8.2}  {:>16}  {:>22}", growth(0, diff), growth(1, diagnose));
        before = Some([diff, diagnose]);
    }
    Ok(())
}

/// Compiles a version of the program.
fn compiled(text: &str, to: &Path) -> Outcome<PathBuf> {
    std::fs::create_dir_all(to)?;
    let source = to.join("Document.java");
    std::fs::write(&source, text)?;
    let status = Command::new("javac").args(["-g", "-d"]).arg(to).arg(&source).status()?;
    if status.success() { Ok(to.to_owned()) } else { Err("javac failed".into()) }
}

/// The median time of a command in seconds. Its exit code must be 0.
fn timed(command: impl Fn() -> Command) -> Outcome<f64> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let output = command().stdin(Stdio::null()).output()?;
        times.push(began.elapsed().as_secs_f64());
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
    }
    Ok(median(times))
}
