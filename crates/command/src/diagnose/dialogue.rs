//! The dialogue of `qp diagnose`: answers go in, questions and other replies come out. It knows no terminal,
//! so every front end has the same one.
//!
//! A front end shows [`DiagnoseDialogue::opening`]. Then it calls [`DiagnoseDialogue::advance`], shows the
//! replies and takes an answer, until the dialogue has ended. Last it shows [`DiagnoseDialogue::finish`].

use super::StartedDiagnosis;
use super::answers::{AnswerForm, GivenAnswer};
use super::open_question::{AnswerEffect, OpenQuestion};
use super::reply::{DiagnoseReply, DiagnosisResult, UnjudgedCall};
use crate::CommandError;
use crate::cursor::Cursor;
use crate::exchange::TERMINATED;
use crate::trace::StepDialogue;
use chain::SourcePaths;
use diagnose::{Buggy, Next, Question};
use files::TemporaryFolder;
use past::Breakpoints;
use session::{Context, SessionError};

/// The exit code without a buggy call.
const NOT_FOUND: u8 = 1;
/// What is said where nothing can be ranked.
const NOT_FAILED: &str = "nothing to rank: the run has not failed, as far as it was recorded";
/// The exit code of a script whose answers end before the questions do.
const OUT_OF_ANSWERS: u8 = 2;

/// The dialogue of one diagnosis.
pub struct DiagnoseDialogue {
    started: StartedDiagnosis,
    form: AnswerForm,
    is_attended: bool,
    open: Option<OpenQuestion>,
    /// The calls whose questions stayed open.
    unjudged: Vec<UnjudgedCall>,
    /// Whether the buggy call was found.
    is_found: bool,
    /// The exit code, once the dialogue has ended.
    code: Option<u8>,
}

impl DiagnoseDialogue {
    /// A dialogue with a person, who answers in words.
    pub fn with_person(started: StartedDiagnosis) -> DiagnoseDialogue {
        DiagnoseDialogue::new(started, AnswerForm::Words, true)
    }

    /// A dialogue with a person (`is_attended`), or with a script. The form is that of the answers.
    pub fn new(started: StartedDiagnosis, form: AnswerForm, is_attended: bool) -> DiagnoseDialogue {
        DiagnoseDialogue {
            started,
            form,
            is_attended,
            open: None,
            unjudged: Vec::new(),
            is_found: false,
            code: None,
        }
    }

    /// The replies to show before the first question.
    pub fn opening(&self) -> Vec<DiagnoseReply> {
        let diagnoser = &self.started.diagnoser;
        let notes = diagnoser.notes.iter().cloned().map(DiagnoseReply::Note);
        let missing = Some(diagnoser.missing()).filter(|missing| !missing.is_empty());
        notes.chain(missing.map(DiagnoseReply::Missing)).collect()
    }

    /// Continues to the next question or to the result; does nothing while a question is open. The replies
    /// begin with the answers of oracles. If the program has to run again, an interrupt ends that run.
    pub async fn advance(&mut self, context: &Context) -> Vec<DiagnoseReply> {
        if self.open.is_some() || self.has_ended() {
            return Vec::new();
        }
        let mut replies = match self.rank(context).await {
            Ok(replies) => replies,
            Err(error) => return vec![self.fail(error.into())],
        };
        if self.has_ended() {
            return replies;
        }
        let next = loop {
            let diagnoser = &mut self.started.diagnoser;
            let next = diagnoser.next(context).await;
            replies.extend(diagnoser.take_assumption().map(DiagnoseReply::Assumed));
            replies.extend(diagnoser.take_survey().map(DiagnoseReply::Survey));
            replies.extend(diagnoser.take_referred().into_iter().map(DiagnoseReply::Referred));
            match next {
                Ok(Next::Question(question)) if self.started.is_unattended => {
                    diagnoser.leave_open(&question);
                    self.unjudged.push(UnjudgedCall {
                        node: question.node,
                        method: question.method_text(),
                        why: question.notes,
                    });
                }
                next => break next,
            }
        };
        replies.push(match next {
            Ok(Next::Question(question)) => self.ask(*question),
            Ok(Next::Buggy(buggy)) => {
                self.is_found = true;
                self.conclude(Some(buggy), false)
            }
            Ok(Next::NotEnded) => self.conclude(None, true),
            Ok(Next::NoneLeft) => self.conclude(None, false),
            Ok(Next::Undecided(invalid, unknown)) => self.leave_undecided(invalid, unknown),
            Err(error) => self.fail(error.into()),
        });
        replies
    }

    /// Ranks the methods, if that is wanted and not yet done. The dialogue ends here if nothing else is
    /// wanted.
    async fn rank(&mut self, context: &Context) -> Result<Vec<DiagnoseReply>, SessionError> {
        let Some(wanted) = self.started.ranking.take() else { return Ok(Vec::new()) };
        let diagnoser = &mut self.started.diagnoser;
        let ranking = diagnoser.ranking(wanted.most, context).await?;
        let assumed = diagnoser.take_assumption().map(DiagnoseReply::Assumed);
        if wanted.is_all {
            self.end(if ranking.is_some() { 0 } else { NOT_FOUND });
        }
        let reply = match ranking {
            Some(ranking) => Some(DiagnoseReply::Ranking(ranking)),
            None => wanted.is_all.then(|| DiagnoseReply::Note(NOT_FAILED.to_owned())),
        };
        Ok(assumed.into_iter().chain(reply).collect())
    }

    fn ask(&mut self, question: Question) -> DiagnoseReply {
        self.open = Some(OpenQuestion { chosen: question.clone(), current: question.clone() });
        DiagnoseReply::Question(Box::new(question))
    }

    fn conclude(&mut self, buggy: Option<Buggy>, not_ended: bool) -> DiagnoseReply {
        self.end(if buggy.is_some() { 0 } else { NOT_FOUND });
        DiagnoseReply::Result(Box::new(DiagnosisResult { buggy, not_ended, ..self.result() }))
    }

    fn leave_undecided(&mut self, invalid: Option<Buggy>, unknown: Vec<u32>) -> DiagnoseReply {
        self.end(NOT_FOUND);
        let calls = invalid.iter().map(|call| call.node).chain(unknown.iter().copied());
        let mut undecided: Vec<u32> = calls.collect();
        // Several loops of one call have its number.
        undecided.dedup();
        let mut unjudged = std::mem::take(&mut self.unjudged);
        unjudged.retain(|call| undecided.contains(&call.node));
        unjudged.sort_by_key(|call| undecided.iter().position(|node| *node == call.node));
        let result = Box::new(DiagnosisResult { undecided, unjudged, ..self.result() });
        DiagnoseReply::Undecided { result, invalid, unknown }
    }

    /// The result so far.
    fn result(&self) -> DiagnosisResult {
        let diagnoser = &self.started.diagnoser;
        DiagnosisResult {
            buggy: None,
            answers: diagnoser.answers(),
            by_assertion: diagnoser.by_assertion(),
            by_reference: diagnoser.by_reference(),
            undecided: Vec::new(),
            unjudged: Vec::new(),
            not_ended: false,
            missing: diagnoser.missing(),
        }
    }

    fn fail(&mut self, error: CommandError) -> DiagnoseReply {
        self.end(error.exit_code());
        DiagnoseReply::Error(error)
    }

    fn end(&mut self, code: u8) {
        self.open = None;
        self.code = Some(code);
    }

    /// Takes the answer on a line. The reply is about that answer alone: [`DiagnoseDialogue::advance`]
    /// continues. If the program has to run again, an interrupt ends that run.
    pub async fn take(&mut self, line: &str, context: &Context) -> Option<DiagnoseReply> {
        let question = self.open.as_ref().map_or(0, |open| open.current.question);
        match GivenAnswer::parse(line, self.form, question) {
            Ok(given) => self.answer(given, context).await,
            Err(error) => Some(DiagnoseReply::Error(error)),
        }
    }

    /// Takes an answer, as [`DiagnoseDialogue::take`] does.
    pub async fn answer(&mut self, given: GivenAnswer, context: &Context) -> Option<DiagnoseReply> {
        let Some(mut open) = self.open.take() else {
            return Some(DiagnoseReply::Error(CommandError::Usage("no question is open".to_owned())));
        };
        match Box::pin(open.take(given, &mut self.started.diagnoser, context)).await {
            Ok(AnswerEffect::Open(reply)) => {
                self.open = Some(open);
                Some(reply)
            }
            Ok(AnswerEffect::Settled(reply)) => reply,
            Ok(AnswerEffect::Quit) => {
                self.end(if self.is_attended { 0 } else { OUT_OF_ANSWERS });
                None
            }
            Err(error) => Some(self.fail(error)),
        }
    }

    /// Replies to a line that cannot be read.
    pub fn refuse(&self, why: &str) -> DiagnoseReply {
        DiagnoseReply::Error(CommandError::Usage(why.to_owned()))
    }

    /// An interrupt while the dialogue waits for an answer. It ends a script. A person is asked again.
    pub fn interrupt(&mut self) {
        if !self.is_attended {
            self.terminate();
        }
    }

    /// A signal ends the dialogue.
    pub fn terminate(&mut self) {
        self.end(TERMINATED);
    }

    /// Ends the dialogue because there are no more answers. For a script, that is a failure.
    pub fn end_answers(&mut self) -> Option<DiagnoseReply> {
        let question = self.open.as_ref().map_or(0, |open| open.current.question);
        if self.is_attended {
            self.end(0);
            return None;
        }
        self.end(OUT_OF_ANSWERS);
        let why = format!("the answers ended at question {question}");
        Some(DiagnoseReply::Failure(CommandError::Usage(why)))
    }

    /// Ends the program if it still runs, and returns the last replies. Call it when the dialogue has ended.
    pub async fn finish(&mut self, context: &Context) -> Vec<DiagnoseReply> {
        let diagnoser = &mut self.started.diagnoser;
        let failed = diagnoser.end_run(context).await.err().map(CommandError::from);
        let unmet = diagnoser.unmet();
        if let Some(error) = &failed {
            self.count(error.exit_code());
        }
        let note =
            |method| format!("no call of {method} was recorded, although --assert has a condition for it");
        let notes = unmet.into_iter().map(note).map(DiagnoseReply::Note);
        failed.map(DiagnoseReply::Failure).into_iter().chain(notes).collect()
    }

    /// Steps over the events of the buggy call (JHyde §2.3). None if no buggy call was found, or if the
    /// answers come from a program.
    ///
    /// # Errors
    /// The recording cannot be read, or a run that would record the call in full fails.
    pub async fn walk(
        self,
        sources: &SourcePaths,
        context: &Context,
    ) -> Result<Option<BuggyCallWalk>, CommandError> {
        if !self.is_found || self.form == AnswerForm::Json {
            return Ok(None);
        }
        let StartedDiagnosis { diagnoser, recorded, .. } = self.started;
        let (trace, at) = Box::pin(diagnoser.walk(sources, context)).await?;
        let cursor = Cursor { trace, at, breakpoints: Breakpoints::default() };
        let dialogue = StepDialogue::new(cursor, self.is_attended);
        Ok(Some(BuggyCallWalk { dialogue, _recorded: recorded }))
    }

    /// The verdicts so far, about calls as they are shown, in words.
    pub fn verdicts(&self) -> Vec<(u32, &'static str)> {
        self.started.diagnoser.verdicts()
    }

    /// Whether the recorded program still runs.
    pub fn goes_on(&self) -> bool {
        self.started.goes_on()
    }

    /// The number of the open question.
    pub fn question(&self) -> Option<u32> {
        self.open.as_ref().map(|open| open.current.question)
    }

    /// Takes back the last answer after the end, so that the diagnosis goes on. Returns whether there was
    /// one.
    ///
    /// # Errors
    /// The answer file cannot be written.
    pub fn reopen(&mut self) -> Result<bool, CommandError> {
        let is_undone = self.started.diagnoser.undo()?.is_some();
        if is_undone {
            (self.code, self.is_found) = (None, false);
        }
        Ok(is_undone)
    }

    /// Whether the dialogue has ended.
    pub fn has_ended(&self) -> bool {
        self.code.is_some()
    }

    /// Adds the exit code of a failure of the front end. The highest code counts.
    pub fn count(&mut self, code: u8) {
        self.code = self.code.map(|own| own.max(code));
    }

    /// The exit code of the dialogue; 0 until it ends.
    pub fn exit_code(&self) -> u8 {
        self.code.unwrap_or(0)
    }
}

/// The dialogue over the events of the buggy call.
pub struct BuggyCallWalk {
    /// The dialogue.
    pub dialogue: StepDialogue,
    /// The files that the dialogue reads, if they were recorded for the diagnosis only.
    _recorded: Option<TemporaryFolder>,
}
