//! `qp query show` and `qp query diff`: saved answers, shown and compared.

use super::predefined::Predefined;
use super::{QueryAnswer, Saving};
use crate::CommandError;
use logic::saved::{AnswerDifference, Ignored, SavedAnswer, SavedQuestion, SavedReply};
use recorded::logic::{AskRequest, OpenLog, ToSave};
use recorded::{MEMORY, RecordedTrace};
use session::Context;
use std::path::{Path, PathBuf};

/// Shows a saved answer
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  qp query where-thrown --save thrown.json shop.trace\n  qp query show thrown.json"
)]
pub struct Show {
    /// The file that --save wrote
    #[arg(value_name = "FILE.json")]
    pub file: PathBuf,
}

impl Show {
    pub(super) fn execute(&self) -> Result<QueryAnswer, CommandError> {
        let SavedAnswer { question, reply, .. } = recorded::logic::read_answer(&self.file)?;
        Ok(match (question, reply) {
            (_, SavedReply::Rows(answer)) => QueryAnswer::Predefined(answer),
            (SavedQuestion::Goal { goal, .. } | SavedQuestion::Query(goal), SavedReply::Goal(saved)) => {
                QueryAnswer::Goal(saved.asked(&goal))
            }
        })
    }
}

/// What a comparison leaves out.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoredArg {
    /// Which event of its method, field or class an event is
    Events,
    /// Which object of its class an object is
    Objects,
    /// Source lines
    Lines,
    /// Threads
    Threads,
}

/// Compares two saved answers, or asks two recorded runs and compares the answers
///
/// Exit codes: 0 the answers are equal · 1 they differ
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp query diff before.json after.json\n  qp query diff --query 'history Shop.total' old.trace new.trace\n  qp query diff --ask 'event(_, _, exception(L, E, M, _))' old.trace new.trace\n\nEvents are compared by thread, method and ordinal, objects by their birth, and lines by their text."
)]
pub struct AnswersDiff {
    /// The saved answer A; with --ask or --query, the folder of the recorded run A
    #[arg(value_name = "A")]
    pub a: PathBuf,
    /// The saved answer B, or the folder of the recorded run B
    #[arg(value_name = "B")]
    pub b: PathBuf,
    /// Ask this goal of both recorded runs
    #[arg(long, value_name = "GOAL", conflicts_with = "query")]
    pub ask: Option<String>,
    /// Ask this predefined query of both recorded runs, in the words of the command line: `chain 15`. It
    /// names events and objects of A, and qp finds those of B
    #[arg(long, value_name = "WORDS")]
    pub query: Option<String>,
    /// With --ask: a file of rules
    #[arg(long, value_name = "FILE.pl", requires = "ask")]
    pub rules: Vec<PathBuf>,
    /// With --ask: most solutions to compare
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "ask")]
    pub limit: usize,
    /// With --ask: time limit of the goal, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300, requires = "ask")]
    pub timeout: u64,
    /// What not to compare
    #[arg(long, value_name = "PART", value_enum)]
    pub ignore: Vec<IgnoredArg>,
}

impl AnswersDiff {
    pub(super) async fn execute(&self, context: &Context) -> Result<AnswerDifference, CommandError> {
        let ignores = |part| self.ignore.contains(&part);
        let ignored = Ignored {
            events: ignores(IgnoredArg::Events),
            objects: ignores(IgnoredArg::Objects),
            lines: ignores(IgnoredArg::Lines),
            threads: ignores(IgnoredArg::Threads),
        };
        let (a, b) = match (&self.ask, &self.query) {
            (None, None) => (recorded::logic::read_answer(&self.a)?, recorded::logic::read_answer(&self.b)?),
            _ => Box::pin(self.asked(context)).await?,
        };
        Ok(logic::saved::compare(&a, &b, ignored))
    }

    /// The answers of both recorded runs.
    async fn asked(&self, context: &Context) -> Result<(SavedAnswer, SavedAnswer), CommandError> {
        let open = async |folder: &Path| -> Result<OpenLog, CommandError> {
            Ok(OpenLog::open(RecordedTrace::open(folder, MEMORY, context).await?, context).await?)
        };
        let (log_a, log_b) = (Box::pin(open(&self.a)).await?, Box::pin(open(&self.b)).await?);
        let (a, b) = match &self.query {
            Some(words) => {
                let query = Predefined::parse(words)?;
                let a = query.answer(&log_a, context).await?;
                let b = query.about(&log_a, &log_b, context).await?.answer(&log_b, context).await?;
                (ToSave::Query(a), ToSave::Query(b))
            }
            None => {
                let request = AskRequest {
                    goal: self.ask.clone().unwrap_or_default(),
                    rules: self.rules.clone(),
                    saved_rules: true,
                    solutions: self.limit,
                    timeout_s: self.timeout,
                    memory: 1 << 30,
                    explain: false,
                };
                let ((a, rules_a), (b, rules_b)) =
                    (log_a.ask(&request, context).await?, log_b.ask(&request, context).await?);
                (ToSave::Goal(a, rules_a), ToSave::Goal(b, rules_b))
            }
        };
        Ok((log_a.saved(&a, context).await?, log_b.saved(&b, context).await?))
    }
}

impl Saving {
    /// Writes an answer to the file, if one is wanted.
    pub(super) async fn save(
        &self,
        log: &OpenLog,
        answered: &ToSave,
        context: &Context,
    ) -> Result<(), CommandError> {
        if let Some(file) = &self.save {
            recorded::logic::write_answer(&log.saved(answered, context).await?, file)?;
        }
        Ok(())
    }
}
