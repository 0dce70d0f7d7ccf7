//! What a session of `qp debug` keeps, and what it must not claim: edited programs, interrupted runs, missed
//! writes, points that ran to the program's end, calls that do not return.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::Case;
use crate::support::point;
use crate::support::session::{Talk, debug, error, kind, session};
use rustix::process::Signal;
use serde_json::json;

#[test]
fn a_program_that_was_edited_and_compiled_is_read_anew() {
    let case = Case::new("second-thoughts");
    std::fs::write(case.work().join("run"), "1").expect("written");
    let first = case.line("SecondThoughts.java", "// <- first");
    let line = case.line("SecondThoughts.java", "// <- A");
    let mut talk = Talk::begin(&mut debug(&case, "SecondThoughts"));
    talk.ask(&format!("break SecondThoughts:{line}"));
    let answer = talk.ask("why x");
    assert!(error(&answer).contains("does not run"));
    talk.ask("run");
    let before = talk.ask("why SecondThoughts.value")["content"]["ran"]["answer"].clone();
    assert_eq!(
        (&point(&before, "B")["line"], &point(&before, "B")["text"]),
        (&json!(first), &json!("value = to; // <- first"))
    );
    // An additional line at the top of the method moves the rest, in the source and in the class.
    let source = case.work().join("SecondThoughts.java");
    let text = std::fs::read_to_string(&source).expect("read");
    let edited = text.replace(
        "    static void set(int to) {",
        "    static void set(int to) {\n        System.out.print(to);",
    );
    assert_ne!(edited, text);
    std::fs::write(&source, edited).expect("written");
    let javac = std::process::Command::new("javac")
        .args(["-g", "-d", "classes", "SecondThoughts.java"])
        .current_dir(case.work())
        .status();
    assert!(javac.expect("javac").success());
    let after = talk.ask("run")["content"]["ran"]["answer"].clone();
    assert_eq!(
        (&point(&after, "B")["line"], &point(&after, "B")["text"]),
        (&json!(first + 1), &json!("value = to; // <- first"))
    );
    assert!(after.get("warnings").is_none(), "{after:#}");
    // `goto` does not use the place of the earlier answer.
    assert_eq!(talk.ask("goto B")["content"]["standing"]["place"]["line"], first + 1);
    talk.end();
}

#[test]
fn a_run_that_is_cut_off_takes_no_answer_away() {
    let case = Case::new("waits-for-go");
    std::fs::write(case.mark("go"), "").expect("written");
    let mut talk = Talk::begin(&mut debug(&case, "WaitsForGo"));
    talk.ask(&format!("break WaitsForGo:{}", case.line("WaitsForGo.java", "// <- A")));
    talk.ask("lastchange A:WaitsForGo.total");
    assert_eq!(talk.ask("run")["content"]["ran"]["answer"]["outcome"], "held");
    std::fs::remove_file(case.mark("go")).expect("removed");
    std::fs::remove_file(case.mark("started")).expect("removed");
    talk.say("goto B");
    case.wait_until("the program", || case.mark("started").exists());
    talk.signal(Signal::INT);
    let said = talk.hear();
    assert!(error(&said).contains("B was not reached: the run was ended (interrupted)"), "{said:#}");
    let points = talk.ask("points");
    assert_eq!(point(&points["content"][1], "B")["located"], true, "{points:#}");
    std::fs::write(case.mark("go"), "").expect("written");
    assert_eq!(talk.ask("goto B")["content"]["certainty"]["is"], "expected");
    talk.end();
}

#[test]
fn a_change_is_not_confirmed_where_a_write_was_missed() {
    let case = Case::new("reflective-write");
    let line = case.line("ReflectiveWrite.java", "// <- A");
    let script = format!("break ReflectiveWrite:{line}\nrun\nwhy box.value\ngoto B\ngoto A\n");
    let mut events = case.qp();
    events.args(["debug", "--format", "json", "--backend", "jdwp", "--", "java", "-cp", "classes"]);
    let (_, replies) = session(events.arg("ReflectiveWrite"), &script);
    let answer = &replies[2]["content"]["ran"]["answer"];
    assert!(point(answer, "B")["notes"].to_string().contains("a write was missed"), "{answer:#}");
    assert_eq!(replies[3]["content"]["certainty"]["is"], "expected");
    let settled = &replies[4]["content"]["settled"];
    assert_eq!(*settled, json!([{"point": "B", "confirmed": false, "instead": null, "missed_write": true}]));
}

#[test]
fn a_program_that_came_to_its_end_is_halted_where_the_last_point_was() {
    let case = Case::new("second-thoughts");
    std::fs::write(case.work().join("run"), "1").expect("written");
    let (a, first) =
        (case.line("SecondThoughts.java", "// <- A"), case.line("SecondThoughts.java", "// <- first"));
    let script = format!(
        "break SecondThoughts:{first} as R index -1\nrun\nprint to\nbreak SecondThoughts:{a} as N when value == 99\nrun\nprint to\ndiff\n"
    );
    let (_, replies) = session(&mut debug(&case, "SecondThoughts"), &script);
    for ran in [&replies[1], &replies[4]] {
        let ran = &ran["content"]["ran"];
        assert_eq!((&ran["run_again"], &ran["standing"]["point"]), (&json!(true), &json!("R")), "{ran:#}");
        assert_eq!(ran["standing"]["unconfirmed"], true, "whether it is the last is known only at the end");
    }
    assert_eq!(
        (&replies[2]["content"]["value"], &replies[5]["content"]["value"]),
        (&json!("1"), &json!("1"))
    );
    // A point that only one of the runs has is a difference.
    let points = replies[6]["content"][2].as_array().expect("points");
    let n = points.iter().find(|p| p["id"] == "N").unwrap_or_else(|| panic!("{points:#?}"));
    assert_eq!(n["parts"], json!([{"what": "point", "expected": "not asked", "found": "asked"}]));
}

#[test]
fn a_call_that_does_not_come_back_is_interrupted() {
    let case = Case::new("waits-for-go");
    std::fs::write(case.mark("go"), "").expect("written");
    let mut talk = Talk::begin(&mut debug(&case, "WaitsForGo"));
    talk.ask(&format!("break WaitsForGo:{}", case.line("WaitsForGo.java", "// <- A")));
    talk.ask("run");
    assert_eq!(
        talk.ask("print box.wait(0)")["content"]["value"].as_str().map(|v| v.starts_with("? (")),
        Some(true)
    );
    talk.say("print Thread.currentThread().join()");
    std::thread::sleep(std::time::Duration::from_millis(500));
    talk.signal(Signal::INT);
    let said = talk.hear();
    assert!(error(&said).contains("interrupted; a call in the program cannot be taken back"), "{said:#}");
    case.wait_until("the end of the program", || {
        !crate::support::processes_with(&case.name()).iter().any(|(_, line)| line.contains("agentlib:jdwp"))
    });
    assert_eq!(kind(&talk.ask("run")), "ran");
    let said = talk.ask("print Runtime.getRuntime().exit(3)");
    assert!(error(&said).contains("the program is gone, `run` halts it again"), "{said:#}");
    assert_eq!(kind(&talk.ask("run")), "ran");
    talk.end();
}

#[test]
fn much_is_shown_in_part_and_says_so() {
    let case = Case::new("waits-for-go");
    std::fs::write(case.mark("go"), "").expect("written");
    let line = case.line("WaitsForGo.java", "// <- A");
    let script = format!(
        "break WaitsForGo:{line}\nrun\nprint \"ab\".repeat(5000)\nprint \"abc\".repeat(100).toCharArray()\n"
    );
    let (_, replies) = session(&mut debug(&case, "WaitsForGo"), &script);
    let text = replies[2]["content"]["value"].as_str().expect("a value");
    assert!(text.ends_with("… (8002 characters more)"), "{}", &text[text.len() - 60..]);
    let array = &replies[3]["content"];
    assert_eq!((array["members"].as_array().map(Vec::len), &array["more"]), (Some(32), &json!(268)));
}

/// Descriptors, threads and resident memory, in KiB, of a process.
fn held(pid: u32) -> (usize, usize, u64) {
    let count = |what: &str| std::fs::read_dir(format!("/proc/{pid}/{what}")).expect("a process").count();
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
    let resident = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).expect("a size");
    let resident = resident.trim().trim_end_matches(" kB").trim().parse().expect("a number");
    (count("fd"), count("task"), resident)
}

#[test]
fn a_session_of_many_runs_keeps_nothing_of_them() {
    let runs: u32 = std::env::var("QP_RELAUNCHES").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    let case = Case::new("waits-for-go");
    std::fs::write(case.mark("go"), "").expect("written");
    let mut talk = Talk::begin(&mut debug(&case, "WaitsForGo"));
    talk.ask(&format!("break WaitsForGo:{}", case.line("WaitsForGo.java", "// <- A")));
    talk.ask("lastchange A:box.held");
    talk.ask("run");
    let mut go = |times: u32| {
        for n in 0..times {
            // Back to the cause and on to the root, alternating with a new run.
            let lines: &[&str] =
                if n % 4 == 0 { &["goto B", "print box.held", "goto A"] } else { &["run", "locals"] };
            for line in lines {
                let reply = talk.ask(line);
                assert_ne!(reply["reply"], "error", "{reply:#}");
            }
        }
        // The resources of the last run are closed soon after its end, not at once: take the minimum of
        // several samples.
        let look = |_| {
            std::thread::sleep(std::time::Duration::from_millis(100));
            (crate::support::processes_with(&case.name()).len(), held(talk.child.id()))
        };
        (0..10).map(look).min().expect("a look")
    };
    go(5);
    // The session keeps a hundred answers at most.
    let (before, (descriptors, threads, resident)) = go(if runs > 100 { 110 } else { 5 });
    let (after, (descriptors_now, threads_now, resident_now)) = go(runs);
    println!(
        "{runs} runs: {resident} to {resident_now} KiB, {descriptors_now} descriptors, {threads_now} threads"
    );
    assert_eq!((before, descriptors), (after, descriptors_now));
    // A worker thread that waits for work may come and go.
    assert!(threads_now < threads + 3, "{threads} threads before, {threads_now} after {runs} runs");
    assert!(resident_now < resident + 4096, "{resident} KiB before, {resident_now} KiB after {runs} runs");
    talk.end();
    assert!(crate::support::processes_with(&case.name()).is_empty());
}
