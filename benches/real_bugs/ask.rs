//! Runs the commands of `qp` on a fault.

use super::fault::RealFault;
use super::process::{Ended, run};
use super::projects::Project;
use super::verdict::{Answer, Verdict, named, verdict};
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// The `qp` to measure: that of this build, or `QP_BENCH_QP`.
pub fn qp() -> String {
    std::env::var("QP_BENCH_QP").unwrap_or_else(|_| env!("CARGO_BIN_EXE_qp").to_owned())
}

/// Time limit of a command: `QP_BENCH_LIMIT` seconds, by default 120.
pub fn limit() -> Duration {
    let seconds = std::env::var("QP_BENCH_LIMIT").ok().and_then(|s| s.parse().ok());
    Duration::from_secs(seconds.unwrap_or(120))
}

/// A library with one of its faults.
pub struct Case<'a> {
    pub project: &'a Project,
    pub fault: &'a RealFault,
}

impl Case<'_> {
    /// The folder where the test runs.
    pub fn folder(&self) -> PathBuf {
        self.project.source()
    }

    /// The command that runs the failing test.
    pub fn test(&self) -> Vec<String> {
        self.project.command(Some(&self.fault.id), &self.fault.test)
    }

    /// The command that runs the failing test by the runner of `qp`, as `qp diagnose --test` does.
    pub fn test_of_qp(&self) -> Vec<String> {
        let class_path = self.project.class_path(Some(&self.fault.id));
        let words = ["java", "-ea", "-cp", &class_path, "querypoint.runner.RunTest", &self.fault.test];
        words.map(str::to_owned).to_vec()
    }

    /// The median duration of the test in seconds.
    pub fn plain(&self) -> f64 {
        let mut took: Vec<f64> =
            (0..3).map(|_| run(&self.test(), &self.folder(), limit()).took.as_secs_f64()).collect();
        took.sort_by(f64::total_cmp);
        took[1]
    }

    /// A command of `qp` with the version without the fault.
    fn with_reference(&self, words: &[&str]) -> Ended {
        let right = self.project.right().display().to_string();
        let mut command = vec![qp()];
        command.extend(words.iter().map(|word| (*word).to_owned()));
        command.extend(["--reference", &right, "--format", "json", "--"].map(str::to_owned));
        command.extend(self.test());
        run(&command, &self.folder(), limit())
    }

    /// `qp diff`. The second result is the number of the call that it names.
    pub fn diff(&self) -> (Answer, Option<u64>) {
        let ended = self.with_reference(&["diff"]);
        let Ok(found) = serde_json::from_str::<Value>(&ended.output) else {
            return (without_result(&ended), None);
        };
        let parted = &found["parted"];
        let named = named(parted);
        let differs = parted["differs"].as_array().cloned().unwrap_or_default();
        let text = |difference: &Value, part: &str| difference[part].as_str().unwrap_or_default().to_owned();
        let why: Vec<String> = differs
            .iter()
            .take(2)
            .map(|d| format!("{}: here {}, there {}", text(d, "what"), text(d, "here"), text(d, "there")))
            .collect();
        let why = if parted.is_null() { "all calls do the same".to_owned() } else { why.join("; ") };
        let answer = Answer {
            verdict: verdict(named.as_deref(), &self.fault.methods),
            named,
            why,
            took_s: ended.took.as_secs_f64(),
            answers: 0,
            undecided: 0,
        };
        (answer, parted["node"].as_u64())
    }

    /// `qp diagnose --reference --unattended`.
    pub fn diagnose(&self) -> Answer {
        let ended = self.with_reference(&["diagnose", "--unattended"]);
        let lines: Vec<Value> = ended.output.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
        let Some(result) = lines.iter().rev().find(|line| line.get("buggy").is_some()) else {
            return without_result(&ended);
        };
        let named = named(&result["buggy"]);
        let unjudged = result["unjudged"].as_array().cloned().unwrap_or_default();
        let reasons: Vec<String> = unjudged
            .iter()
            .take(2)
            .map(|call| {
                let why = call["why"].as_array().and_then(|why| why.first()).and_then(Value::as_str);
                format!("{}: {}", call["method"].as_str().unwrap_or_default(), why.unwrap_or_default())
            })
            .collect();
        let last = lines.iter().rev().find_map(|line| {
            let answer = line.get("by_reference")?;
            answer["why"].as_str().map(str::to_owned)
        });
        let undecided = unjudged.len();
        Answer {
            verdict: verdict(named.as_deref(), &self.fault.methods),
            named,
            why: if reasons.is_empty() { last.unwrap_or_default() } else { reasons.join("; ") },
            took_s: ended.took.as_secs_f64(),
            answers: usize::try_from(result["answered_by_reference"].as_u64().unwrap_or(0)).expect("few"),
            undecided,
        }
    }
}

impl Case<'_> {
    /// `qp diagnose --rank`.
    ///
    /// # Errors
    /// It takes longer than the time limit, or ranks nothing.
    pub fn ranked(&self) -> Result<Ranked, String> {
        let class_path = self.project.class_path(Some(&self.fault.id));
        let tests = std::env::var("QP_BENCH_TESTS").unwrap_or_else(|_| "class".to_owned());
        let tests = format!("--passing-tests={tests}");
        let rank = ["diagnose", "--rank=1000", "--format", "json", &tests, "--test", &self.fault.test];
        let qp = qp();
        let words = [qp.as_str()].into_iter().chain(rank).chain(["--classpath", &class_path]);
        let command: Vec<String> = words.map(str::to_owned).collect();
        let ended = run(&command, &self.folder(), limit());
        let mut lines = ended.output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let Some(ranking) = lines.find_map(|mut line| line.get_mut("ranking").map(Value::take)) else {
            return Err(without_result(&ended).why);
        };
        let methods = ranking["methods"].as_array().ok_or("no methods")?;
        let is_faulty = |of: &Value| verdict(named(of).as_deref(), &self.fault.methods) == Verdict::Exact;
        let place = methods.iter().position(is_faulty).map(|at| at + 1);
        Ok(Ranked { place, of: methods.len(), took_s: ended.took.as_secs_f64() })
    }
}

/// Where `qp diagnose --rank` has the faulty method.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Ranked {
    /// Its place, from 1; `None` if it is not ranked.
    pub place: Option<usize>,
    /// Number of methods that are ranked.
    pub of: usize,
    /// Duration of the command in seconds.
    pub took_s: f64,
}

/// The answer of a command that printed no result.
fn without_result(ended: &Ended) -> Answer {
    let error = ended.errors.lines().rev().find(|line| line.starts_with("error")).unwrap_or_default();
    Answer {
        verdict: if ended.over { Verdict::OverLimit } else { Verdict::Error },
        named: None,
        why: error.to_owned(),
        took_s: ended.took.as_secs_f64(),
        answers: 0,
        undecided: 0,
    }
}
