//! A value that several lines can produce is answered by the line of the executed branch, together with its
//! statement. Tested by both back ends, for each kind of question, and by recordings, against the program's
//! own output.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::{chain_file, compiled, finish, point, replay, root, said};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A line that the program printed: the method, its line, and the branch.
struct Told {
    name: String,
    index: usize,
    n: String,
    arm: String,
}

/// The program's own log.
fn told() -> Vec<Told> {
    let output = Command::new("java").arg("-cp").arg(compiled("fixtures/arms", &["-g"])).arg("Arms").output();
    let output = output.expect("java runs");
    assert!(output.status.success(), "{}", said(&output));
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let text = String::from_utf8(output.stdout).expect("text");
    let lines = text.lines().map(|line| {
        let [name, n, arm] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let count = counts.entry(name.to_owned()).or_default();
        *count += 1;
        Told { name: name.to_owned(), index: *count - 1, n: n.to_owned(), arm: arm.to_owned() }
    });
    lines.collect()
}

/// The number and the text of the line that a comment marks.
fn line(mark: &str) -> (u64, String) {
    let source = std::fs::read_to_string(root().join("tests/fixtures/arms/Arms.java")).expect("the fixture");
    let marks =
        |line: &str| line.split_once("// ").is_some_and(|(_, all)| all.split(", ").any(|m| m == mark));
    let found: Vec<_> = (1..).zip(source.lines()).filter(|(_, line)| marks(line)).collect();
    let [(number, text)] = found.as_slice() else { panic!("{mark} marks {found:?}") };
    (*number, text.trim().to_owned())
}

/// The points that ask for each logged line, with an expectation each.
fn points(told: &[Told], kind: &str) -> String {
    let mut points = String::new();
    for (number, Told { name, index, n, arm }) in told.iter().enumerate() {
        let text = format!("{:?}", line(&format!("{name} arm {arm}")).1);
        let what = match name.as_str() {
            "put" => "field".to_owned(),
            "element" => format!("elements[{n}]"),
            "shared" => "Shared.number".to_owned(),
            "returned" | "kept" => {
                let _ = writeln!(
                    points,
                    "(id: \"Q{number}\", at: Exit(\"Arms.{name}(int)\"), index: {index}, expect: (text: {text})),"
                );
                continue;
            }
            _ => "v".to_owned(),
        };
        let end = line(&format!("{name} end")).0;
        let _ = writeln!(
            points,
            "(id: \"L{number}\", at: Line(\"Arms\", {end}), index: {index}),
             (id: \"Q{number}\", at: {kind}(\"L{number}(0):{what}\"), expect: (text: {text})),"
        );
    }
    points
}

fn asked(name: &str, points: &str, options: &[&str]) -> Value {
    let classes = compiled("fixtures/arms", &["-g"]);
    let (classes, sources) = (classes.display(), root().join("tests/fixtures/arms"));
    let debuggee = format!("command: [\"java\", \"-cp\", \"{classes}\", \"Arms\"], sources: [{sources:?}]");
    let text = format!("(format: 1, debuggee: ({debuggee}), points: [{points}])");
    let (code, answer) = replay(&chain_file(name, &text), options);
    let failed: Vec<&Value> = answer["points"].as_array().expect("points").iter().collect();
    let failed: Vec<_> = failed.into_iter().filter(|p| p["expectation"]["held"] == false).collect();
    assert_eq!(code, 0, "{failed:#?}\n{:#}", answer["warnings"]);
    answer
}

/// Asserts that each answer has the line of the branch, and that its statement begins at the mark.
fn hold(answer: &Value, told: &[Told]) {
    for (number, Told { name, n, arm, .. }) in told.iter().enumerate() {
        let point = point(answer, &format!("Q{number}"));
        let (line_number, text) = line(&format!("{name} arm {arm}"));
        assert_eq!(point["line"], line_number, "{name} {n}: {point:#}");
        assert_eq!(point["text"], text, "{name} {n}");
        assert_eq!(point["stack"][0]["line"], line_number, "{name} {n}");
        let (is, is_text) = line(&format!("{name} is"));
        // javac keeps the value of a `yield` in a `try` in an unnamed variable; its origin is that statement.
        let is_kept = name == "caught" && point["question"].as_str().unwrap().starts_with("Origin");
        if is_kept {
            continue;
        }
        if is == line_number {
            assert_eq!(point["statement"], Value::Null, "{name} {n}");
        } else {
            assert_eq!(point["statement"]["line"], is, "{name} {n}: {point:#}");
            assert_eq!(point["statement"]["text"], is_text, "{name} {n}");
        }
        let notes = point["notes"].to_string();
        assert!(!notes.contains("which of them ran"), "{name} {n}: {notes}");
    }
}

#[test]
fn the_last_change_is_at_the_arm_that_ran_by_jdwp_events() {
    let told: Vec<Told> = told().into_iter().filter(|told| told.name != "element").collect();
    let answer = asked("arms-jdwp", &points(&told, "LastChange"), &["--backend", "jdwp"]);
    hold(&answer, &told);
}

#[test]
fn the_last_change_is_at_the_arm_that_ran_by_probes() {
    let told = told();
    let points = points(&told, "LastChange");
    hold(&asked("arms-probe", &points, &["--backend", "probe"]), &told);
    hold(&asked("arms-probe-last", &points, &["--backend", "probe", "--eager", "0"]), &told);
}

#[test]
fn the_origin_is_at_the_arm_that_ran() {
    // One question costs a search through all classes.
    let told: Vec<Told> =
        told().into_iter().filter(|told| !matches!(&*told.name, "returned" | "kept")).collect();
    let told: Vec<Told> = told.into_iter().filter(|told| ["1", "2"].contains(&&*told.n)).collect();
    hold(&asked("arms-origin", &points(&told, "Origin"), &["--backend", "probe"]), &told);
}

#[test]
fn an_expectation_may_name_the_arm_or_the_statement_and_no_other_arm() {
    let (end, of) = (line("arrow end").0, "LastChange(\"A(0):v\")");
    let ask = |text: &str| {
        format!(
            "(id: \"A\", at: Line(\"Arms\", {end}), when: \"n == 1\"), (id: \"B\", at: {of}, expect: (text: {text:?}))"
        )
    };
    for mark in ["arrow arm 2", "arrow is"] {
        asked("arms-expect", &ask(&line(mark).1), &[]);
    }
    let classes = compiled("fixtures/arms", &["-g"]);
    let sources = root().join("tests/fixtures/arms");
    let text = format!(
        "(format: 1, debuggee: (command: [\"java\", \"-cp\", {classes:?}, \"Arms\"], sources: [{sources:?}]), points: [{}])",
        ask(&line("arrow arm 3").1)
    );
    let (code, answer) = replay(&chain_file("arms-expect-other", &text), &[]);
    assert_eq!(code, 1, "{answer:#}");
}

/// A recording of the program.
fn recorded(name: &str, level: &str) -> PathBuf {
    let folder = crate::support::scratch().join(format!("{name}-{level}"));
    let mut record = crate::support::qp();
    record.args(["trace", "record", "--level", level, "--out"]).arg(&folder).args(["--", "java", "-cp"]);
    let output = finish(record.arg(compiled("fixtures/arms", &["-g"])).arg("Arms"));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    folder
}

fn json(arguments: &[&str], folder: &Path) -> Value {
    let output = finish(crate::support::qp().args(arguments).arg(folder).arg("--format=json"));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The calls of a method, in the order in which they return.
fn calls_of(exported: &[Value], method: &str) -> Vec<u64> {
    let of = |event: &&Value| event["event"] == "return" && event["method"] == method;
    exported.iter().filter(of).map(|event| event["node"].as_u64().expect("a number")).collect()
}

#[test]
fn recordings_name_the_arm_that_ran_where_they_hold_the_branches() {
    let told = told();
    let (all, writes) = (recorded("arms-read", "all"), recorded("arms-read", "writes"));
    let exported = crate::support::traced::exported(&all, &[]);
    let mut seen = 0;
    for Told { name, index, n, arm } in told.iter().filter(|told| ["1", "2"].contains(&&*told.n)) {
        let (is_end, variable) = match name.as_str() {
            // A loop stores several times; the last one counts.
            "put" => (false, "field"),
            "element" => (false, "element"),
            "shared" => (false, "number"),
            "returned" | "kept" => continue,
            _ => (true, "v"),
        };
        let node = *calls_of(&exported, name).get(*index).expect("a call");
        let events = json(&["trace", "events", "--limit=1000", &node.to_string()], &all);
        let is_it = |event: &&Value| match is_end {
            true => event["event"] == "local" && event["name"] == variable,
            false => event["name"] == variable || event["event"] == variable,
        };
        let found = events["events"].as_array().expect("events").iter().rfind(is_it).expect("a write");
        let (line_number, _) = line(&format!("{name} arm {arm}"));
        assert_eq!(found["line"], line_number, "{name} {n}: {found:#}");
        let (is, _) = line(&format!("{name} is"));
        assert_eq!(found["statement"].as_u64().unwrap_or(line_number), is, "{name} {n}: {found:#}");
        assert_eq!(found["lines"], Value::Null, "{name} {n}");
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
    // A recording at level `writes` has no branches: it names the statement and the possible lines.
    let arms = ["1", "2"].map(|arm| line(&format!("shared arm {arm}")).0);
    for (folder, is_known) in [(&all, true), (&writes, false)] {
        let history = json(&["trace", "history", "Shared.number", "--limit=100"], folder);
        let told: Vec<&Told> = told.iter().filter(|told| told.name == "shared").collect();
        let shown = history["writes"].as_array().expect("writes");
        assert_eq!(shown.len(), told.len());
        for (write, told) in shown.iter().zip(told) {
            let known =
                line(&format!("shared {}", if is_known { format!("arm {}", told.arm) } else { "is".into() }))
                    .0;
            assert_eq!(write["line"], known, "{write:#}");
            let open = if is_known { Value::Null } else { arms.to_vec().into() };
            assert_eq!(write["lines"], open, "{write:#}");
        }
    }
}

#[test]
fn the_chain_of_each_recorded_event_locates() {
    let all = recorded("arms-chains", "all");
    let exported = crate::support::traced::exported(&all, &[]);
    let mut asked = 0;
    for (method, nth) in [("arrow", 1), ("both", 2), ("spread", 1)] {
        let node = *calls_of(&exported, method).get(nth).expect("a call");
        let events = json(&["trace", "events", "--limit=1000", &node.to_string()], &all);
        for (number, event) in (1..).zip(events["events"].as_array().expect("events")) {
            if event["event"] == "call" {
                continue;
            }
            let file = crate::support::scratch().join(format!("arms-{method}-{number}.ron"));
            let mut command = crate::support::qp();
            command.args(["trace", "as-chain", &node.to_string(), &format!("--event={number}")]);
            let output = finish(command.arg(&all).arg("--save").arg(&file));
            assert_eq!(output.status.code(), Some(0), "{method} {event}\n{}", said(&output));
            let (code, answer) = replay(&file, &[]);
            assert_eq!(code, 0, "{method} {number} {event}\n{answer:#}");
            assert_eq!(point(&answer, "B")["line"], event["line"], "{method} {number} {event}");
            asked += 1;
        }
    }
    assert!(asked > 15, "{asked}");
}

#[test]
fn a_program_that_stands_at_a_change_stands_at_the_arm_that_ran() {
    let end = line("arrow end").0;
    let mut command = crate::support::qp();
    command.args(["debug", "--format", "json", "--source", "tests/fixtures/arms", "--", "java", "-cp"]);
    command.arg(compiled("fixtures/arms", &["-g"])).arg("Arms");
    let script = format!("break Arms:{end} when n == 1\nrun\nwhy v\ngoto B\n");
    let (_, replies) = crate::support::session::session(&mut command, &script);
    let standing = &replies[3]["content"]["standing"];
    assert_eq!(standing["place"]["line"], line("arrow arm 2").0, "{replies:#?}");
    assert_eq!(standing["text"], line("arrow arm 2").1);
}
