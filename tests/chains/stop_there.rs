//! `goto` by probes: the program halts live at the change itself, after any number of earlier hits. When the
//! asking point is reached, `qp` confirms or withdraws the earlier answer (DESIGN §5.14).

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::Case;
use crate::support::point;
use crate::support::session::{Talk, session};
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

/// A session by probes about a loop with this many iterations.
fn by_probes(case: &Case, turns: u32) -> Command {
    let mut command = case.qp();
    command.args(["debug", "--format", "json", "--backend", "probe", "--eager", "250", "--", "java"]);
    command.args(["-cp", "classes"]);
    command.args(["StopThere", &turns.to_string()]);
    command
}

/// The questions of the fixture.
fn questions(case: &Case) -> String {
    let line = case.line("StopThere.java", "// <- A");
    format!(
        "break StopThere:{line}\nlastchange A:box.held\nlastchange A:cells[0]\nlastchange A:sum\nlastchange A:seen\n\
         lastcondition E\nrun\n"
    )
}

/// Asserts a `goto` that reached its line and expects the point there.
#[track_caller]
fn arrived(case: &Case, reply: &Value, id: &str) -> Value {
    arrived_at(case, reply, id, id)
}

/// The same for a line with another mark.
#[track_caller]
fn arrived_at(case: &Case, reply: &Value, id: &str, mark: &str) -> Value {
    let gone = &reply["content"];
    assert_eq!(gone["certainty"]["is"], "expected", "{id}: {reply:#}");
    let standing = &gone["standing"];
    let line = case.line("StopThere.java", &format!("// <- {mark}"));
    assert_eq!((&standing["place"]["line"], &standing["point"]), (&json!(line), &json!(id)), "{gone:#}");
    assert_eq!(standing["unconfirmed"], true);
    gone["certainty"].clone()
}

#[test]
fn the_program_is_halted_before_what_the_last_of_many_hits_changes() {
    const TURNS: u32 = 250_000;
    let case = Case::new("stop-there");
    let mut talk = Talk::begin(&mut by_probes(&case, TURNS));
    let script = questions(&case);
    let said: Vec<Value> = script.lines().map(|line| talk.ask(line)).collect();
    let answer = &said.last().expect("replies")["content"]["ran"]["answer"];
    for (id, hit) in [("B", TURNS), ("D", TURNS), ("E", TURNS / 1000), ("F", TURNS)] {
        assert_eq!(point(answer, id)["hit"], hit, "{answer:#}");
    }
    let before = [
        ("B", "box.held", "249999"),
        ("B", "other.held", "-249999"),
        ("C", "cells[0]", "249996"),
        ("C", "box.held", "250000"),
        ("D", "sum", "749995"),
        ("D", "cells[i & 3]", "250000"),
        ("E", "seen", "249000"),
        ("E", "i", "250000"),
        ("F", "seen", "249000"),
        ("F", "i", "250000"),
    ];
    for id in ["B", "C", "D", "E", "F"] {
        let asked = Instant::now();
        let certainty = arrived(&case, &talk.ask(&format!("goto {id}")), id);
        // By JDWP events 250,000 hits take a minute.
        assert!(asked.elapsed() < Duration::from_secs(15), "{:?}", asked.elapsed());
        if id == "B" {
            let expected = json!({"is": "expected", "change": "249999 → 250000", "asked_from": "A"});
            assert_eq!(certainty, expected);
        }
        for (_, expression, value) in before.iter().filter(|(of, ..)| *of == id) {
            assert_eq!(
                talk.ask(&format!("print {expression}"))["content"]["value"],
                *value,
                "{id}: {expression}"
            );
        }
        let frames = talk.ask("frames")["content"].to_string();
        assert!(!frames.contains("Querypoint"), "the recorder's frames are not the program's: {frames}");
        // The confirmation comes when the asking point is reached.
        let gone = talk.ask("goto A")["content"].clone();
        assert_eq!(gone["settled"], json!([{"point": id, "confirmed": true, "instead": null}]), "{gone:#}");
        assert_eq!(gone["standing"]["place"]["line"], case.line("StopThere.java", "// <- A"));
        assert_eq!(talk.ask("print seen")["content"]["value"], "250000");
    }
    assert_eq!(talk.end(), 0);
    assert!(crate::support::processes_with(&case.name()).is_empty());
}

#[test]
fn one_run_is_led_from_cause_to_cause() {
    let case = Case::new("stop-there");
    let script =
        questions(&case) + "goto B\ngoto C\nprint box.held\nprint cells[0]\ngoto E\nprint seen\ngoto A\n";
    let (code, replies) = session(&mut by_probes(&case, 10_000), &script);
    let said = &replies[7..];
    let run = said[0]["content"]["standing"]["run"].clone();
    arrived(&case, &said[0], "B");
    arrived(&case, &said[1], "C");
    assert_eq!(
        (&said[2]["content"]["value"], &said[3]["content"]["value"]),
        (&json!("10000"), &json!("9996"))
    );
    arrived(&case, &said[4], "E");
    assert_eq!(said[5]["content"]["value"], "9000");
    let settled = said[6]["content"]["settled"].as_array().expect("points");
    let settled: Vec<_> = settled.iter().map(|s| (s["point"].as_str().unwrap(), &s["confirmed"])).collect();
    assert_eq!(settled, [("B", &json!(true)), ("C", &json!(true)), ("E", &json!(true))], "{:#}", said[6]);
    assert_eq!(said[6]["content"]["standing"]["run"], run, "all of it in one run");
    assert_eq!(code, 0);
}

#[test]
fn a_cause_is_withdrawn_where_a_later_hit_was_not_stopped_at() {
    let case = Case::new("stop-there");
    for turns in [100, 10_000] {
        let mut talk = Talk::begin(&mut by_probes(&case, turns));
        for line in questions(&case).lines() {
            talk.ask(line);
        }
        std::fs::write(case.work().join("run"), "9").expect("written");
        // The state looks the same, but the loop continues.
        arrived(&case, &talk.ask("goto B"), "B");
        assert_eq!(talk.ask("print box.held")["content"]["value"], (turns - 1).to_string());
        let gone = talk.ask("goto A")["content"].clone();
        let settled = &gone["settled"][0];
        assert_eq!((&settled["point"], &settled["confirmed"]), (&json!("B"), &json!(false)), "{gone:#}");
        let place = format!("StopThere.java:{}, hit {}", case.line("StopThere.java", "// <- B"), turns + 5);
        assert_eq!(settled["instead"], json!(place), "{gone:#}");
        assert_eq!(talk.ask("print box.held")["content"]["value"], (turns + 5).to_string());
        // A hit where that run did not stop is no answer of its own; the next run stops there.
        let b = point(&gone["ran"]["answer"], "B");
        if turns > 250 {
            assert_eq!(b["located"], false, "{b:#}");
            let reason = b["reason"].as_str().expect("a reason");
            assert!(reason.contains(&place) && reason.contains("where the run did not stop"), "{reason}");
        } else {
            assert_eq!(b["hit"], turns + 5, "{b:#}");
        }
        let answer = talk.ask("run")["content"]["ran"]["answer"].clone();
        assert_eq!(
            (&point(&answer, "B")["hit"], &point(&answer, "B")["new"]),
            (&json!(turns + 5), &json!((turns + 5).to_string()))
        );
        arrived(&case, &talk.ask("goto B"), "B");
        let gone = talk.ask("goto A")["content"].clone();
        assert_eq!(gone["settled"], json!([{"point": "B", "confirmed": true, "instead": null}]));
        // A program that no longer reaches the place.
        std::fs::remove_file(case.work().join("run")).expect("removed");
        let gone = talk.ask("goto B")["content"].clone();
        assert_eq!(gone["certainty"]["is"], "missed", "{gone:#}");
        talk.end();
    }
}

#[test]
fn what_a_session_knows_of_hits_ends_with_the_program_and_the_question() {
    let case = Case::new("stop-there");
    let line = case.line("StopThere.java", "// <- A");
    let mut talk = Talk::begin(&mut by_probes(&case, 1000));
    talk.ask(&format!("break StopThere:{line}"));
    talk.ask("lastchange A:box.held");
    // The last hit differs in each run, which is no reason to give up.
    for turn in 0..4 {
        std::fs::write(case.work().join("run"), if turn % 2 == 0 { "1" } else { "9" }).expect("written");
        let answer = talk.ask("run")["content"]["ran"]["answer"].clone();
        let hit = if turn % 2 == 0 { 1000 } else { 1005 };
        assert_eq!(point(&answer, "B")["hit"], hit, "{answer:#}");
    }
    // Replace B by another question.
    talk.ask("remove B");
    talk.ask("lastchange A:cells[3]");
    let answer = talk.ask("run")["content"]["ran"]["answer"].clone();
    let b = point(&answer, "B");
    assert_eq!((&b["new"], &b["old"]), (&json!("1003"), &json!("999")), "{b:#}");
    arrived_at(&case, &talk.ask("goto B"), "B", "C");
    talk.end();
}

#[test]
fn what_is_live_there_is_what_was_recorded() {
    let of_chain = |name: &str, script: &str| {
        let mut command = crate::support::qp();
        command.args(["debug", "--format", "json", "--backend", "probe"]);
        session(command.arg(format!("querypoints/{name}.ron")), script).1
    };
    let mut compared = 0;
    for name in ["intro", "mergesort"] {
        let answer = of_chain(name, "run\n")[0]["content"]["ran"]["answer"].clone();
        for found in answer["points"].as_array().expect("points") {
            let collected = found["collected"].as_object().expect("values");
            let prints: String = collected.keys().map(|expr| format!("print {expr}\n")).collect();
            let replies = of_chain(name, &format!("run\ngoto {}\n{prints}", found["id"].as_str().unwrap()));
            let gone = &replies[1]["content"];
            assert_eq!(gone["standing"]["place"]["line"], found["line"], "{name} {gone:#}");
            for ((expr, recorded), live) in collected.iter().zip(&replies[2..]) {
                // Objects are numbered in the order of the output; compare their texts only.
                let what = |v: &Value| v.as_str().unwrap().split('@').next().unwrap().to_owned();
                assert_eq!(what(&live["content"]["value"]), what(recorded), "{name} {}: {expr}", found["id"]);
                compared += 1;
            }
        }
    }
    assert!(compared > 20, "only {compared} values");
}

#[test]
fn skipped_hits_cost_next_to_nothing() {
    const TURNS: u32 = 20_000_000;
    let case = Case::new("stop-there");
    let mut talk = Talk::begin(&mut by_probes(&case, TURNS));
    for line in questions(&case).lines() {
        talk.ask(line);
    }
    let plain = (0..3).map(|_| {
        let started = Instant::now();
        let mut java = Command::new("java");
        java.args(["-cp", "classes", "StopThere", &TURNS.to_string()]).current_dir(case.work());
        assert!(java.output().expect("java").status.success());
        started.elapsed()
    });
    let plain = plain.min().expect("a run");
    let started = Instant::now();
    arrived(&case, &talk.ask("goto B"), "B");
    let took = started.elapsed();
    println!("plain {plain:?}, to the change {took:?}");
    // 100 million hits are counted on the way: one at a time they would take hours.
    assert!(took < 15 * plain + Duration::from_secs(3), "plain {plain:?}, to the change {took:?}");
    assert_eq!(talk.ask("print box.held")["content"]["value"], (TURNS - 1).to_string());
    talk.end();
}
