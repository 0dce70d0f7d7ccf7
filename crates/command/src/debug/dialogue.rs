//! The dialogue of `qp debug`: prompt commands go in, replies come out. It knows no terminal, so every front
//! end has the same one.

use super::{Reply, execute};
use crate::CommandError;
use crate::exchange::{DialogueStatus, Exchange};
use replay::explore::{Explorer, Interrupter, RunResult, Standpoint, Words};
use session::SessionError;

/// The command whose reply is the answer of a run in the background.
const BACKGROUND_RUN: &str = "run &";

/// The state of the program between two commands.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(tag = "state", content = "at", rename_all = "kebab-case")]
pub enum ProgramState {
    /// There was no run yet.
    NotStarted,
    /// A run continues in the background.
    Running,
    /// The program is halted.
    Halted(Box<Standpoint>),
    /// The program has ended.
    Ended,
}

/// The dialogue of one session.
pub struct DebugDialogue {
    explorer: Explorer,
    status: DialogueStatus,
    has_ended: bool,
}

impl DebugDialogue {
    /// A dialogue with a person (`is_attended`), or with a script.
    pub fn new(explorer: Explorer, is_attended: bool) -> DebugDialogue {
        DebugDialogue { explorer, status: DialogueStatus::new(is_attended), has_ended: false }
    }

    /// Opens and builds the program. Returns the error, if any, which a front end shows first.
    pub async fn open(&mut self) -> Option<Exchange<Reply>> {
        let error = self.explorer.open().await.err()?;
        Some(self.counted("", Err(error.into())))
    }

    /// Executes the command of a line. [`DebugDialogue::interrupter`] ends its run.
    pub async fn take(&mut self, line: &str) -> Exchange<Reply> {
        let reply = execute(line, &mut self.explorer).await;
        self.counted(line, reply)
    }

    /// Replies to a line that cannot be read.
    pub fn refuse(&mut self, why: &str) -> Exchange<Reply> {
        self.counted("", Err(CommandError::Usage(why.to_owned())))
    }

    /// Waits for the run in the background; forever if there is none. Cancel-safe.
    pub async fn finished(&mut self) -> Exchange<Reply> {
        let ran = self.explorer.finished().await;
        self.ran(ran)
    }

    /// Ends the dialogue because there are no more commands. A script waits for its run in the background. A
    /// person ends that run, too.
    pub async fn end_commands(&mut self) -> Option<Exchange<Reply>> {
        self.has_ended = true;
        let waits = self.explorer.is_running() && !self.status.is_attended();
        if waits { Some(self.finished().await) } else { None }
    }

    /// A signal ends the dialogue.
    pub fn terminate(&mut self) {
        self.has_ended = true;
        self.status.terminate();
    }

    fn ran(&mut self, ran: Result<RunResult, SessionError>) -> Exchange<Reply> {
        let reply = ran.map(|ran| Reply::Ran { ran, about: None }).map_err(CommandError::from);
        self.counted(BACKGROUND_RUN, reply)
    }

    fn counted(&mut self, line: &str, reply: Result<Reply, CommandError>) -> Exchange<Reply> {
        match &reply {
            Ok(Reply::Ran { ran, .. }) => self.status.count(ran.exit_code()),
            Ok(Reply::Quit) => self.has_ended = true,
            Ok(_) => {}
            Err(error) => self.status.count(error.exit_code()),
        }
        Exchange { command: line.to_owned(), reply }
    }

    /// The state of the program.
    ///
    /// # Errors
    /// The halted program has ended meanwhile.
    pub async fn program_state(&mut self) -> Result<ProgramState, CommandError> {
        if self.explorer.is_running() {
            return Ok(ProgramState::Running);
        }
        Ok(match self.explorer.stand().await? {
            Some(at) => ProgramState::Halted(Box::new(at)),
            None if self.explorer.ended().is_some() => ProgramState::Ended,
            None => ProgramState::NotStarted,
        })
    }

    /// The completions of a command's words.
    pub async fn words(&mut self) -> Words {
        self.explorer.words().await
    }

    /// Ends the run of a command, or the run in the background.
    pub fn interrupter(&self) -> Interrupter {
        self.explorer.interrupter()
    }

    /// Whether the dialogue has ended.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The exit code of the dialogue.
    pub fn exit_code(&self) -> u8 {
        self.status.exit_code()
    }

    /// Ends the program. Call it when the dialogue has ended.
    pub async fn finish(&mut self) {
        self.explorer.end().await;
    }
}
