//! Mocks and other classes that libraries generate are not own code: no question is about them, and their
//! names, which differ between runs, make no difference between versions.

use crate::support::javac::Javac;
use crate::support::questions::told;
use crate::support::{compiled, finish, marked, qp, root, said, scratch};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

const FIXTURE: &str = "fixtures/mocks";

/// The jars of the libraries, as a class path.
fn jars() -> String {
    let names = [
        "junit4",
        "hamcrest-core",
        "mockito-core",
        "byte-buddy",
        "byte-buddy-agent",
        "objenesis",
        "javassist",
        "cglib",
        "asm",
    ];
    names.map(|name| format!("/usr/share/java/{name}.jar")).join(":")
}

fn classes() -> PathBuf {
    compiled(FIXTURE, &["-g", "-cp", &jars()])
}

/// The version without the bug, whose classes stand before those of the program.
fn right() -> String {
    static RIGHT: OnceLock<PathBuf> = OnceLock::new();
    let folder = RIGHT.get_or_init(|| {
        let text = std::fs::read_to_string(root().join("tests").join(FIXTURE).join("shop/Order.java"));
        let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
        let file = folder.join("Order.java");
        std::fs::write(&file, text.expect("a source").replace("discount / 10;", "discount / 100;"))
            .expect("written");
        Javac::new().args(["-g", "-cp"]).arg(classes()).arg("-d").arg(&folder).arg(&file).run();
        folder
    });
    folder.display().to_string()
}

/// `qp ARGUMENTS -- java`, which runs the test with a mock.
fn of_test(arguments: &[&str]) -> Command {
    let mut command = qp();
    command.args(arguments).args(["--format=json", "--", "java", "-cp"]);
    command.arg(format!("{}:{}", classes().display(), jars()));
    command.args(["org.junit.runner.JUnitCore", "shop.OrderTest"]);
    command
}

fn json(command: &mut Command) -> Value {
    let output = finish(command);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
}

#[test]
fn no_question_is_about_a_mock() {
    let wrong = ["total", "reduced"];
    let told = told(&mut of_test(&["diagnose"]), |question| {
        let method = question["method"].as_str().expect("a method");
        if wrong.contains(&method) { "invalid" } else { "valid" }
    });
    assert_eq!(told.last["buggy"]["method"], "reduced", "{:#}", told.last);
    let asked: Vec<String> = told
        .questions
        .iter()
        .map(|question| format!("{}.{}", question["class"], question["method"]).replace('"', ""))
        .collect();
    assert_eq!(asked, ["shop.Order.total", "shop.Order.reduced"]);
    // An object of a generated class is named by what it stands for, and not all is known of it.
    let mock = &told.questions[0]["entry"]["this"]["fields"]["prices"];
    let known = (&mock["type"], &mock["truncated"]);
    assert_eq!(known, (&"shop.Prices$MockitoMock/generated".into(), &true.into()), "{mock:#}");
}

#[test]
fn the_names_of_mocks_make_no_difference_between_versions() {
    let right = right();
    let found = json(&mut of_test(&["diff", "--reference", &right]));
    assert_eq!(found["parted"]["method"], "reduced", "{found:#}");
    assert!(!found.to_string().contains("MockitoMock$"), "{found:#}");
    assert!(found.get("varies").is_none_or(|varies| varies == &serde_json::json!([])), "{found:#}");
}

/// A proxy whose class file is missing is no code that may have written the field.
#[test]
fn the_value_is_known_beside_a_proxy() {
    let at = format!("Sale:{}", marked(FIXTURE, "shop/Sale.java", "// <- total"));
    let mut omitted = qp();
    omitted.args(["omitted", "sale.total", "--field", "--at", &at, "--format=json", "--", "java", "-cp"]);
    let found = json(omitted.arg(classes()).arg("shop.Sale"));
    let reasons = serde_json::json!(["the only operation that can change it was executed"]);
    assert_eq!((&found["value"], &found["reasons"]), (&"105".into(), &reasons), "{found:#}");
}

/// Javassist's class has a name of its own, and the proxy is in the package of its interface.
#[test]
fn generated_classes_of_any_name_are_not_recorded() {
    let trace = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("trace");
    let mut record = qp();
    record.args(["trace", "record", "--out"]).arg(&trace).args(["--", "java"]);
    record.args(["--add-opens", "java.base/java.lang=ALL-UNNAMED", "-cp"]);
    let output = finish(record.arg(format!("{}:{}", classes().display(), jars())).arg("shop.Made"));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let listed = finish(qp().args(["trace", "calls"]).arg(&trace));
    let calls = String::from_utf8(listed.stdout).expect("text");
    assert!(calls.contains("Made.special()") && calls.contains("Made.enhanced()"), "{calls}");
    for generated in ["$Proxy0.", "Special.", "new Special", "EnhancerByCGLIB.", "FastClass", "KeyFactory"] {
        assert!(!calls.contains(generated), "{generated}: {calls}");
    }
}
