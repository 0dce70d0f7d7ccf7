//! Compiles programs, runs them with their log, and asks each back end of `qp` about them.

use super::ast::Program;
use super::compare::{Objects, wrong};
use super::log::{Event, parse};
use super::questions::{Question, ask, chain};
use super::render::{LOG, render};
use super::trace::Trace;
use crate::support::javac::Javac;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options that make short runs of a VM cheap.
const LIGHT: [&str; 2] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];
const EXCEPTIONS: &str = "class E1 extends RuntimeException { }\nclass E2 extends RuntimeException { }\n";

/// A way to replay a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend {
    pub name: &'static str,
    pub arguments: &'static [&'static str],
    /// Whether it answers for elements of arrays.
    pub probes: bool,
    /// Whether it asks a recording, which has no reads of fields.
    pub recorded: bool,
}

/// The ways to replay each chain: by events, by probes with every hit read as it comes, by probes with only
/// the last hits, and from a recording.
pub const BACKENDS: [Backend; 4] = [
    Backend { name: "jdwp", arguments: &["--backend", "jdwp"], probes: false, recorded: false },
    Backend { name: "probes", arguments: &["--backend", "probe"], probes: true, recorded: false },
    Backend {
        name: "probes, kept in the VM",
        arguments: &["--backend", "probe", "--eager", "0", "--max-runs", "100"],
        probes: true,
        recorded: false,
    },
    Backend { name: "a recording", arguments: &[], probes: true, recorded: true },
];

/// The folders of some programs' classes.
pub struct Folders {
    plain: PathBuf,
    logged: PathBuf,
}

impl Folders {
    /// A `java` command that runs the plain program.
    pub fn java(&self, program: &Program) -> Vec<String> {
        let [first, second] = LIGHT;
        let classes = self.plain.display().to_string();
        ["java", first, second, "-cp", &classes, &program.main_class()].map(str::to_owned).into()
    }
}

/// A wrong answer.
#[derive(Clone, Debug)]
pub struct Difference {
    pub backend: Backend,
    /// Id of its question; empty if there is no answer at all.
    pub question: String,
    pub text: String,
}

/// The result for a program.
pub struct Judged {
    pub questions: Vec<Question>,
    /// Number of compared answers over all back ends, and of those with a place.
    pub answers: usize,
    pub located: usize,
    pub differences: Vec<Difference>,
}

/// Writes and compiles programs. Returns for each whether it compiled.
pub fn compile(folder: &Path, programs: &mut [Program]) -> (Folders, Vec<bool>) {
    let (folders, mut left) = compile_logged(folder, programs);
    javac(&folders.plain, &mut left, &["E1"]);
    let compiled = programs.iter().map(|p| left.contains(&p.main_class())).collect();
    (folders, compiled)
}

/// The same, but compiles only the logging text; the plain text is only written. Returns the names of those
/// that compiled.
pub fn compile_logged(folder: &Path, programs: &mut [Program]) -> (Folders, Vec<String>) {
    let folders = Folders { plain: folder.join("plain"), logged: folder.join("logged") };
    let (plain, logged) = (&folders.plain, &folders.logged);
    let texts: Vec<(String, String)> = programs.iter_mut().map(render).collect();
    for (program, (text, with_log)) in programs.iter().zip(&texts) {
        write(plain, &program.main_class(), text);
        write(logged, &program.main_class(), with_log);
    }
    write(plain, "E1", EXCEPTIONS);
    write(logged, "E1", EXCEPTIONS);
    write(logged, "Log", LOG);
    let mut left: Vec<String> = programs.iter().map(Program::main_class).collect();
    javac(logged, &mut left, &["E1", "Log"]);
    (folders, left)
}

/// The text of a program and of the class common to all, by file.
pub fn sources(program: &Program) -> [(String, String); 2] {
    let text = render(&mut program.clone()).0;
    [(format!("{}.java", program.main_class()), text), ("E1.java".into(), EXCEPTIONS.into())]
}

fn write(folder: &Path, class: &str, text: &str) {
    std::fs::create_dir_all(folder).expect("a folder");
    std::fs::write(folder.join(format!("{class}.java")), text).expect("written");
}

/// Compiles classes, and drops those that fail.
fn javac(folder: &Path, classes: &mut Vec<String>, more: &[&str]) {
    while !classes.is_empty() {
        let names = classes.iter().map(String::as_str).chain(more.iter().copied());
        let files: Vec<PathBuf> = names.map(|c| folder.join(format!("{c}.java"))).collect();
        let mut javac = Javac::new();
        javac.args(["-g", "-nowarn", "-proc:none", "-Xmaxerrs", "10000", "-d"]).arg(folder).args(&files);
        let Err(said) = javac.tried() else { return };
        let had = classes.len();
        classes.retain(|c| !said.contains(&format!("{c}.java:")));
        assert!(classes.len() < had, "javac: {said}");
    }
}

/// Runs a program with its log; none if the log is too long or empty.
pub fn run(program: &Program, folders: &Folders) -> Option<Vec<Event>> {
    let mut java = Command::new("java");
    let output =
        java.args(LIGHT).arg("-cp").arg(&folders.logged).arg(program.main_class()).output().expect("java");
    parse(&String::from_utf8_lossy(&output.stdout)).filter(|events| !events.is_empty())
}

/// The questions that the back end can answer.
fn for_backend(questions: &[Question], backend: Backend) -> Vec<Question> {
    let mut kept: Vec<Question> = Vec::new();
    for question in questions {
        let is_read = question.point.contains("LastRead(");
        let has_effect = question.from.as_ref().is_none_or(|id| kept.iter().any(|kept| kept.id == *id));
        let has_events = has_effect && (!backend.recorded || !is_read);
        if has_events && (backend.probes || !question.needs_probes) {
            kept.push(question.clone());
        }
    }
    kept
}

/// Records a program with all its events. Returns the folder.
fn recording(program: &Program, folders: &Folders, file: &Path) -> PathBuf {
    let to = file.with_extension("trace");
    let _ = std::fs::remove_dir_all(&to);
    let mut command = crate::support::qp();
    command
        .args(["trace", "record", "--level", "all", "--out"])
        .arg(&to)
        .arg("--")
        .args(folders.java(program));
    let output = crate::support::finish(&mut command);
    assert_eq!(output.status.code(), Some(0), "{}", crate::support::said(&output));
    to
}

/// The debuggee of a chain, compiled.
fn debuggee(program: &Program, folders: &Folders) -> String {
    let classes = folders.plain.display().to_string();
    let class = program.main_class();
    let [first, second] = LIGHT;
    format!(
        "command: [\"java\", {first:?}, {second:?}, \"-cp\", {classes:?}, \"{class}\"], sources: [{classes:?}], timeout_s: 100"
    )
}

/// Asks each back end questions about a program from `roots` points, and compares the answers with the log.
/// None if there is nothing to ask.
pub fn judge(program: &Program, folders: &Folders, roots: usize, backends: &[Backend]) -> Option<Judged> {
    let events = run(program, folders)?;
    let trace = Trace::new(program, events);
    let questions = ask(&trace, roots);
    Some(answers(program, folders, questions, backends))
}

/// Asks each back end the questions, and compares.
pub fn answers(
    program: &Program,
    folders: &Folders,
    questions: Vec<Question>,
    backends: &[Backend],
) -> Judged {
    let mut judged = Judged { questions, answers: 0, located: 0, differences: Vec::new() };
    for backend in backends {
        let asked = for_backend(&judged.questions, *backend);
        if asked.is_empty() {
            continue;
        }
        let text = chain(&debuggee(program, folders), &asked, |_| String::new());
        let file = crate::support::chain_file(&format!("random-{}.ron", program.number), &text);
        let mut differ = |question: &str, text: String| {
            judged.differences.push(Difference { backend: *backend, question: question.into(), text });
        };
        // Report a program that fails, and try the others.
        let replayed = std::panic::catch_unwind(|| match backend.recorded {
            true => {
                let recording = recording(program, folders, &file).display().to_string();
                crate::support::replay(&file, &["--in", &recording])
            }
            false => crate::support::replay(&file, backend.arguments),
        });
        let Ok((code, answer)) = replayed else {
            differ("", "no answer".into());
            continue;
        };
        if code != 0 && code != 1 {
            differ("", format!("exit code {code}: {answer:#}"));
            continue;
        }
        let mut objects = Objects::default();
        for question in &asked {
            let found = crate::support::point(&answer, &question.id);
            judged.answers += 1;
            judged.located += usize::from(found["located"] == true);
            if let Some(wrong) = wrong(question, found, &mut objects) {
                differ(&question.id, wrong);
            }
        }
    }
    judged
}
