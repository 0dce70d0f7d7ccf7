//! `qp trace record -- java …`: runs a program once and records its threads.

use super::level::LevelArg;
use super::reading::Memory;
use crate::program::{LaunchArgs, ProgramArgs, TestArgs, own_stdin};
use crate::secrets::SecretArgs;
use crate::{Command, CommandError, Outcome};
use chain::{Chain, Debuggee};
use recorded::{CallRange, RecordOptions, RecordedRun, RecordedTrace, default_max_size};
use session::Context;
use std::path::PathBuf;
use trace::{Place, Places, parse_size};

/// Runs the program once and records its calls, with arguments and results
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace record -- java -cp classes Intro\n  qp trace record --level writes --out shop.trace --scope 'com.acme.**' --trust 'com.acme.log.**' -- java -jar shop.jar\n  qp trace record --level all --from Shop.open --to 'Shop:31#2' --out part.trace -- java -jar shop.jar\n  qp trace record --like trace --call 12 --level all --out call.trace -- java -cp classes Intro\n  qp trace calls trace"
)]
pub struct Record {
    /// The folder for the recording; it must not exist yet
    #[arg(short, long, value_name = "FOLDER", default_value = "trace")]
    pub out: PathBuf,
    /// Level of detail: calls; also writes to fields and elements; or also lines, branches, local variables
    /// and locks
    #[arg(long, value_enum, default_value_t)]
    pub level: LevelArg,
    /// Classes to record: `com.acme.Shop` with its nested classes, `com.acme.*`, or `com.acme.**` with
    /// subpackages; by default your own code, and libraries only if there is none
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub scope: Vec<String>,
    /// Trusted classes, which are not recorded
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub trust: Vec<String>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub memory: Memory,
    /// Keep only the last part of the run: drop the oldest events so that the recording takes at most this
    /// size on disk, as `500MB` or `2GB`; `none` keeps all. By default 4GB with --drive, otherwise `none`
    #[arg(long, value_name = "SIZE", value_parser = max_size)]
    pub max_size: Option<MaxSize>,
    /// Record only this call and those below it, by its number in the run that --like names
    #[arg(long, value_name = "CALL", requires = "like")]
    pub call: Option<u32>,
    /// Start recording at this place: `Class.method`, `Class:LINE` or `File.java:LINE`, with `#N` for the
    /// N-th time it is reached. Or start at a call, by its number in the run that --like names
    #[arg(long, value_name = "PLACE", value_parser = bound, conflicts_with = "call")]
    pub from: Option<Bound>,
    /// Stop recording at this place, or at this call of the same thread
    #[arg(long, value_name = "PLACE", value_parser = bound, conflicts_with = "call")]
    pub to: Option<Bound>,
    /// An earlier recording of this program; qp takes its scope and trust, and numbers the calls of each
    /// thread alike
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["scope", "trust"])]
    pub like: Option<PathBuf>,
    /// Time limit of the run in seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    /// Show the program's output
    #[arg(long)]
    pub show_output: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub secrets: SecretArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub test: TestArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// Record the other VMs of the command too: each that runs recorded classes has a recording of its own,
    /// in the folder `vms` inside that of the recording
    #[arg(long)]
    pub all_jvms: bool,
    /// The command that starts the program
    #[arg(last = true, required_unless_present = "test", value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// The most that a recording takes on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxSize {
    /// A number of bytes.
    Bytes(u64),
    /// Any.
    None,
}

/// The least that can be asked for, in bytes.
const LEAST: u64 = 500_000;

fn max_size(text: &str) -> Result<MaxSize, String> {
    let bytes = || parse_size(text).filter(|bytes| *bytes >= LEAST).map(MaxSize::Bytes);
    let found = if text == "none" { Some(MaxSize::None) } else { bytes() };
    found.ok_or_else(|| "expected a size from 500kB on, such as 500MB or 2GB, or `none`".to_owned())
}

/// A bound of the recorded part of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// A call, by its number in another recorded run.
    Call(u32),
    /// A place in the program.
    Place(Place),
}

fn bound(text: &str) -> Result<Bound, String> {
    if let Ok(call) = text.parse() {
        return Ok(Bound::Call(call));
    }
    let wanted = "expected a place, such as Shop.open, Shop:31 or Shop.java:31#2, or the number of a call";
    Place::parse(text).map(Bound::Place).ok_or_else(|| wanted.to_owned())
}

/// The recorded part of a run.
#[derive(Default)]
struct Bounds {
    only: Option<CallRange>,
    places: Option<Places>,
}

impl Record {
    /// The most bytes that the events of a program may take on disk.
    fn max_bytes(&self, program: &Debuggee) -> Option<u64> {
        match self.max_size {
            Some(MaxSize::Bytes(bytes)) => Some(bytes),
            Some(MaxSize::None) => None,
            None => default_max_size(program),
        }
    }

    fn bounds(&self) -> Result<Bounds, CommandError> {
        let wrong = |text: &str| Err(CommandError::Usage(text.to_owned()));
        let only = |only| Ok(Bounds { only: Some(only), places: None });
        let places = |from: Option<&Place>, to: Option<&Place>| {
            let places = Places { from: from.cloned(), to: to.cloned() };
            Ok(Bounds { only: None, places: Some(places) })
        };
        match (self.call, &self.from, &self.to) {
            (None, Some(Bound::Call(_)), _) | (None, _, Some(Bound::Call(_))) if self.like.is_none() => {
                wrong("the number of a call needs --like, which names the recorded run with that call")
            }
            (Some(call), ..) => only(CallRange::Call(call)),
            (None, Some(Bound::Call(from)), None) => only(CallRange::Between(*from, None)),
            (None, Some(Bound::Call(from)), Some(Bound::Call(to))) => {
                only(CallRange::Between(*from, Some(*to)))
            }
            (None, Some(Bound::Place(from)), Some(Bound::Place(to))) => places(Some(from), Some(to)),
            (None, Some(Bound::Place(from)), None) => places(Some(from), None),
            (None, None, Some(Bound::Place(to))) => places(None, Some(to)),
            (None, None, None) => Ok(Bounds::default()),
            (None, None, Some(Bound::Call(_))) => {
                wrong("--to with the number of a call needs --from with the number of a call")
            }
            (None, Some(_), Some(_)) => {
                wrong("--from and --to must both be places, or both be numbers of calls")
            }
        }
    }
}

impl Outcome for RecordedRun {
    /// 0 when the program ended and events were recorded; 1 when it ended without any; 4 when parts are
    /// missing.
    fn exit_code(&self) -> u8 {
        let has_all = self.recorded.missing.is_empty() && self.vms.iter().all(|vm| vm.missing.is_empty());
        match (self.whole && has_all, self.recorded.bytes) {
            (true, 0) => 1,
            (true, _) => 0,
            (false, _) => 4,
        }
    }
}

impl Command for Record {
    type Output = RecordedRun;

    /// # Errors
    /// The program cannot be launched, or the folder cannot be written.
    async fn execute(&self, context: &Context) -> Result<RecordedRun, CommandError> {
        let like = match &self.like {
            Some(folder) => Some(RecordedTrace::open(folder, self.memory.bytes(), context).await?),
            None => None,
        };
        let Bounds { only, places } = self.bounds()?;
        let window = match (&like, only) {
            (Some(like), Some(only)) => Some(recorded::only(like, only)?),
            _ => None,
        };
        let (scope, trust) = match like {
            Some(like) => (like.about.scope.clone(), like.about.trust.clone()),
            None => (self.scope.clone(), self.trust.clone()),
        };
        let test = self.test.found(context).await?;
        let program = ProgramArgs::with(&self.launch).of_command(&self.command);
        let chain = Chain::new(test.instead_of(program), Vec::new());
        let options = RecordOptions {
            listener: None,
            brief: None,
            stdin: own_stdin()?,
            out: self.out.clone(),
            level: self.level.into(),
            by_owner: scope.is_empty() && self.like.is_none(),
            scope,
            trust,
            window,
            places,
            class_path_property: None,
            chosen: None,
            steering: None,
            max_size: self.max_bytes(&chain.debuggee),
            memory: self.memory.bytes(),
            timeout_s: self.timeout,
            show_output: self.show_output,
            secrets: self.secrets.secrets()?,
            all_jvms: self.all_jvms,
        };
        Ok(recorded::record(&chain, &options, context).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        record: Record,
    }

    #[test]
    fn a_program_that_is_driven_has_a_limit_by_default() {
        let most = |options: &[&str]| {
            let line = ["qp"].iter().chain(options).chain(&["--", "java", "Shop"]);
            let record = Line::try_parse_from(line).ok()?.record;
            let program = ProgramArgs::with(&record.launch).of_command(&record.command);
            Some(record.max_bytes(&program))
        };
        assert_eq!(most(&[]), Some(None));
        assert_eq!(most(&["--drive", "./clicks.sh"]), Some(Some(4_000_000_000)));
        assert_eq!(most(&["--drive", "./clicks.sh", "--ready", "80"]), Some(Some(4_000_000_000)));
        assert_eq!(most(&["--drive", "./clicks.sh", "--max-size", "none"]), Some(None));
        assert_eq!(most(&["--max-size", "800kB"]), Some(Some(800_000)));
        assert_eq!(most(&["--max-size", "2GB"]), Some(Some(2_000_000_000)));
        assert!(["2", "1kB", "all"].iter().all(|wrong| most(&["--max-size", wrong]).is_none()));
    }
}
