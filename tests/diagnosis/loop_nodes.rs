//! `qp diagnose --loops`: executions of loops are nodes of the trees. Random programs log their loops, and
//! the test compares both.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::loops::generate::{Program, program};
use crate::support::javac::Javac;
use crate::support::questions::{lines, told};
use crate::support::rng::Rng;
use crate::support::{compiled, finish, marked, processes_with, qp, said, scratch, unwrapped};
use diagnose::{DiagnoseOptions, Diagnoser};
use past::snapshot::Bounds;
use recorded::{MEMORY, RecordedTrace};
use serde_json::{Value, json};
use session::Context;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a future to its end.
fn wait<T>(what: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(tokio::task::LocalSet::new().run_until(what))
}

fn folder() -> PathBuf {
    tempfile::tempdir_in(scratch()).expect("a folder").keep()
}

async fn diagnoser(trace: &Path, strategy: &str, loops: bool) -> Diagnoser {
    let context = Context::silent();
    let trace = RecordedTrace::open(trace, MEMORY, &context).await.expect("opened");
    let options = DiagnoseOptions {
        strategy: Some(strategy.to_owned()),
        p: None,
        node: None,
        compress: None,
        loops,
        suspects_tests: false,
        bounds: Bounds { depth: 1, elements: 4, parts: 10 },
    };
    Diagnoser::new(trace, options).expect("begun")
}

/// The trees of a recorded run as texts, with or without the lines of loops.
async fn trees(trace: &Path, with_lines: bool) -> Vec<String> {
    let mut diagnoser = diagnoser(trace, "top-down", true).await;
    assert_eq!(diagnoser.notes, Vec::<String>::new());
    let context = Context::silent();
    let forest = diagnoser.diagnosis().forest().clone();
    let mut found: Vec<String> = Vec::new();
    let mut ends: Vec<u32> = Vec::new();
    for node in 0..forest.count() {
        while ends.pop_if(|end| *end <= node).is_some() {}
        assert!(forest.has_ended(node), "{node}");
        let question = diagnoser.question(node, &context).await.expect("a question");
        let text = match question.part {
            None => format!("{}.{}", question.class, question.method),
            Some(part) => {
                let left = format!("{:?}", part.left.expect("told")).to_lowercase();
                assert_eq!(part.line.is_some(), with_lines);
                format!("loop {} from {} {left}", part.line.unwrap_or(0), part.iteration)
            }
        };
        if ends.is_empty() {
            found.push(String::new());
        }
        found.last_mut().expect("a tree").push_str(&format!("{}{text}\n", "  ".repeat(ends.len())));
        ends.push(forest.tree(node).end);
    }
    found
}

/// Asserts that the parts of a call, and the call after them, together cover what the call covers.
async fn what_is_covered_is_shared_out(trace: &Path) {
    let context = Context::silent();
    for strategy in ["edge-coverage", "def-use-coverage"] {
        let mut whole: HashMap<u32, BTreeSet<u32>> = HashMap::new();
        let mut shared: HashMap<u32, BTreeSet<u32>> = HashMap::new();
        for (loops, of) in [(false, &mut whole), (true, &mut shared)] {
            let mut diagnoser = diagnoser(trace, strategy, loops).await;
            let coverage = diagnoser.diagnosis().situation().coverage.cloned().expect("coverage");
            for node in 0..diagnoser.diagnosis().forest().count() {
                let question = diagnoser.question(node, &context).await.expect("a question");
                of.entry(question.node).or_default().extend(coverage.sets()[coverage.set_of(node)].iter());
            }
        }
        assert_eq!(shared, whole, "{strategy} {}", trace.display());
    }
}

/// Compiles, runs and records random programs, and compares the trees of the log with those of the diagnosis.
fn compared(programs: &[Program], options: &[&str]) {
    let folder = folder();
    for program in programs {
        std::fs::write(folder.join(format!("{}.java", program.name)), &program.text).expect("written");
    }
    std::fs::write(folder.join("Log.java"), include_str!("loops/Log.java")).expect("written");
    let mut javac = Javac::new();
    javac.args(options).arg("-d").arg(&folder).arg(folder.join("Log.java"));
    javac.args(programs.iter().map(|program| folder.join(format!("{}.java", program.name)))).run();
    let (log, trace) = (folder.join("log"), folder.join("trace"));
    let mut record = crate::support::qp();
    record.current_dir(&folder).args(["trace", "record", "--level=all", "--trust=Log", "--out"]).arg(&trace);
    record.args(["--", "java", "-cp", ".", "Log", "log"]);
    let output = finish(record.args(programs.iter().map(|program| &program.name)));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let with_lines = !options.contains(&"-g:none");
    let mut lines = HashMap::new();
    for program in programs {
        for (id, line) in &program.lines {
            lines.insert((program.name.clone(), *id), if with_lines { *line } else { 0 });
        }
    }
    let log = std::fs::read_to_string(log).expect("a log");
    let mut wanted = crate::loops::trees(&log, &lines);
    let mut found = wait(trees(&trace, with_lines));
    wait(what_is_covered_is_shared_out(&trace));
    wanted.sort();
    found.sort();
    assert_eq!(wanted.len(), programs.len() + 2);
    assert!(wanted.iter().filter(|tree| tree.contains("loop")).count() > programs.len() / 2);
    for word in ["from 3 normally", "exception"] {
        assert!(wanted.iter().any(|tree| tree.contains(word)), "{word}");
    }
    for (wanted, found) in wanted.iter().zip(&found) {
        let same = wanted.lines().zip(found.lines()).take_while(|(wanted, found)| wanted == found).count();
        let rest = |text: &str| {
            text.lines().skip(same.saturating_sub(5)).take(10).map(|l| format!("{l}\n")).collect::<String>()
        };
        assert!(
            found == wanted,
            "{}, line {same}: found\n{}wanted\n{}",
            folder.display(),
            rest(found),
            rest(wanted)
        );
    }
    assert_eq!(found.len(), wanted.len());
}

fn programs(from: u64, count: u64, is_one_line: bool) -> Vec<Program> {
    (from..from + count).map(|seed| program(&mut Rng::new(seed), &format!("P{seed}"), is_one_line)).collect()
}

#[test]
fn the_trees_of_random_programs_are_those_of_their_logs() {
    compared(&programs(0, 40, false), &["-g"]);
}

#[test]
fn so_are_those_of_programs_without_lines_or_all_on_one() {
    compared(&programs(100, 20, true), &["-g"]);
    compared(&programs(200, 20, false), &["-g:none"]);
}

/// Records a class of the fixture.
fn recorded(class: &str) -> String {
    let trace = folder().join("trace");
    let mut command = qp();
    command.args(["trace", "record", "--level=all", "--out"]).arg(&trace);
    let output =
        finish(command.args(["--", "java", "-cp"]).arg(compiled("fixtures/loops", &["-g"])).arg(class));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    trace.display().to_string()
}

fn diagnose(arguments: &[&str]) -> Command {
    let mut command = qp();
    command.args(["diagnose", "--format=json", "--loops"]).args(arguments);
    command
}

fn int(value: &Value) -> i64 {
    value["value"].as_i64().unwrap_or_else(|| panic!("{value}"))
}

/// The right answer to a question about `Late`.
fn late(question: &Value) -> &'static str {
    let right = match (&question["method"], question.get("loop")) {
        (method, _) if method == "twice" => int(&question["result"]) == 2 * int(&question["entry"]["n"]),
        (method, Some(of)) if method == "sum" => {
            let (entry, exit) = (&question["entry"], &question["exit"]);
            assert_eq!(of["iteration"], json!(int(&entry["i"]) + 1));
            assert_eq!((&of["left"], int(&exit["i"])), (&json!("normally"), 1000));
            let rest: i64 = (int(&entry["i"])..1000).map(|i| 2 * i).sum();
            int(&exit["sum"]) - int(&entry["sum"]) == rest
        }
        _ => false,
    };
    if right { "valid" } else { "invalid" }
}

#[test]
fn a_wrong_call_among_a_thousand_of_a_loop_takes_few_questions() {
    let trace = recorded("Late");
    for strategy in ["divide-and-query", "shapiro", "optimal-divide-and-query"] {
        let told = told(&mut diagnose(&["--strategy", strategy, &trace]), late);
        let buggy = &told.last["buggy"];
        // Call 0 is `main`, call 1 `sum`, and 2 the first `twice`.
        assert_eq!(
            (&buggy["method"], &buggy["node"], told.code),
            (&json!("twice"), &json!(701), 0),
            "{}",
            told.last
        );
        assert_eq!((buggy.get("loop"), told.questions[0]["remaining"].as_u64()), (None, Some(2002)));
        let asked = told.questions.len();
        assert!((8..=13).contains(&asked), "{strategy}: {asked}");
    }
}

/// The right answer to a question about `Turns`.
fn turns(question: &Value) -> &'static str {
    let (method, entry, exit) = (&question["method"], &question["entry"], &question["exit"]);
    let right = match question.get("loop") {
        _ if method == "main" => false,
        _ if method != "sum" => true,
        None => int(&question["result"]) == 21,
        Some(_) => {
            int(&exit["sum"]) - int(&entry["sum"]) == (int(&entry["i"])..6).map(|i| i + 1).sum::<i64>()
        }
    };
    if right { "valid" } else { "invalid" }
}

#[test]
fn a_loop_is_buggy_in_one_of_its_iterations() {
    let trace = recorded("Turns");
    let line = |mark: &str| marked("fixtures/loops", "Turns.java", mark);
    let of = json!({"line": line("sum"), "to_line": line("wrong"), "iteration": 4, "to_iteration": 4});
    for (strategy, _) in diagnose::strategies() {
        let told = told(&mut diagnose(&["--strategy", strategy, &trace]), turns);
        let buggy = &told.last["buggy"];
        assert_eq!(
            (&buggy["method"], &buggy["loop"], told.code),
            (&json!("sum"), &of, 0),
            "{strategy} {}",
            told.last
        );
        assert_eq!(buggy["node"], 1, "{strategy}");
    }
    // Stepping starts at that iteration.
    let mut command = qp();
    command.args(["diagnose", "--loops", "--strategy=top-down", &trace]);
    let script = folder().join("script");
    std::fs::write(&script, "i\ni\ni\nv\ni\nv\ni\nv\ni\nv\nv\n").expect("written");
    let output = finish(command.stdin(std::fs::File::open(script).expect("a script")));
    let text = said(&output);
    let place =
        format!("(Turns.java:{} to {}), call #1, iteration 4, after 11 answers", line("sum"), line("wrong"));
    assert!(text.contains(&format!("the bug is in the loop of Turns.sum {place}")), "{text}");
    assert!(
        text.contains("#1 Turns.sum, the loop at lines") && text.contains("calls and loops are suspicious"),
        "{text}"
    );
    let (_, walk) = text.split_once("after 11 answers").expect("an end");
    assert!(walk.contains("i = 3") && walk.contains("sum = 6"), "{walk}");
}

#[test]
fn a_question_about_a_loop_tells_what_became_of_it() {
    let told = told(&mut diagnose(&["--strategy=top-down", &recorded("Turns")]), |_| "unknown");
    let of = |method: &str, iteration: u32| {
        let is_it = |q: &&Value| q["method"] == method && q["loop"]["iteration"] == iteration;
        told.questions.iter().find(is_it).unwrap_or_else(|| panic!("{method} {iteration}"))
    };
    let plain = |value: i64| json!({"type": "int", "value": value});
    let left = |method: &str, iteration: u32| of(method, iteration)["loop"]["left"].clone();
    assert_eq!([left("sum", 6), left("find", 2), left("caught", 1)], ["normally", "return", "exception"]);
    assert_eq!(of("find", 2)["result"], plain(2));
    let find = of("find", 2);
    assert_eq!(
        (&find["entry"]["at"], &find["exit"]["at"], &find["entry"]["wanted"]),
        (&plain(1), &plain(2), &plain(9))
    );
    // The exception that left the loop, although the method caught it; and one that also left the method.
    for method in ["caught", "thrown"] {
        assert_eq!(of(method, 1)["exception"]["type"], "java.lang.ArithmeticException");
        assert_eq!(of(method, 1)["result"], Value::Null);
    }
    let caught = of("caught", 2);
    assert_eq!((&caught["entry"]["done"], &caught["exit"]["done"]), (&plain(1), &plain(2)));
    assert_eq!(caught["changed"], json!([{"path": "Turns.total", "old": plain(4), "new": plain(7)}]));
    let change =
        |at: usize, new: i64| json!({"path": format!("this.kept[{at}]"), "old": plain(0), "new": plain(new)});
    assert_eq!(of("fill", 3)["changed"], json!([change(2, 4), change(3, 6)]));
    // A loop without calls is one node, and loops inside it are none.
    let many = |method: &str| told.questions.iter().filter(|q| q["method"] == method).count();
    assert_eq!((many("cells"), many("thrown"), many("sum"), many("caught")), (2, 2, 7, 4));
    let line = |mark: &str| marked("fixtures/loops", "Turns.java", mark);
    let cells = &of("cells", 1)["loop"];
    assert_eq!(
        (&cells["line"], &cells["to_line"]),
        (&json!(line("cells")), &json!(line("behind cells") - 2))
    );
}

#[test]
fn what_the_jdk_calls_counts_for_the_iteration_in_which_it_does() {
    let trace = PathBuf::from(recorded("Turns"));
    let found = wait(trees(&trace, true)).concat();
    let (_, sorted) = found.split_once("Turns.sorted\n").expect("a call");
    let iterations: Vec<usize> =
        sorted.split("loop ").skip(1).map(|of| of.matches("Order.compare\n").count()).collect();
    // The condition makes calls, and two values are compared once: each time a bridge precedes the method.
    assert_eq!(iterations, [4, 4, 4, 2], "{sorted}");
}

#[test]
fn steps_of_a_recursion_and_their_loops_are_one_with_the_call_that_begins_it() {
    let (trace, right) = (recorded("Turns"), compiled("fixtures/loops", &["-g"]).display().to_string());
    let asked = |arguments: &[&str]| {
        let of_depth = |question: &Value| {
            let is_wrong = question["method"] == "main" || question["entry"]["n"]["value"] == 2;
            if is_wrong && question["loop"]["iteration"] != 2 { "invalid" } else { "valid" }
        };
        let told = told(diagnose(&["--strategy=top-down", &trace]).args(arguments), of_depth);
        let depth = told.questions.into_iter().filter(|q| q["method"] == "depth").collect::<Vec<_>>();
        let of = |q: &Value| (q["entry"]["n"]["value"].clone(), q["loop"]["iteration"].clone());
        (depth.iter().map(of).collect::<Vec<_>>(), told.last["buggy"].clone())
    };
    let (questions, buggy) = asked(&["--compress"]);
    assert_eq!(questions, [(json!(2), Value::Null), (json!(2), json!(1)), (json!(2), json!(2))]);
    assert_eq!((&buggy["recursive"], &buggy["loop"]["iteration"]), (&json!(true), &json!(1)));
    let (questions, buggy) = asked(&["--compress=false"]);
    assert_eq!(questions[2], (json!(1), Value::Null));
    assert_eq!((buggy.get("recursive"), &buggy["loop"]["iteration"]), (None, &json!(1)));
    // Nobody can call a loop, so a person is asked about it, without a note. The other version answers for
    // the calls between.
    let script = [(1, "invalid"), (3, "invalid"), (5, "invalid"), (7, "invalid"), (9, "valid")];
    let script = script.map(|(number, answer)| json!({"question": number, "answer": answer}));
    let arguments = ["--strategy=top-down", "--node=1", &trace, "--reference", &right];
    let (told, code) = lines(&mut diagnose(&arguments), &script);
    let questions: Vec<&Value> = told.iter().filter(|line| line.get("question").is_some()).collect();
    assert!(questions.iter().all(|q| q["loop"].is_object() && q.get("notes").is_none()), "{questions:?}");
    let last = told.last().expect("a line");
    assert_eq!((code, questions.len(), &last["buggy"]["loop"]["iteration"]), (0, 5, &json!(4)), "{last}");
}

#[test]
fn answers_about_loops_are_kept_apart() {
    let trace = recorded("Turns");
    let kept = folder().join("kept.ron").display().to_string();
    let arguments = ["--strategy=top-down", "--node=1", "--answers", &kept, &trace];
    let first = told(&mut diagnose(&arguments), turns);
    assert!(first.questions.len() >= 9, "{}", first.questions.len());
    let (again, code) = lines(&mut diagnose(&arguments), &[]);
    assert_eq!((code, &again.last().expect("a line")["buggy"]["loop"]["iteration"]), (0, &json!(4)));
    let of = |line: &Value| line["kept"]["loop"]["iteration"].as_u64();
    assert_eq!(again.iter().filter_map(of).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    // One answer is retracted, and others about the same loop stay.
    let mut command = qp();
    command.args(["diagnose", "--loops"]).args(arguments);
    let script = folder().join("script");
    std::fs::write(&script, "undo\n").expect("written");
    let text = said(&finish(command.stdin(std::fs::File::open(script).expect("a script"))));
    assert!(unwrapped(&text).contains("from iteration 5 is valid, as answered before"), "{text}");
    // Trusting the method removes all questions about its loops.
    let trust = |question: &Value| if question["method"] == "sum" { "trusted" } else { "valid" };
    let trusted = told(&mut diagnose(&["--strategy=top-down", "--node=1", &trace]), trust);
    assert_eq!((trusted.questions.iter().filter(|q| q["method"] == "sum").count(), trusted.code), (1, 1));
}

#[test]
fn what_is_not_known_of_loops_is_said() {
    let classes = folder();
    let source = compiled("fixtures/loops", &["-g"]);
    std::fs::copy(source.join("Late.class"), classes.join("Late.class")).expect("copied");
    let record = |level: &str| {
        let trace = folder().join("trace");
        let mut command = qp();
        command.args(["trace", "record", "--level", level, "--out"]).arg(&trace);
        let output = finish(command.args(["--", "java", "-cp"]).arg(&classes).arg("Late"));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        trace.display().to_string()
    };
    let (all, writes) = (record("all"), record("writes"));
    let told = |trace: &str| said(&finish(diagnose(&[trace]).stdin(std::process::Stdio::null())));
    assert!(
        told(&writes)
            .contains("loops are not asked about: their iterations are not recorded at level writes")
    );
    assert!(told(&all).contains("\"remaining\":2002"));
    // Another version of the class replaced that of the run: its branches are elsewhere.
    let text = std::fs::read_to_string(crate::support::root().join("tests/fixtures/loops/Late.java"))
        .expect("a source");
    std::fs::write(classes.join("Late.java"), text.replace("int sum = 0;", "int sum = n < 0 ? 1 : 0;"))
        .expect("written");
    let output = finish(Command::new("javac").current_dir(&classes).args(["-g", "Late.java"]));
    assert!(output.status.success(), "{}", said(&output));
    let text = told(&all);
    assert!(
        text.contains("loops of Late.sum are not known") && text.contains("\"remaining\":1002"),
        "{text}"
    );
    std::fs::remove_file(classes.join("Late.class")).expect("removed");
    let text = told(&all);
    assert!(text.contains("loops of Late.") && text.contains("are not known"), "{text}");
    assert!(text.contains("\"remaining\":1002"), "{text}");
}

#[test]
fn a_loop_that_goes_on_is_not_asked_about() {
    let classes = compiled("fixtures/goes-on", &["-g"]);
    let mut command = diagnose(&["--strategy=top-down", "--", "java", "-cp"]);
    let told = told(command.arg(&classes).arg("GoesOn"), |question| {
        let given = question["entry"]["n"]["value"].as_i64();
        let is_right = match question.get("loop") {
            // The loop of `later` reaches 7.
            Some(_) => question["method"] == "main",
            None => given != Some(7) && question["method"] != "later",
        };
        if is_right { "valid" } else { "invalid" }
    });
    assert_eq!((told.code, &told.last["buggy"]["method"]), (0, &json!("twice")), "{}", told.last);
    let of_main = told.questions.iter().filter(|question| question["method"] == "main");
    assert!(of_main.into_iter().all(|question| question["loop"]["iteration"].is_u64()));
    assert!(processes_with("GoesOn").is_empty());
}

#[test]
fn loops_of_calls_that_have_influenced_what_is_wrong_are_among_these() {
    let trace = recorded("Late");
    let said = |question: u32, answer: &str| json!({"question": question, "answer": answer});
    let wrong = |question: u32, path: &str| json!({"question": question, "answer": "wrong", "path": path});
    let script = [said(1, "invalid"), wrong(2, "result"), wrong(3, "sum")];
    let (told, code) =
        crate::support::questions::lines(&mut diagnose(&["--strategy=top-down", &trace]), &script);
    assert_eq!(code, 2, "{told:?}");
    let counts = |line: &Value| (line["remaining"].as_u64(), line["influential"].as_u64());
    assert_eq!((counts(&told[0]), counts(&told[1])), ((Some(2002), None), (Some(2002), None)));
    // All except `sum` itself, which is invalid.
    assert_eq!((counts(&told[2]), &told[2]["loop"]["iteration"]), ((Some(2001), Some(2000)), &json!(1)));
    // Pointing at a value in a loop says only that the loop is wrong.
    let unknown = json!({"influential": null, "path": "sum", "why": "the answer is about a loop"});
    assert_eq!((&told[3], &told[4]["method"], &told[4]["node"]), (&unknown, &json!("twice"), &json!(2)));
}
