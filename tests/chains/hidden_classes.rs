//! Hidden classes (`Lookup.defineHiddenClass`) take no probe, and recordings lack their code. JDWP events
//! answer questions about them, and where those cannot, `qp` names what it misses.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::{Case, Run};
use crate::support::{javas, point};
use serde_json::Value;

const FILE: &str = "HiddenWriter.java";
const HIDDEN: &str = "HiddenWriter$Writer is a hidden class";

/// Asks about the program with these arguments.
fn asked(case: &Case, java: &str, points: &str, arguments: &str, options: &[&str]) -> Run {
    let debuggee =
        format!(r#"command: ["{java}", "-cp", "classes", "HiddenWriter"{arguments}], sources: ["."]"#);
    case.replay(&debuggee, points, &[options, &["--format", "json"]].concat())
}

fn line(answer: &Value, id: &str) -> u64 {
    point(answer, id)["line"].as_u64().unwrap_or_else(|| panic!("{id} in {answer:#}"))
}

fn warned(answer: &Value) -> bool {
    let mut warnings = answer["warnings"].as_array().into_iter().flatten();
    warnings.any(|warning| warning.as_str().is_some_and(|text| text.contains(HIDDEN)))
}

#[test]
fn what_a_hidden_class_writes_is_answered() {
    let case = Case::new("hidden-class");
    let at = |marker: &str| u64::from(case.line(FILE, &format!("// <- {marker}")));
    let points = format!(
        r#"(id: "B", at: Line("HiddenWriter", {})),
        (id: "C", at: Line("HiddenWriter", {})),
        (id: "A", at: Line("HiddenWriter", {})),
        (id: "N", at: LastChange("A:State.n")),
        (id: "F", at: LastChange("A:h.f")),
        (id: "Own", at: LastChange("B:own")),
        (id: "L", at: LastChange("B:local")),
        (id: "D", at: LastCondition("C"))"#,
        at("B"),
        at("C"),
        at("A")
    );
    for java in javas() {
        for backend in ["auto", "jdwp"] {
            let answer = asked(&case, &java, &points, "", &["--backend", backend]).is(0, &[]).answer();
            for (id, marker) in [("N", "N"), ("F", "F"), ("Own", "C"), ("L", "L"), ("D", "D")] {
                assert_eq!(line(&answer, id), at(marker), "{id} by {backend} of {java}: {answer:#}");
            }
            let values = |id: &str| (point(&answer, id)["old"].clone(), point(&answer, id)["new"].clone());
            assert_eq!(values("N"), ("9".into(), "1".into()));
            assert_eq!(values("F"), ("9".into(), "8".into()));
            assert_eq!(warned(&answer), backend == "auto", "{answer:#}");
        }
        let probes = asked(&case, &java, &points, "", &["--backend", "probe"]);
        assert!(
            probes.output.status.code() != Some(0) && probes.said().contains(HIDDEN),
            "{}",
            probes.said()
        );
    }
}

#[test]
fn a_hidden_class_has_static_fields_of_its_own() {
    let case = Case::new("hidden-class");
    let b = case.line(FILE, "// <- B");
    let points = format!(
        r#"(id: "A", at: Line("HiddenWriter", {b}), index: -1), (id: "T", at: LastChange("A:times")),
           (id: "A1", at: Line("HiddenWriter", {b}), index: 1),
           (id: "T1", at: LastChange("A1:Writer.times"))"#
    );
    let answer = asked(&case, "java", &points, r#", "both""#, &[]).is(0, &[]).answer();
    for (id, change) in [("T", ["2", "4"]), ("T1", ["1", "2"])] {
        let point = point(&answer, id);
        assert_eq!([&point["old"], &point["new"]], change, "{answer:#}");
    }
    let loaders = ["A", "T", "A1", "T1"].map(|id| point(&answer, id)["loader"]["name"].clone());
    let hidden = "app, hidden class #1";
    assert_eq!(loaders, [hidden, hidden, "app", "app"].map(Value::from), "{answer:#}");
    // Probes see one of the three passes.
    let at = format!("HiddenWriter:{b}");
    let log = |backend: &str| {
        let mut command = case.qp();
        command.args(["log", "times", "--at", &at, "--backend", backend, "--format", "json"]);
        case.run_command(command.args(["--", "java", "-cp", "classes", "HiddenWriter", "both"]))
    };
    let answer = log("auto").is(4, &[]).answer();
    assert!(answer["incomplete"].as_str().unwrap().contains(HIDDEN), "{answer:#}");
    let answer = log("jdwp").is(0, &[]).answer();
    let lines: Vec<&str> =
        answer["lines"].as_array().unwrap().iter().map(|l| l["text"].as_str().unwrap()).collect();
    assert_eq!(lines, ["2", "2", "4"], "{answer:#}");
}

#[test]
fn a_hidden_class_without_a_site_changes_nothing() {
    let case = Case::new("hidden-class");
    let a = case.line(FILE, "// <- A");
    let points =
        format!(r#"(id: "A", at: Line("HiddenWriter", {a})), (id: "Seen", at: LastChange("A:State.seen"))"#);
    // The VM makes a hidden class of the lambda, and the other hidden class writes fields of other names.
    let answer = asked(&case, "java", &points, "", &["--backend", "probe"]).is(0, &[]).answer();
    assert!(!warned(&answer), "{answer:#}");
    assert_eq!(point(&answer, "Seen")["new"], "1");
}

#[test]
fn what_only_probes_can_answer_says_what_they_miss() {
    let case = Case::new("hidden-class");
    let points = |origin: &str| {
        let a = case.line(FILE, "// <- A");
        format!(
            r#"(id: "A", at: Line("HiddenWriter", {a})), (id: "E", at: {origin}("A:{}"))"#,
            match origin {
                "Origin" => "State.n",
                _ => "State.cells[1]",
            }
        )
    };
    for question in ["LastChange", "Origin"] {
        let answer = asked(&case, "java", &points(question), "", &[]).answer();
        assert!(warned(&answer), "{question}: {answer:#}");
    }
}

#[test]
fn a_recording_names_the_hidden_classes_that_it_lacks() {
    let case = Case::new("hidden-class");
    for java in javas() {
        let folder = case.mark(&format!("trace-{}", java.replace('/', "_")));
        let mut command = case.qp();
        command.args(["trace", "record", "--level", "writes", "--out"]).arg(&folder);
        let run = case.run_command(command.args(["--", &java, "-cp", "classes", "HiddenWriter"]));
        run.is(0, &[]);
        let info = case.run_command(case.qp().args(["trace", "info", "--format", "json"]).arg(&folder));
        let left = info.answer()["left"].clone();
        // The lambda's class is hidden too, but the method that contains its code is recorded.
        let why = "it is a hidden class, which cannot be recorded";
        assert_eq!(left, serde_json::json!([["HiddenWriter$Writer", why]]));
        let history =
            case.run_command(case.qp().args(["trace", "history", "HiddenWriter.State.n"]).arg(&folder));
        assert!(history.said().contains("writes of hidden classes were not recorded"), "{}", history.said());
    }
}
