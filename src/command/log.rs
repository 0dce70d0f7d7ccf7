//! `qp log EXPR --at CLASS:LINE -- java …`: values at each pass over a line, without a halt.

use super::program::ProgramArgs;
use super::replay::BackendArg;
use super::why::line_kind;
use super::{Command, CommandError, Outcome};
use crate::chain::{Chain, Point};
use crate::session::{self, Context, LogOptions, Logged, StdinRecording};
use std::io::IsTerminal;

/// Prints values at each pass over a line, without halting the program
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp log 'i + \": \" + total' --at Cart:12 -- java -cp classes Cart\n  qp log amount --at Account:30 --when 'amount < 0' --limit 20 -- ./bank.sh"
)]
pub struct Log {
    /// What to print: a Java expression. `+` joins texts and values
    #[arg(value_name = "EXPR")]
    pub expr: String,
    /// The line, as CLASS:LINE
    #[arg(long, value_name = "CLASS:LINE")]
    pub at: String,
    /// Print only when this Java condition holds
    #[arg(long, value_name = "CONDITION")]
    pub when: Option<String>,
    /// Print only with this method on the stack
    #[arg(long, value_name = "CLASS.METHOD")]
    pub from: Option<String>,
    /// Print only in the thread with this name
    #[arg(long, value_name = "NAME")]
    pub thread: Option<String>,
    /// Print this many lines; later ones are counted
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub limit: u64,
    /// Time limit of the run in seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    /// How qp watches the line: by probes in its code, or by JDWP events, which stop the program at each pass
    #[arg(long, value_name = "BACKEND", default_value = "auto")]
    pub backend: BackendArg,
    /// Show the program's output, on standard error
    #[arg(long)]
    pub show_output: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub program: ProgramArgs,
    /// The command that starts the program; with --attach, the command that restarts it
    #[arg(last = true, required_unless_present = "test", value_name = "COMMAND")]
    pub command: Vec<String>,
}

impl Outcome for Logged {
    fn exit_code(&self) -> u8 {
        Logged::exit_code(self)
    }
}

impl Command for Log {
    type Output = Logged;

    /// # Errors
    /// The expression, the line or a condition is invalid, or the program cannot be launched or watched.
    async fn execute(&self, context: &Context) -> Result<Logged, CommandError> {
        let mut point = Point::new("A", line_kind(&self.at)?);
        point.when.clone_from(&self.when);
        point.from.clone_from(&self.from);
        point.thread.clone_from(&self.thread);
        point.collect = Some(vec![self.expr.clone()]);
        let chain = Chain::new(self.program.debuggee(&self.command), vec![point]);
        // Parse the chain as if it came from a file, so that errors in expressions read the same.
        let written = chain.to_ron().map_err(session::SessionError::from)?;
        let chain = Chain::parse(&written, "qp log").map_err(session::SessionError::from)?;
        let feeds = self.program.attach.is_none() && !std::io::stdin().is_terminal();
        let options = LogOptions {
            limit: self.limit,
            timeout_s: self.timeout,
            backend: self.backend.into(),
            show_output: self.show_output,
            stdin: feeds.then(StdinRecording::of_own_stdin).transpose().map_err(CommandError::Input)?,
        };
        Ok(session::log(&chain, &options, context).await?)
    }
}
