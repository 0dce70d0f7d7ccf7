//! `find`: searches a recording by a goal or a value, for exceptions, or for the omissions of an object.

use super::handle::{CallHandle, TraceHandle, variable};
use super::{ROWS, Tool, Workbench, Works, offset, usage};
use command::CommandError;
use logic::AnswerRow;
use logic::queries::{Asked, QUERIES, Query as PredefinedQuery};
use logic::rules::{AskItem, AskedSolution};
use omission::{OmissionAnswer, OmissionQuestion, TriedSuggestion, WrongPoint};
use past::SourceLine;
use recorded::logic::{AskRequest, OpenLog};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use session::Context;

/// Time limit of a goal, in seconds: clients give up after a minute.
const GOAL_S: u64 = 20;
/// Memory limit of a goal, in bytes.
const GOAL_MEMORY: usize = 64 << 20;

/// Which values the log of a recording has.
const SEARCHED: &str = "searched: arguments, results, fields and exceptions; not the elements of arrays \
                        and collections, nor local variables";

/// Arguments of `find`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Find {
    #[allow(missing_docs)]
    pub trace: Option<TraceHandle>,
    /// Uncaught exceptions
    pub thrown: Option<bool>,
    /// Caught ones too
    pub all: Option<bool>,
    /// 4711, "BG"
    pub value: Option<String>,
    /// Prolog: event(Id, T, setfield(L, O, bar, V))
    pub goal: Option<String>,
    /// object:7, or a variable with `at`: what should have happened to it
    pub omissions_of: Option<String>,
    /// Class:LINE
    pub at: Option<String>,
    /// Or: at its end
    pub call: Option<CallHandle>,
    #[allow(missing_docs)]
    pub cursor: Option<String>,
}

/// Result of `find`.
#[derive(Debug, Serialize)]
pub struct FindResult {
    /// The recording.
    pub trace: String,
    /// What was found.
    pub found: Vec<FoundRow>,
    /// The cursor of the rows behind these.
    #[serde(skip)]
    pub more: Option<String>,
    /// Remarks, and reasons why there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What to call next.
    pub next: String,
}

/// A row of a query, what a goal answered or wrote, or an omission.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum FoundRow {
    /// A row of a query.
    Query(Box<AnswerRow>),
    /// A solution of a goal.
    Solution(AskedSolution),
    /// What a goal wrote.
    Output {
        /// The text.
        output: String,
    },
    /// An omission.
    Omission {
        /// Its number, from 1.
        number: usize,
        /// The object.
        object: String,
        /// The suggestion.
        #[serde(flatten)]
        tried: Box<TriedSuggestion>,
    },
}

impl Tool for Find {
    type Output = FindResult;

    const NAME: &'static str = "find";
    const ABOUT: &'static str = "Searches a trace, by one of thrown, value, goal, omissions_of";
    const RUNS: bool = false;
}

impl Works for Find {
    async fn call(self, bench: &mut Workbench, context: &Context) -> Result<FindResult, CommandError> {
        let skip = offset(self.cursor.as_deref())?;
        let asked = [
            self.thrown == Some(true),
            self.value.is_some(),
            self.goal.is_some(),
            self.omissions_of.is_some(),
        ];
        if asked.into_iter().filter(|is_asked| *is_asked).count() != 1 {
            return usage("say what to find: one of thrown=true, value, goal and omissions_of");
        }
        let (trace, open) = bench.own_trace(self.trace.as_ref(), context).await?;
        if let Some(what) = &self.omissions_of {
            let question = self.omissions(what, skip + ROWS)?;
            let answer = Box::pin(omission::ask_omissions(open, &question, context)).await?;
            return Ok(omitted(trace, answer, skip));
        }
        let log = OpenLog::open(open, context).await?;
        match &self.goal {
            Some(goal) => solved(trace, goal, &log, skip, context).await,
            None => self.queried(trace, &log, skip, context).await,
        }
    }
}

/// The omissions behind the first ones.
fn omitted(trace: String, answer: OmissionAnswer, skip: usize) -> FindResult {
    let more = (answer.more > 0).then(|| (skip + ROWS).to_string());
    let target = answer.target;
    let omission = |(number, tried)| {
        let (object, tried) = (target.clone(), Box::new(tried));
        FoundRow::Omission { number, object, tried }
    };
    let found: Vec<FoundRow> = (1..).zip(answer.suggestions).skip(skip).map(omission).collect();
    let mut notes = vec![format!("{target} at {}", answer.at)];
    notes.extend(answer.reasons);
    notes.extend(answer.notes);
    let next = match found.is_empty() {
        true => "history shows what did happen to it".to_owned(),
        false => "why at=Class:LINE of the jump asks what led there".to_owned(),
    };
    FindResult { trace, found, more, notes, next }
}

/// The solutions of a goal behind the first ones.
async fn solved(
    trace: String,
    goal: &str,
    log: &OpenLog,
    skip: usize,
    context: &Context,
) -> Result<FindResult, CommandError> {
    let request = AskRequest {
        goal: goal.trim_end_matches('.').to_owned(),
        rules: Vec::new(),
        saved_rules: false,
        solutions: skip + ROWS,
        timeout_s: GOAL_S,
        memory: GOAL_MEMORY,
        explain: false,
    };
    let (answer, _) = log.ask(&request, context).await?;
    if let Some(error) = answer.error {
        return usage(format!("the goal failed: {error}"));
    }
    let more = answer.more.then(|| (skip + ROWS).to_string());
    let found: Vec<FoundRow> = answer.items.into_iter().skip(skip).map(item).collect();
    let next = "events call=… for the calls that the solutions name".to_owned();
    Ok(FindResult { trace, found, more, notes: answer.notes, next })
}

impl Find {
    /// Exceptions, or where a value is, behind the first rows.
    async fn queried(
        &self,
        trace: String,
        log: &OpenLog,
        skip: usize,
        context: &Context,
    ) -> Result<FindResult, CommandError> {
        let name = if self.value.is_some() { "find" } else { "where-thrown" };
        let Some(query) = QUERIES.iter().find(|query: &&PredefinedQuery| query.name == name) else {
            return usage(format!("there is no query {name}"));
        };
        let asked = Asked {
            value: self.value.as_deref().map(variable),
            all: self.all.unwrap_or(false),
            limit: skip + ROWS,
            ..Asked::default()
        };
        let answer = log.query(query, &asked, context).await?;
        let more = answer.more.then(|| (skip + ROWS).to_string());
        let found: Vec<FoundRow> =
            answer.rows.into_iter().skip(skip).map(|row| FoundRow::Query(Box::new(row))).collect();
        let next = match (found.is_empty(), self.all) {
            (true, Some(true)) => "calls shows what ran",
            (true, _) if name == "where-thrown" => "find thrown=true all=true also shows caught ones",
            (true, _) => "a text is written in quotes; calls shows what ran",
            (false, _) => "events call=… shows how it came; why at=Class:LINE asks backwards",
        };
        let searched = self.value.is_some().then(|| SEARCHED.to_owned());
        let notes = answer.notes.into_iter().chain(searched).collect();
        Ok(FindResult { trace, found, more, notes, next: next.to_owned() })
    }

    fn omissions(&self, what: &str, limit: usize) -> Result<OmissionQuestion, CommandError> {
        let at = match (&self.at, self.call) {
            (Some(at), _) => match SourceLine::parse(at) {
                Some(line) => WrongPoint::Line { line, when: None, index: 0 },
                None => return usage("`at` is a line, as Class:LINE"),
            },
            (None, Some(call)) => WrongPoint::Call(call.0),
            (None, None) => WrongPoint::End,
        };
        let what = variable(what);
        let is_object = what.contains('@');
        if !is_object && self.at.is_none() {
            return usage("a variable needs `at`, the line where it is wrong; an object is written object:7");
        }
        Ok(OmissionQuestion { is_object, limit, ..OmissionQuestion::new(&what, at) })
    }
}

fn item(item: AskItem) -> FoundRow {
    match item {
        AskItem::Output(output) => FoundRow::Output { output },
        AskItem::Solution(solution) => FoundRow::Solution(solution),
    }
}
