//! `cargo bench --bench growth`: how the time of each command grows with one thing of a program that grows: a
//! text, list, map, set, queue, array, the number of calls or threads, or the depth. Prints a Markdown table
//! of seconds, and fails if the time of a command grows faster than n log n.
//!
//! Each row takes ten times the n of the row before it, from 1,000 to 1,000,000. `QP_BENCH_MOST=10000` ends
//! earlier, `QP_BENCH_ONLY=text,diff` takes the kinds and commands with these names, and `QP_BENCH_QP`
//! measures another build of `qp`. Threads and depth end earlier, see `MOST`. A command that takes longer
//! than `QP_BENCH_LIMIT` seconds (600) is not measured at greater n.

#[allow(dead_code, reason = "each bench uses a part of it")]
#[path = "programs/common.rs"]
mod common;

use common::{Outcome, root};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const SIZES: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// The kinds of growth. With `-each`, the versions differ in each step, and otherwise in the last one.
const KINDS: [&str; 27] = [
    "text",
    "text-each",
    "list",
    "list-each",
    "map",
    "map-each",
    "set",
    "set-each",
    "tree",
    "tree-each",
    "queue",
    "queue-each",
    "drain",
    "drain-each",
    "array",
    "array-each",
    "calls",
    "calls-each",
    "threads",
    "depth",
    "nested",
    "nested-each",
    "collected",
    "collected-each",
    "shared",
    "shared-each",
    "exit",
];
/// Most threads that a program starts, and the depth at which the recorded stack is full.
const MOST: [(&str, u64); 5] =
    [("threads", 10_000), ("depth", 100_000), ("nested", 100_000), ("collected", 100_000), ("exit", 100_000)];
const COMMANDS: [&str; 9] =
    ["diff", "diagnose", "record", "calls", "history", "state", "query", "ask", "export"];
/// How many times as fast as n log n a time may grow, since times vary.
const MARGIN: f64 = 2.0;
/// Every command takes this long to begin; it says nothing about growth.
const BEGIN: f64 = 1.0;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

fn main() -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let text = std::fs::read_to_string(root().join("benches/growth/Growth.java"))?;
    let wrong = compiled(&text, &folder.path().join("wrong"))?;
    let right = compiled(&text.replace("RIGHT = false", "RIGHT = true"), &folder.path().join("right"))?;
    let only = std::env::var("QP_BENCH_ONLY").unwrap_or_default();
    let only: Vec<&str> = only.split(',').filter(|name| !name.is_empty()).collect();
    let chosen = |names: &'static [&'static str]| -> Vec<&'static str> {
        let named: Vec<_> = names.iter().copied().filter(|name| only.contains(name)).collect();
        if named.is_empty() { names.to_vec() } else { named }
    };
    let (kinds, commands) = (chosen(&KINDS), chosen(&COMMANDS));
    let limit = Duration::from_secs(setting("QP_BENCH_LIMIT", 600));
    let mut too_fast = Vec::new();
    println!("| grows | n | {} |", commands.join(" | "));
    println!("| --- | ---: |{}", " ---: |".repeat(commands.len()));
    for kind in kinds {
        let mut before: BTreeMap<&str, (u64, f64)> = BTreeMap::new();
        let mut ended: Vec<&str> = Vec::new();
        let of_kind = MOST
            .iter()
            .find(|(of, _)| *of == kind.trim_end_matches("-each"))
            .map_or(u64::MAX, |(_, most)| *most);
        let most = setting("QP_BENCH_MOST", u64::MAX).min(of_kind);
        for n in SIZES.into_iter().filter(|n| *n <= most) {
            let run = Run { kind, n, wrong: &wrong, right: &right, folder: folder.path() };
            let mut row = Vec::new();
            let Some(recorded) = run.recorded(limit)? else {
                println!("| {kind} | {n} | not recorded in {} s |", limit.as_secs());
                too_fast.push(format!("{kind} {n} is not recorded in time"));
                break;
            };
            for command in commands.iter().copied() {
                if ended.contains(&command) {
                    row.push("–".to_owned());
                    continue;
                }
                let time = match run.timed(command, recorded, limit)? {
                    Measured::Seconds(time) => time,
                    Measured::Longer => {
                        row.push(format!("> {}", limit.as_secs()));
                        ended.push(command);
                        too_fast.push(format!("{command} of {kind} {n} does not end in time"));
                        continue;
                    }
                    Measured::Failed(code) => {
                        row.push("failed".to_owned());
                        too_fast.push(format!("{command} of {kind} {n} ended with {code:?}"));
                        continue;
                    }
                };
                row.push(format!("{time:.2}"));
                if let Some((less, took)) = before.insert(command, (n, time)) {
                    #[allow(clippy::cast_precision_loss, reason = "small numbers")]
                    let cost = |n: u64| n as f64 * (n as f64).ln();
                    if time > BEGIN + took.max(0.1) * MARGIN * cost(n) / cost(less) {
                        too_fast
                            .push(format!("{command} of {kind}: {took:.2} s at {less}, {time:.2} s at {n}"));
                    }
                }
            }
            println!("| {kind} | {n} | {} |", row.join(" | "));
        }
    }
    if too_fast.is_empty() { Ok(()) } else { Err(too_fast.join("\n").into()) }
}

/// How long a command took.
enum Measured {
    Seconds(f64),
    /// Longer than the limit.
    Longer,
    /// It ended with this exit code, which says that it failed.
    Failed(Option<i32>),
}

/// Runs a command, at most for a time. Returns its exit code, or `None` if it takes longer.
fn status_of(command: &mut Command, limit: Duration) -> Outcome<Option<ExitStatus>> {
    let began = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    loop {
        match child.try_wait()? {
            Some(status) => return Ok(Some(status)),
            None if began.elapsed() > limit => {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// A program with one n.
struct Run<'a> {
    kind: &'a str,
    n: u64,
    wrong: &'a Path,
    right: &'a Path,
    folder: &'a Path,
}

impl Run<'_> {
    fn recording(&self) -> PathBuf {
        self.folder.join(format!("{}-{}", self.kind, self.n))
    }

    /// Records the program. Returns how long that took; `None` if it is longer than the limit.
    fn recorded(&self, limit: Duration) -> Outcome<Option<Duration>> {
        let began = Instant::now();
        let mut record = self.qp(&["trace", "record", "--level", "writes", "--out"]);
        match status_of(record.arg(self.recording()).args(self.program()), limit)? {
            None => Ok(None),
            Some(status) if status.success() => Ok(Some(began.elapsed())),
            Some(status) => Err(format!("{} {} is not recorded: {status}", self.kind, self.n).into()),
        }
    }

    fn program(&self) -> Vec<String> {
        let class_path = self.wrong.display().to_string();
        ["--", "java", "-cp", &class_path, "Growth", self.kind, &self.n.to_string()].map(str::to_owned).into()
    }

    fn qp(&self, args: &[&str]) -> Command {
        let mut qp =
            Command::new(std::env::var("QP_BENCH_QP").unwrap_or(env!("CARGO_BIN_EXE_qp").to_owned()));
        qp.args(args);
        qp
    }

    /// The object that grows, as the recording shows it. Calls that only grow in number show their array of
    /// arguments. `element` is added to the name of an array.
    fn object(&self, element: &str) -> Outcome<String> {
        let class = match self.kind.trim_end_matches("-each") {
            "text" => "StringWriter@",
            "list" | "collected" => "ArrayList@",
            "map" => "HashMap@",
            "drain" => "ConcurrentHashMap@",
            "set" => "HashSet@",
            "tree" => "TreeMap@",
            "queue" => "ArrayDeque@",
            "array" => "int[]@",
            _ => "String[]@",
        };
        let output = self.qp(&["trace", "calls"]).arg(self.recording()).output()?;
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        let words = shown.split(|letter: char| !letter.is_alphanumeric() && !"[]@".contains(letter));
        // An array is shown with its length, and named without it.
        let plain = words.map(|word| match (word.find('['), word.find(']')) {
            (Some(from), Some(to)) if from < to => [&word[..=from], &word[to..]].concat(),
            _ => word.to_owned(),
        });
        let mut found = plain.filter(|word| word.starts_with(class));
        let found = found.next().map(|word| if class.contains('[') { word + element } else { word });
        found.ok_or_else(|| format!("no {class} in {shown}").into())
    }

    /// How long a command takes.
    fn timed(&self, command: &str, recorded: Duration, limit: Duration) -> Outcome<Measured> {
        let (right, recording) = (self.right.display().to_string(), self.recording().display().to_string());
        let export = self.folder.join("export.jsonl").display().to_string();
        let mut qp = match command {
            "record" => return Ok(Measured::Seconds(recorded.as_secs_f64())),
            "diff" => self.qp(&["diff", "--reference", &right]),
            "diagnose" => self.qp(&["diagnose", "--unattended", "--reference", &right]),
            "calls" => self.qp(&["trace", "calls", &recording]),
            "history" => self.qp(&["trace", "history", &self.object("[0]")?, &recording]),
            "state" => self.qp(&["trace", "state", "1", &recording, "--object", &self.object("")?]),
            "query" => self.qp(&["query", "history", &self.object("[0]")?, &recording, "--value", "7"]),
            "ask" => self.qp(&["query", "ask", "event(Id, _, methodcall(_, _, none, _))", &recording]),
            "export" => self.qp(&["trace", "export", &recording, "--to", &export]),
            _ => return Err(format!("no command {command}").into()),
        };
        if ["diff", "diagnose"].contains(&command) {
            qp.args(self.program());
        }
        let began = Instant::now();
        let status = status_of(&mut qp, limit)?;
        drop(std::fs::remove_file(export));
        // A question without an answer is one too.
        Ok(match status.map(|status| status.code()) {
            None => Measured::Longer,
            Some(Some(0 | 1)) => Measured::Seconds(began.elapsed().as_secs_f64()),
            Some(code) => Measured::Failed(code),
        })
    }
}

/// Compiles a version of the program.
fn compiled(text: &str, to: &Path) -> Outcome<PathBuf> {
    std::fs::create_dir_all(to)?;
    let source = to.join("Growth.java");
    std::fs::write(&source, text)?;
    let status = Command::new("javac").args(["-g", "-d"]).arg(to).arg(&source).status()?;
    if status.success() { Ok(to.to_owned()) } else { Err("javac failed".into()) }
}
