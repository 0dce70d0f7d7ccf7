//! A program with a fault, recorded once, with the truth about each of its calls: the program without the
//! fault was called with the same input. With that, every strategy can be tried without a person.

use super::{Fault, Program};
use chain::{Chain, Debuggee};
use declarative::{Coverage, Diagnosis, Forest, Needs, Step, Verdict, strategy};
use diagnose::{DiagnoseOptions, Diagnoser, Opinion, Reference};
use past::snapshot::Bounds;
use recorded::{MEMORY, RecordOptions, RecordedTrace, record};
use session::Context;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use trace::Level;

/// A program with a fault.
pub struct Trial {
    pub program: String,
    /// The method with the fault.
    pub faulty: String,
    pub line: usize,
    pub forest: Forest,
    pub edges: Coverage,
    pub chains: Coverage,
    /// The names of methods, by number, as in `faults.ron`.
    pub methods: Vec<String>,
    /// The trusted methods.
    pub trusted: BTreeSet<u32>,
    /// For each call, whether it is right; none if unknown.
    pub right: Vec<Option<bool>>,
    /// For each wrong call, the calls that influenced its first difference; none if there is nothing to point
    /// at.
    pub influential: Vec<Option<BTreeSet<u32>>>,
    /// The calls without a verdict, with the reason.
    pub unknown: Vec<String>,
}

/// The result of a strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    pub answers: usize,
    /// The method it found.
    pub ended_at: Option<String>,
    /// The methods asked about, with the answers.
    pub asked: Vec<(String, bool)>,
}

fn compile(text: &str, class: &str, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    let file = to.join(format!("{class}.java"));
    std::fs::write(&file, text).expect("written");
    let done = Command::new("javac").args(["-g", "-d"]).arg(to).arg(&file).output().expect("javac");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// The first difference, in the words of the reference; none if the other version throws an exception.
fn differing(why: &str) -> Option<String> {
    if why == "the right version throws nothing" {
        return Some("exception".to_owned());
    }
    let end = [" is ", " has "].iter().filter_map(|word| why.find(word)).min()?;
    let path = &why[..end];
    Some(path.strip_prefix("the ").unwrap_or(path).to_owned())
}

impl Trial {
    /// Records a program with a fault, and finds the truth about its calls.
    pub async fn new(program: &Program, fault: &Fault) -> Trial {
        let folder = tempfile::tempdir().expect("a folder");
        let (wrong, right) = (folder.path().join("wrong"), folder.path().join("right"));
        compile(&fault.apply(&program.text()).expect("it fits"), &program.name, &wrong);
        compile(&program.text(), &program.name, &right);
        let command =
            ["java", "-cp", &wrong.display().to_string(), &program.name].map(str::to_owned).to_vec();
        let debuggee = Debuggee { command, ..Debuggee::default() };
        let out = folder.path().join("trace");
        let options =
            RecordOptions { out: out.clone(), level: Level::All, memory: MEMORY, ..RecordOptions::default() };
        let context = Context::silent();
        record(&Chain::new(debuggee, Vec::new()), &options, &context).await.expect("recorded");
        let mut diagnosers = Vec::new();
        for name in ["edge-coverage", "def-use-coverage"] {
            let trace = RecordedTrace::open(&out, MEMORY, &context).await.expect("opened");
            let bounds = Bounds { depth: 64, elements: 1000, parts: 10_000 };
            let options = DiagnoseOptions {
                strategy: Some(name.to_owned()),
                p: None,
                node: None,
                compress: None,
                loops: false,
                suspects_tests: false,
                bounds,
            };
            diagnosers.push(Diagnoser::new(trace, options).expect("begun"));
        }
        let coverage =
            |diagnoser: &Diagnoser| diagnoser.diagnosis().situation().coverage.cloned().expect("coverage");
        let (edges, chains) = (coverage(&diagnosers[0]), coverage(&diagnosers[1]));
        let mut diagnoser = diagnosers.remove(0);
        let forest = diagnoser.diagnosis().forest().clone();
        let mut reference = Reference::new(diagnoser.launcher(), &right.display().to_string(), folder.path())
            .expect("a reference");
        let mut trial = Trial {
            program: program.name.clone(),
            faulty: fault.method.clone(),
            line: fault.line,
            methods: Vec::new(),
            trusted: BTreeSet::new(),
            right: Vec::new(),
            influential: Vec::new(),
            unknown: Vec::new(),
            forest,
            edges,
            chains,
        };
        for node in 0..trial.forest.count() {
            trial.influential.push(None);
            if !trial.forest.has_ended(node) {
                trial.right.push(None);
                continue;
            }
            let question = diagnoser.question(node, &context).await.expect("a question");
            let name = format!("{}.{}", question.class, question.method);
            let number = usize::try_from(trial.forest.method(node)).expect("a number");
            if trial.methods.len() <= number {
                trial.methods.resize(number + 1, String::new());
            }
            trial.methods[number].clone_from(&name);
            if program.trusted.contains(&name) {
                trial.trusted.insert(trial.forest.method(node));
            }
            trial.right.push(match question.method.as_str() {
                // Its output is wrong; no other method prints.
                "main" => Some(false),
                _ => match reference.judge(&question, true).await.expect("an opinion") {
                    Opinion::Valid => Some(true),
                    Opinion::Invalid(why) => {
                        if let Some(path) = differing(&why) {
                            let found = diagnoser.influential(&question, &path, &context);
                            match found.await.unwrap_or_else(|error| Err(error.to_string())) {
                                Ok(influential) => {
                                    *trial.influential.last_mut().expect("it is there") = Some(influential);
                                }
                                Err(why) => trial.unknown.push(format!("#{node} {name}, {path}: {why}")),
                            }
                        }
                        Some(false)
                    }
                    Opinion::Unknown(why) => {
                        trial.unknown.push(format!("#{node} {name}: {why}"));
                        None
                    }
                },
            });
        }
        trial
    }

    /// Plays a strategy to its end.
    pub fn play(&self, name: &str) -> Played {
        self.play_and(name, false)
    }

    /// The same, by somebody who also points at the first difference.
    pub fn play_pointing(&self, name: &str) -> Played {
        self.play_and(name, true)
    }

    fn play_and(&self, name: &str, points: bool) -> Played {
        let row = strategy(name).expect("a strategy");
        let coverage = match row.needs {
            Needs::Nothing => None,
            Needs::Edges => Some(self.edges.clone()),
            Needs::Chains => Some(self.chains.clone()),
        };
        let mut diagnosis = Diagnosis::new(self.forest.clone(), row.made(None), coverage);
        diagnosis.trust(&self.trusted);
        if row.compresses {
            diagnosis.compress();
        }
        let mut asked = Vec::new();
        loop {
            match diagnosis.next() {
                Step::Ask(node) => {
                    let at = usize::try_from(node).expect("a number");
                    let right = self.right[at];
                    asked.push((self.name(node), right.unwrap_or(false)));
                    diagnosis.answer(
                        node,
                        match right {
                            Some(true) => Verdict::Valid,
                            Some(false) => match self.influential[at].as_ref().filter(|_| points) {
                                Some(influential) => Verdict::Wrong(influential.clone()),
                                None => Verdict::Invalid,
                            },
                            None => Verdict::Unknown,
                        },
                    );
                }
                Step::Buggy(node) => {
                    return Played { answers: asked.len(), ended_at: Some(self.name(node)), asked };
                }
                _ => return Played { answers: asked.len(), ended_at: None, asked },
            }
        }
    }

    pub fn name(&self, node: u32) -> String {
        let at = usize::try_from(self.forest.method(node)).expect("a number");
        self.methods.get(at).cloned().unwrap_or_default()
    }
}
