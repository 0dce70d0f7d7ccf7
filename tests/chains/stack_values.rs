//! Values of the operand stack in answers, compared with the program's own output: the parts of conditions
//! and of written values.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::{chain_file, compiled, marked, point, replay, said};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// A line that the program printed.
struct Told {
    mark: String,
    thread: String,
    /// Its place among the lines with this mark in this thread.
    index: usize,
    values: Vec<(String, String)>,
}

fn classes() -> PathBuf {
    compiled("fixtures/stack-values", &["-g"])
}

/// The program's own log.
fn told() -> Vec<Told> {
    let output = Command::new("java").arg("-cp").arg(classes()).arg("Parts").output().expect("java runs");
    assert!(output.status.success(), "{}", said(&output));
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    let text = String::from_utf8(output.stdout).expect("text");
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut words = line.split('\t').map(str::to_owned);
        let (mark, thread) = (words.next().expect("a mark"), words.next().expect("a thread"));
        let values = words.map(|word| {
            let (text, value) = word.rsplit_once(" = ").expect("a value");
            (text.to_owned(), value.to_owned())
        });
        let count = counts.entry((mark.clone(), thread.clone())).or_default();
        *count += 1;
        lines.push(Told { mark, thread, index: *count - 1, values: values.collect() });
    }
    lines.retain(|line| line.mark != "never asked");
    lines
}

/// What is asked at the line of a mark.
fn question(mark: &str, number: usize) -> String {
    let changed = match mark.strip_suffix('=') {
        None => return format!("LastCondition(\"A{number}\")"),
        Some("static field") => "Parts.total",
        Some("local") => "v",
        Some("element") => "cells[3]",
        Some("field") => "v2.total",
        Some("both" | "neither") => "both",
        Some(local) => local,
    };
    format!("LastChange(\"A{number}:{changed}\")")
}

fn chain(name: &str, told: &[Told]) -> PathBuf {
    let mut points = String::new();
    for (number, Told { mark, thread, index, .. }) in told.iter().enumerate() {
        let line = marked("fixtures/stack-values", "Parts.java", &format!("// {mark}"));
        let thread = if thread == "main" { String::new() } else { format!(", thread: \"{thread}\"") };
        let asked = question(mark, number);
        let _ = writeln!(
            points,
            "(id: \"A{number}\", at: Line(\"Parts\", {line}), index: {index}{thread}),\n\
             (id: \"B{number}\", at: {asked}),"
        );
    }
    let classes = classes().display().to_string();
    let debuggee = format!("command: [\"java\", \"-cp\", {classes:?}, \"Parts\"]");
    chain_file(name, &format!("(format: 1, debuggee: ({debuggee}), points: [{points}])"))
}

/// Whether a shown value is the one that the program printed. `int[]@` is any object of that class.
fn is_value(shown: &str, told: &str) -> bool {
    shown == told || told.ends_with('@') && shown.starts_with(told)
}

/// The differences between what the program printed and what an answer shows. A call that was not printed was
/// not evaluated.
fn differences(told: &[Told], answer: &Value) -> Vec<String> {
    let mut differences = Vec::new();
    for (number, Told { mark, thread, index, values }) in told.iter().enumerate() {
        let found = point(answer, &format!("B{number}"));
        let none = serde_json::Map::new();
        let operands = found["operands"].as_object().unwrap_or(&none);
        for (text, value) in values {
            let shown = operands.get(text).and_then(Value::as_str);
            let is_same = shown.is_some_and(|shown| is_value(shown, value));
            if !is_same {
                differences.push(format!("{mark} {thread} {index}: {text} = {value}, shown {shown:?}"));
            }
        }
        for text in operands.keys().filter(|text| text.contains('(')) {
            if !values.iter().any(|(told, _)| told == text) {
                differences.push(format!("{mark} {thread} {index}: {text} = {}", operands[text]));
            }
        }
    }
    differences
}

#[test]
fn the_parts_of_conditions_and_writes_are_those_that_the_program_had() {
    let told = told();
    assert!(told.len() > 60, "{}", told.len());
    let file = chain("stack-values", &told);
    for options in [&["--backend", "probe"][..], &["--backend", "probe", "--eager", "0"]] {
        let (code, answer) = replay(&file, options);
        assert_eq!(code, 0, "{answer:#}");
        let differences = differences(&told, &answer);
        assert!(differences.is_empty(), "{options:?}\n{}", differences.join("\n"));
    }
}

#[test]
fn events_show_no_value_that_they_cannot_know() {
    let told = told();
    let of_events: Vec<Told> = told.into_iter().filter(|line| line.mark != "element=").collect();
    let (code, answer) = replay(&chain("stack-values-by-events", &of_events), &["--backend", "jdwp"]);
    assert_eq!(code, 0, "{answer:#}");
    for (number, Told { mark, values, .. }) in of_events.iter().enumerate() {
        let point = point(&answer, &format!("B{number}"));
        let Some(operands) = point["operands"].as_object() else { continue };
        for (text, shown) in operands {
            let value = values.iter().find(|(told, _)| told == text).map(|(_, value)| value.as_str());
            let shown = shown.as_str().expect("a text");
            let is_right =
                shown == "? (not kept in a variable)" || value.is_none_or(|told| is_value(shown, told));
            assert!(is_right, "{mark}: {text} = {shown}, not {value:?}");
        }
    }
}

#[test]
fn a_kept_value_keeps_no_object_alive_after_its_use() {
    let line = |mark: &str| marked("fixtures/stack-values", "Forgotten.java", &format!("// {mark}"));
    let (classes, mut points) = (classes().display().to_string(), String::new());
    for (number, again) in ["", " again"].into_iter().enumerate() {
        let (compared, gone) = (line(&format!("compared{again}")), line(&format!("gone{again}")));
        let _ = writeln!(
            points,
            "(id: \"A{number}\", at: Line(\"Forgotten\", {compared})),\n\
             (id: \"B{number}\", at: LastCondition(\"A{number}\")),\n\
             (id: \"C{number}\", at: Line(\"Forgotten\", {gone})),"
        );
    }
    let debuggee = format!("command: [\"java\", \"-cp\", {classes:?}, \"Forgotten\"]");
    let chain = format!("(format: 1, debuggee: ({debuggee}), points: [{points}])");
    let (code, answer) = replay(&chain_file("forgotten", &chain), &["--backend", "probe"]);
    assert_eq!(code, 0, "{answer:#}");
    for number in 0..2 {
        let made = point(&answer, &format!("B{number}"))["operands"]["make()"].clone();
        assert!(made.as_str().is_some_and(|made| made.starts_with("Object@")), "{answer:#}");
    }
}
