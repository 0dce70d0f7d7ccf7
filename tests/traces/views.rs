//! `qp trace`: a recording equals the program's own log, and a truncated recording is readable up to its end.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use crate::support::javac::Javac;
use crate::support::traced::{exported, info, text};
use crate::support::{finish, javas, processes_with, said};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// The log of each thread.
fn log(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut threads = BTreeMap::new();
    let mut lines: &mut Vec<String> = &mut Vec::new();
    for line in text.lines() {
        match line.strip_prefix("== ") {
            Some(thread) => lines = threads.entry(thread.to_owned()).or_insert_with(Vec::new),
            None => lines.push(line.to_owned()),
        }
    }
    threads
}

/// The log lines of a recorded call, and of those below it.
fn flatten(call: &Value, lines: &mut Vec<String>) {
    let method = match (text(&call["method"]), text(&call["descriptor"])) {
        ("<init>", "(Ljava/lang/String;)V") => "Traced.<init>(String)".to_owned(),
        (name, "(II)I") if name.starts_with("lambda$") => "Traced.lambda$".to_owned(),
        (name, _) => format!("{}.{name}", text(&call["class"])),
    };
    let logged = !method.starts_with("Traced.lambda$main") && method != "Traced.main";
    if logged {
        let arguments = call["arguments"].as_array().expect("arguments").iter();
        lines
            .push(arguments.fold(format!("enter {method}"), |line, value| format!("{line} {}", text(value))));
    }
    for below in call["calls"].as_array().into_iter().flatten() {
        flatten(below, lines);
    }
    if logged {
        let result = call["result"].as_str().unwrap_or("null");
        lines.push(match &call["exception"] {
            Value::Null => format!("exit {method} {result}"),
            _ => format!("threw {method}"),
        });
    }
}

/// The tree of all recorded calls.
fn call_tree(folder: &Path) -> Value {
    let arguments = ["trace", "calls", "--all", "--depth=500", "--format=json"];
    let output = finish(crate::support::qp().args(arguments).arg(folder));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The log lines of all recorded calls, by thread.
fn recorded(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let tree = call_tree(folder);
    let threads = tree["threads"].as_array().expect("threads").iter();
    let lines = threads.map(|thread| {
        let mut lines = Vec::new();
        thread["calls"].as_array().into_iter().flatten().for_each(|call| flatten(call, &mut lines));
        (text(&thread["thread"]).to_owned(), lines)
    });
    lines.collect()
}

/// Records `Traced` into a folder. Returns its output.
fn record(case: &Case, java: &str, folder: &Path, arguments: &[&str]) -> String {
    let mut command = case.qp();
    command.args(["trace", "record", "--trust=Log", "--show-output", "--out"]).arg(folder);
    let (options, arguments): (Vec<&str>, Vec<&str>) = arguments.iter().partition(|a| a.starts_with("--"));
    command.args(options).args(["--", java, "-cp", "classes", "Traced"]).args(arguments);
    let run = case.run_command(&mut command);
    run.is(0, &["recorded in"]);
    String::from_utf8_lossy(&run.output.stdout).into_owned() + &String::from_utf8_lossy(&run.output.stderr)
}

#[test]
fn calls_are_what_the_program_says_it_did() {
    let case = Case::new("traced");
    for (n, java) in javas().iter().enumerate() {
        for ending in [&[][..], &["halt"]] {
            let folder = case.mark(&format!("trace{n}{}", ending.len()));
            let said = record(&case, java, &folder, ending);
            let wanted = log(said.split_once("== ").map(|(_, rest)| rest).map_or("", |_| &said));
            let wanted: BTreeMap<_, Vec<String>> = wanted
                .into_iter()
                .map(|(thread, lines)| {
                    (thread, lines.into_iter().filter(|l| !l.starts_with("recorded")).collect())
                })
                .collect();
            assert_eq!(wanted.len(), 4, "{said}");
            let mut found = recorded(&folder);
            found.retain(|_, lines| !lines.is_empty());
            for (thread, lines) in &wanted {
                let found = &found[thread];
                let differs = found.iter().zip(lines).position(|(a, b)| a != b);
                let differs = differs.map(|at| (at, &found[at], &lines[at]));
                assert_eq!(differs, None, "{java} {thread}");
                assert_eq!(found.len(), lines.len(), "{java} {thread}");
            }
            assert_eq!(found.len(), 4);
            let info = info(&folder);
            assert_eq!(info["missing"], serde_json::json!([]), "{info:#}");
            let ended = if ending.is_empty() { "exit code 0" } else { "exit code 3" };
            assert_eq!(info["ended"], ended);
        }
    }
}

#[test]
fn writes_of_every_kind_are_told_and_those_that_throw_are_none() {
    let case = Case::new("written");
    for (n, java) in javas().iter().enumerate() {
        let folder = case.mark(&format!("trace{n}"));
        let mut command = case.qp();
        command.args(["trace", "record", "--level=all", "--show-output", "--out"]).arg(&folder);
        let run = case.run_command(command.args(["--", java, "-cp", "classes", "Written"]));
        run.is(0, &["3 60 7"]);
        let events = exported(&folder, &[]);
        let of = |kind: &str, name: &str| -> Vec<(String, String)> {
            let is = |event: &&Value| event["event"] == kind && event["name"] == name;
            let change = |event: &Value| {
                let from = event["old"].as_str().unwrap_or("?");
                (text(&event["declared_by"]).to_owned(), format!("{from} → {}", text(&event["new"])))
            };
            events.iter().filter(is).map(change).collect()
        };
        let one = |class: &str, change: &str| vec![(class.to_owned(), change.to_owned())];
        let bars = [one("Written$Base", "0 → 1"), one("Written$Sub", "0 → 2")].concat();
        assert_eq!(of("field", "bar"), bars);
        assert_eq!(of("field", "shared"), one("Written$Base", "0 → 3"));
        for (name, change) in [
            ("z", "false → true"),
            ("b", "0 → -56"),
            ("c", "'\\u0000' → 'é'"),
            ("s", "0 → -25536"),
            ("l", "0L → 1099511627776L"),
            ("f", "0.0f → 1.5f"),
            ("d", "0.0 → -0.0"),
            ("t", "null → \"text\""),
        ] {
            assert_eq!(of("field", name), one("Written", change), "{name}");
        }
        // It is written before the object is complete, and belongs to it.
        let preset = events.iter().find(|event| event["name"] == "val$x").expect("the captured variable");
        assert_eq!((text(&preset["new"]), &preset["old"]), ("7", &Value::Null));
        assert!(
            text(&preset["object"]).starts_with("Written$1@")
                || text(&preset["object"]).starts_with("Written.1@")
        );
        let elements = events.iter().filter(|event| event["event"] == "element");
        let mut elements: Vec<_> = elements.map(|event| (text(&event["old"]), text(&event["new"]))).collect();
        // One instruction makes an array and its rows.
        let rows = elements.extract_if(.., |(old, new)| *old == "null" && new.starts_with("long[2]@"));
        assert_eq!(rows.count(), 2);
        let wanted = [("false", "true"), ("0", "-1"), ("'\\u0000'", "'x'"), ("0L", "9L")];
        assert_eq!(elements, wanted);
        let count = |kind: &str| events.iter().filter(|event| event["event"] == kind).count();
        assert_eq!((count("lock"), count("unlock"), count("catch")), (3, 3, 3));
        let history = |variable: &str| {
            let output = finish(crate::support::qp().args(["trace", "history", variable]).arg(&folder));
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        let sub = events.iter().find(|event| event["name"] == "bar").expect("a write");
        let number = text(&sub["object"]).rsplit_once('@').expect("a number").1;
        // The field that it hides has a history of its own.
        assert_eq!(history(&format!("@{number}.bar")).lines().count(), 2);
        assert!(history(&format!("@{number}.Base.bar")).contains(": 0 → 1\n"));
        assert!(history("Base.shared").contains("Base.shared: 0 → 3\n"));
    }
}

/// The state of an object at a call's entry and end, for its `this` and any other object.
#[test]
fn an_object_is_shown_as_a_call_found_it_and_left_it() {
    let case = Case::new("written");
    let folder = case.mark("trace");
    let mut command = case.qp();
    command.args(["trace", "record", "--level=writes", "--out"]).arg(&folder);
    case.run_command(command.args(["--", "java", "-cp", "classes", "Written"])).is(0, &[]);
    let events = exported(&folder, &[]);
    let state = |node: &Value, more: &[&str]| -> Vec<(String, String, String, u64)> {
        let number = node.to_string();
        let arguments = [&["trace", "state", &number, "--format=json"], more].concat();
        let output = finish(crate::support::qp().args(arguments).arg(&folder));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let state: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let part = |part: &Value| {
            assert_eq!(part["unrecorded"], false);
            let name = part["name"].as_str().map_or_else(|| part["index"].to_string(), str::to_owned);
            let writes = part["writes"].as_u64().expect("a number");
            (name, text(&part["entry"]).to_owned(), text(&part["exit"]).to_owned(), writes)
        };
        state["parts"].as_array().expect("parts").iter().map(part).collect()
    };
    let entered = |method: &str| {
        let is = |event: &&Value| event["event"] == "enter" && event["method"] == method;
        events.iter().filter(is).map(|event| &event["node"]).next_back().expect("a call")
    };
    let part = |name: &str, entry: &str, exit: &str, writes| {
        (name.to_owned(), entry.to_owned(), exit.to_owned(), writes)
    };
    let all = state(entered("all"), &[]);
    assert_eq!(all.len(), 8);
    assert_eq!(all[0], part("b", "0", "-56", 1));
    assert_eq!(all[7], part("z", "false", "true", 1));
    // `main` writes an element of each of its arrays; later calls find the written values.
    let array = events.iter().find(|event| event["new"] == "9L").expect("a write");
    let object = format!("--object={}", text(&array["object"]));
    // Nothing writes the other one.
    let other = part("1", "0L", "0L", 0);
    assert_eq!(state(entered("main"), &[&object]), [part("0", "0L", "9L", 1), other.clone()]);
    assert_eq!(state(entered("captured"), &[&object]), [part("0", "9L", "9L", 0), other]);
    let shown = folder.display().to_string();
    let main = entered("main").to_string();
    case.run(&["trace", "state", &main, &shown]).fails(2, &["no `this`", "--object"]);
    case.run(&["trace", "state", &main, &shown, "--object=@99999999"])
        .fails(2, &["no object @99999999 was recorded"]);
    case.run(&["trace", "state", "77777", &shown]).fails(2, &["there is no call 77777"]);
    // The folder can come first. A folder that is a number's name has a path.
    case.run(&["trace", "state", &shown, "77777"]).fails(2, &["there is no call 77777"]);
    case.run(&["trace", "state", &shown, "other.trace"]).fails(2, &["neither", "is the number of a call"]);
    case.run(&["trace", "events", &shown]).is(0, &["#0 "]);
}

/// A method whose code would become too long for the VM is recorded at a lower level.
#[test]
fn a_long_method_is_recorded_at_a_lower_level() {
    let case = Case::new("written");
    let lines: String = (0..6000).map(|n| format!("        x = x * 31 + {n};\n")).collect();
    let long = format!(
        "public class Long {{\n    static int x;\n    public static void main(String[] args) {{\n        int x = 1;\n{lines}        Long.x = x;\n    }}\n}}\n"
    );
    let source = case.work().join("Long.java");
    std::fs::write(&source, long).expect("written");
    let javac = std::process::Command::new("javac")
        .args(["-g", "-d"])
        .arg(case.work().join("classes"))
        .arg(&source)
        .output();
    assert!(javac.expect("javac").status.success());
    let folder = case.mark("trace");
    let mut command = case.qp();
    command.args(["trace", "record", "--level=all", "--out"]).arg(&folder);
    case.run_command(command.args(["--", "java", "-cp", "classes", "Long"])).is(0, &[]);
    let events = exported(&folder, &[]);
    let kinds: Vec<&str> = events.iter().map(|event| text(&event["event"])).collect();
    assert_eq!(kinds, ["enter", "field", "return", "end"]);
    let output = finish(crate::support::qp().args(["trace", "info"]).arg(&folder));
    assert!(said(&output).contains("Long.main is recorded at level writes: "), "{}", said(&output));
}

/// A sequence asks in turns whether there is more, and for it.
#[test]
fn methods_that_take_turns_are_folded() {
    let case = Case::new("written");
    let source = case.work().join("Turns.java");
    let text =
        "class Turns { static int n; static boolean has() { return n < 10; } static void take() { n++; }
        public static void main(String[] a) { while (has()) take(); has(); has(); } }";
    std::fs::write(&source, text).expect("written");
    Javac::new().arg("-d").arg(case.work().join("classes")).arg(&source).run();
    let folder = case.mark("trace").display().to_string();
    let out = format!("--out={folder}");
    case.run(&["trace", "record", "--level=calls", &out, "--", "java", "-cp", "classes", "Turns"]).is(0, &[]);
    // Ten rounds, of which three are shown, and three questions more.
    let calls = case.run(&["trace", "calls", &folder]);
    calls.is(0, &["#6 Turns.take", "… 14 more of Turns.has, Turns.take", "#23 Turns.has() = false"]);
    let said = String::from_utf8_lossy(&calls.output.stdout).into_owned();
    assert_eq!(said.matches("Turns.has()").count(), 6, "{said}");
}

/// The events of a call.
fn events_of(folder: &Path, node: u64, level: &str) -> std::process::Output {
    let number = node.to_string();
    let arguments = ["trace", "events", &number, "--limit=10000", "--format=json", "--level", level];
    finish(crate::support::qp().args(arguments).arg(folder))
}

/// A further run records a call of another thread in more detail; known details need no run.
#[test]
fn what_a_call_of_any_thread_does_is_recorded_later() {
    let case = Case::new("traced");
    for (n, java) in javas().iter().enumerate() {
        let [calls, writes] = ["calls", "writes"].map(|level| case.mark(&format!("{level}{n}")));
        record(&case, java, &calls, &[]);
        record(&case, java, &writes, &["--level=writes"]);
        let names = ["--method=Traced.work", "--all", "--format=json"];
        let output = finish(crate::support::qp().args(["trace", "calls"]).args(names).arg(&calls));
        let tree: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let threads = tree["threads"].as_array().expect("threads");
        assert_eq!(threads.len(), 4);
        let wanted = threads.iter().find(|thread| thread["thread"] == "worker 2").expect("a thread");
        let node = wanted["calls"][0]["node"].as_u64().expect("a number");
        let output = events_of(&calls, node, "writes");
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let later: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(later["thread"], "worker 2");
        let changes = |told: &Value| -> Vec<String> {
            let events = told["events"].as_array().expect("events").iter();
            let told = events.map(|event| match &event["call"] {
                Value::Null => {
                    format!("{} {} {} {}", event["event"], event["line"], event["old"], event["index"])
                }
                call => format!("{} {} {}", call["method"], call["descriptor"], call["below"]),
            });
            told.collect()
        };
        let tree = finish(crate::support::qp().args(["trace", "calls"]).args(names).arg(&writes));
        let tree: Value = serde_json::from_slice(&tree.stdout).expect("JSON");
        let threads = tree["threads"].as_array().expect("threads");
        let there = threads.iter().find(|thread| thread["thread"] == "worker 2").expect("a thread");
        let output = events_of(&writes, there["calls"][0]["node"].as_u64().expect("a number"), "writes");
        let at_once: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(changes(&later), changes(&at_once));
        assert!(changes(&later).len() > 180, "{}", changes(&later).len());
        // A call inside it is also known, without another run.
        let inside = later["events"].as_array().expect("events").iter();
        let inside = inside.filter_map(|event| event["call"]["node"].as_u64()).next().expect("a call");
        std::fs::rename(case.work().join("classes"), case.work().join("gone")).expect("renamed");
        let output = events_of(&calls, inside, "writes");
        std::fs::rename(case.work().join("gone"), case.work().join("classes")).expect("renamed");
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    }
}

#[test]
fn a_program_that_does_something_else_the_second_time_is_not_believed() {
    let case = Case::new("second-thoughts");
    let run = |number: &str| std::fs::write(case.work().join("run"), number).expect("written");
    let folder = case.mark("trace");
    run("1");
    let mut command = case.qp();
    command.args(["trace", "record", "--out"]).arg(&folder);
    case.run_command(command.args(["--", "java", "-cp", "classes", "SecondThoughts"])).is(0, &[]);
    run("4");
    let output = events_of(&folder, 1, "all");
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    for part in [
        "the new run differs from the recorded one: call 1 is another one",
        "qp trace record --level all -- java -cp classes",
    ] {
        assert!(said(&output).contains(part), "{}", said(&output));
    }
    let left = std::fs::read_dir(folder.join("details")).expect("the folder").count();
    assert_eq!(left, 0);
    // Its inner events may differ: both runs called `set` in the same way.
    run("2");
    let output = events_of(&folder, 1, "all");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(told["events"][1]["new"], "1", "{told:#}");
}

#[test]
fn a_file_that_was_cut_off_is_read_up_to_there() {
    let case = Case::new("traced");
    let folder = case.mark("trace");
    record(&case, "java", &folder, &[]);
    let whole = entered(&folder);
    let events = folder.join("events");
    let bytes = std::fs::read(&events).expect("read");
    let calls = |info: &Value| info["calls"].as_u64().expect("a number");
    let all = calls(&info(&folder));
    let mut before = 0;
    for part in 0..=12 {
        let cut = bytes.len() * part / 12;
        std::fs::write(&events, &bytes[..cut]).expect("written");
        let info = info(&folder);
        let now = calls(&info);
        assert!(before <= now && now <= all, "{before} {now} {all}");
        before = now;
        if now == 0 {
            continue;
        }
        for (thread, some) in entered(&folder) {
            let all = &whole[&thread];
            assert!(some.len() <= all.len(), "cut at {cut}: {thread}");
            for (some, all) in some.iter().zip(all) {
                let same = some.iter().zip(all).all(|(some, all)| some == all || is_told_later(some, all));
                assert!(same && some.len() == all.len(), "cut at {cut}: {thread}: {some:?}, {all:?}");
            }
        }
    }
    assert_eq!(before, all);
    let mut broken = bytes.clone();
    let middle = bytes.len() / 2;
    broken[middle] ^= 1;
    std::fs::write(&events, broken).expect("written");
    let info = info(&folder);
    assert!(!info["missing"].as_array().expect("a list").is_empty(), "{info:#}");
}

/// What an object is can have been told by another thread, after the cut: its number is known before.
fn is_told_later(some: &str, all: &str) -> bool {
    some.strip_prefix('?').is_some_and(|number| {
        number.starts_with('@') && (all.starts_with('"') || !all.contains('@') || all.ends_with(number))
    })
}

/// The method and the arguments of each recorded call, in the order of their entries, by thread.
fn entered(folder: &Path) -> BTreeMap<String, Vec<Vec<String>>> {
    fn add(call: &Value, into: &mut Vec<Vec<String>>) {
        let arguments = call["arguments"].as_array().expect("arguments");
        into.push([&call["method"]].into_iter().chain(arguments).map(|of| text(of).to_owned()).collect());
        call["calls"].as_array().into_iter().flatten().for_each(|below| add(below, into));
    }
    let mut threads = BTreeMap::new();
    for thread in call_tree(folder)["threads"].as_array().expect("threads") {
        let calls = threads.entry(text(&thread["thread"]).to_owned()).or_default();
        thread["calls"].as_array().into_iter().flatten().for_each(|call| add(call, calls));
    }
    threads
}

/// The calls of `Endless.step` in a recorded run, which are consecutive.
fn steps(folder: &Path) -> usize {
    let arguments = ["trace", "calls", "--method=Endless.step", "--all", "--format=json"];
    let output = finish(crate::support::qp().args(arguments).arg(folder));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let tree: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let calls = tree["threads"][0]["calls"].as_array().expect("calls").clone();
    for (n, call) in calls.iter().enumerate() {
        assert_eq!(call["arguments"], serde_json::json!([n.to_string()]));
        assert!(call["result"].as_str() == Some(&n.to_string()) || n + 1 == calls.len(), "{call}");
    }
    calls.len()
}

fn kill(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, signal).expect("sent");
}

/// Starts the recording of `Endless` and waits until it runs.
fn endless(case: &Case, folder: &Path) -> std::process::Child {
    let mut command = case.qp();
    command.args(["trace", "record", "--out"]).arg(folder);
    command.args(["--", "java", "-cp", "classes", "Endless"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("qp starts");
    case.wait_until("the program to run", || case.mark("running").exists());
    child
}

#[test]
fn a_vm_that_was_killed_leaves_all_that_it_did() {
    let case = Case::new("endless");
    let folder = case.mark("trace");
    let child = endless(&case, &folder);
    let vm = processes_with(&case.name()).into_iter().find(|(_, command)| command.contains("Endless"));
    let vm = processes_with(&case.name())
        .into_iter()
        .find(|(_, command)| command.contains("agentlib"))
        .or(vm)
        .expect("the VM");
    kill(vm.0, Signal::KILL);
    let output = crate::support::wait(child);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    let info = info(&folder);
    assert_eq!(info["ended"], "killed by signal 9");
    assert!(steps(&folder) > 60_000);
    assert!(!folder.join("rings").exists());
}

#[test]
fn a_qp_that_was_killed_leaves_what_was_written() {
    let case = Case::new("endless");
    let folder = case.mark("trace");
    let mut child = endless(&case, &folder);
    child.kill().expect("killed");
    child.wait().expect("it ends");
    case.wait_until("the program to end with it", || processes_with(&case.name()).is_empty());
    let info = info(&folder);
    assert!(text(&info["missing"][0]).contains("was cut off"), "{info:#}");
    assert!(steps(&folder) > 40_000);
}

#[test]
fn an_interrupted_recording_keeps_what_is_there() {
    let case = Case::new("endless");
    let folder = case.mark("trace");
    let child = endless(&case, &folder);
    kill(child.id(), Signal::INT);
    let output = crate::support::wait(child);
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    assert!(steps(&folder) > 60_000);
    assert_eq!(info(&folder)["ended"], "interrupted");
}

#[test]
fn it_is_read_while_it_grows() {
    let case = Case::new("endless");
    let folder = case.mark("trace");
    let child = endless(&case, &folder);
    let mut before = 0;
    for _ in 0..2 {
        let now = steps(&folder);
        assert!(now > before, "{before} {now}");
        before = now;
    }
    kill(child.id(), Signal::INT);
    crate::support::wait(child);
}

#[test]
fn a_program_that_goes_to_its_limits_does_as_without() {
    for (name, class, option) in
        [("deep-stack", "DeepStack", "-Xss2m"), ("out-of-memory", "OutOfMemory", "-Xmx64m")]
    {
        let case = Case::new(name);
        let mut java = std::process::Command::new("java");
        let alone = finish(java.current_dir(case.work()).args([option, "-cp", "classes", class]));
        let mut command = case.qp();
        command.args(["trace", "record", "--show-output", "--out"]).arg(case.mark("trace"));
        command.args(["--", "java", option, "-cp", "classes", class]);
        let run = case.run_command(&mut command);
        let own = String::from_utf8_lossy(&alone.stdout).into_owned();
        // The depth of the stack depends on the size of its frames, which a recording makes a little larger.
        let letters = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
        for line in own.lines().map(letters) {
            assert!(letters(&run.said()).contains(&line), "{class}: `{line}` is missing in {}", run.said());
        }
        let info = info(&case.mark("trace"));
        assert_eq!(info["ended"], format!("exit code {}", alone.status.code().expect("a code")));
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let case = Case::new("endless");
    let soon = Duration::from_secs(20);
    case.run(&["trace", "info"]).fails(2, &["trace holds no recording", "qp trace record"]).within(soon);
    case.run(&["trace", "calls", "--depth=501"]).fails(2, &["501", "1..=500"]);
    case.run(&["trace", "calls", "none"]).fails(2, &["none holds no recording"]);
    let java = ["java", "-cp", "classes", "Endless"];
    let there = ["trace", "record", "--out=classes", "--"];
    case.run(&[&there[..], &java].concat()).fails(2, &["classes exists already", "--out"]);
    let folder = case.mark("trace");
    let out = format!("--out={}", folder.display());
    let run = case.run(&["trace", "record", &out, "--", "java", "-cp", "classes", "Nowhere"]);
    run.is(1, &["ended with exit code 1", "nothing was recorded", "--scope", "last output"]);
    std::fs::remove_dir_all(&folder).expect("removed");
    let run = case.run(&["trace", "record", &out, "--timeout=2", "--", "java", "-cp", "classes", "Endless"]);
    run.is(4, &["was ended by qp after 2 s"]);
    let shown = folder.display().to_string();
    case.run(&["trace", "calls", &shown, "--node=4000000000"]).fails(2, &["there is no call 4000000000"]);
    case.run(&["trace", "calls", &shown, "--thread=x"]).fails(2, &["no call of a thread `x`", "main"]);
    case.run(&["trace", "events", "4000000000", &shown]).fails(2, &["there is no call 4000000000"]);
    case.run(&["trace", "history", "@1.x", &shown]).fails(2, &["record the run again with `--level writes`"]);
    case.run(&["trace", "history", "x", &shown]).fails(2, &["`x` names no variable", "Rec@7.bar"]);
    let nowhere = "--to=/nowhere/events.jsonl";
    case.run(&["trace", "export", &shown, nowhere]).fails(4, &["/nowhere/events.jsonl"]);
}

#[test]
fn what_the_recorder_could_stand_on_is_recorded_where_a_scope_names_it() {
    // The VM runs code of `java.util` when it looks up a native method for its first call.
    let case = Case::new("asserted");
    let folder = case.mark("trace");
    let out = format!("--out={}", folder.display());
    for scope in ["java.util.**", "java.**"] {
        let record = ["trace", "record", "--level=all", &out, "--scope", scope, "--timeout=60", "--"];
        let run = case.run(&[&record[..], &["java", "-cp", "classes", "Asserted"]].concat());
        run.is(0, &["recorded in", "ended with exit code 0"]);
        let shown = folder.display().to_string();
        let calls = case.run(&["trace", "calls", &shown, "--all", "--method=java.util.HashMap.merge"]);
        calls.is(0, &[".merge(\"b\", "]);
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}

#[test]
fn objects_have_classes_wherever_the_objects_of_these_were_met() {
    let case = Case::new("values_of_jdk");
    let folder = case.mark("trace").display().to_string();
    let out = format!("--out={folder}");
    let record = ["trace", "record", "--level=calls", &out, "--", "java", "-cp", "classes", "Classes"];
    case.run(&record).is(0, &["recorded in"]);
    let calls = case.run(&["trace", "calls", &folder, "--all", "--method=Classes.pass"]);
    let texts = ["pass(Classes.First@", "pass(Classes.Second@", "pass(Long 5000) = Long 5000"];
    calls.is(0, &texts);
    let said = String::from_utf8_lossy(&calls.output.stdout).into_owned();
    assert_eq!(said.matches(".class) = ").count(), 3, "{said}");
    assert!(!said.contains('?'), "{said}");
}
