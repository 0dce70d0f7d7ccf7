//! `qp trace record -- java …`: runs a program once and keeps what its threads do.

use super::level::LevelArg;
use super::reading::Memory;
use crate::chain::Chain;
use crate::command::CommandError;
use crate::command::program::ProgramArgs;
use crate::session::{self, Interrupt, Only, Progress, RecordOptions, RecordedRun, RecordedTrace};
use std::path::PathBuf;

/// Runs the program once and records its calls, with arguments and results
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace record -- java -cp classes Intro\n  qp trace record --level writes --out shop.trace --scope 'com.acme.**' --trust 'com.acme.log.**' -- java -jar shop.jar\n  qp trace record --like trace --call 12 --level all --out call.trace -- java -cp classes Intro\n  qp trace calls trace"
)]
pub struct Record {
    /// The folder to keep it in, which must not be there
    #[arg(short, long, value_name = "FOLDER", default_value = "trace")]
    pub out: PathBuf,
    /// How much: calls; or what is written to fields and elements too; or also lines, branches, local variables and locks
    #[arg(long, value_enum, default_value_t)]
    pub level: LevelArg,
    /// Classes to record: `com.acme.Shop` and what is inside it, `com.acme.*`, `com.acme.**` with the packages below;
    /// without any, all but those of the JDK
    #[arg(long, value_name = "PATTERN")]
    pub scope: Vec<String>,
    /// Classes that are right for sure, and are not recorded
    #[arg(long, value_name = "PATTERN")]
    pub trust: Vec<String>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub memory: Memory,
    /// Record only this call and those below it, by its number in the recorded run that --like names
    #[arg(long, value_name = "CALL", requires = "like")]
    pub call: Option<u32>,
    /// Record only calls from this one on, by its number there
    #[arg(long, value_name = "CALL", requires = "like", conflicts_with = "call")]
    pub from: Option<u32>,
    /// Record no more from this call on, one of the same thread
    #[arg(long, value_name = "CALL", requires = "from")]
    pub to: Option<u32>,
    /// A recorded run of this program, whose scope and trust are taken too: calls are the same in it by their order in their thread
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["scope", "trust"])]
    pub like: Option<PathBuf>,
    /// End the run after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    /// Show the program's output
    #[arg(long)]
    pub show_output: bool,
    /// The command that starts the program
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

impl Record {
    /// Does it.
    ///
    /// # Errors
    /// The program cannot be launched, or the folder not be written.
    pub async fn execute(
        &self,
        progress: &mut dyn Progress,
        interrupt: &mut Interrupt,
    ) -> Result<RecordedRun, CommandError> {
        let like = match &self.like {
            Some(folder) => {
                Some(RecordedTrace::open(folder, self.memory.bytes(), progress, interrupt).await?)
            }
            None => None,
        };
        let only = self.call.map(Only::Call).or(self.from.map(|from| Only::Between(from, self.to)));
        let window = match (&like, only) {
            (Some(like), Some(only)) => Some(session::only(like, only)?),
            _ => None,
        };
        let (scope, trust) = match like {
            Some(like) => (like.about.scope, like.about.trust),
            None => (self.scope.clone(), self.trust.clone()),
        };
        let chain = Chain::new(ProgramArgs::default().debuggee(&self.command), Vec::new());
        let options = RecordOptions {
            out: self.out.clone(),
            level: self.level.into(),
            scope,
            trust,
            window,
            memory: self.memory.bytes(),
            timeout_s: self.timeout,
            show_output: self.show_output,
        };
        Ok(session::record(&chain, &options, progress, interrupt).await?)
    }
}
