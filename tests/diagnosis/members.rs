//! What the compiler has made is nobody's mistake: it is not asked about. While a call is asked about one can
//! look around and answer others.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;

fn recording(case: &Case) -> PathBuf {
    let folder = case.mark("trace");
    let mut record = case.qp();
    record.args(["trace", "record", "--level=all", "--out"]).arg(&folder);
    case.run_command(record.args(["--", "java", "-cp", "classes", "Members"])).is(0, &["recorded in"]);
    folder
}

/// `qp diagnose` with these bytes as its answers: its exit code, and what it writes.
fn diagnosed(case: &Case, folder: &Path, options: &[&str], answers: &[u8]) -> (Option<i32>, String) {
    let mut command = case.qp();
    command.arg("diagnose").arg(folder).args(options);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("qp starts");
    let mut stdin = child.stdin.take().expect("its input");
    let answers = answers.to_vec();
    let writes = std::thread::spawn(move || {
        // It may end before it has read all.
        std::io::Write::write_all(&mut stdin, &answers).unwrap_or_default();
    });
    let output = crate::support::wait(child);
    writes.join().expect("written");
    (output.status.code(), crate::support::said(&output))
}

/// The lines of JSON that it writes.
fn lines(case: &Case, folder: &Path, options: &[&str], answers: &[u8]) -> Vec<Value> {
    let (_, said) = diagnosed(case, folder, &[options, &["--format=json"]].concat(), answers);
    said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn all_valid(many: u32) -> Vec<u8> {
    (1..=many).map(|n| format!("{{\"question\": {n}, \"answer\": \"valid\"}}\n")).collect::<String>().into()
}

#[test]
fn nobody_is_asked_about_what_the_compiler_has_made() {
    let case = Case::new("members");
    let folder = recording(&case);
    let told = lines(&case, &folder, &["--strategy=single-stepping"], &all_valid(100));
    let asked: BTreeSet<String> = told
        .iter()
        .filter_map(|line| Some(format!("{}.{}", line["class"].as_str()?, line["method"].as_str()?)))
        .collect();
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    assert_eq!(
        asked,
        [
            "Members$ByCount.<init>",
            "Members$ByCount.compare",
            // It checks what it takes.
            "Members$Order.<init>",
            "Members$Shape$2.corners",
            // These are not what the compiler would have made.
            "Members$Swapped.<init>",
            "Members$Swapped.b",
            "Members.apply",
            "Members.cost",
            "Members.lambda$work$0",
            "Members.main",
            "Members.work",
        ]
    );
    // Classes are initialised in these calls, and their constants made: no change of theirs.
    for question in told.iter().filter(|line| line["method"] == "work" || line["method"] == "main") {
        let changed = question["changed"].as_array().expect("changes");
        let paths: Vec<&str> = changed.iter().filter_map(|change| change["path"].as_str()).collect();
        assert_eq!(paths, ["Members.total"], "{question}");
        let entry = question["entry"].as_object().expect("what it was given");
        assert!(!entry.keys().any(|name| name.contains('$')), "{entry:?}");
    }
    let compared: Vec<_> = told.iter().filter(|line| line["method"] == "compare").collect();
    assert_eq!(compared.len(), 1, "the bridge is not asked about");
}

#[test]
fn one_looks_around_while_a_call_is_asked_about() {
    let case = Case::new("members");
    let folder = recording(&case);
    let top_down = &["--strategy=top-down"][..];
    let script = b"show Members.total\nevents\nhistory Members.total\nshow nothing\nnode 99999\nnode 1\nshow low.count\nwhere\nnode\nquit\n";
    let (_, said) = diagnosed(&case, &folder, top_down, script);
    for text in [
        "#0 Members.main question 1",
        "Members.total = ",
        "#1 Members.work() … 40 calls below",
        "Members.total: 0 → 2",
        "there is no call 99999",
        "#1 Members.work question 1",
        "low.count = 2",
    ] {
        assert!(said.contains(text), "`{text}` is missing in:\n{said}");
    }
    assert_eq!(said.matches("#1 Members.work question 1").count(), 2, "{said}");
    assert_eq!(said.matches("#0 Members.main question 1").count(), 2, "{said}");
    // The same by a program, which answers another call: then the search goes on below that.
    let cost = lines(&case, &folder, &["--strategy=single-stepping"], &all_valid(100));
    let cost = cost.iter().rfind(|line| line["method"] == "cost").expect("the call")["node"].clone();
    let answers = [
        json!({"question": 1, "command": "show Members.total"}),
        json!({"question": 1, "command": "events", "node": 1}),
        json!({"question": 1, "command": "valid"}),
        json!({"question": 1, "node": cost, "answer": "invalid"}),
    ];
    let text: String = answers.iter().map(|answer| format!("{answer}\n")).collect();
    let told = lines(&case, &folder, top_down, text.as_bytes());
    assert_eq!((&told[0]["node"], &told[0]["method"]), (&json!(0), &json!("main")));
    assert_eq!((&told[1]["reply"], &told[1]["content"]["name"]), (&json!("show"), &json!("Members.total")));
    assert_eq!((&told[2]["reply"], &told[2]["content"]["call"]["node"]), (&json!("events"), &json!(1)));
    assert!(told[3]["error"].as_str().expect("why").contains("what is said of a call is an `answer`"));
    assert_eq!((&told[4]["buggy"]["method"], &told[4]["buggy"]["node"]), (&json!("cost"), &cost), "{told:?}");
}

#[test]
fn an_answer_about_any_call_counts_and_a_later_one_replaces_it() {
    let case = Case::new("members");
    let folder = recording(&case);
    // The call around is invalid, then valid after all; one below that is invalid, whatever is said of the
    // one around.
    let script = b"invalid\nnode 0\nvalid\nquit\n";
    let (_, said) = diagnosed(&case, &folder, &["--strategy=top-down"], script);
    assert!(said.contains("no suspicious call is left"), "{said}");
    let all = lines(&case, &folder, &["--strategy=single-stepping"], &all_valid(100));
    let cost: Vec<u64> =
        all.iter().filter(|line| line["method"] == "cost").filter_map(|line| line["node"].as_u64()).collect();
    let script = format!("valid\nnode {}\ninvalid\n", cost[1]);
    let (_, said) =
        diagnosed(&case, &folder, &["--strategy=top-down"], format!("node 1\n{script}").as_bytes());
    assert!(said.contains(&format!("#{} Members.cost", cost[1])), "{said}");
}

#[test]
fn a_line_that_is_no_answer_is_an_error_and_the_next_one_counts() {
    let case = Case::new("members");
    let folder = recording(&case);
    let mut input = b"{\"question\": 1, \"answer\": \"\xff\"}\n".to_vec();
    input.extend(b"{\"question\": 1, \"answer\": \"valid\", \"certain\": true}\n");
    input.extend(b"{\"question\": 1, \"answer\": \"valid\", \"path\": \"c[2]\"}\n");
    input.extend(b"{\"question\": 1}\n");
    input.extend(vec![b' '; 17 << 20]);
    input.extend(b"\n{\"question\": 1, \"answer\": \"valid\"}\n");
    let told = lines(&case, &folder, &["--strategy=top-down"], &input);
    let errors: Vec<&str> = told.iter().filter_map(|line| line["error"].as_str()).collect();
    let wanted = [
        "the line is not UTF-8",
        "`certain`",
        "`path` says nothing here",
        "it has no `answer`",
        "longer than 16 MB",
    ];
    assert_eq!(errors.len(), wanted.len(), "{errors:?}");
    for (error, wanted) in errors.iter().zip(wanted) {
        assert!(error.contains(wanted), "{error}");
    }
    let last = told.last().expect("a line");
    assert_eq!((&last["buggy"], &last["answers"]), (&Value::Null, &json!(1)), "{last}");
}
