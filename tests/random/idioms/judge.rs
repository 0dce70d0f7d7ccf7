//! Asks `qp` about a program by each back end, checks its recording, and compares the program with itself.

use super::generate::{MEMBERS, Program, STATICS, generate};
use super::library::LOG;
use super::truth::{Change, Event, Truth, run};
use crate::support::javac::Javac;
use crate::support::rng::Rng;
use serde_json::Value;
use std::path::{Path, PathBuf};

const LIGHT: [&str; 2] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

/// Options of `qp replay`, each a way to the same answers.
pub const BACKENDS: [&[&str]; 3] = [
    &["--backend", "jdwp"],
    &["--backend", "probe"],
    &["--backend", "probe", "--eager", "0", "--max-runs", "100"],
];

/// Some programs with their classes.
pub struct Compiled {
    pub programs: Vec<Program>,
    plain: PathBuf,
    logged: PathBuf,
}

/// A question with the expected answer.
#[derive(Clone, Debug)]
struct Asked {
    id: String,
    point: String,
    expected: Expected,
}

#[derive(Clone, Debug)]
enum Expected {
    Root(u32),
    Change(Change),
    Condition { line: u32, taken: Option<bool> },
}

pub fn compile(folder: &Path, seeds: impl Iterator<Item = u64>) -> Compiled {
    let (plain, logged) = (folder.join("plain"), folder.join("logged"));
    let programs: Vec<Program> = seeds.map(generate).collect();
    for program in &programs {
        write(&plain, &program.class, &program.plain);
        write(&logged, &program.class, &program.logged);
    }
    write(&logged, "Log", LOG);
    for folder in [&plain, &logged] {
        let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let files: Vec<PathBuf> =
            files.filter(|file| file.extension().is_some_and(|e| e == "java")).collect();
        Javac::new().args(["-g", "-nowarn", "-proc:none", "-d"]).arg(folder).args(files).run();
    }
    Compiled { programs, plain, logged }
}

fn write(folder: &Path, class: &str, text: &str) {
    std::fs::create_dir_all(folder).expect("a folder");
    std::fs::write(folder.join(format!("{class}.java")), text).expect("written");
}

impl Compiled {
    pub fn truth<'p>(&self, program: &'p Program) -> Option<Truth<'p>> {
        run(program, &self.logged)
    }

    /// The command of the plain program.
    fn java(&self, program: &Program) -> Vec<String> {
        let classes = self.plain.display().to_string();
        let mut words: Vec<&str> = vec!["java"];
        words.extend(LIGHT);
        words.extend(program.assertions.then_some("-ea"));
        words.extend(["-cp", &classes, &program.class]);
        words.into_iter().map(str::to_owned).collect()
    }

    /// The number of compared answers, and the errors.
    pub fn answers(&self, truth: &Truth<'_>, roots: usize) -> (usize, Vec<String>) {
        let program = truth.program;
        let asked = questions(truth, roots);
        let points: String =
            asked.iter().map(|q| format!("        (id: \"{}\", {}),\n", q.id, q.point)).collect();
        let text = format!(
            "(\n    format: 1,\n    debuggee: (command: {:?}, sources: [{:?}], timeout_s: 100),\n    points: [\n{points}    ],\n)\n",
            self.java(program),
            self.plain
        );
        let file = crate::support::chain_file(&format!("idioms-{}.ron", program.seed), &text);
        let (mut count, mut wrong) = (0, Vec::new());
        for backend in BACKENDS {
            let (code, answer) = crate::support::replay(&file, backend);
            if code > 1 {
                wrong.push(format!("seed {}, {backend:?}: exit code {code}: {answer:#}", program.seed));
                continue;
            }
            for question in &asked {
                count += 1;
                if let Some(differs) = question.differs(crate::support::point(&answer, &question.id)) {
                    wrong.push(format!("seed {}, {backend:?}, {}: {differs}", program.seed, question.point));
                }
            }
        }
        (count, wrong)
    }

    /// How a recording at level `all` differs from the log: stores to variables and writes to fields, in
    /// order.
    pub fn recording(&self, truth: &Truth<'_>) -> Option<String> {
        let program = truth.program;
        let folder = self.plain.join(format!("{}.trace", program.class));
        let mut record = crate::support::qp();
        record.args(["trace", "record", "--level", "all", "--out"]).arg(&folder).arg("--");
        let output = crate::support::finish(record.args(self.java(program)));
        assert_eq!(output.status.code(), Some(0), "{}", crate::support::said(&output));
        let file = folder.with_extension("jsonl");
        let output = crate::support::finish(
            crate::support::qp().args(["trace", "export"]).arg(&folder).arg("--to").arg(&file),
        );
        assert_eq!(output.status.code(), Some(0), "{}", crate::support::said(&output));
        let text = std::fs::read_to_string(&file).expect("the export");
        let mut lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
        lines.sort_by_key(|line| line["turn"].as_u64());
        let theirs = lines.iter().filter_map(|line| recorded(program, line));
        let ours: Vec<String> = truth.events.iter().filter_map(|event| logged(program, event)).collect();
        let theirs: Vec<String> = theirs.collect();
        let at = (0..ours.len().max(theirs.len())).find(|at| ours.get(*at) != theirs.get(*at))?;
        let before = &ours[at.saturating_sub(3)..at];
        Some(format!(
            "seed {}: event {at} is {:?}, and was recorded as {:?}, after {before:?}",
            program.seed,
            ours.get(at),
            theirs.get(at)
        ))
    }

    /// Whether `qp` finds the program different from itself, by comparing runs and by calling its methods
    /// again.
    pub fn differs_from_itself(&self, program: &Program) -> Option<String> {
        let java = self.java(program);
        let diff = crate::support::finish(
            crate::support::qp()
                .args(["diff", "--format", "json", "--reference"])
                .arg(&self.plain)
                .arg("--")
                .args(&java),
        );
        let parted: Value = serde_json::from_slice(&diff.stdout).unwrap_or_default();
        if diff.status.code() != Some(1) || !parted["parted"].is_null() {
            return Some(format!("seed {}: qp diff: {}", program.seed, crate::support::said(&diff)));
        }
        let diagnosed = crate::support::finish(
            crate::support::qp().args(["diagnose", "--reference"]).arg(&self.plain).arg("--").args(&java),
        );
        let said = crate::support::said(&diagnosed);
        let blames = said.contains("is invalid by the reference") || said.contains("the bug is in");
        blames.then(|| format!("seed {}: qp diagnose: {said}", program.seed))
    }
}

/// A store or write of a recording, as [`logged`] writes it.
fn recorded(program: &Program, line: &Value) -> Option<String> {
    let text = |key: &str| line[key].as_str().unwrap_or("-").to_owned();
    let (name, new) = (text("name"), text("new"));
    match line["event"].as_str()? {
        "local" if program.vars.values().any(|(known, _)| *known == name) => Some(format!("{name} = {new}")),
        "field" => {
            let class = text("declared_by");
            let is_static = class == program.class && STATICS.iter().any(|(known, _)| *known == name);
            let is_member =
                class == format!("{}$Acc", program.class) && MEMBERS.iter().any(|(known, _)| *known == name);
            (is_static || is_member).then(|| format!(".{name} = {new}"))
        }
        _ => None,
    }
}

fn logged(program: &Program, event: &Event) -> Option<String> {
    match event {
        Event::Store { var, value, .. } => Some(format!("{} = {value}", program.vars[var].0)),
        Event::Write { field, value, .. } => Some(format!(".{field} = {value}")),
        _ => None,
    }
}

/// Questions from some statements of a run.
fn questions(truth: &Truth<'_>, roots: usize) -> Vec<Asked> {
    let program = truth.program;
    let mut rng = Rng::new(program.seed ^ 0xa5c3);
    let mut asked: Vec<Asked> = Vec::new();
    let reached: Vec<_> = program.roots.iter().filter(|root| !truth.hits(root.line).is_empty()).collect();
    if reached.is_empty() {
        return asked;
    }
    for _ in 0..roots {
        let root = *rng.pick(&reached);
        let hits = truth.hits(root.line);
        let index = rng.below(hits.len());
        let at = hits[index];
        let number = asked.len();
        let from = format!("R{number}");
        asked.push(Asked {
            id: from.clone(),
            point: format!("at: Line(\"{}\", {}), index: {index}", program.class, root.line),
            expected: Expected::Root(root.line),
        });
        let mut change = |name: &str, change: Option<Change>| {
            let Some(change) = change else { return };
            let id = format!("Q{}", asked.len());
            let point = format!("at: LastChange(\"{from}:{name}\")");
            asked.push(Asked { id, point, expected: Expected::Change(change) });
        };
        for var in &root.vars {
            change(&var.name, truth.last_store(var, at));
        }
        for (field, _) in STATICS {
            change(&format!("{}.{field}", program.class), truth.last_write(None, field, at));
        }
        for object in ["acc", "other"] {
            for (field, _) in MEMBERS {
                let name = format!("{}.{object}.{field}", program.class);
                change(&name, truth.last_write(Some(object), field, at));
            }
        }
        if let Some(decided) = &root.decided
            && let Some(way) = truth.last_way(decided.id, at)
        {
            asked.push(Asked {
                id: format!("Q{}", asked.len()),
                point: format!("at: LastCondition(\"{from}\")"),
                expected: Expected::Condition { line: decided.line, taken: decided.has_ways.then_some(way) },
            });
        }
    }
    asked
}

impl Asked {
    /// The difference between an answer and the expected one.
    fn differs(&self, found: &Value) -> Option<String> {
        let line = found["line"].as_u64().and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
        if found["located"] != true {
            return Some(format!("not located: {}; must be {:?}", found["reason"], self.expected));
        }
        let is = |key: &str, ours: &str| found[key].as_str() == Some(ours);
        let fits = match &self.expected {
            Expected::Root(expected) => line == *expected,
            Expected::Change(Change { lines, old, new }) => {
                (lines.0..=lines.1).contains(&line) && is("old", old) && is("new", new)
            }
            Expected::Condition { line: expected, taken } => {
                line == *expected && taken.is_none_or(|taken| is("taken", &taken.to_string()))
            }
        };
        (!fits).then(|| {
            format!(
                "line {line}, old {}, new {}, condition {} {}; must be {:?}",
                found["old"], found["new"], found["condition"], found["taken"], self.expected
            )
        })
    }
}
