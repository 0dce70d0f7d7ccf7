//! `qp trace step`: a walk over a recorded run at a prompt. This file has its arguments and the table of what
//! can be said there.

use super::as_chain::MadeChain;
use super::level::LevelArg;
use super::reading::Reading;
use crate::command::trust::TrustArgs;
use crate::command::{CommandError, save_chain};
use crate::session::{
    self, Context, HeldShown, History, LineOf, ListedEvent, SessionError, Stepper, View, Way,
};
use std::path::PathBuf;

/// Walks over a recorded run at a prompt, to and fro
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace step 12                        # from the entry of call #12\n  qp trace step 12 shop.trace --at-end\n  At the prompt: next, previous, into, out, back this.total, forward x, show this, help"
)]
pub struct Step {
    /// The number of the call, as `qp trace calls` shows it
    #[arg(value_name = "CALL", default_value_t = 0)]
    pub node: u32,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: Reading,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub trust: TrustArgs,
    /// A folder or archive with Java sources; as often as wanted
    #[arg(long, value_name = "PATH")]
    pub source: Vec<PathBuf>,
    /// How much of the call to know: with more than was recorded the program is run again, and this call
    /// recorded
    #[arg(long, value_enum)]
    pub level: Option<LevelArg>,
    /// Begin at this event of the call, counted from 1 as `qp trace find` tells it
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "at_end")]
    pub event: usize,
    /// Begin at the end of the call
    #[arg(long)]
    pub at_end: bool,
}

/// A row of the table of what can be said.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct StepRow {
    /// What is typed.
    pub name: &'static str,
    /// Shorter words for it.
    pub aliases: &'static [&'static str],
    /// How it is written.
    pub usage: &'static str,
    /// What it does.
    pub about: &'static str,
}

const fn row(
    name: &'static str,
    aliases: &'static [&'static str],
    usage: &'static str,
    about: &'static str,
) -> StepRow {
    StepRow { name, aliases, usage, about }
}

/// What can be said.
pub const STEP_TABLE: &[StepRow] = &[
    row(
        "next",
        &["n"],
        "next [N]",
        "to the next event of the call; behind its last one, on in the call around",
    ),
    row(
        "previous",
        &["p", "prev"],
        "previous [N]",
        "to the event before; from the entry to where the call is made",
    ),
    row(
        "line",
        &[],
        "line [back] [N]",
        "to the next line of this call, or of the call around it; back: to the last one before",
    ),
    row(
        "to",
        &[],
        "to CLASS:LINE [back]",
        "to the next execution of a line in this thread; back: the last one",
    ),
    row("into", &["i"], "into", "into the call that is made here"),
    row("out", &["o"], "out", "to where this call is made"),
    row("end", &["e"], "end", "to the end of this call"),
    row("back", &["b"], "back VARIABLE", "to the last change of a variable before this event"),
    row("forward", &["f"], "forward VARIABLE", "to the first change of a variable behind this event"),
    row("call", &["c"], "call N", "to the entry of call #N"),
    row("list", &["l"], "list [N]", "the events around this one; with `mark`, what changes a variable"),
    row(
        "mark",
        &["m"],
        "mark VARIABLE",
        "has `list` show what changes a variable, and calls below which it changes",
    ),
    row(
        "show",
        &["s"],
        "show OBJECT | VARIABLE",
        "an object or variable as it is here, with what hangs on it",
    ),
    row("history", &["h"], "history VARIABLE", "all writes to a variable"),
    row(
        "chain",
        &[],
        "chain [FILE]",
        "the chain of this event: a run halts here, and one can ask backwards from it",
    ),
    row("where", &["w"], "where", "shows once more where this is"),
    row("help", &["?"], "help", "shows this table"),
    row("quit", &["q"], "quit", "ends"),
];

/// What it gives.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(tag = "reply", content = "content", rename_all = "kebab-case")]
pub enum StepReply {
    /// Where one stands now.
    View(Box<View>),
    /// Events.
    List(Vec<ListedEvent>),
    /// An object or variable.
    Show(HeldShown),
    /// Writes.
    History(History),
    /// A chain.
    Chain(MadeChain),
    /// What is missing of the run.
    Missing(Vec<String>),
    /// What can be said.
    Help(&'static [StepRow]),
    /// Nothing was said, or nothing is to be shown.
    Nothing,
    /// It ends.
    Quit,
}

/// Events on each side of a list.
const AROUND: usize = 6;
/// Writes that are shown of a history.
const WRITES: usize = 200;
/// Levels of an object that are shown.
const DEPTH: u32 = 3;

impl Step {
    /// Opens the recorded run, and goes there.
    ///
    /// # Errors
    /// The folder holds no recorded run, or not this call.
    pub async fn stepper(&self, context: &Context) -> Result<Stepper<'static>, CommandError> {
        let trace = self.reading.open(context).await?;
        let level = self.level.map(Into::into);
        let trace = trace.at_level(self.node, level, context).await?;
        let mut stepper = Stepper::new(trace, self.node, &self.source)?;
        (0..self.event).try_for_each(|_| stepper.forth())?;
        if self.at_end {
            stepper.call(self.node, true)?;
        }
        Ok(stepper)
    }
}

/// Does what a line says.
///
/// # Errors
/// It means nothing, or cannot be done.
pub fn step(line: &str, stepper: &mut Stepper<'_>) -> Result<StepReply, CommandError> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    if word.is_empty() || word.starts_with('#') {
        return Ok(StepReply::Nothing);
    }
    let known = STEP_TABLE.iter().find(|row| row.name == word || row.aliases.contains(&word));
    let Some(row) = known else {
        return Err(CommandError::Usage(format!("`{word}` is no word here: `help` shows what can be said")));
    };
    let usage = || CommandError::Usage(format!("write: {}", row.usage));
    let times = |rest: &str, default: usize| match rest {
        "" => Ok(default),
        number => number.parse().ok().filter(|n| (1..=10_000).contains(n)).ok_or_else(usage),
    };
    let variable = || Some(rest).filter(|rest| !rest.is_empty()).ok_or_else(usage);
    match row.name {
        "next" => (0..times(rest, 1)?).try_for_each(|_| stepper.forth())?,
        "previous" => (0..times(rest, 1)?).try_for_each(|_| stepper.back())?,
        "line" => {
            let (way, rest) = match rest.strip_prefix("back") {
                Some(rest) => (Way::Back, rest.trim()),
                None => (Way::Forward, rest),
            };
            (0..times(rest, 1)?).try_for_each(|_| stepper.line(way))?;
        }
        "to" => {
            let (way, line) = match rest.strip_suffix(" back") {
                Some(line) => (Way::Back, line),
                None => (Way::Forward, rest),
            };
            stepper.to_line(way, &LineOf::parse(line).ok_or_else(usage)?)?;
        }
        "into" => stepper.into_call()?,
        "out" => stepper.out()?,
        "end" => stepper.to_end()?,
        "back" => stepper.change(Way::Back, variable()?)?,
        "forward" => stepper.change(Way::Forward, variable()?)?,
        "call" => stepper.call(rest.trim_start_matches('#').parse().map_err(|_| usage())?, false)?,
        "list" => return Ok(StepReply::List(stepper.list(times(rest, AROUND)?)?)),
        "mark" => {
            stepper.mark(variable()?)?;
            return Ok(StepReply::List(stepper.list(AROUND)?));
        }
        "show" => return Ok(StepReply::Show(stepper.show(variable()?, DEPTH)?)),
        "history" => return Ok(StepReply::History(stepper.history(variable()?, WRITES)?)),
        "chain" => {
            let mut chain = stepper.chain()?;
            let file = Some(std::path::Path::new(rest)).filter(|_| !rest.is_empty());
            if let Some(file) = file {
                chain = session::portable(&chain, file);
                save_chain(&chain, file, stepper.is_own())?;
            }
            let text = chain.to_ron().map_err(SessionError::from)?;
            return Ok(StepReply::Chain(MadeChain::new(text, file, stepper.is_redacted())));
        }
        "help" => return Ok(StepReply::Help(STEP_TABLE)),
        "quit" => return Ok(StepReply::Quit),
        _ => {}
    }
    Ok(StepReply::View(Box::new(stepper.view()?)))
}
