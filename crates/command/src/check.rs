//! `qp check CHAIN…|DIR`: replays chains as regression tests.

use super::replay::LimitArgs;
use super::trust::TrustArgs;
use super::{Command, CommandError, Outcome};
use answer::{Answer, Difference};
use chain::{Chain, ChainError, Guards};
use full_replay::JudgedRun;
use replay::verdict::Verdict;
use serde::Serialize;
use session::{Context, SessionError, Wanted};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::str::FromStr;
use std::time::Instant;
use tokio::sync::{Mutex, Semaphore};

/// One part of the chains, for one of several machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The number of the part, from 1.
    pub part: usize,
    /// The number of parts.
    pub of: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((part, of)) if (1..=of).contains(&part) => Ok(Shard { part, of }),
            _ => Err("expected I/N with I from 1 to N, such as 2/4".to_owned()),
        }
    }
}

/// Replays chains as tests: is each cause still found, or is each bug still fixed?
///
/// Exit codes: 0 all chains pass · 1 a chain fails · 2 a chain is bad, or its result is unknown · 4 a program
/// could not be built, launched or driven · 130 interrupted
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp check querypoints/\n  qp check querypoints/ --jobs 4 --junit report.xml\n  qp check querypoints/ --shard 2/4     # the second of four machines"
)]
pub struct Check {
    /// Chain files; of a folder, all `.ron` files in it and below
    #[arg(value_name = "CHAIN|DIR", required = true)]
    pub chains: Vec<PathBuf>,
    /// Number of chains to check in parallel. Chains that share a working folder or an attached port wait for
    /// each other
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,
    /// Check only part I of N parts of the chains
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Also write a JUnit XML report
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: LimitArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub trust: TrustArgs,
}

/// The result of one chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The guarded condition holds.
    Passed,
    /// The guarded condition does not hold.
    Failed,
    /// The runs do not show whether it holds.
    Unsure,
    /// The chain is invalid.
    BadChain,
    /// The program could not be built, launched or watched.
    Broken,
    /// The user interrupted the check.
    Interrupted,
}

impl Status {
    fn exit_code(self) -> u8 {
        match self {
            Status::Passed => 0,
            Status::Failed => 1,
            Status::Unsure | Status::BadChain => 2,
            Status::Broken => 4,
            Status::Interrupted => 130,
        }
    }
}

/// A point or query that differs from the chain's expectation.
#[derive(Clone, Debug, Serialize)]
pub struct PointDifference {
    /// Its id.
    pub id: String,
    /// Its question.
    pub question: String,
    /// The differences.
    pub parts: Vec<Difference>,
    /// Where it was found: `Intro.java:28`.
    pub place: Option<String>,
}

/// The result of checking one chain.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// Its file.
    pub chain: String,
    /// The condition it guards; none if it could not be read.
    pub guards: Option<Guards>,
    /// Its result.
    pub status: Status,
    /// The reason, in a sentence.
    pub reason: String,
    /// Wall time in seconds.
    pub seconds: f64,
    /// The points that differ from their expectations.
    pub differences: Vec<PointDifference>,
    /// The answer behind the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
}

/// The results of all chains, ordered by file name.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The worst result.
    pub outcome: Status,
    /// The chains.
    pub chains: Vec<Checked>,
    /// The file for the JUnit XML report, if one is wanted.
    #[serde(skip)]
    pub junit: Option<PathBuf>,
}

impl Outcome for Report {
    /// The exit code of the worst result.
    fn exit_code(&self) -> u8 {
        self.outcome.exit_code()
    }
}

impl Command for Check {
    type Output = Report;

    fn trusts(&self) -> bool {
        self.trust.trust
    }

    /// # Errors
    /// A folder cannot be read or holds no chain. The report names the errors of single chains.
    async fn execute(&self, context: &Context) -> Result<Report, CommandError> {
        let files = self.files()?;
        let total = files.len();
        let options = Rc::new(self.limits.options());
        let permits = Rc::new(Semaphore::new(usize::from(self.jobs)));
        let mut folders: HashMap<PathBuf, Rc<Mutex<()>>> = HashMap::new();
        let mut ports: HashMap<String, Rc<Mutex<()>>> = HashMap::new();
        let local = tokio::task::LocalSet::new();
        let mut tasks = tokio::task::JoinSet::new();
        for (place, file) in files.into_iter().enumerate() {
            let chain = Chain::load(&file);
            // Ask about all chains before the first run, so that the user need not wait for the later
            // questions.
            let allowed = match &chain {
                Ok(chain) => session::allow(&Wanted::of_chain(&file, chain), context),
                Err(_) => Ok(()),
            };
            let folder = chain.as_ref().ok().map(|c| c.cwd().canonicalize().unwrap_or_else(|_| c.cwd()));
            let folder = folders.entry(folder.unwrap_or_default()).or_default().clone();
            let attach = chain.as_ref().ok().and_then(|c| c.debuggee.attach.clone());
            let port = attach.map(|address| ports.entry(address).or_default().clone());
            let task = ChainTask { file, chain, allowed, folder, port };
            let (options, permits) = (options.clone(), permits.clone());
            let context = context.without_progress();
            let one = async move { (place, task.check(&options, &permits, &context).await) };
            tasks.spawn_local_on(one, &local);
        }
        let mut chains: Vec<(usize, Checked)> = Vec::with_capacity(total);
        context.progress().checked(0, total);
        local
            .run_until(async {
                while let Some(done) = tasks.join_next().await {
                    chains.extend(done.ok());
                    context.progress().checked(chains.len(), total);
                }
            })
            .await;
        context.progress().done();
        chains.sort_by_key(|(place, _)| *place);
        let chains: Vec<Checked> = chains.into_iter().map(|(_, checked)| checked).collect();
        let worst = chains.iter().map(|c| c.status).max_by_key(|s| s.exit_code());
        Ok(Report { outcome: worst.unwrap_or(Status::Passed), chains, junit: self.junit.clone() })
    }
}

/// A chain that is checked once nothing else uses its folder or its port.
struct ChainTask {
    file: PathBuf,
    chain: Result<Chain, ChainError>,
    /// Whether its program may run.
    allowed: Result<(), SessionError>,
    folder: Rc<Mutex<()>>,
    port: Option<Rc<Mutex<()>>>,
}

impl ChainTask {
    async fn check(self, options: &replay::Options, permits: &Semaphore, context: &Context) -> Checked {
        let ChainTask { file, chain, allowed, folder, port } = self;
        // Lock the folder first: a task that waits for it holds no other lock.
        let _folder = folder.lock().await;
        let _port = match &port {
            Some(port) => Some(port.lock().await),
            None => None,
        };
        let _permit = permits.acquire().await;
        let started = Instant::now();
        let mut checked = match chain {
            _ if context.is_interrupted() => Checked::without(&file, Status::Interrupted, "interrupted"),
            Err(error) => Checked::without(&file, Status::BadChain, &error.render(false)),
            Ok(_) if let Err(error) = &allowed => {
                Checked::without(&file, Status::BadChain, &error.to_string())
            }
            Ok(chain) => check(&file, &chain, options, context).await,
        };
        checked.seconds = started.elapsed().as_secs_f64();
        checked
    }
}

impl Check {
    /// The chain files of this shard, ordered by name.
    fn files(&self) -> Result<Vec<PathBuf>, CommandError> {
        let mut files = Vec::new();
        for given in &self.chains {
            if !given.is_dir() {
                files.push(given.clone());
                continue;
            }
            let before = files.len();
            chains_below(given, &mut files)
                .map_err(|error| CommandError::Usage(format!("cannot read {}: {error}", given.display())))?;
            if files.len() == before {
                return Err(CommandError::Usage(format!(
                    "no chains in {}: their names end in `.ron`",
                    given.display()
                )));
            }
        }
        files.sort();
        files.dedup();
        if let Some(shard) = self.shard {
            let mut place = 0;
            files.retain(|_| {
                place += 1;
                (place - 1) % shard.of == shard.part - 1
            });
        }
        Ok(files)
    }
}

/// Collects all `.ron` files of a folder and its subfolders. Does not follow links to folders, which can form
/// cycles.
fn chains_below(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            chains_below(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "ron") {
            files.push(path);
        }
    }
    Ok(())
}

async fn check(file: &Path, chain: &Chain, options: &replay::Options, context: &Context) -> Checked {
    let name = file.display().to_string();
    let judged = match full_replay::judge(&name, chain, options, context).await {
        Ok(judged) => judged,
        Err(error) => {
            let status = match error.exit_code() {
                2 => Status::BadChain,
                130 => Status::Interrupted,
                _ => Status::Broken,
            };
            let text = match &error {
                SessionError::Chain(chain) => chain.render(false),
                other => other.to_string(),
            };
            return Checked { guards: Some(chain.guards), ..Checked::without(file, status, &text) };
        }
    };
    let (status, reason) = weigh(chain, &judged);
    let differences = if status == Status::Failed { differences(chain, &judged) } else { Vec::new() };
    let checked = Checked::without(file, status, &reason);
    Checked { guards: Some(chain.guards), differences, answer: judged.answer, ..checked }
}

/// Translates the verdict into a status, by what the chain guards.
fn weigh(chain: &Chain, judged: &JudgedRun) -> (Status, String) {
    let Some(root) = chain.points.first().map(|point| point.id.as_str()) else {
        return weigh_queries(chain, &judged.verdict);
    };
    match (&judged.verdict, chain.guards) {
        (Verdict::Present, Guards::Present) => (Status::Passed, "the cause is as recorded".to_owned()),
        (Verdict::Absent, Guards::Absent) => (Status::Passed, format!("{root} is not reached")),
        (Verdict::Absent, Guards::Present) => {
            (Status::Failed, format!("{root} is not reached any more: is the bug fixed?"))
        }
        (Verdict::Present, Guards::Absent) => {
            (Status::Failed, format!("the bug is back: {root} is reached, with the cause that is recorded"))
        }
        (Verdict::OtherCause(_), _) => {
            (Status::Failed, format!("{root} is reached, and its cause is another than the recorded one"))
        }
        (Verdict::Unsure(why), _) => (Status::Unsure, why.clone()),
        (Verdict::Interrupted, _) => (Status::Interrupted, "interrupted".to_owned()),
    }
}

/// The same for a chain without points, whose queries describe the program with the bug.
fn weigh_queries(chain: &Chain, verdict: &Verdict) -> (Status, String) {
    match (verdict, chain.guards) {
        (Verdict::Present, Guards::Present) => (Status::Passed, "the queries answer as recorded".to_owned()),
        (Verdict::Present, Guards::Absent) => {
            (Status::Failed, "the bug is back: the queries answer as recorded".to_owned())
        }
        (Verdict::Absent | Verdict::OtherCause(_), Guards::Absent) => {
            (Status::Passed, "the queries answer otherwise than recorded".to_owned())
        }
        (Verdict::Absent | Verdict::OtherCause(_), Guards::Present) => {
            (Status::Failed, "a query answers otherwise than recorded".to_owned())
        }
        (Verdict::Unsure(why), _) => (Status::Unsure, why.clone()),
        (Verdict::Interrupted, _) => (Status::Interrupted, "interrupted".to_owned()),
    }
}

/// The points and queries that differ from the chain. Where the chain guards against a fixed bug, a reached
/// root is a difference too.
fn differences(chain: &Chain, judged: &JudgedRun) -> Vec<PointDifference> {
    let Some(answer) = &judged.answer else { return Vec::new() };
    let mut found = Vec::new();
    for (place, point) in answer.points.iter().enumerate() {
        let outcome = |expected: &str, found: &str| Difference {
            what: "outcome".to_owned(),
            expected: expected.to_owned(),
            found: Some(found.to_owned()),
        };
        let mut parts = Vec::new();
        if place == 0 && chain.guards == Guards::Absent {
            parts.extend(point.located.then(|| outcome("not reached", "reached")));
        } else if chain.alive.as_ref() != Some(&point.id) {
            let reason = point.reason.as_deref().unwrap_or("not located");
            match &point.expectation {
                Some(expectation) => parts.extend(expectation.parts.iter().cloned()),
                None if !point.located => parts.push(outcome("located", reason)),
                None => {}
            }
        }
        if !parts.is_empty() {
            let file = point.file.as_deref().or(point.class.as_deref());
            let place = file.map(|f| point.line.map_or_else(|| f.to_owned(), |line| format!("{f}:{line}")));
            let (id, question) = (point.id.clone(), point.question.clone());
            found.push(PointDifference { id, question, parts, place });
        }
    }
    for query in &answer.queries {
        let Some(expectation) = query.expectation.as_ref().filter(|expected| !expected.held) else {
            continue;
        };
        found.push(PointDifference {
            id: query.id.clone(),
            question: query.answers.goal.clone(),
            parts: expectation.parts.clone(),
            place: None,
        });
    }
    found
}

impl Checked {
    /// The result of a chain without an answer.
    fn without(file: &Path, status: Status, reason: &str) -> Checked {
        Checked {
            chain: file.display().to_string(),
            guards: None,
            status,
            reason: reason.to_owned(),
            seconds: 0.0,
            differences: Vec::new(),
            answer: None,
        }
    }
}
