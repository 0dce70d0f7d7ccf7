//! How threads of a recorded run start and end.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

mod support;

use serde_json::Value;
use std::collections::HashSet;
use std::process::Command;
use support::case::Case;
use support::traced::{exported, info, text};
use support::{finish, javas, said};

/// Whether a VM has them without being asked to (Java 21).
fn has_virtual_threads(java: &str) -> bool {
    let settings = Command::new(java).args(["-XshowSettings:properties", "-version"]).output().expect("java");
    let text = String::from_utf8_lossy(&settings.stderr).into_owned();
    let version = text.lines().find_map(|line| line.trim().strip_prefix("java.specification.version = "));
    version.and_then(|version| version.parse::<u32>().ok()).is_some_and(|version| version >= 21)
}

#[test]
fn it_is_told_how_threads_start_and_end() {
    let case = Case::new("ends");
    for (n, java) in javas().iter().enumerate() {
        let folder = case.mark(&format!("trace{n}"));
        let mut command = case.qp();
        command.args(["trace", "record", "--out"]).arg(&folder);
        case.run_command(command.args(["--", java, "-cp", "classes", "Ends"])).is(0, &[]);
        let info = info(&folder);
        let exported = exported(&folder, &[]);
        let mut ends = Vec::new();
        let mut starts = Vec::new();
        for thread in info["threads"].as_array().expect("threads") {
            let name = text(&thread["name"]);
            let events = exported.iter().filter(|event| event["thread"] == name);
            let of_thread: Vec<&Value> = events.collect();
            // An end is the last of a thread, and says the same.
            let end: Vec<_> = of_thread.iter().filter(|event| event["event"] == "end").collect();
            assert_eq!(end.len(), usize::from(thread["ended"] == true), "{thread}");
            assert_eq!(end.first().map(|end| &end["exception"]), end.first().map(|_| &thread["uncaught"]));
            if let Some(end) = end.first() {
                assert_eq!(of_thread.last(), Some(*end));
            }
            let class = thread["uncaught"].as_str().and_then(|text| text.split('@').next());
            ends.push((name.to_owned(), thread["ended"] == true, class.map(str::to_owned)));
            // The start of a thread is told once, in the call that is said to have started it, and before all that it does.
            let node = &thread["started_in"];
            let mut start =
                exported.iter().filter(|event| event["event"] == "start" && event["name"] == name);
            if let Some(start) = start.next() {
                assert_eq!(&start["node"], node);
                let kind = if name.is_empty() { "VirtualThread@" } else { "Thread@" };
                assert!(text(&start["object"]).starts_with(kind), "{start}");
                assert!(start["turn"].as_u64() < of_thread[0]["turn"].as_u64(), "{start}");
                let entered = |event: &&Value| event["event"] == "enter" && &event["node"] == node;
                starts.push((
                    name.to_owned(),
                    text(&exported.iter().find(entered).expect("its entry")["method"]).to_owned(),
                ));
            }
            assert_eq!(start.next(), None);
        }
        starts.sort();
        let mut by = vec![
            ("fails", "ends"),
            ("handled", "ends"),
            ("pool", "main"),
            ("returns", "ends"),
            ("twice", "ends"),
            ("waits", "main"),
        ];
        // A newer VM has virtual threads, and the program starts one there.
        let has_virtual = has_virtual_threads(java);
        if has_virtual {
            by.insert(0, ("", "main"));
        }
        let by: Vec<_> = by.into_iter().map(|(name, method)| (name.to_owned(), method.to_owned())).collect();
        assert_eq!(starts, by);
        ends.sort();
        let wanted = [
            ("fails", true, Some("Ends.Bad")),
            ("handled", true, Some("Ends.Worse")),
            ("main", true, Some("Ends.Bad")),
            ("pool", true, None),
            ("returns", true, None),
            ("twice", true, None),
            ("waits", false, None),
        ];
        let wanted = wanted.map(|(name, ended, class)| (name.to_owned(), ended, class.map(str::to_owned)));
        let shown = finish(support::qp().args(["trace", "info"]).arg(&folder));
        let is_shown = said(&shown).contains("\nthread     without a name: 1 call, started in #0");
        assert_eq!(is_shown, has_virtual, "{}", said(&shown));
        let virtual_one = has_virtual.then(|| (String::new(), true, None));
        let wanted: Vec<_> = virtual_one.into_iter().chain(wanted).collect();
        assert_eq!(ends, wanted, "{java}");
        // One that has the VM exit does not come to its end, nor does who waits for it.
        let folder = case.mark(&format!("exits{n}"));
        let mut command = case.qp();
        command.args(["trace", "record", "--out"]).arg(&folder);
        case.run_command(command.args(["--", java, "-cp", "classes", "Ends", "exit"])).is(0, &[]);
        let info = finish(support::qp().args(["trace", "info"]).arg(&folder));
        let said = said(&info);
        for thread in ["main", "exits"] {
            let line = said.lines().find(|line| line.starts_with(&format!("thread     {thread}: ")));
            assert!(line.is_some_and(|line| line.ends_with(", its end was not recorded")), "{said}");
        }
    }
}

#[test]
fn objects_that_threads_make_at_once_have_numbers_of_their_own() {
    let case = Case::new("crowd");
    for (n, java) in javas().iter().enumerate() {
        let folder = case.mark(&format!("trace{n}"));
        let mut command = case.qp();
        command.args(["trace", "record", "--trust=Crowd.One", "--out"]).arg(&folder);
        case.run_command(command.args(["--", java, "-cp", "classes", "Crowd"])).is(0, &[]);
        let exported = exported(&folder, &[]);
        let takes = exported.iter().filter(|event| event["event"] == "enter" && event["method"] == "take");
        let taken = takes.map(|take| take["arguments"].as_array().expect("arguments"));
        let taken: Vec<Vec<&str>> = taken.map(|ones| ones.iter().map(text).collect()).collect();
        // One that the program has hashed, one that is locked, and one that is neither.
        let [first, rest @ ..] = &taken[..] else { panic!("no calls") };
        assert_eq!(first[..3], first[3..6]);
        let all: HashSet<&str> = first[..3].iter().chain(rest.iter().flatten()).copied().collect();
        assert_eq!(all.len(), 3 + 4 * 2_000 * 8, "{java}");
        assert!(all.iter().all(|one| one.starts_with("Crowd.One@")));
    }
}

/// The program and its VM's threads are as nice as they were, but for the second compiler.
#[cfg(target_os = "linux")]
#[test]
fn only_the_second_compiler_steps_back() {
    let case = Case::new("nice");
    let threads = |output: &str| -> Vec<(i32, bool)> {
        let lines = output.lines().filter_map(|line| line.strip_prefix("nice ")?.split_once(' '));
        lines.map(|(nice, name)| (nice.parse().expect("a number"), name.starts_with("C2 Compiler"))).collect()
    };
    for (n, java) in javas().iter().enumerate() {
        let mut plain = Command::new(java);
        let plain = finish(plain.current_dir(case.work()).args(["-cp", "classes", "Nice"]));
        let (own, _) = *threads(&String::from_utf8_lossy(&plain.stdout)).first().expect("a thread");
        let mut command = case.qp();
        command.args(["trace", "record", "--show-output", "--out"]).arg(case.mark(&format!("trace{n}")));
        let run = case.run_command(command.args(["--", java, "-cp", "classes", "Nice"]));
        let recorded = threads(&run.said());
        assert!(recorded.iter().any(|(_, is_second)| *is_second), "{}", run.said());
        for (nice, is_second) in recorded {
            assert_eq!(nice, if is_second { (own + 10).min(19) } else { own }, "{java}: {}", run.said());
        }
    }
}

/// Where a call begins is told by the chunks of its thread, of which there are many here.
#[test]
fn calls_are_found_in_the_chunks_where_they_begin() {
    let case = Case::new("paced");
    let folder = case.mark("trace");
    let mut command = case.qp();
    command.args(["trace", "record", "--out"]).arg(&folder);
    case.run_command(command.args(["--", "java", "-cp", "classes", "Paced"])).is(0, &[]);
    let chunks = std::fs::read(folder.join("events")).expect("the events");
    let chunks = chunks.windows(4).filter(|bytes| *bytes == b"QPC1").count();
    assert!(chunks > 20, "{chunks} chunks");
    for method in ["Paced.step", "Paced.inner"] {
        let arguments = ["trace", "calls", "--format=json", "--all", "--depth=1", "--method", method];
        let output = finish(support::qp().args(arguments).arg(&folder));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let tree: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let threads = tree["threads"].as_array().expect("threads");
        assert_eq!(threads.len(), 2);
        for thread in threads {
            let name = text(&thread["thread"]);
            let calls = thread["calls"].as_array().expect("calls");
            let told: Vec<String> =
                calls.iter().map(|call| format!("{} {}", call["arguments"], call["result"])).collect();
            let wanted = (0..40).map(|n| match method {
                "Paced.step" => format!(r#"["{n}","\"{name}\""] "{}""#, 2 * n + 1),
                _ => format!(r#"["{}"] "{}""#, 2 * n, 2 * n + 1),
            });
            assert_eq!(told, wanted.collect::<Vec<_>>());
        }
    }
}
