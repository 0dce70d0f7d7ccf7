//! Tests with real processes: shells, `sleep` and VMs.

use super::*;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

fn words(line: &[&str]) -> Vec<String> {
    line.iter().map(|w| (*w).to_owned()).collect()
}

fn shell(script: &str) -> Vec<String> {
    words(&["sh", "-c", script])
}

fn settings(command: Vec<String>, cwd: &Path) -> Settings {
    Settings::new(command, cwd.to_owned())
}

fn template(settings: Settings) -> Arc<Template> {
    Arc::new(Template::new(settings).unwrap())
}

async fn listener() -> (TcpListener, std::net::SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Whether a process runs; an ended but unreaped one does not.
fn runs(pid: u32) -> bool {
    platform::processes::stat(pid).is_some_and(|s| !s.dead)
}

async fn read_pid(file: &Path) -> u32 {
    for _ in 0..500 {
        if let Some(pid) = std::fs::read_to_string(file).ok().and_then(|t| t.trim().parse().ok()) {
            return pid;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no process id in {}", file.display());
}

fn java_program(dir: &Path, name: &str, body: &str) {
    let text = format!(
        "public class {name} {{ public static void main(String[] a) throws Exception {{ {body} }} }}"
    );
    std::fs::write(dir.join(format!("{name}.java")), text).unwrap();
    let mut javac = Command::new("javac");
    let done =
        javac.args(["-g", "-d", "classes", &format!("{name}.java")]).current_dir(dir).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

const LIMIT: Duration = Duration::from_secs(30);
const GRACE: Duration = Duration::from_millis(300);

#[tokio::test]
async fn a_java_command_connects_and_is_stopped() {
    let dir = tempfile::tempdir().unwrap();
    java_program(dir.path(), "Waits", "Thread.sleep(60000);");
    let mut chosen = settings(words(&["java", "-cp", "classes", "Waits"]), dir.path());
    chosen.jvm = Some("Waits".into());
    let (listener, address) = listener().await;
    let mut running = template(chosen).launch(address, None, None).unwrap();
    let incoming = running.accept(&listener, LIMIT).await.unwrap();
    assert!(incoming.wanted);
    let peer = incoming.peer.unwrap();
    assert_eq!(peer.pid, running.pid());
    assert!(peer.command_line.iter().any(|w| w.contains("suspend=y")), "{:?}", peer.command_line);
    let pid = running.pid();
    drop(incoming.stream);
    running.stop(GRACE).await;
    assert!(!runs(pid));
}

#[tokio::test]
async fn a_wrapper_hands_the_agent_to_its_vm_by_the_environment() {
    let dir = tempfile::tempdir().unwrap();
    java_program(
        dir.path(),
        "Waits",
        "System.out.println(System.getProperty(\"own\")); Thread.sleep(60000);",
    );
    let mut chosen = settings(shell("true; java -cp classes Waits; true"), dir.path());
    chosen.env.push(("JAVA_TOOL_OPTIONS".into(), "-Down=kept".into()));
    chosen.jvm = Some("Other".into());
    let (listener, address) = listener().await;
    let mut running = template(chosen).launch(address, None, None).unwrap();
    let incoming = running.accept(&listener, LIMIT).await.unwrap();
    assert!(!incoming.wanted, "the main class is Waits");
    let peer = incoming.peer.unwrap();
    let vm = peer.pid;
    assert_ne!(vm, running.pid());
    let pool = classes::ClassPool::open(&peer.class_paths.unwrap()).unwrap();
    assert_eq!(pool.find("Waits").unwrap().unwrap().origin.to_string(), "classes/Waits.class");
    assert!(pool.find("java.lang.Object").unwrap().is_some());
    drop(running);
    assert!(!runs(vm));
}

#[tokio::test]
async fn a_foreign_connection_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (listener, address) = listener().await;
    let mut running = template(settings(shell("sleep 60"), dir.path())).launch(address, None, None).unwrap();
    let foreign = tokio::net::TcpStream::connect(address).await.unwrap();
    let error = running.accept(&listener, Duration::from_millis(300)).await.unwrap_err();
    let DebuggeeError::NoConnection { others, .. } = &error else { panic!("{error}") };
    let told = others.foreign.to_string();
    assert!(told.starts_with("1 connection that was not the debuggee's: process "), "{told}");
    assert!(error.to_string().contains("; it closed 1 connection"), "{error}");
    drop(foreign);
}

#[tokio::test]
async fn nothing_is_left_after_drop() {
    let dir = tempfile::tempdir().unwrap();
    // A child in the group, one that ignores SIGTERM, and a daemon that leaves group and session.
    let script = "sleep 1000 & echo $! > a; (trap '' TERM; echo 1 > t; sleep 1000; sleep 1000) & echo $! > b; \
                  setsid sh -c 'echo $$ > c; sleep 1000' & wait";
    for by_stop in [true, false] {
        let (_listener, address) = listener().await;
        let running = template(settings(shell(script), dir.path())).launch(address, None, None).unwrap();
        let mut pids = vec![running.pid()];
        for name in ["a", "b", "c"] {
            pids.push(read_pid(&dir.path().join(name)).await);
            std::fs::remove_file(dir.path().join(name)).unwrap();
        }
        read_pid(&dir.path().join("t")).await;
        assert!(pids.iter().all(|p| runs(*p)));
        let started = Instant::now();
        if by_stop {
            let exited = running.stop(GRACE).await;
            assert_eq!(exited.exit.signal, Some(15));
        } else {
            drop(running);
        }
        assert!(started.elapsed() < Duration::from_secs(3));
        let left: Vec<&u32> = pids.iter().filter(|p| runs(**p)).collect();
        assert!(left.is_empty(), "left behind: {left:?} of {pids:?}");
    }
}

#[tokio::test]
async fn the_guardian_ends_the_groups_of_a_killed_process() {
    let guardian = guardian::Guardian::default();
    let guarded = || {
        let mut command = tokio::process::Command::new("sleep");
        guardian.guard(command.arg("1000").process_group(0));
        command.spawn().unwrap()
    };
    let (mut sleeper, mut kept) = (guarded(), guarded());
    guardian.remove(kept.id().unwrap());
    // Dropping it closes the pipe, as the end of the process would.
    drop(guardian);
    let status = sleeper.wait().await.unwrap();
    assert_eq!(group::Exit::from(status).signal, Some(9));
    assert!(kept.try_wait().unwrap().is_none());
    kept.kill().await.unwrap();
}

#[tokio::test]
async fn megabytes_of_output_neither_block_nor_grow() {
    let dir = tempfile::tempdir().unwrap();
    let script = "i=0; while [ $i -lt 200000 ]; do echo \"line $i of a program that prints a lot\"; i=$((i+1)); done; \
                  head -c 3000000 /dev/zero | tr '\\0' x; echo; echo bad >&2; printf end; exit 3";
    let seen = Arc::new(Mutex::new((0_u64, String::new())));
    let counted = seen.clone();
    let forward = Forward::new("run 1 | ", move |_, lines: &str| {
        let mut seen = counted.lock().unwrap();
        if seen.0 == 0 {
            seen.1 = lines.lines().next().unwrap().to_owned();
        }
        seen.0 += lines.lines().count() as u64;
    });
    let (_listener, address) = listener().await;
    let mut running =
        template(settings(shell(script), dir.path())).launch(address, None, Some(forward)).unwrap();
    let exit = running.wait_exit().await;
    assert_eq!(exit.to_string(), "exit code 3");
    let tail = running.tail();
    let kept: usize = tail.lines().map(|(_, line)| line.len() + 1).sum();
    assert!(kept <= 256 << 10 && kept > 100 << 10, "{kept}");
    assert!(tail.last(3).contains("  end") && tail.last(3).contains("  bad"), "{}", tail.last(3));
    let seen = seen.lock().unwrap();
    assert_eq!(seen.0, tail.dropped + tail.lines().len() as u64);
    assert_eq!(seen.1, "run 1 | line 0 of a program that prints a lot");
}

#[tokio::test]
async fn input_is_the_same_in_every_run() {
    let dir = tempfile::tempdir().unwrap();
    let recording = StdinRecording::of(std::io::Cursor::new(b"one\ntwo\n".to_vec())).unwrap();
    let inputs = [Stdin::Bytes(Arc::from(&b"one\ntwo\n"[..])), Stdin::Recorded(recording.clone())];
    for stdin in inputs.into_iter().chain([Stdin::Recorded(recording)]) {
        let mut chosen = settings(shell("cat; echo done"), dir.path());
        chosen.stdin = stdin;
        let (_listener, address) = listener().await;
        let mut running = template(chosen).launch(address, None, None).unwrap();
        assert!(running.wait_exit().await.success());
        assert_eq!(running.tail().last(9), "  one\n  two\n  done");
    }
    let (_listener, address) = listener().await;
    let mut running = template(settings(shell("cat; pwd"), dir.path())).launch(address, None, None).unwrap();
    assert!(running.wait_exit().await.success());
    assert_eq!(running.tail().last(9), format!("  {}", dir.path().canonicalize().unwrap().display()));
}

#[tokio::test]
async fn a_build_is_skipped_while_nothing_changes() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    std::fs::write(root.join("A.java"), "class A { }").unwrap();
    let script = "echo built >> log; mkdir -p classes; javac -d classes A.java";
    let build = |env: &str| {
        let mut chosen = settings(words(&["java", "-cp", "classes", "A"]), root);
        chosen.build = Some(shell(script));
        chosen.cache = Some(root.join(".cache"));
        chosen.env.push(("FLAVOUR".into(), env.to_owned()));
        template(chosen)
    };
    let built = |outcome: BuildOutcome| matches!(outcome, BuildOutcome::Built(_));
    assert!(built(build("x").build(None).await.unwrap()));
    assert_eq!(build("x").build(None).await.unwrap(), BuildOutcome::Skipped);
    assert!(built(build("y").build(None).await.unwrap()), "another environment");
    assert!(built(build("x").build(None).await.unwrap()), "the other build wrote the classes anew");
    std::fs::write(root.join("A.java"), "class A { int a; }").unwrap();
    assert!(built(build("x").build(None).await.unwrap()), "another source");
    assert_eq!(build("x").build(None).await.unwrap(), BuildOutcome::Skipped);
    std::fs::remove_dir_all(root.join("classes")).unwrap();
    assert!(built(build("x").build(None).await.unwrap()), "its output is gone");
    std::fs::write(root.join("A.java"), "class A { int }").unwrap();
    let error = build("x").build(None).await.unwrap_err().to_string();
    assert!(
        error.contains("`build` failed with exit code 1") && error.contains("<identifier> expected"),
        "{error}"
    );
    assert_eq!(std::fs::read_to_string(root.join("log")).unwrap().lines().count(), 6);
    assert_eq!(template(settings(shell("true"), root)).build(None).await.unwrap(), BuildOutcome::Nothing);
}

#[tokio::test]
async fn steps_run_before_and_during_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let mut chosen = settings(shell("sleep 60"), dir.path());
    chosen.before_run = Some(shell("echo reset > state"));
    chosen.drive = Some(shell("kill -0 $QUERYPOINT_PID && cat state && exit 7"));
    let template_ = template(chosen.clone());
    template_.before_run(None).await.unwrap();
    let (_listener, address) = listener().await;
    let mut running = template_.launch(address, None, None).unwrap();
    let driving = tokio::time::timeout(LIMIT, running.drive(None)).await.unwrap();
    let DriveOutcome::Failed(error) = driving else { panic!("{driving:?}") };
    let error = error.to_string();
    assert!(error.contains("`drive` failed with exit code 7") && error.contains("  reset"), "{error}");
    running.stop(GRACE).await;

    chosen.drive = Some(shell("true"));
    let mut running = template(chosen.clone()).launch(address, None, None).unwrap();
    let failed = tokio::time::timeout(GRACE, running.drive(None)).await;
    assert!(failed.is_err() && !running.was_asked_to_end(), "a driver that succeeds is no failure");

    chosen.before_run = Some(shell("echo $$ > p; sleep 60"));
    chosen.timeout = Duration::from_secs(1);
    let error = template(chosen).before_run(None).await.unwrap_err().to_string();
    assert!(error.contains("`before_run` did not end within 1 s"), "{error}");
    assert!(!runs(read_pid(&dir.path().join("p")).await));
}

#[tokio::test]
async fn a_vm_that_ends_or_hangs_before_it_connects() {
    let dir = tempfile::tempdir().unwrap();
    let (listener, address) = listener().await;
    let mut running = template(settings(words(&["java", "-XX:NoSuchFlag", "Main"]), dir.path()))
        .launch(address, None, None)
        .unwrap();
    let error = running.accept(&listener, LIMIT).await.unwrap_err().to_string();
    assert!(error.contains("ended with exit code 1 before its VM connected"), "{error}");
    assert!(error.contains("Unrecognized VM option 'NoSuchFlag'"), "{error}");

    let mut running =
        template(settings(shell("echo waiting; sleep 60"), dir.path())).launch(address, None, None).unwrap();
    let error = running.accept(&listener, Duration::from_secs(1)).await.unwrap_err().to_string();
    assert!(error.contains("no VM connected within 1 s") && error.contains("  waiting"), "{error}");

    // A wrapper may start the VM in the background and end; `qp` still waits for the VM.
    let script = "(sleep 0.3; exec sleep 0.3) & exit 0";
    let mut running = template(settings(shell(script), dir.path())).launch(address, None, None).unwrap();
    let error = running.accept(&listener, LIMIT).await.unwrap_err().to_string();
    assert!(error.contains("exit code 0") && error.contains("write the `java` command itself"), "{error}");
    assert!(running.elapsed() > Duration::from_millis(500));
}

#[test]
fn templates_refuse_what_cannot_work() {
    let dir = tempfile::tempdir().unwrap();
    let error = |chosen: Settings| Template::new(chosen).map(|_| ()).unwrap_err().to_string();
    assert!(
        error(settings(shell("true"), &dir.path().join("none"))).contains("does not exist; correct `cwd`")
    );
    assert!(error(settings(words(&["./gradlew", "run"]), dir.path())).contains("add `--no-daemon`"));
    assert!(Template::new(settings(words(&["./gradlew", "run", "--no-daemon"]), dir.path())).is_ok());
    assert!(error(settings(Vec::new(), dir.path())).contains("`command` is an empty list"));
    let mut chosen = settings(shell("true"), dir.path());
    chosen.jvm = Some("(".into());
    assert!(error(chosen.clone()).contains("neither a class name nor a regular expression"));
    chosen.jvm = None;
    chosen.env.push(("PATH".into(), dir.path().display().to_string()));
    chosen.command = words(&["java", "Main"]);
    let error = template(chosen).launch_command().unwrap_err().to_string();
    assert!(error.contains("`java` was not found; install a JDK 17"), "{error}");
    let mut chosen = settings(shell("true"), dir.path());
    chosen.env.push(("JAVA_TOOL_OPTIONS".into(), "-agentlib:jdwp=transport=dt_socket,server=y".into()));
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
    let error = template(chosen).launch(address, None, None).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("JAVA_TOOL_OPTIONS=") && error.contains("adds its own debug agent"), "{error}");
}
