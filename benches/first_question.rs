//! `cargo bench --bench first_question`: the time to the first question about a program that has just
//! started, and to its whole execution tree, compared with DDJ (virtual execution trees, Table 1). Prints a
//! table; judges nothing.
//!
//! `question` is the time from the start of `qp diagnose` to its first question, including the VM's start.
//! `tree` is the time from the start of `qp trace record` to its end, when the tree of the whole run is on
//! disk with its tables. `plain` is the time of the program alone. The programs do about as much as DDJ's
//! (200,000 to 3,600,000 variables): `QP_BENCH_TIMES=50` multiplies that by fifty, `QP_BENCH_ONLY=kxml2` runs
//! one of them.

#[allow(dead_code, reason = "each bench uses a part of it")]
#[path = "programs/common.rs"]
mod common;

use common::{Outcome, compiled, median};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

const ROUNDS: usize = 5;
const LEVELS: [&str; 3] = ["calls", "writes", "all"];
/// The levels that questions need.
const ASKED: [&str; 2] = ["writes", "all"];

/// A program, its main class, its amount of work, its VM options, and DDJ's figures: time to the first node
/// in ms, time to the tree in s, size of the tree in MB.
type Row = (&'static str, &'static str, u32, &'static [&'static str], [u32; 3]);

const ROWS: [Row; 4] = [
    ("javassist", "Generators", 20, &[], [844, 556, 459]),
    ("cglib", "Generators", 20, &["--add-opens=java.base/java.lang=ALL-UNNAMED"], [719, 230, 200]),
    ("kxml2", "Programs", 600, &[], [1844, 1318, 85]),
    ("htmlcleaner", "Programs", 2_000, &[], [609, 4828, 2909]),
];
const JARS: [&str; 7] = ["jsoup", "htmlcleaner", "jdom2", "kxml2", "javassist", "cglib", "asm"];
const SOURCES: [&str; 3] = ["Programs.java", "Classics.java", "Generators.java"];

fn main() -> Outcome<()> {
    let scratch = tempfile::tempdir()?;
    let jars = compiled(&JARS, &SOURCES, scratch.path())?;
    let class_path = format!("{}:{jars}", scratch.path().display());
    let only = std::env::var("QP_BENCH_ONLY").ok();
    println!("medians of {ROUNDS} rounds");
    println!(
        "{:<12} {:<7} {:>8} {:>9} {:>9} {:>6} {:>10} {:>7} {:>9} {:>9} {:>7}",
        "", "level", "question", "plain", "tree", "ratio", "events", "MB", "DDJ: node", "tree", "MB"
    );
    for row in ROWS.iter().filter(|row| only.as_ref().is_none_or(|only| only == row.0)) {
        measure(row, &class_path, scratch.path())?;
    }
    Ok(())
}

fn measure(row: &Row, class_path: &str, scratch: &Path) -> Outcome<()> {
    let (name, main, size, vm, [node, tree, megabytes]) = row;
    let times = std::env::var("QP_BENCH_TIMES").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let size = (size * times).to_string();
    let folder = scratch.display().to_string();
    let java: Vec<&str> = ["java", "-Xmx2g", "-cp", class_path]
        .iter()
        .chain(*vm)
        .chain(&[*main, *name, &size, &folder])
        .copied()
        .collect();
    let mut plain = Vec::new();
    let mut questions: [Vec<f64>; ASKED.len()] = Default::default();
    let mut trees: [Vec<Tree>; LEVELS.len()] = Default::default();
    // Alternate, so that a disturbance affects all.
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let (program, arguments) = java.split_first().ok_or("a command")?;
        if !Command::new(program).args(arguments).output()?.status.success() {
            return Err(format!("{name} fails").into());
        }
        plain.push(began.elapsed().as_secs_f64() * 1e3);
        for (level, found) in ASKED.iter().zip(&mut questions) {
            found.push(first_question(level, &java)?);
        }
        for (level, found) in LEVELS.iter().zip(&mut trees) {
            found.push(whole_tree(level, &java, &scratch.join("trace"))?);
        }
    }
    let plain = median(plain);
    for (at, (level, found)) in LEVELS.iter().zip(&trees).enumerate() {
        let question = ASKED.iter().position(|asked| asked == level).and_then(|asked| questions.get(asked));
        let question =
            question.map_or_else(|| "".to_owned(), |times| format!("{:.0} ms", median(times.clone())));
        let of = |value: fn(&Tree) -> f64| median(found.iter().map(value).collect());
        let (whole, events, stored) = (of(|tree| tree.took), of(|tree| tree.events), of(|tree| tree.stored));
        print!(
            "{:<12} {level:<7} {question:>8} {:>9} {:>9} {:>6.2} {events:>10.0} {stored:>7.0}",
            if at == 0 { name } else { "" },
            format!("{plain:.0} ms"),
            format!("{whole:.0} ms"),
            whole / plain,
        );
        match at {
            0 => println!(" {:>9} {:>9} {megabytes:>7}", format!("{node} ms"), format!("{tree} s")),
            _ => println!(),
        }
    }
    Ok(())
}

/// Time to the first question, in ms.
fn first_question(level: &str, java: &[&str]) -> Outcome<f64> {
    let began = Instant::now();
    let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
    qp.env("QUERYPOINT_TRUST", "/");
    qp.args(["diagnose", "--format=json", "--level", level, "--"]).args(java);
    let mut qp = Ended(qp.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?);
    let mut lines = BufReader::new(qp.0.stdout.take().ok_or("a pipe")?).lines();
    let line = lines.next().ok_or("a question")??;
    let took = began.elapsed().as_secs_f64() * 1e3;
    if !line.starts_with("{\"question\":1,") {
        return Err(format!("no question: {line}").into());
    }
    // Without an answer `qp` ends, and ends the program.
    drop(qp.0.stdin.take());
    for line in lines {
        line?;
    }
    Ok(took)
}

/// The tree of a whole run.
struct Tree {
    /// Time until it is on disk, in ms.
    took: f64,
    events: f64,
    /// Its size, in MB.
    stored: f64,
}

fn whole_tree(level: &str, java: &[&str], folder: &Path) -> Outcome<Tree> {
    let began = Instant::now();
    let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
    qp.env("QUERYPOINT_TRUST", "/");
    qp.args(["trace", "record", "--level", level, "--out"]).arg(folder).arg("--").args(java);
    let output = qp.output()?;
    let took = began.elapsed().as_secs_f64() * 1e3;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
    qp.env("QUERYPOINT_TRUST", "/");
    let info = qp.args(["trace", "info", "--format=json"]).arg(folder).output()?;
    let info: serde_json::Value = serde_json::from_slice(&info.stdout)?;
    let events = info["events"].as_object().ok_or("events")?;
    let events = events.values().filter_map(serde_json::Value::as_f64).sum();
    let stored = size_of(folder)?;
    std::fs::remove_dir_all(folder)?;
    Ok(Tree { took, events, stored })
}

/// Total size of the files in a folder, in MB.
fn size_of(folder: &Path) -> Outcome<f64> {
    let mut sum = 0.0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        sum += match about.is_dir() {
            true => size_of(&entry.path())?,
            #[allow(clippy::cast_precision_loss, reason = "megabytes are printed")]
            false => about.len() as f64 / 1e6,
        };
    }
    Ok(sum)
}

/// A process that ends with this value.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended already, or it ends with its input.
        drop(self.0.wait());
    }
}
