//! A recorded program continues when nobody empties its rings any more, and `qp` reports the lost events.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use crate::support::{finish, said};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// How long a thread waits before it assumes that nobody reads: `PATIENCE` in `crates/agent/src/rings.rs`.
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn threads_that_take_turns_wait_once_for_who_does_not_read() {
    let case = Case::new("hand-over");
    let folder = case.mark("trace");
    let mut command = case.qp();
    command.args(["trace", "record", "--out"]).arg(&folder);
    command.args(["--", "java", "-cp", "classes", "HandOver"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("qp starts");
    case.wait_until("the program to start", || case.mark("started").exists());
    let qp = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
    let send = |signal| kill_process(qp, signal).expect("sent");
    send(Signal::STOP);
    std::fs::write(case.mark("go"), "").expect("written");
    let began = Instant::now();
    // Twelve iterations, none of which fits a ring: each would wait.
    while !case.mark("done").exists() && began.elapsed() < 3 * PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
    }
    let took = began.elapsed();
    send(Signal::CONT);
    let output = crate::support::wait(child);
    assert!(took > PATIENCE && took < 2 * PATIENCE - Duration::from_secs(10), "{took:?}: {}", said(&output));
    let info = finish(crate::support::qp().args(["trace", "info", "--format=json"]).arg(&folder));
    let info: Value = serde_json::from_slice(&info.stdout).unwrap_or_else(|_| panic!("{}", said(&info)));
    let missing = info["missing"].as_array().expect("what is missing");
    let says = |text: &str| missing.iter().filter(|m| m.as_str().is_some_and(|m| m.contains(text))).count();
    assert_eq!(says("nobody collects the recorded events any more"), 1, "{info:#}");
    assert_eq!(says("were overwritten before they were saved"), 3, "{info:#}");
}
