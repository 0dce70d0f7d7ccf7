//! A program in its own folder. So a test recognises everything that `qp` leaves behind: its processes have
//! the folder's name in their environment, and its files lie in the folder.

use super::{compiled, finish, processes_with, qp, said};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// How long a test waits for a certain event, even on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// One program.
pub struct Case {
    folder: tempfile::TempDir,
    fixture: String,
}

impl Case {
    /// The program of `tests/fixtures/NAME`, compiled with `-g` into `classes`, its sources beside it.
    pub fn new(name: &str) -> Case {
        Case::compiled_with(name, &["-g"])
    }

    /// The same with other options of `javac`.
    pub fn compiled_with(name: &str, options: &[&str]) -> Case {
        Case::of(format!("fixtures/{name}"), options)
    }

    /// The program of `examples/NAME`.
    pub fn of_example(name: &str) -> Case {
        Case::of(format!("../examples/{name}"), &["-g"])
    }

    fn of(fixture: String, options: &[&str]) -> Case {
        let folder = tempfile::Builder::new().prefix("qpcase").rand_bytes(12).tempdir();
        let case = Case { folder: folder.expect("a folder"), fixture };
        for sub in ["work/classes", "tmp", "cache", "marks"] {
            std::fs::create_dir_all(case.folder.path().join(sub)).expect("a folder");
        }
        copy(&super::root().join("tests").join(&case.fixture), &case.work(), "java");
        copy(&compiled(&case.fixture, options), &case.work().join("classes"), "class");
        case
    }

    /// The folder that commands run in.
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// A file outside the working folder, by which the program signals something to the test.
    pub fn mark(&self, name: &str) -> PathBuf {
        self.folder.path().join("marks").join(name)
    }

    /// Number of the line that ends with a marker.
    pub fn line(&self, file: &str, marker: &str) -> u32 {
        super::marked(&self.fixture, file, marker)
    }

    /// `qp` in the working folder. All processes it starts have the case's name in their environment.
    pub fn qp(&self) -> Command {
        let mut command = qp();
        command.current_dir(self.work()).env("QP_TEST_CASE", self.name());
        command.env("TMPDIR", self.folder.path().join("tmp"));
        command.env("XDG_CACHE_HOME", self.folder.path().join("cache"));
        command.env("MARKS", self.folder.path().join("marks"));
        command
    }

    /// Writes a chain with this debuggee and these points, both as RON.
    pub fn chain(&self, debuggee: &str, points: &str) -> PathBuf {
        let file = self.work().join("chain.ron");
        let text = format!("(format: 1, debuggee: ({debuggee}), points: [{points}])");
        std::fs::write(&file, text).expect("written");
        file
    }

    /// Runs `qp` to its end, and checks that it leaves nothing behind.
    pub fn run(&self, arguments: &[&str]) -> Run {
        self.run_command(self.qp().args(arguments))
    }

    /// Runs a chain, and checks that it leaves nothing behind.
    pub fn replay(&self, debuggee: &str, points: &str, options: &[&str]) -> Run {
        let file = self.chain(debuggee, points);
        self.run_command(self.qp().arg("replay").arg(file).args(options))
    }

    /// Runs a command to its end, and checks that it leaves nothing behind.
    pub fn run_command(&self, command: &mut Command) -> Run {
        let before = self.files();
        let started = Instant::now();
        let output = finish(command);
        let run = Run { elapsed: started.elapsed(), output };
        self.nothing_is_left(&before, &run.said());
        run
    }

    /// Starts `qp replay --format json` with this chain, waits until `ready` holds, and sends a signal.
    /// Checks that it ends and leaves nothing behind.
    pub fn interrupted(
        &self,
        command: &mut Command,
        signal: rustix::process::Signal,
        ready: impl Fn() -> bool,
    ) -> Run {
        let before = self.files();
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("qp starts");
        self.wait_until("the moment of the signal", ready);
        let port = self.port();
        let started = Instant::now();
        let pid =
            i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw).expect("a process id");
        rustix::process::kill_process(pid, signal).expect("sent");
        let output = super::wait(child);
        let run = Run { elapsed: started.elapsed(), output };
        self.nothing_is_left(&before, &run.said());
        if let Some(port) = port {
            let address = std::net::SocketAddr::from(([127, 0, 0, 1], port));
            assert!(std::net::TcpStream::connect(address).is_err(), "port {port} is still open");
        }
        run
    }

    /// Waits until something holds.
    pub fn wait_until(&self, what: &str, ready: impl Fn() -> bool) {
        let started = Instant::now();
        while !ready() {
            assert!(
                started.elapsed() < PATIENCE,
                "waited for {what}; running: {:?}",
                processes_with(&self.name())
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The port that `qp` listens on, as its VM or wrapper received it.
    pub fn port(&self) -> Option<u16> {
        processes_with(&self.name()).into_iter().find_map(|(pid, command)| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let text = format!("{command} {}", String::from_utf8_lossy(&environment));
            let (_, rest) = text.split_once("address=127.0.0.1:")?;
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
        })
    }

    /// The text in the environment of every process that `qp` starts for this case.
    pub fn name(&self) -> String {
        self.folder.path().file_name().expect("a name").to_string_lossy().into_owned()
    }

    /// Files of the working folder and the folder for temporary files.
    pub fn files(&self) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        for sub in ["work", "tmp"] {
            list(&self.folder.path().join(sub), &mut found);
        }
        found
    }

    fn nothing_is_left(&self, before: &BTreeSet<PathBuf>, said: &str) {
        let left = processes_with(&self.name());
        assert!(left.is_empty(), "left behind: {left:?}\n{said}");
        let after = self.files();
        assert_eq!(*before, after, "files changed\n{said}");
    }
}

/// The result of one `qp`.
pub struct Run {
    /// Time from its start, or from the signal it received, to its end.
    pub elapsed: Duration,
    /// Its exit code and output.
    pub output: Output,
}

impl Run {
    /// Its whole output.
    pub fn said(&self) -> String {
        said(&self.output)
    }

    /// Asserts the exit code, and that the output contains all these texts, with blanks and line ends made
    /// equal.
    #[track_caller]
    pub fn is(&self, code: i32, texts: &[&str]) -> &Run {
        let said = self.said();
        assert_eq!(self.output.status.code(), Some(code), "{said}");
        let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
        for text in texts {
            assert!(flat.contains(text), "`{text}` is missing in:\n{said}");
        }
        self
    }

    /// Asserts an error: this exit code, nothing on standard output, no trace of a crash, and these texts.
    #[track_caller]
    pub fn fails(&self, code: i32, texts: &[&str]) -> &Run {
        self.is(code, texts);
        assert!(self.output.stdout.is_empty(), "{}", self.said());
        self
    }

    /// Its answer as JSON.
    #[track_caller]
    pub fn answer(&self) -> Value {
        serde_json::from_slice(&self.output.stdout)
            .unwrap_or_else(|e| panic!("no JSON ({e}): {}", self.said()))
    }

    /// Asserts that it took less than this.
    #[track_caller]
    pub fn within(&self, limit: Duration) -> &Run {
        assert!(self.elapsed < limit, "it took {:?}: {}", self.elapsed, self.said());
        self
    }
}

/// Adds what is below a folder.
pub fn list(folder: &Path, found: &mut impl Extend<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            list(&path, found);
        }
        found.extend([path]);
    }
}

fn copy(from: &Path, to: &Path, extension: &str) {
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let path = entry.path();
        let target = to.join(entry.file_name());
        if path.is_dir() && extension == "class" {
            std::fs::create_dir_all(&target).expect("a folder");
            copy(&path, &target, extension);
        } else if path.extension().is_some_and(|e| e == extension) {
            std::fs::copy(&path, &target).expect("copied");
        }
    }
}
