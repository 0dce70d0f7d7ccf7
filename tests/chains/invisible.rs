//! A program observes the same about itself with and without probes: its stack traces, its classes by
//! reflection, its serialised form, the initialisation order of its classes, its output and its exit code.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::Case;
use crate::support::{in_turn, javas, javas_in_turn, point, said};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// The ways to replay a chain: with hits read as they come, and with only those that the VM kept.
const WAYS: [&str; 2] = ["--backend probe --eager 100", "--backend probe --eager 0"];

/// Every use of probes, in all classes of the program.
const POINTS: &str = r#"
    (id: "A", at: Line("Invisible", LINE), index: -1, collect: ["turns"]),
    (id: "Turns", at: LastChange("A:turns")),
    (id: "Local", at: LastChange("A:local")),
    (id: "Turn", at: LastChange("A:i")),
    (id: "Condition", at: LastCondition("A")),
    (id: "Move", at: Exit("Account.move"), index: -1),
    (id: "Before", at: LastChange("Move:before")),
    (id: "Each", at: LastCondition("Move")),
    (id: "Balance", at: LastChange("Move:this.balance")),
    (id: "Rate", at: LastChange("Move:this.rate")),
    (id: "Owner", at: LastChange("Move:this.owner")),
    (id: "Made", at: LastChange("Move:Account.made")),
    (id: "Risky", at: Exit("Account.risky"), index: -1),
    (id: "Result", at: LastChange("Risky:result")),
    (id: "History", at: LastChange("Risky:this.history")),
    (id: "Savings", at: Exit("Savings.<init>"), index: -1),
    (id: "Small", at: LastChange("Savings:small")),
    (id: "Inherited", at: LastChange("Savings:balance")),
    (id: "Kind", at: LastChange("Savings:kind")),
    (id: "Weight", at: Entry("Colour.weight"), index: -1),
    (id: "Uses", at: LastChange("Weight:uses")),
    (id: "Letter", at: LastChange("Weight:letter")),
    (id: "Of", at: Exit("Colour.of"), index: -1),
    (id: "Sum", at: LastChange("Of:sum")),
    (id: "Switch", at: LastCondition("Of")),
    (id: "Twice", at: Exit("Pair.twice"), index: -1),
    (id: "Left", at: LastChange("Twice:left")),
    (id: "Doubled", at: LastChange("Twice:doubled")),
    (id: "Circle", at: Exit("Circle.area"), index: -1),
    (id: "Radius", at: LastChange("Circle:radius")),
    (id: "Squared", at: LastChange("Circle:square")),
    (id: "Square", at: Exit("Square.area"), index: -1),
    (id: "Side", at: LastChange("Square:side")),
    (id: "Greet", at: Exit("Greets.greet"), index: -1),
    (id: "Text", at: LastChange("Greet:text")),
    (id: "Said", at: Exit("Greeter.say"), index: -1),
    (id: "Last", at: LastChange("Said:Greeter.last")),
    (id: "Down", at: Exception("IllegalStateException"), from: "Invisible.down", index: -1),
    (id: "Below", at: LastChange("Down:left")),
    (id: "Depth", at: LastChange("Down:depth")),
    (id: "Bottom", at: LastCondition("Down")),
    (id: "Nested", at: Entry("Invisible.nested"), index: -1),
    (id: "N", at: LastChange("Nested:n")),
    (id: "Came", at: LastCondition("Nested")),
    (id: "Broken", at: Watch("Broken", "value"), index: -1),
    (id: "Reads", at: Read("Account", "balance"), index: -1),
    (id: "Next", at: Read("Account", "next"), index: -1),
    (id: "Third", at: Read("Account", "next"), index: 2),
    (id: "Inner", at: Entry("Invisible.nested"), index: 2),
    (id: "M", at: LastChange("Inner:n")),
    (id: "Nothing", at: Watch("Constants", "others"), index: -1)
"#;

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Fails with the first differing line and its surroundings.
#[track_caller]
fn same(what: &str, seen: &str, expected: &str) {
    let (mut seen_lines, mut expected_lines) = (seen.lines(), expected.lines());
    let mut before = Vec::new();
    loop {
        match (seen_lines.next(), expected_lines.next()) {
            (None, None) => return assert_eq!(seen, expected, "{what}"),
            (seen, expected) if seen == expected => before.push(seen.unwrap_or_default()),
            (seen, expected) => {
                let from = before.len().saturating_sub(5);
                panic!(
                    "{what}, line {}:\n{}\n  seen: {seen:?}\nplain: {expected:?}",
                    before.len() + 1,
                    before[from..].join("\n")
                )
            }
        }
    }
}

/// The questions about local variables, which have no names without debug information.
const LOCALS: [&str; 11] =
    ["Local", "Turn", "Before", "Result", "Sum", "Doubled", "Squared", "Text", "Below", "N", "M"];

fn points(case: &Case, locals: bool) -> String {
    let is_local = |line: &&str| LOCALS.iter().any(|id| line.contains(&format!("(id: {id:?},")));
    let lines: Vec<&str> = POINTS.lines().filter(|line| locals || !is_local(line)).collect();
    lines.join("\n").replace("LINE", &case.line("Invisible.java", "// <- A").to_string())
}

/// The program alone: its output and its log.
fn plain(case: &Case, java: &str, classes: &str) -> (Output, String) {
    let seen = case.mark("plain");
    drop(std::fs::remove_file(&seen));
    let mut command = Command::new(java);
    command.current_dir(case.work()).args(["-cp", classes, "Invisible"]).arg(&seen);
    let output = command.env_remove("JAVA_TOOL_OPTIONS").output().expect("java");
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    (output, text(&seen))
}

/// The parts of an answer that do not depend on the back end.
fn essence(answer: &Value) -> Vec<(String, Value, Value, Value)> {
    let points = answer["points"].as_array().expect("points").iter();
    let of = |p: &Value| (p["id"].to_string(), p["located"].clone(), p["line"].clone(), p["new"].clone());
    points.map(of).collect()
}

/// Asserts that each run of a replay logs the same as the plain program, and that the answers equal those of
/// a replay by events.
fn sees_nothing_of_it(options: &[&str], locals: bool, ways: &[&str]) {
    let case = Case::compiled_with("invisible", options);
    let seen = case.mark("seen");
    let replay = |java: &str, way: &str| {
        drop(std::fs::remove_file(&seen));
        let command = [java, "-cp", "classes", "Invisible", seen.to_str().expect("a path")];
        let mut arguments: Vec<&str> = way.split(' ').collect();
        arguments.extend(["--format", "json", "--max-runs", "30", "--show-output"]);
        let run = case.replay(&format!("command: {command:?}"), &points(&case, locals), &arguments);
        let (answer, said) = (run.answer(), run.said());
        let (_, expected) = plain(&case, java, "classes");
        let runs = answer["runs"].as_u64().and_then(|n| usize::try_from(n).ok()).expect("a number");
        same(&format!("{java}, {way}"), &text(&seen), &expected.repeat(runs));
        for n in 1..=runs {
            assert!(said.contains(&format!("run {n} | to standard output\n")), "{said}");
            assert!(said.contains(&format!("run {n} | to standard error\n")), "{said}");
        }
        for id in ["A", "Turns", "Balance", "Nothing"] {
            assert_eq!(point(&answer, id)["located"], true, "{java}, {way}: {id}: {answer:#}");
        }
        essence(&answer)
    };
    let by_events = replay("java", "--backend jdwp");
    for java in javas_in_turn(usize::from(locals)) {
        for way in ways {
            let by_probes = replay(&java, way);
            for (probed, expected) in by_probes.iter().zip(&by_events) {
                assert_eq!(probed, expected, "{java}, {way}");
            }
            assert_eq!(by_probes.len(), by_events.len());
        }
    }
}

#[test]
fn a_program_sees_nothing_of_its_probes() {
    sees_nothing_of_it(&["-g", "-parameters", "-nowarn"], true, &in_turn(&WAYS));
}

/// Messages of exceptions number the slots of unnamed variables.
#[test]
fn nor_does_one_without_names_of_variables() {
    sees_nothing_of_it(&["-g:source,lines", "-nowarn"], false, &WAYS[1..]);
}

#[test]
fn output_and_exit_code_of_a_launched_java_are_its_own() {
    let case = Case::compiled_with("invisible", &["-g", "-parameters", "-nowarn"]);
    let script =
        r#"java -cp classes Invisible "$MARKS/seen" >>"$MARKS/out" 2>>"$MARKS/err"; echo $? >>"$MARKS/code""#;
    let (output, expected) = plain(&case, "java", "classes");
    for way in WAYS {
        for mark in ["seen", "out", "err", "code"] {
            drop(std::fs::remove_file(case.mark(mark)));
        }
        let mut arguments: Vec<&str> = way.split(' ').collect();
        arguments.extend(["--format", "json", "--max-runs", "30"]);
        let run =
            case.replay(&format!("command: [\"sh\", \"-c\", {script:?}]"), &points(&case, true), &arguments);
        let runs = run.answer()["runs"].as_u64().and_then(|n| usize::try_from(n).ok()).expect("a number");
        same(way, &text(&case.mark("seen")), &expected.repeat(runs));
        let (out, err) = (text(&case.mark("out")), text(&case.mark("err")));
        assert_eq!(out, String::from_utf8_lossy(&output.stdout).repeat(runs));
        assert_eq!(text(&case.mark("code")), "3\n".repeat(runs));
        // The VM itself reports options from the environment.
        let picked = |line: &&str| line.starts_with("Picked up JAVA_TOOL_OPTIONS: ");
        assert_eq!(err.lines().filter(picked).count(), runs, "{err}");
        let own: String = err.lines().filter(|l| !picked(l)).map(|l| format!("{l}\n")).collect();
        assert_eq!(own, String::from_utf8_lossy(&output.stderr).repeat(runs));
    }
}

#[test]
fn a_recorded_program_sees_and_says_what_it_does_alone() {
    let case = Case::compiled_with("invisible", &["-g", "-parameters", "-nowarn"]);
    let lines =
        |text: &[u8]| -> Vec<String> { String::from_utf8_lossy(text).lines().map(str::to_owned).collect() };
    let mut made = 0;
    for java in javas() {
        let (output, expected) = plain(&case, &java, "classes");
        let mut own = [lines(&output.stdout), lines(&output.stderr)].concat();
        own.sort();
        for level in ["calls", "writes", "all"] {
            let seen = case.mark("seen");
            drop(std::fs::remove_file(&seen));
            made += 1;
            let mut command = case.qp();
            command.args(["trace", "record", "--show-output", "--format=json", "--level", level, "--out"]);
            command.arg(case.mark(&format!("trace{made}"))).args([
                "--",
                &java,
                "-cp",
                "classes",
                "Invisible",
            ]);
            let run = case.run_command(command.arg(&seen));
            assert_eq!(run.answer()["ended"], "exit code 3", "{java}, {level}: {}", run.said());
            same(&format!("{java}, {level}"), &text(&seen), &expected);
            // `qp` shows both streams on standard error.
            let mut shown = lines(&run.output.stderr);
            shown.sort();
            assert_eq!(shown, own, "{java}, {level}");
        }
    }
}
