//! `qp diagnose` with an oracle that knows where the bug is.
//!
//! It knows one call of the faulty method that does wrong: that of `qp diff` if it names the method,
//! otherwise the last one of the run. The calls around it are wrong, and all others are right. Where all
//! calls of a method that one call made are right, it says so in one answer.

use super::ask::{Case, limit, qp};
use super::call_tree::CallTree;
use super::process::run;
use super::verdict::{Answer, Verdict, is_same, named, verdict};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

impl Case<'_> {
    /// Plays a strategy to its end. `wrong` is the call that `qp diff` named. With `is_passing`, the tests of
    /// the class that pass weigh the questions.
    pub fn with_oracle(&self, strategy: &str, wrong: Option<u64>, is_passing: bool) -> Answer {
        let started = Instant::now();
        let mut answer = self.played(strategy, wrong, is_passing).unwrap_or_else(|why| Answer {
            verdict: Verdict::Error,
            named: None,
            why,
            took_s: 0.0,
            answers: 0,
            undecided: 0,
        });
        answer.took_s = started.elapsed().as_secs_f64();
        answer
    }

    fn played(&self, strategy: &str, wrong: Option<u64>, is_passing: bool) -> Result<Answer, String> {
        let test = if is_passing { self.test_of_qp() } else { self.test() };
        let tree = CallTree::record(&test, &self.folder())?;
        let is_faulty = |node: &u32| {
            let call = tree.calls.get(node);
            call.is_some_and(|call| verdict(Some(&call.name), &self.fault.methods) == Verdict::Exact)
        };
        let wrong = wrong.and_then(|node| u32::try_from(node).ok()).filter(is_faulty);
        let wrong = wrong.or_else(|| tree.calls.keys().rev().copied().find(is_faulty));
        let wrong = wrong.ok_or("the faulty method is not called in the recorded run")?;

        let work = tempfile::tempdir().expect("a folder");
        let trace = work.path().join("trace").display().to_string();
        let qp = qp();
        let record = [qp.as_str(), "trace", "record", "--level", "all", "--out", &trace, "--"];
        let mut command: Vec<String> = record.map(str::to_owned).to_vec();
        command.extend(test);
        let recorded = run(&command, &self.folder(), limit());
        if recorded.over {
            return Err("the recording is over its limit".to_owned());
        }
        let seconds = limit().as_secs().to_string();
        let mut process = Command::new("timeout");
        process.args([&seconds, &qp, "diagnose", &trace, "--strategy", strategy, "--format", "json"]);
        if is_passing {
            process.arg("--passing-tests");
        }
        process.current_dir(self.folder()).env_remove("JAVA_TOOL_OPTIONS");
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = process.spawn().map_err(|e| e.to_string())?;
        let mut to = child.stdin.take().expect("piped");
        let from = BufReader::new(child.stdout.take().expect("piped"));
        let (mut answers, mut unjudgeable, mut result, mut mistaken) = (0, 0, None, None);
        for line in from.lines() {
            let line = line.map_err(|e| e.to_string())?;
            let Ok(said) = serde_json::from_str::<Value>(&line) else { continue };
            if said.get("buggy").is_some() {
                result = Some(said);
            } else if let (Some(question), Some(node)) = (said["question"].as_u64(), said["node"].as_u64()) {
                let node = u32::try_from(node).map_err(|e| e.to_string())?;
                let asked = named(&said);
                let is_recorded =
                    |asked: &str| tree.calls.get(&node).is_some_and(|c| is_same(&c.name, asked));
                if !asked.as_deref().is_some_and(is_recorded) {
                    mistaken = Some(format!("call #{node} differs between two runs"));
                    break;
                }
                answers += 1;
                unjudgeable += usize::from(said["judgeable"] == false);
                let answer = if tree.encloses(node, wrong) { "invalid" } else { "valid" };
                // The calls of a run are shown as a table, and are right together.
                let all = said["run"].as_u64().is_some() && !tree.run_encloses(node, wrong);
                let answered = json!({ "question": question, "answer": answer, "all": all });
                if writeln!(to, "{answered}").is_err() {
                    break;
                }
            } else if let Some(error) = said["error"].as_str() {
                mistaken = Some(error.to_owned());
                break;
            }
        }
        drop(to);
        let status = child.wait().map_err(|e| e.to_string())?;
        if let Some(why) = mistaken {
            return Err(why);
        }
        let found = result.as_ref().and_then(|result| named(&result["buggy"]));
        let is_over = status.code() == Some(124);
        Ok(Answer {
            verdict: if is_over {
                Verdict::OverLimit
            } else {
                verdict(found.as_deref(), &self.fault.methods)
            },
            named: found,
            why: String::new(),
            took_s: 0.0,
            answers,
            undecided: unjudgeable,
        })
    }

    /// The rank of the faulty method by Ochiai's formula, from all tests of the class of the failing test.
    pub fn rank(&self) -> Result<Option<f64>, String> {
        let class = self.fault.test.split('#').next().unwrap_or_default().to_owned();
        let command = self.project.command_of_all(Some(&self.fault.id), &[class], true);
        let tree = CallTree::record(&command, &self.folder())?;
        let right = self.project.right();
        let counts = |method: &str| {
            let class = method.rsplit_once('.').map_or(method, |(class, _)| class);
            right.join(format!("{}.class", class.replace('.', "/"))).exists()
        };
        Ok(super::spectrum::ochiai(&super::spectrum::tests(&tree), &self.fault.methods, counts))
    }
}
