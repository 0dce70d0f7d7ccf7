//! `qp diagnose --rank`: the methods of a failed run by how suspicious they are, before any question.

use crate::support::questions::told;
use crate::support::{finish, qp, root, said, scratch, unwrapped};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

const JUNIT: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar";

/// The fixture's classes.
fn classes() -> &'static Path {
    static CLASSES: OnceLock<PathBuf> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
        let file = root().join("tests/fixtures/failing-tests/CartTest.java");
        crate::support::javac::Javac::new().args(["-g", "-cp", JUNIT, "-d"]).arg(&folder).arg(file).run();
        folder
    })
}

/// `qp COMMAND --test TEST`.
fn of_test(command: &[&str], test: &str) -> Command {
    let mut of = qp();
    let class_path = format!("{}:{JUNIT}", classes().display());
    of.args(command).args(["--test", test, "--classpath", &class_path]).stdin(Stdio::null());
    of
}

/// What `qp diagnose --rank` says of a test.
fn ranking(test: &str) -> Value {
    let output = finish(&mut of_test(&["diagnose", "--rank", "--format=json"], test));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines.find_map(|mut line| line.get_mut("ranking").map(Value::take)).expect("a ranking")
}

/// An edge of control flow: class, method, descriptor, and the bytecode indices of a branch.
type Edge = (String, String, Option<(u64, u64)>);

/// What a test covers and whether it fails, by a recording of that test alone.
fn recorded(test: &str) -> (BTreeSet<Edge>, bool) {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let (trace, events) = (folder.path().join("trace"), folder.path().join("events.jsonl"));
    let output = finish(of_test(&["trace", "record", "--level", "all"], test).arg("--out").arg(&trace));
    assert!(output.status.success(), "{}", said(&output));
    let output = finish(qp().args(["trace", "export"]).arg(&trace).arg("--to").arg(&events));
    assert!(output.status.success(), "{}", said(&output));
    let mut covered = BTreeSet::new();
    let mut has_failed = false;
    for line in std::fs::read_to_string(events).expect("events").lines() {
        let event: Value = serde_json::from_str(line).expect("JSON");
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let name = format!("{}{}", text("method"), text("descriptor"));
        let method = text("method");
        has_failed |=
            text("class") == "CartTest" && test.ends_with(&format!("#{method}")) && text("event") == "leave";
        let branch = match &*text("event") {
            "enter" => None,
            "branch" => {
                Some((event["bci"].as_u64().expect("an index"), event["to"].as_u64().expect("an index")))
            }
            _ => continue,
        };
        covered.insert((text("class"), name, branch));
    }
    (covered, has_failed)
}

#[test]
fn suspicion_is_what_tests_recorded_one_by_one_cover() {
    let (own, has_failed) = recorded("CartTest#equals");
    assert!(has_failed);
    let others = ["holds", "matches", "byHelper", "asserts", "throwing", "refuses", "passes"];
    let mut passed: BTreeMap<Edge, f64> = BTreeMap::new();
    let mut failed: BTreeMap<Edge, f64> = own.iter().map(|edge| (edge.clone(), 1.0)).collect();
    let (mut passing, mut failing) = (0, 1);
    for other in others {
        let (covered, has_failed) = recorded(&format!("CartTest#{other}"));
        // An exception leaves `refuses`, as it should.
        let fails = has_failed && other != "refuses";
        *(if fails { &mut failing } else { &mut passing }) += 1;
        for edge in covered {
            *(if fails { &mut failed } else { &mut passed }).entry(edge).or_default() += 1.0;
        }
    }
    let found = ranking("CartTest#equals");
    assert_eq!((&found["passed"], &found["failed"]), (&json!(passing), &json!(failing)), "{found:#}");

    let methods = found["methods"].as_array().expect("methods");
    let suspicion = |of: &Value| {
        let name =
            format!("{}{}", of["method"].as_str().expect("text"), of["descriptor"].as_str().expect("text"));
        let edges = own.iter().filter(|edge| edge.0 == of["class"] && edge.1 == name);
        let count = edges.clone().count();
        let sum: f64 = edges
            .map(|edge| {
                let passed = passed.get(edge).copied().unwrap_or_default();
                2.0 / ((passed + 1.0) * (passed + 2.0)) * failed[edge] / f64::from(failing)
            })
            .sum();
        assert!(sum > 0.0, "{of:#}");
        let sum = sum / (count as f64).sqrt();
        // Without influence that is known, a tenth.
        if [json!(0), Value::Null].contains(&of["influential"]) { sum / 10.0 } else { sum }
    };
    let expected: Vec<f64> = methods.iter().map(suspicion).collect();
    for (method, of) in methods.iter().zip(&expected) {
        let shown = method["suspicion"].as_f64().expect("a number");
        assert!((shown - of / expected[0]).abs() < 1e-9, "{shown} for {}: {method:#}", of / expected[0]);
    }
    let names: BTreeSet<&str> = methods.iter().filter_map(|of| of["method"].as_str()).collect();
    assert_eq!(names, BTreeSet::from(["<init>", "add", "shown", "joined", "size"]));
    let without =
        methods.iter().filter(|of| of["influential"] == json!(0)).filter_map(|of| of["method"].as_str());
    assert_eq!(without.collect::<Vec<_>>(), ["size"]);
}

#[test]
fn the_faulty_method_comes_first_or_next() {
    let tests = ["equals", "holds", "matches", "byHelper", "asserts", "throwing"];
    let wrong = ["shown", "reduced", "reduced", "reduced", "reduced", "index"];
    for (test, wrong) in tests.into_iter().zip(wrong) {
        let found = ranking(&format!("CartTest#{test}"));
        let names =
            found["methods"].as_array().expect("methods").iter().filter_map(|of| of["method"].as_str());
        let place = names.clone().position(|name| name == wrong);
        assert!(place.is_some_and(|place| place < 3), "{test}: {:?}", names.collect::<Vec<_>>());
    }
}

#[test]
fn it_says_what_makes_each_method_suspicious() {
    let output = finish(&mut of_test(&["diagnose", "--rank=2"], "CartTest#throwing"));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let text = unwrapped(&text);
    let head = "the 2 most suspicious of 5 methods; compared with 2 tests that pass, and 6 that fail: ";
    assert!(text.contains(head), "{text}");
    let thrower = "Cart.price(String) (CartTest.java:125) threw the exception; influenced what is wrong; \
                   no test that passes calls it";
    assert!(text.contains(thrower), "{text}");
    assert!(
        text.contains(" Cart.index(String) (CartTest.java:129) influenced what is wrong; no test"),
        "{text}"
    );
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_run_that_has_not_failed_has_nothing_to_rank() {
    let output = finish(&mut of_test(&["diagnose", "--rank"], "CartTest#passes"));
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let errors = unwrapped(&String::from_utf8(output.stderr).expect("UTF-8"));
    assert!(errors.contains("nothing to rank: the run has not failed"), "{errors}");
}

#[test]
fn the_call_that_threw_is_asked_about_first() {
    let truth = |question: &Value| if question["method"] == "price" { "invalid" } else { "valid" };
    let told =
        told(of_test(&["diagnose", "--format=json"], "CartTest#throwing").stdin(Stdio::piped()), truth);
    assert_eq!(told.questions[0]["method"], "price", "{:#}", told.questions[0]);
    assert_eq!(told.last["buggy"]["method"], "price", "{:#}", told.last);
    assert!(told.ranking.is_some_and(|ranking| ranking["methods"][0]["exception"] == json!("threw")));
}
