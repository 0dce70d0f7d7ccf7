//! Programs that never end: `qp` drives them when they are ready, and ends them when nothing is left to
//! observe.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::{chain_file, finish, marked, point, qp, replay, said};
use serde_json::Value;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use testing::free_port;

fn chain(name: &str, port: u16, ready: &str, requests: &[&str], more: &str) -> PathBuf {
    let classes = crate::support::compiled("fixtures/server", &["-g"]);
    let java = format!(r#""java", "-cp", {classes:?}, "Server""#);
    let line = |mark| marked("fixtures/server", "Server.java", mark);
    let text = format!(
        r#"(format: 1, {more}
            debuggee: (command: [{java}, "serve", "{port}"], jvm: "Server", ready: {ready},
                       drive: [{java}, "ask", "{port}", {}], sources: [{:?}], timeout_s: 60),
            points: [(id: "A", at: Line("Server", {})), (id: "B", at: LastChange("A:Server.total")),
                     (id: "S", at: Line("Server", {}))])"#,
        requests.iter().map(|r| format!("{r:?}")).collect::<Vec<_>>().join(", "),
        crate::support::root().join("tests/fixtures/server"),
        line("// <- A"),
        line("// <- S"),
    );
    chain_file(name, &text)
}

/// Nothing listens on the port any more.
fn is_free(port: u16) -> bool {
    TcpListener::bind(("127.0.0.1", port)).is_ok()
}

fn answered(answer: &Value) {
    let change = point(answer, "B");
    assert_eq!(change["line"], marked("fixtures/server", "Server.java", "// <- B"), "{answer:#}");
    assert_eq!((&change["old"], &change["new"]), (&"3".into(), &"-1".into()));
}

#[test]
fn a_server_is_driven_when_it_listens_and_ended_when_all_is_located() {
    let port = free_port();
    let file = chain("server-port.ron", port, &format!("Port({port})"), &["one", "two", "bug", "four"], "");
    let started = Instant::now();
    let (code, answer) = replay(&file, &[]);
    assert_eq!(code, 0, "{answer:#}");
    answered(&answer);
    assert!(started.elapsed() < Duration::from_secs(30), "it did not wait for the time limit");
    assert!(is_free(port), "the server has ended");
}

#[test]
fn a_line_of_output_makes_ready_too() {
    let port = free_port();
    let ready = r#"Output("listening on port \\d+")"#;
    let (code, answer) = replay(&chain("server-line.ron", port, ready, &["one", "two", "bug"], ""), &[]);
    assert_eq!(code, 0, "{answer:#}");
    answered(&answer);
}

#[test]
fn a_server_whose_driver_has_finished_is_asked_to_end() {
    let port = free_port();
    let more = r#"guards: Absent, alive: "S","#;
    let file = chain("server-fixed.ron", port, &format!("Port({port})"), &["one", "two"], more);
    let started = Instant::now();
    let output = finish(qp().arg("check").arg(&file));
    assert!(output.status.success(), "{}", said(&output));
    assert!(started.elapsed() < Duration::from_secs(30), "it did not wait for the time limit");
    let (code, answer) = replay(&file, &[]);
    assert_eq!((code, &answer["outcome"]), (3, &"root-not-reached".into()));
    let reason = point(&answer, "A")["reason"].as_str().expect("a reason");
    assert!(reason.contains("`drive` had finished"), "{reason}");
    assert!(is_free(port), "the server has ended");
}

#[test]
fn what_cannot_become_ready_is_told() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("bound").port();
    let code = |file: &PathBuf| {
        let output = finish(qp().arg("replay").arg(file).args(["--timeout", "3"]));
        (output.status.code(), said(&output))
    };
    let (exit, text) = code(&chain("server-taken.ron", port, &format!("Port({port})"), &["bug"], ""));
    assert!(exit == Some(4) && text.contains("listens on this port already"), "{exit:?} {text}");
    let (exit, text) = code(&chain("server-regex.ron", port, r#"Output("(")"#, &["bug"], ""));
    assert!(exit == Some(4) && text.contains("is no regular expression"), "{exit:?} {text}");
    // Never ready: the time limit ends it, and `drive` did not run.
    let port = free_port();
    let (exit, text) = code(&chain("server-never.ron", port, r#"Output("no such line")"#, &["bug"], ""));
    assert!(exit == Some(4) && text.contains("timed out"), "{exit:?} {text}");
    assert!(is_free(port), "the server has ended");
}

#[test]
fn a_recording_drives_its_server_and_so_does_what_runs_again() {
    let case = crate::support::case::Case::new("server");
    let port = free_port().to_string();
    let classes = crate::support::compiled("fixtures/server", &["-g"]).display().to_string();
    let drive = format!("java -cp {classes} Server ask {port} one two bug");
    let operated = ["--jvm", "Server", "--ready", &port, "--drive", &drive];
    let program = ["--", "java", "-cp", &classes, "Server", "serve", &port];
    let started = Instant::now();
    let mut record = case.qp();
    let output = finish(record.args(["trace", "record", "--out", "served"]).args(operated).args(program));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(started.elapsed() < Duration::from_secs(30), "it did not wait for the time limit");
    let calls = finish(case.qp().args(["trace", "calls", "served"]));
    assert_eq!(said(&calls).matches("Server.handle(").count(), 3, "{}", said(&calls));
    // The lines of a call were not recorded: the server runs again, and is driven again.
    let events = |call: &str| {
        let mut events = case.qp();
        events.env(session::TRUSTED_FOLDERS, "").args(["trace", "events", call, "served", "--level", "all"]);
        finish(&mut events)
    };
    let again = events("3");
    assert_eq!(again.status.code(), Some(0), "{}", said(&again));
    assert!(said(&again).contains("Server.total: 3 → -1"), "{}", said(&again));
    assert!(is_free(port.parse().expect("a port")), "the server has ended");
    // A single question drives it too.
    let line = format!("Server:{}", marked("fixtures/server", "Server.java", "// <- A"));
    let mut why = case.qp();
    let output =
        finish(why.args(["--format=json", "why", "total", "--at", &line]).args(operated).args(program));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    answered(&serde_json::from_slice(&output.stdout).expect("JSON"));
    // Somebody else's commands are shown before they run.
    let about = case.work().join("served/about.json");
    let text = std::fs::read_to_string(&about).expect("read").replace("Server ask", "Server  ask");
    std::fs::write(&about, text.replace("\"two\"", "\"other\"")).expect("written");
    let refused = events("2");
    assert!(!refused.status.success() && said(&refused).contains("drive "), "{}", said(&refused));
}
