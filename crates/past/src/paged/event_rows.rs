//! The events of a call by row number, with the events marked that change a chosen variable.

use crate::call::CallShown;
use crate::error::PastError;
use crate::event::EventShown;
use crate::event_ref::EventRef;
use crate::recording::Recording;
use serde::{Serialize, Serializer};
use serde_json::Value as Json;
use std::time::Duration;
use trace::{EventPosition, Level};

/// How long an answer may take to count events that it does not show.
const COUNTING: Duration = Duration::from_millis(25);

/// Which events are listed.
#[derive(Clone, Debug)]
pub struct EventPage {
    /// The call.
    pub call: u32,
    /// The first row, from 0.
    pub from: u64,
    /// Maximum number of rows.
    pub limit: usize,
    /// The variable whose changes are marked, as it is named at an event of the call.
    pub mark: Option<(String, EventRef)>,
}

/// Some of the events of a call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventsPart {
    /// The call.
    pub call: CallShown,
    /// The name of its thread.
    pub thread: String,
    /// The source file, if the class file names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The level at which it was recorded.
    pub level: Level,
    /// Number of its events, as far as they were counted.
    pub count: u64,
    /// Whether all were counted.
    pub complete: bool,
    /// The rows.
    pub rows: Vec<EventRow>,
    /// What the recording lacks that can matter here, and why.
    pub missing: Vec<String>,
}

/// An event in a list. As JSON it is the event with `event` as its number and `kind` as its kind.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRow {
    /// Its number, from 1.
    pub number: u64,
    /// The event.
    pub shown: EventShown,
    /// Whether it writes the marked variable.
    pub changes: bool,
    /// Whether it is a call below which the marked variable is written.
    pub changes_below: bool,
    /// The numbers of the suggestions of the omission finder that are about this event.
    pub omitted: Vec<usize>,
    /// Its position.
    pub at: EventPosition,
}

impl Serialize for EventRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut shown = match serde_json::to_value(&self.shown) {
            Ok(Json::Object(shown)) => shown,
            Ok(_) => serde_json::Map::new(),
            Err(error) => return Err(serde::ser::Error::custom(error)),
        };
        shown.insert("event".to_owned(), self.number.into());
        shown.insert("kind".to_owned(), self.shown.event.into());
        if self.changes {
            shown.insert("changes".to_owned(), true.into());
        }
        if self.changes_below {
            shown.insert("changes_below".to_owned(), true.into());
        }
        if !self.omitted.is_empty() {
            shown.insert("omitted".to_owned(), self.omitted.clone().into());
        }
        shown.serialize(serializer)
    }
}

impl Recording {
    /// Some of the events of a call.
    ///
    /// # Errors
    /// There is no such call or variable, or the events cannot be read.
    pub fn event_rows(&mut self, page: &EventPage) -> Result<EventsPart, PastError> {
        let node = self.node(page.call)?;
        let marked = match &page.mark {
            Some((name, at)) => {
                let at = self.position_after(*at)?;
                self.resume_locals(at)?;
                let moment = self.moment(at)?;
                let variable = self.variable(moment, name)?;
                self.with_contents(moment, variable)?
            }
            None => Vec::new(),
        };
        let mut rows = Vec::new();
        let places = self.events_from(node, page.from, page.limit)?;
        for (number, at) in (page.from + 1..).zip(places) {
            let shown = self.event_shown(at)?;
            let (changes, changes_below) = self.is_written_by(&marked, at, &shown)?;
            rows.push(EventRow { number, shown, changes, changes_below, omitted: Vec::new(), at });
        }
        let (count, complete) = self.known_events(node, COUNTING)?;
        let recorded = self.about.level;
        let calls = &mut self.calls;
        let no_such = PastError::NoSuchCall { node: page.call, calls: calls.count() };
        let call = CallShown::of(calls, node)?.ok_or(no_such)?;
        let thread = calls.thread_of(node).unwrap_or_default();
        let method = calls.method(node);
        let source = method.and_then(|method| method.source.as_deref().map(str::to_owned));
        let level = method.map_or(recorded, |method| method.level);
        let missing = self.missing_in(node);
        Ok(EventsPart { call, thread, source, level, count, complete, rows, missing })
    }
}
