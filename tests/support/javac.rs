//! `javac` for tests, in VMs that stay alive: a warm compiler takes a tenth of the time.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// A `javac` with its arguments. Relative paths begin at the project's folder.
#[derive(Default)]
pub struct Javac {
    arguments: Vec<String>,
}

/// A VM that compiles. It ends when the test process does, since its standard input ends then.
struct Compiler {
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    _child: Child,
}

/// Idle compilers. There are never more than tests that run at the same time.
static IDLE: Mutex<Vec<Compiler>> = Mutex::new(Vec::new());

impl Javac {
    pub fn new() -> Javac {
        Javac::default()
    }

    pub fn arg(&mut self, argument: impl AsRef<OsStr>) -> &mut Javac {
        let text = argument.as_ref().to_str().expect("UTF-8").to_owned();
        assert!(!text.contains(['\t', '\n']), "{text:?} is no argument for this compiler");
        self.arguments.push(text);
        self
    }

    pub fn args<A: AsRef<OsStr>>(&mut self, arguments: impl IntoIterator<Item = A>) -> &mut Javac {
        for argument in arguments {
            self.arg(argument);
        }
        self
    }

    /// Compiles, or fails the test with the compiler's messages.
    pub fn run(&self) {
        if let Err(messages) = self.tried() {
            panic!("javac {}:\n{messages}", self.arguments.join(" "));
        }
    }

    /// Compiles, or returns the compiler's messages.
    pub fn tried(&self) -> Result<(), String> {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut compiler = idle.unwrap_or_else(Compiler::start);
        let answer = compiler.ask(&self.arguments.join("\t"));
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(compiler);
        let (code, messages) = answer.split_once('\t').expect("a code and messages");
        if code == "0" { Ok(()) } else { Err(messages.replace('\u{1f}', "\n")) }
    }
}

impl Compiler {
    fn start() -> Compiler {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/Javac.java");
        let mut java = Command::new("java");
        java.args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"]).arg(source);
        java.current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("JAVA_TOOL_OPTIONS");
        let mut child = java.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("java starts");
        let stdin = child.stdin.take().expect("piped");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        Compiler { stdin, stdout, _child: child }
    }

    fn ask(&mut self, line: &str) -> String {
        writeln!(self.stdin, "{line}").and_then(|()| self.stdin.flush()).expect("the compiler reads");
        let mut answer = String::new();
        self.stdout.read_line(&mut answer).expect("the compiler answers");
        answer.trim_end_matches('\n').to_owned()
    }
}
