//! `qp why [EXPR] --at CLASS:LINE -- java …`: one question, one answer, no file.

use super::line::LineArgs;
use super::program::ProgramArgs;
use super::recording_args::InRecording;
use super::replay::RunArgs;
use super::value_question::value_question;
use super::{Command, CommandError, Outcome, save_chain, save_input};
use answer::Answer;
use chain::{Chain, Debuggee, Kind, Point};
use recorded::RecordedSource;
use session::Context;
use std::path::PathBuf;

/// Asks what last changed a value, or which condition led to a line
#[derive(clap::Args, Clone, Debug)]
#[command(
    mut_group("program", |group| group.arg("recording")),
    after_help = "Examples:\n  qp why foo --at Intro:31 --when 'foo == null' -- java -ea -cp classes Intro\n  qp why --at shop.Cart:12 -- ./shop.sh     # which condition led to that line\n  qp why total --at Cart:12 --index -1 --save cart.ron -- java -jar shop.jar"
)]
pub struct Why {
    /// A variable or field: asks for its last change before the line. A call such as `total(order)`: asks for
    /// the `return` that made its result. Without it: asks for the condition that led to the line
    #[arg(value_name = "EXPR")]
    pub expr: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub line: LineArgs,
    /// Which hit of the line: 0 the first, -1 the last
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub index: Option<i64>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub recorded: InRecording,
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
    #[arg(
        last = true,
        required_unless_present_any = ["test", "recording"],
        conflicts_with = "recording",
        value_name = "COMMAND"
    )]
    pub command: Vec<String>,
}

impl Why {
    /// The chain with the question.
    ///
    /// # Errors
    /// `--at` is not CLASS:LINE, or an expression is invalid.
    pub fn chain(&self, debuggee: Debuggee) -> Result<Chain, CommandError> {
        let mut root = self.line.root("A")?;
        root.index = self.index;
        let question = match &self.expr {
            Some(expr) => value_question("B", "A", 0, expr),
            None => Point::new("B", Kind::LastCondition("A".to_owned())),
        };
        let chain = self.run.code.apply(Chain::new(debuggee, vec![root, question]));
        // Parse the chain as if it came from a file, so that errors in expressions read the same.
        let text = chain.to_ron().map_err(session::SessionError::from)?;
        Ok(Chain::parse(&text, "qp why").map_err(session::SessionError::from)?)
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
        let recorded = self.recorded.open(context).await?;
        let debuggee = self.program.debuggee(&self.command);
        let chain = self.chain(match &recorded {
            Some((trace, _)) => Debuggee { sources: debuggee.sources, ..trace.program() },
            None => debuggee,
        })?;
        let mut saved = match &self.save {
            Some(file) => Some((session::portable(&session::remembered(&chain)?, file), file)),
            None => None,
        };
        if let Some((saved, file)) = &saved {
            save_chain(saved, file, true)?;
        }
        if let Some((mut trace, path)) = recorded {
            let mut source = RecordedSource::new(&mut trace, path, &chain)?;
            return Ok(source.replay_into_call("qp why", &chain, &self.run.options(), context).await?);
        }
        let stdin = self.program.stdin()?;
        let options = replay::Options { stdin: stdin.clone(), ..self.run.options() };
        let answer = replay::into_call::replay_into_call("qp why", &chain, &options, context).await?;
        let input = stdin.map(|recording| recording.recorded()).filter(|input| !input.is_empty());
        if let (Some(input), Some((saved, file))) = (input, &mut saved) {
            save_input(saved, file, &input)?;
            save_chain(saved, file, true)?;
        }
        Ok(answer)
    }
}
