//! `qp catch`: runs a program until it fails, each time with other random numbers, hash codes and orders, and
//! records the run that failed.

use super::program::{LaunchArgs, ProgramArgs, TestArgs, own_stdin};
use super::secrets::SecretArgs;
use super::trace::{LevelArg, Memory};
use super::{Command, CommandError, Outcome};
use chain::{Chain, Debuggee, Pins};
use debuggee::StdinRecording;
use recorded::{PlainRun, RecordOptions, record, run_plain};
use run::Ended;
use session::{Context, SessionError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Runs a program until it fails, each time with other random numbers and orders, and records that run
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp catch --test CartTest#desk\n  qp catch --runs 1000 -- java -cp classes Shop"
)]
pub struct Catch {
    /// Most runs
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// Most time for all runs, in seconds
    #[arg(long = "for", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub time: Option<u64>,
    /// The seed of the first run; each further one has the next seed
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Do not end at the first run that fails: tell how many of all fail, and record none
    #[arg(long)]
    pub expect_pass: bool,
    /// The folder for the recording of the run that failed; it must not exist yet. That of a run that passed
    /// gets this name with `-passing`
    #[arg(short, long, value_name = "FOLDER", default_value = "caught.trace")]
    pub out: PathBuf,
    /// Level of detail of the recordings
    #[arg(long, value_enum, default_value_t = LevelArg::All)]
    pub level: LevelArg,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub memory: Memory,
    /// Time limit of each run in seconds; a run that takes longer has failed
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub secrets: SecretArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub test: TestArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// The command that starts the program
    #[arg(last = true, required_unless_present = "test", value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// What the runs showed.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Caught {
    /// Number of runs.
    pub runs: u32,
    /// Number of runs that failed.
    pub failed: u32,
    /// Number of runs that failed, and did not when they ran once more to be recorded.
    #[serde(skip_serializing_if = "is_zero")]
    pub lost: u32,
    /// Duration of all runs in seconds.
    pub seconds: f64,
    /// Whether no run was expected to fail.
    pub expect_pass: bool,
    /// The run that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing: Option<CaughtRun>,
    /// The last run before it that passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passing: Option<CaughtRun>,
}

/// A run that was recorded.
#[derive(Clone, Debug, serde::Serialize)]
pub struct CaughtRun {
    /// Its seed.
    pub seed: u64,
    /// How it ended.
    pub ended: String,
    /// The recording; `None` if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recording: Option<PathBuf>,
    /// The last lines of its output.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Outcome for Caught {
    /// 0 if a run that failed was caught, or if all passed that were expected to; 1 otherwise.
    fn exit_code(&self) -> u8 {
        u8::from(if self.expect_pass { self.failed > 0 } else { self.failing.is_none() })
    }
}

impl Command for Catch {
    type Output = Caught;

    /// # Errors
    /// The program cannot be launched, a recording cannot be written, or the user interrupts.
    async fn execute(&self, context: &Context) -> Result<Caught, CommandError> {
        let passing_out = beside(&self.out);
        for folder in [&self.out, &passing_out].into_iter().filter(|_| !self.expect_pass) {
            if folder.exists() {
                let why =
                    format!("{} exists: remove it, or name another folder with --out", folder.display());
                return Err(CommandError::Usage(why));
            }
        }
        let test = self.test.found(context).await?;
        let program = test.instead_of(ProgramArgs::with(&self.launch).of_command(&self.command));
        let stdin = own_stdin()?;
        let began = Instant::now();
        let until = self.time.map(|seconds| began + Duration::from_secs(seconds));
        let from = Pins::from_now();
        let mut caught = Caught { expect_pass: self.expect_pass, ..Caught::default() };
        let mut passed: Option<(u64, PlainRun)> = None;
        for number in 0..self.runs {
            if until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
            let seed = self.seed.wrapping_add(number.into());
            let chain = pinned(&program, &Pins { seed, ..from.clone() });
            let why = format!("of {} to see whether it fails; {} did", self.runs, caught.failed);
            context.progress().run_started(number + 1, Some(&why));
            let run = Box::pin(run_plain(&chain, self.timeout, stdin.clone(), context)).await;
            context.progress().done();
            let run = run?;
            (caught.runs, caught.seconds) = (number + 1, began.elapsed().as_secs_f64());
            if !has_failed(&run.ended) {
                passed = Some((seed, run));
                continue;
            }
            caught.failed += 1;
            if number == 0 && run.output.contains(NO_TEST) {
                return Err(CommandError::Usage(format!("no run can pass:\n{}", run.output)));
            }
            if self.expect_pass {
                caught.failing.get_or_insert_with(|| unrecorded(seed, run));
                continue;
            }
            // It has to fail again while it is recorded.
            match self.is_recorded(&chain, &self.out, &run, stdin.clone(), context).await? {
                true => {
                    caught.failing =
                        Some(CaughtRun { recording: Some(self.out.clone()), ..unrecorded(seed, run) });
                    break;
                }
                false => caught.lost += 1,
            }
        }
        if let (Some(_), false, Some((seed, run))) = (&caught.failing, self.expect_pass, passed) {
            let chain = pinned(&program, &Pins { seed, ..from });
            let is_recorded = self.is_recorded(&chain, &passing_out, &run, stdin, context).await?;
            let recording = Some(passing_out).filter(|_| is_recorded);
            caught.passing = Some(CaughtRun { recording, ..unrecorded(seed, run) });
        }
        Ok(caught)
    }
}

/// What the runner of tests says when there is nothing to run.
const NO_TEST: &str = "no test was run:";

impl Catch {
    /// Records a program that has run before. Returns whether it ended as before; if not, there is no
    /// recording.
    async fn is_recorded(
        &self,
        chain: &Chain,
        out: &Path,
        before: &PlainRun,
        stdin: Option<StdinRecording>,
        context: &Context,
    ) -> Result<bool, CommandError> {
        let options = RecordOptions {
            out: out.to_owned(),
            level: self.level.into(),
            by_owner: true,
            memory: self.memory.bytes(),
            timeout_s: self.timeout,
            secrets: self.secrets.secrets()?,
            stdin,
            ..RecordOptions::default()
        };
        let run = Box::pin(record(chain, &options, context)).await;
        if matches!(run, Err(SessionError::Interrupted)) {
            // What was recorded until then is of no use.
            drop(std::fs::remove_dir_all(out));
        }
        let run = run?;
        let is_same = run.recorded.ended == before.ended.to_string();
        if !is_same || run.recorded.bytes == 0 {
            std::fs::remove_dir_all(out).map_err(super::unwritten(out))?;
        }
        if is_same && run.recorded.bytes == 0 {
            let why = "ended before any of its own code ran, so there is nothing to record";
            return Err(CommandError::Usage(format!(
                "the program {why} ({}):\n{}",
                before.ended, before.output
            )));
        }
        Ok(is_same)
    }
}

/// A program with pins.
fn pinned(program: &Debuggee, pins: &Pins) -> Chain {
    Chain::new(Debuggee { pins: Some(pins.clone()), ..program.clone() }, Vec::new())
}

/// Whether a program ended otherwise than with exit code 0.
fn has_failed(ended: &Ended) -> bool {
    !matches!(ended, Ended::Exited(Some(0)) | Ended::Driven)
}

fn unrecorded(seed: u64, run: PlainRun) -> CaughtRun {
    CaughtRun { seed, ended: run.ended.to_string(), recording: None, output: run.output }
}

/// The folder for a run that passed.
fn beside(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push("-passing");
    name.into()
}
