//! The dialogue of `qp trace step`: commands go in, replies come out. It knows no terminal, so every front
//! end shares it.

use super::commands::{AROUND, STEP_TABLE, StepCommand, StepRow};
use crate::exchange::{DialogueStatus, Exchange};
use crate::trace::MadeChain;
use crate::{CommandError, save_chain};
use session::{
    self, Context, History, ListedEvent, MemberShown, OmissionAnswer, OmissionQuestion, SessionError,
    Stepper, View, WrongPoint,
};
use std::path::Path;

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
    /// Writes.
    History(History),
    /// Operations that were not executed.
    Omitted(Box<OmissionAnswer>),
    /// A chain.
    Chain(MadeChain),
    /// Missing parts of the run, with the reason.
    Missing(Vec<String>),
    /// The table of commands.
    Help(&'static [StepRow]),
    /// The line held no command.
    Nothing,
    /// The dialogue ends.
    Quit,
}

impl StepReply {
    /// Whether there is nothing to show.
    pub fn is_silent(&self) -> bool {
        matches!(self, StepReply::Nothing | StepReply::Quit)
    }
}

/// Steps over a recorded run by commands.
pub struct StepDialogue {
    stepper: Stepper<'static>,
    status: DialogueStatus,
    has_ended: bool,
}

impl StepDialogue {
    /// A dialogue with a person, or with a script.
    pub fn new(stepper: Stepper<'static>, is_attended: bool) -> StepDialogue {
        StepDialogue { stepper, status: DialogueStatus::new(is_attended), has_ended: false }
    }

    /// The missing parts of the run, if there are any. A front end shows them first.
    pub fn missing(&self) -> Option<Exchange<StepReply>> {
        let missing = self.stepper.missing();
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
        let stepper = &mut self.stepper;
        match command {
            StepCommand::Next(times) => (0..*times).try_for_each(|_| stepper.forth())?,
            StepCommand::Previous(times) => (0..*times).try_for_each(|_| stepper.back())?,
            StepCommand::Line(direction, times) => (0..*times).try_for_each(|_| stepper.line(*direction))?,
            StepCommand::ToLine(direction, line) => stepper.to_line(*direction, line)?,
            StepCommand::Into => stepper.into_call()?,
            StepCommand::Out => stepper.out()?,
            StepCommand::End => stepper.to_end()?,
            StepCommand::Change(direction, name) => stepper.change(*direction, name)?,
            StepCommand::Call(node) => stepper.call(*node, false)?,
            StepCommand::List(many) => return Ok(StepReply::List(stepper.list(*many)?)),
            StepCommand::Mark(name) => {
                stepper.mark(name)?;
                return Ok(StepReply::List(stepper.list(AROUND)?));
            }
            StepCommand::Show(name) => return Ok(StepReply::Show(stepper.show(name)?)),
            StepCommand::History(name) => return Ok(StepReply::History(stepper.history(name)?)),
            StepCommand::Omitted(name) => return Box::pin(self.omitted(name, context)).await,
            StepCommand::Chain(file) => return self.chain(file.as_deref()),
            StepCommand::Where => {}
            StepCommand::Help => return Ok(StepReply::Help(STEP_TABLE)),
            StepCommand::Quit => return Ok(StepReply::Quit),
        }
        Ok(StepReply::View(Box::new(stepper.view()?)))
    }

    /// Finds omissions as `qp omitted` does by default, and marks their jumps in lists.
    async fn omitted(&mut self, name: &str, context: &Context) -> Result<StepReply, CommandError> {
        let trace = self.stepper.reopened(context).await?;
        let question = OmissionQuestion::new(name, WrongPoint::Event(self.stepper.position()));
        let answer = Box::pin(session::ask_omissions(trace, &question, context)).await?;
        self.stepper.mark_lost(answer.suggestions.iter().map(|tried| tried.suggestion.pass.at).collect());
        Ok(StepReply::Omitted(Box::new(answer)))
    }

    fn chain(&mut self, file: Option<&Path>) -> Result<StepReply, CommandError> {
        let mut chain = self.stepper.chain()?;
        if let Some(file) = file {
            chain = session::portable(&chain, file);
            save_chain(&chain, file, self.stepper.is_own())?;
        }
        let text = chain.to_ron().map_err(SessionError::from)?;
        Ok(StepReply::Chain(MadeChain::new(text, file, self.stepper.is_redacted())))
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
