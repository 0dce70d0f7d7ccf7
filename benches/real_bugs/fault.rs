//! Faults of the corpus: their file, and their classes.

use super::projects::{Project, corpus};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A changed line of a library, with a test that fails by it.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub struct RealFault {
    /// The library's name and a number.
    pub id: String,
    pub project: String,
    /// Its file, relative to the folder of the main sources.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The methods whose code the fault changes, as `package.Class$Nested.method(I)V`.
    pub methods: Vec<String>,
    /// The operator that made it, or what a person did wrong.
    pub kind: String,
    /// The line without its indentation.
    pub was: String,
    /// The same with the fault; empty for a deleted statement.
    pub becomes: String,
    /// The failing test: `package.Class#method`.
    pub test: String,
}

/// A fault of `by_hand.ron`.
#[derive(Clone, Debug, Deserialize)]
pub struct ByHand {
    pub project: String,
    pub file: String,
    /// What a person did wrong.
    pub kind: String,
    /// The line without its indentation; the first one with this text.
    pub was: String,
    pub becomes: String,
}

/// `faults.ron`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct RealFaults {
    /// The seed that drew those that are not by hand.
    pub seed: u64,
    pub drawn: Vec<RealFault>,
    pub by_hand: Vec<RealFault>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/real_bugs")
}

/// The faults that are saved.
pub fn saved() -> RealFaults {
    let Ok(text) = std::fs::read_to_string(folder().join("faults.ron")) else { return RealFaults::default() };
    ron::from_str(&text).unwrap_or_else(|e| panic!("faults.ron: {e}"))
}

/// Saves faults.
pub fn save(faults: &RealFaults) {
    let mut text = ron::ser::to_string_pretty(faults, ron::ser::PrettyConfig::new()).expect("written as RON");
    text.push('\n');
    std::fs::write(folder().join("faults.ron"), text).expect("written");
}

/// The faults made by hand.
pub fn by_hand() -> Vec<ByHand> {
    let text = include_str!("by_hand.ron");
    ron::from_str(text).unwrap_or_else(|e| panic!("by_hand.ron: {e}"))
}

/// Inserts a fault into a file's text; `None` if the line has changed.
pub fn apply(text: &str, line: usize, was: &str, becomes: &str) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let line = lines.get_mut(line.checked_sub(1)?)?;
    if line.trim() != was {
        return None;
    }
    let indentation = &line[..line.len() - line.trim_start().len()];
    *line = format!("{indentation}{becomes}");
    Some(lines.join("\n") + "\n")
}

/// A compiler that stays between files.
pub struct Compiler {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Compiler {
    /// Starts it.
    pub fn new() -> Compiler {
        let mut java = Command::new("java");
        java.arg(folder().join("ChangedMethods.java")).env_remove("JAVA_TOOL_OPTIONS");
        let mut child = java.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("java starts");
        let to = child.stdin.take().expect("piped");
        let from = BufReader::new(child.stdout.take().expect("piped"));
        Compiler { child, to, from }
    }

    /// Compiles the file of a fault for `Project::wrong`. Returns the methods whose code it changes; none if
    /// it does not compile.
    pub fn place(&mut self, project: &Project, fault: &RealFault) -> Option<Vec<String>> {
        let text = std::fs::read_to_string(project.file(&fault.file)).expect("UTF-8");
        let text = apply(&text, fault.line, &fault.was, &fault.becomes);
        let text = text.unwrap_or_else(|| panic!("{}: {}:{} has changed", fault.id, fault.file, fault.line));
        let (texts, wrong) = (project.folder().join("texts").join(&fault.id), project.wrong(&fault.id));
        let _ = std::fs::remove_dir_all(&wrong);
        let _ = std::fs::remove_dir_all(&texts);
        let file = texts.join(Path::new(&fault.file).file_name().expect("a file"));
        std::fs::create_dir_all(&texts).expect("a folder");
        std::fs::write(&file, text).expect("written");
        let path = format!("{}:{}", project.right().display(), project.jars());
        let (file, wrong, right) = (file.display(), wrong.display(), project.right());
        writeln!(self.to, "{path}\t{file}\t{wrong}\t{}\t{}", right.display(), project.release).expect("read");
        let mut reply = String::new();
        self.from.read_line(&mut reply).expect("a reply");
        let mut words = reply.trim_end().split('\t');
        let methods = words.next() == Some("yes");
        methods.then(|| words.filter(|w| !w.is_empty()).map(str::to_owned).collect())
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Compiles all saved faults again, and saves which methods they change.
pub fn compute_methods(projects: &[Project]) {
    let mut faults = saved();
    let mut compiler = Compiler::new();
    for fault in faults.drawn.iter_mut().chain(&mut faults.by_hand) {
        let project = projects.iter().find(|p| p.name == fault.project).expect("a library");
        let methods = compiler.place(project, fault);
        fault.methods = methods.unwrap_or_else(|| panic!("{} does not compile", fault.id));
    }
    save(&faults);
}

/// Compiles the saved faults that the corpus lacks.
pub fn place_saved(projects: &[Project]) {
    let faults = saved();
    let mut compiler = None;
    for fault in faults.drawn.iter().chain(&faults.by_hand) {
        let project = projects.iter().find(|p| p.name == fault.project).expect("a library");
        let file = project.folder().join("texts").join(&fault.id).join("placed");
        let key = format!("{}:{} {}", fault.file, fault.line, fault.becomes);
        if std::fs::read_to_string(&file).is_ok_and(|placed| placed == key) {
            continue;
        }
        let methods = compiler.get_or_insert_with(Compiler::new).place(project, fault);
        assert_eq!(methods.as_ref(), Some(&fault.methods), "{} in {}", fault.id, corpus().display());
        std::fs::write(&file, key).expect("written");
    }
}
