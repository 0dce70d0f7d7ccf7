//! `qp query ask GOAL`: asks a goal, by the user's own rules.

use super::Saving;
use crate::program::{ProgramArgs, own_stdin};
use crate::trace::Reading;
use crate::{CommandError, Outcome};
use chain::Chain;
use logic::rules::Asked as AskedGoal;
use recorded::logic::{AskRequest, OpenLog, PlannedRequest, ToSave};
use session::Context;
use std::path::PathBuf;

/// Asks a Prolog goal over a recorded run
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp query ask 'event(Id, T, exception(L, E, M, uncaught))' shop.trace\n  qp query ask login --rules login.pl shop.trace\n  qp query ask 'call_chain(15, Calls)' --rules javata.pl    # with the rules that the paper prints\n  qp query ask login --rules login.pl -- java -cp classes Login    # runs the program, records only what login can touch\n\nFiles `queries/*.pl` of the current folder are always there. docs/queries.md describes the events and predicates."
)]
pub struct Ask {
    /// The goal: `event(Id, _, setfield(_, o('Rec', 43), bar, V))`
    #[arg(value_name = "GOAL")]
    pub goal: String,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: Reading,
    /// A file of rules; `javata.pl` has those of the paper
    #[arg(long, value_name = "FILE.pl")]
    pub rules: Vec<PathBuf>,
    /// Most solutions to show
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub limit: usize,
    /// Time limit of the goal, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub timeout: u64,
    /// Memory limit of the goal, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 1024)]
    pub goal_memory: usize,
    /// Tell how the events were found, with the number of candidates. For a program that is yet to run, only
    /// tell what would be recorded
    #[arg(long)]
    pub explain: bool,
    /// Stop at the first solution; a program that is run for the goal ends then, if the goal permits it
    #[arg(long, conflicts_with = "limit")]
    pub first: bool,
    /// Keep the recording of a run in this folder; by default it is removed
    #[arg(long, value_name = "FOLDER", requires = "command")]
    pub out: Option<PathBuf>,
    /// Classes to record in a run, like --scope of `qp trace record`
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', requires = "command")]
    pub scope: Vec<String>,
    /// Trusted classes, which are not recorded in a run
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', requires = "command")]
    pub trust: Vec<String>,
    /// Time limit of a run, in seconds
    #[arg(long, value_name = "SECONDS", requires = "command")]
    pub run_timeout: Option<u64>,
    /// Show the output of a run
    #[arg(long, requires = "command")]
    pub show_output: bool,
    /// Run this command, and record what the goal can touch, instead of reading a folder
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub saving: Saving,
}

impl Outcome for AskedGoal {
    fn exit_code(&self) -> u8 {
        match (&self.error, self.solutions) {
            (Some(_), _) => 2,
            (None, 0) if !self.is_plan => 1,
            (None, _) => 0,
        }
    }
}

impl Ask {
    pub(super) async fn execute(&self, context: &Context) -> Result<AskedGoal, CommandError> {
        let asked = AskRequest {
            goal: self.goal.clone(),
            rules: self.rules.clone(),
            saved_rules: true,
            solutions: if self.first { 1 } else { self.limit },
            timeout_s: self.timeout,
            memory: self.goal_memory.saturating_mul(1_000_000),
            explain: self.explain,
        };
        let file = &self.reading.folder;
        if self.command.is_empty()
            && file.extension().is_some_and(|extension| extension == "pl")
            && file.is_file()
        {
            if self.saving.save.is_some() {
                let text = "--save needs a recorded run: a log of facts does not tell what its ids stand for";
                return Err(CommandError::Usage(text.to_owned()));
            }
            return Ok(recorded::logic::ask_facts(file, &asked, context).await?);
        }
        if self.command.is_empty() {
            // What is wrong with the rules is said before a large recording is read.
            asked.read_rules()?;
            let log = OpenLog::open(self.reading.open(context).await?, context).await?;
            let (answer, rules) = log.ask(&asked, context).await?;
            let answered = ToSave::Goal(answer.clone(), rules);
            self.saving.save(&log, &answered, context).await?;
            return Ok(answer);
        }
        if self.explain {
            return Ok(recorded::logic::explain_plan(&asked)?);
        }
        let chain = Chain::new(ProgramArgs::default().of_command(&self.command), Vec::new());
        let planned = PlannedRequest {
            ask: asked,
            out: self.out.clone(),
            scope: self.scope.clone(),
            trust: self.trust.clone(),
            timeout_s: self.run_timeout,
            memory: self.reading.memory.bytes(),
            show_output: self.show_output,
            stdin: own_stdin()?,
        };
        Ok(recorded::logic::ask_program(&chain, &planned, context).await?)
    }
}
