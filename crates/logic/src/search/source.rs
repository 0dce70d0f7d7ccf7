//! An open recording with its log.

use crate::log::{DecodedBlock, Kind, Log, LogEvent, LogIndex, VariableTables, Variables};
use past::{Lines, PastError, Recording};
use std::sync::{Arc, Mutex, PoisonError};
use trace::{Calls, EventPosition, EventTime, Value};

/// Sources that no thread uses now.
pub(super) type Spares = Arc<Mutex<Vec<Source>>>;

/// A recording and its log.
pub struct Source {
    /// The recording.
    pub recording: Recording,
    /// Its log.
    pub log: Log,
    /// The variables of the call about which was asked last, before an event.
    locals: Option<(EventPosition, Variables)>,
    tables: VariableTables,
    /// Sources of the same recording for other threads, which no thread uses now.
    spares: Spares,
}

impl Source {
    /// Reads the log of a recording by its index.
    pub fn new(recording: Recording, index: Arc<LogIndex>) -> Source {
        let tables = VariableTables::default();
        Source { recording, log: Log::new(index), locals: None, tables, spares: Spares::default() }
    }

    /// The sources for other threads.
    pub(super) fn spares(&self) -> &Spares {
        &self.spares
    }

    /// A source of the same recording for another thread, which does not need lines of class files.
    pub(super) fn another(&self) -> Option<Source> {
        let kept = self.spares.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if kept.is_some() {
            return kept;
        }
        let Recording { about, calls, .. } = &self.recording;
        let recording = Recording::new(about.clone(), calls.again(), Lines::new(Box::new(|| None)));
        Some(Source::new(recording, self.log.index().clone()))
    }

    /// The recorded calls.
    pub fn calls(&mut self) -> &mut Calls {
        &mut self.recording.calls
    }

    /// The recorded calls and the log.
    pub fn parts(&mut self) -> (&mut Calls, &mut Log) {
        (&mut self.recording.calls, &mut self.log)
    }

    /// The event with an id.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn event(&mut self, id: u64) -> Result<Option<(Arc<DecodedBlock>, LogEvent)>, PastError> {
        Ok(self.log.event(&mut self.recording.calls, id)?)
    }

    /// The visible variables of a call before a time: names and values.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn locals(&mut self, node: u32, when: EventTime) -> Result<Vec<(String, Value)>, PastError> {
        self.advance(node, when)?;
        let Some((_, variables)) = &self.locals else { return Ok(Vec::new()) };
        let table = self.tables.of(node, &self.recording.calls, &mut self.recording.lines);
        Ok(variables.visible(table.as_deref()))
    }

    /// The visible variables at an event of a call.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn locals_at(&mut self, node: u32, event: &LogEvent) -> Result<Vec<(String, Value)>, PastError> {
        let begins_line = event.kind == Kind::Step && event.call() == Some(node);
        let Some(site) = self.recording.calls.sites.site(event.site).filter(|_| begins_line).cloned() else {
            return self.locals(node, event.when);
        };
        self.advance(node, event.when)?;
        let Some((_, variables)) = &self.locals else { return Ok(Vec::new()) };
        let mut variables = variables.clone();
        variables.enter_line(&site);
        let table = self.tables.of(node, &self.recording.calls, &mut self.recording.lines);
        Ok(variables.visible(table.as_deref()))
    }

    /// Goes to a time of a call. A call can have millions of events, so reading continues where it was, if
    /// that is earlier.
    fn advance(&mut self, node: u32, when: EventTime) -> Result<(), PastError> {
        let to = EventPosition::new(node, when);
        let known = self.locals.take().filter(|(at, _)| at.is_before(to));
        let calls = &mut self.recording.calls;
        let entry = || calls.entry(node).map(|entry| (entry, Variables::default()));
        let Some((from, mut variables)) = known.or_else(entry) else { return Ok(()) };
        calls.events_between(from, to, |calls, seen| {
            if seen.node == Some(node) {
                variables.take(calls, seen);
            }
        })?;
        self.locals = Some((to, variables));
        Ok(())
    }
}
