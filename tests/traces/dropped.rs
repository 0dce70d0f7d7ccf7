//! `qp trace record --max-size`: a recording keeps the last part of a run, and what that needs of the rest.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

use crate::support::case::{Case, list};
use crate::support::{finish, javas, qp, said, traced};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The files of a folder, by name, and their size in bytes.
fn size(folder: &Path) -> (Vec<String>, u64) {
    let mut files: Vec<PathBuf> = Vec::new();
    list(folder, &mut files);
    let bytes = files.iter().filter_map(|file| file.metadata().ok()).map(|about| about.len()).sum();
    let name = |file: &PathBuf| file.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut names: Vec<String> = files.iter().filter_map(name).collect();
    names.sort();
    (names, bytes)
}

fn ask(arguments: &[&str], folder: &Path) -> String {
    let output = finish(qp().args(arguments).arg(folder));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    String::from_utf8(output.stdout).expect("text")
}

/// Why the recording is not whole.
fn dropped(folder: &Path) -> Option<String> {
    let info = traced::info(folder);
    let missing = info["missing"].as_array().expect("a list").iter().filter_map(Value::as_str);
    missing.into_iter().find(|what| what.contains("were dropped to keep")).map(str::to_owned)
}

#[test]
fn the_last_part_of_a_run_knows_what_was_written_at_its_start() {
    let case = Case::new("lasting");
    for (n, java) in javas().iter().enumerate() {
        let plain =
            finish(Command::new(java).args(["-cp", "classes", "Lasting", "12000"]).current_dir(case.work()));
        let folder = case.mark(&format!("trace{n}"));
        let mut command = case.qp();
        command
            .args(["trace", "record", "--level=all", "--max-size=1MB", "--show-output", "--out"])
            .arg(&folder);
        let run = case.run_command(command.args(["--", java, "-cp", "classes", "Lasting", "12000"]));
        let total = String::from_utf8(plain.stdout).expect("text");
        run.is(0, &[total.trim(), "ended with exit code 3", "were dropped to keep to --max-size 1.0 MB"]);
        assert_eq!(plain.status.code(), Some(3));
        let (names, bytes) = size(&folder);
        assert_eq!(names, ["about.json", "events", "sites.jsonl"]);
        assert!(bytes <= 1_000_000, "{bytes}");
        assert!(dropped(&folder).is_some_and(|what| what.starts_with("the first ")));

        // A value that was written once, at the start.
        let written = ask(&["trace", "history", "Lasting.shop"], &folder);
        let line = case.line("Lasting.java", "// <- SHOP");
        assert!(written.contains(&format!("Lasting.main:{line}")), "{written}");
        let (_, shop) = written.split_once("Lasting.Shop@").expect("the shop");
        let shop = format!("@{}", shop.split_whitespace().next().expect("its number"));
        let name = ask(&["trace", "history", &format!("{shop}.name")], &folder);
        let line = case.line("Lasting.java", "// <- NAME");
        assert!(name.contains("null → \"corner\"") && name.contains(&format!("<init>:{line}")), "{name}");
        assert!(name.contains("were dropped to keep"), "{name}");
        let unknown = finish(qp().args(["trace", "history", &format!("{shop}.other")]).arg(&folder));
        let unknown = said(&unknown);
        assert!(unknown.contains("no write to") && unknown.contains("were dropped"), "{unknown}");

        // A person who goes to the write is told where it was.
        let file = case.mark(&format!("lines{n}"));
        std::fs::write(&file, format!("call {}\nwhy Lasting.shop\n", 100)).expect("written");
        let lines = std::fs::File::open(&file).expect("a file");
        let prompt = said(&finish(qp().arg("debug").arg(&folder).stdin(lines)));
        let place = format!("was dropped: Lasting.main, line {}", case.line("Lasting.java", "// <- SHOP"));
        assert!(prompt.split_whitespace().collect::<Vec<_>>().join(" ").contains(&place), "{prompt}");

        // The last calls are there, and the state then.
        let events = traced::exported(&folder, &[]);
        let called = |event: &&Value| event["event"] == "enter" && event["method"] == "finish";
        assert_eq!(events.iter().filter(called).count(), 1);
        let calls = traced::info(&folder)["calls"].as_u64().expect("a number");
        let last = (calls - 1).to_string();
        let state = ask(&["trace", "state", &last, "--object", &shop], &folder);
        for says in ["\"corner\"", "rate 7", "holds [Lasting.Item@", "sold "] {
            let flat = state.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(flat.contains(says), "{says} is missing in {state}");
        }

        // What needs the whole run is refused, with what to do.
        for refused in
            [["trace", "as-chain", &last].as_slice(), &["why", "total", "--at", "Lasting:42", "--in"]]
        {
            let output = finish(case.qp().args(refused).arg(&folder));
            let said = said(&output);
            assert!(output.status.code() != Some(0) && said.contains("--max-size none"), "{said}");
        }
    }
}

#[test]
fn a_recording_is_readable_while_events_are_dropped_and_after_a_kill() {
    let case = Case::new("lasting");
    let (folder, end) = (case.mark("trace"), case.mark("end"));
    let mut command = case.qp();
    command.args(["trace", "record", "--level=all", "--max-size=500kB", "--out"]).arg(&folder);
    command.args(["--", "java", "-cp", "classes", "Lasting", "1"]).arg(&end);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("qp starts");
    case.wait_until("dropped events", || folder.join("sites.jsonl").exists() && dropped(&folder).is_some());
    for _ in 0..3 {
        let calls = ask(&["trace", "calls", "--depth=1"], &folder);
        assert!(calls.contains("Lasting.main(?)") && calls.contains("were dropped to keep"), "{calls}");
    }
    let qp = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(qp, Signal::KILL).expect("sent");
    crate::support::wait(child);
    // The program ends with qp, so its recording does not grow any more.
    case.wait_until("the program to end", || crate::support::processes_with(&case.name()).is_empty());
    assert!(ask(&["trace", "history", "Lasting.shop"], &folder).contains("null → Lasting.Shop@"));
    assert!(dropped(&folder).is_some());
    assert!(size(&folder).0.iter().all(|name| !name.starts_with(".events-")));
}
