//! Tells the page what happens, as a stream of events.

use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{Stream, unfold};
use serde_json::json;
use servers::serve::{Board, Notice};
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;

/// How often a line is sent to a page when nothing happens.
const ALIVE: Duration = Duration::from_secs(15);

/// The stream of a page. It begins with what the server is doing.
pub fn stream(board: &Board) -> Sse<impl Stream<Item = Result<Event, Infallible>> + use<>> {
    let first = event("doing", &json!({ "text": board.shown().doing }));
    let events = unfold((board.notices(), Some(first)), |(mut notices, first)| async move {
        if let Some(first) = first {
            return Some((Ok(first), (notices, None)));
        }
        let event = match notices.recv().await {
            Ok(Notice::Doing(text)) => event("doing", &json!({ "text": text })),
            Ok(Notice::Output(text)) => event("output", &json!({ "text": text })),
            Ok(Notice::Said(text)) => event("said", &json!({ "text": text })),
            Ok(Notice::Changed(name)) => event(name, &json!({})),
            // The page was too slow: it loads everything again.
            Err(RecvError::Lagged(_)) => event("everything", &json!({})),
            Err(RecvError::Closed) => return None,
        };
        Some((Ok(event), (notices, None)))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE))
}

fn event(name: &str, data: &serde_json::Value) -> Event {
    Event::default().event(name).data(data.to_string())
}
