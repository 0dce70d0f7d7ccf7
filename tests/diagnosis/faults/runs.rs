//! Compiles many programs at a time in one VM, and runs each in its own VM.

use super::tokens::Source;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Options that make short runs of a VM cheap.
const LIGHT: [&str; 3] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"];
/// Time limit of a run; endless programs reach their count limit long before.
const LIMIT: Duration = Duration::from_secs(60);
/// The exit code of a run that reached its count limit: see `Calls.java`.
const ENDED: i32 = 3;
const COUNTER: &str = include_str!("Calls.java");

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    DoesNotCompile,
    DoesNotEnd,
    Ended {
        output: String,
        /// Whether an uncaught exception ended it.
        thrown: bool,
        /// Number of calls of its methods, if counted.
        calls: Option<usize>,
    },
}

/// Inserts counters for the calls of methods and the iterations of loops into a program's text.
pub fn counted(text: &str) -> String {
    let source = Source::read(text);
    let mut places: Vec<(usize, &str)> =
        source.methods.iter().map(|m| (m.body.start - 1, " Calls.enter();")).collect();
    for at in source.methods.iter().flat_map(|m| m.body.clone()) {
        if ["for", "while"].contains(&source.text(at))
            && let Some(close) = source.closing(at + 1)
            && source.text(close + 1) == "{"
        {
            places.push((close + 1, " Calls.turn();"));
        }
    }
    places.sort_unstable();
    let mut lines: Vec<String> = source.lines.iter().map(|l| (*l).to_owned()).collect();
    for (at, call) in places.into_iter().rev() {
        let brace = source.tokens[at];
        lines[brace.line].insert_str(brace.column + 1, call);
    }
    lines.join("\n") + "\n"
}

/// Compiles and runs programs, each given by its class and its text.
pub fn run(programs: &[(String, String)]) -> Vec<Outcome> {
    let folder = tempfile::tempdir().expect("a folder");
    let folders: Vec<_> = (0..programs.len()).map(|n| folder.path().join(n.to_string())).collect();
    for ((class, text), folder) in programs.iter().zip(&folders) {
        std::fs::create_dir_all(folder).expect("a folder");
        std::fs::write(folder.join(format!("{class}.java")), text).expect("written");
        if text.contains("Calls.") {
            std::fs::write(folder.join("Calls.java"), COUNTER).expect("written");
        }
    }
    let compiled = compile(&folders.iter().map(|f| f.display().to_string()).collect::<Vec<_>>());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some((class, _)) = programs.get(n) else { return done };
            done.push((n, if compiled[n] { execute(&folders[n], class) } else { Outcome::DoesNotCompile }));
        }
    };
    let mut done: Vec<(usize, Outcome)> = std::thread::scope(|scope| {
        let halves = [scope.spawn(work), scope.spawn(work)];
        halves.into_iter().flat_map(|half| half.join().expect("half of the work")).collect()
    });
    done.sort_by_key(|(n, _)| *n);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Which of these folders' programs compile.
fn compile(folders: &[String]) -> Vec<bool> {
    let compiler = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnosis/faults/Compile.java");
    let mut java = Command::new("java");
    java.args(LIGHT).arg(compiler).env_remove("JAVA_TOOL_OPTIONS");
    let mut child = java.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("java starts");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(folders.join("\n").as_bytes()).expect("read by it");
    drop(stdin);
    let output = child.wait_with_output().expect("waited");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let compiled: Vec<bool> = said.lines().map(|line| line == "yes").collect();
    assert_eq!(compiled.len(), folders.len(), "{said}");
    compiled
}

fn execute(folder: &Path, class: &str) -> Outcome {
    let mut java = Command::new("java");
    java.args(LIGHT).arg("-cp").arg(folder).arg(class).env_remove("JAVA_TOOL_OPTIONS");
    java.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = java.spawn().expect("java starts");
    // The output of these programs fits into a pipe; one that keeps printing waits there until it is killed.
    let code = wait(&mut child);
    let (mut output, mut errors) = (String::new(), String::new());
    child.stdout.take().expect("piped").read_to_string(&mut output).expect("text");
    child.stderr.take().expect("piped").read_to_string(&mut errors).expect("text");
    if code.is_none_or(|code| code == ENDED) {
        return Outcome::DoesNotEnd;
    }
    let calls = errors.lines().find_map(|line| line.strip_prefix("calls ")?.parse().ok());
    Outcome::Ended { output, thrown: code != Some(0), calls }
}

/// The exit code of a child; `None` if it had to be killed.
fn wait(child: &mut Child) -> Option<i32> {
    let started = Instant::now();
    while started.elapsed() < LIMIT {
        if let Some(status) = child.try_wait().expect("waited") {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("killed");
    child.wait().expect("waited");
    None
}
