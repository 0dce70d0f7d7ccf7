//! The dialogue of `qp diagnose`: answers go in, questions and other replies come out. It knows no terminal,
//! so every front end has the same one.
//!
//! A front end shows [`DiagnoseDialogue::opening`]. Then it calls [`DiagnoseDialogue::advance`], shows the
//! replies and takes an answer, until the dialogue has ended. Last it shows [`DiagnoseDialogue::finish`].

use super::StartedDiagnosis;
use super::answers::{ANSWER_TABLE, AnswerCommand, AnswerForm, GivenAnswer};
use crate::CommandError;
use crate::cursor::Cursor;
use crate::exchange::TERMINATED;
use crate::prompt_row::PromptRow;
use crate::recorded_question::RecordedReply;
use crate::trace::{StepDialogue, StepReply};
use chain::SourcePaths;
use diagnose::{
    Assumption, Buggy, Diagnoser, KeptAnswer, Next, Oracle, OracleAnswer, Question, Ranking, Survey,
    strategies,
};
use files::TemporaryFolder;
use past::{Breakpoints, EventsShown};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use session::{Context, SessionError};

/// The exit code without a buggy call.
const NOT_FOUND: u8 = 1;
/// The exit code of a script whose answers end before the questions do.
const OUT_OF_ANSWERS: u8 = 2;

/// What a front end shows. As JSON it is one object.
#[derive(Debug)]
pub enum DiagnoseReply {
    /// A remark on the diagnosis. A command line writes it to standard error.
    Note(String),
    /// A failure outside of questions and answers. A command line writes it to standard error.
    Failure(CommandError),
    /// The reasons why parts of the run are missing.
    Missing(Vec<String>),
    /// What counts as answered because the run failed.
    Assumed(Assumption),
    /// The most suspicious methods, before the first question.
    Ranking(Ranking),
    /// The result of all assertions before the first question.
    Survey(Survey),
    /// An answer that an oracle gave, without a question.
    Referred(OracleAnswer),
    /// A question. It stays open until an answer settles it.
    Question(Box<Question>),
    /// The open question again, to be shown in full.
    More(Box<Question>),
    /// A value or the writes to a variable.
    Step(StepReply),
    /// The events of the call.
    Events(Box<EventsShown>),
    /// No slice can be computed for the wrong value. The answer counts as `invalid`.
    UnknownInfluence {
        /// The path of the wrong value.
        path: String,
        /// Why there is no slice.
        why: String,
    },
    /// A condition is kept for all calls of its method: the row that a file of assertions would have.
    Ensured(String),
    /// The stored answers.
    Answers(Vec<KeptAnswer>),
    /// The table of answers and the strategies.
    Help {
        /// The table of answers.
        answers: &'static [PromptRow],
        /// The strategies.
        strategies: Vec<StrategyRow>,
    },
    /// The result: the buggy call, or that there is none.
    Result(Box<DiagnosisResult>),
    /// The result where some answers were `unknown`.
    Undecided {
        /// The result.
        result: Box<DiagnosisResult>,
        /// The innermost invalid call, if there is one.
        invalid: Option<Buggy>,
        /// The calls that could not be judged.
        unknown: Vec<u32>,
    },
    /// The answer cannot be taken, or an error ends the dialogue.
    Error(CommandError),
}

/// A strategy that chooses questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StrategyRow {
    /// Its name.
    pub name: &'static str,
    /// A short description for users.
    pub about: &'static str,
}

/// The result of a diagnosis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiagnosisResult {
    /// The buggy call, if one was found.
    pub buggy: Option<Buggy>,
    /// Number of answers from people or programs.
    pub answers: usize,
    /// Number of answers from assertions.
    #[serde(rename = "answered_by_assertion", skip_serializing_if = "is_zero")]
    pub by_assertion: usize,
    /// Number of answers from the reference.
    #[serde(rename = "answered_by_reference", skip_serializing_if = "is_zero")]
    pub by_reference: usize,
    /// The invalid call and those that could not be judged. One of them is buggy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<u32>,
    /// With `--unattended`: the calls among these that could not be judged, the likeliest first, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unjudged: Vec<UnjudgedCall>,
    /// Whether a call that has not ended yet may be the buggy one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_ended: bool,
    /// The reasons why parts of the run are missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// A call that no oracle could judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnjudgedCall {
    /// The call.
    pub node: u32,
    /// Its method, as CLASS.METHOD.
    pub method: String,
    /// Why it could not be judged, as far as that is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Serialize for DiagnoseReply {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            DiagnoseReply::Note(note) => field(serializer, "note", note),
            DiagnoseReply::Failure(error) | DiagnoseReply::Error(error) => {
                field(serializer, "error", &error.to_string())
            }
            DiagnoseReply::Missing(missing) => field(serializer, "missing", missing),
            DiagnoseReply::Assumed(assumption) => field(serializer, "assumed", assumption),
            DiagnoseReply::Ranking(ranking) => field(serializer, "ranking", ranking),
            DiagnoseReply::Survey(survey) => field(serializer, "assertions", survey),
            DiagnoseReply::Referred(referred) => {
                let by = match referred.by {
                    Oracle::Assertion => "by_assertion",
                    Oracle::Kept => "kept",
                    Oracle::Reference => "by_reference",
                };
                field(serializer, by, referred)
            }
            DiagnoseReply::Question(question) | DiagnoseReply::More(question) => {
                question.serialize(serializer)
            }
            DiagnoseReply::Step(reply) => reply.serialize(serializer),
            DiagnoseReply::Events(events) => tagged(serializer, "events", events),
            DiagnoseReply::UnknownInfluence { path, why } => {
                let mut map = serializer.serialize_map(Some(3))?;
                map.serialize_entry("influential", &None::<u64>)?;
                map.serialize_entry("path", path)?;
                map.serialize_entry("why", why)?;
                map.end()
            }
            DiagnoseReply::Ensured(row) => field(serializer, "ensured", row),
            DiagnoseReply::Answers(answers) => tagged(serializer, "answers", answers),
            DiagnoseReply::Help { answers, strategies } => {
                let mut map = serializer.serialize_map(Some(3))?;
                map.serialize_entry("reply", "help")?;
                map.serialize_entry("content", answers)?;
                map.serialize_entry("strategies", strategies)?;
                map.end()
            }
            DiagnoseReply::Result(result) | DiagnoseReply::Undecided { result, .. } => {
                result.serialize(serializer)
            }
        }
    }
}

/// An object of one field.
fn field<S: Serializer>(serializer: S, name: &str, value: &impl Serialize) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(name, value)?;
    map.end()
}

/// An object with `reply` and `content`, as in the other dialogues.
fn tagged<S: Serializer>(serializer: S, reply: &str, content: &impl Serialize) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("reply", reply)?;
    map.serialize_entry("content", content)?;
    map.end()
}

/// A question that waits for its answer.
struct OpenQuestion {
    /// The question that was chosen.
    chosen: Question,
    /// The question that an answer is about: the same, or one about another call.
    current: Question,
}

/// The effect of an answer on the open question.
enum AnswerEffect {
    /// The question stays open.
    Open(DiagnoseReply),
    /// The question is settled.
    Settled(Option<DiagnoseReply>),
    /// The dialogue ends.
    Quit,
}

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

    /// Ranks the methods, if that is wanted and not yet done. The dialogue ends here if nothing else is wanted.
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
            None => wanted.is_all.then(|| {
                DiagnoseReply::Note(
                    "nothing to rank: the run has not failed, as far as it was recorded".to_owned(),
                )
            }),
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

impl OpenQuestion {
    /// Takes an answer.
    ///
    /// # Errors
    /// The answer cannot be taken, and the dialogue must end.
    async fn take(
        &mut self,
        given: GivenAnswer,
        diagnoser: &mut Diagnoser,
        context: &Context,
    ) -> Result<AnswerEffect, CommandError> {
        if let Some(node) = given.node.filter(|node| *node != self.current.node) {
            match diagnoser.at_call(node, context).await {
                Ok(other) => self.current = other,
                Err(error) => return Ok(refused(error)),
            }
        }
        let current = &self.current;
        Ok(match given.command {
            AnswerCommand::Judge(judgement) => {
                diagnoser.answer(current, judgement)?;
                AnswerEffect::Settled(None)
            }
            AnswerCommand::Wrong(path) => match diagnoser.wrong(current, &path, context).await {
                Ok(why) => {
                    AnswerEffect::Settled(why.map(|why| DiagnoseReply::UnknownInfluence { path, why }))
                }
                Err(error @ SessionError::NoPart { .. }) => refused(error),
                Err(error) => return Err(error.into()),
            },
            AnswerCommand::Ensure { condition, complete } => {
                let kept = diagnoser.ensure(current, &condition, complete);
                kept.map_or_else(refused, |row| AnswerEffect::Settled(Some(DiagnoseReply::Ensured(row))))
            }
            AnswerCommand::Undo => match diagnoser.undo()? {
                Some(_) => AnswerEffect::Settled(None),
                None => {
                    let why = CommandError::Usage("there is no answer to take back".to_owned());
                    AnswerEffect::Open(DiagnoseReply::Error(why))
                }
            },
            AnswerCommand::Retract(number) => {
                let at = number.checked_sub(1).unwrap_or(usize::MAX);
                diagnoser.retract(at).map_or_else(refused, |()| AnswerEffect::Settled(None))
            }
            AnswerCommand::Node(None) => {
                self.current = self.chosen.clone();
                self.shown()
            }
            AnswerCommand::Node(Some(node)) => match diagnoser.at_call(node, context).await {
                Ok(other) => {
                    self.current = other;
                    self.shown()
                }
                Err(error) => refused(error),
            },
            AnswerCommand::Show(name) => {
                let shown = diagnoser.show(current, &name, context).await;
                shown.map_or_else(refused, |held| {
                    AnswerEffect::Open(DiagnoseReply::Step(StepReply::Show(held)))
                })
            }
            AnswerCommand::History(name) => {
                let history = diagnoser.history(current, &name, context).await;
                history.map_or_else(refused, |history| {
                    AnswerEffect::Open(DiagnoseReply::Step(StepReply::Answer(RecordedReply::History(
                        history,
                    ))))
                })
            }
            AnswerCommand::Events => {
                let events = Box::pin(diagnoser.events(current, context)).await;
                events.map_or_else(refused, |events| {
                    AnswerEffect::Open(DiagnoseReply::Events(Box::new(events)))
                })
            }
            AnswerCommand::Answers => {
                AnswerEffect::Open(DiagnoseReply::Answers(diagnoser.kept().cloned().collect()))
            }
            AnswerCommand::Where => self.shown(),
            AnswerCommand::More => AnswerEffect::Open(DiagnoseReply::More(Box::new(self.current.clone()))),
            AnswerCommand::Help => {
                let strategies = strategies().map(|(name, about)| StrategyRow { name, about }).collect();
                AnswerEffect::Open(DiagnoseReply::Help { answers: ANSWER_TABLE, strategies })
            }
            AnswerCommand::Quit => AnswerEffect::Quit,
        })
    }

    fn shown(&self) -> AnswerEffect {
        AnswerEffect::Open(DiagnoseReply::Question(Box::new(self.current.clone())))
    }
}

/// Reports that the answer cannot be taken. The question stays open.
fn refused(error: SessionError) -> AnswerEffect {
    AnswerEffect::Open(DiagnoseReply::Error(error.into()))
}
