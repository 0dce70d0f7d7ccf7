//! `why`: asks backwards from a line, an event, or an earlier answer.

use super::handle::TraceHandle;
use super::{Tool, Workbench, Works, usage};
use answer::{Answer, PointAnswer};
use chain::{Chain, Kind, Point};
use command::line::LineArgs;
use command::point_ids::next_id;
use command::value_question::value_question;
use command::{CommandError, save_chain};
use past::{EventRef, SourceLine};
use recorded::RecordedSource;
use replay::Options;
use schemars::JsonSchema;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use session::{Context, SessionError};

/// Arguments of `why`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Why {
    /// Class:LINE, or event:12.4
    pub at: Option<String>,
    /// Or: answer:1, answer:1.B
    pub from: Option<String>,
    /// Its last change; without: the condition that led there
    pub expr: Option<String>,
    /// Java condition
    pub when: Option<String>,
    /// Hit; -1 last
    pub index: Option<i64>,
    /// Class:LINE: what exception skipped it
    pub skipped: Option<String>,
    /// Where the value came from
    pub origin: Option<bool>,
    /// Causes to follow, 1-5
    pub depth: Option<u8>,
    #[allow(missing_docs)]
    pub run: Option<String>,
    /// Ask it, without a run
    pub trace: Option<TraceHandle>,
    /// New chain file, x.ron
    pub save: Option<String>,
}

/// Result of `why`.
#[derive(Debug, Serialize)]
pub struct WhyResult {
    #[allow(missing_docs)]
    #[serde(flatten)]
    pub answered: ChainAnswer,
    /// Number of points that earlier answers have shown.
    #[serde(skip)]
    pub known: usize,
    /// Remarks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What to call next.
    pub next: String,
}

/// An answer to a chain. As data it is short: the handle, the outcome, and a few facts of each point.
#[derive(Debug)]
pub struct ChainAnswer {
    /// Its handle, to go on from: `answer:1`.
    pub handle: String,
    /// The answer.
    pub answer: Box<Answer>,
}

impl Serialize for ChainAnswer {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let points = self.answer.points.iter().map(|point| PointFacts::of(&self.handle, point));
        let mut object = to.serialize_struct("ChainAnswer", 3)?;
        object.serialize_field("answer", &self.handle)?;
        object.serialize_field("outcome", self.answer.outcome.name())?;
        object.serialize_field("points", &points.collect::<Vec<_>>())?;
        object.end()
    }
}

/// What the data of an answer have of a point.
#[derive(Serialize)]
struct PointFacts<'a> {
    /// Its handle: `answer:1.B`.
    point: String,
    question: &'a str,
    located: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    /// `Class.method`.
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    taken: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exception: Option<&'a str>,
    /// Whether what the chain expects holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<bool>,
}

impl<'a> PointFacts<'a> {
    fn of(handle: &str, point: &'a PointAnswer) -> PointFacts<'a> {
        PointFacts {
            point: format!("{handle}.{}", point.id),
            question: &point.question,
            located: point.located,
            reason: point.reason.as_deref().filter(|_| !point.located),
            method: point.method_text(),
            file: point.file.as_deref(),
            line: point.line,
            text: point.text.as_deref(),
            old: point.old.as_deref(),
            new: point.new.as_deref(),
            condition: point.condition.as_deref(),
            taken: point.taken.as_deref(),
            exception: point.exception.as_ref().map(|exception| exception.object.as_str()),
            expected: point.expectation.as_ref().map(|expectation| expectation.held),
        }
    }
}

impl Tool for Why {
    type Output = WhyResult;

    const NAME: &'static str = "why";
    const ABOUT: &'static str = "Runs the program again and asks backwards what led to a line or value";
    const RUNS: bool = true;
}

impl Works for Why {
    async fn call(self, bench: &mut Workbench, context: &Context) -> Result<WhyResult, CommandError> {
        let depth = self.depth.unwrap_or(1);
        if !(1..=5).contains(&depth) {
            return usage("`depth` is a number from 1 to 5");
        }
        let save = self.save.as_deref().map(|file| bench.permissions.new_path(file)).transpose()?;
        let (mut chain, from, known) = self.start(bench, context).await?;
        let question = self.question(&next_id(&chain), &from)?;
        chain.points.push(question);
        bench.permissions.check_expressions(&chain)?;
        let mut notes = Vec::new();
        let mut answer = Box::pin(self.answered(&chain, bench, context)).await?;
        for _ in 1..depth {
            let Some(cause) = answer.points.last().and_then(|last| cause(&next_id(&chain), last)) else {
                break;
            };
            let mut deeper = chain.clone();
            deeper.points.push(cause);
            match Box::pin(self.answered(&deeper, bench, context)).await {
                Ok(found) if found.points.last().is_some_and(|point| point.located) => {
                    (chain, answer) = (deeper, found);
                }
                Ok(_) => break,
                Err(CommandError::Session(SessionError::Interrupted)) => {
                    return Err(SessionError::Interrupted.into());
                }
                Err(error) => {
                    notes.push(format!("no further cause: {error}"));
                    break;
                }
            }
        }
        if let Some(file) = &save {
            let portable = session::portable(&session::remembered(&chain)?, file);
            // Only a program of the user may run later without a question.
            save_chain(&portable, file, bench.permissions.is_of_user(&chain))?;
            notes.push(format!("saved as {}", self.save.as_deref().unwrap_or_default()));
        }
        let handle = bench.add_answer(chain);
        let next = next(&handle, answer.points.last());
        let answered = ChainAnswer { handle, answer: Box::new(answer) };
        Ok(WhyResult { answered, known, notes, next })
    }
}

/// Replays a chain of this session. Interrupted work has no answer.
pub(super) async fn replayed(chain: &Chain, context: &Context) -> Result<Answer, CommandError> {
    let answer = full_replay::replay("chain", chain, &Options::default(), context).await?;
    match answer.outcome {
        answer::Outcome::Interrupted => Err(SessionError::Interrupted.into()),
        _ => Ok(answer),
    }
}

impl Why {
    /// Answers a chain from the recording that is asked, or by a run.
    async fn answered(
        &self,
        chain: &Chain,
        bench: &mut Workbench,
        context: &Context,
    ) -> Result<Answer, CommandError> {
        let is_event = self.at.as_ref().is_some_and(|at| at.starts_with("event:"));
        if self.trace.is_none() && !is_event {
            return replayed(chain, context).await;
        }
        let (handle, open) = bench.trace(self.trace.as_ref(), context).await?;
        let mut source = RecordedSource::new(open, handle.into(), chain)?;
        let found = source.replay("chain", chain, &Options::default(), context);
        match found {
            Ok(found) if found.answer.outcome == answer::Outcome::Interrupted => {
                Err(SessionError::Interrupted.into())
            }
            // What it lacks, a run may tell.
            Ok(found) if found.is_lacking && self.trace.is_none() => {
                source.trace.allow(context)?;
                replayed(chain, context).await
            }
            Err(SessionError::NotInRecording { .. }) if self.trace.is_none() => {
                source.trace.allow(context)?;
                replayed(chain, context).await
            }
            found => Ok(found?.answer),
        }
    }

    /// The chain so far, the point that is asked from, and the number of points that are known already.
    async fn start(
        &self,
        bench: &mut Workbench,
        context: &Context,
    ) -> Result<(Chain, String, usize), CommandError> {
        match (&self.at, &self.from) {
            (Some(_), Some(_)) | (None, None) => {
                usage("say where to ask from: either `at`, as Class:LINE, or `from`, as answer:1")
            }
            (None, Some(handle)) => {
                let (chain, point) = bench.answer(handle)?;
                let known = chain.points.len();
                Ok((chain, point, known))
            }
            (Some(at), None) => match at.strip_prefix("event:").and_then(EventRef::parse) {
                Some(event) => {
                    let (_, open) = bench.trace(self.trace.as_ref(), context).await?;
                    let chain = recorded::as_chain(open, event)?;
                    let point = chain.points.last().map(|point| point.id.clone()).unwrap_or_default();
                    Ok((chain, point, 0))
                }
                None => {
                    let line =
                        LineArgs { at: Some(at.clone()), when: self.when.clone(), from: None, thread: None };
                    let mut root = line.root("A")?;
                    root.index = self.index;
                    let debuggee = match &self.trace {
                        Some(trace) => bench.trace(Some(trace), context).await?.1.program(),
                        None => bench.permissions.program(self.run.as_deref())?.debuggee.clone(),
                    };
                    Ok((Chain::new(debuggee, vec![root]), "A".to_owned(), 0))
                }
            },
        }
    }

    /// The question.
    fn question(&self, id: &str, point: &str) -> Result<Point, CommandError> {
        if let Some(line) = &self.skipped {
            let Some(SourceLine { class, line }) = SourceLine::parse(line) else {
                return usage("`skipped` is a line, as Class:LINE");
            };
            let question = Point::new(id, Kind::SkippedLine(class, line));
            // After an answer: the exception that was caught in its activation. Before a line: any.
            return Ok(match self.from {
                Some(_) => Point { after: Some(point.to_owned()), ..question },
                None => Point { before: Some(point.to_owned()), ..question },
            });
        }
        Ok(match &self.expr {
            Some(expr) if self.origin == Some(true) => {
                Point::new(id, Kind::Origin(format!("{point}(0):{expr}")))
            }
            Some(expr) => value_question(id, point, 0, expr),
            None => Point::new(id, Kind::LastCondition(point.to_owned())),
        })
    }
}

/// The question about the cause of a located point: the last change of what the value or the condition
/// depends on, or else the condition that led there.
fn cause(id: &str, point: &PointAnswer) -> Option<Point> {
    if !point.located {
        return None;
    }
    if let Some(operand) = operand(point) {
        return Some(Point::new(id, Kind::LastChange(format!("{}(0):{operand}", point.id))));
    }
    let is_condition = point.condition.is_some();
    (!is_condition).then(|| Point::new(id, Kind::LastCondition(point.id.clone())))
}

/// A variable or field that the value or the condition of a point depends on.
fn operand(point: &PointAnswer) -> Option<&str> {
    let is_variable = |text: &&str| {
        let begins = text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$');
        begins && *text != "this" && text.chars().all(|c| c.is_alphanumeric() || "_$.[]".contains(c))
    };
    point.operands.keys().map(String::as_str).find(is_variable)
}

/// What to call next.
fn next(handle: &str, last: Option<&PointAnswer>) -> String {
    match last {
        Some(point) if point.located => match operand(point) {
            Some(operand) => {
                format!("why from={handle} expr={operand} asks for its last change; `save` keeps the chain")
            }
            None => format!("why from={handle} asks which condition led there; `save` keeps the chain"),
        },
        _ => {
            "name another line, `when` or `index`; calls method=Class.method shows whether it ran".to_owned()
        }
    }
}
