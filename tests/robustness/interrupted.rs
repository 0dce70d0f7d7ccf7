//! A signal ends a command within a second at any moment, whatever it computes.

use crate::support::javac::Javac;
use crate::support::rng::Rng;
use crate::support::{finish, qp, root, said, scratch, setting, wait};
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

/// How long a command may take to end: a second, and the rest for a busy machine.
const SOON: Duration = Duration::from_secs(5);

/// Records a version of a program whose report grows.
fn recorded(folder: &Path, is: &str) -> PathBuf {
    let source = std::fs::read_to_string(root().join("benches/growth/Growth.java")).expect("a source");
    let (classes, trace) = (folder.join(is), folder.join(format!("{is}.trace")));
    std::fs::create_dir(&classes).expect("a folder");
    let file = classes.join("Growth.java");
    std::fs::write(&file, source.replace("RIGHT = false", &format!("RIGHT = {is}"))).expect("written");
    Javac::new().args(["-g", "-nowarn", "-d"]).arg(&classes).arg(&file).run();
    let mut command = qp();
    command.args(["trace", "record", "--level", "writes", "--out"]).arg(&trace);
    let output =
        finish(command.args(["--", "java", "-cp"]).arg(&classes).args(["Growth", "text-each", "30000"]));
    assert!(output.status.success(), "{}", said(&output));
    trace
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("listed");
    entries.map(|entry| entry.expect("read").file_name().to_string_lossy().into_owned()).collect()
}

/// `QP_SIGNALS=100` sends so many signals to each command.
#[test]
fn a_signal_ends_what_computes() {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let [wrong, right] = ["false", "true"].map(|is| recorded(&folder, is));
    let temporary = folder.join("temporary");
    std::fs::create_dir(&temporary).expect("a folder");
    let [wrong, right] = [&wrong, &right].map(|path| path.to_str().expect("a name"));
    let classes = folder.join("true").display().to_string();
    let exported = ["lines.jsonl", "events.parquet"].map(|name| temporary.join(name).display().to_string());
    let [lines, parquet] = &exported;
    let source = std::fs::read_to_string(root().join("benches/growth/Growth.java")).expect("a source");
    let line = source.lines().position(|line| line.contains("-1 : at % 100;")).expect("a line") + 1;
    let call = format!("Growth:{line}");
    let commands: [&[&str]; 10] = [
        &["diff", wrong, right],
        &["diagnose", wrong, "--unattended", "--reference", &classes],
        &["query", "ask", "event(_, _, _), fail", wrong],
        &["query", "history", "StringWriter@6", wrong, "--value", "absent"],
        &["trace", "calls", wrong, "--all"],
        &["trace", "history", "StringWriter@6", wrong],
        &["trace", "export", wrong, "--to", lines],
        &["trace", "export", wrong, "--to", parquet],
        &["log", "at", "--at", &call, "--", "java", "-cp", &classes, "Growth", "calls-each", "300000"],
        &["diagnose", "--unattended", "--", "java", "-cp", &classes, "Growth", "calls-each", "300000"],
    ];
    let times: usize = setting("QP_SIGNALS").unwrap_or(2);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a time").subsec_nanos();
    let mut random = Rng::new(now.into());
    for command in commands {
        for signal in [Signal::TERM, Signal::INT].into_iter().cycle().take(times) {
            let moment = Duration::from_millis(50 + random.next() % 1200);
            let mut command_line = qp();
            command_line
                .args(command)
                .env("TMPDIR", &temporary)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            let child = command_line.spawn().expect("qp starts");
            let process = Pid::from_raw(i32::try_from(child.id()).expect("a number")).expect("a process");
            let waits = std::thread::spawn(move || (wait(child), Instant::now()));
            std::thread::sleep(moment);
            let sent = Instant::now();
            let _ = kill_process(process, signal);
            let (output, ended) = waits.join().expect("it ends");
            let case = format!("{command:?}, {signal:?} after {moment:?}: {}", said(&output));
            // A command can have ended before.
            if ended > sent {
                assert!(ended - sent < SOON, "{:?}: {case}", ended - sent);
            }
            if output.status.success() {
                exported.iter().for_each(|file| drop(std::fs::remove_file(file)));
            }
            assert!(matches!(output.status.code(), Some(130 | 0 | 1)), "{:?}: {case}", output.status);
            assert_eq!(names(&temporary), Vec::<String>::new(), "{case}");
            let left = names(Path::new(wrong)).into_iter().filter(|name| name.starts_with('.'));
            assert_eq!(left.collect::<Vec<_>>(), Vec::<String>::new(), "{case}");
        }
    }
}
