//! The calls around an event, and the events of a call.

use super::found::Found;
use super::source::Source;
use crate::error::LogicError;
use crate::log::{Kind, LogEvent};
use trace::{EventTime, Exit, Traced};

/// How a call ended, with the event that ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It returned: the id of its exit.
    Returned(u64),
    /// An exception left it: the id of the exception, if it is in the log.
    Threw(Option<u64>),
    /// It had not ended when the recording ended.
    Open,
    /// Its end was not recorded.
    Unrecorded,
}

impl Source {
    /// The innermost call that encloses an event: entered before it, and not ended when it happened. A call
    /// does not enclose its own entry and exit.
    pub fn enclosing(&self, event: &LogEvent) -> Option<u32> {
        let calls = &self.recording.calls;
        let node = event.call()?;
        let is_end = || {
            let site = calls.sites.site(event.site);
            site.is_some_and(|site| site.what == Traced::Return)
        };
        match event.kind {
            Kind::MethodCall | Kind::MethodExit | Kind::MemberFields => calls.parent(node),
            // What was returned is looked at when the call has ended.
            Kind::DataStructure if is_end() => calls.parent(node),
            _ => Some(node),
        }
    }

    /// All calls that enclose an event, the innermost first.
    pub fn chain(&self, event: &LogEvent) -> Vec<u32> {
        let mut chain = Vec::new();
        let mut at = self.enclosing(event);
        while let Some(node) = at {
            chain.push(node);
            at = self.recording.calls.parent(node);
        }
        chain
    }

    /// The `methodcall` event of a call.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn entry_of(&mut self, node: u32) -> Result<Option<Found>, LogicError> {
        let (calls, log) = self.parts();
        let Some(thread) = calls.thread_number(node) else { return Ok(None) };
        match log.id_of_call(calls, thread, node)? {
            Some(id) => self.found(id).map(Some),
            None => Ok(None),
        }
    }

    /// The id of the last event of a thread at a time or before it.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn event_before(&mut self, thread: u32, when: EventTime) -> Result<Option<u64>, LogicError> {
        let (calls, log) = self.parts();
        let blocks: Vec<usize> = log.index().of_thread(thread).collect();
        let mut number = log.index().at(thread, when);
        while let Some(at) = number {
            let block = log.block(calls, at)?;
            let place = when.place_in_thread();
            let behind = block.events.partition_point(|event| event.when.place_in_thread() <= place);
            if let Some(last) = behind.checked_sub(1) {
                return Ok(Some(block.first + u64::try_from(last).unwrap_or(0)));
            }
            number = blocks.iter().rposition(|block| *block < at).and_then(|at| blocks.get(at).copied());
        }
        Ok(None)
    }

    /// How a call ended.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn end_of(&mut self, node: u32) -> Result<End, LogicError> {
        let (calls, log) = self.parts();
        let exit = calls.exit(node);
        if exit == Exit::Unrecorded
            && let Some(inner) = calls.children(node).last().copied()
            && calls.exit(inner) == Exit::Threw
            && calls.method(node).is_some_and(|method| method.name == "<init>")
            && calls.method(inner).is_some_and(|method| method.name == "<init>")
        {
            // A constructor cannot record that the constructor of its superclass threw an exception.
            return self.end_of(inner);
        }
        let (Some(thread), Some(when)) = (calls.thread_number(node), calls.time_of_end(node)) else {
            return Ok(if exit == Exit::Unrecorded { End::Unrecorded } else { End::Open });
        };
        if exit == Exit::Returned {
            let id = log.id_of(calls, thread, when, Kind::MethodExit)?;
            return Ok(id.map_or(End::Unrecorded, End::Returned));
        }
        let exception = calls.call(node)?.and_then(|call| call.result);
        let Some(mut number) = log.index().at(thread, when) else { return Ok(End::Threw(None)) };
        let blocks: Vec<usize> = log.index().of_thread(thread).collect();
        // The exception was thrown before it left the call, or at that event.
        loop {
            let block = log.block(calls, number)?;
            let is_it = |(_, event): &(usize, &LogEvent)| {
                event.kind == Kind::Exception
                    && event.when.place_in_thread() <= when.place_in_thread()
                    && block.values(event).first() == exception.as_ref()
            };
            let found = block.events.iter().enumerate().rev().find(is_it);
            if let Some((at, _)) = found {
                return Ok(End::Threw(Some(block.first + u64::try_from(at).unwrap_or(0))));
            }
            let before = blocks.iter().rposition(|block| *block < number);
            match before.and_then(|before| blocks.get(before)) {
                Some(before) => number = *before,
                None => return Ok(End::Threw(None)),
            }
        }
    }
}
