//! A failing test, or another uncaught exception, answers the first question: `qp diagnose` begins at the
//! call that threw, or at the value that the failed assertion examined.

use crate::support::questions::{Told, lines, told};
use crate::support::{finish, marked, qp, root, said, scratch, unwrapped};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const JUNIT: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar";

const FIXTURE: &str = "tests/fixtures/failing-tests";

/// The fixture's classes, compiled against JUnit 4.
fn classes() -> &'static Path {
    static CLASSES: OnceLock<PathBuf> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
        let files =
            ["CartTest.java", "OldTest.java", "Uncaught.java", "Late.java", "TillTest.java", "BoxTest.java"];
        let files = files.map(|file| root().join(FIXTURE).join(file));
        crate::support::javac::Javac::new().args(["-g", "-cp", JUNIT, "-d"]).arg(&folder).args(files).run();
        folder
    })
}

/// `qp COMMAND --test TEST`.
fn of_test(command: &[&str], test: &str) -> Command {
    let mut of = qp();
    let class_path = format!("{}:{JUNIT}", classes().display());
    of.args(command).args(["--test", test, "--classpath", &class_path]);
    of
}

/// Diagnoses a test. Only calls of these methods are wrong.
fn diagnosed(test: &str, wrong: &[&str]) -> Told {
    let truth = |question: &Value| {
        let method = question["method"].as_str().expect("a method");
        if wrong.contains(&method) { "invalid" } else { "valid" }
    };
    told(&mut of_test(&["diagnose", "--format=json"], test), truth)
}

fn methods(told: &Told) -> Vec<&str> {
    told.questions.iter().map(|question| question["method"].as_str().expect("a method")).collect()
}

#[track_caller]
fn assumes(told: &Told, expected: &[(&str, Value)]) {
    let assumed = told.assumed.as_ref().expect("an assumption");
    for (key, value) in expected {
        assert_eq!(assumed[key], *value, "{key} of {assumed:#}");
    }
    assert_eq!(assumed["answer"], "invalid");
}

/// The place of a mark in the test.
fn at(mark: &str) -> Value {
    json!(format!("CartTest.java:{}", marked("fixtures/failing-tests", "CartTest.java", mark)))
}

#[test]
fn the_value_that_assert_equals_examined_is_wrong() {
    let told = diagnosed("CartTest#equals", &["shown"]);
    assumes(
        &told,
        &[
            ("method", json!("CartTest.equals")),
            ("wrong", json!("shown")),
            ("assertion", json!("Assert.assertEquals(\"pen, ink\", shown)")),
            ("expected", json!("\"pen, ink\"")),
            ("actual", json!("\"pen;ink\"")),
            ("at", at("// <- equals")),
        ],
    );
    assert_eq!(told.last["buggy"]["method"], "shown", "{:#}", told.last);
    // `size` has not influenced the text, and the calls of the test are not asked about.
    let asked = methods(&told);
    assert!(asked.iter().all(|method| ["shown", "joined"].contains(method)), "{asked:?}");
    assert_eq!((&told.questions[0]["question"], &told.last["answers"]), (&json!(1), &json!(asked.len())));
}

#[test]
fn conditions_matchers_and_helpers_examine_values_too() {
    for (test, wrong, mark) in [
        ("holds", "cart.total() < 7", "// <- holds"),
        ("matches", "cart.total()", "// <- matches"),
        ("byHelper", "cart.total()", "// <- byHelper"),
    ] {
        let told = diagnosed(&format!("CartTest#{test}"), &["total", "reduced"]);
        let assumed = told.assumed.as_ref().expect("an assumption");
        let shown = assumed["wrong"].as_str().expect("text");
        assert!(test == "holds" || shown.contains(wrong), "{assumed:#}");
        assumes(&told, &[("method", json!(format!("CartTest.{test}"))), ("at", at(mark))]);
        assert_eq!(told.last["buggy"]["method"], "reduced", "{test}: {:#}", told.last);
        let asked = methods(&told);
        assert!(
            asked.iter().all(|method| ["total", "plus", "reduced"].contains(method)),
            "{test}: {asked:?}"
        );
    }
}

#[test]
fn a_test_of_junit_3_inherits_its_assertions() {
    let told = diagnosed("OldTest#testTotal", &["shown"]);
    assumes(&told, &[("method", json!("OldTest.testTotal"))]);
    let assertion = told.assumed.as_ref().and_then(|assumed| assumed["assertion"].as_str()).expect("text");
    assert!(assertion.contains("assertEquals(\"pens\", cart.shown())"), "{assertion}");
    assert_eq!(told.last["buggy"]["method"], "shown", "{:#}", told.last);
}

#[test]
fn a_failed_assert_is_wrong_in_its_condition() {
    let told = diagnosed("CartTest#asserts", &["total", "reduced"]);
    assumes(&told, &[("method", json!("CartTest.asserts")), ("wrong", json!("exception"))]);
    assert_eq!(told.last["buggy"]["method"], "reduced", "{:#}", told.last);
}

#[test]
fn an_exception_is_wrong_with_all_that_led_to_it() {
    let told = diagnosed("CartTest#throwing", &["price", "index"]);
    assumes(&told, &[("method", json!("CartTest.throwing")), ("wrong", json!("exception"))]);
    let assumed = told.assumed.as_ref().expect("an assumption");
    assert_eq!((&assumed["left"]["method"], &assumed["influential"]), (&json!("Cart.price"), &json!(2)));
    let asked = methods(&told);
    assert!(asked.iter().all(|method| ["price", "index"].contains(method)), "{asked:?}");
    assert_eq!(told.last["buggy"]["method"], "index", "{:#}", told.last);
}

#[test]
fn a_test_fails_by_an_exception_that_does_not_come() {
    let told = diagnosed("TillTest#refuses", &["close"]);
    let expected = json!(["java.lang.IllegalStateException"]);
    assumes(
        &told,
        &[
            ("method", json!("TillTest.refuses")),
            ("exception", Value::Null),
            ("expected_exceptions", expected),
        ],
    );
    assert_eq!(told.last["buggy"]["method"], "close", "{:#}", told.last);
    let first = &told.ranking.as_ref().expect("a ranking")["methods"][0];
    assert_eq!((&first["method"], &first["exception"]), (&json!("close"), &Value::Null), "{first:#}");
    let output = finish(&mut of_test(&["diagnose", "--rank"], "TillTest#refuses"));
    let text = unwrapped(&String::from_utf8(output.stdout).expect("UTF-8"));
    let why = "is invalid: it returned, and is declared to throw java.lang.IllegalStateException";
    assert!(text.contains(why), "{text}");
    // The test that passes expects nothing.
    let passed = diagnosed("TillTest#pays", &[]);
    assert_eq!((passed.assumed, &passed.last["buggy"]), (None, &Value::Null));
}

#[test]
fn an_exception_leaves_a_constructor_before_it_has_called_another() {
    let told = diagnosed("BoxTest#holds", &["<init>", "of"]);
    assumes(&told, &[("method", json!("BoxTest.holds")), ("influential", json!(3)), ("why", Value::Null)]);
    let assumed = told.assumed.as_ref().expect("an assumption");
    assert_eq!(assumed["left"]["method"], "Box.of", "{assumed:#}");
    let methods = told.ranking.as_ref().expect("a ranking")["methods"].as_array().expect("methods");
    let parts = methods.iter().map(|of| (of["class"].clone(), of["exception"].clone()));
    let parts: Vec<(Value, Value)> = parts.collect();
    assert!(parts.contains(&(json!("Shelf"), json!("threw"))), "{methods:#?}");
    assert_eq!(parts.iter().filter(|of| **of == (json!("Box"), json!("left"))).count(), 2, "{methods:#?}");
    // The call that threw comes first.
    assert_eq!(told.questions[0]["class"], "Shelf", "{:#}", told.questions[0]);
}

#[test]
fn calls_that_prepared_the_test_are_suspicious_too() {
    let told = diagnosed("CartTest#throwing", &["add"]);
    assert_eq!(
        (&told.last["buggy"]["class"], &told.last["buggy"]["method"]),
        (&json!("Cart"), &json!("add"))
    );
    let of_test = |question: &&Value| question["class"] == "CartTest";
    assert_eq!(told.questions.iter().filter(of_test).count(), 0, "{:?}", methods(&told));
    // Without any wrong call the test is left.
    let told = diagnosed("CartTest#throwing", &[]);
    assert_eq!(told.last["buggy"]["method"], "throwing", "{:#}", told.last);
}

#[test]
fn an_exception_that_leaves_main_needs_no_first_answer() {
    let command = || {
        let mut diagnose = qp();
        diagnose.args(["diagnose", "--format=json", "--", "java", "-cp"]).arg(classes()).arg("Uncaught");
        diagnose
    };
    let told =
        told(&mut command(), |question| if question["method"] == "parsed" { "invalid" } else { "valid" });
    assert_eq!(told.last["buggy"]["method"], "parsed", "{:#}", told.last);
}

#[test]
fn a_class_initialiser_is_not_asked_about_before_the_failure_is_known() {
    let mut command = qp();
    command.args(["diagnose", "--format=json", "--", "java", "-cp"]).arg(classes()).arg("Late");
    let told =
        told(&mut command, |question| if question["method"] == "parsed" { "invalid" } else { "valid" });
    let first = &told.questions[0];
    assert_ne!(first["method"], "<clinit>", "{first:#}");
    assert_eq!(told.last["buggy"]["method"], "parsed", "{:#}", told.last);
}

#[test]
fn the_assumption_can_be_taken_back() {
    let script = [json!({"question": 1, "answer": "undo"}), json!({"question": 1, "answer": "undo"})];
    let (replies, _) = lines(&mut of_test(&["diagnose", "--format=json"], "CartTest#equals"), &script);
    let [assumed, ranking, before, after, refused] = replies.as_slice() else { panic!("{replies:#?}") };
    assert_eq!(ranking["ranking"]["methods"][1]["method"], "shown", "{ranking:#}");
    assert_eq!((&before["influential"], &assumed["assumed"]["influential"]), (&json!(2), &json!(2)));
    assert_eq!(after["influential"], Value::Null);
    assert!(refused["error"].as_str().is_some_and(|error| error.contains("no answer")), "{refused:#}");
}

#[test]
fn of_several_tests_those_that_passed_as_expected_do_not_count() {
    let told = diagnosed("CartTest", &["shown", "total", "reduced", "price", "index"]);
    // `refuses` threw, as it should. Six tests failed.
    assumes(&told, &[("more", json!(5))]);
    let passed = diagnosed("CartTest#refuses", &[]);
    assert_eq!((passed.assumed, &passed.last["buggy"]), (None, &Value::Null));
}

#[test]
fn calls_of_tests_are_asked_about_last_unless_suspected() {
    let first = |options: &[&str]| {
        let options = [&["diagnose", "--format=json", "--strategy=single-stepping"], options].concat();
        let told = told(&mut of_test(&options, "CartTest#passes"), |_| "valid");
        told.questions.iter().map(|question| question["class"].as_str().expect("text").to_owned()).collect()
    };
    let by_default: Vec<String> = first(&[]);
    let own = by_default.iter().take_while(|class| *class == "Cart").count();
    assert!(own > 1 && by_default[own..].iter().all(|class| class == "CartTest"), "{by_default:?}");
    let suspected: Vec<String> = first(&["--suspect=tests"]);
    assert_eq!((suspected[0].as_str(), suspected.len()), ("CartTest", by_default.len()));
}

#[test]
fn what_was_taken_for_granted_is_said_in_words() {
    let output = finish(&mut of_test(&["diagnose", "--unattended"], "CartTest#matches"));
    let text = unwrapped(&said(&output));
    let at = at("// <- matches");
    let place = format!("at {} threw AssertionError", at.as_str().expect("text"));
    for part in ["CartTest.matches is invalid, and `", &place, "(taken for granted; undo takes it back)"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_test_that_cannot_run_says_why() {
    for (test, why) in [
        ("CartTest#nothing", "`CartTest` has no test `nothing`, but has asserts, byHelper"),
        ("Nowhere", "there is no class `Nowhere` on the class path"),
    ] {
        let out = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("trace");
        let command = ["trace", "record", "--show-output", "--out", out.to_str().expect("UTF-8")];
        let text = unwrapped(&said(&finish(&mut of_test(&command, test))));
        assert!(text.contains(why), "{text}");
    }
    let output = finish(of_test(&["diagnose"], "CartTest").args(["--", "java", "Main"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("cannot be used with"), "{}", said(&output));
}

#[test]
fn a_saved_question_about_a_test_is_replayed() {
    let chain = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("test.ron");
    let line = marked("fixtures/failing-tests", "CartTest.java", "// <- equals");
    let at = format!("CartTest:{line}");
    let mut why = of_test(&["why", "shown", "--at", &at, "--source", FIXTURE], "CartTest#equals");
    let output = finish(why.arg("--save").arg(&chain));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let saved = std::fs::read_to_string(&chain).expect("saved");
    assert!(saved.contains("\"querypoint.runner.RunTest\", \"CartTest#equals\""), "{saved}");
    let (code, answer) = crate::support::replay(&chain, &[]);
    assert_eq!(code, 0, "{answer:#}");
    assert_eq!(crate::support::point(&answer, "B")["new"], "\"pen;ink\"", "{answer:#}");
}

#[test]
fn a_test_of_testng_is_run_without_its_reports() {
    let test_ng = ["testng", "bsh", "jcommander"].map(|jar| format!("/usr/share/java/{jar}.jar")).join(":");
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let source = root().join(FIXTURE).join("SaleTest.java");
    crate::support::javac::Javac::new()
        .args(["-g", "-cp", &test_ng, "-d"])
        .arg(folder.path())
        .arg(source)
        .run();
    let runner = root().join("java/runner");
    let class_path = format!("{}:{test_ng}:{}", folder.path().display(), runner.display());
    let run = |test: &str| {
        let mut java = Command::new("java");
        java.current_dir(folder.path()).args(["-cp", &class_path, "querypoint.runner.RunTest", test]);
        let output = finish(&mut java);
        (output.status.code(), said(&output))
    };
    let (code, text) = run("SaleTest");
    // TestNG runs nested classes too.
    let failed: Vec<&str> = text.lines().filter(|line| line.starts_with("FAILED")).collect();
    assert_eq!((code, failed), (Some(1), vec!["FAILED open", "FAILED fails", "FAILED sums"]), "{text}");
    assert!(text.contains("IllegalStateException: no shop"), "{text}");
    assert_eq!(run("SaleTest#passes").0, Some(0));
    let (code, text) = run("SaleTest#none");
    assert!(code == Some(2) && text.contains("but has fails, passes, refuses, sums"), "{text}");

    let mut why = qp();
    why.current_dir(folder.path()).args(["why", "--test", "SaleTest#fails", "--classpath", &class_path]);
    let (text, line) =
        (said(&finish(&mut why)), marked("fixtures/failing-tests", "SaleTest.java", "// <- changed"));
    assert!(
        text.contains("LastChange(A(0):got)") && text.contains(&format!("SaleTest.java:{line}")),
        "{text}"
    );
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("the folder").flatten().collect();
    assert_eq!(left.len(), 2, "only the classes are there: {left:?}");
}

#[test]
fn why_asks_about_the_result_that_an_assertion_examined() {
    let mut why = of_test(&["why", "--source", FIXTURE], "CartTest#byHelper");
    let output = finish(&mut why);
    let text = unwrapped(&said(&output));
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(
        text.contains("Exit(Cart.total) after A before X index -1") && text.contains("returned: "),
        "{text}"
    );
}
