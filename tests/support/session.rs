//! Sessions of `qp debug` as JSON: a script from beginning to end, or line by line.

use super::case::{Case, PATIENCE};
use super::{finish, said};
use rustix::process::Signal;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

/// Runs a script.
pub fn scripted(command: &mut Command, script: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("script");
    std::fs::write(&file, script).expect("written");
    finish(command.stdin(File::open(&file).expect("a script")))
}

/// Runs a script. Returns the exit code and the reply to each line.
pub fn session(command: &mut Command, script: &str) -> (i32, Vec<Value>) {
    let output = scripted(command, script);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let parsed =
        text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")));
    let replies: Vec<Value> = parsed.collect();
    (output.status.code().unwrap_or_else(|| panic!("{}", said(&output))), replies)
}

/// `qp debug` on a case's class.
pub fn debug(case: &Case, class: &str) -> Command {
    let mut command = case.qp();
    command.args(["debug", "--format", "json", "--", "java", "-cp", "classes", class]);
    command
}

/// The kind of a reply.
pub fn kind(reply: &Value) -> &str {
    reply["reply"].as_str().unwrap_or_else(|| panic!("{reply:#}"))
}

/// The message of an error.
#[track_caller]
pub fn error(reply: &Value) -> &str {
    assert_eq!(reply["reply"], "error", "{reply:#}");
    reply["content"].as_str().expect("a message")
}

/// A session that the test talks to.
pub struct Talk {
    pub child: std::process::Child,
    lines: std::sync::mpsc::Receiver<Value>,
}

impl Talk {
    /// Starts it.
    pub fn begin(command: &mut Command) -> Talk {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("qp starts");
        let out = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, lines) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}")));
            }
        });
        Talk { child, lines }
    }

    /// Sends a line.
    pub fn say(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().expect("piped"), "{line}").expect("written");
    }

    /// The next reply.
    pub fn hear(&self) -> Value {
        self.lines.recv_timeout(PATIENCE).expect("a reply")
    }

    /// The reply to a line.
    pub fn ask(&mut self, line: &str) -> Value {
        self.say(line);
        self.hear()
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        let pid = rustix::process::Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        rustix::process::kill_process(pid, signal).expect("sent");
    }

    /// Closes its input. Returns its exit code.
    pub fn end(mut self) -> i32 {
        drop(self.child.stdin.take());
        self.child.wait().expect("waited").code().expect("a code")
    }
}
