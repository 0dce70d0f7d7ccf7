//! A program that people use, with questions whose right answers are known, and what comes of asking them.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The longest time that one command may take.
const LIMIT: Duration = Duration::from_secs(300);

/// A program. Commands are lines of a shell, and run in a folder with the program's files.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its name and version.
    pub name: String,
    /// Where it comes from, as one says it to an installer.
    pub from: String,
    /// Files without which it is not there. `$NAME` stands for a variable of the table.
    pub needs: Vec<String>,
    /// The folder with its files beside the table.
    #[serde(default)]
    pub files: String,
    /// The commands that prepare it.
    #[serde(default)]
    pub build: Vec<String>,
    /// The command that runs it, which `{program}` in a question stands for.
    pub program: String,
    /// The whole plain run, if `program` does not end by itself.
    #[serde(default)]
    pub plain: Option<String>,
    /// Whether its output differs from run to run, so that nothing compares it.
    #[serde(default)]
    pub varies: bool,
    /// The questions.
    pub questions: Vec<Question>,
    /// Whether CI asks it.
    #[serde(default)]
    #[allow(dead_code, reason = "the bench asks all")]
    pub small: bool,
}

/// A question that a person types.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The command line.
    pub typed: String,
    /// What the right answer says, with single blanks. The last one is shown in the table.
    #[serde(default)]
    pub says: Vec<String>,
    /// Whether the program's output is part of what is printed, and must be that of the plain run.
    #[serde(default)]
    pub shows_output: bool,
}

/// All programs, with the variables that their commands use.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Variables of the environment. A value that is set outside counts.
    pub variables: BTreeMap<String, String>,
    /// The programs.
    pub rows: Vec<Row>,
}

/// What came of a program.
#[derive(Debug)]
pub struct Asked {
    /// The time of the plain run.
    #[allow(dead_code, reason = "the test of CI measures nothing")]
    pub plain: Duration,
    /// For each question: its time, and what was wrong.
    pub questions: Vec<(Duration, Result<(), String>)>,
}

impl Table {
    /// The table beside this file.
    pub fn read() -> Table {
        let file = folder().join("programs.ron");
        let options =
            ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
        let text = std::fs::read_to_string(&file).expect("programs.ron");
        options.from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// The files of a program that are not there.
    pub fn missing(&self, row: &Row) -> Vec<String> {
        let mut needed: Vec<String> = row.needs.iter().map(|path| self.expanded(path)).collect();
        needed.retain(|path| !Path::new(path).exists());
        needed
    }

    fn value(&self, name: &str) -> String {
        std::env::var(name).ok().or_else(|| self.variables.get(name).cloned()).unwrap_or_default()
    }

    fn expanded(&self, path: &str) -> String {
        let Some(rest) = path.strip_prefix('$') else { return path.to_owned() };
        let (name, rest) = rest.split_once('/').unwrap_or((rest, ""));
        if rest.is_empty() { self.value(name) } else { format!("{}/{rest}", self.value(name)) }
    }

    /// Prepares a program, runs it `rounds` times plainly, and asks its questions with this `qp`.
    pub fn ask(&self, row: &Row, qp: &Path, rounds: usize) -> Asked {
        let work = tempfile::tempdir().expect("a folder");
        if !row.files.is_empty() {
            copy(&folder().join(&row.files), work.path());
        }
        let shell = |line: &str| self.shell(line, work.path(), qp);
        for line in &row.build {
            let (output, _) = shell(line);
            assert!(output.status.success(), "{}: {line}\n{}", row.name, said(&output));
        }
        let plain = &row.plain.as_ref().unwrap_or(&row.program).replace("{program}", &row.program);
        let mut runs: Vec<(Output, Duration)> = (0..rounds).map(|_| shell(plain)).collect();
        runs.sort_by_key(|(_, took)| *took);
        let (printed, plain) = runs.swap_remove(runs.len() / 2);
        let mut asked = Asked { plain, questions: Vec::new() };
        for question in &row.questions {
            let (answer, took) = shell(&question.typed.replace("{program}", &row.program));
            let compared = (question.shows_output && !row.varies).then_some(&printed);
            asked.questions.push((took, judged(question, &answer, compared)));
        }
        asked
    }

    fn shell(&self, line: &str, folder: &Path, qp: &Path) -> (Output, Duration) {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(folder).stdin(Stdio::null());
        command.env("NO_COLOR", "1").env_remove("JAVA_TOOL_OPTIONS");
        for name in self.variables.keys() {
            command.env(name, self.value(name));
        }
        let mut paths: Vec<PathBuf> = qp.parent().map(Path::to_owned).into_iter().collect();
        paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        command.env("PATH", std::env::join_paths(paths).expect("a path"));
        let started = Instant::now();
        let output = testing::finish(&mut command, LIMIT);
        (output.unwrap_or_else(|| panic!("longer than {LIMIT:?}: {line}")), started.elapsed())
    }
}

/// Whether an answer is right.
fn judged(question: &Question, answer: &Output, printed: Option<&Output>) -> Result<(), String> {
    let text = one_line(&said(answer));
    if !answer.status.success() {
        return Err(format!("{}: {text}", answer.status));
    }
    if let Some(missing) = question.says.iter().find(|says| !text.contains(one_line(says).as_str())) {
        return Err(format!("does not say `{missing}`: {text}"));
    }
    match printed.map(|plain| String::from_utf8_lossy(&plain.stdout).into_owned()) {
        Some(plain) if !said(answer).contains(&plain) => {
            Err(format!("the program printed something else: {text}"))
        }
        _ => Ok(()),
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/used_programs")
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            std::fs::create_dir_all(&target).expect("a folder");
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}

fn said(output: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
