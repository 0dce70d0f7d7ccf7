//! `diagnose`: answers go in, and the next question or the buggy call comes out.

use super::handle::{CallHandle, TraceHandle};
use super::{Tool, Workbench, Works, usage};
use command::CommandError;
use command::diagnose::{
    AnswerCommand, AnswerForm, DiagnoseDialogue, DiagnoseReply, GivenAnswer, StartedDiagnosis,
};
use diagnose::{Buggy, Judgement, Question, Trust};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use session::Context;

/// Arguments of `diagnose`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Diagnose {
    /// To start
    pub trace: Option<TraceHandle>,
    /// To start: a wrong call to search below
    pub call: Option<CallHandle>,
    /// To go on
    pub diagnosis: Option<String>,
    #[allow(missing_docs)]
    pub question: Option<u32>,
    #[allow(missing_docs)]
    pub answer: Option<AnswerWord>,
    /// The wrong part, as result or this.head; alone: shows it
    pub path: Option<String>,
    /// In place of an answer, what all calls of the method must do: result.length() == 7
    pub condition: Option<String>,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnswerWord {
    /// The call did what it should.
    Valid,
    /// It did not.
    Invalid,
    /// It did not, and `path` is wrong.
    Wrong,
    /// Its method is always right.
    Trusted,
    /// Nobody knows.
    Unknown,
    /// It was given wrong inputs.
    Inadmissible,
    /// Takes back the last answer.
    Undo,
    /// Shows the question in full.
    More,
}

/// Result of `diagnose`.
#[derive(Debug, Serialize)]
pub struct DiagnoseResult {
    /// The diagnosis.
    pub diagnosis: String,
    /// The open question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionRow>,
    /// The buggy call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buggy: Option<BuggyRow>,
    /// The replies of the dialogue.
    #[serde(skip)]
    pub replies: Vec<DiagnoseReply>,
    /// What to call next.
    pub next: String,
}

/// A question.
#[derive(Debug, Serialize)]
pub struct QuestionRow {
    /// Its number.
    pub number: u32,
    /// The call.
    pub call: CallHandle,
    /// Its method.
    pub method: String,
    /// Number of suspicious calls.
    pub suspicious: u64,
}

/// The buggy call.
#[derive(Debug, Serialize)]
pub struct BuggyRow {
    /// The call.
    pub call: CallHandle,
    /// Its method.
    pub method: String,
    /// The first line of the method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The source file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl Tool for Diagnose {
    type Output = DiagnoseResult;

    const NAME: &'static str = "diagnose";
    const ABOUT: &'static str = "Finds the wrong call: asks whether calls did what they should";
    const RUNS: bool = true;
}

impl Works for Diagnose {
    async fn call(self, bench: &mut Workbench, context: &Context) -> Result<DiagnoseResult, CommandError> {
        match &self.diagnosis {
            None if self.answer.is_some() => {
                usage("name the `diagnosis` that the answer belongs to, as diagnosis:1")
            }
            None => Box::pin(self.begin(bench, context)).await,
            Some(handle) => Box::pin(self.go_on(handle, bench, context)).await,
        }
    }
}

impl Diagnose {
    async fn begin(&self, bench: &mut Workbench, context: &Context) -> Result<DiagnoseResult, CommandError> {
        let (_, trace) = bench.own_trace(self.trace.as_ref(), context).await?;
        let started = StartedDiagnosis::below(trace, self.call.map(|call| call.0))?;
        let mut dialogue = DiagnoseDialogue::new(started, AnswerForm::Words, false);
        let mut replies = dialogue.opening();
        replies.extend(Box::pin(dialogue.advance(context)).await);
        interrupted(context)?;
        let is_over = finish(&mut dialogue, &mut replies, context).await;
        let handle = bench.add_diagnosis(dialogue);
        if is_over {
            drop(bench.take_diagnosis(&handle)?);
        }
        Ok(result(handle, replies))
    }

    async fn go_on(
        &self,
        handle: &str,
        bench: &mut Workbench,
        context: &Context,
    ) -> Result<DiagnoseResult, CommandError> {
        let command = self.command()?;
        if let AnswerCommand::Show(shown) = &command {
            bench.permissions.check_shown(shown)?;
        }
        let (number, mut dialogue) = bench.take_diagnosis(handle)?;
        if let (Some(meant), Some(open)) = (self.question, dialogue.question())
            && meant != open
        {
            bench.put_diagnosis(number, dialogue);
            return usage(format!("this answers question {meant}, and question {open} is open"));
        }
        let mut replies = Vec::new();
        let given = GivenAnswer { node: None, command };
        replies.extend(Box::pin(dialogue.answer(given, context)).await);
        replies.extend(Box::pin(dialogue.advance(context)).await);
        let is_over = finish(&mut dialogue, &mut replies, context).await;
        if !is_over {
            bench.put_diagnosis(number, dialogue);
        }
        interrupted(context)?;
        Ok(result(format!("diagnosis:{number}"), replies))
    }

    fn command(&self) -> Result<AnswerCommand, CommandError> {
        let judge = |judgement| Ok(AnswerCommand::Judge(judgement));
        if let Some(condition) = &self.condition {
            if self.answer.is_some() || self.path.is_some() {
                return usage("`condition` stands in place of `answer` and `path`");
            }
            return Ok(AnswerCommand::Ensure { condition: condition.clone(), complete: false });
        }
        match (self.answer, &self.path) {
            (Some(AnswerWord::Wrong), Some(path)) => Ok(AnswerCommand::Wrong(path.clone())),
            (Some(AnswerWord::Wrong), None) => {
                usage("`wrong` needs the `path` of the wrong value, as result or this.items[2]")
            }
            (Some(_), Some(_)) => usage("`path` goes with the answer `wrong`, or alone to show a value"),
            (None, Some(path)) => Ok(AnswerCommand::Show(path.clone())),
            (None, None) => Ok(AnswerCommand::Where),
            (Some(AnswerWord::Valid), None) => judge(Judgement::Valid),
            (Some(AnswerWord::Invalid), None) => judge(Judgement::Invalid),
            (Some(AnswerWord::Trusted), None) => judge(Judgement::Trusted(Trust::Method)),
            (Some(AnswerWord::Unknown), None) => judge(Judgement::Unknown),
            (Some(AnswerWord::Inadmissible), None) => judge(Judgement::Inadmissible),
            (Some(AnswerWord::Undo), None) => Ok(AnswerCommand::Undo),
            (Some(AnswerWord::More), None) => Ok(AnswerCommand::More),
        }
    }
}

fn interrupted(context: &Context) -> Result<(), CommandError> {
    match context.is_interrupted() {
        true => Err(session::SessionError::Interrupted.into()),
        false => Ok(()),
    }
}

/// Adds the last replies of a dialogue that has ended. Returns whether it has.
async fn finish(
    dialogue: &mut DiagnoseDialogue,
    replies: &mut Vec<DiagnoseReply>,
    context: &Context,
) -> bool {
    if dialogue.has_ended() {
        replies.extend(Box::pin(dialogue.finish(context)).await);
    }
    dialogue.has_ended()
}

fn result(diagnosis: String, replies: Vec<DiagnoseReply>) -> DiagnoseResult {
    let (mut question, mut buggy, mut is_over) = (None, None, false);
    for reply in &replies {
        match reply {
            DiagnoseReply::Question(asked) | DiagnoseReply::More(asked) => question = Some(row(asked)),
            DiagnoseReply::Result(result) => {
                buggy = result.buggy.as_ref().map(buggy_row);
                is_over = true;
            }
            DiagnoseReply::Undecided { invalid, .. } => {
                buggy = invalid.as_ref().map(buggy_row);
                is_over = true;
            }
            _ => {}
        }
    }
    let next = match (&buggy, &question, is_over) {
        (Some(buggy), ..) => {
            format!("events call=call:{} shows the wrong call; read its method", buggy.call.0)
        }
        (None, Some(question), _) => format!(
            "diagnose diagnosis={diagnosis} question={} answer=valid|invalid|wrong (with path)|unknown; \
             path=… alone shows a value",
            question.number
        ),
        (None, None, true) => "no call is wrong by these answers: check them, and start again".to_owned(),
        (None, None, false) => format!("diagnose diagnosis={diagnosis} shows the open question again"),
    };
    DiagnoseResult { diagnosis, question, buggy, replies, next }
}

fn row(question: &Question) -> QuestionRow {
    QuestionRow {
        number: question.question,
        call: CallHandle(question.node),
        method: question.method_text(),
        suspicious: question.remaining,
    }
}

fn buggy_row(buggy: &Buggy) -> BuggyRow {
    BuggyRow {
        call: CallHandle(buggy.node),
        method: buggy.method_text(),
        line: buggy.line,
        file: buggy.source.clone(),
    }
}
