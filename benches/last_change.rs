//! `cargo bench --bench last_change`: the cost of "the last change before P" in hot code. Prints a table;
//! judges nothing.
//!
//! Each row is a loop that writes the variable in question `QP_BENCH_WRITES` times (100,000,000 unless set).
//! `plain` is the loop's own time in the program alone, `probed` its time in the run that finds the answer,
//! and `again` its time in the run that stops there. `whole` is the time of the whole command, including VM
//! starts, next to the program's. JDWP, and a JDI client that reads the locals of the newest frame, are
//! measured with fewer writes and extrapolated: marked `~`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const ROUNDS: usize = 3;
/// Number of writes for the back end that takes an event for each.
const FEW: u64 = 20_000;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The questions: mode, question, mark of the root's line, number of objects.
const ROWS: &[(&str, &str, &str, &str, u64)] = &[
    ("field of one object", "field", "A:hot.value", "end", 1),
    ("field of 10,000,000 objects", "owners", "A:hot.value", "end", 10_000_000),
    ("array element 7", "array", "A:cells[7]", "end", 1),
    ("array element, any index", "array", "A:cells[seven]", "end", 1),
    ("local variable", "local", "A:last", "local", 1),
    ("condition", "condition", "", "condition", 1),
];

fn main() -> Outcome<()> {
    let scratch = tempfile::tempdir()?;
    let bench = root().join("benches/last_change");
    javac(&[bench.join("Hot.java")], scratch.path())?;
    let writes: u64 =
        std::env::var("QP_BENCH_WRITES").ok().and_then(|n| n.parse().ok()).unwrap_or(100_000_000);
    let jdi = jdi(scratch.path())?;
    println!("{writes} writes, medians of {ROUNDS} rounds in ms; JDI with locals: {jdi:.0} writes/s");
    println!(
        "{:<28} {:>7} {:>7} {:>6} {:>7} {:>6} {:>7} {:>6} {:>9} {:>9}",
        "", "plain", "probed", "ratio", "again", "ratio", "whole", "ratio", "JDWP", "JDI"
    );
    for (name, mode, question, mark, objects) in ROWS {
        let bench = Bench { mode, question, mark, objects: *objects, scratch: scratch.path() };
        let (mut plain, mut probed, mut again) = (Vec::new(), Vec::new(), Vec::new());
        let (mut alone, mut whole) = (Vec::new(), Vec::new());
        let mut more = Vec::new();
        for _ in 0..ROUNDS {
            let started = Instant::now();
            let program = text_of(&bench.java(writes).output()?.stdout);
            plain.extend(said(&program, "took ").first());
            alone.push(started.elapsed().as_secs_f64() * 1e3);
            let asked = bench.asked(writes, "probe")?;
            probed.extend(asked.took.first());
            again.extend(asked.took.last());
            whole.push(asked.time.as_secs_f64() * 1e3);
            more.extend(asked.peaks.first().zip(said(&program, "peak ").first()).map(|(a, b)| a - b));
        }
        // Array elements, and whatever only probes can observe, have no events.
        let jdwp = match *mode {
            "array" => "none".to_owned(),
            _ => {
                // The number of objects does not matter here, only that the program writes the one in
                // question.
                let bench = Bench { objects: (*objects).min(100), ..bench };
                let few = bench.asked(FEW, "jdwp")?.time.saturating_sub(bench.asked(0, "jdwp")?.time);
                format!("~{:.0} s", few.as_secs_f64() * (writes / FEW) as f64)
            }
        };
        let jdi = match *mode {
            "field" | "owners" => format!("~{:.0} s", writes as f64 / jdi),
            _ => "none".to_owned(),
        };
        let [plain, probed, again, alone, whole] = [plain, probed, again, alone, whole].map(median);
        println!(
            "{name:<28} {plain:>7.0} {probed:>7.0} {:>6.2} {again:>7.0} {:>6.2} {whole:>7.0} {:>6.2} {jdwp:>9} {jdi:>9}",
            probed / plain,
            again / plain,
            whole / alone
        );
        if *objects > 1 {
            let each = median(more) * 1024.0 / *objects as f64;
            println!("  {each:.0} bytes of memory for each owner, more than the program alone has");
        }
    }
    Ok(())
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn javac(files: &[PathBuf], to: &Path) -> Outcome<()> {
    let status = Command::new("javac").args(["-g", "-nowarn", "-d"]).arg(to).args(files).status()?;
    if status.success() { Ok(()) } else { Err("javac failed".into()) }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The numbers after a word at the beginning of a line, or after the run's name.
fn said(text: &str, word: &str) -> Vec<f64> {
    let lines = text.lines().map(|line| line.split_once(" | ").map_or(line, |(_, said)| said));
    lines.filter_map(|line| line.strip_prefix(word)?.trim().parse().ok()).collect()
}

/// The measurements of a command.
struct Asked {
    /// The loop's time in each run, in ms.
    took: Vec<f64>,
    /// The process's peak memory in each run, in KiB.
    peaks: Vec<f64>,
    /// The time of the whole command.
    time: Duration,
}

struct Bench<'a> {
    mode: &'a str,
    question: &'a str,
    mark: &'a str,
    objects: u64,
    scratch: &'a Path,
}

impl Bench<'_> {
    fn command(&self, writes: u64) -> Vec<String> {
        let classes = self.scratch.display().to_string();
        let (writes, objects) = (writes.to_string(), self.objects.to_string());
        let words = ["java", "-Xmx2g", "-Xms1g", "-cp", &classes, "Hot", self.mode, &writes, &objects];
        words.map(str::to_owned).to_vec()
    }

    fn java(&self, writes: u64) -> Command {
        let command = self.command(writes);
        let mut java = Command::new("java");
        java.args(command.iter().skip(1));
        java
    }

    /// Only the end of a run shows that no later hit of the root comes, so each run continues to it.
    fn asked(&self, writes: u64, backend: &str) -> Outcome<Asked> {
        let source = std::fs::read_to_string(root().join("benches/last_change/Hot.java"))?;
        let mark = format!("// <- {}", self.mark);
        let line = source.lines().position(|l| l.ends_with(&mark)).ok_or("a mark")? + 1;
        let kind = match self.question {
            "" => r#"LastCondition("A")"#.to_owned(),
            question => format!("LastChange({question:?})"),
        };
        let file = self.scratch.join("hot.ron");
        let text = format!(
            r#"(format: 1, debuggee: (command: {:?}, timeout_s: 600), points: [
                (id: "A", at: Line("Hot", {line}), index: -1), (id: "B", at: {kind}, expect: (located: true)),
            ])"#,
            self.command(writes)
        );
        std::fs::write(&file, text)?;
        let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
        qp.env("QUERYPOINT_TRUST", "/");
        qp.args(["replay", "--backend", backend, "--show-output"]).arg(&file);
        let started = Instant::now();
        let output = qp.output()?;
        let time = started.elapsed();
        // Without a write there is nothing to find.
        if writes > 0 && !output.status.success() {
            return Err(format!("{}{}", text_of(&output.stdout), text_of(&output.stderr)).into());
        }
        let program = text_of(&output.stderr);
        Ok(Asked { took: said(&program, "took "), peaks: said(&program, "peak "), time })
    }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Writes per second that a JDI client receives when it reads the newest frame's locals at each.
fn jdi(scratch: &Path) -> Outcome<f64> {
    let folder = root().join("crates/jdwp/benches/jdwp");
    javac(&[folder.join("Watched.java"), folder.join("JdiClient.java")], scratch)?;
    let classes = scratch.display().to_string();
    let output = Command::new("java")
        .args(["-cp", &classes, "JdiClient", "locals", "10000", &classes, "java"])
        .output()?;
    let said = text_of(&output.stdout);
    let rate = said.lines().find_map(|l| l.trim().parse().ok());
    rate.ok_or_else(|| format!("the JDI client said: {said}{}", text_of(&output.stderr)).into())
}
