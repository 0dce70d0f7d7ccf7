//! What a page has selected: a call and one of its events.

use super::RecordedViewer;
use crate::error::SessionError;
use inspect::InspectError;
use serde::{Deserialize, Serialize};
use trace::{EventPosition, Traced};

/// A call and an event of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// The call, by the number that is shown.
    pub call: u32,
    /// The number of the event, from 1 in the order of the call's events; 0 is the entry of the call. `None`:
    /// the end of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
}

/// A selected event with its place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventShownAt {
    /// The event.
    #[serde(flatten)]
    pub selection: Selection,
    /// The name of the thread.
    pub thread: String,
    /// The class of the call's method.
    pub class: String,
    /// The source file, if the class file names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The source line, if it was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl RecordedViewer {
    /// The node of a call that is shown with a number.
    pub(super) fn node(&self, call: u32) -> Result<u32, SessionError> {
        let calls = &self.recording().calls;
        let node = calls.own(call);
        match calls.method_number(node) {
            Some(_) => Ok(node),
            None => Err(InspectError::NoSuchCall { node: call, calls: calls.count() }.into()),
        }
    }

    /// The position of the selected event; without one, the end of the call, or the last event of a call
    /// that has not ended.
    ///
    /// # Errors
    /// There is no such call or event, or the events cannot be read.
    pub fn position(&mut self, selection: Selection) -> Result<EventPosition, SessionError> {
        let node = self.node(selection.call)?;
        let calls = &mut self.trace().calls;
        let begins =
            || SessionError::NoStep(format!("the beginning of call #{} was not recorded", selection.call));
        let entry = calls.entry(node);
        match selection.event {
            Some(0) => entry.ok_or_else(begins),
            Some(event) => self.event_at(node, event - 1)?.ok_or_else(|| {
                SessionError::NoStep(format!("call #{} has fewer than {event} events", selection.call))
            }),
            None => match calls.end(node) {
                Some(end) => Ok(end),
                None => {
                    let count = self.count_events(node)?;
                    let last = count.checked_sub(1);
                    match last {
                        Some(last) => Ok(self.event_at(node, last)?.ok_or_else(begins)?),
                        None => entry.ok_or_else(begins),
                    }
                }
            },
        }
    }

    /// The position after the selected event: variables have the values there that the event left.
    ///
    /// # Errors
    /// As [`RecordedViewer::position`].
    pub fn position_after(&mut self, selection: Selection) -> Result<EventPosition, SessionError> {
        let at = self.position(selection)?;
        if selection.event.is_none() {
            return Ok(at);
        }
        Ok(self.trace().calls.following(at)?.unwrap_or(at))
    }

    /// The selection of an event.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn selection_of(&mut self, at: EventPosition) -> Result<Selection, SessionError> {
        let calls = &mut self.trace().calls;
        let call = calls.shown(at.node);
        let what = calls.event_at(at, |_, seen| (seen.site.what, seen.node == Some(at.node)))?;
        let event = match what {
            Some((Traced::Enter | Traced::Born, true)) => Some(0),
            Some((Traced::Return | Traced::Leave, true)) | None => None,
            Some(_) => self.number_of_event(at)?.map(|row| row + 1),
        };
        Ok(Selection { call, event })
    }

    /// A selected event with its place in the source.
    ///
    /// # Errors
    /// As [`RecordedViewer::position`].
    pub fn shown_at(&mut self, selection: Selection) -> Result<EventShownAt, SessionError> {
        let at = self.position(selection)?;
        let line = self.line_at(at)?;
        let calls = &self.recording().calls;
        let thread = calls.thread_of(at.node).unwrap_or_default();
        let method = calls.method(at.node);
        let class = method.map(|method| method.class.to_string()).unwrap_or_default();
        let file = method.and_then(|method| method.source.as_deref().map(str::to_owned));
        Ok(EventShownAt { selection, thread, class, file, line })
    }

    /// The source line of an event; at the end of a call, that of its last event with a line.
    pub(super) fn line_at(&mut self, at: EventPosition) -> Result<Option<u32>, SessionError> {
        let shown = self.debugger.shown_event(at)?;
        if let Some(line) = shown.line {
            return Ok(Some(line.into()));
        }
        Ok(self.trace().calls.called_from(at)?.map(u32::from))
    }
}
