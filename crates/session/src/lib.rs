//! A session is the only interface between commands and the machinery (DESIGN §4).
//!
//! This room prints nothing and returns data. A [`Context`] receives its progress and reports interrupts.
//!
//! - `replay` runs the program until every point is located or another run would show nothing new (DESIGN
//!   §5.13). The same room repeats a chain ([`repeat`]), forecasts its cost ([`cost`]) and judges whether its
//!   bug is present.
//! - `answer` builds an [`Answer`] from the located points, and explains points that were not located.
//! - `explore` is an interactive session ([`Explorer`]): questions, runs, and a halted program between them.
//! - `recorded` makes recordings ([`record`]) and reads them ([`RecordedTrace`]).
//! - `diagnose` asks about the calls of a recording ([`Diagnoser`]).
//! - `logic` answers logic queries over recordings ([`OpenLog`]), and keeps their answers.
//! - `omitted` finds omissions, and tries them ([`ask_omissions`]).
//! - `full_replay` replays a whole chain ([`replay`], [`judge`]): its points, then its omissions and queries
//!   over one recording.
//! - `actor` puts a session on a thread of its own, for front ends that talk to it by messages ([`Actor`]).
//! - `trust` decides whether the commands of a foreign file may run; `consent` holds the user's answer.
//! - `facts` holds the results of a run, from which answers are built.

mod actor;
mod answer;
mod background;
mod class_path;
mod consent;
mod context;
mod diagnose;
mod error;
mod explore;
mod facts;
mod files;
mod full_replay;
mod logic;
mod omitted;
mod progress;
mod recorded;
mod replay;
mod trust;
mod workspace;

pub use ::files::{TemporaryFolder, remove_abandoned, remove_own, write_private, write_whole};
pub use ::logic::log::Kind;
pub use ::logic::queries::{Asked, Choice, QUERIES, Query as PredefinedQuery, Word};
pub use ::logic::rules::{AskItem, Asked as AskedGoal, AskedSolution, Rules};
pub use ::logic::saved::{
    AnswerDifference, ChangedPart, ComparedRow, Ignored, RowDifference, RowSide, SavedAnswer, SavedQuestion,
    SavedReply, compare as compare_answers,
};
pub use ::logic::{Answer as Answered, AnswerRow, EventRow, ValueRow};
pub use actor::{Actor, Pending, Serves, Untaken};
pub use answer::{
    Answer, ChainQueryAnswer, Difference, ExceptionAnswer, Expectation, FrameAnswer, LoaderAnswer,
    OmittedOperation, Outcome, OwnFrame, PointAnswer, RejectedAnswer, StatementAnswer, StepAnswer,
};
pub use class_path::{absolute_class_path, class_path, with_class_path};
pub use classes::DefaultScope;
pub use consent::{Consent, Wanted};
pub use context::Context;
pub use debuggee::{StdinRecording, test_command};
pub use diagnose::{
    AssertFile, AssertedAnswer, Assumption, Bounds, Buggy, Change, Confidence, DiagnoseOptions, Diagnoser,
    Divergence, Judgement, KeptAnswer, Launcher, LoopExit, LoopPart, NamedNode, Next, NodeView, Opinion,
    Oracle, OracleAnswer, PrintedText, Question, Reference, Shape, Survey, Trust, Varying, VersionComparison,
    VersionDifference, Violation, check_reference, find_divergence, node_view, strategies,
};
pub use error::SessionError;
pub use explore::{
    Arrival, AskedWhen, Certainty, Explorer, Front, GotoResult, Interrupter, Member, Members, NamedValue,
    PastRun, PointDifference, RunResult, Scope, Standpoint, Step, StepResult, Words,
};
pub use files::{portable, seen_from_cwd};
pub use full_replay::{JudgedRun, ask_omitted, judge, replay};
pub use logic::{
    AskRequest, GoalStep, OpenLog, PlannedRequest, RunningGoal, ToSave, ask_facts, ask_program, explain_plan,
    read_answer, write_answer,
};
pub use omission::{
    Certainty as OmissionCertainty, JumpKind, Limits as OmissionLimits, Place as OmissionPlace, Suggestion,
};
pub use omitted::{
    AnalysisFolder, Confirmation, FlippedPasses, OmissionAnswer, OmissionQuestion, SUGGESTIONS,
    TriedSuggestion, Verdict as FlipVerdict, WITHIN, Wanted as WantedOutcome, WantedOutput, WrongPoint,
    ask_omissions, record_for,
};
pub use progress::{LogLine, Progress, Silent, Sink};
pub use recorded::{
    CallRange, EventsRequest, ExportForm, ExportRequest, ExportResult, FoundEvent, FoundEvents, MEMORY,
    PackResult, RecordOptions, RecordedRun, RecordedSource, RecordedTrace, Secrets, as_chain, at_level,
    chain_of, default_scope, events, export, find, history, is_packed, only, pack, record,
};
pub use replay::Options;
pub use replay::cost::{Cost, EntriesCost, PointCost, SiteCost, cost};
pub use replay::cost_model::Forecast;
pub use replay::into_call::replay_into_call;
pub use replay::log_point::{LogOptions, Logged, log};
pub use replay::probe_policy::{Backend, EAGER};
pub use replay::repeat::{RepeatedPlace, RepeatedPoint, RepeatedReplay, repeat};
pub use replay::verdict::Verdict;
pub use run::Interrupt;
pub use trace::{EventPosition, Level, Occurrence, Place, Places, Steered, Steering};
pub use trust::{TRUSTED_FOLDERS, allow, trust_written};

pub use chain::GraphFormat;
use chain::{Chain, Explanation, Learned};

/// Adds the data by which the chain's lines are found after an edit, as far as sources and classes are
/// available without a run.
///
/// # Errors
/// The debuggee cannot be used, or its classes cannot be read.
pub fn remembered(chain: &Chain) -> Result<Chain, SessionError> {
    let workspace = workspace::Workspace::open(chain, None, None)?;
    let mut chain = chain.clone();
    chain::remember(&mut chain, &workspace.pool(None)?, &workspace.sources());
    Ok(chain)
}

/// Explains the TraceQueries of a chain. It runs nothing except the chain's build, if `builds` is set.
///
/// # Errors
/// The chain cannot be used, its classes cannot be read, or the user interrupted.
pub async fn explain(chain: &Chain, builds: bool, context: &Context) -> Result<Explanation, SessionError> {
    let workspace = workspace::Workspace::open(chain, None, None)?;
    if builds {
        tokio::select! {
            built = workspace.build(None) => built?,
            () = context.interrupted() => return Err(SessionError::Interrupted),
        }
    }
    let is_stale = !builds && !workspace.is_built();
    let pool = workspace.pool(None)?;
    let sources = workspace.sources();
    let translated = chain::translate(chain, &pool, &sources, &Learned::default());
    let translation = match translated {
        Err(error) if !workspace.knows_classes()? => {
            let program = chain.debuggee.command.first().cloned().unwrap_or_default();
            return Err(SessionError::NoClassPath { program, error });
        }
        Err(error) if is_stale => return Err(SessionError::NotBuilt(Box::new(error))),
        translated => translated?,
    };
    let mut explanation = Explanation::new(chain, &translation, &pool, &sources);
    if is_stale {
        let stale = "the build is due, and was not run: the classes may not be those of the sources (`--build` runs it)";
        explanation.warnings.push(stale.to_owned());
    }
    Ok(explanation)
}
