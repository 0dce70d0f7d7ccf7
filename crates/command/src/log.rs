//! `qp log EXPR --at CLASS:LINE -- java …`: values at each pass over a line, without a halt.

use super::line::LineArgs;
use super::program::ProgramArgs;
use super::replay::BackendArg;
use super::{Command, CommandError, Outcome};
use chain::Chain;
use replay::log_point::{LogOptions, Logged};
use session::Context;

/// Prints values at each pass over a line, without halting the program
#[derive(clap::Args, Clone, Debug)]
#[command(
    mut_arg("at", |at| at.required(true)),
    after_help = "Examples:\n  qp log 'i + \": \" + total' --at Cart:12 -- java -cp classes Cart\n  qp log amount --at Account:30 --when 'amount < 0' --limit 20 -- ./bank.sh"
)]
pub struct Log {
    /// What to print: a Java expression. `+` joins texts and values
    #[arg(value_name = "EXPR")]
    pub expr: String,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub line: LineArgs,
    /// Print this many lines; later ones are counted
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1000,
        value_parser = clap::value_parser!(u64).range(1..=1_000_000)
    )]
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
        let mut point = self.line.root("A")?;
        point.collect = Some(vec![self.expr.clone()]);
        let program = self.program.found(context).await?;
        let chain = Chain::new(program.debuggee(&self.command), vec![point]);
        // Parse the chain as if it came from a file, so that errors in expressions read the same.
        let written = chain.to_ron().map_err(session::SessionError::from)?;
        let chain = Chain::parse(&written, "qp log").map_err(session::SessionError::from)?;
        let options = LogOptions {
            limit: self.limit,
            timeout_s: self.timeout,
            backend: self.backend.into(),
            show_output: self.show_output,
            stdin: self.program.stdin()?,
        };
        Ok(replay::log_point::log(&chain, &options, context).await?)
    }
}
