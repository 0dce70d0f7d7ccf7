//! `cargo bench --bench conditions`: the cost of a condition on a line that is passed very often. Prints a
//! table; judges nothing.
//!
//! Each row is a condition that is false at each of `QP_BENCH_PASSES` passes (100,000,000 unless set).
//! `plain` is the loop's own time in the program alone, `by hand` that of a loop whose source tests the
//! condition itself,
//! `tested` that of the run in which the VM tests it for `qp`. `whole` is the time of the whole command.
//! Evaluation from outside, by `qp` and by a JDI client, is measured with fewer passes and extrapolated:
//! marked `~`.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Instant;

const ROUNDS: usize = 5;
/// Passes that are evaluated from outside.
const FEW: u64 = 5_000;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Name, the loop that tests it by hand, the condition.
const ROWS: &[(&str, &str, &str)] = &[
    ("two comparisons, a field", "numbers", "x != 0 && p.limit == 4"),
    ("equals of strings", "text", "p.name.equals(\"other\")"),
    ("element of an array", "element", "p.cells[i % 3] + i < 0"),
];

fn main() -> Outcome<()> {
    let scratch = tempfile::tempdir()?;
    let sources = root().join("benches/conditions");
    let mut javac = Command::new("javac");
    javac.args(["-g", "-nowarn", "-d"]).arg(scratch.path());
    javac.args([sources.join("Passed.java"), sources.join("Outside.java")]);
    if !javac.status()?.success() {
        return Err("javac failed".into());
    }
    let passes: u64 =
        std::env::var("QP_BENCH_PASSES").ok().and_then(|n| n.parse().ok()).unwrap_or(100_000_000);
    let text = std::fs::read_to_string(sources.join("Passed.java"))?;
    let line = 1 + text.lines().position(|line| line.ends_with("// <- plain")).ok_or("a mark")?;
    let bench = Bench { scratch: scratch.path(), line };
    let jdi = bench.jdi()?;
    println!("{passes} passes, medians of {ROUNDS} rounds in ms; a JDI client takes {jdi:.0} us for a pass");
    println!(
        "{:<26} {:>7} {:>8} {:>7} {:>6} {:>7} {:>9} {:>9}",
        "", "plain", "by hand", "tested", "ratio", "whole", "outside", "JDI"
    );
    for (name, by_hand, condition) in ROWS {
        let (mut plain, mut hand, mut tested, mut whole) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            plain.push(took(&bench.java("plain", passes).output()?)?);
            hand.push(took(&bench.java(by_hand, passes).output()?)?);
            let began = Instant::now();
            let output = bench.asked(condition, passes, "probe")?;
            whole.push(began.elapsed().as_secs_f64() * 1e3);
            tested.push(took(&output)?);
        }
        let began = Instant::now();
        bench.asked(condition, FEW, "jdwp")?;
        let few = began.elapsed().as_secs_f64();
        let began = Instant::now();
        bench.asked(condition, 1, "jdwp")?;
        let outside = (few - began.elapsed().as_secs_f64()) / FEW as f64 * passes as f64;
        let from_jdi = jdi / 1e6 * passes as f64;
        let [plain, hand, tested, whole] = [plain, hand, tested, whole].map(median);
        println!(
            "{name:<26} {plain:>7.0} {hand:>8.0} {tested:>7.0} {:>6.2} {whole:>7.0} {:>9} {:>9}",
            tested / plain,
            format!("~{outside:.0} s"),
            format!("~{from_jdi:.0} s"),
        );
    }
    Ok(())
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

struct Bench<'a> {
    scratch: &'a Path,
    line: usize,
}

impl Bench<'_> {
    fn java(&self, mode: &str, passes: u64) -> Command {
        let mut java = Command::new("java");
        java.arg("-cp").arg(self.scratch).args(["Passed", mode, &passes.to_string()]);
        java
    }

    /// Asks for the first pass with a condition. There is none, so the run goes to the end of the program.
    fn asked(&self, condition: &str, passes: u64, backend: &str) -> Outcome<Output> {
        let file = self.scratch.join("passed.ron");
        let classes = self.scratch.display().to_string();
        let command = ["java", "-cp", &classes, "Passed", "plain", &passes.to_string()].map(str::to_owned);
        let line = self.line;
        let text = format!(
            "(format: 1, debuggee: (command: {command:?}, timeout_s: 600), points: [\
             (id: \"A\", at: Line(\"Passed\", {line}), when: {condition:?})])"
        );
        std::fs::write(&file, text)?;
        let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
        qp.env("QUERYPOINT_TRUST", "/");
        qp.args(["replay", "--backend", backend, "--show-output"]).arg(&file);
        let output = qp.output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        let times = if passes == 1 { "once".to_owned() } else { format!("{passes} times") };
        if !said.split_whitespace().collect::<Vec<_>>().join(" ").contains(&format!("was false {times}")) {
            return Err(format!("{said}{}", String::from_utf8_lossy(&output.stderr)).into());
        }
        Ok(output)
    }

    /// Microseconds for a pass that a JDI client evaluates.
    fn jdi(&self) -> Outcome<f64> {
        let mut java = Command::new("java");
        java.arg("-cp").arg(self.scratch).arg("Outside").arg(self.scratch);
        let output = java.args([self.line.to_string(), FEW.to_string()]).output()?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let time = said.lines().find_map(|line| line.trim().parse().ok());
        time.ok_or_else(|| format!("{said}{}", String::from_utf8_lossy(&output.stderr)).into())
    }
}

/// The loop's own time, in ms.
fn took(output: &Output) -> Outcome<f64> {
    let all = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    let all = String::from_utf8_lossy(&all).into_owned();
    let mut own =
        all.lines().filter_map(|line| line.rsplit("| ").next()?.strip_prefix("took ")?.trim().parse().ok());
    own.next().ok_or_else(|| all.clone().into())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
