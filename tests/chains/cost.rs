//! `qp explain --cost`: it counts the hits of a run exactly, however the run ends, and estimates the time of
//! a replay within an order of magnitude.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::{Case, Run};
use crate::support::{point, said};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};

/// Runs `qp explain --cost --format json`, and checks that it leaves nothing behind.
fn cost(case: &Case, debuggee: &str, points: &str, options: &[&str]) -> Run {
    let file = case.chain(debuggee, points);
    case.run_command(case.qp().args(["explain", "--cost"]).arg(file).args(options))
}

fn counted(ending: &str, times: u32) -> String {
    format!(r#"command: ["java", "-cp", "classes", "Counted", "{ending}", "{times}"]"#)
}

/// A point of each counted kind; the ids are the names of the program's own counters.
fn points(case: &Case) -> String {
    let line = |mark: &str| case.line("Counted.java", &format!("// <- {mark}"));
    format!(
        r#"(id: "A", at: Line("Counted", {})),
           (id: "field", at: LastChange("A:box.field")),
           (id: "static", at: LastChange("A:Counted.shared")),
           (id: "local", at: LastChange("A:sum")),
           (id: "element", at: LastChange("A:cells[1]")),
           (id: "line", at: Line("Counted", {})),
           (id: "way", at: Line("Counted", {})),
           (id: "branch", at: LastCondition("way")),
           (id: "entry", at: Entry("Counted.work")),
           (id: "exit", at: Exit("Counted.work"))"#,
        line("A"),
        line("line"),
        line("way")
    )
}

/// The program's own counts, without `qp`.
fn own_counts(case: &Case, ending: &str, times: u32) -> BTreeMap<String, u64> {
    let mut java = Command::new("java");
    java.args(["-cp", "classes", "Counted", ending, &times.to_string()]).current_dir(case.work());
    let output = java.output().expect("java");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let pairs = text.lines().filter_map(|line| line.split_once(' '));
    let counts: BTreeMap<_, _> =
        pairs.map(|(name, n)| (name.to_owned(), n.parse().expect("a number"))).collect();
    assert_eq!(counts.len(), 9, "{}", said(&output));
    counts
}

/// The hits of a point at the line with a mark.
fn at_mark(case: &Case, found: &Value, mark: &str) -> u64 {
    let line = format!(" line {}", case.line("Counted.java", &format!("// <- {mark}")));
    let sites = found["sites"].as_array().expect("sites");
    let here = sites.iter().filter(|s| s["site"].as_str().expect("a site").ends_with(&line));
    here.map(|s| s["hits"].as_u64().expect("a number")).sum()
}

#[test]
fn hits_are_counted_exactly_however_the_program_ends() {
    let case = Case::new("counted");
    let expected = own_counts(&case, "return", 5000);
    for ending in ["return", "exit", "halt", "throw"] {
        let run = cost(&case, &counted(ending, 5000), &points(&case), &["--format", "json"]);
        let told = run.is(0, &[]).answer();
        for (name, hits) in &expected {
            let found = point(&told, name);
            let counted =
                if name == "branch" { json!(at_mark(&case, found, "branch")) } else { found["hits"].clone() };
            assert_eq!(
                (&counted, &found["at_least"]),
                (&json!(hits), &json!(false)),
                "{ending} {name}: {found:#}"
            );
        }
        assert_eq!(told["cut_off"], Value::Null);
        assert_eq!(told["auto"], "probe");
        assert!(told["plain_s"].as_f64().expect("a time") > 0.0);
        // Over JDWP, every call of `work` is an event.
        assert!(told["entries"]["hits"].as_u64().expect("a number") >= expected["entry"], "{told:#}");
        assert_eq!((&told["jdwp"], &point(&told, "element")["jdwp"]), (&Value::Null, &Value::Null));
    }
}

#[test]
fn a_run_that_is_cut_off_tells_what_it_has_counted() {
    let case = Case::new("counted");
    let expected = own_counts(&case, "return", 100);
    let points = points(&case);
    let run = cost(&case, &counted("hang", 100), &points, &["--format", "json", "--timeout", "5"]);
    let told = run.is(4, &[]).within(Duration::from_secs(60)).answer();
    assert_eq!(told["cut_off"], "by qp after 5 s");
    let field = point(&told, "field");
    // On a busy machine the loop may not have ended.
    let hits = field["hits"].as_u64().expect("a number");
    assert!(hits > 0 && hits <= expected["field"], "{field:#}");
    assert_eq!(field["at_least"], true);
    let run = cost(&case, &counted("hang", 100), &points, &["--timeout", "5"]);
    run.is(4, &["≥", "note, the run did not reach its end (by qp after 5 s)"]);
    // A killed VM reports no counts.
    let run = cost(&case, &counted("kill", 100), &points, &[]);
    run.fails(4, &["the VM did not report its hit counts at its end", "killed by signal 9"]);
}

#[test]
fn what_cannot_be_counted_says_why() {
    let case = Case::new("counted");
    let line = case.line("Counted.java", "// <- A");
    let more = format!(
        r#"(id: "A", at: Line("Counted", {line})), (id: "B", at: LastChange("A(1):i")),
           (id: "C", at: Exception("java.lang.IllegalArgumentException")), (id: "D", at: LastChange("A:sum"))"#
    );
    let run = cost(&case, &counted("return", 20), &more, &["--format", "json"]);
    let told = run.is(0, &[]).answer();
    for (id, why) in [
        ("B", "a run must tell the method of frame 1 at A first, and another one answers"),
        ("C", "no probe counts exceptions"),
    ] {
        let found = point(&told, id);
        let nothing = [&found["hits"], &found["jdwp"], &found["probe"]];
        assert!(nothing.iter().all(|n| n.is_null()), "{found:#}");
        assert_eq!(found["uncounted"], why);
    }
    assert_eq!(point(&told, "D")["uncounted"], Value::Null);
    assert_eq!(told["probe"]["at_least"], true, "not all that costs is known");
    let run = cost(&case, &counted("return", 20), &more, &[]);
    run.is(
        0,
        &["note, B is not counted: a run must tell", "note, C is not counted: no probe counts exceptions"],
    );
    let text = String::from_utf8_lossy(&run.output.stdout).into_owned();
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    assert!(run.output.stderr.is_empty(), "{}", run.said());
    // A class that this run never loads surely has no hits.
    let unused = r#"(id: "A", at: Line("Counted", 1))"#;
    cost(&case, &counted("return", 20), unused, &[]).fails(2, &["line 1"]);
    let remote = r#"attach: "localhost:5005", relaunch: ["true"], classes: ["classes"]"#;
    let run = cost(&case, remote, &more, &["--format", "json"]);
    let told = run.is(0, &[]).answer();
    assert_eq!((&told["plain_s"], &told["auto"]), (&Value::Null, &json!("jdwp")));
    let why = &point(&told, "A")["uncounted"];
    assert_eq!(why, "no probes can be put into a remote program");
}

#[test]
fn what_is_wrong_is_said_as_elsewhere() {
    let case = Case::new("counted");
    let line = case.line("Counted.java", "// <- A");
    let a = format!(r#"(id: "A", at: Line("Counted", {line}))"#);
    cost(&case, r#"command: ["no-such-java", "Counted"]"#, &a, &[]).fails(4, &["no-such-java"]);
    cost(&case, r#"command: ["java", "-cp", "classes", "-XX:NoSuchOption", "Counted"]"#, &a, &[])
        .fails(4, &["NoSuchOption"]);
    cost(&case, &counted("return", 1), r#"(id: "A", at: Line("Counted", 9999))"#, &[]).fails(2, &["9999"]);
    cost(&case, &counted("return", 1), r#"(id: "A", at: LastChange("B:x"))"#, &[]).fails(2, &["B"]);
    cost(&case, &counted("return", 1), &a, &["--graph", "dot"]).fails(2, &["cannot be used with"]);
    let failing = format!(r#"build: ["false"], {}"#, counted("return", 1));
    cost(&case, &failing, &a, &[]).fails(4, &["false"]);
    let run = case.run(&["explain", "--timeout", "3", "chain.ron"]);
    run.fails(2, &["--cost"]);
}

#[test]
fn the_forecast_is_of_the_order_of_what_a_replay_takes() {
    let case = Case::new("stop-there");
    let line = case.line("StopThere.java", "// <- A");
    let debuggee = |turns: u32| format!(r#"command: ["java", "-cp", "classes", "StopThere", "{turns}"]"#);
    let questions = [
        // Over JDWP each hit stops; with probes 300 of them do.
        ("probe", 1_000, r#"(id: "B", at: LastChange("A:sum"))"#),
        ("jdwp", 600, r#"(id: "B", at: LastChange("A:sum"))"#),
        (
            "probe",
            3_000_000,
            r#"(id: "B", at: LastChange("A:sum")), (id: "C", at: LastChange("A:box.held"))"#,
        ),
        ("jdwp", 500, r#"(id: "B", at: LastChange("A:box.held"))"#),
        ("probe", 500, r#"(id: "B", at: Watch("StopThere", "held"), index: -1)"#),
    ];
    for (backend, turns, more) in questions {
        let points = format!(r#"(id: "A", at: Line("StopThere", {line})), {more}"#);
        let told = cost(&case, &debuggee(turns), &points, &["--format", "json"]).is(0, &[]).answer();
        let forecast = told[backend]["seconds"].as_f64().expect("a time");
        let file = case.chain(&debuggee(turns), &points);
        let started = Instant::now();
        let run = case.run_command(case.qp().args(["replay", "--backend", backend]).arg(file));
        run.is(0, &[]);
        let took = started.elapsed().as_secs_f64();
        println!("{backend} {turns}: forecast {forecast:.2} s, took {took:.2} s");
        // A debug build on a busy machine is slower than the measured constants.
        assert!(
            took / forecast < 40.0 && forecast / took < 10.0,
            "{backend} {turns}: {forecast} s, {took} s"
        );
    }
}

#[test]
fn counting_does_not_slow_a_hot_loop_much() {
    const TURNS: u32 = 20_000_000;
    let case = Case::new("stop-there");
    let line = case.line("StopThere.java", "// <- A");
    let debuggee = format!(r#"command: ["java", "-cp", "classes", "StopThere", "{TURNS}"]"#);
    let points = format!(
        r#"(id: "A", at: Line("StopThere", {line})), (id: "B", at: LastChange("A:sum")),
           (id: "C", at: LastChange("A:box.held"))"#
    );
    let run = cost(&case, &debuggee, &points, &["--format", "json"]);
    let told = run.is(0, &[]).within(Duration::from_secs(30)).answer();
    let hits = |id: &str| point(&told, id)["hits"].clone();
    assert_eq!((hits("A"), hits("B"), hits("C")), (json!(1), json!(TURNS + 1), json!(2 * TURNS)));
}
