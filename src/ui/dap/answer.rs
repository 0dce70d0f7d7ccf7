//! The answer to a request, or why it has none.

use command::CommandError;
use dap::types::{ContinuedBody, EventBody, OutputBody, OutputCategory};
use past::PastError;
use serde_json::Value;
use session::SessionError;

/// The answer to a request: the body of the response, and the events that follow it.
#[derive(Default)]
pub struct Answer {
    /// The body; none if the response has none.
    pub body: Option<Value>,
    /// The events after the response.
    pub events: Vec<EventBody>,
    /// Whether the session ends.
    pub ends: bool,
}

impl Answer {
    /// The answer to a request that moves and is no step. Editors keep what they show of the last stop until
    /// the program continues, and take that for granted after steps only.
    pub fn after_continuing(mut self) -> Answer {
        let thread = self.events.iter().find_map(|event| match event {
            EventBody::Stopped(stopped) => stopped.thread_id,
            _ => None,
        });
        if let Some(thread_id) = thread {
            let continued = ContinuedBody { thread_id, all_threads_continued: Some(true) };
            self.events.insert(0, EventBody::Continued(continued));
        }
        self
    }
}

/// Why a request has no answer.
pub enum Refusal {
    /// The request makes no sense in this state, or cannot be understood.
    Request(String),
    /// A number in it belongs to an earlier position. Editors ask for such a number while the session moves,
    /// and need not tell the user.
    Stale(String),
    /// The user cancelled it.
    Cancelled,
}

impl From<CommandError> for Refusal {
    fn from(error: CommandError) -> Refusal {
        match error {
            CommandError::Session(SessionError::Interrupted) => Refusal::Cancelled,
            error => Refusal::Request(error.to_string()),
        }
    }
}

impl From<SessionError> for Refusal {
    fn from(error: SessionError) -> Refusal {
        Refusal::from(CommandError::from(error))
    }
}

impl From<PastError> for Refusal {
    fn from(error: PastError) -> Refusal {
        Refusal::from(CommandError::from(error))
    }
}

/// A line for the user.
pub fn output(text: &str) -> EventBody {
    EventBody::Output(OutputBody {
        category: Some(OutputCategory::Console),
        output: format!("{text}\n"),
        ..OutputBody::default()
    })
}

/// The body of a response.
pub fn body(value: &impl serde::Serialize) -> Result<Option<Value>, Refusal> {
    serde_json::to_value(value).map(Some).map_err(|error| Refusal::Request(error.to_string()))
}

/// An answer without events.
pub fn answer(value: &impl serde::Serialize) -> Result<Answer, Refusal> {
    Ok(Answer { body: body(value)?, ..Answer::default() })
}

/// A number of the protocol.
pub fn number(n: impl TryInto<i64>) -> i64 {
    n.try_into().unwrap_or(i64::MAX)
}
