//! VMs that die, hang, talk too much, multiply or are no VMs; and interrupts in every phase of `qp`. Expected
//! however it ends: the exit code of DESIGN §7, an answer or a clear error, and no process, port or file left
//! behind.

#![allow(clippy::expect_used, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use crate::support::{point, processes_with, unwrapped};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Ending a run takes a few seconds at most: the grace period for a program that ignores signals, on a busy
/// machine.
const SOON: Duration = Duration::from_secs(20);

fn root(class: &str, line: u32) -> String {
    format!(r#"(id: "A", at: Line("{class}", {line}))"#)
}

fn java(class: &str) -> String {
    format!(r#"command: ["java", "-cp", "classes", "{class}"]"#)
}

/// A `command` that runs a script of `sh`, or of `bash` if it must open a socket.
fn script(shell: &str, text: &str) -> String {
    format!(r##"command: ["{shell}", "-c", r#"{text}"#]"##)
}

fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, signal).expect("sent");
}

fn reason(answer: &Value) -> String {
    point(answer, "A")["reason"].as_str().unwrap_or_default().to_owned()
}

/// A `qp replay` of a chain that the test will interrupt.
fn replay(case: &Case, debuggee: &str, points: &str) -> Command {
    let file = case.chain(debuggee, points);
    let mut command = case.qp();
    command.args(["replay", "--format=json"]).arg(file);
    command
}

#[test]
fn a_vm_exits_before_main() {
    let case = Case::new("exits-at-once");
    let points = root("ExitsAtOnce", case.line("ExitsAtOnce.java", "// <- A"));
    let run = case.replay(&java("ExitsAtOnce"), &points, &["--format=json"]);
    let answer = run.is(3, &[]).answer();
    assert_eq!(answer["outcome"], "root-not-reached");
    assert!(reason(&answer).contains("exit code 7"), "{answer:#}");
    assert_eq!(answer["last_output"], serde_json::json!(["giving up"]));
    let run = case.replay(&java("ExitsAtOnce"), &points, &[]);
    run.is(3, &["exit code 7", "The program's last output: giving up"]);
    // The main class is missing, but the class in question exists.
    let run = case.replay(&java("Exits"), &points, &[]);
    run.is(3, &["ended with exit code 1", "Could not find or load main class Exits"]);
    let unknown = r#"command: ["java", "-XX:NoSuchFlag", "-cp", "classes", "ExitsAtOnce"]"#;
    let run = case.replay(unknown, &points, &[]);
    run.fails(4, &["ended with exit code 1 before its VM connected", "Unrecognized VM option 'NoSuchFlag'"]);
    let run = case.replay(&script("sh", "echo no VM here"), &points, &[]);
    run.fails(
        4,
        &["ended with exit code 0 before its VM connected", "no VM here", "write the `java` command itself"],
    );
}

#[test]
fn a_vm_is_killed_in_the_middle() {
    let case = Case::new("killed");
    let line = case.line("Killed.java", "// <- A");
    for (how, text) in [("kill", "signal 9"), ("halt", "exit code 3"), ("exit", "exit code 4")] {
        let debuggee = format!(r#"command: ["java", "-cp", "classes", "Killed", "{how}"]"#);
        let points = |pass: u32| {
            format!(
                r#"(id: "A", at: Line("Killed", {line}), when: "pass == {pass}"), (id: "B", at: LastChange("A:sum"))"#
            )
        };
        let answer = case.replay(&debuggee, &points(5), &["--format=json"]).is(0, &[]).answer();
        let b = point(&answer, "B");
        assert_eq!((&b["old"], &b["new"]), (&"10".into(), &"15".into()), "{how}: {answer:#}");
        let answer = case.replay(&debuggee, &points(50), &["--format=json"]).is(3, &[]).answer();
        assert!(reason(&answer).contains(text), "{how}: {answer:#}");
        // A VM that is killed cannot tell how many passes it has tested since the last that stopped.
        let count = if how == "kill" { "at least 8 times" } else { "10 times" };
        assert!(reason(&answer).contains(&format!("its condition was false {count}")), "{how}: {answer:#}");
    }
}

#[test]
fn a_vm_is_killed_from_outside() {
    let case = Case::new("hang");
    let points = root("Hang", case.line("Hang.java", "// <- never"));
    let child = replay(&case, &java("Hang"), &points)
        .arg("--show-output")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("qp starts");
    let vm =
        || processes_with(&case.name()).into_iter().find(|(_, command)| command.contains("-cp classes Hang"));
    let runs = |pid: u32| {
        // The VM opens its class folder only once it runs; the number of its threads shows that sooner.
        std::fs::read_dir(format!("/proc/{pid}/task")).is_ok_and(|tasks| tasks.count() > 5)
    };
    case.wait_until("the VM", || vm().is_some_and(|(pid, _)| runs(pid)));
    let (pid, _) = vm().expect("a VM");
    signal(pid, Signal::KILL);
    let output = crate::support::wait(child);
    // The VM's progress decides between the two outcomes; both end with a reason.
    let code = output.status.code();
    let said = crate::support::said(&output);
    assert!(code == Some(3) || code == Some(4), "{said}");
    assert!(said.contains("signal 9"), "{said}");
    assert!(processes_with(&case.name()).is_empty(), "{said}");
}

#[test]
fn a_program_hangs_until_its_time_is_over() {
    let case = Case::new("hang");
    let never = root("Hang", case.line("Hang.java", "// <- never"));
    for how in ["wait", "busy", "deaf"] {
        let debuggee = format!(r#"command: ["java", "-cp", "classes", "Hang", "{how}"], timeout_s: 3"#);
        let run = case.replay(&debuggee, &never, &["--format=json"]);
        let answer = run.is(4, &[]).answer();
        run.within(Duration::from_secs(3) + SOON);
        assert_eq!(answer["outcome"], "timed-out", "{how}");
        let why = reason(&answer);
        assert!(why.contains("ended after 3 s: raise `timeout_s`"), "{how}: {answer:#}");
        assert!(why.contains("Hang.main was entered, but line"), "{how}: {why}");
        assert!(why.contains(" of Hang.java was not reached when its time limit passed"), "{how}: {why}");
        // No exception was thrown, and the calls may still return.
        assert!(!why.contains("exception"), "{how}: {why}");
        assert_eq!(answer["last_output"], serde_json::json!(["hanging, step 1"]), "{how}");
    }
    // The question is answered although the program continues.
    let there = root("Hang", case.line("Hang.java", "// <- A"));
    let points = format!(r#"{there}, (id: "B", at: LastChange("A:step"), expect: (new: "1"))"#);
    case.replay(&java("Hang"), &points, &[]).is(0, &["2 of 2 points located"]);
}

#[test]
fn no_vm_connects() {
    let case = Case::new("hang");
    let points = root("Hang", case.line("Hang.java", "// <- A"));
    let debuggee = format!("{}, timeout_s: 2", script("sh", "echo thinking; sleep 1000"));
    let run = case.replay(&debuggee, &points, &["--format=json"]);
    run.fails(4, &["no VM connected within 2 s", "raise `timeout_s`", "JAVA_TOOL_OPTIONS", "thinking"]);
    run.within(Duration::from_secs(2) + SOON);
    let other = format!(r#"{}, jvm: "Other", timeout_s: 4"#, java("Hang"));
    let run = case.replay(&other, &points, &["--format=json"]);
    run.fails(
        4,
        &["no VM connected within 4 s", "VMs that were not selected: Hang (started after", "correct `jvm`"],
    );
    run.within(Duration::from_secs(4) + SOON);
}

/// A script that connects to `qp` as a VM does, as file descriptor 3.
const CONNECT: &str =
    r"exec 3<>/dev/tcp/127.0.0.1/$(echo ${JAVA_TOOL_OPTIONS##*address=127.0.0.1:} | cut -d' ' -f1);";

#[test]
fn what_connects_is_no_vm() {
    let case = Case::new("hang");
    let points = root("Hang", case.line("Hang.java", "// <- A"));
    let greet = "head -c 14 <&3 >/dev/null; printf JDWP-Handshake >&3;";
    for (what, then, texts) in [
        ("says nothing", "sleep 1000", &["did not answer within 3 s", "raise `timeout_s`"][..]),
        ("greets, then says nothing", &format!("{greet} sleep 1000"), &["did not answer within 3 s"]),
        (
            "speaks HTTP",
            "echo hm; printf 'HTTP/1.1 400 Bad Request\r\n\r\n' >&3; sleep 1000",
            &["handshake failed", "went on without it", "Its last output: hm"],
        ),
        // It may be gone before `qp` knows who it was.
        ("hangs up", "exec 3>&-; sleep 1000", &["`bash -c exec"]),
        ("hangs up and ends", "echo bye; exec 3>&-; exit 9", &["exit code 9", "Its last output: bye"]),
        (
            "greets and hangs up",
            &format!("{greet} exec 3>&-; sleep 1000"),
            &["broke off", "went on without it"],
        ),
        ("greets and ends", &format!("{greet} kill -9 $$"), &["broke off", "ended with signal 9"]),
        ("greets and talks nonsense", &format!("{greet} cat /dev/zero >&3"), &["broke off"]),
        (
            "greets and promises gigabytes",
            &format!("{greet} printf '\\377\\377\\377\\377xxxxxxx' >&3; sleep 1000"),
            &["broke off", "went on without it"],
        ),
    ] {
        let debuggee = format!("{}, timeout_s: 3", script("bash", &format!("{CONNECT} {then}")));
        let run = case.replay(&debuggee, &points, &["--format=json"]);
        println!("{what}");
        run.fails(4, texts).within(Duration::from_secs(3) + SOON);
    }
}

#[test]
fn a_program_prints_megabytes() {
    let case = Case::new("chatter");
    let line = case.line("Chatter.java", "// <- A");
    let points = format!(r#"{}, (id: "B", at: LastChange("A:written"))"#, root("Chatter", line));
    for how in ["lines", "line"] {
        let debuggee = format!(r#"command: ["java", "-cp", "classes", "Chatter", "16", "{how}"]"#);
        let run = case.replay(&debuggee, &points, &["--format=json"]);
        assert_eq!(point(&run.is(0, &[]).answer(), "B")["new"], "16", "{how}");
        // With --show-output it goes to standard error, and the answer stays valid.
        let run = case.replay(&debuggee, &points, &["--format=json", "--show-output"]);
        assert_eq!(run.output.status.code(), Some(0));
        assert_eq!(point(&run.answer(), "B")["new"], "16", "{how}");
        assert!(run.output.stderr.len() > 32 << 20, "{how}: {}", run.output.stderr.len());
    }
}

#[test]
fn a_program_starts_others() {
    let case = Case::new("forks");
    let line = case.line("Forks.java", "// <- A");
    let points = format!(r#"{}, (id: "B", at: LastChange("A:depth"))"#, root("Forks", line));
    for (what, debuggee) in [
        ("java", java("Forks")),
        ("a wrapper", format!(r#"{}, jvm: "Forks""#, script("sh", "java -cp classes Forks; true"))),
        ("an orphan", r#"command: ["java", "-cp", "classes", "Forks", "orphan"]"#.to_owned()),
        (
            "a wrapped orphan",
            format!(r#"{}, jvm: "Forks""#, script("sh", "java -cp classes Forks orphan; true")),
        ),
    ] {
        let run = case.replay(&debuggee, &points, &["--format=json"]);
        assert_eq!(point(&run.is(0, &[]).answer(), "B")["new"], "0", "{what}");
        run.within(SOON + SOON);
    }
    // Runs to the end: an orphan still runs when its parent has ended.
    let never = format!(r#"(id: "A", at: Line("Forks", {line}), when: "depth == 7")"#);
    let orphan = r#"command: ["java", "-cp", "classes", "Forks", "orphan"]"#;
    let run = case.replay(orphan, &never, &["--format=json"]);
    assert!(reason(&run.is(3, &[]).answer()).contains("its condition was false once"), "{}", run.said());
    run.within(SOON + SOON);
    // The selected VM ends first. `qp` releases those that come after it, so the program ends by itself.
    let debuggee = format!(r#"{}, jvm: "Child""#, script("sh", "java -cp classes Forks; exit 5"));
    let never = r#"(id: "A", at: Entry("Child.main"), when: "args.length == 7")"#;
    let run = case.replay(&debuggee, never, &["--format=json"]);
    assert!(reason(&run.is(3, &[]).answer()).contains("exit code 5"), "{}", run.said());
}

#[test]
fn another_vm_connects() {
    let case = Case::new("hang");
    let points = root("Hang", case.line("Hang.java", "// <- A"));
    let wait = r#"echo "$JAVA_TOOL_OPTIONS" >"$MARKS/new" && mv "$MARKS/new" "$MARKS/options";
                  while [ ! -e "$MARKS/go" ]; do sleep 0.05; done; exec java -cp classes Hang"#;
    let before = case.files();
    let child = replay(&case, &script("sh", wait), &points)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("qp starts");
    case.wait_until("the options", || case.mark("options").exists());
    let options = std::fs::read_to_string(case.mark("options")).expect("read");
    // A VM that qp did not start, and a connection that only stays open.
    let mut foreign = Command::new("java");
    foreign
        .args(["-cp", "classes", "Hang"])
        .current_dir(case.work())
        .env("JAVA_TOOL_OPTIONS", options.trim());
    let foreign =
        foreign.stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null()).spawn().expect("java");
    let foreign = crate::support::wait(foreign);
    assert!(!foreign.status.success(), "{}", crate::support::said(&foreign));
    let port: u16 = options
        .rsplit("address=127.0.0.1:")
        .next()
        .and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .expect("a port");
    let idle = std::net::TcpStream::connect(("127.0.0.1", port)).expect("qp listens");
    std::fs::write(case.mark("go"), "").expect("written");
    let output = crate::support::wait(child);
    assert_eq!(output.status.code(), Some(0), "{}", crate::support::said(&output));
    assert!(processes_with(&case.name()).is_empty());
    let chain = case.work().join("chain.ron");
    assert_eq!(
        case.files().into_iter().filter(|f| *f != chain).collect::<Vec<_>>(),
        before.into_iter().collect::<Vec<_>>()
    );
    drop(idle);
}

#[test]
fn a_stopped_vm_runs_out_of_time() {
    let case = Case::new("hang");
    let points = root("Hang", case.line("Hang.java", "// <- never"));
    let debuggee = format!("{}, timeout_s: 4", script("sh", "java -cp classes Hang & wait"));
    let child = replay(&case, &debuggee, &points)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("qp starts");
    let started = Instant::now();
    let vm = || {
        let all = processes_with(&case.name()).into_iter();
        all.filter(|(_, c)| c.starts_with("java -cp classes Hang")).map(|(pid, _)| pid).next()
    };
    case.wait_until("the VM", || vm().is_some());
    signal(vm().expect("a VM"), Signal::STOP);
    let output = crate::support::wait(child);
    assert_eq!(output.status.code(), Some(4), "{}", crate::support::said(&output));
    assert!(started.elapsed() < Duration::from_secs(4) + SOON);
    assert!(processes_with(&case.name()).is_empty(), "{}", crate::support::said(&output));
}

/// The VM of a case, by the beginning of its command line.
fn vm_of(case: &Case, command: &str) -> u32 {
    let vm =
        || processes_with(&case.name()).into_iter().find(|(_, c)| c.contains(command)).map(|(pid, _)| pid);
    case.wait_until("the VM", || vm().is_some());
    vm().expect("a VM")
}

#[test]
fn a_vm_is_stopped_while_it_is_watched() {
    let case = Case::new("ticking");
    let points = format!(
        r#"{}, (id: "B", at: LastChange("A:Ticking.ticks"))"#,
        root("Ticking", case.line("Ticking.java", "// <- A"))
    );
    let debuggee = format!("{}, timeout_s: 6", java("Ticking"));
    let is_stopped = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'))
    };
    // The program needs some seconds from here on.
    let stopped = |debuggee: &str| {
        let _ = std::fs::remove_file(case.mark("ticking"));
        let mut command = replay(&case, debuggee, &points);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("qp starts");
        case.wait_until("the first ticks", || case.mark("ticking").exists());
        let vm = vm_of(&case, "Ticking");
        signal(vm, Signal::STOP);
        case.wait_until("the stop", || is_stopped(vm));
        (child, vm)
    };
    let ended = |child: std::process::Child, vm: u32| {
        let output = crate::support::wait(child);
        let left = processes_with(&case.name());
        assert!(left.is_empty() && !is_stopped(vm), "{left:?}: {}", crate::support::said(&output));
        let answer: Value = serde_json::from_slice(&output.stdout).expect("an answer");
        (output.status.code(), answer)
    };

    let (child, vm) = stopped(&debuggee);
    let started = Instant::now();
    let (code, answer) = ended(child, vm);
    assert_eq!((code, &answer["outcome"]), (Some(4), &"timed-out".into()), "{answer:#}");
    assert!(reason(&answer).contains("ended after 6 s"), "{answer:#}");
    assert!(started.elapsed() < Duration::from_secs(6) + SOON);

    let (child, vm) = stopped(&debuggee);
    let qp = child.id();
    signal(qp, Signal::INT);
    let (code, answer) = ended(child, vm);
    assert_eq!((code, &answer["outcome"]), (Some(130), &"interrupted".into()), "{answer:#}");
    let line = case.line("Ticking.java", "// <- A");
    assert_eq!(
        reason(&answer),
        format!(
            "Ticking.main was entered, but line {line} of Ticking.java was not reached when the run was interrupted"
        )
    );

    let (child, vm) = stopped(&java("Ticking"));
    std::thread::sleep(Duration::from_millis(500));
    signal(vm, Signal::CONT);
    let (code, answer) = ended(child, vm);
    let b = point(&answer, "B");
    assert_eq!((code, &b["old"], &b["new"]), (Some(0), &"99".into(), &"100".into()), "{answer:#}");
    assert_eq!(b["line"], case.line("Ticking.java", "// <- B"));
}

const LOST: &str = "the connection was lost: the VM broke off without saying that it ends";

#[test]
fn a_connection_breaks_while_the_vm_goes_on() {
    let case = Case::new("cut-connection");
    let command = |how: &str| {
        let between = "PORT=${JAVA_TOOL_OPTIONS##*address=127.0.0.1:}; \
                       QP_PORT=${PORT%% *} JAVA_TOOL_OPTIONS= exec java -cp classes CutConnection";
        script("sh", &format!("{between} {how}"))
    };
    let there = root("CutConnection", case.line("CutConnection.java", "// <- A"));
    let points = format!(r#"{there}, (id: "B", at: LastChange("A:CutConnection.step"))"#);
    // The variable carries the agent, so the agent is lost too.
    let arguments = ["--format=json", "--backend=jdwp"];
    let answer = case.replay(&command("stays"), &points, &arguments).is(0, &[]).answer();
    assert_eq!(point(&answer, "B")["line"], case.line("CutConnection.java", "// <- B"));

    let never = root("CutConnection", case.line("CutConnection.java", "// <- never"));
    for how in ["stays", "ends"] {
        let _ = std::fs::remove_file(case.mark("cut"));
        let run = case.replay(&command(how), &never, &["--format=json"]);
        let answer = run.is(3, &[]).answer();
        run.within(SOON);
        assert!(reason(&answer).contains(LOST), "{how}: {answer:#}");
    }
}

#[test]
fn a_wrapper_hides_that_its_vm_was_killed() {
    let case = Case::new("killed");
    let points = |pass: u32| {
        let line = case.line("Killed.java", "// <- A");
        format!(r#"(id: "A", at: Line("Killed", {line}), when: "pass == {pass}")"#)
    };
    for (how, lost) in [("kill", true), ("halt", false), ("exit", false)] {
        let wrapped = script("sh", &format!("java -cp classes Killed {how}; true"));
        case.replay(&wrapped, &points(5), &["--format=json"]).is(0, &[]);
        let answer = case.replay(&wrapped, &points(50), &["--format=json"]).is(3, &[]).answer();
        assert_eq!(reason(&answer).contains(LOST), lost, "{how}: {answer:#}");
        // Nor does `git bisect` count such a commit as good.
        case.run(&["bisect", "chain.ron"]).is(if lost { 125 } else { 0 }, &[]);
    }
}

#[test]
fn a_killed_vm_leaves_no_performance_data() {
    let case = Case::new("hang");
    let never = root("Hang", case.line("Hang.java", "// <- never"));
    let command =
        |how: &str| script("sh", &format!(r#"echo $$ >"$MARKS/pid"; exec java -cp classes Hang {how}"#));
    let data_is_gone = |what: &str| {
        let pid = std::fs::read_to_string(case.mark("pid")).expect("a process id");
        let users = std::fs::read_dir("/tmp").expect("a folder").flatten();
        let mut users = users.filter(|f| f.file_name().to_string_lossy().starts_with("hsperfdata_"));
        assert!(users.all(|f| !f.path().join(pid.trim()).exists()), "{what}: of process {pid}");
    };
    // The VM is killed while it is suspended at its start, and while its shutdown hook waits.
    let wrong = r#"(id: "A", at: Line("Hamg", 1))"#;
    case.replay(&command("wait"), wrong, &[]).fails(2, &["no class `Hamg`"]);
    data_is_gone("suspended");
    case.replay(&format!("{}, timeout_s: 3", command("deaf")), &never, &["--format=json"]).is(4, &[]);
    data_is_gone("deaf");
}

/// Interrupts a replay when a mark exists. Asserts that its answer is valid and says so, and that nothing is
/// left.
/// The last hit so far is no answer: another one could follow.
#[test]
fn an_interrupted_run_has_no_last_hit() {
    let case = Case::new("ticking");
    let line = case.line("Ticking.java", "// <- B");
    let points = format!(
        r#"(id: "A", at: Line("Ticking", {line}), index: -1), (id: "B", at: LastChange("A:Ticking.ticks")),
           (id: "C", at: Line("Ticking", {line}))"#
    );
    for backend in ["jdwp", "probe"] {
        for how in [Signal::INT, Signal::TERM] {
            let _ = std::fs::remove_file(case.mark("ticking"));
            let mut command = replay(&case, &java("Ticking"), &points);
            command.args(["--backend", backend]);
            let run = case.interrupted(&mut command, how, || case.mark("ticking").exists());
            let answer = run.is(130, &[]).answer();
            assert_eq!(answer["outcome"], "interrupted", "{answer:#}");
            let reason = |id: &str| unwrapped(point(&answer, id)["reason"].as_str().unwrap_or_default());
            let undecided = "not decided: a later hit could be the answer (the run was interrupted)";
            assert_eq!(reason("A"), undecided, "{backend}: {answer:#}");
            assert_eq!(point(&answer, "B")["located"], false, "{backend}: {answer:#}");
            assert_eq!(point(&answer, "C")["hit"], 1, "{backend}: {answer:#}");
        }
    }
}

fn interrupted_at(case: &Case, debuggee: &str, points: &str, mark: &str) {
    for (number, how) in [Signal::INT, Signal::TERM].into_iter().enumerate() {
        let _ = std::fs::remove_file(case.mark(mark));
        let mut command = replay(case, debuggee, points);
        let run = case.interrupted(&mut command, how, || case.mark(mark).exists());
        assert_eq!(run.is(130, &[]).answer()["outcome"], "interrupted", "{mark} {number}");
        run.within(SOON);
        let _ = std::fs::remove_file(case.mark(mark));
    }
}

#[test]
fn interrupted_in_build() {
    let case = Case::new("hang");
    let points = root("Hang", case.line("Hang.java", "// <- A"));
    let build =
        r#"build: ["sh", "-c", "trap '' INT; (sleep 1000 & wait) & echo > $MARKS/building; sleep 1000"]"#;
    let debuggee = format!("{}, {build}", java("Hang"));
    interrupted_at(&case, &debuggee, &points, "building");
    let file = case.chain(&debuggee, &points);
    let run = case.interrupted(case.qp().args(["explain", "--build"]).arg(file), Signal::INT, || {
        case.mark("building").exists()
    });
    run.fails(130, &["interrupted"]).within(SOON);
}

#[test]
fn interrupted_before_a_run_and_between_two() {
    let case = Case::new("recursion");
    let line = case.line("Recursion.java", "// <- A");
    let points = format!(
        r#"(id: "A", at: Line("Recursion", {line}), when: "depth == 3"), (id: "B", at: LastChange("A(1):sum"))"#
    );
    let hang = r#"before_run: ["sh", "-c", "echo > $MARKS/before; sleep 1000"]"#;
    interrupted_at(&case, &format!("{}, {hang}", java("Recursion")), &points, "before");
    // The second run is for the method of frame 1.
    let second = r#"before_run: ["sh", "-c", "if [ -e $MARKS/once ]; then rm $MARKS/once; echo > $MARKS/again; sleep 1000; else echo > $MARKS/once; fi"]"#;
    interrupted_at(&case, &format!("{}, {second}", java("Recursion")), &points, "again");
}

#[test]
fn interrupted_while_connecting() {
    let case = Case::new("hang");
    let points = root("Hang", case.line("Hang.java", "// <- A"));
    let late = script("sh", r#"echo >"$MARKS/launched"; sleep 1000"#);
    interrupted_at(&case, &late, &points, "launched");
    let silent = script("bash", &format!(r#"{CONNECT} echo >"$MARKS/connected"; sleep 1000"#));
    interrupted_at(&case, &silent, &points, "connected");
}

#[test]
fn interrupted_while_it_runs() {
    let case = Case::new("hang");
    let points = root("Hang", case.line("Hang.java", "// <- never"));
    let drive = r#"drive: ["sh", "-c", "sleep 1; echo > $MARKS/running; sleep 1000"]"#;
    for how in ["wait", "busy", "deaf"] {
        let command = format!(r#"command: ["java", "-cp", "classes", "Hang", "{how}"]"#);
        interrupted_at(&case, &format!("{command}, {drive}"), &points, "running");
    }
}

#[test]
fn interrupted_while_a_condition_calls_a_method() {
    let case = Case::new("slow-call");
    let line = case.line("SlowCall.java", "// <- A");
    let points = format!(r#"(id: "A", at: Line("SlowCall", {line}), when: "slow(step) > 0")"#);
    interrupted_at(&case, &java("SlowCall"), &points, "called");
}

#[test]
fn a_method_that_a_condition_calls_does_not_return() {
    let case = Case::new("slow-call");
    let line = case.line("SlowCall.java", "// <- A");
    let points = format!(r#"(id: "A", at: Line("SlowCall", {line}), when: "slow(step) > 0")"#);
    let run = case.replay(&java("SlowCall"), &points, &["--timeout=3", "--format=json"]);
    assert_eq!(run.is(4, &[]).answer()["outcome"], "timed-out");
    std::fs::remove_file(case.mark("called")).expect("it was called");
    let run = case.replay(&java("SlowCall"), &points, &["--format=json"]);
    run.fails(4, &["`slow(step) > 0`", "did not return within 10 s", "Ask for a field"]);
}

#[test]
fn a_second_interrupt_ends_it_at_once() {
    let case = Case::new("hang");
    let points = root("Hang", case.line("Hang.java", "// <- A"));
    let launched = case.mark("launched");
    let stubborn = script("sh", r#"trap '' INT TERM; echo >"$MARKS/launched"; while :; do sleep 1; done"#);
    let mut child =
        replay(&case, &stubborn, &points).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("qp");
    case.wait_until("the launch", || launched.exists());
    let mut sent = 0;
    let status = loop {
        if let Some(status) = child.try_wait().expect("waited") {
            break status;
        }
        if sent < 2 {
            signal(child.id(), Signal::INT);
            sent += 1;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    assert_eq!(status.code(), Some(130));
    case.wait_until("the end of all", || processes_with(&case.name()).is_empty());
}

#[test]
fn qp_is_killed() {
    let case = Case::new("hang");
    let points = root("Hang", case.line("Hang.java", "// <- never"));
    let drive = r#"drive: ["sh", "-c", "echo > $MARKS/running; sleep 1000"]"#;
    for debuggee in [java("Hang"), script("sh", "java -cp classes Hang busy; true")] {
        let _ = std::fs::remove_file(case.mark("running"));
        let mut child = replay(&case, &format!("{debuggee}, {drive}"), &points)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("qp starts");
        case.wait_until("the run", || case.mark("running").exists());
        signal(child.id(), Signal::KILL);
        child.wait().expect("waited");
        case.wait_until("the end of all", || processes_with(&case.name()).is_empty());
    }
}
