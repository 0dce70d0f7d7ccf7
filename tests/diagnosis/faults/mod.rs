//! The programs of `examples/declarative`, and their faults: single lines changed by operators, as in
//! mutation testing. `tokens` reads a Java file, `operators` make the mutants of each line, `draw` selects
//! some by a seed, and `runs` compiles and runs programs. Benches use this too.

#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

pub mod draw;
pub mod operators;
#[allow(clippy::duplicate_mod, reason = "a bench includes this folder without `support`")]
#[path = "../../support/rng.rs"]
pub mod rng;
pub mod runs;
pub mod tokens;
pub mod trial;

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A program of `programs.ron`.
#[derive(Clone, Debug, Deserialize)]
pub struct Program {
    /// The class with its `main`.
    pub name: String,
    /// Its path below `examples/declarative`.
    pub file: String,
    /// Number of its faults.
    pub faults: usize,
    /// Trusted methods: accessors. They get no faults. `Class.method`, `Class$Nested.<init>`.
    pub trusted: Vec<String>,
}

impl Program {
    /// Its text without a fault.
    pub fn text(&self) -> String {
        let file = folder().join(&self.file);
        std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
    }
}

/// `faults.ron`.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub struct Faults {
    /// The seed they were drawn with.
    pub seed: u64,
    pub faults: Vec<Fault>,
}

/// A changed line of a program.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub struct Fault {
    pub program: String,
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// Its method.
    pub method: String,
    pub operator: String,
    /// The line without its indentation.
    pub was: String,
    /// The same with the fault; empty for a deleted statement.
    pub becomes: String,
}

impl Fault {
    /// Inserts the fault into a program's text; `None` if the line has changed.
    pub fn apply(&self, text: &str) -> Option<String> {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let line = lines.get_mut(self.line.checked_sub(1)?)?;
        if line.trim() != self.was {
            return None;
        }
        let indentation = &line[..line.len() - line.trim_start().len()];
        *line = format!("{indentation}{}", self.becomes);
        Some(lines.join("\n") + "\n")
    }
}

/// `examples/declarative`.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/declarative")
}

pub fn programs() -> Vec<Program> {
    let text = std::fs::read_to_string(folder().join("programs.ron")).expect("programs.ron");
    ron::from_str(&text).unwrap_or_else(|e| panic!("programs.ron: {e}"))
}

/// The faults that are saved.
pub fn saved() -> Faults {
    let text = std::fs::read_to_string(folder().join("faults.ron")).expect("faults.ron");
    ron::from_str(&text).unwrap_or_else(|e| panic!("faults.ron: {e}"))
}

/// Saves faults.
pub fn save(faults: &Faults) {
    let pretty = ron::ser::PrettyConfig::new();
    let mut text = ron::ser::to_string_pretty(faults, pretty).expect("written as RON");
    text.push('\n');
    std::fs::write(folder().join("faults.ron"), text).expect("written");
}
