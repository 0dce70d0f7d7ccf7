//! `cargo bench --bench trace`: what the recording of a run costs real programs, at each level. Prints a table; judges nothing.
//!
//! jsoup, HtmlCleaner and kxml2 parse one document each, `javac` compiles a class. `plain` is what the program says its work
//! took, `recorded` the same while it is recorded, to disk included; `waited` is how long its threads waited until events were
//! taken out. `QP_BENCH_SHARE=5` takes a fifth of each document.

#[path = "programs/common.rs"]
mod common;

use common::{Outcome, compiled, median, share, took};
use std::path::Path;
use std::process::Command;

const ROUNDS: usize = 3;
const LEVELS: [&str; 3] = ["calls", "writes", "all"];

/// A program: its jars, how large its document is, and what of it is recorded where that is no user's class.
const ROWS: &[(&str, &[&str], u32, &[&str])] = &[
    ("jsoup", &["jsoup"], 20_000, &[]),
    ("htmlcleaner", &["htmlcleaner", "jdom2"], 10_000, &[]),
    ("kxml2", &["kxml2"], 200_000, &[]),
    ("javac", &[], 1_000, &["--scope=com.sun.tools.javac.**"]),
];

fn main() -> Outcome<()> {
    let share = share();
    let scratch = tempfile::tempdir()?;
    let all: Vec<&str> = ROWS.iter().flat_map(|(_, jars, ..)| *jars).copied().collect();
    let jars = compiled(&all, scratch.path())?;
    let class_path = format!("{}:{jars}", scratch.path().display());
    println!("medians of {ROUNDS} rounds in ms");
    println!(
        "{:<12} {:<7} {:>8} {:>9} {:>6} {:>8} {:>12} {:>8} {:>6} {:>6}",
        "", "level", "plain", "recorded", "ratio", "waited", "events", "M/s", "bytes", "disk"
    );
    for (name, _, size, options) in ROWS {
        let size = (size / share).to_string();
        let folder = scratch.path().display().to_string();
        let java = ["java", "-Xmx2g", "-cp", &class_path, "Programs", name, &size, &folder];
        let mut plain = Vec::new();
        let mut rows: [Vec<Recorded>; 3] = Default::default();
        // In turn: what disturbs one disturbs all.
        for _ in 0..ROUNDS {
            plain.extend(took(&Command::new(java[0]).args(&java[1..]).output()?));
            for (level, row) in LEVELS.iter().zip(&mut rows) {
                row.push(recorded(level, options, &java, scratch.path())?);
            }
        }
        let plain = median(plain);
        for (level, row) in LEVELS.iter().zip(rows) {
            let of = |value: fn(&Recorded) -> f64| median(row.iter().map(value).collect());
            let (time, events) = (of(|r| r.took), of(|r| r.events));
            println!(
                "{name:<12} {level:<7} {plain:>8.0} {time:>9.0} {:>6.2} {:>8.0} {events:>12.0} {:>8.1} {:>6.1} {:>6.1}",
                time / plain,
                of(|r| r.waited),
                events / time / 1e3,
                of(|r| r.bytes) / events,
                of(|r| r.stored) / events,
            );
        }
    }
    println!("bytes: of an event as it is written, and on disk");
    Ok(())
}

/// What one recording has measured.
struct Recorded {
    took: f64,
    waited: f64,
    events: f64,
    bytes: f64,
    stored: f64,
}

fn recorded(level: &str, options: &[&str], java: &[&str], scratch: &Path) -> Outcome<Recorded> {
    let folder = scratch.join("trace");
    let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
    qp.args(["trace", "record", "--format=json", "--show-output", "--level", level, "--out"]).arg(&folder);
    let output = qp.args(options).arg("--").args(java).output()?;
    let told: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    if !told["missing"].as_array().is_some_and(Vec::is_empty) {
        return Err(format!("not all was recorded: {}", told["missing"]).into());
    }
    let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
    let info = qp.args(["trace", "info", "--format=json"]).arg(&folder).output()?;
    let info: serde_json::Value = serde_json::from_slice(&info.stdout)?;
    let events = info["events"].as_object().ok_or("events")?;
    std::fs::remove_dir_all(&folder)?;
    let number = |value: &serde_json::Value| value.as_f64().unwrap_or(f64::NAN);
    Ok(Recorded {
        took: took(&output).first().copied().ok_or("the program says how long it took")?,
        waited: number(&told["waited_s"]) * 1e3,
        events: events.values().filter_map(serde_json::Value::as_f64).sum(),
        bytes: number(&told["bytes"]),
        stored: number(&told["stored"]),
    })
}
