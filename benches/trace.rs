//! `cargo bench --bench trace`: the cost of recording real programs, at each level. Prints tables; judges
//! nothing.
//!
//! jsoup, HtmlCleaner and kxml2 parse one document each, `javac` compiles a class, javassist and cglib make
//! classes. A merge sort and an AVL tree do little but recordable work. `plain` is the program's own
//! measurement of its work, `recorded` the same during a recording, including the disk. `waited` is the time
//! that its threads waited for room in their event buffers; `whole` is the time of the whole command, from
//! its start to the prompt. `first` is the time of the first `qp trace info` after it, which makes tables. A
//! tracer based on JDI records the same program's calls and writes for comparison.
//! `QP_BENCH_SHARE=5` takes a fifth of each document, `QP_BENCH_ONLY=avl` one program, `numbers` the cost of
//! numbering objects, `least` a lower bound for a recorder, `lookups` the cost of questions.

#[path = "programs/common.rs"]
mod common;
#[path = "trace/least.rs"]
mod least;

use common::{Outcome, compiled, median, share, took};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const ROUNDS: usize = 3;
const LEVELS: [&str; 3] = ["calls", "writes", "all"];

/// Number of seconds that the tracer based on JDI runs.
const TRACED: &str = "10";

/// A program.
struct Row {
    name: &'static str,
    /// Its main class.
    main: &'static str,
    /// The size of its document.
    size: u32,
    /// The recording options that select its classes. By default only the user's own would be recorded.
    options: &'static [&'static str],
    /// The VM options.
    vm: &'static [&'static str],
}

/// Selects the libraries and the programs that call them.
const LIBRARIES: &[&str] = &[
    "--scope=Programs",
    "--scope=Classics",
    "--scope=Generators",
    "--scope=org.jsoup.**",
    "--scope=org.htmlcleaner.**",
    "--scope=org.jdom2.**",
    "--scope=org.kxml2.**",
    "--scope=org.xmlpull.**",
    "--scope=javassist.**",
    "--scope=net.sf.cglib.**",
    "--scope=org.objectweb.asm.**",
];
/// Selects the compiler of the JDK.
const COMPILER: &[&str] = &["--scope=com.sun.tools.javac.**"];

const fn row(name: &'static str, main: &'static str, size: u32) -> Row {
    Row { name, main, size, options: LIBRARIES, vm: &[] }
}

const ROWS: &[Row] = &[
    row("jsoup", "Programs", 10_000),
    row("htmlcleaner", "Programs", 10_000),
    row("kxml2", "Programs", 30_000),
    Row { options: COMPILER, ..row("javac", "Programs", 1_000) },
    row("javassist", "Generators", 1_000),
    // It defines classes by reflection.
    Row { vm: &["--add-opens=java.base/java.lang=ALL-UNNAMED"], ..row("cglib", "Generators", 1_000) },
    row("sort", "Programs", 2_000_000),
    row("avl", "Programs", 300_000),
];
const JARS: [&str; 7] = ["jsoup", "htmlcleaner", "jdom2", "kxml2", "javassist", "cglib", "asm"];
const SOURCES: [&str; 6] =
    ["Programs.java", "Classics.java", "Generators.java", "Tracer.java", "Least.java", "Word.java"];

fn main() -> Outcome<()> {
    let share = share();
    let scratch = tempfile::tempdir()?;
    let jars = compiled(&JARS, &SOURCES, scratch.path())?;
    let class_path = format!("{}:{jars}", scratch.path().display());
    let only = std::env::var("QP_BENCH_ONLY").ok();
    let is_wanted = |name: &str| only.as_ref().is_none_or(|only| only == name);
    println!("medians of {ROUNDS} rounds in ms");
    println!(
        "{:<12} {:<7} {:>7} {:>8} {:>6} {:>6} {:>7} {:>6} {:>12} {:>6} {:>5} {:>5}",
        "",
        "level",
        "plain",
        "recorded",
        "ratio",
        "waited",
        "whole",
        "first",
        "events",
        "M/s",
        "bytes",
        "disk"
    );
    for row in ROWS.iter().filter(|row| is_wanted(row.name)) {
        measure(row, &class_path, scratch.path(), share)?;
    }
    println!("bytes: of an event as it is written, and on disk");
    println!(
        "published: Whyline 5x to 25x; measured elsewhere: Whyline 265x, 14.8 million events of 8 to 9 bytes; ODB 53x to 507x"
    );
    if is_wanted("numbers") {
        numbers(&class_path, scratch.path(), share)?;
    }
    if is_wanted("least") {
        least::measure(ROWS.iter(), &class_path, scratch.path(), share)?;
    }
    if is_wanted("lookups") { lookups(&class_path, scratch.path()) } else { Ok(()) }
}

fn measure(row: &Row, class_path: &str, scratch: &Path, share: u32) -> Outcome<()> {
    let size = (row.size / share).to_string();
    let folder = scratch.display().to_string();
    let program = [row.main, row.name, &size, &folder];
    let java: Vec<&str> =
        ["java", "-Xmx2g", "-cp", class_path].iter().chain(row.vm).chain(&program).copied().collect();
    let mut plain = Vec::new();
    let mut levels: [Vec<Recorded>; 3] = Default::default();
    // Alternate, so that a disturbance affects all.
    for _ in 0..ROUNDS {
        plain.extend(took(&Command::new("java").args(java.get(1..).unwrap_or_default()).output()?));
        for (level, found) in LEVELS.iter().zip(&mut levels) {
            found.push(recorded(level, row.options, &java, scratch)?);
        }
    }
    let plain = median(plain);
    for (level, found) in LEVELS.iter().zip(&levels) {
        let of = |value: fn(&Recorded) -> f64| median(found.iter().map(value).collect());
        let (time, events) = (of(|r| r.took), of(Recorded::events));
        println!(
            "{:<12} {level:<7} {plain:>7.0} {time:>8.0} {:>6.2} {:>6.0} {:>7.0} {:>6.0} {events:>12.0} {:>6.1} {:>5.1} {:>5.1}",
            row.name,
            time / plain,
            of(|r| r.waited),
            of(|r| r.whole),
            of(|r| r.first),
            events / time / 1e3,
            of(|r| r.bytes) / events,
            of(|r| r.stored) / events,
        );
    }
    if let Some(last) = levels.last().and_then(|level| level.last()) {
        let kinds = last.kinds.iter().map(|(kind, count)| format!("{count:.0} {kind}"));
        println!("{:<12} all: {}", "", kinds.collect::<Vec<_>>().join(", "));
    }
    let (options, arguments) =
        ([&["-Xmx2g"], row.vm, &["-cp", class_path]].concat().join(" "), program.join(" "));
    // The tracer's filters exclude the JDK.
    if row.options != COMPILER {
        let output = Command::new("java")
            .args(["-cp", class_path, "Tracer", TRACED, &options, &arguments])
            .output()?;
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let words: Vec<&str> = told.split_whitespace().collect();
        let [events, seconds, ended] = words[..] else {
            return Err(format!("the tracer said: {told}{}", String::from_utf8_lossy(&output.stderr)).into());
        };
        let (events, seconds): (f64, f64) = (events.parse()?, seconds.parse()?);
        let all = levels.get(1).and_then(|level| level.first()).map_or(f64::NAN, Recorded::events);
        let end = match ended {
            "true" => format!("the program ended after {seconds:.1} s"),
            _ => format!(
                "cut off after {seconds:.0} s; all of `writes` would take {:.0} s",
                all / (events / seconds)
            ),
        };
        println!("{:<12} JDI: {events:.0} events, {:.3} M/s; {end}", "", events / seconds / 1e6);
    }
    Ok(())
}

/// Number of calls: with a number, with an object, and with a new object each.
const TAKEN: u32 = 30_000_000;

/// The cost of an object in an event.
fn numbers(class_path: &str, scratch: &Path, share: u32) -> Outcome<()> {
    let many = TAKEN / share;
    println!("a call and its end, ns beyond those of the plain program:");
    for (name, what) in [("number", "an int"), ("known", "an object that was met"), ("fresh", "a new object")]
    {
        let size = many.to_string();
        let java = ["java", "-Xmx2g", "-cp", class_path, "Programs", name, &size, "."];
        let (mut plain, mut found) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            plain.extend(took(&Command::new(java[0]).args(&java[1..]).output()?));
            found.push(recorded("calls", &[], &java, scratch)?);
        }
        let (plain, time) = (median(plain), median(found.iter().map(|r| r.took).collect()));
        let waited = median(found.iter().map(|r| r.waited).collect());
        let of = |ms: f64| ms * 1e6 / f64::from(many);
        println!("  with {what:<24} {:>6.1}, of which it waited {:.1}", of(time - plain), of(waited));
    }
    Ok(())
}

/// The measurements of one recording.
struct Recorded {
    took: f64,
    whole: f64,
    first: f64,
    waited: f64,
    kinds: BTreeMap<String, f64>,
    bytes: f64,
    stored: f64,
}

impl Recorded {
    fn events(&self) -> f64 {
        self.kinds.values().sum()
    }
}

fn recorded(level: &str, options: &[&str], java: &[&str], scratch: &Path) -> Outcome<Recorded> {
    let folder = scratch.join("trace");
    let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
    qp.env("QUERYPOINT_TRUST", "/");
    qp.args(["trace", "record", "--format=json", "--show-output", "--level", level, "--out"]).arg(&folder);
    let began = Instant::now();
    let output = qp.args(options).arg("--").args(java).output()?;
    let whole = began.elapsed().as_secs_f64() * 1e3;
    let told: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    if !told["missing"].as_array().is_some_and(Vec::is_empty) {
        return Err(format!("not all was recorded: {}", told["missing"]).into());
    }
    let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
    qp.env("QUERYPOINT_TRUST", "/");
    let began = Instant::now();
    let info = qp.args(["trace", "info", "--format=json"]).arg(&folder).output()?;
    let first = began.elapsed().as_secs_f64() * 1e3;
    let info: serde_json::Value = serde_json::from_slice(&info.stdout)?;
    std::fs::remove_dir_all(&folder)?;
    let number = |value: &serde_json::Value| value.as_f64().unwrap_or(f64::NAN);
    Ok(Recorded {
        took: took(&output).first().copied().ok_or("the program says how long it took")?,
        whole,
        first,
        waited: number(&told["waited_s"]) * 1e3,
        kinds: serde_json::from_value(info["events"].clone())?,
        bytes: number(&told["bytes"]),
        stored: number(&told["stored"]),
    })
}

/// Minimum number of recorded calls, for questions about them.
const CALLS: f64 = 1e7;
/// How often each question is asked.
const ASKED: usize = 9;

/// The time of questions about a run of ten million calls.
fn lookups(class_path: &str, scratch: &Path) -> Outcome<()> {
    let folder = scratch.join("many");
    let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
    qp.env("QUERYPOINT_TRUST", "/");
    qp.args(["trace", "record", "--level=writes", "--out"]).arg(&folder);
    let size = (110_000 / share()).to_string();
    let began = Instant::now();
    let output =
        qp.args(["--", "java", "-Xmx2g", "-cp", class_path, "Programs", "avl", &size, "."]).output()?;
    let whole = began.elapsed().as_secs_f64();
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let timed = |arguments: &[&str]| -> Outcome<f64> {
        let mut times = Vec::new();
        for _ in 0..ASKED {
            let began = Instant::now();
            let output = Command::new(env!("CARGO_BIN_EXE_qp")).args(arguments).arg(&folder).output()?;
            times.push(began.elapsed().as_secs_f64() * 1e3);
            if !output.status.success() {
                return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
            }
        }
        Ok(median(times))
    };
    let told = Command::new(env!("CARGO_BIN_EXE_qp"))
        .args(["trace", "info", "--format=json"])
        .arg(&folder)
        .output()?;
    let info: serde_json::Value = serde_json::from_slice(&told.stdout)?;
    let calls = info["calls"].as_f64().ok_or("calls")?;
    if calls < CALLS && share() == 1 {
        return Err(format!("only {calls} calls").into());
    }
    let open = timed(&["trace", "info"])?;
    // The times of commands include the start of `qp`; those at an open prompt do not.
    let mut prompt = Prompt::open(&folder)?;
    let counter = {
        let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
        qp.env("QUERYPOINT_TRUST", "/");
        let told =
            qp.args(["trace", "calls", "--method=Classics.count", "--format=json"]).arg(&folder).output()?;
        let tree: serde_json::Value = serde_json::from_slice(&told.stdout)?;
        let found = &tree["threads"][0]["calls"];
        let node = found[2]["node"].as_u64().ok_or("a call")?;
        (found[0]["this"].as_str().ok_or("an object")?.to_owned(), node)
    };
    let mut say = |line: &str| -> Outcome<f64> {
        let times: Outcome<Vec<f64>> = (0..ASKED).map(|_| Ok(prompt.say(line)?.1)).collect();
        Ok(median(times?))
    };
    let history = say(&format!("history {}.added", counter.0))?;
    let walk = say(&format!("call {}", info["calls"].as_u64().unwrap_or(0) / 2))?;
    let back = say(&format!("back {}.added", counter.0))?;
    say(&format!("call {}", counter.1))?;
    let state = say(&format!("show {}", counter.0))?;
    println!("{calls:.0} calls, {:.0} events; recorded in {whole:.1} s", {
        let events = info["events"].as_object().ok_or("events")?;
        events.values().filter_map(serde_json::Value::as_f64).sum::<f64>()
    });
    println!(
        "open, with the start of qp {open:.1} ms; history of a field {history:.1} ms; state of an object {state:.1} ms"
    );
    println!(
        "stand at a call {walk:.1} ms; back to the last change {back:.1} ms; qp has had {} MB at most",
        prompt.peak()?
    );
    Ok(())
}

/// A `qp trace step` that the bench talks to.
struct Prompt {
    process: std::process::Child,
    stdin: std::process::ChildStdin,
    stdout: BufReader<std::process::ChildStdout>,
}

impl Prompt {
    fn open(folder: &Path) -> Outcome<Prompt> {
        let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
        qp.env("QUERYPOINT_TRUST", "/");
        qp.args(["trace", "step", "0", "--format=json"]).arg(folder);
        let mut process = qp.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdin = process.stdin.take().ok_or("a pipe")?;
        let stdout = BufReader::new(process.stdout.take().ok_or("a pipe")?);
        let mut prompt = Prompt { process, stdin, stdout };
        prompt.stdout.read_line(&mut String::new())?;
        Ok(prompt)
    }

    /// Sends a line. Returns the reply, and its time in ms.
    fn say(&mut self, line: &str) -> Outcome<(String, f64)> {
        let began = Instant::now();
        writeln!(self.stdin, "{line}")?;
        let mut told = String::new();
        self.stdout.read_line(&mut told)?;
        let took = began.elapsed().as_secs_f64() * 1e3;
        if told.contains("\"reply\":\"error\"") { Err(told.into()) } else { Ok((told, took)) }
    }

    /// Its peak memory, in MB; 0 where the system does not report it.
    fn peak(&self) -> Outcome<u64> {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        Ok(kilobytes.unwrap_or(0) / 1024)
    }
}

impl Drop for Prompt {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
