//! The chain of a page: its questions, its last answer, and the changes that the page makes.

use super::usage;
use answer::Answer;
use chain::{Chain, Kind, Point};
use command::CommandError;
use command::point_ids::next_id;
use command::value_question::value_question;
use past::SourceLine;
use serde::{Deserialize, Serialize};
use session::SessionError;

/// A chain with its last answer.
pub struct ChainDesk {
    /// Its name.
    pub name: String,
    /// Its questions.
    pub chain: Chain,
    /// The last answer.
    pub answer: Option<Answer>,
    /// Why the last replay has none.
    pub error: Option<String>,
    /// Number of replays.
    pub runs: usize,
}

/// What to do with the chain.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ChainAction {
    /// Replays it.
    Run(bool),
    /// Adds a question.
    Ask(NextQuestion),
    /// Collects an expression at a point.
    Collect(Collected),
    /// Removes a point and those that depend on it.
    Remove(String),
    /// Begins a chain at an event of the recording.
    Start(StartAt),
}

/// The next question.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NextQuestion {
    /// The point that is asked from.
    pub from: String,
    /// The kind: `LastChange`, `LastCondition`, `Origin`, `Created`, `LastRead` or `SkippedLine`.
    pub kind: String,
    /// The expression; the line of `SkippedLine`, as `Intro:14`.
    pub of: Option<String>,
}

/// An expression to collect.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collected {
    /// The point.
    pub point: String,
    /// The expression.
    pub expression: String,
}

/// The event of a recording at which a chain begins.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartAt {
    /// The recording.
    #[serde(default)]
    pub trace: usize,
    /// The call.
    pub call: u32,
    /// The event.
    pub event: u64,
}

/// The chain and its answer.
#[derive(Debug, Serialize)]
pub struct ChainShown {
    /// Its name.
    pub name: String,
    /// Its points.
    pub points: Vec<PointOfChain>,
    /// The last answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// Number of replays.
    pub runs: usize,
    /// `answered` or `failed`.
    pub state: &'static str,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The chain as a file.
    pub ron: String,
}

/// A point of a chain.
#[derive(Debug, Serialize)]
pub struct PointOfChain {
    /// Its id.
    pub id: String,
    /// Its question.
    pub question: String,
    /// The expressions that it collects.
    pub collect: Vec<String>,
}

impl ChainDesk {
    /// A chain without an answer.
    pub fn new(name: String, chain: Chain) -> ChainDesk {
        ChainDesk { name, chain, answer: None, error: None, runs: 0 }
    }

    fn point(&mut self, id: &str) -> Result<&mut Point, CommandError> {
        match self.chain.points.iter_mut().find(|point| point.id == id) {
            Some(point) => Ok(point),
            None => usage(format!("the chain has no point {id}")),
        }
    }

    /// Changes the chain. It is not replayed.
    ///
    /// # Errors
    /// There is no such point, or the question does not fit.
    pub fn change(&mut self, action: ChainAction) -> Result<(), CommandError> {
        match action {
            ChainAction::Run(_) | ChainAction::Start(_) => {}
            ChainAction::Ask(question) => {
                self.point(&question.from)?;
                let point = self.question(&question)?;
                self.chain.points.push(point);
            }
            ChainAction::Collect(Collected { point, expression }) => {
                let collect = self.point(&point)?.collect.get_or_insert_default();
                if !collect.contains(&expression) {
                    collect.push(expression);
                }
            }
            ChainAction::Remove(id) => {
                self.point(&id)?;
                self.remove(id);
            }
        }
        Ok(())
    }

    /// Removes a point and those that depend on it.
    fn remove(&mut self, id: String) {
        let mut gone = vec![id];
        while let Some(id) = gone.pop() {
            self.chain.points.retain(|point| point.id != id);
            let depends = |point: &&Point| point.refers_to().contains(&id);
            gone.extend(self.chain.points.iter().filter(depends).map(|point| point.id.clone()));
        }
    }

    fn question(&self, asked: &NextQuestion) -> Result<Point, CommandError> {
        let id = next_id(&self.chain);
        let from = &asked.from;
        let of = asked.of.as_deref().map(str::trim).filter(|of| !of.is_empty());
        let reference = |of: &str| format!("{from}(0):{of}");
        Ok(match (asked.kind.as_str(), of) {
            ("LastCondition", None) => Point::new(&id, Kind::LastCondition(from.clone())),
            ("LastChange", Some(of)) => value_question(&id, from, 0, of),
            ("Origin", Some(of)) => Point::new(&id, Kind::Origin(reference(of))),
            ("Created", Some(of)) => Point::new(&id, Kind::Created(reference(of))),
            ("LastRead", Some(of)) => Point::new(&id, Kind::LastRead(reference(of))),
            ("SkippedLine", Some(of)) => {
                let Some(SourceLine { class, line }) = SourceLine::parse(of) else {
                    return usage(format!("`{of}` is no line: write it as Intro:14"));
                };
                let point = Point::new(&id, Kind::SkippedLine(class, line));
                Point { after: Some(from.clone()), ..point }
            }
            ("LastCondition", Some(_)) => return usage("`LastCondition` asks about a point alone"),
            (kind, None) => return usage(format!("`{kind}` needs an expression")),
            (kind, _) => return usage(format!("the page does not ask `{kind}`")),
        })
    }

    /// The reply to the page.
    ///
    /// # Errors
    /// The chain cannot be written as a file.
    pub fn shown(&self) -> Result<ChainShown, CommandError> {
        let point = |point: &Point| PointOfChain {
            id: point.id.clone(),
            question: point.question(),
            collect: point.collect.clone().unwrap_or_default(),
        };
        Ok(ChainShown {
            name: self.name.clone(),
            points: self.chain.points.iter().map(point).collect(),
            answer: self.answer.clone(),
            runs: self.runs,
            state: if self.error.is_some() { "failed" } else { "answered" },
            error: self.error.clone(),
            ron: self.chain.to_ron().map_err(SessionError::from)?,
        })
    }
}
