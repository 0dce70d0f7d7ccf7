//! The dialogue of `qp trace step`: commands go in, replies come out. It knows no terminal, so every front
//! end shares it.

use super::commands::{AROUND, STEP_TABLE, StepCommand};
use crate::cursor::Cursor;
use crate::exchange::{DialogueStatus, Exchange};
use crate::prompt_row::PromptRow;
use crate::recorded_question::{AskedAt, RecordedQuestion, RecordedReply};
use crate::trace::MadeChain;
use crate::{CommandError, save_chain};
use past::stack::Frame;
use past::{ListedEvent, Marks, MemberShown, PastError, View};
use session::{Context, SessionError};
use std::path::Path;
use trace::EventPosition;

/// Maximum number of calls of a stack.
const FRAMES: usize = 100;

/// The reply to a command.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(tag = "reply", content = "content", rename_all = "kebab-case")]
pub enum StepReply {
    /// The current event.
    View(Box<View>),
    /// Events.
    List(Vec<ListedEvent>),
    /// An object or variable.
    Show(MemberShown),
    /// The calls around the current event, innermost first, and how many there are.
    Stack(Vec<Frame>, usize),
    /// A chain.
    Chain(MadeChain),
    /// Missing parts of the run, with the reason.
    Missing(Vec<String>),
    /// The table of commands.
    Help(&'static [PromptRow]),
    /// The line held no command.
    Nothing,
    /// The dialogue ends.
    Quit,
    /// The answer to a question.
    #[serde(untagged)]
    Answer(RecordedReply),
}

impl StepReply {
    /// Whether there is nothing to show.
    pub fn is_silent(&self) -> bool {
        matches!(self, StepReply::Nothing | StepReply::Quit)
    }
}

/// Steps over a recorded run by commands.
pub struct StepDialogue {
    cursor: Cursor,
    /// What lists mark.
    marks: Marks,
    status: DialogueStatus,
    has_ended: bool,
}

impl StepDialogue {
    /// A dialogue with a person, or with a script.
    pub fn new(cursor: Cursor, is_attended: bool) -> StepDialogue {
        let (marks, status) = (Marks::default(), DialogueStatus::new(is_attended));
        StepDialogue { cursor, marks, status, has_ended: false }
    }

    /// The missing parts of the run, if there are any. A front end shows them first.
    pub fn missing(&self) -> Option<Exchange<StepReply>> {
        let missing = self.cursor.trace.missing();
        let is_whole = missing.is_empty();
        (!is_whole).then(|| Exchange { command: String::new(), reply: Ok(StepReply::Missing(missing)) })
    }

    /// Executes the command of a line.
    pub async fn take(&mut self, line: &str, context: &Context) -> Exchange<StepReply> {
        let reply = match StepCommand::parse(line) {
            Ok(None) => Ok(StepReply::Nothing),
            Ok(Some(command)) => self.execute(&command, context).await,
            Err(error) => Err(error),
        };
        self.counted(line, reply)
    }

    /// Answers a line that cannot be read.
    pub fn refuse(&mut self, why: &str) -> Exchange<StepReply> {
        self.counted("", Err(CommandError::Usage(why.to_owned())))
    }

    fn counted(&mut self, line: &str, reply: Result<StepReply, CommandError>) -> Exchange<StepReply> {
        if let Err(error) = &reply {
            self.status.count(error.exit_code());
        }
        self.has_ended |= matches!(reply, Ok(StepReply::Quit));
        Exchange { command: line.to_owned(), reply }
    }

    /// Executes a command.
    ///
    /// # Errors
    /// There is no such event, variable or call, a chain cannot be written, or the user interrupted; the
    /// current event stays.
    pub async fn execute(
        &mut self,
        command: &StepCommand,
        context: &Context,
    ) -> Result<StepReply, CommandError> {
        let Cursor { trace, at, .. } = &mut self.cursor;
        let here = *at;
        match command {
            StepCommand::Next(times) => *at = steps(*times, here, |at| trace.following_event(at))?,
            StepCommand::Previous(times) => *at = steps(*times, here, |at| trace.preceding_event(at))?,
            StepCommand::Line(direction, times) => {
                *at = steps(*times, here, |at| trace.next_line(at, *direction))?;
            }
            StepCommand::ToLine(direction, line) => *at = trace.execution_from(here, *direction, line)?,
            StepCommand::Into => *at = trace.callee_of(here)?,
            StepCommand::Out => *at = trace.caller_of(here)?,
            StepCommand::End => *at = trace.end_of_call(here)?,
            StepCommand::Change(direction, name) => {
                let moment = trace.moment(here)?;
                let found = trace.write_in(moment, *direction, name)?;
                (*at, self.marks.variables) = (found.at, vec![found.variable]);
            }
            StepCommand::Go(event) => *at = trace.position(*event)?,
            StepCommand::Call(node) => *at = trace.entry_of(*node)?,
            StepCommand::List(many) => return Ok(StepReply::List(trace.list(here, *many, &self.marks)?)),
            StepCommand::Mark(name) => {
                let moment = trace.moment(here)?;
                let variable = trace.variable(moment, name)?;
                self.marks.variables = trace.with_contents(moment, variable)?;
                return Ok(StepReply::List(trace.list(here, AROUND, &self.marks)?));
            }
            StepCommand::Show(name) => {
                let moment = trace.moment(here)?;
                return Ok(StepReply::Show(trace.show(moment, name)?));
            }
            StepCommand::Ask(question) => return Box::pin(self.ask(question, context)).await,
            StepCommand::Chain(file) => return self.chain(file.as_deref()),
            StepCommand::Stack => {
                let (frames, all) = trace.stack(here, 0, FRAMES)?;
                return Ok(StepReply::Stack(frames, all));
            }
            StepCommand::Where => {}
            StepCommand::Help => return Ok(StepReply::Help(STEP_TABLE)),
            StepCommand::Quit => return Ok(StepReply::Quit),
        }
        let here = *at;
        Ok(StepReply::View(Box::new(trace.view(here)?)))
    }

    /// Answers a question. The jumps at which operations were lost are marked in lists from then on.
    async fn ask(
        &mut self,
        question: &RecordedQuestion,
        context: &Context,
    ) -> Result<StepReply, CommandError> {
        let at = AskedAt::innermost(self.cursor.at);
        let reply = question.answer(&mut self.cursor.trace, at, context).await?;
        if let RecordedReply::Omitted(answer) = &reply {
            self.marks.lost_at = answer.suggestions.iter().map(|tried| tried.suggestion.pass.at).collect();
        }
        Ok(StepReply::Answer(reply))
    }

    fn chain(&mut self, file: Option<&Path>) -> Result<StepReply, CommandError> {
        let Cursor { trace, at, .. } = &mut self.cursor;
        let mut chain = recorded::chain_of(trace, *at)?;
        if let Some(file) = file {
            chain = session::portable(&chain, file);
            save_chain(&chain, file, trace.is_own())?;
        }
        let text = chain.to_ron().map_err(SessionError::from)?;
        Ok(StepReply::Chain(MadeChain::new(text, file, trace.about.redacted)))
    }

    /// Whether a command ended the dialogue.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The exit code of the dialogue. A front end counts its own failures there too.
    pub fn status(&mut self) -> &mut DialogueStatus {
        &mut self.status
    }
}

/// The position after some steps.
fn steps(
    times: usize,
    from: EventPosition,
    mut step: impl FnMut(EventPosition) -> Result<EventPosition, PastError>,
) -> Result<EventPosition, PastError> {
    (0..times).try_fold(from, |at, _| step(at))
}
