//! `session`: what the page is about.

use super::board::RecordingState;
use super::{Reader, Reads, Request};
use command::CommandError;
use past::EventRef;
use serde::{Deserialize, Serialize};
use session::Context;
use trace::Level;

/// Arguments of `session`.
#[derive(Debug, Deserialize)]
pub struct Session {}

/// Reply to `session`.
#[derive(Debug, Serialize)]
pub struct SessionShown {
    /// What is shown, as a title.
    pub title: String,
    /// The version of the server.
    pub version: &'static str,
    /// The recordings.
    pub recordings: Vec<RecordingShown>,
    /// Whether there is a chain.
    pub chain: bool,
    /// What the server is doing; empty when it waits.
    pub doing: String,
}

/// A recording.
#[derive(Debug, Default, Serialize)]
pub struct RecordingShown {
    /// Its number.
    pub trace: usize,
    /// Its name.
    pub name: String,
    /// `recording`, `ready` or `failed`.
    pub state: &'static str,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Its level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// Number of calls.
    pub calls: usize,
    /// The recorded command.
    pub command: Vec<String>,
    /// Its threads.
    pub threads: Vec<ThreadOfPage>,
    /// Where the page begins: at the exception that ended the first thread, or at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<EventRef>,
    /// What it lacks, and why.
    pub missing: Vec<String>,
    /// Remarks about it.
    pub notes: Vec<String>,
    /// Whether its program may run again without a question.
    pub own: bool,
}

/// A thread.
#[derive(Debug, Serialize)]
pub struct ThreadOfPage {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// Number of its calls.
    pub calls: u32,
    /// The call that started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_in: Option<u32>,
}

impl Request for Session {
    type Reply = SessionShown;

    const NAME: &'static str = "session";
}

impl Reads for Session {
    async fn read(self, reader: &mut Reader, context: &Context) -> Result<SessionShown, CommandError> {
        let (known, chain) = {
            let shown = reader.board.shown();
            (shown.recordings.clone(), shown.has_chain)
        };
        let title = known.first().map_or_else(|| "querypoint".to_owned(), |first| first.name.clone());
        let mut recordings = Vec::new();
        for (trace, of) in known.iter().enumerate() {
            let (state, error) = match &of.state {
                RecordingState::Recording => ("recording", None),
                RecordingState::Ready => ("ready", None),
                RecordingState::Failed(why) => ("failed", Some(why.clone())),
            };
            let mut shown =
                RecordingShown { trace, name: of.name.clone(), state, error, ..Default::default() };
            match reader.recording(trace, context).await {
                Ok(recording) => {
                    // While the program runs, its end is elsewhere soon.
                    shown.start = match state {
                        "ready" => {
                            let start = recording.start()?;
                            Some(recording.selection_of(start)?)
                        }
                        _ => None,
                    };
                    let opened = &*recording;
                    let named = |(number, name, calls)| ThreadOfPage {
                        number,
                        name,
                        calls,
                        started_in: opened.calls.started_in(number),
                    };
                    shown.threads = opened.calls.threads().into_iter().map(named).collect();
                    shown.level = Some(opened.about.level);
                    shown.calls = opened.calls.count();
                    shown.command.clone_from(&opened.about.command);
                    shown.missing = opened.missing();
                    shown.notes = opened.about.whose_code.iter().cloned().collect();
                    shown.own = opened.is_own();
                }
                // While the program starts, there are no calls yet.
                Err(_) if of.state == RecordingState::Recording => {}
                Err(error) => {
                    (shown.state, shown.error) = ("failed", Some(error.to_string()));
                }
            }
            recordings.push(shown);
        }
        let doing = reader.board.shown().doing.clone();
        Ok(SessionShown { title, version: env!("CARGO_PKG_VERSION"), recordings, chain, doing })
    }
}
