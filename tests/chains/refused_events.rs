//! Classes that take no probes, and an agent that finds no folder: `qp` says so and uses JDWP events, the
//! program continues, and nothing is left behind.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::Case;
use crate::support::{point, said};
#[allow(dead_code, reason = "another test binary uses the rest")]
use crate::traps::fixture::Fixture;
use serde_json::Value;
use std::fmt::Write;
use std::process::Command;

/// A method of nearly 64 KiB that only writes the field; the program executes few of the writes.
fn huge() -> (Case, u32) {
    let case = Case::new("unwilling");
    let mut text =
        String::from("public class Huge {\n    int field;\n\n    static void fill(Huge h, int n) {\n");
    text.push_str("        h.field = n;\n        if (n < 10) {\n            return;\n        }\n");
    for n in 0..8_900 {
        writeln!(text, "        h.field = {};", 1_000 + n).unwrap();
    }
    text.push_str("    }\n\n    public static void main(String[] args) {\n        Huge huge = new Huge();\n");
    text.push_str("        for (int i = 0; i < 5; i++) {\n            fill(huge, i);\n        }\n");
    text.push_str("        System.out.println(huge.field);\n    }\n}\n");
    let root = text.lines().position(|l| l.contains("println")).and_then(|n| u32::try_from(n + 1).ok());
    let file = case.work().join("Huge.java");
    std::fs::write(&file, text).expect("written");
    let mut javac = Command::new("javac");
    let output =
        javac.current_dir(case.work()).args(["-g", "-d", "classes", "Huge.java"]).output().expect("javac");
    assert!(output.status.success(), "{}", said(&output));
    (case, root.expect("a line"))
}

#[test]
fn a_method_that_has_no_room_is_named_and_watched_without_probes() {
    let (case, root) = huge();
    let points = format!(
        r#"(id: "A", at: Line("Huge", {root})), (id: "B", at: LastChange("A:huge.field")),
           (id: "C", at: LastChange("A:huge"))"#
    );
    let debuggee = r#"command: ["java", "-cp", "classes", "Huge"]"#;
    for eager in ["100", "0"] {
        let probes = case.replay(debuggee, &points, &["--backend", "probe", "--eager", eager]);
        probes.fails(4, &["probes cannot answer: Huge.fill(LHuge;I)V: its code would be", "--backend auto"]);
        let run =
            case.replay(debuggee, &points, &["--backend", "auto", "--eager", eager, "--format", "json"]);
        run.is(0, &[]);
        let answer = run.answer();
        let (b, c) = (point(&answer, "B"), point(&answer, "C"));
        assert_eq!((&b["old"], &b["new"], &b["text"]), (&"3".into(), &"4".into(), &"h.field = n;".into()));
        assert_eq!(c["text"], "Huge huge = new Huge();");
        assert_eq!(answer["runs"], 2);
    }
}

/// An answer without its numbers of hits.
fn essence(answer: &Value) -> Vec<[Value; 6]> {
    let of = |p: &Value| ["id", "located", "line", "old", "new", "notes"].map(|field| p[field].clone());
    answer["points"].as_array().expect("points").iter().map(of).collect()
}

#[test]
fn other_code_than_that_of_the_class_file_is_watched_without_probes() {
    let points = r#"(id: "A", at: Line("Target", {A}), index: -1), (id: "B", at: LastChange("A:level")),
        (id: "C", at: LastChange("A:height"))"#;
    for argument in ["other", "same"] {
        let fixture = Fixture::built("redefined-class", "Redefined");
        let fixture = fixture.vm("-javaagent:classes/redefiner.jar").args(&[argument]);
        let expected = fixture.ask_with(points, &["--backend", "jdwp"]);
        for eager in ["100", "0"] {
            for (auto, expected) in fixture.ask_with(points, &["--eager", eager]).into_iter().zip(&expected) {
                let what = format!("{} {argument} {eager}", auto.java);
                assert_eq!(auto.code, expected.code, "{what}: {:#}\n{:#}", auto.answer, expected.answer);
                assert_eq!(essence(&auto.answer), essence(&expected.answer), "{what}");
                // The only additional warning may be that probes were not possible.
                let warnings = [&auto.answer, &expected.answer].map(|answer| {
                    let all = answer["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
                    all.filter(|w| !w.starts_with("watched by JDWP events")).count()
                });
                assert_eq!(warnings[0] == 0, warnings[1] == 0, "{what}: {:#}", auto.answer);
            }
        }
    }
}

/// The code in the VM doubles the value.
#[test]
fn probes_go_on_by_the_code_that_a_java_agent_has_made() {
    let case = Case::new("unwilling");
    let from = crate::support::root().join("tests/fixtures/redefined-class");
    std::fs::create_dir_all(case.work().join("v2")).expect("a folder");
    for file in ["build.sh", "Redefined.java", "Target.java", "v2/Target.java"] {
        std::fs::copy(from.join(file), case.work().join(file)).expect("copied");
    }
    let build = Command::new("sh").arg("build.sh").current_dir(case.work()).output().expect("sh");
    assert!(build.status.success(), "{}", said(&build));
    let [a, b] =
        ["// <- A", "// <- B"].map(|m| crate::support::marked("fixtures/redefined-class", "Target.java", m));
    let points =
        format!(r#"(id: "A", at: Line("Target", {a}), index: -1), (id: "B", at: LastChange("A:level"))"#);
    let command = ["java", "-javaagent:classes/redefiner.jar=load", "-cp", "classes", "Redefined", "never"];
    let debuggee = format!("command: {command:?}");
    for backend in ["probe", "auto"] {
        let run = case.replay(&debuggee, &points, &["--backend", backend, "--format", "json"]);
        let answer = run.is(0, &[]).answer();
        let found = point(&answer, "B");
        assert_eq!((&found["line"], &found["new"]), (&b.into(), &"4".into()), "{answer:#}");
        assert!(answer["warnings"].to_string().contains("the Java agent redefiner.jar rewrote Target"));
    }
    let agent = "the Java agent redefiner.jar may have rewritten it";
    case.replay(&debuggee, &points, &["--backend", "jdwp"]).is(3, &[agent]);
    let at = format!("Target:{a}");
    let log = |backend| {
        let log = ["log", "level", "--at", &at, "--backend", backend, "--"];
        case.run(&[&log[..], &command].concat())
    };
    log("probe").is(0, &["2 lines of 2 passes"]);
    let refused = log("jdwp");
    refused.is(4, &[agent]);
    assert!(!refused.said().contains("never came there"), "{}", refused.said());
}

fn sweeps(case: &Case) -> String {
    let line = case.line("Sweeps.java", "// <- A");
    format!(
        r#"(id: "A", at: Line("Sweeps", {line})), (id: "B", at: LastChange("A:late.field")),
           (id: "C", at: LastChange("A:sum"))"#
    )
}

#[track_caller]
fn right(case: &Case, answer: &Value) {
    for id in ["A", "B", "C"] {
        let found = point(answer, id);
        assert_eq!(found["line"], case.line("Sweeps.java", &format!("// <- {id}")), "{answer:#}");
    }
    assert_eq!((&point(answer, "B")["new"], &point(answer, "C")["new"]), (&"4".into(), &"10".into()));
}

#[test]
fn a_cache_that_cannot_be_written_is_done_without() {
    let case = Case::new("unwilling");
    let points = sweeps(&case);
    let file = case.mark("file");
    std::fs::write(&file, "").expect("written");
    for cache in ["/dev/null/x", file.to_str().expect("a path")] {
        for eager in ["100", "0"] {
            let chain = case.chain(r#"command: ["java", "-cp", "classes", "Sweeps"]"#, &points);
            let mut command = case.qp();
            command.env("XDG_CACHE_HOME", cache).arg("replay").arg(chain);
            command.args(["--backend", "probe", "--eager", eager, "--format", "json"]);
            let run = case.run_command(&mut command);
            run.is(0, &[]);
            right(&case, &run.answer());
        }
    }
    // If the folder is writable, the agent stays there for the next run, once.
    let chain = case.chain(r#"command: ["java", "-cp", "classes", "Sweeps"]"#, &points);
    let cache = case.mark("cache");
    for _ in 0..2 {
        let mut command = case.qp();
        command.env("XDG_CACHE_HOME", &cache).args(["replay", "--backend", "probe"]).arg(&chain);
        case.run_command(&mut command).is(0, &[]);
    }
    let agents = std::fs::read_dir(cache.join("querypoint").join("agent")).expect("the cache");
    assert_eq!(agents.count(), 1);
}

#[test]
fn a_program_that_empties_the_temporary_folder_is_answered() {
    let case = Case::new("unwilling");
    let points = sweeps(&case);
    let debuggee = r#"command: ["java", "-cp", "classes", "Sweeps", "sweep"]"#;
    for eager in ["100", "0"] {
        for backend in ["probe", "auto"] {
            let options = ["--backend", backend, "--eager", eager, "--format", "json"];
            let run = case.replay(debuggee, &points, &options);
            run.is(0, &[]);
            right(&case, &run.answer());
        }
    }
}

#[test]
fn a_folder_that_is_gone_before_the_plan_is_written_is_told() {
    let case = Case::new("unwilling");
    let points = sweeps(&case);
    let debuggee = r#"command: ["sh", "-c", "rm -rf \"$TMPDIR\"/querypoint-*; java -cp classes Sweeps"]"#;
    let run = case.replay(debuggee, &points, &["--backend", "probe", "--show-output"]);
    run.fails(4, &["probes cannot answer: the agent's plan cannot be written"]);
    let run = case.replay(debuggee, &points, &["--backend", "auto", "--format", "json"]);
    run.is(0, &[]);
    right(&case, &run.answer());
}
