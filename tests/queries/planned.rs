//! A run that is recorded for a goal gives the goal the same answers as a whole recording.

use crate::recordings::{Recorded, example, java, queried, random, random_programs};
use crate::support::{compiled, finish, qp, said, scratch};
use regex::{Captures, Regex};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// The solutions of a goal over a run that is recorded for it, and the plan.
#[track_caller]
fn planned(goal: &str, java: &[String]) -> (Vec<String>, String) {
    let mut command = qp();
    command.args(["query", "ask", goal, "--limit=1000000", "--format=json", "--"]).args(java);
    let output = finish(&mut command);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{goal}: {}", said(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(answer["error"].is_null(), "{goal}: {answer:#}");
    let bindings = |solution: &Value| {
        let all = solution["bindings"].as_array().expect("bindings").iter();
        let all = all.map(|one| format!("{}={}", one[0].as_str().unwrap(), one[1].as_str().unwrap()));
        all.collect::<Vec<_>>().join(" ")
    };
    let items = answer["items"].as_array().expect("items").iter();
    let solutions = items.filter_map(|item| item.get("solution")).map(bindings).collect();
    (solutions, answer["notes"].to_string())
}

/// The same with objects numbered in the order in which they occur: two runs number them differently.
fn renumbered(solutions: &[String]) -> Vec<String> {
    let object = Regex::new(r"(o\((?:'[^']*'|\w+),)(\d+)\)").expect("a pattern");
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut all = Vec::new();
    for solution in solutions {
        let next = |found: &Captures<'_>| {
            let count = numbers.len() + 1;
            format!("{}#{})", &found[1], numbers.entry(found[2].to_owned()).or_insert(count))
        };
        all.push(object.replace_all(solution, next).into_owned());
    }
    all
}

/// Values that occur in small programs, and that the VM compares.
const CONSTANTS: [&str; 6] = ["0", "1", "3", "null", "true", "false"];

/// The names of the recorded methods and written fields.
fn names(recorded: &Recorded) -> [Vec<String>; 2] {
    let log = std::fs::read_to_string(&recorded.file).expect("the log");
    let patterns = [
        r"methodexit\(\d+,l\([^)]*\),(?:o|c)\([^)]*\),('[^']*'|\w+),",
        r"setfield\(l\([^)]*\),(?:o|c)\([^)]*\),('[^']*'|\w+),",
    ];
    patterns.map(|pattern| {
        let found = Regex::new(pattern).expect("a pattern");
        let all: BTreeSet<String> = found.captures_iter(&log).map(|found| found[1].to_owned()).collect();
        all.into_iter().collect()
    })
}

#[track_caller]
fn agrees(recorded: &Recorded, goal: &str, java: &[String]) {
    let whole = recorded.ask(goal, &[]);
    let (part, plan) = planned(goal, java);
    assert!(plan.contains("records"), "{goal}: {plan}");
    assert_eq!(renumbered(&part), renumbered(&whole), "{}: {goal}\n{plan}", recorded.name);
}

/// Goals about the methods and fields of a program. They bind no ids, which count other events.
fn goals([methods, fields]: &[Vec<String>; 2]) -> Vec<String> {
    let mut goals = Vec::new();
    for method in methods.iter().take(3) {
        // Such a run does not know the object of a constructor whose `super(…)` throws.
        let object = if method.contains("<init>") { "_" } else { "O" };
        goals.push(format!("event(_, main, methodcall(L, {object}, {method}, A))"));
        goals.push(format!("event(_, main, methodexit(_, L, O, {method}, V))"));
        goals.push(format!("aggregate_all(count, event(_, _, methodcall(_, _, {method}, _)), N)"));
    }
    for field in fields.iter().take(3) {
        goals.push(format!("event(_, main, setfield(L, O, {field}, V))"));
    }
    let mut constants = CONSTANTS.iter().cycle();
    for member in fields.iter().take(4).flat_map(|field| [field; 2]) {
        let constant = constants.next().unwrap();
        goals.push(format!("event(_, main, setfield(L, O, {member}, {constant}))"));
    }
    for member in methods.iter().take(4).flat_map(|method| [method; 2]) {
        let constant = constants.next().unwrap();
        goals.push(format!(
            "findall(L-O-A-V, (event(I, main, methodcall(L, O, {member}, [{constant}|A])), \
             event(_, main, methodexit(I, _, _, _, V))), All)"
        ));
    }
    if let (Some(field), Some(method)) = (fields.first(), methods.first()) {
        // Two values of one field; a call in question and all calls.
        goals.push(format!(
            "findall(L-C, (event(_, main, setfield(L, _, {field}, C)), member(C, [0, null])), Some), \
             findall(L, event(_, main, setfield(L, _, {field}, 0)), Zero)"
        ));
        goals.push(format!(
            "aggregate_all(count, event(_, _, setfield(_, _, {field}, 0)), Zero), \
             aggregate_all(count, event(_, _, setfield(_, _, {field}, 1)), One)"
        ));
        goals.push(format!(
            "aggregate_all(count, event(_, _, methodcall(_, _, {method}, [0])), Zero), \
             aggregate_all(count, event(_, _, methodcall(_, _, {method}, _)), All)"
        ));
    }
    if let (Some(method), Some(other)) = (methods.first(), methods.last()) {
        goals.push(format!(
            "findall(A-V, (event(I, main, methodcall(_, _, {method}, A)), event(J, main, methodexit(I, _, _, _, V)), \
             J > I), L), \\+ event(_, _, methodexit(_, _, _, {other}, nothing))"
        ));
    }
    if let (Some(method), Some(field)) = (methods.last(), fields.last()) {
        goals.push(format!(
            "aggregate_all(count, (event(I, T, setfield(_, _, {field}, _)), \
             event(J, T, methodcall(_, _, {method}, _)), J > I), N)"
        ));
    }
    goals
}

#[test]
fn a_run_recorded_for_a_goal_answers_like_a_whole_recording() {
    let classes = compiled("fixtures/queried", &["-g"]);
    let recorded = queried();
    for goal in goals(&names(&recorded)) {
        agrees(&recorded, &goal, &java(&classes, "Queried"));
    }
    let classes = compiled("../examples/login", &["-g"]);
    let login = example("login", "Login");
    for goal in goals(&names(&login)) {
        agrees(&login, &goal, &java(&classes, "Login"));
    }
}

/// The VM leaves out what has other values: the recording has these writes or calls alone.
#[test]
fn only_wanted_values_are_recorded() {
    let classes = compiled("fixtures/queried", &["-g"]);
    let recorded = queried();
    let pairs = [
        ("event(_, _, setfield(_, _, bar, true))", "event(_, _, setfield(_, _, bar, _))"),
        ("event(_, _, methodcall(_, _, factorial, [1]))", "event(_, _, methodcall(_, _, factorial, _))"),
    ];
    for (goal, all) in pairs {
        let folder = tempfile::tempdir_in(scratch()).expect("a folder");
        let out = folder.path().join("trace");
        let mut command = qp();
        command.args(["query", "ask", goal, "--limit=100000", "--out"]).arg(&out);
        finish(command.arg("--").args(java(&classes, "Queried")));
        let counting = format!("aggregate_all(count, {all}, N)");
        let output = finish(qp().args(["query", "ask", &counting]).arg(&out));
        let part = String::from_utf8_lossy(&output.stdout).into_owned();
        let count = |goal: &str| recorded.ask(&format!("aggregate_all(count, {goal}, N)"), &[]).concat();
        assert!(part.contains(&count(goal).replace('=', " = ")), "{goal}: {part}");
        assert_ne!(count(goal), count(all), "{goal}: nothing to leave out");
    }
}

#[test]
fn random_programs_answer_alike() {
    let cases: u64 = std::env::var("QP_PLANNED_PROGRAMS").map_or(1, |cases| cases.parse().expect("a number"));
    let (programs, folders) = random_programs();
    for seed in 1..=cases.min(crate::recordings::RANDOM) {
        let program = &programs[usize::try_from(seed - 1).expect("small")];
        let recorded = random(seed);
        for goal in goals(&names(&recorded)) {
            agrees(&recorded, &goal, &folders.java(program));
        }
    }
}

#[test]
fn goals_that_need_the_whole_log_record_it() {
    let classes = compiled("../examples/javata", &["-g"]);
    let recorded = example("javata", "Example");
    let example = java(&classes, "Example");
    let cases = [
        (
            "event(Id, _, exception(_, _, _, uncaught)), Before is Id - 1, event(Before, _, E)",
            "computes with ids",
        ),
        ("event(13, _, E)", "id 13 counts all events"),
        ("event(_, _, E), E = step(L, _)", "steps need all lines"),
        ("event(Id, main, E), Id < 3", "events of any kind"),
        ("where_exception_is_thrown(main, E)", "an exception can pass"),
    ];
    for (goal, reason) in cases {
        let (part, plan) = planned(goal, &example);
        assert!(plan.contains(reason), "{goal}: {plan}");
        if !goal.starts_with("where") {
            assert_eq!(renumbered(&part), renumbered(&recorded.ask(goal, &[])), "{goal}");
        }
    }
}

#[test]
fn a_plan_is_told_without_a_run() {
    let output = finish(
        qp().args(["query", "ask", "--explain", "event(_, _, methodcall(_, _, pay, _))", "--"])
            .args(["java", "-cp", "/nowhere", "Nothing"]),
    );
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "records calls of methods: pay\n");
}

#[test]
fn the_program_ends_at_the_first_proof() {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let source = folder.path().join("Slow.java");
    let text = "public class Slow { static boolean hit(int i) { return i == 3; }\n\
                public static void main(String[] a) throws Exception {\n\
                for (int i = 0; i < 1200; i++) { hit(i); Thread.sleep(100); } } }";
    std::fs::write(&source, text).expect("written");
    let javac =
        std::process::Command::new("javac").args(["-g", "-d"]).arg(folder.path()).arg(&source).status();
    assert!(javac.expect("javac runs").success());
    let started = Instant::now();
    let mut command = qp();
    command.args(["query", "ask", "event(_, _, methodexit(_, _, _, hit, true))", "--first", "--"]);
    let output = finish(command.args(java(folder.path(), "Slow")));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("the program was ended at the first proof"));
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}
