//! The dialogue of `qp query`: goals and queries go in, replies come out. It knows no terminal, so every
//! front end shares it.

use super::prompt_command::{PROMPT_TABLE, PromptCommand, PromptRow};
use crate::CommandError;
use crate::exchange::{DialogueStatus, Exchange};
use logic::Answer as Answered;
use logic::queries::QUERIES;
use logic::rules::{AskItem, Asked as AskedGoal};
use recorded::logic::{AskRequest, GoalStep, OpenLog, RunningGoal, ToSave};
use serde::Serialize;
use session::{Context, SessionError};
use std::path::{Path, PathBuf};

/// The reply to a command.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "reply", content = "content", rename_all = "kebab-case")]
pub enum QueryReply {
    /// The recording: what it has and lacks.
    Opened {
        /// Number of its events.
        events: u64,
        /// Its level.
        level: String,
        /// Missing parts.
        missing: Vec<String>,
    },
    /// The next solution of a goal, or its end.
    Goal(GoalReply),
    /// The answer to a predefined query.
    Answer(Answered),
    /// The files of rules.
    Rules(Vec<PathBuf>),
    /// The predicates of the rules, and the predefined queries.
    List {
        /// `login/0`
        predicates: Vec<String>,
        /// Examples of the queries, with their purposes.
        queries: Vec<(&'static str, &'static str)>,
    },
    /// The last answer was saved.
    Saved(PathBuf),
    /// The table of commands.
    Help(&'static [PromptRow]),
    /// The line held no command.
    Nothing,
    /// The dialogue ends.
    Quit,
}

/// What a goal did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GoalReply {
    /// What it wrote, and its next solution.
    pub items: Vec<AskItem>,
    /// Number of solutions so far.
    pub solutions: usize,
    /// Whether it waits, since it may have more solutions.
    pub waits: bool,
    /// The error that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What is allowed but rarely meant in the rules, and what the recording lacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl QueryReply {
    /// Whether there is nothing to show.
    pub fn is_silent(&self) -> bool {
        matches!(self, QueryReply::Nothing | QueryReply::Quit)
    }
}

/// Asks an open recording.
pub struct QueryDialogue {
    log: OpenLog,
    request: AskRequest,
    running: Option<RunningGoal>,
    /// The last answer.
    last: Option<ToSave>,
    status: DialogueStatus,
    has_ended: bool,
    /// Whether commands may read and write files.
    may_use_files: bool,
}

impl QueryDialogue {
    /// A dialogue with a person, or with a script.
    pub fn new(log: OpenLog, request: AskRequest, is_attended: bool) -> QueryDialogue {
        let status = DialogueStatus::new(is_attended);
        QueryDialogue {
            log,
            request,
            running: None,
            last: None,
            status,
            has_ended: false,
            may_use_files: true,
        }
    }

    /// The same, but commands that read or write files are refused.
    #[must_use]
    pub fn without_files(self) -> QueryDialogue {
        QueryDialogue { may_use_files: false, ..self }
    }

    /// What the recording has. A front end shows it first.
    pub fn opened(&self) -> Exchange<QueryReply> {
        let reply = QueryReply::Opened {
            events: self.log.count(),
            level: self.log.level().to_owned(),
            missing: self.log.missing().to_vec(),
        };
        Exchange { command: String::new(), reply: Ok(reply) }
    }

    /// The recording that is asked.
    pub fn log(&self) -> &OpenLog {
        &self.log
    }

    /// Whether a goal waits with a solution.
    pub fn waits(&self) -> bool {
        self.running.is_some()
    }

    /// Executes the command of a line.
    pub async fn take(&mut self, line: &str, context: &Context) -> Exchange<QueryReply> {
        let reply = match PromptCommand::parse(line, self.waits()) {
            Ok(None) => Ok(QueryReply::Nothing),
            Ok(Some(command)) => self.execute(command, context).await,
            Err(error) => Err(error),
        };
        self.counted(line, reply)
    }

    /// Answers a line that cannot be read.
    pub fn refuse(&mut self, why: &str) -> Exchange<QueryReply> {
        self.counted("", Err(CommandError::Usage(why.to_owned())))
    }

    /// Gives up the goal that waits.
    pub fn give_up(&mut self) {
        self.running = None;
    }

    fn counted(&mut self, line: &str, reply: Result<QueryReply, CommandError>) -> Exchange<QueryReply> {
        match &reply {
            Err(error) => self.status.count(error.exit_code()),
            Ok(QueryReply::Goal(GoalReply { error: Some(_), .. })) => self.status.count(2),
            Ok(_) => {}
        }
        self.has_ended |= matches!(reply, Ok(QueryReply::Quit));
        Exchange { command: line.to_owned(), reply }
    }

    async fn execute(
        &mut self,
        command: PromptCommand,
        context: &Context,
    ) -> Result<QueryReply, CommandError> {
        // Commands that look at the last answer let its goal wait.
        let uses_files = match &command {
            PromptCommand::Rules(file) => file.is_some(),
            PromptCommand::Save(_) => true,
            PromptCommand::Query(query) => query.saving().save.is_some(),
            _ => false,
        };
        if uses_files && !self.may_use_files {
            let why = "files are read and written only by `qp query`, not from here";
            return Err(CommandError::Usage(why.to_owned()));
        }
        let keeps = matches!(command, PromptCommand::Next | PromptCommand::Save(_) | PromptCommand::Help);
        if !keeps {
            self.give_up();
        }
        Ok(match command {
            PromptCommand::Next => self.next(context).await?,
            PromptCommand::Enough => QueryReply::Nothing,
            PromptCommand::Goal(goal) => {
                self.last = None;
                let request =
                    AskRequest { goal: goal.trim_end_matches('.').to_owned(), ..self.request.clone() };
                let running = self.log.start(&request)?;
                let asked = AskedGoal { goal: request.goal, ..AskedGoal::default() };
                self.last = Some(ToSave::Goal(asked, running.rules.clone()));
                self.running = Some(running);
                self.next(context).await?
            }
            PromptCommand::Query(query) => {
                let answer = query.answer(&self.log, context).await?;
                let answered = ToSave::Query(answer.clone());
                query.saving().save(&self.log, &answered, context).await?;
                self.last = Some(answered);
                QueryReply::Answer(answer)
            }
            PromptCommand::Rules(None) => QueryReply::Rules(self.request.rules.clone()),
            PromptCommand::Rules(Some(file)) => {
                let mut request = self.request.clone();
                if !request.rules.contains(&file) {
                    request.rules.push(file);
                }
                self.log.predicates(&request)?;
                self.request = request;
                QueryReply::Rules(self.request.rules.clone())
            }
            PromptCommand::List => QueryReply::List {
                predicates: self.log.predicates(&self.request)?,
                queries: QUERIES.iter().map(|query| (query.example, query.about)).collect(),
            },
            PromptCommand::Save(file) => self.save(&file, context).await?,
            PromptCommand::Help => QueryReply::Help(PROMPT_TABLE),
            PromptCommand::Quit => QueryReply::Quit,
        })
    }

    /// Runs the goal to its next solution.
    async fn next(&mut self, context: &Context) -> Result<QueryReply, CommandError> {
        let Some(mut running) = self.running.take() else { return Ok(QueryReply::Nothing) };
        let mut reply = AskedGoal::default();
        // An error or an interrupt ends the goal: it is not put back.
        let ended = loop {
            match running.next(context).await? {
                GoalStep::Output(text) => reply.push(AskItem::Output(text)),
                GoalStep::Solution(solution) => {
                    reply.push(solution);
                    break None;
                }
                GoalStep::Ended(asked) => break Some(asked),
            }
        };
        let mut solutions = 0;
        if let Some(ToSave::Goal(last, _)) = &mut self.last {
            reply.items.iter().cloned().for_each(|item| last.push(item));
            last.more = ended.as_ref().is_none_or(|ended| ended.more);
            if let Some(ended) = &ended {
                last.notes.clone_from(&ended.notes);
                last.error.clone_from(&ended.error);
            }
            solutions = last.solutions;
        }
        let waits = ended.is_none();
        if waits {
            self.running = Some(running);
        }
        let (error, notes) = ended.map(|ended| (ended.error, ended.notes)).unwrap_or_default();
        Ok(QueryReply::Goal(GoalReply { items: reply.items, solutions, waits, error, notes }))
    }

    async fn save(&self, file: &Path, context: &Context) -> Result<QueryReply, CommandError> {
        let Some(last) = &self.last else {
            return Err(CommandError::Usage("there is no answer to save: ask something first".to_owned()));
        };
        let saved = self.log.saved(last, context).await?;
        recorded::logic::write_answer(&saved, file)
            .map_err(|error: SessionError| CommandError::from(error))?;
        Ok(QueryReply::Saved(file.to_owned()))
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
