//! Files from others are code: `qp` runs nothing from a chain or a recording unless this user wrote it with
//! `qp` or allowed it.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::{Case, Run};
use crate::support::said;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A separate user who trusts nothing yet.
fn stranger(case: &Case) -> Command {
    let mut command = case.qp();
    command.env_remove("QUERYPOINT_TRUST").env("XDG_DATA_HOME", case.mark("data"));
    command
}

/// Each command of the chain leaves a mark when it runs.
const MARKING: &str = r#"build: ["sh", "-c", "echo built >>\"$MARKS/ran\""],
    before_run: ["sh", "-c", "echo before >>\"$MARKS/ran\""],
    command: ["java", "-cp", "classes", "Traced"]"#;

/// The line that changes `sum` in the first call of `add`.
fn line(case: &Case) -> usize {
    let text = std::fs::read_to_string(case.work().join("Traced.java")).expect("read");
    let at = text.lines().position(|line| line.trim() == "sum += result;");
    at.expect("the line") + 1
}

fn points(case: &Case) -> String {
    format!(r#"(id: "A", at: Line("Traced", {}))"#, line(case))
}

fn ran(case: &Case) -> String {
    std::fs::read_to_string(case.mark("ran")).unwrap_or_default()
}

fn run(case: &Case, arguments: &[&str]) -> Run {
    case.run_command(stranger(case).args(arguments))
}

#[test]
fn nothing_of_a_foreign_chain_is_run() {
    let case = Case::new("traced");
    case.chain(MARKING, &points(&case));
    let wants =
        ["was not written by your qp", "build sh -c", "command java -cp classes Traced", "say --trust"];
    run(&case, &["replay", "chain.ron"]).fails(2, &wants);
    run(&case, &["explain", "--build", "chain.ron"]).fails(2, &wants);
    run(&case, &["explain", "--cost", "chain.ron"]).fails(2, &wants);
    run(&case, &["debug", "chain.ron"]).fails(2, &wants);
    run(&case, &["check", "chain.ron"]).is(2, &["was not written by your qp", "0 of 1 chains passed"]);
    run(&case, &["bisect", "chain.ron"]).is(125, &["unknown: chain.ron was not written by your qp"]);
    let mut debug = stranger(&case);
    debug.args(["debug", "--", "java", "-cp", "classes", "Traced"]);
    std::fs::write(case.mark("script"), "load chain.ron\nrun\n").expect("written");
    debug.stdin(File::open(case.mark("script")).expect("opened"));
    case.run_command(&mut debug).is(2, &["chain.ron was not written by your qp"]);
    assert_eq!(ran(&case), "");
    // A command that only shows something runs nothing and asks nobody. It reports that the build is due.
    run(&case, &["explain", "chain.ron"]).is(0, &["Traced.add", "the build is due, and was not run"]);
    assert_eq!(ran(&case), "");
    run(&case, &["explain", "--build", "--trust", "chain.ron"]).is(0, &["Traced.add"]);
    assert_eq!(ran(&case), "built\n");
    run(&case, &["replay", "--trust", "chain.ron"]).is(0, &["1 of 1 points located"]);
    assert_eq!(ran(&case), "built\nbefore\n");
    run(&case, &["check", "--trust", "chain.ron"]).is(0, &["1 of 1 chains passed"]);
    // That permission was for once.
    run(&case, &["replay", "chain.ron"]).fails(2, &wants);
}

#[test]
fn folders_can_be_trusted() {
    let case = Case::new("traced");
    case.chain(r#"command: ["java", "-cp", "classes", "Traced"]"#, &points(&case));
    let elsewhere = case.mark("elsewhere");
    std::fs::create_dir(&elsewhere).expect("made");
    let trusting = |folders: &[&Path]| {
        let mut command = stranger(&case);
        command.env("QUERYPOINT_TRUST", std::env::join_paths(folders).expect("joined"));
        case.run_command(command.args(["replay", "chain.ron"]))
    };
    trusting(&[&elsewhere]).fails(2, &["was not written by your qp"]);
    trusting(&[Path::new("")]).fails(2, &["was not written by your qp"]);
    trusting(&[&elsewhere, &case.work()]).is(0, &["1 of 1 points located"]);
}

#[test]
fn control_characters_of_a_chain_do_not_reach_the_terminal() {
    let case = Case::new("traced");
    case.chain(r#"command: ["java", "\u{1b}[2K\r", "Traced"]"#, &points(&case));
    let run = run(&case, &["replay", "chain.ron"]);
    assert!(!run.said().contains('\u{1b}'), "{}", run.said());
    run.fails(2, &["'\\u{1b}[2K\\r'"]);
}

fn save(case: &Case, file: &str) {
    let at = format!("--at=Traced:{}", line(case));
    let mut command = stranger(case);
    command.args(["why", "result", &at, "--save", file, "--", "java", "-cp", "classes", "Traced"]);
    let output = crate::support::finish(&mut command);
    assert!(case.work().join(file).is_file(), "{}", said(&output));
}

#[test]
fn a_chain_that_qp_has_written_is_its_users_own() {
    let case = Case::new("traced");
    save(&case, "own.ron");
    let file = case.work().join("own.ron");
    run(&case, &["check", "own.ron"]).is(0, &["1 of 1 chains passed"]);
    // Its questions may be edited; its commands may not.
    let text = std::fs::read_to_string(&file).expect("read");
    let edited = text.replace("points: [", "points: [\n        (id: \"Z\", at: Entry(\"Traced.main\")),");
    assert_ne!(text, edited);
    std::fs::write(&file, &edited).expect("written");
    run(&case, &["replay", "own.ron"]).is(0, &["Traced.main"]);
    for (old, new) in [
        ("\"Traced\"]", "\"Traced\", \"more\"]"),
        ("points: [", "points: [(id: \"Y\", at: Line(\"Traced\", 1), when: \"System.getenv() == null\"),"),
    ] {
        let changed = text.replacen(old, new, 1);
        assert_ne!(changed, text);
        std::fs::write(&file, changed).expect("written");
        run(&case, &["replay", "own.ron"]).fails(2, &["own.ron was not written by your qp"]);
    }
    // The same command runs other files elsewhere.
    std::fs::create_dir(case.mark("elsewhere")).expect("made");
    let copy = case.mark("elsewhere/own.ron");
    std::fs::write(&copy, &text).expect("written");
    run(&case, &["replay", &copy.display().to_string()]).fails(2, &["was not written by your qp"]);
    // Another user, with another key.
    std::fs::write(&file, &text).expect("written");
    let mut other = stranger(&case);
    other.env("XDG_DATA_HOME", case.mark("other")).args(["replay", "own.ron"]);
    case.run_command(&mut other).fails(2, &["was not written by your qp"]);
    // A key that others could read does not count.
    let key = case.mark("data/querypoint/key");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    std::fs::set_permissions(&key, open).expect("set");
    run(&case, &["replay", "own.ron"]).fails(2, &["was not written by your qp"]);
}

fn record(case: &Case) -> PathBuf {
    let folder = case.mark("trace");
    let mut command = stranger(case);
    command.args(["trace", "record", "--trust=Log", "--out"]).arg(&folder);
    case.run_command(command.args(["--", "java", "-cp", "classes", "Traced"])).is(0, &["recorded in"]);
    folder
}

#[test]
fn a_foreign_recording_is_read_and_not_run() {
    let case = Case::new("traced");
    let folder = record(&case);
    let name = folder.display().to_string();
    let events = ["trace", "events", "0", "--level=writes", &name];
    run(&case, &events).is(0, &["write"]);
    std::fs::remove_dir_all(folder.join("details")).expect("removed");
    // Somebody has changed it.
    let (java, about) = (case.mark("java"), folder.join("about.json"));
    std::fs::write(&java, "#!/bin/sh\necho evil >>\"$MARKS/ran\"\n").expect("written");
    std::fs::set_permissions(&java, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("set");
    let text = std::fs::read_to_string(&about).expect("read");
    let changed = text.replacen("\"java\"", &format!("{:?}", java.display().to_string()), 1);
    assert_ne!(text, changed);
    std::fs::write(&about, changed).expect("written");
    run(&case, &["trace", "calls", &name]).is(0, &["Traced.main"]);
    let wants = ["was not written by your qp", "command", "say --trust"];
    run(&case, &events).fails(2, &wants);
    run(&case, &["trace", "step", "0", "--level=writes", &name]).fails(2, &wants);
    run(&case, &["trace", "state", "0", "--level=writes", &name]).is(2, &[]);
    run(&case, &["diagnose", "--format=json", "--reference=classes", &name]).fails(2, &wants);
    // A chain made from it is not this user's own.
    run_leaving(&case, &["trace", "as-chain", "0", "--save", "made.ron", &name]);
    run(&case, &["replay", "made.ron"]).fails(2, &["made.ron was not written by your qp"]);
    assert_eq!(ran(&case), "");
    run(&case, &["trace", "events", "0", "--level=writes", "--trust", &name]);
    assert_eq!(ran(&case), "evil\n");
}

#[test]
fn a_foreign_chain_is_not_run_to_find_its_points() {
    let case = Case::new("traced");
    let folder = record(&case).display().to_string();
    case.chain(MARKING, &points(&case));
    // Nothing runs, so nobody is asked.
    run(&case, &["trace", "find", "chain.ron", &folder]).is(1, &["A", "--level all"]);
    run(&case, &["replay", "chain.ron", "--in", &folder]).fails(4, &["A has no answer", "--level all"]);
    assert_eq!(ran(&case), "");
}

fn run_leaving(case: &Case, arguments: &[&str]) {
    let output = crate::support::finish(stranger(case).args(arguments));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

/// The output of a command at a terminal where somebody types an answer.
fn at_a_terminal(mut qp: Command, answer: &str) -> (Option<i32>, String) {
    let mut master = File::from(openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal"));
    grantpt(&master).expect("granted");
    unlockpt(&master).expect("unlocked");
    let name = ptsname(&master, Vec::new()).expect("a name").into_string().expect("a path");
    let line = || File::options().read(true).write(true).open(&name).expect("opened");
    let mut command = Command::new("setsid");
    command.args(["--wait", "--ctty"]).arg(qp.get_program()).args(qp.get_args());
    for (name, value) in qp.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.current_dir(qp.get_current_dir().expect("a folder"));
    qp.stdin(Stdio::null());
    let mut child = command.stdin(line()).stdout(line()).stderr(line()).spawn().expect("qp starts");
    drop(command);
    master.write_all(answer.as_bytes()).expect("typed");
    let mut seen = Vec::new();
    // The terminal closes with its last process: reading fails instead of ending.
    let mut buffer = [0; 4096];
    while let Ok(n @ 1..) = master.read(&mut buffer) {
        seen.extend_from_slice(buffer.get(..n).unwrap_or_default());
    }
    let status = child.wait().expect("waited");
    (status.code(), String::from_utf8_lossy(&seen).into_owned())
}

#[test]
fn a_person_is_asked_once() {
    let case = Case::new("traced");
    case.chain(MARKING, &points(&case));
    let replay = || {
        let mut command = stranger(&case);
        command.args(["replay", "chain.ron", "--color=never"]);
        command
    };
    let (code, seen) = at_a_terminal(replay(), "n\n");
    assert!(seen.contains("command    java -cp classes Traced") && seen.contains("Run them?"), "{seen}");
    assert!(seen.contains("chain.ron was not run"), "{seen}");
    assert_eq!((code, ran(&case)), (Some(2), String::new()));
    let (code, seen) = at_a_terminal(replay(), "y\n");
    assert!(seen.contains("1 of 1 points located"), "{seen}");
    assert_eq!((code, ran(&case)), (Some(0), "built\nbefore\n".to_owned()));
    // The answer stays valid, also without a terminal.
    case.run_command(&mut replay()).is(0, &["1 of 1 points located"]);
    let text = std::fs::read_to_string(case.work().join("chain.ron")).expect("read");
    std::fs::write(case.work().join("chain.ron"), text.replace("echo before", "echo other"))
        .expect("written");
    case.run_command(&mut replay()).fails(2, &["was not written by your qp"]);
}
