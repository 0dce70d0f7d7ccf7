//! Processes with a time limit.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How a process ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit code; none if a signal or the time limit ended it.
    pub code: Option<i32>,
    /// Whether the time limit ended it.
    pub over: bool,
    pub output: String,
    pub errors: String,
    /// From its start to its end.
    pub took: Duration,
}

/// Runs a command in a folder until it ends or the time limit is over.
pub fn run(command: &[String], folder: &Path, limit: Duration) -> Ended {
    let work = tempfile::tempdir().expect("a folder");
    let file = |name: &str| File::create(work.path().join(name)).expect("a file");
    let mut process = Command::new(&command[0]);
    process.args(&command[1..]).current_dir(folder).env_remove("JAVA_TOOL_OPTIONS");
    process.stdin(Stdio::null()).stdout(file("out")).stderr(file("err"));
    let started = Instant::now();
    let mut child = process.spawn().unwrap_or_else(|e| panic!("{}: {e}", command[0]));
    let code = wait(&mut child, started, limit);
    let took = started.elapsed();
    let read = |name: &str| {
        String::from_utf8_lossy(&std::fs::read(work.path().join(name)).expect("written")).into_owned()
    };
    let (output, errors) = (read("out"), read("err"));
    Ended { code: code.flatten(), over: code.is_none(), output, errors, took }
}

/// The exit code of a child that ends before the limit. Otherwise the child is asked to end, and killed if it
/// does not.
fn wait(child: &mut Child, started: Instant, limit: Duration) -> Option<Option<i32>> {
    let mut asked = false;
    loop {
        if let Some(status) = child.try_wait().expect("waited") {
            return (!asked).then(|| status.code());
        }
        let over = started.elapsed();
        if over > limit && !asked {
            asked = true;
            let id = i32::try_from(child.id()).expect("an id");
            let id = rustix::process::Pid::from_raw(id).expect("an id");
            let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
        } else if over > limit + Duration::from_secs(5) {
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(3));
    }
}
