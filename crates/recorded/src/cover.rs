//! Runs a program once, and notes only which edges of control flow it covers.

use chain::Chain;
use files::TemporaryFolder;
use replay::single_run::NullObserver;
use run::{self, AgentRole, Ended, Launch, Questions, Recording};
use session::workspace::Workspace;
use session::{Context, SessionError};
use trace::{Level, RunsCoverage, TraceError};

/// What to note.
#[derive(Clone, Debug, Default)]
pub struct CoverOptions {
    /// Patterns of the classes. If empty, all classes outside the JDK.
    pub scope: Vec<String>,
    /// Patterns of classes to exclude.
    pub trust: Vec<String>,
    /// Time limit of the run, in seconds.
    pub timeout_s: Option<u64>,
}

/// A program that has run.
#[derive(Clone, Debug)]
pub struct CoveredProgram {
    /// What its tests covered, or the whole program if nothing told its tests apart.
    pub coverage: RunsCoverage,
    /// How it ended.
    pub ended: Ended,
    /// The last lines of its output.
    pub output: String,
}

/// Number of lines of output to keep.
const LINES: usize = 8;

/// Runs a program once.
///
/// # Errors
/// The program cannot be launched, its coverage cannot be read, or the user interrupted.
pub async fn cover(
    chain: &Chain,
    options: &CoverOptions,
    context: &Context,
) -> Result<CoveredProgram, SessionError> {
    let workspace = Workspace::open(chain, options.timeout_s, None)?;
    let folder = TemporaryFolder::new("qp-cover-").map_err(TraceError::at(&std::env::temp_dir()))?;
    let report = folder.path().join("coverage.jsonl");
    std::fs::write(&report, "").map_err(TraceError::at(&report))?;
    let mut ask = |facts: &run::VmFacts| -> Result<Questions, run::ObserverError> {
        let recording = Recording {
            brief: None,
            level: Level::Calls,
            scope: options.scope.clone(),
            trust: options.trust.clone(),
            rings: folder.path().to_owned(),
            window: None,
            places: None,
            class_path: None,
            chosen: None,
            steering: None,
            is_script: false,
            covers: true,
            report: report.clone(),
        };
        Ok(Questions::of_recording(recording, workspace.pool(Some(facts)).map_err(Box::new)?))
    };
    let launch = Launch::of(workspace.template(), context.interrupt(), AgentRole::Recorder);
    let outcome = run::execute(launch, &mut ask, &mut NullObserver).await?.end().await;
    if matches!(outcome.ended, Ended::Interrupted) {
        return Err(SessionError::Interrupted);
    }
    let coverage = RunsCoverage::read(&report)?;
    Ok(CoveredProgram { coverage, ended: outcome.ended, output: outcome.tail.last(LINES) })
}
