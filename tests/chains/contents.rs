//! `LastChange` of the contents of collections, against the log of a program that makes random calls.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::Case;
use crate::support::{chain_file, compiled, javas_in_turn, marked, point, replay, root, said};
use serde_json::Value;
use std::process::Command;

/// Number of calls on each collection; more in a sweep (`QP_CONTENTS`).
fn calls() -> &'static str {
    if std::env::var_os("QP_CONTENTS").is_some() { "40" } else { "14" }
}

/// A change that the program observed; line 0 for none.
struct Change {
    line: u64,
    old: String,
    new: String,
}

struct Logged {
    question: String,
    last: Change,
    /// None if the last call may have made that change too.
    before: Option<Change>,
}

impl Change {
    fn parse(parts: &[&str]) -> Option<Change> {
        let [line, old, new] = parts else { panic!("{parts:?}") };
        Some(Change { line: line.parse().ok()?, old: (*old).into(), new: (*new).into() })
    }

    /// The difference between an answer and the log.
    fn differs(&self, found: &Value) -> Option<String> {
        let unsure = found["notes"].as_array().is_some_and(|notes| {
            notes.iter().any(|n| !n.as_str().is_some_and(|n| n.starts_with("it may have changed nothing")))
        });
        let old = self.old == "?" || found["old"] == self.old;
        let same = found["line"] == self.line && old && found["new"] == self.new && !unsure;
        if same || self.line == 0 && found["located"] == false {
            return None;
        }
        let told = ["line", "old", "new", "by", "reason", "notes"].map(|field| found[field].to_string());
        let Change { line, old, new } = self;
        Some(format!("line {line}, {old} to {new}; qp: {}", told.join(", ")))
    }
}

fn log(java: &str, classes: &str, seed: u64) -> Vec<Logged> {
    let output = Command::new(java).args(["-cp", classes, "Contents", &seed.to_string(), calls()]).output();
    let output = output.expect("java");
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let logged = text.lines().map(|line| {
        let parts: Vec<&str> = line.split('\t').collect();
        let (question, changes) = parts.split_first().expect("a question");
        let last = Change::parse(&changes[..3]).expect("a line");
        Logged { question: (*question).into(), last, before: Change::parse(&changes[3..]) }
    });
    logged.collect()
}

fn agree(turn: usize, seed: u64, options: &[&str]) {
    let classes = compiled("fixtures/contents", &["-g", "-nowarn"]).display().to_string();
    let at = marked("fixtures/contents", "Contents.java", "// <- A");
    for java in javas_in_turn(turn) {
        let logged = log(&java, &classes, seed);
        assert!(logged.len() >= 40, "{}", logged.len());
        // All questions in a sweep; by default another part of them in each test.
        let (from, step) = if std::env::var_os("QP_CONTENTS").is_some() { (0, 1) } else { (turn, 4) };
        let logged: Vec<Logged> = logged.into_iter().skip(from).step_by(step).collect();
        let command = [&java, "-cp", &classes, "Contents", &seed.to_string(), calls()].map(String::from);
        let sources = root().join("tests/fixtures/contents");
        let mut points = format!("(id: \"A\", at: Line(\"Contents\", {at})),\n");
        for (place, asked) in logged.iter().enumerate() {
            let reference = format!("A:{}", asked.question);
            points += &format!("(id: \"Q{place}\", at: LastChange({reference:?})),\n");
            if asked.before.is_some() {
                points += &format!("(id: \"P{place}\", at: LastChange({reference:?}), index: -2),\n");
            }
        }
        let debuggee = format!("command: {command:?}, sources: [{sources:?}], timeout_s: 200");
        let text = format!("(format: 1, debuggee: ({debuggee}), points: [{points}])");
        let file = chain_file(&format!("contents-{seed}-{}.ron", options.len()), &text);
        let (_, answer): (i32, Value) = replay(&file, options);
        let mut wrong = Vec::new();
        for (place, asked) in logged.iter().enumerate() {
            let last = asked.last.differs(point(&answer, &format!("Q{place}")));
            let before = asked.before.as_ref();
            let before = before.and_then(|b| b.differs(point(&answer, &format!("P{place}"))));
            wrong.extend([last, before].into_iter().flatten().map(|w| format!("{}: {w}", asked.question)));
        }
        assert!(wrong.is_empty(), "{java} seed {seed} {options:?}:\n{}", wrong.join("\n"));
    }
}

#[test]
fn the_first_calls_stop() {
    agree(1, 1, &["--backend", "probe"]);
}

#[test]
fn the_last_calls_are_kept_in_the_vm() {
    for seed in 1..=std::env::var("QP_CONTENTS").map_or(1, |n| n.parse().expect("a number")) {
        agree(0, seed, &["--backend", "probe", "--eager", "0"]);
    }
}

#[test]
fn a_call_by_a_method_reference_is_at_the_line_that_makes_it() {
    let case = Case::new("handed");
    let at = case.line("Handed.java", "// <- A");
    let half = case.line("Handed.java", "// <- half");
    let points = format!(
        "(id: \"A\", at: Line(\"Handed\", {at})), (id: \"B\", at: LastChange(\"A:contents(list)\")),
         (id: \"C\", at: LastChange(\"A:contents(list)\"), index: -2),
         (id: \"D\", at: Line(\"Handed\", {half})), (id: \"E\", at: LastChange(\"D:n\")),
         (id: \"F\", at: LastChange(\"E(2):number\"))"
    );
    let debuggee = "command: [\"java\", \"-cp\", \"classes\", \"Handed\"]";
    let answer = case.replay(debuggee, &points, &["--format=json"]).is(0, &[]).answer();
    let line = |id: &str| point(&answer, id)["line"].as_u64();
    let marked = |marker: &str| Some(u64::from(case.line("Handed.java", marker)));
    let expected = [("B", "// <- each"), ("C", "// <- hand"), ("E", "// <- half"), ("F", "// <- apply")];
    for (id, marker) in expected {
        assert_eq!(line(id), marked(marker), "{id}: {:#}", point(&answer, id));
    }
    for id in ["B", "C"] {
        assert_eq!(point(&answer, id)["by"], "ArrayList.add", "{:#}", point(&answer, id));
    }
    let notes = point(&answer, "E")["notes"].to_string();
    assert!(notes.contains("in frame 2: LastChange(E(2):…)"), "{notes}");
    let shown =
        case.replay(debuggee, &points, &[]).is(0, &["called from a lambda of Handed (applyAsInt)"]).said();
    assert!(!shown.contains("$.Lambda") && !shown.contains("$$Lambda"), "{shown}");
}
