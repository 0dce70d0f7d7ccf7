//! `qp replay CHAIN`: runs the program again and answers the chain's questions.

use super::recording_args::InRecording;
use super::trust::{self, TrustArgs};
use super::{Command, CommandError, Outcome};
use answer::Answer;
use chain::Chain;
use recorded::{RecordedSource, RecordedTrace};
use replay::repeat::RepeatedReplay;
use session::Context;
use std::path::PathBuf;

/// The limits of runs, shared by every command that makes runs.
#[derive(clap::Args, Clone, Debug)]
pub struct LimitArgs {
    /// Maximum number of runs; each unknown class or frame costs one
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub max_runs: u32,
    /// Time limit of a run in seconds (overrides `timeout_s` of the chain)
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    /// Maximum number of runs to reach the first point
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub attempts: u32,
    /// How qp watches the program: by probes in its code, by JDWP events, or by probes where it can place
    /// them
    #[arg(long, value_name = "BACKEND", default_value = "auto")]
    pub backend: BackendArg,
    /// With probes: number of initial hits of a point that suspend the VM; later hits are counted inside it,
    /// and the VM keeps the last one
    #[arg(long, value_name = "N", default_value_t = replay::probe_policy::EAGER, hide_short_help = true)]
    pub eager: u32,
}

/// How qp watches the program.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackendArg {
    /// Probes where they help and can be placed, else JDWP events
    Auto,
    /// JDWP events alone: they work on any VM, but are slow on hot code
    Jdwp,
    /// Probes; an error where they cannot be placed
    Probe,
}

impl From<BackendArg> for replay::probe_policy::Backend {
    fn from(backend: BackendArg) -> replay::probe_policy::Backend {
        match backend {
            BackendArg::Auto => replay::probe_policy::Backend::Auto,
            BackendArg::Jdwp => replay::probe_policy::Backend::Jdwp,
            BackendArg::Probe => replay::probe_policy::Backend::Probe,
        }
    }
}

impl LimitArgs {
    /// The session's options.
    pub fn options(&self) -> replay::Options {
        replay::Options {
            max_runs: self.max_runs,
            timeout_s: self.timeout,
            attempts: self.attempts,
            backend: self.backend.into(),
            eager: self.eager,
            ..replay::Options::default()
        }
    }
}

/// The limits and display of runs, for commands that show an answer.
#[derive(clap::Args, Clone, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: LimitArgs,
    /// Number of rejected occurrences to keep per point, with the reason
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub candidates: usize,
    /// Show the program's output, with the run's number before each line
    #[arg(long)]
    pub show_output: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub code: CodeArgs,
}

/// Whose code answers are about.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct CodeArgs {
    /// Look for conditions in libraries and the test framework too; by default `LastCondition` ends at the
    /// border of your own code
    #[arg(long)]
    pub into_libraries: bool,
    /// Show all frames of stacks as text; by default those of reflection, proxies and test frameworks are
    /// left out, and the oldest ones
    #[arg(long)]
    pub all_frames: bool,
}

impl CodeArgs {
    /// The chain with these choices.
    pub fn apply(self, chain: Chain) -> Chain {
        Chain { into_libraries: chain.into_libraries || self.into_libraries, ..chain }
    }
}

impl RunArgs {
    /// The session's options.
    pub fn options(&self) -> replay::Options {
        replay::Options {
            candidates: self.candidates,
            show_output: self.show_output,
            all_frames: self.code.all_frames,
            ..self.limits.options()
        }
    }
}

/// Runs the program again and answers the chain's questions
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp replay cart.ron\n  qp replay cart.ron --format json\n  qp replay cart.ron --runs 20     # do the answers vary between runs?"
)]
pub struct Replay {
    /// The chain file
    #[arg(value_name = "CHAIN")]
    pub chain: PathBuf,
    /// Answer for each of the last N hits of the root; the program then runs to its end
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub last: Option<u16>,
    /// Replay N times, and count for each point its places and values
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=100_000),
        conflicts_with_all = ["last", "recording"]
    )]
    pub runs: Option<u32>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub recorded: InRecording,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub run: RunArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub trust: TrustArgs,
}

/// The result of a replay.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(untagged)]
pub enum ReplayOutcome {
    /// The answer.
    Once(Box<Answer>),
    /// The counted answers of several replays.
    Repeatedly(RepeatedReplay),
}

impl Outcome for ReplayOutcome {
    fn exit_code(&self) -> u8 {
        match self {
            ReplayOutcome::Once(answer) => answer.exit_code(),
            ReplayOutcome::Repeatedly(repeated) => repeated.exit_code,
        }
    }
}

impl Replay {
    /// Answers the chain from a recording. Nothing runs, so nobody is asked.
    fn in_recording(
        &self,
        mut trace: RecordedTrace,
        path: PathBuf,
        context: &Context,
    ) -> Result<ReplayOutcome, CommandError> {
        let chain = Chain::load(&self.chain).map_err(session::SessionError::from)?;
        if !chain.queries.is_empty() {
            let text =
                "queries are about a recording of their own: ask them with `qp query`, or leave --in out";
            return Err(CommandError::Usage(text.to_owned()));
        }
        let chain = self.run.code.apply(chain);
        let mut options = self.run.options();
        options.last = self.last.map(usize::from);
        let name = self.chain.display().to_string();
        let mut source = RecordedSource::new(&mut trace, path, &chain)?;
        let replayed = source.replay(&name, &chain, &options, context)?;
        Ok(ReplayOutcome::Once(Box::new(replayed.answer)))
    }
}

impl Command for Replay {
    type Output = ReplayOutcome;

    fn trusts(&self) -> bool {
        self.trust.trust
    }

    /// # Errors
    /// The chain is invalid, or the program cannot be built, launched or watched.
    async fn execute(&self, context: &Context) -> Result<ReplayOutcome, CommandError> {
        if let Some((trace, path)) = self.recorded.open(context).await? {
            return self.in_recording(trace, path, context);
        }
        let chain = self.run.code.apply(trust::load(&self.chain, context)?);
        let mut options = self.run.options();
        options.last = self.last.map(usize::from);
        let name = self.chain.display().to_string();
        if chain.points.is_empty() && (self.runs.is_some() || self.last.is_some()) {
            let text = "--runs and -n are about points, and the chain has only queries: leave them out";
            return Err(CommandError::Usage(text.to_owned()));
        }
        Ok(match self.runs {
            None => {
                let answer = full_replay::replay(&name, &chain, &options, context).await?;
                ReplayOutcome::Once(Box::new(answer))
            }
            Some(runs) => {
                let repeated = replay::repeat::repeat(&name, &chain, &options, runs, context).await?;
                ReplayOutcome::Repeatedly(repeated)
            }
        })
    }
}
