//! `query` and `queries`: logic goals and predefined queries over the recording.

use super::bench::Bench;
use super::open_queries::OpenQueries;
use super::{Reader, Reads, Request, Works};
use command::CommandError;
use command::exchange::Exchange;
use command::query::{QueryDialogue, QueryReply};
use logic::AnswerRow;
use logic::queries::QUERIES;
use recorded::logic::{AskRequest, OpenLog};
use serde::{Deserialize, Serialize};
use session::{Context, SessionError};

/// Time limit of a goal, in seconds.
const GOAL_SECONDS: u64 = 300;
/// Memory limit of a goal, in bytes.
const GOAL_MEMORY: usize = 1 << 30;

/// Arguments of `query`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskQuery {
    /// The recording.
    #[serde(default)]
    pub trace: usize,
    /// The line: a goal, a predefined query, or `;` for the next solution.
    pub line: String,
}

/// Reply to `query`.
#[derive(Debug)]
pub struct QueryShown {
    /// The line and its reply.
    pub exchange: Exchange<QueryReply>,
    /// Whether the goal may have more solutions.
    pub waits: bool,
    /// For each row of an answer, the call and the place of its event.
    pub places: Vec<Option<(u32, String)>>,
}

impl Request for AskQuery {
    type Reply = QueryShown;

    const NAME: &'static str = "query";
}

impl Works for AskQuery {
    async fn work(self, bench: &mut Bench, context: &Context) -> Result<QueryShown, CommandError> {
        let mut open = match bench.queries.take().filter(|open| open.trace == self.trace) {
            Some(open) => open,
            None => {
                let trace = bench.own_trace(self.trace, context).await?;
                let log = OpenLog::open(trace, context).await?;
                let dialogue = QueryDialogue::new(log, request(), true).without_files();
                OpenQueries { trace: self.trace, dialogue }
            }
        };
        if self.line.trim() != ";" {
            bench.board.add_query(self.line.trim());
        }
        let exchange = Box::pin(open.dialogue.take(&self.line, context)).await;
        let waits = open.dialogue.waits();
        let places = match &exchange.reply {
            Ok(QueryReply::Answer(answer)) => {
                let ids: Vec<Option<u64>> = answer.rows.iter().map(event_of).collect();
                let known: Vec<u64> = ids.iter().flatten().copied().collect();
                let mut found = open.dialogue.log().places(&known)?.into_iter();
                ids.iter().map(|id| id.and_then(|_| found.next().flatten())).collect()
            }
            _ => Vec::new(),
        };
        bench.queries = Some(open);
        Ok(QueryShown { exchange, waits, places })
    }
}

/// What each goal has in common.
fn request() -> AskRequest {
    AskRequest {
        goal: String::new(),
        rules: Vec::new(),
        saved_rules: true,
        solutions: usize::MAX,
        timeout_s: GOAL_SECONDS,
        memory: GOAL_MEMORY,
        explain: false,
    }
}

/// The event of a row.
fn event_of(row: &AnswerRow) -> Option<u64> {
    match row {
        AnswerRow::Event(event) => Some(event.id),
        AnswerRow::Value(value) => value.event,
        AnswerRow::Count { first, .. } => *first,
        AnswerRow::Heading { .. } => None,
    }
}

/// Arguments of `queries`.
#[derive(Debug, Deserialize)]
pub struct Queries {}

/// Reply to `queries`.
#[derive(Debug, Serialize)]
pub struct QueriesShown {
    /// The predefined queries.
    pub queries: Vec<PredefinedShown>,
    /// The predicates of the saved rules of the user and the project: `login/0`.
    pub predicates: Vec<String>,
    /// The queries that were asked of this server, the oldest first.
    pub saved: Vec<String>,
}

/// A predefined query.
#[derive(Debug, Serialize)]
pub struct PredefinedShown {
    /// Its name.
    pub name: &'static str,
    /// An example.
    pub example: &'static str,
    /// Its purpose.
    pub about: &'static str,
}

impl Request for Queries {
    type Reply = QueriesShown;

    const NAME: &'static str = "queries";
}

impl Reads for Queries {
    async fn read(self, reader: &mut Reader, _context: &Context) -> Result<QueriesShown, CommandError> {
        let row = |query: &'static logic::queries::Query| PredefinedShown {
            name: query.name,
            example: query.example,
            about: query.about,
        };
        Ok(QueriesShown {
            queries: QUERIES.iter().map(row).collect(),
            predicates: request().read_rules()?.predicates().map_err(SessionError::from)?,
            saved: reader.board.shown().queries.clone(),
        })
    }
}
