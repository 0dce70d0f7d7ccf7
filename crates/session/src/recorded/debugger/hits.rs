//! Finds where breakpoints are hit, in both directions.
//!
//! A condition is evaluated with the variables of the call. They are read along the call's events, so the
//! events of a call are read forward and once, also in a search backwards: it takes up to [`MANY`] events
//! before the position, from the nearest ones, and then reads everything else from the beginning.

use super::RecordedDebugger;
use super::breakpoints::{Breakpoint, BreakpointPlace};
use super::code::CodeOfRecording;
use super::thread_ends::{first_of_thread, root, throws};
use crate::context::Context;
use crate::error::SessionError;
use crate::recorded::step::Direction;
use assertions::{ExpressionAt, Moment};
use inspect::locals::KnownLocals;
use std::collections::HashMap;
use trace::{Calls, EventPosition, Exit, Value};

/// Events that the first part of a search takes.
const FEW: usize = 64;
/// Maximum number of events that a part of a search takes.
const MANY: usize = 1 << 16;
/// Maximum number of hits that are counted.
const COUNTED: usize = 1_000_000;

/// A hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub at: EventPosition,
    /// The breakpoints that are hit there.
    pub ids: Vec<i64>,
    /// Why the condition of one of them has no value there.
    pub problem: Option<String>,
}

/// Breakpoints in the order in which they were set, with what their conditions need.
pub(super) struct Hits<'a> {
    pub calls: &'a mut Calls,
    pub code: &'a mut CodeOfRecording,
    pub breakpoints: Vec<&'a mut Breakpoint>,
    /// Where a search ends; at the end of the thread if nothing is given.
    pub until: Option<EventPosition>,
    pub context: &'a Context,
}

impl RecordedDebugger {
    /// The nearest hit of a breakpoint in a direction, before the position `until` is reached.
    ///
    /// # Errors
    /// The events cannot be read, or the user interrupted.
    pub(super) async fn nearest_hit(
        &mut self,
        direction: Direction,
        until: Option<EventPosition>,
        context: &Context,
    ) -> Result<Option<Hit>, SessionError> {
        if self.breakpoints.is_empty() {
            return Ok(None);
        }
        let changed = match (self.nearest_change(direction, context).await?, until) {
            (Some(changed), Some(until)) => {
                let (changed_at, until) = (self.when(changed.at)?, self.when(until)?);
                let is_before =
                    if direction == Direction::Back { changed_at > until } else { changed_at < until };
                is_before.then_some(changed)
            }
            (changed, _) => changed,
        };
        let at = self.at;
        let stops = |breakpoint: &&mut Breakpoint| {
            breakpoint.request.log.is_none()
                && !matches!(breakpoint.request.place, BreakpointPlace::Changed(_))
        };
        let calls = &mut self.trace.recording.calls;
        let breakpoints: Vec<_> = self.breakpoints.iter_mut().filter(stops).collect();
        let mut hits = Hits { calls, code: &mut self.code, breakpoints, until, context };
        hits.count_hits().await?;
        let found = match direction {
            Direction::Forward => hits.first_after(at).await?,
            Direction::Back => hits.last_before(at).await?,
        };
        let (Some(changed), Some(found)) = (&changed, &found) else { return Ok(found.or(changed)) };
        let calls = hits.calls;
        let is_later = calls.when_at(changed.at)? > calls.when_at(found.at)?;
        let wants_later = direction == Direction::Back;
        Ok(Some(if is_later == wants_later { changed } else { found }.clone()))
    }

    /// The nearest write to a variable with a breakpoint.
    async fn nearest_change(
        &mut self,
        direction: Direction,
        context: &Context,
    ) -> Result<Option<Hit>, SessionError> {
        let mut nearest: Option<Hit> = None;
        let calls = &mut self.trace.recording.calls;
        for breakpoint in &mut self.breakpoints {
            let BreakpointPlace::Changed(variable) = breakpoint.request.place.clone() else { continue };
            let mut at = self.at;
            while let Some(found) = variable.nearest_write(calls, at, direction)? {
                at = found;
                let mut hits = Hits {
                    calls: &mut *calls,
                    code: &mut self.code,
                    breakpoints: vec![&mut *breakpoint],
                    until: None,
                    context,
                };
                let held = hits.holds(0, at, &mut None).await?;
                let Some(problem) = held else { continue };
                let hit = Hit { at, ids: vec![breakpoint.id], problem };
                let is_nearer = match &nearest {
                    None => true,
                    Some(known) => {
                        let is_later = calls.when_at(at)? > calls.when_at(known.at)?;
                        is_later == (direction == Direction::Back)
                    }
                };
                if is_nearer {
                    nearest = Some(hit);
                }
                break;
            }
        }
        Ok(nearest)
    }
}

impl Hits<'_> {
    /// The first hit of the thread after a position.
    pub async fn first_after(&mut self, at: EventPosition) -> Result<Option<Hit>, SessionError> {
        let (mut at, mut many, until) = (at, self.batch(), self.until);
        let mut known = None;
        loop {
            let events = self.events(|calls, is_at| calls.matching_after((at, until), many, is_at))?;
            let Some(last) = events.last().copied() else { return Ok(None) };
            for event in events {
                if let Some(hit) = self.hit(event, &mut known).await? {
                    return Ok(Some(hit));
                }
            }
            at = last;
            many = (many * 2).min(MANY);
        }
    }

    /// The last hit of the thread before a position.
    pub async fn last_before(&mut self, at: EventPosition) -> Result<Option<Hit>, SessionError> {
        let (mut at, mut many, until) = (at, self.batch(), self.until);
        while many <= MANY {
            let events = self.events(|calls, is_at| calls.matching_before((at, until), many, is_at))?;
            let Some(first) = events.first().copied() else { return Ok(None) };
            if let Some(hit) = self.last_of(events).await? {
                return Ok(Some(hit));
            }
            at = first;
            many *= 2;
        }
        let begin = until.unwrap_or_else(|| first_of_thread(self.calls, at));
        let (mut from, mut found, mut known) = (begin, None, None);
        loop {
            let events = self.events(|calls, is_at| calls.matching_after((from, Some(at)), MANY, is_at))?;
            let Some(last) = events.last().copied() else { return Ok(found) };
            for event in events {
                found = self.hit(event, &mut known).await?.or(found);
            }
            from = last;
        }
    }

    /// The number of events that the first part of a search takes: more than one if a condition can reject
    /// them.
    fn batch(&self) -> usize {
        let rejects = |b: &&mut Breakpoint| {
            b.request.condition.is_some()
                || b.request.hits.is_some()
                || matches!(b.request.place, BreakpointPlace::Thrown(_))
        };
        if self.breakpoints.iter().any(rejects) { FEW } else { 1 }
    }

    fn events(
        &mut self,
        find: impl FnOnce(
            &mut Calls,
            &dyn Fn(&Calls, &trace::TracedEvent<'_>) -> bool,
        ) -> Result<Vec<EventPosition>, trace::TraceError>,
    ) -> Result<Vec<EventPosition>, SessionError> {
        if self.context.is_interrupted() {
            return Err(SessionError::Interrupted);
        }
        if self.breakpoints.is_empty() {
            return Ok(Vec::new());
        }
        let breakpoints = &self.breakpoints;
        Ok(find(self.calls, &|calls, seen| breakpoints.iter().any(|b| b.may_be_at(calls, seen)))?)
    }

    async fn last_of(&mut self, events: Vec<EventPosition>) -> Result<Option<Hit>, SessionError> {
        let (mut found, mut known) = (None, None);
        if self.batch() == 1 {
            let last = events.last().copied();
            return match last {
                Some(last) => self.hit(last, &mut known).await,
                None => Ok(None),
            };
        }
        for event in events {
            found = self.hit(event, &mut known).await?.or(found);
        }
        Ok(found)
    }

    /// The breakpoints that are hit at an event.
    async fn hit(
        &mut self,
        at: EventPosition,
        known: &mut Option<KnownLocals>,
    ) -> Result<Option<Hit>, SessionError> {
        let breakpoints = &self.breakpoints;
        let here = self.calls.event_at(at, |calls, seen| {
            let is_at = |(_, b): &(usize, &&mut Breakpoint)| b.may_be_at(calls, seen);
            breakpoints.iter().enumerate().filter(is_at).map(|(index, _)| index).collect::<Vec<_>>()
        })?;
        let mut hit = Hit { at, ids: Vec::new(), problem: None };
        for index in here.unwrap_or_default() {
            let Some(problem) = self.holds(index, at, known).await? else { continue };
            let Some(breakpoint) = self.breakpoints.get(index) else { continue };
            let number = breakpoint.numbers.as_ref().and_then(|numbers| numbers.get(&at)).copied();
            if let (Some(count), Some(_)) = (breakpoint.request.hits, &breakpoint.numbers)
                && !number.is_some_and(|number| count.includes(number))
            {
                continue;
            }
            hit.ids.push(breakpoint.id);
            hit.problem = hit.problem.or(problem);
        }
        Ok((!hit.ids.is_empty()).then_some(hit))
    }

    /// Whether a breakpoint's condition holds at an event; with the reason if it has no value there, since
    /// such a hit stops too.
    async fn holds(
        &mut self,
        index: usize,
        at: EventPosition,
        known: &mut Option<KnownLocals>,
    ) -> Result<Option<Option<String>>, SessionError> {
        let Some(breakpoint) = self.breakpoints.get_mut(index) else { return Ok(None) };
        if let BreakpointPlace::Thrown(thrown) = &breakpoint.request.place {
            let is_uncaught = is_uncaught(self.calls, at)?;
            let is_meant = if is_uncaught { thrown.uncaught } else { thrown.caught };
            if !is_meant || !self.code.is_of_classes(self.calls, at, &thrown.classes)? {
                return Ok(None);
            }
        }
        let Some(condition) = breakpoint.request.condition.clone() else { return Ok(Some(None)) };
        let Some(index) = self.code.index(self.calls, at)? else { return Ok(Some(None)) };
        let compiled = match breakpoint.conditions.entry(index) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(self.code.compile(&condition, index, self.calls))
            }
        };
        let value = match compiled {
            Ok(compiled) => value(compiled, known, self.calls, self.code, at).await?,
            Err(why) => Err(why.clone()),
        };
        Ok(match value {
            Ok(value) => match value.holds {
                Some(true) => Some(None),
                Some(false) => None,
                None => Some(Some(format!("`{condition}` is {}, not a boolean", value.text))),
            },
            Err(why) => Some(Some(format!("`{condition}` has no value here: {why}"))),
        })
    }

    /// Numbers the hits of the breakpoints that count them, unless that was done before.
    async fn count_hits(&mut self) -> Result<(), SessionError> {
        for index in 0..self.breakpoints.len() {
            let wanted = self.breakpoints.get(index);
            let counts = wanted.is_some_and(|b| b.request.hits.is_some() && b.numbers.is_none());
            if !counts {
                continue;
            }
            let mut numbers = HashMap::new();
            for (thread, ..) in self.calls.threads() {
                let mut number = 0;
                self.each_hit_of(index, thread, &mut |at| {
                    number += 1;
                    numbers.insert(at, number);
                    numbers.len() < COUNTED
                })
                .await?;
            }
            if numbers.len() >= COUNTED {
                let why =
                    format!("a hit count over more than {COUNTED} hits is not possible: add a condition");
                return Err(SessionError::NoStep(why));
            }
            if let Some(breakpoint) = self.breakpoints.get_mut(index) {
                breakpoint.numbers = Some(numbers);
            }
        }
        Ok(())
    }

    /// Goes through the hits of one breakpoint in a thread, whatever its hit count, until `take` returns
    /// false.
    pub async fn each_hit_of(
        &mut self,
        index: usize,
        thread: u32,
        take: &mut dyn FnMut(EventPosition) -> bool,
    ) -> Result<(), SessionError> {
        let root = self.calls.roots(thread).first().copied();
        let Some(mut at) = root.and_then(|root| self.calls.entry(root)) else { return Ok(()) };
        let mut known = None;
        let mut is_first = true;
        loop {
            if self.context.is_interrupted() {
                return Err(SessionError::Interrupted);
            }
            let Some(breakpoint) = self.breakpoints.get(index) else { return Ok(()) };
            let mut events = self
                .calls
                .matching_after((at, None), MANY, |calls, seen| breakpoint.may_be_at(calls, seen))?;
            if std::mem::take(&mut is_first)
                && self.calls.event_at(at, |calls, seen| breakpoint.may_be_at(calls, seen))? == Some(true)
            {
                events.insert(0, at);
            }
            let Some(last) = events.last().copied() else { return Ok(()) };
            for event in events {
                if self.holds(index, event, &mut known).await?.is_some() && !take(event) {
                    return Ok(());
                }
            }
            at = last;
        }
    }
}

/// The value of an expression before an event.
pub(super) async fn value(
    compiled: &ExpressionAt,
    known: &mut Option<KnownLocals>,
    calls: &mut Calls,
    code: &mut CodeOfRecording,
    at: EventPosition,
) -> Result<Result<assertions::RecordedValue, String>, SessionError> {
    let moment = Moment { at, when: calls.when_at(at)? };
    Ok(compiled.value_after(known, calls, &mut code.fields, moment).await?)
}

/// Whether the exception that is thrown at an event leaves all recorded code.
pub(super) fn is_uncaught(calls: &mut Calls, at: EventPosition) -> Result<bool, SessionError> {
    let thrown =
        calls.event_at(at, |_, seen| throws(seen.site.what).then(|| seen.values.first().copied()))?;
    let Some(Some(Some(Value::Object(thrown)))) = thrown else { return Ok(false) };
    let node = root(calls, at.node);
    if calls.exit(node) != Exit::Threw {
        return Ok(false);
    }
    Ok(calls.call(node)?.and_then(|call| call.result) == Some(Value::Object(thrown)))
}
