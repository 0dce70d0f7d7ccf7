//! The starts and ends of threads in a recorded run.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use crate::support::traced::{exported, info, text};
use crate::support::{finish, javas, javas_in_turn, said};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::process::Command;

/// Whether a VM has virtual threads without an option (Java 21).
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
            // A virtual thread without a name has a number.
            let is_virtual = name.starts_with("virtual #");
            let shown = if is_virtual { "virtual" } else { name };
            let events = exported.iter().filter(|event| event["thread"] == name);
            let of_thread: Vec<&Value> = events.collect();
            // An end is the last event of a thread, and agrees with the thread's entry.
            let end: Vec<_> = of_thread.iter().filter(|event| event["event"] == "end").collect();
            assert_eq!(end.len(), usize::from(thread["ended"] == true), "{thread}");
            assert_eq!(end.first().map(|end| &end["exception"]), end.first().map(|_| &thread["uncaught"]));
            if let Some(end) = end.first() {
                assert_eq!(of_thread.last(), Some(*end));
            }
            let class = thread["uncaught"].as_str().and_then(|text| text.split('@').next());
            ends.push((shown.to_owned(), thread["ended"] == true, class.map(str::to_owned)));
            // The start of a thread is recorded once, in the call that `started_in` names, and before
            // everything the thread does.
            let node = &thread["started_in"];
            let mut start =
                exported.iter().filter(|event| event["event"] == "start" && event["name"] == name);
            if let Some(start) = start.next() {
                assert_eq!(&start["node"], node);
                let kind = if is_virtual { "VirtualThread@" } else { "Thread@" };
                assert!(text(&start["object"]).starts_with(kind), "{start}");
                assert!(start["turn"].as_u64() < of_thread[0]["turn"].as_u64(), "{start}");
                let entered = |event: &&Value| event["event"] == "enter" && &event["node"] == node;
                starts.push((
                    shown.to_owned(),
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
            by.insert(5, ("virtual", "main"));
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
        let shown = finish(crate::support::qp().args(["trace", "info"]).arg(&folder));
        let is_shown = said(&shown).lines().any(|line| {
            line.starts_with("thread     virtual #") && line.ends_with(": 1 call, started in #0")
        });
        assert_eq!(is_shown, has_virtual, "{}", said(&shown));
        let mut wanted = wanted.to_vec();
        if has_virtual {
            wanted.insert(6, ("virtual".to_owned(), true, None));
        }
        assert_eq!(ends, wanted, "{java}");
        // A thread that makes the VM exit does not reach its end, nor does a thread that waits for it.
        let folder = case.mark(&format!("exits{n}"));
        let mut command = case.qp();
        command.args(["trace", "record", "--out"]).arg(&folder);
        case.run_command(command.args(["--", java, "-cp", "classes", "Ends", "exit"])).is(0, &[]);
        let info = finish(crate::support::qp().args(["trace", "info"]).arg(&folder));
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
    for (n, java) in javas_in_turn(0).iter().enumerate() {
        let folder = case.mark(&format!("trace{n}"));
        let mut command = case.qp();
        command.args(["trace", "record", "--trust=Crowd.One", "--out"]).arg(&folder);
        case.run_command(command.args(["--", java, "-cp", "classes", "Crowd"])).is(0, &[]);
        let exported = exported(&folder, &[]);
        let takes = exported.iter().filter(|event| event["event"] == "enter" && event["method"] == "take");
        let taken = takes.map(|take| take["arguments"].as_array().expect("arguments"));
        let taken: Vec<Vec<&str>> = taken.map(|ones| ones.iter().map(text).collect()).collect();
        // A hashed thread, a locked one, and one that is neither.
        let [first, rest @ ..] = &taken[..] else { panic!("no calls") };
        assert_eq!(first[..3], first[3..6]);
        let all: HashSet<&str> = first[..3].iter().chain(rest.iter().flatten()).copied().collect();
        assert_eq!(all.len(), 3 + 4 * 2_000 * 8, "{java}");
        assert!(all.iter().all(|one| one.starts_with("Crowd.One@")));
    }
}

/// The threads of the program and its VM keep their priorities, except the second compiler.
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

/// The chunks of a thread give the beginnings of calls; here there are many chunks.
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
        let output = finish(crate::support::qp().args(arguments).arg(&folder));
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

/// New threads get new rings, and the rings of ended threads are used again: every call of thousands of
/// threads is recorded.
#[test]
fn thousands_of_threads_are_recorded_whole() {
    let case = Case::new("crowded");
    for (n, java) in javas_in_turn(1).iter().enumerate() {
        // With QP_CROWD=all, as many as take half a minute on a busy machine.
        let all = std::env::var("QP_CROWD").is_ok_and(|crowd| crowd == "all");
        let (living, short) = if all { (5_000_u32, 20_000) } else { (4_200, 5_000) };
        for (how, count, level) in
            [("living", living, "calls"), ("short", short, "calls"), ("living", 300, "all")]
        {
            let what = format!("{how} {count} {level}");
            let folder = case.mark(&format!("{how}-{count}-{n}"));
            let mut command = case.qp();
            command.args(["trace", "record", "--level", level, "--show-output", "--out"]).arg(&folder);
            let number = count.to_string();
            // A small stack, since the test is about threads.
            command.args(["--", java, "-Xss256k", "-cp", "classes", "Crowded", how, &number]);
            let run = case.run_command(&mut command);
            run.is(0, &[]);
            let calls = if how == "living" { 2 * count } else { count };
            let total: u32 = (0..calls).map(|n| 2 * n + 1).sum();
            assert!(run.said().contains(&format!("total {total}\n")), "{what}: {}", run.said());
            let info = info(&folder);
            let threads = info["threads"].as_array().expect("threads");
            assert_eq!(threads.len(), 1 + usize::try_from(count).expect("a number"), "{what}");
            assert!(threads.iter().all(|thread| thread["ended"] == true), "{what}");
            // Each by its own number, in its own thread.
            let exported = exported(&folder, &[]);
            let mut seen = vec![0; usize::try_from(calls).expect("a number")];
            let mut by: HashMap<&str, Vec<usize>> = HashMap::new();
            let work = exported.iter().filter(|event| event["event"] == "enter" && event["method"] == "work");
            for event in work {
                let number: usize = text(&event["arguments"][0]).parse().expect("a number");
                seen[number] += 1;
                by.entry(text(&event["thread"])).or_default().push(number);
            }
            assert!(seen.iter().all(|times| *times == 1), "{what}");
            assert_eq!(by.len(), usize::try_from(count).expect("a number"), "{what}");
            let is_paired = |numbers: &Vec<usize>| match numbers[..] {
                [_] => how == "short",
                [one, other] => how == "living" && one.abs_diff(other) == count as usize,
                _ => false,
            };
            assert!(by.values().all(is_paired), "{what}");
            let returns = exported.iter().filter(|event| event["event"] == "return");
            let results = returns.filter(|event| event["method"] == "work").count();
            assert_eq!(results, seen.len(), "{what}");
            assert!(!folder.join("rings").exists(), "{what}");
        }
    }
}

/// Records the threads without a name of their own, and asks about the call of one.
fn namesakes(case: &Case, java: &str, arguments: &[&str], base: &str) {
    let folder = case.mark(base);
    let mut command = case.qp();
    command.args(["trace", "record", "--level=calls", "--out"]).arg(&folder);
    let program = ["--", java, "-cp", "classes", "Namesakes"];
    case.run_command(command.args(program).args(arguments)).is(0, &[]);
    let ask = |options: &[&str]| {
        let mut command = case.qp();
        command
            .args(["trace", "calls", "--format=json", "--method=Namesakes.work"])
            .args(options)
            .arg(&folder);
        case.run_command(&mut command).is(0, &[]).answer()
    };
    let all = ask(&[]);
    let threads = all["threads"].as_array().expect("threads");
    let labels: HashSet<&str> = threads.iter().map(|thread| text(&thread["thread"])).collect();
    assert_eq!((threads.len(), labels.len()), (6, 6), "{all}");
    assert!(labels.iter().all(|label| label.starts_with(&format!("{base} #"))), "{labels:?}");
    // The number selects one thread.
    for thread in threads {
        let label = text(&thread["thread"]);
        assert_eq!(ask(&["--thread", label])["threads"], Value::Array(vec![thread.clone()]));
    }
    if !arguments.is_empty() {
        // The VM's own threads for virtual ones take numbers too, so these can differ in another run.
        return;
    }
    // Another run records the call of the same thread.
    let [node, argument] = ["node", "arguments"].map(|key| threads[3]["calls"][0][key].to_string());
    let mut events = case.qp();
    events.args(["trace", "events", "--format=json", "--level=all", &node]).arg(&folder);
    let events = case.run_command(&mut events).is(0, &[]).answer();
    assert!(events.to_string().contains(argument.trim_matches(['[', ']'])), "{argument}: {events}");
}

#[test]
fn threads_of_one_name_are_told_apart() {
    let case = Case::new("namesakes");
    namesakes(&case, "java", &[], "worker");
    let mut by_name = case.qp();
    by_name.args(["trace", "calls", "--thread=worker"]).arg(case.mark("worker"));
    case.run_command(&mut by_name).is(0, &["Namesakes.work(1)", "Namesakes.work(6)"]);
    // The point's thread has the same number in the recording.
    let line = case.line("Namesakes.java", "// <- A");
    let points = format!(r#"(id: "A", at: Line("Namesakes", {line}), when: "n == 4")"#);
    let chain = case.chain(r#"command: ["java", "-cp", "classes", "Namesakes"], sources: ["."]"#, &points);
    let folder = case.mark("whole");
    let mut command = case.qp();
    command.args(["trace", "record", "--level=all", "--out"]).arg(&folder);
    case.run_command(command.args(["--", "java", "-cp", "classes", "Namesakes"])).is(0, &[]);
    let mut find = case.qp();
    find.args(["trace", "find", "--format=json"]).arg(chain).arg(&folder);
    let found = case.run_command(&mut find).is(0, &[]).answer();
    assert_eq!(found["found"][0]["call"]["arguments"][0], "4", "{found}");
}

#[test]
fn virtual_threads_are_told_apart() {
    for java in javas().iter().filter(|java| has_virtual_threads(java)) {
        namesakes(&Case::new("namesakes"), java, &["virtual"], "virtual");
    }
}
