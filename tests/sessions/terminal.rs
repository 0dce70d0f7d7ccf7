//! `qp debug` on a terminal: completion, pasted lines, Ctrl-C, history, and input for the program.

#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::{Case, PATIENCE};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// A command on its own terminal.
struct Terminal {
    child: Child,
    keys: File,
    screen: Receiver<Vec<u8>>,
    seen: String,
}

impl Terminal {
    /// `setsid` gives the command its own controlling terminal, so that Ctrl-C is a signal while nobody reads
    /// keys.
    fn open(case: &Case, arguments: &[&str]) -> Terminal {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).expect("granted");
        unlockpt(&master).expect("unlocked");
        let name = ptsname(&master, Vec::new()).expect("a name").into_string().expect("a path");
        let line = || File::options().read(true).write(true).open(&name).expect("opened");
        let mut command = Command::new("setsid");
        command
            .args(["--wait", "--ctty", env!("CARGO_BIN_EXE_qp"), "--color=never", "debug"])
            .args(arguments);
        for (name, value) in case.qp().get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        command
            .env("XDG_STATE_HOME", case.mark("state"))
            .env("TERM", "xterm")
            .env_remove("JAVA_TOOL_OPTIONS");
        command.current_dir(case.work()).stdin(line()).stdout(line()).stderr(line());
        let child = command.spawn().expect("qp starts");
        let keys = File::from(master);
        let mut output = keys.try_clone().expect("shared");
        let (sender, screen) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // The terminal closes with its last process.
            while let Ok(n @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        Terminal { child, keys, screen, seen: String::new() }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("typed");
    }

    /// Waits until the screen shows a text that it has not shown before this call.
    #[track_caller]
    fn shows(&mut self, text: &str) {
        let started = Instant::now();
        loop {
            if let Some(at) = self.seen.find(text) {
                self.seen.drain(..at + text.len());
                return;
            }
            match self.screen.recv_timeout(Duration::from_millis(200)) {
                Ok(bytes) => self.seen.push_str(&plain(&String::from_utf8_lossy(&bytes))),
                Err(RecvTimeoutError::Timeout) if started.elapsed() < PATIENCE => {}
                Err(_) => panic!("`{text}` is not on the screen:\n{}", self.seen),
            }
        }
    }

    fn ends(mut self) -> i32 {
        let code = self.child.wait().expect("waited").code();
        code.expect("a code")
    }
}

/// The text without cursor movements.
fn plain(text: &str) -> String {
    let sequences = regex::Regex::new("\u{1b}\\[[0-9;?]*[A-Za-z]|\u{1b}[=>]").expect("a pattern");
    sequences.replace_all(text, "").into_owned()
}

#[test]
fn a_person_completes_pastes_interrupts_and_finds_the_history() {
    let case = Case::new("waits-for-go");
    let line = case.line("WaitsForGo.java", "// <- A");
    let program = ["--", "java", "-cp", "classes", "WaitsForGo"];
    let mut terminal = Terminal::open(&case, &program);
    terminal.shows("qp> ");
    terminal.press("bre\t");
    terminal.shows("break ");
    terminal.press("Wai\t");
    terminal.shows("WaitsForGo");
    terminal.press(&format!(":{line}\r"));
    terminal.shows(&format!("A  Line(WaitsForGo, {line})"));
    terminal.shows("qp> ");
    // Ctrl-C ends the run, not the session.
    terminal.press("run\r");
    case.wait_until("the program", || case.mark("started").exists());
    terminal.press("\u{3}");
    terminal.shows("interrupted");
    terminal.shows("ended> ");
    // At the prompt it discards the line.
    terminal.press("nonsense\u{3}");
    terminal.shows("ended> ");
    // Two lines pasted at once are two commands.
    terminal.press("\u{1b}[200~help run\nhelp goto\u{1b}[201~\r");
    terminal.shows("runs the program and halts it");
    terminal.shows("halts the program at a located point");
    // Lines typed ahead wait for their turn.
    terminal.shows("ended> ");
    terminal.press("help set\rhelp diff\r");
    terminal.shows("shows the settings");
    terminal.shows("how the answers of two runs differ");
    std::fs::write(case.mark("go"), "").expect("written");
    terminal.shows("ended> ");
    terminal.press("run\r");
    terminal.shows(&format!("A WaitsForGo.java:{line}> "));
    terminal.press("print bo\t\r");
    terminal.shows("box = WaitsForGo@1");
    terminal.shows("held = 11");
    terminal.shows("> ");
    terminal.press("\u{4}");
    assert_eq!(terminal.ends(), 0);
    // The next session knows the typed lines.
    let mut terminal = Terminal::open(&case, &program);
    terminal.shows("qp> ");
    terminal.press("\u{1b}[A");
    terminal.shows("print box");
    terminal.press("\u{3}");
    terminal.shows("qp> ");
    terminal.press("quit\r");
    assert_eq!(terminal.ends(), 0);
    case.wait_until("the end of all processes", || crate::support::processes_with(&case.name()).is_empty());
}

#[test]
fn what_is_typed_for_the_program_is_read_again_by_the_next_run() {
    let case = Case::new("reads-stdin");
    let line = case.line("ReadsStdin.java", "// <- A");
    let mut terminal = Terminal::open(&case, &["--", "java", "-cp", "classes", "ReadsStdin"]);
    terminal.shows("qp> ");
    terminal.press(&format!("break ReadsStdin:{line}\r"));
    terminal.shows("qp> ");
    terminal.press("run\r");
    // Input for the program is accepted at any time; the terminal's own line editing ends it.
    terminal.shows("run 1");
    terminal.press("one\rthree words\r\u{4}");
    terminal.shows(&format!("A ReadsStdin.java:{line}> "));
    terminal.press("print longest\r");
    terminal.shows("= \"three words\"");
    terminal.shows("> ");
    terminal.press("run\r");
    terminal.shows(&format!("A ReadsStdin.java:{line}> "));
    terminal.press("save again.ron\r");
    terminal.shows("again.stdin with what the program read");
    terminal.shows("> ");
    terminal.press("quit\r");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(
        std::fs::read_to_string(case.work().join("again.stdin")).expect("written"),
        "one\nthree words\n"
    );
    let replayed = crate::support::finish(case.qp().args(["replay", "again.ron"]));
    assert_eq!(replayed.status.code(), Some(0), "{}", crate::support::said(&replayed));
}
