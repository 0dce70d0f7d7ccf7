//! Programs that do not repeat exactly: counted replays, and repeated attempts.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::{finish, marked, point, qp, said};
use serde_json::{Value, json};
use std::path::PathBuf;

/// A chain of the fixture whose runs are numbered from 1.
fn chain(folder: &tempfile::TempDir, points: &str) -> PathBuf {
    let classes = crate::support::compiled("fixtures/uneven", &["-g"]);
    let count = "n=$(cat run 2>/dev/null || echo 0); echo $((n + 1)) > run";
    let text = format!(
        r#"(format: 1,
            debuggee: (command: ["java", "-cp", {classes:?}, "Uneven"], before_run: ["sh", "-c", {count:?}],
                       sources: [{:?}]),
            points: [{points}])"#,
        crate::support::root().join("tests/fixtures/uneven"),
    );
    let file = folder.path().join("uneven.ron");
    std::fs::write(&file, text).expect("written");
    file
}

fn line(mark: &str) -> u32 {
    marked("fixtures/uneven", "Uneven.java", mark)
}

fn replay(file: &PathBuf, options: &[&str]) -> (i32, Value) {
    let output = finish(qp().arg("replay").arg(file).args(["--format", "json"]).args(options));
    let value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", said(&output)));
    (output.status.code().expect("a code"), value)
}

#[test]
fn each_point_is_counted_by_place_and_value() {
    let folder = tempfile::tempdir().expect("a folder");
    let points = format!(
        r#"(id: "S", at: Line("Uneven", {}), collect: []), (id: "B", at: LastChange("S:Uneven.way"), collect: [])"#,
        line("// <- S")
    );
    let file = chain(&folder, &points);
    let (code, counted) = replay(&file, &["--runs", "5"]);
    assert_eq!(code, 0, "{counted:#}");
    assert_eq!((&counted["replays"], &counted["runs"]), (&json!(5), &json!(5)));
    assert_eq!(counted["outcomes"], json!({"held": 5}));
    assert_eq!(counted["first_difference"], "B");
    let root = point(&counted, "S");
    assert_eq!((&root["located"], root["places"].as_array().map(Vec::len)), (&json!(5), Some(1)));
    let places = point(&counted, "B")["places"].as_array().expect("places").clone();
    let seen: Vec<(u64, u64)> = places
        .iter()
        .map(|p| (p["line"].as_u64().expect("a line"), p["replays"].as_u64().expect("a number")))
        .collect();
    assert_eq!(seen, [(u64::from(line("// <- odd")), 3), (u64::from(line("// <- even")), 2)]);
    assert_eq!(places[0]["values"]["new"], json!({"\"odd 1\"": 1, "\"odd 3\"": 1, "\"odd 5\"": 1}));
    assert_eq!(places[1]["values"]["new"], json!({"\"even\"": 2}));

    let output = finish(qp().arg("replay").arg(&file).args(["--runs", "4"]));
    let text = said(&output);
    for shown in [
        format!("Uneven.java:{} in 2 of 4 replays: way = \"even\";", line("// <- even")),
        format!("Uneven.java:{} in 2: way = \"odd \" + run;", line("// <- odd")),
        "new: \"odd 7\" in 1, \"odd 9\" in 1".to_owned(),
        "They differ first at B.".to_owned(),
    ] {
        assert!(text.contains(&shown), "`{shown}` is missing in\n{text}");
    }
}

#[test]
fn a_root_that_some_runs_miss_is_counted_or_tried_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let points =
        format!(r#"(id: "A", at: Line("Uneven", {})), (id: "B", at: LastCondition("A"))"#, line("// <- A"));
    let file = chain(&folder, &points);
    // Runs 1 to 4: only the third gets there.
    let (code, counted) = replay(&file, &["--runs", "4"]);
    assert_eq!((code, &counted["outcomes"]), (1, &json!({"root-not-reached": 3, "held": 1})));
    assert_eq!((&point(&counted, "A")["located"], &counted["first_difference"]), (&json!(1), &json!("A")));
    // Runs 5 and 6.
    let (code, answer) = replay(&file, &["--attempts", "4"]);
    assert_eq!((code, &answer["runs"]), (0, &json!(2)), "{answer:#}");
    assert_eq!(point(&answer, "B")["taken"], "true");
    // Runs 7 and 8.
    let (code, answer) = replay(&file, &["--attempts", "2"]);
    assert_eq!((code, &answer["runs"], &answer["outcome"]), (3, &json!(2), &json!("root-not-reached")));
}

#[test]
fn what_was_read_once_is_read_in_every_run_and_saved() {
    let case = crate::support::case::Case::new("reads-stdin");
    std::fs::write(case.work().join("input"), "one\nthree words, longest\ntwo\n").expect("written");
    let line = case.line("ReadsStdin.java", "// <- A");
    let mut why = case.qp();
    why.args([
        "why",
        "longest",
        "--at",
        &format!("ReadsStdin:{line}"),
        "--save",
        "saved.ron",
        "--format",
        "json",
    ]);
    why.args(["--", "java", "-cp", "classes", "ReadsStdin"]);
    let output = finish(why.stdin(std::fs::File::open(case.work().join("input")).expect("opened")));
    let answer: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", said(&output)));
    assert_eq!(point(&answer, "B")["new"], "\"three words, longest\"", "{answer:#}");
    let replayed = finish(case.qp().args(["replay", "--format", "json", "saved.ron"]));
    let again: Value =
        serde_json::from_slice(&replayed.stdout).unwrap_or_else(|e| panic!("{e}: {}", said(&replayed)));
    assert_eq!(again["points"], answer["points"]);
    assert_eq!(
        std::fs::read(case.work().join("saved.stdin")).ok(),
        std::fs::read(case.work().join("input")).ok()
    );
}
