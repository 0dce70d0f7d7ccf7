//! `qp trace record -- java …`: runs a program once and keeps what its threads do.

use super::level::LevelArg;
use super::reading::Memory;
use crate::chain::Chain;
use crate::command::program::ProgramArgs;
use crate::command::secrets::SecretArgs;
use crate::command::{Command, CommandError, Outcome};
use crate::session::{self, Context, Only, Place, Places, RecordOptions, RecordedRun, RecordedTrace};
use std::path::PathBuf;

/// Runs the program once and records its calls, with arguments and results
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace record -- java -cp classes Intro\n  qp trace record --level writes --out shop.trace --scope 'com.acme.**' --trust 'com.acme.log.**' -- java -jar shop.jar\n  qp trace record --level all --from Shop.open --to 'Shop:31#2' --out part.trace -- java -jar shop.jar\n  qp trace record --like trace --call 12 --level all --out call.trace -- java -cp classes Intro\n  qp trace calls trace"
)]
pub struct Record {
    /// The folder to keep it in, which must not be there
    #[arg(short, long, value_name = "FOLDER", default_value = "trace")]
    pub out: PathBuf,
    /// How much: calls; or what is written to fields and elements too; or also lines, branches, local
    /// variables and locks
    #[arg(long, value_enum, default_value_t)]
    pub level: LevelArg,
    /// Classes to record: `com.acme.Shop` and what is inside it, `com.acme.*`, `com.acme.**` with the
    /// packages below; without any, all but those of the JDK
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
    /// Record from this place on: `Class.method`, `Class:LINE` or `File.java:LINE`, with `#N` for the N-th
    /// time that it is reached; or calls from this one on, by its number in the recorded run that --like
    /// names
    #[arg(long, value_name = "PLACE", value_parser = bound, conflicts_with = "call")]
    pub from: Option<Bound>,
    /// Record no more from this place on, or from this call on, one of the same thread
    #[arg(long, value_name = "PLACE", value_parser = bound, conflicts_with = "call")]
    pub to: Option<Bound>,
    /// A recorded run of this program, whose scope and trust are taken too: calls are the same in it by their
    /// order in their thread
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["scope", "trust"])]
    pub like: Option<PathBuf>,
    /// End the run after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    /// Show the program's output
    #[arg(long)]
    pub show_output: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub secrets: SecretArgs,
    /// The command that starts the program
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// Where a part of a run begins or ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// A call of another recorded run, by its number.
    Call(u32),
    /// A place of the program.
    Place(Place),
}

fn bound(text: &str) -> Result<Bound, String> {
    if let Ok(call) = text.parse() {
        return Ok(Bound::Call(call));
    }
    let wanted = "a place is wanted, such as Shop.open, Shop:31 or Shop.java:31#2, or the number of a call";
    Place::parse(text).map(Bound::Place).ok_or_else(|| wanted.to_owned())
}

/// The part that is recorded.
#[derive(Default)]
struct Bounds {
    only: Option<Only>,
    places: Option<Places>,
}

impl Record {
    fn bounds(&self) -> Result<Bounds, CommandError> {
        let wrong = |text: &str| Err(CommandError::Usage(text.to_owned()));
        let only = |only| Ok(Bounds { only: Some(only), places: None });
        let places = |from: Option<&Place>, to: Option<&Place>| {
            let places = Places { from: from.cloned(), to: to.cloned() };
            Ok(Bounds { only: None, places: Some(places) })
        };
        match (self.call, &self.from, &self.to) {
            (None, Some(Bound::Call(_)), _) | (None, _, Some(Bound::Call(_))) if self.like.is_none() => {
                wrong("the number of a call is one of the recorded run that --like names")
            }
            (Some(call), ..) => only(Only::Call(call)),
            (None, Some(Bound::Call(from)), None) => only(Only::Between(*from, None)),
            (None, Some(Bound::Call(from)), Some(Bound::Call(to))) => only(Only::Between(*from, Some(*to))),
            (None, Some(Bound::Place(from)), Some(Bound::Place(to))) => places(Some(from), Some(to)),
            (None, Some(Bound::Place(from)), None) => places(Some(from), None),
            (None, None, Some(Bound::Place(to))) => places(None, Some(to)),
            (None, None, None) => Ok(Bounds::default()),
            (None, None, Some(Bound::Call(_))) => {
                wrong("--to with the number of a call wants --from with one")
            }
            (None, Some(_), Some(_)) => wrong("--from and --to are two places, or the numbers of two calls"),
        }
    }
}

impl Outcome for RecordedRun {
    /// What a recording is for is there when the program came to its end.
    fn exit_code(&self) -> u8 {
        match (self.whole && self.recorded.missing.is_empty(), self.recorded.bytes) {
            (true, 0) => 1,
            (true, _) => 0,
            (false, _) => 4,
        }
    }
}

impl Command for Record {
    type Output = RecordedRun;

    /// # Errors
    /// The program cannot be launched, or the folder not be written.
    async fn execute(&self, context: &Context) -> Result<RecordedRun, CommandError> {
        let like = match &self.like {
            Some(folder) => Some(RecordedTrace::open(folder, self.memory.bytes(), context).await?),
            None => None,
        };
        let Bounds { only, places } = self.bounds()?;
        let window = match (&like, only) {
            (Some(like), Some(only)) => Some(session::only(like, only)?),
            _ => None,
        };
        let (scope, trust) = match like {
            Some(like) => (like.about.scope.clone(), like.about.trust.clone()),
            None => (self.scope.clone(), self.trust.clone()),
        };
        let chain = Chain::new(ProgramArgs::default().debuggee(&self.command), Vec::new());
        let options = RecordOptions {
            out: self.out.clone(),
            level: self.level.into(),
            scope,
            trust,
            window,
            places,
            memory: self.memory.bytes(),
            timeout_s: self.timeout,
            show_output: self.show_output,
            secrets: self.secrets.secrets()?,
        };
        Ok(session::record(&chain, &options, context).await?)
    }
}
