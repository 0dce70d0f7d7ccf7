//! Programs that never repeat: probes answer from one run. The answer equals that run's own log, which the
//! program writes under the lock of the writes.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::Case;
use crate::support::point;
use serde_json::Value;
use std::time::Duration;

/// The parts of the log that A collects.
const LOG: &str = r#"collect: ["logThread", "logOld", "acc.sum", "logSpin", "logLast", "logCellThread", "logCellOld",
    "acc.cells[2]", "turns"]"#;

/// Asks about a program with this many iterations, and a random number of more. JDWP events would take
/// minutes.
fn asked(case: &Case, (turns, more): (u32, u32), points: &str) -> Value {
    let a = case.line("Racing.java", "// <- A");
    let points = format!(r#"(id: "A", at: Line("Racing", {a}), {LOG}), {points}"#);
    let command =
        format!(r#"command: ["java", "-cp", "classes", "Racing", "{turns}", "{more}"], sources: ["."]"#);
    let run = case.replay(&command, &points, &["--format", "json", "--backend", "probe"]);
    run.is(0, &[]).within(Duration::from_secs(120)).answer()
}

fn logged<'a>(answer: &'a Value, name: &str) -> &'a str {
    point(answer, "A")["collected"][name].as_str().unwrap_or_else(|| panic!("{name} in {answer:#}"))
}

/// Asserts a point's answer: its line, and its logged thread, old and new value.
#[track_caller]
fn is(case: &Case, answer: &Value, id: &str, [thread, old, new]: [&str; 3]) {
    let found = point(answer, id);
    assert_eq!(found["line"], case.line("Racing.java", &format!("// <- {id}")), "{answer:#}");
    assert_eq!(found["thread"].as_str(), Some(logged(answer, thread).trim_matches('"')), "{answer:#}");
    assert_eq!(
        (found["old"].as_str(), found["new"].as_str()),
        (Some(logged(answer, old)), Some(logged(answer, new)))
    );
}

fn texts<'a>(of: &'a Value, key: &str) -> Vec<&'a str> {
    of[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn is_said(answer: &Value) -> bool {
    texts(answer, "warnings").iter().any(|text| text.starts_with("no run of this program repeats another"))
}

/// Whether the run did not stop at a point's hit: the answer then has its stack, and says that its locals are
/// missing.
fn is_kept(answer: &Value, id: &str) -> bool {
    let found = point(answer, id);
    let kept = texts(found, "notes").iter().any(|note| note.contains("the locals there were not kept"));
    assert_eq!(kept, found["collected"].as_object().is_none_or(serde_json::Map::is_empty), "{answer:#}");
    let stack = found["stack"].as_array().expect("a stack");
    assert!(stack.len() >= 3 && stack[0]["method"] == "work", "{answer:#}");
    kept
}

#[test]
fn the_last_write_is_the_one_that_the_run_has_logged() {
    let case = Case::new("racing");
    let mut said = 0;
    for _ in 0..3 {
        let points = r#"(id: "B", at: LastChange("A:acc.sum")), (id: "F", at: LastChange("A:acc.cells[2]"))"#;
        let answer = asked(&case, (20_000, 0), points);
        is(&case, &answer, "B", ["logThread", "logOld", "acc.sum"]);
        is(&case, &answer, "F", ["logCellThread", "logCellOld", "acc.cells[2]"]);
        said += u32::from(is_said(&answer));
        if said > 0 {
            break;
        }
    }
    assert!(said > 0, "all pairs of runs had the same last writes");
}

#[test]
fn where_nobody_knows_when_the_last_write_comes_it_is_kept() {
    let case = Case::new("racing");
    let mut kept = 0;
    for _ in 0..3 {
        let points = r#"(id: "B", at: LastChange("A:acc.sum")), (id: "F", at: LastChange("A:acc.cells[2]"))"#;
        let answer = asked(&case, (3_000, 30_000), points);
        is(&case, &answer, "B", ["logThread", "logOld", "acc.sum"]);
        is(&case, &answer, "F", ["logCellThread", "logCellOld", "acc.cells[2]"]);
        kept += u32::from(is_kept(&answer, "B")) + u32::from(is_kept(&answer, "F"));
        if kept > 0 {
            break;
        }
    }
    assert!(kept > 0, "each run has stopped at the last writes of another");
}

#[test]
fn what_is_asked_from_the_last_write_is_of_the_same_run() {
    let case = Case::new("racing");
    let points = r#"(id: "B", at: LastChange("A:acc.sum")), (id: "C", at: LastCondition("B")),
        (id: "D", at: LastChange("B:spin")), (id: "E", at: LastChange("B:acc.last"))"#;
    let answer = asked(&case, (5_000, 0), points);
    is(&case, &answer, "B", ["logThread", "logOld", "acc.sum"]);
    let [c, d, e] = ["C", "D", "E"].map(|id| point(&answer, id));
    for (found, id) in [(c, "C"), (d, "D"), (e, "E")] {
        assert_eq!(found["line"], case.line("Racing.java", &format!("// <- {id}")), "{answer:#}");
    }
    let before = logged(&answer, "turns").parse::<u32>().expect("a number") - 1;
    assert_eq!(c["operands"]["turns"].as_str(), Some(&*before.to_string()), "{answer:#}");
    assert_eq!(d["new"].as_str(), Some(logged(&answer, "logSpin")));
    assert_eq!(e["new"].as_str(), Some(logged(&answer, "logLast")));
    for found in [c, d] {
        assert_eq!(found["thread"], point(&answer, "B")["thread"]);
    }
}

/// The number of repaints differs from run to run. The answer needs no more runs than one about a program
/// that repeats itself: one counts hits, one stops at B, and C needs the class of a calling frame.
#[test]
fn a_last_write_at_another_count_in_each_run_takes_no_more_runs() {
    let case = Case::new("repainting");
    let a = case.line("Repainting.java", "// <- A");
    let points = format!(
        r#"(id: "A", at: Line("Repainting", {a}), when: "this.color.value == 7", collect: ["calls"]),
           (id: "B", at: LastChange("A:this.color")), (id: "C", at: LastChange("B(1):this.color"))"#
    );
    let debuggee = r#"command: ["java", "-cp", "classes", "Repainting"], sources: ["."]"#;
    let mut counts = std::collections::BTreeSet::new();
    for _ in 0..3 {
        let answer = case.replay(debuggee, &points, &["--format", "json"]).is(0, &[]).answer();
        assert_eq!(answer["runs"], 3, "{answer:#}");
        assert_eq!(texts(&answer, "warnings"), [""; 0], "{answer:#}");
        let [b, c] = ["B", "C"].map(|id| point(&answer, id));
        for (found, id) in [(b, "B"), (c, "C")] {
            assert_eq!(found["line"], case.line("Repainting.java", &format!("// <- {id}")), "{answer:#}");
        }
        assert_eq!(b["hit"].to_string(), logged(&answer, "calls"), "{answer:#}");
        assert_eq!(c["new"], b["new"], "{answer:#}");
        counts.insert(b["hit"].to_string());
        if counts.len() > 1 {
            break;
        }
    }
    assert!(counts.len() > 1, "all replays had the same count");
}

/// A place that was learnt from an earlier run says nothing about a run in which the point is elsewhere.
#[test]
fn a_point_that_moved_after_the_last_run_but_one_is_told() {
    let case = Case::new("moves");
    let a = case.line("Moves.java", "// <- A");
    let points = format!(
        r#"(id: "A", at: Line("Moves", {a})), (id: "B", at: LastChange("A:Moves.weight")),
           (id: "C", at: LastCondition("B")), (id: "D", at: LastChange("A:Moves.count")),
           (id: "E", at: LastCondition("D"))"#
    );
    let debuggee = r#"command: ["java", "-cp", "classes", "Moves"], sources: ["."]"#;
    for backend in ["jdwp", "auto"] {
        drop(std::fs::remove_file(case.mark("ran")));
        let asked = |runs: &str| {
            let options = ["--format", "json", "--backend", backend, "--max-runs", runs];
            case.replay(debuggee, &points, &options).answer()
        };
        let answer = asked("2");
        assert_eq!(point(&answer, "B")["line"], case.line("Moves.java", "// <- later"), "{answer:#}");
        for (id, effect) in [("C", "B"), ("E", "D")] {
            let reason = point(&answer, id)["reason"].as_str().unwrap_or_else(|| panic!("{answer:#}"));
            let moved = format!("{effect} was at another place in an earlier run");
            assert!(reason.starts_with(&moved), "{backend}: {reason}");
        }
        drop(std::fs::remove_file(case.mark("ran")));
        let answer = asked("9");
        assert_eq!(answer["runs"], 4, "{backend}: {answer:#}");
        for id in ["C", "E"] {
            let line = case.line("Moves.java", &format!("// <- {id}"));
            assert_eq!(point(&answer, id)["line"], line, "{backend}: {answer:#}");
        }
    }
}
