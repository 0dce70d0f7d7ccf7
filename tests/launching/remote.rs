//! Programs that `qp` does not launch: a command restarts them, and `qp` connects to their VM.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::{Case, Run};
use crate::support::{finish, point, processes_with, said};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use testing::free_port;

const SOON: Duration = Duration::from_secs(30);

/// A remote program: its folder, and the port on which its VM listens.
struct Remote {
    case: Case,
    port: u16,
}

impl Remote {
    fn new() -> Remote {
        Remote { case: Case::new("remote"), port: free_port() }
    }

    /// The command of the program with a debug agent.
    fn java(&self, suspend: &str, how: &str) -> String {
        let agent = format!(
            "-agentlib:jdwp=transport=dt_socket,server=y,suspend={suspend},address=127.0.0.1:{}",
            self.port
        );
        format!("java {agent} -cp classes Remote \"$MARKS\" {how}")
    }

    /// `relaunch` as a script.
    fn relaunch(&self, script: &str) -> String {
        // Each start is counted.
        let script = format!("echo start >>\"$MARKS/starts\"\n{script}");
        format!("relaunch: [\"sh\", \"-c\", {script:?}]")
    }

    /// A debuggee that this script starts.
    fn debuggee(&self, script: &str) -> String {
        self.at(&format!("127.0.0.1:{}", self.port), script)
    }

    /// A debuggee with a VM at this address.
    fn at(&self, address: &str, script: &str) -> String {
        format!(r#"attach: "{address}", {}, classes: ["classes"], timeout_s: 60"#, self.relaunch(script))
    }

    fn line(&self, mark: &str) -> u32 {
        self.case.line("Remote.java", mark)
    }

    fn points(&self) -> String {
        let root = self.line("// <- A");
        format!(
            r#"(id: "A", at: Line("Remote", {root}), when: "amount < 0"), (id: "B", at: LastChange("A(1):reduced")),
               (id: "C", at: LastChange("A:Remote.total"))"#
        )
    }

    fn replay(&self, debuggee: &str) -> Run {
        self.case.replay(debuggee, &self.points(), &["--format", "json"])
    }

    /// Number of starts of the program.
    fn starts(&self) -> usize {
        std::fs::read_to_string(self.case.mark("starts")).unwrap_or_default().lines().count()
    }

    /// Asserts the chain's answer: in two runs, with one start of the program for each.
    fn is_answered(&self, answer: &Value) {
        assert_eq!(point(answer, "B")["line"], self.line("// <- B"), "{answer:#}");
        let total = point(answer, "C");
        assert_eq!(total["line"], self.line("// <- C"), "{answer:#}");
        assert_eq!((&total["old"], &total["new"]), (&json!("14"), &json!("12")));
        assert_eq!((&answer["runs"], self.starts()), (&json!(2), 2), "{answer:#}");
    }
}

/// A script that starts a command in the background and ends.
fn background(java: &str) -> String {
    format!("setsid {java} >\"$MARKS/log\" 2>&1 &\necho $! >\"$MARKS/pid\"")
}

/// A script whose command outlives its run, as on another machine. It ends the previous one.
fn surviving(java: &str) -> String {
    let end = "old=$(cat \"$MARKS/pid\" 2>/dev/null)\n\
               for i in 1 2 3 4 5; do kill -9 ${old:-} 2>/dev/null || break; sleep 0.2; done";
    format!("{end}\nunset QUERYPOINT_GROUP\n{}", background(java))
}

/// The process that such a script started last. It ends with the test.
struct Survivor<'a>(&'a Remote);

impl Survivor<'_> {
    fn pid(&self) -> Option<u32> {
        std::fs::read_to_string(self.0.case.mark("pid")).ok()?.trim().parse().ok()
    }

    fn runs(&self) -> bool {
        let of_case = processes_with(&self.0.case.name());
        of_case.iter().any(|(pid, command)| Some(*pid) == self.pid() && command.contains("Remote"))
    }
}

impl Drop for Survivor<'_> {
    fn drop(&mut self) {
        if self.runs()
            && let Some(pid) = self.pid().and_then(|p| i32::try_from(p).ok()).and_then(Pid::from_raw)
        {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

#[test]
fn the_answer_is_that_of_a_program_launched_here() {
    let remote = Remote::new();
    let launched = remote.case.replay(
        r#"command: ["sh", "-c", "java -cp classes Remote \"$MARKS\" 0"], classes: ["classes"]"#,
        &remote.points(),
        &["--format", "json"],
    );
    let expected = launched.is(0, &[]).answer();
    let java = remote.java("y", "0");
    for script in [background(&java), java.clone(), format!("exec {java}")] {
        std::fs::write(remote.case.mark("starts"), "").expect("written");
        let run = remote.replay(&remote.debuggee(&script));
        let answer = run.is(0, &[]).answer();
        remote.is_answered(&answer);
        assert_eq!(answer["points"], expected["points"], "{script}");
    }
}

#[test]
fn what_the_command_prints_is_shown_and_before_run_comes_first() {
    let remote = Remote::new();
    let debuggee = format!(
        r#"{}, before_run: ["sh", "-c", "test ! -e \"$MARKS/starts\" && echo prepared >\"$MARKS/prepared\""]"#,
        remote.debuggee(&format!("cat \"$MARKS/prepared\"\n{}", remote.java("y", "0")))
    );
    let points = format!(r#"(id: "A", at: Line("Remote", {}))"#, remote.line("// <- A"));
    let run = remote.case.replay(&debuggee, &points, &["--show-output"]);
    run.is(0, &["run 1 | prepared"]);
}

#[test]
fn a_program_goes_on_until_the_next_relaunch_ends_it() {
    let remote = Remote::new();
    let survivor = Survivor(&remote);
    let file = remote.case.chain(&remote.debuggee(&surviving(&remote.java("y", "stay"))), &remote.points());
    let output = finish(remote.case.qp().arg("replay").arg(&file).args(["--format", "json"]));
    let answer: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    remote.is_answered(&answer);
    // The program of the first run was ended. That of the last continues, free of its debugger.
    assert!(survivor.runs(), "{}", said(&output));
    let living = processes_with(&remote.case.name());
    assert_eq!(living.len(), 1, "{living:?}");
    std::fs::write(remote.case.mark("stop"), "").expect("written");
    remote.case.wait_until("the end of the program", || remote.case.mark("done").exists());
}

#[test]
fn the_vm_of_the_run_before_is_not_taken_for_a_new_one() {
    // It listens again while the command of the second run is still busy, in front or in the background.
    let remote = Remote::new();
    for front in [false, true] {
        let survivor = Survivor(&remote);
        std::fs::write(remote.case.mark("starts"), "").expect("written");
        let slow = format!("test -e \"$MARKS/pid\" && sleep 2\n{}", surviving(&remote.java("y", "stay")));
        let script = if front { format!("{slow}\nwait") } else { slow };
        let file = remote.case.chain(&remote.debuggee(&script), &remote.points());
        let output = finish(remote.case.qp().arg("replay").arg(&file).args(["--format", "json"]));
        let answer: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
        remote.is_answered(&answer);
        assert!(survivor.runs());
    }
}

#[test]
fn a_vm_that_waited_before_is_not_taken_when_the_command_ends_it() {
    // It waits at its start like a new one, but the command is about to end it.
    let remote = Remote::new();
    let new = surviving(&remote.java("y", "stay"));
    for script in [format!("sleep 2\n{new}"), format!("sleep 2\n{new}\nwait")] {
        let survivor = Survivor(&remote);
        // The log of the VM before says "Listening" too, until the new one truncates it.
        let _ = std::fs::remove_file(remote.case.mark("log"));
        let old = surviving(&remote.java("y", "stay").replace("-cp", "-Dstart=100 -cp"));
        let of_qp = remote.case.qp();
        let of_case = of_qp.get_envs().filter_map(|(name, value)| Some((name, value?)));
        let mut shell = Command::new("sh");
        shell.args(["-c", &old]).current_dir(remote.case.work()).envs(of_case);
        assert!(shell.status().expect("sh").success());
        remote.case.wait_until("the first VM", || {
            std::fs::read_to_string(remote.case.mark("log")).is_ok_and(|log| log.contains("Listening"))
        });
        let points = format!(
            r#"(id: "A", at: Line("Remote", {})), (id: "C", at: LastChange("A:Remote.total"))"#,
            remote.line("// <- A")
        );
        let file = remote.case.chain(&remote.debuggee(&script), &points);
        let output = finish(remote.case.qp().arg("replay").arg(&file).args(["--format", "json"]));
        let answer: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
        assert_eq!(point(&answer, "C")["new"], "12", "{answer:#}");
        assert!(survivor.runs());
    }
}

#[test]
fn a_tunnel_that_leads_nowhere_yet_is_waited_for() {
    let remote = Remote::new();
    let tunnel = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = tunnel.local_addr().expect("bound");
    let target = remote.port;
    std::thread::spawn(move || {
        for stream in tunnel.incoming() {
            let Ok(near) = stream else { return };
            let Ok(far) = TcpStream::connect(("127.0.0.1", target)) else { continue };
            let (near_too, far_too) = (near.try_clone().unwrap(), far.try_clone().unwrap());
            std::thread::spawn(move || pass(near, far));
            std::thread::spawn(move || pass(far_too, near_too));
        }
    });
    let script = format!("sleep 0.5\n{}", background(&remote.java("y", "0")));
    let run = remote.replay(&remote.at(&address.to_string(), &script));
    remote.is_answered(&run.is(0, &[]).answer());
}

fn pass(mut from: TcpStream, mut to: TcpStream) {
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
}

#[test]
fn a_port_on_which_nothing_listens_is_told() {
    let remote = Remote::new();
    let debuggee = remote.debuggee("echo started nothing").replace("timeout_s: 60", "timeout_s: 2");
    let address = format!("no VM waits at its start on 127.0.0.1:{}", remote.port);
    remote
        .replay(&debuggee)
        .fails(
            4,
            &[
                &address,
                "no connection within 2 s",
                "refused",
                "suspend=y",
                "ended with exit code 0",
                "started nothing",
            ],
        )
        .within(SOON);
}

#[test]
fn a_command_that_fails_is_told() {
    let remote = Remote::new();
    let texts = ["`relaunch` failed with exit code 3", "no such service", "run it by hand"];
    remote.replay(&remote.debuggee("echo no such service >&2; exit 3")).fails(4, &texts).within(SOON);
    let missing =
        format!(r#"attach: "127.0.0.1:{}", relaunch: ["./no-such.sh"], classes: ["classes"]"#, remote.port);
    remote.replay(&missing).fails(4, &["`relaunch`: `./no-such.sh` was not found"]);
}

#[test]
fn a_vm_that_runs_already_is_refused() {
    let remote = Remote::new();
    let texts = ["was already running, so its earlier events are lost", "start it with `suspend=y`"];
    for script in [background(&remote.java("n", "stay")), remote.java("n", "stay")] {
        remote.replay(&remote.debuggee(&script)).fails(4, &texts).within(SOON);
    }
}

#[test]
fn what_is_no_debug_agent_is_told() {
    let remote = Remote::new();
    let other = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = other.local_addr().expect("bound");
    std::thread::spawn(move || {
        for stream in other.incoming() {
            let _ = stream.map(|mut s| s.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
        }
    });
    let run = remote.replay(&remote.at(&address.to_string(), "true"));
    run.fails(4, &["the process that answers there is not a debug agent"]).within(SOON);
}

#[test]
fn a_host_without_an_address_is_told_before_anything_starts() {
    let remote = Remote::new();
    let run = remote.replay(&remote.at("no-such-host.invalid:5005", "true"));
    run.fails(4, &["`attach`: the host `no-such-host.invalid` cannot be found"]);
    assert_eq!(remote.starts(), 0);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let remote = Remote::new();
    let port = remote.port;
    for (debuggee, text) in [
        (r#"attach: "localhost", relaunch: ["true"]"#.to_owned(), "is not HOST:PORT"),
        (format!(r#"attach: "localhost:{port}""#), "`attach` needs `relaunch`"),
        (
            format!(r#"attach: "localhost:{port}", command: ["java", "X"]"#),
            "`command` does not go with `attach`",
        ),
        (r#"relaunch: ["true"]"#.to_owned(), "there is no `attach`"),
        (format!(r#"attach: "localhost:{port}", relaunch: ["true"], stdin: "x""#), "cannot be fed"),
        (
            format!(r#"attach: "localhost:{port}", relaunch: ["true"], jvm: "X""#),
            "`jvm` does not go with `attach`",
        ),
    ] {
        remote.replay(&debuggee).fails(2, &[text]);
    }
    let why = ["why", "--at", "Remote:3", "--attach", "localhost:0", "--", "true"];
    remote.case.run(&why).fails(2, &["`0` is no port"]);
    let no_class = format!(r#"attach: "localhost:{port}", relaunch: ["true"]"#);
    remote.replay(&no_class).fails(2, &["no class `Remote` in `classes`", "are read from copies here"]);
}

#[test]
fn other_classes_than_those_of_the_program_are_refused() {
    let remote = Remote::new();
    let work = remote.case.work();
    let source = std::fs::read_to_string(work.join("Remote.java")).expect("read");
    let other = work.join("other");
    std::fs::create_dir(&other).expect("a folder");
    std::fs::write(other.join("Remote.java"), source.replace("total += amount", "total += 2 * amount"))
        .expect("written");
    let javac = Command::new("javac").args(["-g", "Remote.java"]).current_dir(&other).output();
    assert!(javac.expect("javac").status.success());
    let debuggee =
        remote.debuggee(&remote.java("y", "0")).replace(r#"classes: ["classes"]"#, r#"classes: ["other"]"#);
    let run = remote.replay(&debuggee);
    let answer = run.is(3, &[]).answer();
    let reason = point(&answer, "A")["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("other/Remote.class is not the class that was loaded by"), "{reason}");
    assert!(reason.ends_with("deploy these, or copy its own to where `classes` says"), "{reason}");
}

#[test]
fn the_exit_code_is_that_of_the_program_where_it_is_known() {
    let remote = Remote::new();
    let points = format!(r#"(id: "A", at: Line("Remote", {}), when: "amount < -9")"#, remote.line("// <- A"));
    let reason = |script: &str| {
        let run = remote.case.replay(&remote.debuggee(script), &points, &["--format", "json"]);
        point(&run.is(3, &[]).answer(), "A")["reason"].as_str().expect("a reason").to_owned()
    };
    let front = reason(&remote.java("y", "7"));
    assert!(front.contains("the program ended with exit code 7"), "{front}");
    // The command's exit code is not the program's.
    let back = reason(&background(&remote.java("y", "7")));
    assert!(back.ends_with("(the program ended)"), "{back}");
    let killed =
        format!("{}\n(sleep 1; kill -9 $!) >\"$MARKS/killer\" 2>&1 &", background(&remote.java("y", "stay")));
    let lost = reason(&killed);
    assert!(lost.contains("the VM broke off without saying that it ends"), "{lost}");
    // So a check does not count it as a success.
    let chain = remote.case.chain(&remote.debuggee(&background(&remote.java("y", "0"))), &points);
    let text =
        std::fs::read_to_string(&chain).expect("read").replace("format: 1,", "format: 1, guards: Absent,");
    std::fs::write(&chain, text).expect("written");
    remote.case.run(&["check", "chain.ron"]).is(2, &["name an `alive` point"]);
}

#[test]
fn an_interrupt_ends_the_waiting() {
    let remote = Remote::new();
    let debuggee = remote.debuggee("touch \"$MARKS/waits\"; sleep 60");
    let file = remote.case.chain(&debuggee, &remote.points());
    let mut command = remote.case.qp();
    command.arg("replay").arg(file);
    let run = remote.case.interrupted(&mut command, Signal::INT, || remote.case.mark("waits").exists());
    run.is(130, &[]).within(SOON);
}

/// Runs a script. Returns the reply to each line.
fn session(command: &mut Command, script: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("script");
    std::fs::write(&file, script).expect("written");
    let output = finish(command.stdin(File::open(&file).expect("a script")));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", said(&output));
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

#[test]
fn a_session_goes_to_a_point_of_a_remote_program() {
    let remote = Remote::new();
    let script = background(&remote.java("y", "0"));
    let mut command = remote.case.qp();
    command.args(["debug", "--format", "json", "--classes", "classes", "--attach"]);
    command.arg(format!("127.0.0.1:{}", remote.port)).args(["--", "sh", "-c", &script]);
    let line = remote.line("// <- A");
    let lines = format!(
        "break Remote:{line} when amount < 0\nrun\nprint amount + total\nwhy Remote.total\ngoto B\nprint amount\n\
         print Remote.total\nframes\ngoto A\nsave saved.ron\n"
    );
    let replies = session(&mut command, &lines);
    let content = |n: usize| &replies[n]["content"];
    assert_eq!(content(1)["ran"]["standing"]["place"]["line"], line, "{replies:#?}");
    assert_eq!(content(2)["value"], "10", "{replies:#?}");
    assert_eq!(point(&content(3)["ran"]["answer"], "B")["line"], remote.line("// <- C"));
    assert_eq!(content(4)["standing"]["place"]["line"], remote.line("// <- C"), "{replies:#?}");
    assert_eq!((&content(5)["value"], &content(6)["value"]), (&json!("-2"), &json!("14")));
    // Run 3 was halted at B and went on to A.
    assert_eq!(content(8)["settled"], json!([{"point": "B", "confirmed": true, "instead": null}]));
    assert_eq!(content(8)["standing"]["run"], 3, "{replies:#?}");
    let left = processes_with(&remote.case.name());
    assert!(left.is_empty(), "{left:?}");
    let saved = std::fs::read_to_string(remote.case.work().join("saved.ron")).expect("saved");
    assert!(saved.contains(&format!("attach: \"127.0.0.1:{}\"", remote.port)), "{saved}");
    let run = remote.case.run(&["replay", "saved.ron", "--format", "json"]);
    assert_eq!(point(&run.is(0, &[]).answer(), "B")["new"], "12");
}

#[test]
fn a_program_that_was_held_goes_on_when_the_session_ends() {
    let remote = Remote::new();
    let survivor = Survivor(&remote);
    let script = surviving(&remote.java("y", "stay"));
    let debuggee = remote.debuggee(&script);
    remote.case.chain(&debuggee, &remote.points());
    let mut command = remote.case.qp();
    command.args(["debug", "--format", "json", "chain.ron"]);
    let replies = session(&mut command, "run\nprint amount\n");
    assert_eq!(replies[1]["content"]["value"], "-2", "{replies:#?}");
    assert!(survivor.runs());
    std::fs::write(remote.case.mark("stop"), "").expect("written");
    remote.case.wait_until("the end of the program", || remote.case.mark("done").exists());
}

#[test]
fn one_question_is_asked_and_saved_without_what_stdin_holds() {
    let remote = Remote::new();
    let script = background(&remote.java("y", "0"));
    let (at, address) = (format!("Remote:{}", remote.line("// <- A")), format!("127.0.0.1:{}", remote.port));
    let input = remote.case.mark("input");
    std::fs::write(&input, "typed\n").expect("written");
    let mut command = remote.case.qp();
    command.args(["why", "reduced", "--at", &at, "--classes", "classes", "--attach", &address]);
    command
        .args(["--save", "saved.ron", "--", "sh", "-c", &script])
        .stdin(File::open(&input).expect("input"));
    // A variable of another method is refused, and nothing was started for it.
    let output = finish(&mut command);
    assert_eq!((output.status.code(), remote.starts()), (Some(2), 0), "{}", said(&output));
    let mut command = remote.case.qp();
    command.args(["why", "total", "--at", &at, "--classes", "classes", "--attach", &address]);
    command
        .args(["--save", "saved.ron", "--", "sh", "-c", &script])
        .stdin(File::open(&input).expect("input"));
    let output = finish(&mut command);
    assert!(output.status.success() && said(&output).contains("14 → 12"), "{}", said(&output));
    let saved = std::fs::read_to_string(remote.case.work().join("saved.ron")).expect("saved");
    assert!(
        saved.contains("relaunch: [") && !saved.contains("stdin") && !saved.contains("command"),
        "{saved}"
    );
    remote.case.run(&["replay", "saved.ron"]).is(0, &["2 of 2 points located in 1 run"]);
    remote.case.run(&["explain", "saved.ron"]).is(0, &["Remote.total"]);
}

#[test]
fn a_remote_server_is_driven_and_let_go() {
    // `qp` watches its port. When `drive` has finished the run is over, and the server continues.
    let case = Case::new("server");
    let (debug, port) = (free_port(), free_port());
    let agent = format!("-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:{debug}");
    let script = format!(
        "java {agent} -cp classes Server serve {port} >\"$MARKS/log\" 2>&1 & echo $! >\"$MARKS/pid\""
    );
    let chain = |words: &str| -> PathBuf {
        let line = |mark| case.line("Server.java", mark);
        let file = case.chain(
            &format!(
                r#"attach: "127.0.0.1:{debug}", relaunch: ["sh", "-c", {script:?}], classes: ["classes"],
                   ready: Port({port}), drive: ["java", "-cp", "classes", "Server", "ask", "{port}", {words}], timeout_s: 60"#
            ),
            &format!(
                r#"(id: "A", at: Line("Server", {})), (id: "B", at: LastChange("A:Server.total")),
                   (id: "S", at: Line("Server", {}))"#,
                line("// <- A"),
                line("// <- S")
            ),
        );
        let text = std::fs::read_to_string(&file).expect("read");
        std::fs::write(&file, text.replace("format: 1,", r#"format: 1, guards: Absent, alive: "S","#))
            .expect("written");
        file
    };
    chain(r#""one", "two""#);
    case.run(&["check", "chain.ron"]).is(0, &["passed"]).within(SOON);
    chain(r#""one", "bug""#);
    let run = case.run(&["replay", "chain.ron", "--format", "json"]);
    let answer = run.is(0, &[]).answer();
    assert_eq!(point(&answer, "B")["new"], "-1", "{answer:#}");
}

#[test]
fn chains_that_attach_to_one_port_wait_for_each_other() {
    let remote = Remote::new();
    let debuggee = remote.debuggee(&background(&remote.java("y", "0")));
    let points = remote.points();
    for folder in ["one", "two"] {
        let folder = remote.case.work().join(folder);
        std::fs::create_dir(&folder).expect("a folder");
        let text =
            debuggee.replace("-cp classes", "-cp ../classes").replace(r#"["classes"]"#, r#"["../classes"]"#);
        std::fs::write(
            folder.join("chain.ron"),
            format!("(format: 1, debuggee: ({text}), points: [{points}])"),
        )
        .expect("written");
    }
    let files = ["one/chain.ron", "two/chain.ron"];
    remote.case.run(&["check", "--jobs", "2", files[0], files[1]]).is(0, &["2 of 2 chains passed"]);
}

/// The guide's script, with the port and the program of this test.
#[test]
fn the_script_of_the_guide_does_what_it_says() {
    let guide = std::fs::read_to_string(crate::support::root().join("docs/guide.md")).expect("read");
    let (_, after) = guide.split_once("## Remote programs").expect("the section");
    let (_, after) = after.split_once("```sh\n").expect("the script");
    let (script, _) = after.split_once("```").expect("its end");
    let remote = Remote::new();
    for told in ["5005", "shop.Main"] {
        assert!(script.contains(told), "{told}");
    }
    let script =
        script.replace("5005", &remote.port.to_string()).replace("shop.Main", "Remote \"$MARKS\" stay");
    // As on another machine, where the mark of a run does not arrive.
    let script = script.replacen(
        '\n',
        "\nunset QUERYPOINT_GROUP; cd \"$MARKS\"; ln -sf \"$OLDPWD/classes\" .; echo start >>starts\n",
        1,
    );
    let file = remote.case.work().join("restart.sh");
    std::fs::write(&file, script).expect("written");
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("made executable");
    let chain =
        format!(r#"attach: "localhost:{}", relaunch: ["./restart.sh"], classes: ["classes"]"#, remote.port);
    let chain = remote.case.chain(&chain, &remote.points());
    let output = finish(remote.case.qp().arg("replay").arg(chain).args(["--format", "json"]));
    let answer: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    remote.is_answered(&answer);
    let living = processes_with(&remote.case.name());
    assert_eq!(living.len(), 1, "that of the first run was ended: {living:?}");
    std::fs::write(remote.case.mark("stop"), "").expect("written");
    remote.case.wait_until("the end of the program", || processes_with(&remote.case.name()).is_empty());
}
