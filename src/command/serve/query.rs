//! `query` and `queries`: logic goals and predefined queries over the recording.

use super::bench::Bench;
use super::{Reader, Reads, Request, Works};
use crate::command::CommandError;
use crate::command::exchange::Exchange;
use crate::command::query::{QueryDialogue, QueryReply};
use crate::session::{AskRequest, Context, OpenLog, QUERIES};
use serde::{Deserialize, Serialize};

/// Time limit of a goal, in seconds.
const GOAL_SECONDS: u64 = 300;
/// Memory limit of a goal, in bytes.
const GOAL_MEMORY: usize = 1 << 30;

/// The prompt of a recording.
pub struct OpenQueries {
    trace: usize,
    dialogue: QueryDialogue,
}

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
                let request = AskRequest {
                    goal: String::new(),
                    rules: Vec::new(),
                    saved_rules: true,
                    solutions: usize::MAX,
                    timeout_s: GOAL_SECONDS,
                    memory: GOAL_MEMORY,
                    explain: false,
                };
                let dialogue = QueryDialogue::new(log, request, true).without_files();
                OpenQueries { trace: self.trace, dialogue }
            }
        };
        let exchange = Box::pin(open.dialogue.take(&self.line, context)).await;
        let waits = open.dialogue.waits();
        bench.queries = Some(open);
        Ok(QueryShown { exchange, waits })
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
    async fn read(self, _reader: &mut Reader, _context: &Context) -> Result<QueriesShown, CommandError> {
        let row = |query: &'static crate::session::PredefinedQuery| PredefinedShown {
            name: query.name,
            example: query.example,
            about: query.about,
        };
        Ok(QueriesShown { queries: QUERIES.iter().map(row).collect() })
    }
}
