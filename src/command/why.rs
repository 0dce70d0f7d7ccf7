//! `qp why [EXPR] --at CLASS:LINE -- java …`: one question, one answer, no file.

use super::program::ProgramArgs;
use super::replay::RunArgs;
use super::value_question::value_question;
use super::{Command, CommandError, Outcome, save_chain, save_input};
use crate::chain::{Chain, Kind, Point};
use crate::session::{self, Answer, Context, StdinRecording};
use std::io::IsTerminal;
use std::path::PathBuf;

/// Asks what last changed a value, or which condition led to a line
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp why foo --at Intro:31 --when 'foo == null' -- java -ea -cp classes Intro\n  qp why --at shop.Cart:12 -- ./shop.sh     # which condition led to that line\n  qp why total --at Cart:12 --index -1 --save cart.ron -- java -jar shop.jar"
)]
pub struct Why {
    /// A variable or field: asks for its last change before the line. A call such as `total(order)`: asks for
    /// the `return` that made its result. Without it: asks for the condition that led to the line
    #[arg(value_name = "EXPR")]
    pub expr: Option<String>,
    /// The line, as CLASS:LINE
    #[arg(long, value_name = "CLASS:LINE")]
    pub at: String,
    /// Halt there only when this Java condition holds
    #[arg(long, value_name = "CONDITION")]
    pub when: Option<String>,
    /// Halt there only with this method on the stack
    #[arg(long, value_name = "CLASS.METHOD")]
    pub from: Option<String>,
    /// Which hit of the line: 0 the first, -1 the last
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub index: Option<i64>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub program: ProgramArgs,
    /// Save the question as a chain file, to continue or to replay
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub run: RunArgs,
    /// The command that starts the program; with --attach, the command that restarts it
    #[arg(last = true, required_unless_present = "test", value_name = "COMMAND")]
    pub command: Vec<String>,
}

impl Why {
    /// The chain with the question.
    ///
    /// # Errors
    /// `--at` is not CLASS:LINE, or an expression is invalid.
    pub fn chain(&self) -> Result<Chain, CommandError> {
        let mut root = Point::new("A", line_kind(&self.at)?);
        root.when.clone_from(&self.when);
        root.from.clone_from(&self.from);
        root.index = self.index;
        let question = match &self.expr {
            Some(expr) => value_question("B", "A", 0, expr),
            None => Point::new("B", Kind::LastCondition("A".to_owned())),
        };
        let debuggee = self.program.debuggee(&self.command);
        let chain = self.run.code.apply(Chain::new(debuggee, vec![root, question]));
        // Parse the chain as if it came from a file, so that errors in expressions read the same.
        let text = chain.to_ron().map_err(session::SessionError::from)?;
        Ok(Chain::parse(&text, "qp why").map_err(session::SessionError::from)?)
    }
}

/// The line of an argument `--at CLASS:LINE`.
pub(super) fn line_kind(at: &str) -> Result<Kind, CommandError> {
    let usage =
        || CommandError::Usage(format!("--at `{at}`: expected CLASS:LINE, such as Intro:31 or shop.Cart:12"));
    let (class, line) = at.rsplit_once(':').ok_or_else(usage)?;
    let line: u32 = line.parse().ok().filter(|l| *l > 0).ok_or_else(usage)?;
    match class {
        "" => Err(usage()),
        class => Ok(Kind::Line(class.to_owned(), line)),
    }
}

impl Outcome for Answer {
    fn exit_code(&self) -> u8 {
        self.outcome.exit_code()
    }
}

impl Command for Why {
    type Output = Answer;

    /// # Errors
    /// The question is invalid, the chain cannot be saved, or the program cannot be launched or watched.
    async fn execute(&self, context: &Context) -> Result<Answer, CommandError> {
        let chain = self.chain()?;
        let mut saved = match &self.save {
            Some(file) => Some((session::portable(&session::remembered(&chain)?, file), file)),
            None => None,
        };
        if let Some((saved, file)) = &saved {
            save_chain(saved, file, true)?;
        }
        // Leave a terminal's input to the shell: the user may type the next command ahead. A remote program
        // gets no input.
        let feeds = self.program.attach.is_none() && !std::io::stdin().is_terminal();
        let stdin = feeds.then(StdinRecording::of_own_stdin).transpose().map_err(CommandError::Input)?;
        let options = session::Options { stdin: stdin.clone(), ..self.run.options() };
        let answer = session::replay("qp why", &chain, &options, context).await?;
        let input = stdin.map(|recording| recording.recorded()).filter(|input| !input.is_empty());
        if let (Some(input), Some((saved, file))) = (input, &mut saved) {
            save_input(saved, file, &input)?;
            save_chain(saved, file, true)?;
        }
        Ok(answer)
    }
}
