//! Answers of several runs, of two versions, and of two points of one run, compared.

use crate::shops::{COMMAND, Version, all, file, json, query, text};
use crate::support::said;
use serde_json::{Value, json};

/// The differences of the answers to a question about two versions, with the exit code.
fn difference(option: &str, question: &str, a: &Version, b: &Version) -> (i32, Value) {
    json(&["diff", option, question, text(&all(a)), text(&all(b))])
}

#[test]
fn two_runs_of_one_version_are_equal() {
    let again = Version::Old.recorded("all");
    for (option, question) in [
        ("--query", "events"),
        ("--query", "history Shop@4.total"),
        ("--query", "instances Shop.Item"),
        ("--ask", "event(I, T, E)"),
    ] {
        let (code, found) = json(&["diff", option, question, text(&all(&Version::Old)), text(&again)]);
        assert_eq!((code, &found["rows"]), (0, &json!([])), "{question}: {found:#}");
        assert!(found["same"].as_u64() > Some(1), "{question}: {found:#}");
    }
}

#[test]
fn moved_lines_and_other_numbers_are_no_difference() {
    // `Moved` makes one more object first, so all numbers of objects and events are others.
    for (option, question) in [
        ("--query", "calls Shop.add"),
        ("--query", "history Shop@4.total"),
        ("--query", "before 36"),
        ("--query", "did call Shop.pay"),
        ("--ask", "event(I, T, methodexit(C, L, O, pay, V))"),
        ("--ask", "findall(I-C, event(I, _, methodexit(C, _, _, add, _)), Pairs)"),
    ] {
        let (code, found) = difference(option, question, &Version::Old, &Version::Moved);
        assert_eq!((code, &found["rows"]), (0, &json!([])), "{question}: {found:#}");
    }
    let (_, found) = difference("--query", "calls Shop.add", &Version::Old, &Version::Moved);
    let renamed = found["renamed"].as_array().expect("a list");
    assert!(renamed.contains(&json!(["Shop@4", "Shop@6"])), "{found:#}");
    assert_eq!(found["questions"], json!(["calls Shop.add", "calls Shop.add"]));
}

#[test]
fn a_query_is_asked_of_the_other_run_in_its_own_names() {
    let (_, found) = difference("--query", "history Shop@4.total", &Version::Old, &Version::Moved);
    assert_eq!(found["questions"], json!(["history Shop@4.total", "history Shop@6.total"]));
    let missing = query(&[
        "diff",
        "--query",
        "object Shop.Item@5",
        text(&all(&Version::Moved)),
        text(&all(&Version::Old)),
    ]);
    assert_eq!(missing.status.code(), Some(2), "{}", said(&missing));
    assert!(said(&missing).contains("the other run has no counterpart of object 5"), "{}", said(&missing));
}

#[test]
fn a_wrong_value_is_the_part_that_differs() {
    let (code, found) = difference("--query", "results Shop.pay", &Version::Moved, &Version::Wrong);
    assert_eq!(code, 1);
    let row = &found["rows"][0];
    assert_eq!((&row["difference"], &row["a"]["number"]), (&json!("changed"), &json!(1)), "{found:#}");
    assert_eq!(row["parts"], json!([{"part": "result", "a": "8", "b": "18"}]));
    let (code, found) =
        difference("--ask", "event(_, _, methodexit(_, _, O, pay, V))", &Version::Moved, &Version::Wrong);
    assert_eq!((code, &found["rows"][0]["parts"]), (1, &json!([{"part": "V", "a": "8", "b": "18"}])));
}

#[test]
fn rows_of_one_answer_alone_are_named() {
    let (code, found) = difference("--query", "where-created Shop.Item", &Version::Old, &Version::Moved);
    assert_eq!(code, 1);
    let rows = found["rows"].as_array().expect("rows");
    assert!(rows.iter().all(|row| row["difference"] != "only_in_a"), "{found:#}");
    let gift = rows.iter().find(|row| row["difference"] == "only_in_b" && row.to_string().contains("gift"));
    assert!(gift.is_some(), "{found:#}");
    let text = query(&[
        "diff",
        "--query",
        "where-created Shop.Item",
        text(&all(&Version::Old)),
        text(&all(&Version::Moved)),
    ]);
    let text = said(&text);
    assert!(text.contains("+ only in B, row "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80 || line.contains(".trace")), "{text}");
}

#[test]
fn points_of_one_run_are_compared_without_ordinals() {
    let trace = all(&Version::Old);
    let (first, second) = (file("first.json"), file("second.json"));
    // The two writes of `total`, by what the log says.
    let (_, history) = json(&["history", "Shop@4.total", text(&trace)]);
    let ids: Vec<String> =
        history["rows"].as_array().expect("rows").iter().map(|row| row["id"].to_string()).collect();
    for (id, to) in [(&ids[0], &first), (&ids[1], &second)] {
        query(&["before", id, "--save", text(to), text(&trace)]);
    }
    let (code, found) = json(&["diff", text(&first), text(&second)]);
    assert_eq!(code, 1, "{found:#}");
    // The enclosing call is another one, with another argument; nothing else differs.
    let parts: Vec<&Value> = found["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .flat_map(|row| row["parts"].as_array().expect("parts"))
        .collect();
    assert!(parts.iter().all(|part| part["part"] == "argument 0" || part["part"] == "value"), "{found:#}");
    assert!(found["notes"][0].as_str().expect("a note").contains("one run"), "{found:#}");
    let (code, _) = json(&["diff", "--ignore", "objects", text(&first), text(&second)]);
    assert_eq!(code, 0, "the items are of one class");
}

#[test]
fn recordings_of_other_levels_are_compared_with_a_note() {
    let calls = Version::Old.recorded("calls");
    let (code, found) =
        json(&["diff", "--query", "results Shop.pay", text(&all(&Version::Old)), text(&calls)]);
    assert!(
        found["notes"].to_string().contains("A was recorded at level all, B at level calls"),
        "{found:#}"
    );
    // One object is paired with one object: it is the only one of its class.
    assert_eq!((code, &found["rows"]), (0, &json!([])), "{found:#}");
}

#[test]
fn without_the_sources_lines_are_compared_by_their_distance() {
    let (here, there) = (file("here.json"), file("there.json"));
    let question = ["history", "Shop@4.total"];
    query(&[&question[..], &["--save", text(&here), text(&all(&Version::Old))]].concat());
    // The same recording of the same classes, without the source beside them.
    let folder = tempfile::tempdir_in(crate::support::scratch()).expect("a folder").keep();
    for class in ["Shop.class", "Shop$Item.class"] {
        std::fs::copy(Version::Old.folder().join(class), folder.join(class)).expect("copied");
    }
    let trace = folder.join("trace");
    let mut record = crate::support::qp();
    record.current_dir(&folder).args(["trace", "record", "--level", "all", "--"]).args(COMMAND);
    crate::support::finish(&mut record);
    query(&[&question[..], &["--save", text(&there), text(&trace)]].concat());
    let (code, found) = json(&["diff", text(&here), text(&there)]);
    assert_eq!((code, &found["rows"]), (0, &json!([])), "{found:#}");
    assert_eq!(found["same"], 2);
    assert!(found["notes"].to_string().contains("not all sources were found"), "{found:#}");
}
