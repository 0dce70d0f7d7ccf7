//! `qp why [EXPR] --at CLASS:LINE -- java …`: one question, one answer, no file.

use super::line::LineArgs;
use super::program::ProgramArgs;
use super::recording_args::InRecording;
use super::replay::RunArgs;
use super::value_question::value_question;
use super::{Command, CommandError, Outcome, save_chain, save_input};
use answer::Answer;
use chain::{Chain, Debuggee, Kind, Point};
use debuggee::StdinRecording;
use recorded::{RecordedSource, RecordedTrace};
use replay::failure::{
    FailurePlace, failure_in_text, find_failure, of_throws_before, of_uncaught, place_in_text, throws_before,
    uncaught,
};
use session::{Context, SessionError};
use std::path::{Path, PathBuf};

/// Asks what last changed a value, or which condition led to a line
#[derive(clap::Args, Clone, Debug)]
#[command(
    mut_group("program", |group| group.arg("recording")),
    after_help = "Examples:\n  qp why foo --at Intro:31 --when 'foo == null' -- java -ea -cp classes Intro\n  qp why --at shop.Cart:12 -- ./shop.sh     # which condition led to that line\n  qp why total --at Cart:12 --index -1 --save cart.ron -- java -jar shop.jar\n  qp why total -- java -jar shop.jar        # at the exception that nothing caught\n  qp why total --at-trace log.txt -- java -jar shop.jar"
)]
pub struct Why {
    /// A variable or field: asks for its last change before the line, or before the failure of the program. A
    /// call such as `total(order)`: asks for
    /// the `return` that made its result. Without it: asks for the condition that led to the line
    #[arg(value_name = "EXPR")]
    pub expr: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub line: LineArgs,
    /// A file with a stack trace, or - for standard input: asks at its newest line of your code
    #[arg(long, value_name = "FILE", conflicts_with = "at")]
    pub at_trace: Option<PathBuf>,
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
    /// The chain with the question. `options` are those of the run that finds the failure, if no line is
    /// named.
    ///
    /// # Errors
    /// `--at` is not CLASS:LINE, an expression is invalid, or the program did not fail.
    pub async fn chain(
        &self,
        debuggee: Debuggee,
        recorded: Option<&mut (RecordedTrace, PathBuf)>,
        options: &replay::Options,
        context: &Context,
    ) -> Result<Chain, CommandError> {
        let mut points = match &self.line.at {
            Some(_) => vec![Point { index: self.index, ..self.line.root("A")? }],
            None => self.at_failure(&debuggee, recorded, options, context).await?,
        };
        points.push(match &self.expr {
            Some(expr) => value_question("B", "A", 0, expr),
            None => {
                let at = points.last().map_or("A", |last| last.id.as_str());
                Point::new("B", Kind::LastCondition(at.to_owned()))
            }
        });
        let chain = self.run.code.apply(Chain::new(debuggee, points));
        // Parse the chain as if it came from a file, so that errors in expressions read the same.
        let text = chain.to_ron().map_err(SessionError::from)?;
        Ok(Chain::parse(&text, "qp why").map_err(SessionError::from)?)
    }
}

impl Why {
    /// The points that lead to the line at which the program failed.
    async fn at_failure(
        &self,
        debuggee: &Debuggee,
        recorded: Option<&mut (RecordedTrace, PathBuf)>,
        options: &replay::Options,
        context: &Context,
    ) -> Result<Vec<Point>, CommandError> {
        let chain = self.run.code.apply(Chain::new(debuggee.clone(), Vec::new()));
        let place = match (&self.at_trace, recorded) {
            // The frames of code that was not recorded are not on its stacks.
            (Some(file), Some((trace, _))) => {
                let place = place_in_text(&text_of(file, context).await?, &trace.pool()?)?;
                FailurePlace { has_called: false, ..place }
            }
            (Some(file), None) => {
                let text = text_of(file, context).await?;
                Box::pin(failure_in_text(&chain, &text, options, context)).await?
            }
            (None, Some((trace, path))) => {
                let chain = uncaught(&chain);
                let mut source = RecordedSource::new(trace, path.clone(), &chain)?;
                let answer = source.replay("the failure", &chain, options, context)?.answer;
                let none = "no exception left the recorded code: name a line with --at CLASS:LINE";
                let place = of_uncaught(&answer).ok_or_else(|| CommandError::Usage(none.to_owned()))?;
                match throws_before(&chain, &answer) {
                    Some(asked) => {
                        let mut source = RecordedSource::new(trace, path.clone(), &asked)?;
                        let answer =
                            source.replay("what led to the failure", &asked, options, context)?.answer;
                        // All code of a recording is recorded because it is own, or because it was asked for.
                        of_throws_before(&answer, |_| true).unwrap_or(place)
                    }
                    None => place,
                }
            }
            (None, None) => find_failure(&chain, options, context).await?,
        };
        let mut points = place.points("A");
        // Where the line itself threw: which condition led to the throw, not to the line.
        if self.expr.is_none() && !place.has_called && !place.throws.is_empty() {
            points.pop();
            return Ok(points);
        }
        if let Some(line) = points.pop() {
            let index = self.index.or(line.index);
            points.push(self.line.selected(Point { index, ..line }));
        }
        Ok(points)
    }
}

/// The text of a file, or of standard input for `-`.
async fn text_of(file: &Path, context: &Context) -> Result<String, CommandError> {
    let bytes = if is_stdin(file) {
        let input = StdinRecording::of_own_stdin().map_err(CommandError::Input)?;
        tokio::select! {
            bytes = input.whole() => bytes,
            () = context.interrupted() => return Err(SessionError::Interrupted.into()),
        }
    } else {
        let unread = |error| CommandError::Usage(format!("cannot read {}: {error}", file.display()));
        std::fs::read(file).map_err(unread)?
    };
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn is_stdin(file: &Path) -> bool {
    file.as_os_str() == "-"
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
        let mut recorded = self.recorded.open(context).await?;
        let debuggee = self.program.debuggee(&self.command)?;
        let debuggee = match &recorded {
            Some((trace, _)) => Debuggee { sources: debuggee.sources, ..trace.program() },
            None => debuggee,
        };
        // What names the line is not the program's input as well.
        let is_taken = self.at_trace.as_deref().is_some_and(is_stdin);
        let stdin = if is_taken { Some(StdinRecording::ended()) } else { self.program.stdin()? };
        let options = replay::Options { stdin: stdin.clone(), ..self.run.options() };
        let chain = Box::pin(self.chain(debuggee, recorded.as_mut(), &options, context)).await?;
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
        let answer = replay::into_call::replay_into_call("qp why", &chain, &options, context).await?;
        let input = stdin.map(|recording| recording.recorded()).filter(|input| !input.is_empty());
        if let (Some(input), Some((saved, file))) = (input, &mut saved) {
            save_input(saved, file, &input)?;
            save_chain(saved, file, true)?;
        }
        Ok(answer)
    }
}
