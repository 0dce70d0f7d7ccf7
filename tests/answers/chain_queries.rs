//! Chains with queries: `qp replay`, `qp check`, `qp bisect` and `qp explain`.

use crate::shops::Version;
use crate::support::{finish, qp, said, scratch, unwrapped};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const QUERIES: &str = r#"queries: [
        (ask: "paid(V)", rules: "pays.pl", expect: (answers: ["V = 8"], solutions: 1)),
        (ask: "event(_, _, exception(_, _, _, _))", expect: (yes: false)),
        (ask: "event(_, _, methodcall(_, _, add, _))", expect: (at_least: 2)),
    ]"#;

/// A chain about a version.
fn chain(version: &Version, fields: &str) -> PathBuf {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let cwd = version.folder();
    let text = format!(
        "(format: 1, debuggee: (command: [\"java\", \"-cp\", \".\", \"Shop\"], cwd: {cwd:?}),\n    {fields})"
    );
    let file = folder.join("chain.ron");
    std::fs::write(&file, text).expect("a chain");
    file
}

fn run(command: &str, chain: &Path, options: &[&str]) -> (i32, Value) {
    let output = finish(qp().arg(command).arg(chain).args(["--format", "json"]).args(options));
    let value = serde_json::from_slice(&output.stdout);
    (output.status.code().expect("a code"), value.unwrap_or_else(|e| panic!("{e}: {}", said(&output))))
}

fn verdict(chain: &Path) -> (i32, String) {
    let (code, value) = run("bisect", chain, &[]);
    (code, value["verdict"].as_str().expect("a verdict").to_owned())
}

#[test]
fn queries_that_answer_as_recorded_show_the_bug() {
    let chain = chain(&Version::Old, QUERIES);
    let (code, answer) = run("replay", &chain, &[]);
    assert_eq!((code, &answer["outcome"], &answer["runs"]), (0, &json!("held"), &json!(1)), "{answer:#}");
    let queries = answer["queries"].as_array().expect("queries");
    assert_eq!(queries.len(), 3);
    assert_eq!(queries[0]["items"][0]["solution"]["bindings"], json!([["V", "8"]]));
    assert!(queries.iter().all(|query| query["expectation"]["held"] == true), "{answer:#}");
    let (code, report) = run("check", &chain, &[]);
    assert_eq!((code, &report["chains"][0]["status"]), (0, &json!("passed")), "{report:#}");
    assert_eq!(verdict(&chain), (1, "present".to_owned()));
}

#[test]
fn other_answers_are_a_failed_expectation() {
    let chain = chain(&Version::Wrong, QUERIES);
    let (code, answer) = run("replay", &chain, &[]);
    assert_eq!((code, &answer["outcome"]), (1, &json!("differs")), "{answer:#}");
    let (code, report) = run("check", &chain, &[]);
    let one = &report["chains"][0];
    assert_eq!((code, &one["status"]), (1, &json!("failed")), "{report:#}");
    assert_eq!(one["differences"][0]["id"], "query 1");
    assert_eq!(
        one["differences"][0]["parts"],
        json!([{"what": "answer 1", "expected": "V = 8", "found": "V = 18"}])
    );
    assert_eq!(one["differences"].as_array().map(Vec::len), Some(1));
    assert_eq!(verdict(&chain), (0, "absent".to_owned()));
}

#[test]
fn a_chain_that_guards_a_fixed_bug_passes_while_its_queries_fail() {
    let fields = format!("guards: Absent, {QUERIES}");
    assert_eq!(run("check", &chain(&Version::Wrong, &fields), &[]).0, 0);
    let (code, report) = run("check", &chain(&Version::Old, &fields), &[]);
    assert_eq!(code, 1);
    assert!(
        report["chains"][0]["reason"].as_str().expect("a reason").contains("the bug is back"),
        "{report:#}"
    );
}

#[test]
fn queries_beside_points_are_part_of_the_cause() {
    let fields = |value: u32| {
        format!(
            "points: [(id: \"A\", at: Entry(\"Shop.pay\"))], level: Calls,
            queries: [(ask: \"paid(V)\", rules: [\"pays.pl\"], expect: (first: \"V = {value}\"))]"
        )
    };
    let same = chain(&Version::Old, &fields(8));
    assert_eq!(verdict(&same), (1, "present".to_owned()));
    assert_eq!(run("check", &same, &[]).0, 0);
    let other = chain(&Version::Old, &fields(9));
    assert_eq!(verdict(&other), (125, "unknown".to_owned()));
    let (code, report) = run("check", &other, &[]);
    assert_eq!(code, 1);
    assert_eq!(report["chains"][0]["differences"][0]["question"], "paid(V)");
    let (code, answer) = run("replay", &other, &[]);
    assert_eq!((code, &answer["points"][0]["located"]), (1, &json!(true)));
}

#[test]
fn a_goal_that_ends_with_an_error_decides_nothing() {
    let chain = chain(&Version::Old, "queries: [(ask: \"payd(V)\", rules: \"pays.pl\")]");
    let (code, report) = run("check", &chain, &[]);
    assert_eq!((code, &report["chains"][0]["status"]), (2, &json!("unsure")), "{report:#}");
    assert!(report["chains"][0]["reason"].as_str().expect("a reason").contains("did you mean paid/1"));
    assert_eq!(verdict(&chain), (125, "unknown".to_owned()));
}

#[test]
fn mistakes_are_named_with_line_and_column() {
    let cases = [
        ("queries: [(ask: \"x\", expekt: ())]", ":2:26", "unknown field `expekt` in a query"),
        ("queries: [(ask: \"x\", expect: (count: 3))]", ":2:35", "unknown field `count` in `expect`"),
        ("queries: [(ask: \" \")]", ":2:21", "`ask` is empty"),
        ("queries: [(ask: \"x\", expect: ())]", ":2:34", "`expect` expects nothing"),
        ("queries: [(ask: \"x\", expect: (yes: false, at_least: 1))]", ":2:34", "expects no solution"),
        ("level: Lots, queries: [(ask: \"x\")]", ":2:12", "unknown `level`: `Lots`"),
        ("level: Calls, points: [(id: \"A\", at: Entry(\"Shop.pay\"))]", ":2:12", "there are none"),
        ("points: []", ":1:1", "the chain has no points"),
    ];
    for (fields, place, message) in cases {
        let file = chain(&Version::Old, fields);
        let output = finish(qp().arg("explain").arg(&file));
        let said = unwrapped(&said(&output));
        assert_eq!(output.status.code(), Some(2), "{fields}: {said}");
        assert!(said.contains(message), "{fields}: {said}");
        assert!(said.contains(&format!("chain.ron{place}")), "{fields}: {place}: {said}");
    }
    let file = chain(&Version::Old, "queries: [(ask: \"paid(V\", rules: \"pays.pl\")]");
    let (code, report) = run("check", &file, &[]);
    assert_eq!((code, &report["chains"][0]["status"]), (2, &json!("bad-chain")), "{report:#}");
}

#[test]
fn the_explanation_names_the_queries() {
    let chain = chain(&Version::Old, QUERIES);
    let (code, explanation) = run("explain", &chain, &[]);
    assert_eq!(code, 0);
    assert_eq!(explanation["queries"].as_array().map(Vec::len), Some(3));
    let text = said(&finish(qp().arg("explain").arg(&chain)));
    assert!(
        text.contains("query 1 asks paid(V)\n  by pays.pl, over a recording of the program at level all"),
        "{text}"
    );
    for (command, option) in [("replay", "--runs=2"), ("explain", "--cost")] {
        let refused = finish(qp().arg(command).arg(&chain).arg(option));
        assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
        assert!(said(&refused).contains("the chain has only queries"), "{}", said(&refused));
    }
}

#[test]
fn a_chain_with_queries_is_written_as_it_was_read() {
    use chain::Chain;
    let text =
        std::fs::read_to_string(chain(&Version::Old, &format!("level: Writes, {QUERIES}"))).expect("a file");
    let read = Chain::parse(&text, "chain").expect("a chain");
    let again = Chain::parse(&read.to_ron().expect("RON"), "again").expect("a chain");
    assert_eq!(read, again);
    assert_eq!(again.queries[0].rules.0, [PathBuf::from("pays.pl")]);
}
