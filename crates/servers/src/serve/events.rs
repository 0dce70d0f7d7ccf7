//! `events` and `event`: the events of a call by row number, and one event.

use super::{Reader, Reads, Request};
use command::CommandError;
use past::{EventPage, EventRef, EventShownAt, EventsPart};
use serde::Deserialize;
use session::Context;

/// Maximum number of rows of a reply.
const ROWS: usize = 500;

/// Arguments of `events`.
#[derive(Debug, Deserialize)]
pub struct Events {
    /// The recording.
    #[serde(default)]
    pub trace: usize,
    /// The call.
    pub call: u32,
    /// The first row.
    #[serde(default)]
    pub from: u64,
    /// Maximum number of rows.
    pub limit: Option<usize>,
    /// The variable whose changes are marked.
    pub mark: Option<String>,
    /// The event at which the variable has this name; by default the end of the call.
    pub mark_event: Option<u64>,
}

impl Request for Events {
    type Reply = EventsPart;

    const NAME: &'static str = "events";
}

impl Reads for Events {
    async fn read(self, reader: &mut Reader, context: &Context) -> Result<EventsPart, CommandError> {
        let at = EventRef { call: self.call, event: self.mark_event };
        let page = EventPage {
            call: self.call,
            from: self.from,
            limit: self.limit.unwrap_or(200).min(ROWS),
            mark: self.mark.map(|name| (name, at)),
        };
        let mut part = reader.recording(self.trace, context).await?.event_rows(&page)?;
        let shown = reader.board.shown();
        let of_call = || shown.balloons.iter().filter(|balloon| balloon.call == self.call);
        if of_call().next().is_some() {
            for row in &mut part.rows {
                row.omitted = of_call().filter(|balloon| balloon.at == row.at).map(|of| of.number).collect();
            }
        }
        Ok(part)
    }
}

/// Arguments of `event`.
#[derive(Debug, Deserialize)]
pub struct Event {
    /// The recording.
    #[serde(default)]
    pub trace: usize,
    /// The call.
    pub call: u32,
    /// The number of the event.
    pub event: Option<u64>,
    /// Its place in the thread, instead of its number.
    pub place: Option<String>,
}

impl Request for Event {
    type Reply = EventShownAt;

    const NAME: &'static str = "event";
}

impl Reads for Event {
    async fn read(self, reader: &mut Reader, context: &Context) -> Result<EventShownAt, CommandError> {
        let recording = reader.recording(self.trace, context).await?;
        let selection = match &self.place {
            Some(place) => recording.event_at_place(self.call, place)?,
            None => EventRef { call: self.call, event: self.event },
        };
        Ok(recording.shown_at(selection)?)
    }
}
