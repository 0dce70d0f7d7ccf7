//! `qp diagnose --reference-by calls` rebuilds what its content identifies: enum constants, records, and
//! immutable objects of the JDK.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::javac::Javac;
use crate::support::questions::lines;
use crate::support::{compiled, finish, qp, root, said, scratch};
use serde_json::Value;
use tempfile::TempDir;

/// A fault for each method: what the correct version has, what the recorded version has there, and what the
/// reference says of the result that is right.
const FAULTS: [(&str, &str, &str, &str); 18] = [
    ("next", "level.ordinal() + 1)", "level.ordinal() + 2)", "the result is Level.MIDDLE"),
    ("use", "counter.used++;", "counter.used += 2;", "the result is 1"),
    ("moved", "point.x() + 1", "point.x() + 2", "the result.x is 2"),
    ("turned", "new Line(line.to(), line.from()", "new Line(line.from(), line.to()", "another object"),
    ("shouted", "+ \"!\"", "+ \"?\"", "the result.value is \"word!\""),
    ("increased", "getAsInt() + 1", "getAsInt() + 2", "the result is OptionalInt[5]"),
    ("taxed", "\"1.19\"", "\"1.190\"", "the result is 14.8750"),
    ("squared", "multiply(number)", "add(number)", "the result is 15241578753238836750"),
    ("tomorrow", "day.plusDays(1)", "day.plusDays(2)", "the result is LocalDate 2024-02-29"),
    ("at", "plus(since)", "minus(since)", "the result is LocalDateTime 2024-02-29T00:01:30.500"),
    (
        "zoned",
        "time.atZone(zone)",
        "time.plusHours(1).atZone(zone)",
        "ZonedDateTime 2024-07-01T12:00+02:00[Europe/Berlin]",
    ),
    ("component", "array.getComponentType()", "array", "the result is int[].class"),
    ("quoted", "pattern.flags())", "0)", "the result is Pattern 'a/b'"),
    ("language", "new Locale(locale.getLanguage())", "locale", "the result is Locale en"),
    (
        "swapped",
        "id.getLeastSignificantBits(), ",
        "1 + id.getLeastSignificantBits(), ",
        "the result is UUID 00000000-0000-0002-0000-000000000001",
    ),
    ("reversed", "{levels[1], levels[0]}", "{levels[0], levels[1]}", "the result[0] is Level.MIDDLE"),
    ("doubled", "price.add(price)", "price", "the result[0] is 3.0"),
    ("later", "plusDays(2)", "plusDays(3)", "{Level.HIGH} is LocalDate 2024-03-01"),
];

fn source() -> String {
    std::fs::read_to_string(root().join("tests/fixtures/rebuilt/Rebuilt.java")).expect("a source")
}

/// Records a version of the program.
fn recorded(source: &str) -> TempDir {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let classes = folder.path().join("classes");
    std::fs::create_dir(&classes).expect("a folder");
    let file = folder.path().join("Rebuilt.java");
    std::fs::write(&file, source).expect("written");
    Javac::new().args(["-g", "-d"]).arg(&classes).arg(&file).run();
    let mut command = qp();
    command.args(["trace", "record", "--level", "all", "--out"]).arg(folder.path().join("trace"));
    let output = finish(command.args(["--", "java", "-cp"]).arg(&classes).arg("Rebuilt"));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    folder
}

/// The answers of the correct version from a call on.
fn answers(recorded: &TempDir, node: u64) -> Vec<Value> {
    let mut command = qp();
    command.args(["diagnose", "--format=json", "--strategy=top-down", "--unattended"]);
    command.args(["--node", &node.to_string(), "--reference-by=calls", "--reference"]);
    command.arg(compiled("fixtures/rebuilt", &["-g"])).arg(recorded.path().join("trace"));
    lines(&mut command, &[]).0
}

/// Every call is judged, and the one with the fault is invalid, for the right reason.
#[test]
fn what_its_content_identifies_is_rebuilt() {
    let unchanged = recorded(&source());
    let right = answers(&unchanged, 0);
    let mut faulty = source();
    for (method, was, becomes, _) in FAULTS {
        let begin =
            faulty.find(&format!(" {method}(")).unwrap_or_else(|| panic!("{method} is in the source"));
        let within = faulty[begin..].find(was).unwrap_or_else(|| panic!("{method} has {was}"));
        faulty.replace_range(begin + within..begin + within + was.len(), becomes);
    }
    let faulty = recorded(&faulty);
    // Each method is called by a lambda, in this order.
    let is_case = |line: &&Value| {
        line["by_reference"]["method"]
            .as_str()
            .is_some_and(|method| method.starts_with("Rebuilt.lambda$all$"))
    };
    let mut cases: Vec<u64> =
        right.iter().filter(is_case).filter_map(|line| line["by_reference"]["node"].as_u64()).collect();
    cases.sort_unstable();
    assert_eq!(cases.len(), FAULTS.len(), "{right:#?}");
    let mut wrong = Vec::new();
    for ((method, _, _, why), case) in FAULTS.into_iter().zip(cases) {
        let of = |told: &[Value]| {
            let is_it = |line: &&Value| line["by_reference"]["method"] == format!("Rebuilt.{method}");
            told.iter().find(is_it).map(|line| line["by_reference"].clone()).unwrap_or_default()
        };
        // The lambda is taken as invalid, so its method is asked about.
        let told = answers(&unchanged, case);
        if of(&told)["answer"] != "valid" {
            wrong.push(format!("{method} without a fault: {told:?}"));
        }
        let told = answers(&faulty, case);
        let answer = of(&told);
        let said = answer["why"].as_str().unwrap_or_default();
        if answer["answer"] != "invalid" || !said.contains(why) {
            wrong.push(format!("{method} with a fault: {answer} {:?}", told.last()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
