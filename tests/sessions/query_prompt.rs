//! The prompt of `qp query`: as a script, and as a dialogue without a terminal.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::session::{Talk, error, kind, session};
use crate::support::{compiled, finish, qp, said, scratch, unwrapped};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// A recording of the example of the paper.
fn trace() -> PathBuf {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    let record = || {
        let classes = compiled("../examples/intro", &["-g"]);
        let trace = scratch().join("prompt.trace");
        let mut command = qp();
        command
            .args(["trace", "record", "--level", "all", "--out"])
            .arg(&trace)
            .args(["--", "java", "-ea", "-cp"]);
        let output = finish(command.arg(classes).arg("Intro"));
        assert!(trace.exists(), "{}", said(&output));
        trace
    };
    MADE.get_or_init(record).clone()
}

fn prompt() -> Command {
    let mut command = qp();
    command.env("XDG_CONFIG_HOME", scratch()).args(["query", "--format", "json", "prompt"]).arg(trace());
    command
}

fn bindings(reply: &Value) -> Vec<Value> {
    let items = reply["content"]["items"].as_array().unwrap_or_else(|| panic!("{reply:#}"));
    items
        .iter()
        .filter_map(|item| item.get("solution").map(|solution| solution["bindings"].clone()))
        .collect()
}

#[test]
fn solutions_come_one_by_one() {
    let (code, replies) = session(&mut prompt(), "member(X, [1, 2]).\n;\n\nwrite(hello), nl\n.\n;\nquit\n");
    let kinds: Vec<&str> = replies.iter().map(kind).collect();
    assert_eq!(kinds, ["opened", "goal", "goal", "goal", "goal", "error"]);
    assert!(replies[0]["content"]["events"].as_u64() > Some(10), "{:#}", replies[0]);
    assert_eq!(bindings(&replies[1]), [json!([["X", "1"]])]);
    assert_eq!(
        (&replies[1]["content"]["waits"], &replies[1]["content"]["solutions"]),
        (&json!(true), &json!(1))
    );
    assert_eq!(bindings(&replies[2]), [json!([["X", "2"]])]);
    assert_eq!((bindings(&replies[3]), &replies[3]["content"]["waits"]), (vec![], &json!(false)));
    assert_eq!(replies[4]["content"]["items"][0]["output"], "hello\n");
    assert_eq!(error(&replies[5]), "no goal waits: ask one first");
    assert_eq!(code, 2, "the gravest failure of a script");
}

#[test]
fn queries_rules_and_answers_share_one_recording() {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let (rules, answer) = (folder.path().join("set.pl"), folder.path().join("answer.json"));
    std::fs::write(&rules, "set(F, V) :- event(_, _, setfield(_, _, F, V)).\n").expect("written");
    let script = format!(
        "where-set bar\nrules {}\nlist\nset(bar, V)\nsave {}\n;\n",
        rules.display(),
        answer.display()
    );
    let (code, replies) = session(&mut prompt(), &script);
    let kinds: Vec<&str> = replies.iter().map(kind).collect();
    assert_eq!(kinds, ["opened", "answer", "rules", "list", "goal", "saved", "goal"], "{replies:#?}");
    assert!(replies[1]["content"]["rows"].as_array().is_some_and(|rows| !rows.is_empty()));
    assert_eq!(replies[3]["content"]["predicates"], json!(["set/2"]));
    // Saving let the goal wait: the next solution came after it.
    assert_eq!(
        replies[6]["content"]["solutions"].as_u64(),
        replies[4]["content"]["solutions"].as_u64().map(|n| n + 1)
    );
    assert_eq!(code, 0);
    let shown = finish(qp().args(["query", "--format", "json", "show"]).arg(&answer));
    let shown: Value = serde_json::from_slice(&shown.stdout).expect("JSON");
    assert_eq!(
        (&shown["goal"], &shown["solutions"], &shown["more"]),
        (&json!("set(bar, V)"), &json!(1), &json!(true))
    );
}

#[test]
fn a_mistake_does_not_end_the_prompt() {
    let script = "save answer.json\nchain\nchain x\nchain 3 trace\nfoo(\nnosuch(X)\nrules no-such.pl\nhistory 'a\nmember(X, [3])\n";
    let (code, replies) = session(&mut prompt(), script);
    let errors = [
        "no answer",
        "an example: chain 15",
        "is not the number",
        "is open already",
        "expected",
        "",
        "no-such.pl",
        "quote",
    ];
    for (reply, message) in replies[1..].iter().zip(errors) {
        match kind(reply) {
            "goal" => {
                assert!(reply["content"]["error"].as_str().expect("an error").contains("nosuch"), "{reply:#}")
            }
            _ if message.is_empty() => panic!("{reply:#}"),
            _ => assert!(error(reply).contains(message), "{message}: {reply:#}"),
        }
    }
    assert_eq!(bindings(replies.last().expect("a reply")), [json!([["X", "3"]])]);
    assert_eq!(code, 2);
}

#[test]
fn an_interrupt_stops_the_goal_and_not_the_prompt() {
    let mut talk = Talk::begin(&mut prompt());
    assert_eq!(kind(&talk.hear()), "opened");
    talk.say("repeat, fail");
    std::thread::sleep(Duration::from_millis(600));
    talk.signal(Signal::INT);
    assert!(error(&talk.hear()).contains("interrupted"));
    let next = talk.ask("member(X, [7])");
    assert_eq!(bindings(&next), [json!([["X", "7"]])]);
    talk.say("quit");
    assert_eq!(talk.end(), 130, "the gravest failure of a script is the interrupt");
}

#[test]
fn qp_query_alone_opens_the_prompt_over_the_folder_trace() {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    std::os::unix::fs::symlink(trace(), folder.path().join("trace")).expect("a link");
    let mut command = qp();
    let (code, replies) =
        session(command.args(["query", "--format", "json"]).current_dir(folder.path()), "threads\n");
    assert_eq!((code, kind(&replies[1])), (0, "answer"), "{replies:#?}");
    let empty = tempfile::tempdir_in(scratch()).expect("a folder");
    let refused = finish(qp().arg("query").current_dir(empty.path()));
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    let text = finish(qp().args(["query", "--help"]));
    assert!(said(&text).contains("where-thrown   Where exceptions were thrown"), "{}", said(&text));
    assert!(unwrapped(&said(&text)).contains("the prompt opens"), "{}", said(&text));
}
