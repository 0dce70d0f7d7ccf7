//! Requests that are not of the protocol, for the extensions of editors. docs/editors.md lists them.

use super::adapter::Adapter;
use super::answer::{Answer, Refusal, answer};
use crate::ui::render::{cause_text, diagnosed, recorded_reply};
use command::diagnose::{DiagnoseDialogue, StartedDiagnosis};
use command::recorded_question::{AskedAt, QUESTIONS, RecordedQuestion, RecordedReply};
use dap::Request;
use dap::types::Source;
use past::{Cause, Move, VariableGroup};
use serde::{Deserialize, Serialize};
use session::Context;
use trace::EventPosition;

/// How the names of these requests begin.
pub(super) const PREFIX: &str = "qp/";
/// Maximum number of writes that have targets.
const WRITES: usize = 100;

/// The arguments of all these requests.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Arguments {
    /// The frame; by default the innermost one.
    frame_id: Option<i64>,
    /// The list of variables from which the variable is taken, if `expression` is its name there.
    variables_reference: Option<i64>,
    /// The variable.
    expression: Option<String>,
    /// The thread of a step.
    thread_id: Option<i64>,
    /// The answer to the last question of a diagnosis.
    answer: Option<String>,
}

/// A cause, with the target to which `goto` leads.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownCause {
    text: String,
    target: i64,
    method: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Source>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u16>,
}

/// The answer to `qp/history`.
#[derive(Serialize)]
struct Writes {
    text: String,
    /// The last writes before this place, the latest first.
    writes: Vec<ShownCause>,
}

/// An answer that is a text.
#[derive(Serialize)]
struct Plain {
    text: String,
    /// To which `goto` leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<i64>,
}

/// The answer to `qp/diagnose`.
#[derive(Serialize)]
struct Diagnosed {
    /// What was said since the last answer, the open question last.
    text: String,
    /// Whether there is no further question.
    ended: bool,
}

impl Adapter {
    /// Answers a request that is not of the protocol.
    pub(super) async fn custom(&mut self, request: &Request, context: &Context) -> Result<Answer, Refusal> {
        let arguments = match &request.arguments {
            None | Some(serde_json::Value::Null) => Arguments::default(),
            Some(arguments) => Arguments::deserialize(arguments).map_err(|error| {
                Refusal::Request(format!("the arguments of `{}` are wrong: {error}", request.command))
            })?,
        };
        match request.command.strip_prefix(PREFIX).unwrap_or_default() {
            "history" => {
                let (frame, name) = self.meant(&arguments)?;
                let cursor = self.cursor()?;
                let moment = cursor.moment_in(frame)?;
                let is_interrupted = || context.is_interrupted();
                let found = cursor.trace.last_writes(moment, &name, WRITES, &is_interrupted)?;
                let text = found.iter().map(cause_text).collect::<Vec<_>>().join("\n");
                let writes = found.iter().map(|cause| self.shown_cause(cause)).collect();
                answer(&Writes { text, writes })
            }
            step @ ("stepBackInto" | "stepBackOut") => {
                let to = if step == "stepBackInto" { Move::StepBackInto } else { Move::StepBackOut };
                let answer = self.go(to, arguments.thread_id.unwrap_or(0), context)?;
                Ok(answer.after_continuing())
            }
            "diagnose" => self.diagnose(arguments.answer.as_deref(), context).await,
            "whyCondition" => {
                let frame = self.frame(arguments.frame_id)?;
                self.ask(&RecordedQuestion::Why(None), frame, context).await
            }
            word => {
                let is_known = QUESTIONS.iter().any(|row| row.prompt.name == word);
                let (frame, name) = match word {
                    "why" => self.meant(&arguments)?,
                    _ if is_known => self.expressed(&arguments)?,
                    _ => {
                        let why = format!("the request `{}` is unknown", request.command);
                        return Err(Refusal::Request(why));
                    }
                };
                let asked = RecordedQuestion::of_word(word, &name)?.unwrap_or(RecordedQuestion::Why(None));
                self.ask(&asked, frame, context).await
            }
        }
    }

    /// Answers a question about the recorded past, with the target to which the answer leads.
    async fn ask(
        &mut self,
        question: &RecordedQuestion,
        frame: EventPosition,
        context: &Context,
    ) -> Result<Answer, Refusal> {
        let cursor = self.cursor()?;
        let at = AskedAt { event: cursor.at, frame };
        let reply = Box::pin(question.answer(&mut cursor.trace, at, context)).await?;
        if let RecordedReply::Cause(cause) = &reply {
            return answer(&self.shown_cause(cause));
        }
        let event = match &reply {
            RecordedReply::Origin(found) => found.selection,
            _ => None,
        };
        let at =
            event.map(|event| self.cursor()?.trace.position(event).map_err(Refusal::from)).transpose()?;
        let target = at.map(|at| self.handles.of_target(at));
        answer(&Plain { text: recorded_reply(&reply, false), target })
    }

    /// The variable of a request, and the frame in which it has its name.
    fn meant(&mut self, arguments: &Arguments) -> Result<(EventPosition, String), Refusal> {
        let wanted = || Refusal::Request("`expression` names no variable".to_owned());
        let name = arguments.expression.as_deref().map(str::trim).filter(|name| !name.is_empty());
        let name = name.ok_or_else(wanted)?.to_owned();
        match arguments.variables_reference.filter(|reference| *reference != 0) {
            Some(reference) => {
                let (group, _) = self.handles.group(reference)?;
                let cursor = self.cursor()?;
                let moment = cursor.moment()?;
                Ok(cursor.trace.name_of(moment, group, &name)?)
            }
            None => Ok((self.frame(arguments.frame_id)?, name)),
        }
    }

    /// The variable of a request as an expression, and the frame in which it means that.
    fn expressed(&mut self, arguments: &Arguments) -> Result<(EventPosition, String), Refusal> {
        let Some(reference) = arguments.variables_reference.filter(|reference| *reference != 0) else {
            return self.meant(arguments);
        };
        let (group, of) = self.handles.group(reference)?;
        let name = arguments.expression.clone().unwrap_or_default();
        let none = || Refusal::Request(format!("no expression means `{name}` here"));
        match (group, of) {
            (VariableGroup::Locals(at) | VariableGroup::Arguments(at), _) => Ok((at, name)),
            (VariableGroup::Parts(_) | VariableGroup::Section(..), Some(of)) => {
                let part = if name.starts_with('[') { name } else { format!(".{name}") };
                Ok((self.cursor()?.at, format!("{of}{part}")))
            }
            _ => Err(none()),
        }
    }

    fn shown_cause(&mut self, cause: &Cause) -> ShownCause {
        ShownCause {
            text: cause_text(cause),
            target: self.handles.of_target(cause.at),
            method: cause.method.clone(),
            source: cause.source.as_ref().map(|source| self.shown_source(source)),
            line: cause.line,
        }
    }

    /// Asks the next question of a diagnosis. Without an answer, a diagnosis begins.
    async fn diagnose(&mut self, given: Option<&str>, context: &Context) -> Result<Answer, Refusal> {
        let mut replies = Vec::new();
        match given {
            None => {
                let trace = self.cursor()?.trace.reopened(context).await?;
                let dialogue = DiagnoseDialogue::with_person(StartedDiagnosis::over(trace)?);
                replies.extend(dialogue.opening());
                self.diagnosis = Some(dialogue);
            }
            Some(given) => {
                let none = || Refusal::Request("no diagnosis is under way: leave out `answer`".to_owned());
                let dialogue = self.diagnosis.as_mut().ok_or_else(none)?;
                replies.extend(dialogue.take(given, context).await);
            }
        }
        let none = || Refusal::Request("no diagnosis is under way".to_owned());
        let dialogue = self.diagnosis.as_mut().ok_or_else(none)?;
        replies.extend(dialogue.advance(context).await);
        let ended = dialogue.has_ended();
        if ended {
            replies.extend(dialogue.finish(context).await);
            self.diagnosis = None;
        }
        let text: String = replies.iter().map(said).collect();
        answer(&Diagnosed { text, ended })
    }
}

/// A reply of the diagnosis, with the notes and errors that a command line writes to standard error.
fn said(reply: &command::diagnose::DiagnoseReply) -> String {
    use command::diagnose::DiagnoseReply;
    match reply {
        DiagnoseReply::Note(note) => format!("{note}\n"),
        DiagnoseReply::Failure(error) | DiagnoseReply::Error(error) => format!("error: {error}\n"),
        other => diagnosed(other, false),
    }
}
