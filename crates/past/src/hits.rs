//! Where breakpoints are hit: the nearest hit in a direction, and all hits of a thread.

use crate::breakpoints::{Breakpoint, BreakpointPlace, Breakpoints};
use crate::direction::Direction;
use crate::error::PastError;
use crate::recording::Recording;
use crate::thread_ends::{first_of_thread, root, throws};
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
pub(crate) struct Hit {
    pub at: EventPosition,
    /// The breakpoints that are hit there.
    pub ids: Vec<i64>,
    /// Why the condition of one of them has no value there.
    pub problem: Option<String>,
}

/// Breakpoints in the order in which they were set, with what their conditions need.
pub(crate) struct Hits<'a> {
    pub recording: &'a mut Recording,
    pub breakpoints: Vec<&'a mut Breakpoint>,
    /// Where a search ends; at the end of the thread if nothing is given.
    pub until: Option<EventPosition>,
    /// Whether the user interrupted.
    pub is_interrupted: &'a dyn Fn() -> bool,
}

/// Where a hit is searched for.
pub(crate) struct Search {
    /// Where the search begins.
    pub from: EventPosition,
    /// Its direction.
    pub direction: Direction,
    /// Where it ends; at the end of the thread if nothing is given.
    pub until: Option<EventPosition>,
}

impl Recording {
    /// The nearest hit of a breakpoint.
    ///
    /// # Errors
    /// The events cannot be read, or the user interrupted.
    pub(crate) fn nearest_hit(
        &mut self,
        search: &Search,
        breakpoints: &mut Breakpoints,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<Hit>, PastError> {
        if breakpoints.all.is_empty() {
            return Ok(None);
        }
        let Search { from, direction, until } = *search;
        let changed = self.nearest_change(search, breakpoints, is_interrupted)?;
        let changed = match (changed, until) {
            (Some(changed), Some(until)) => {
                let (changed_at, until) = (self.calls.when_at(changed.at)?, self.calls.when_at(until)?);
                let is_before =
                    if direction == Direction::Back { changed_at > until } else { changed_at < until };
                is_before.then_some(changed)
            }
            (changed, _) => changed,
        };
        let stops = |breakpoint: &&mut Breakpoint| {
            breakpoint.request.log.is_none()
                && !matches!(breakpoint.request.place, BreakpointPlace::Changed(..))
        };
        let breakpoints: Vec<_> = breakpoints.all.iter_mut().filter(stops).collect();
        let mut hits = Hits { recording: self, breakpoints, until, is_interrupted };
        hits.count_hits()?;
        let found = match direction {
            Direction::Forward => hits.first_after(from)?,
            Direction::Back => hits.last_before(from)?,
        };
        let (Some(changed), Some(found)) = (&changed, &found) else { return Ok(found.or(changed)) };
        let calls = &mut self.calls;
        let is_later = calls.when_at(changed.at)? > calls.when_at(found.at)?;
        let wants_later = direction == Direction::Back;
        Ok(Some(if is_later == wants_later { changed } else { found }.clone()))
    }

    /// The nearest write to a variable with a breakpoint.
    fn nearest_change(
        &mut self,
        search: &Search,
        breakpoints: &mut Breakpoints,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<Hit>, PastError> {
        let mut nearest: Option<Hit> = None;
        for breakpoint in &mut breakpoints.all {
            let BreakpointPlace::Changed(variable, _) = breakpoint.request.place.clone() else { continue };
            let mut moment = self.moment(search.from)?;
            while let Some(found) = self.nearest_write(moment, search.direction, &variable)? {
                let at = found.at;
                moment = self.moment(at)?;
                let mut hits = Hits {
                    recording: &mut *self,
                    breakpoints: vec![&mut *breakpoint],
                    until: None,
                    is_interrupted,
                };
                let held = hits.holds(0, at)?;
                let Some(problem) = held else { continue };
                let hit = Hit { at, ids: vec![breakpoint.id], problem };
                let is_nearer = match &nearest {
                    None => true,
                    Some(known) => {
                        let is_later = self.calls.when_at(at)? > self.calls.when_at(known.at)?;
                        is_later == (search.direction == Direction::Back)
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
    pub fn first_after(&mut self, at: EventPosition) -> Result<Option<Hit>, PastError> {
        let (mut at, mut many, until) = (at, self.batch(), self.until);
        loop {
            let events = self.events(|calls, is_at| calls.matching_after(at, until, many, is_at))?;
            let Some(last) = events.last().copied() else { return Ok(None) };
            for event in events {
                if let Some(hit) = self.hit(event)? {
                    return Ok(Some(hit));
                }
            }
            at = last;
            many = (many * 2).min(MANY);
        }
    }

    /// The last hit of the thread before a position.
    pub fn last_before(&mut self, at: EventPosition) -> Result<Option<Hit>, PastError> {
        let (mut at, mut many, until) = (at, self.batch(), self.until);
        while many <= MANY {
            let events = self.events(|calls, is_at| calls.matching_before(at, until, many, is_at))?;
            let Some(first) = events.first().copied() else { return Ok(None) };
            if let Some(hit) = self.last_of(events)? {
                return Ok(Some(hit));
            }
            at = first;
            many *= 2;
        }
        let begin = until.unwrap_or_else(|| first_of_thread(&self.recording.calls, at));
        let (mut from, mut found) = (begin, None);
        loop {
            let events = self.events(|calls, is_at| calls.matching_after(from, Some(at), MANY, is_at))?;
            let Some(last) = events.last().copied() else { return Ok(found) };
            for event in events {
                found = self.hit(event)?.or(found);
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
    ) -> Result<Vec<EventPosition>, PastError> {
        if (self.is_interrupted)() {
            return Err(PastError::Interrupted);
        }
        if self.breakpoints.is_empty() {
            return Ok(Vec::new());
        }
        let breakpoints = &self.breakpoints;
        Ok(find(&mut self.recording.calls, &|calls, seen| {
            breakpoints.iter().any(|b| b.may_be_at(calls, seen))
        })?)
    }

    fn last_of(&mut self, events: Vec<EventPosition>) -> Result<Option<Hit>, PastError> {
        let mut found = None;
        if self.batch() == 1 {
            let last = events.last().copied();
            return match last {
                Some(last) => self.hit(last),
                None => Ok(None),
            };
        }
        for event in events {
            found = self.hit(event)?.or(found);
        }
        Ok(found)
    }

    /// The breakpoints that are hit at an event.
    fn hit(&mut self, at: EventPosition) -> Result<Option<Hit>, PastError> {
        let breakpoints = &self.breakpoints;
        let here = self.recording.calls.event_at(at, |calls, seen| {
            let is_at = |(_, b): &(usize, &&mut Breakpoint)| b.may_be_at(calls, seen);
            breakpoints.iter().enumerate().filter(is_at).map(|(index, _)| index).collect::<Vec<_>>()
        })?;
        let mut hit = Hit { at, ids: Vec::new(), problem: None };
        for index in here.unwrap_or_default() {
            let Some(problem) = self.holds(index, at)? else { continue };
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
    fn holds(&mut self, index: usize, at: EventPosition) -> Result<Option<Option<String>>, PastError> {
        let Some(breakpoint) = self.breakpoints.get_mut(index) else { return Ok(None) };
        if let BreakpointPlace::Thrown(thrown) = &breakpoint.request.place {
            let is_uncaught = is_uncaught(&mut self.recording.calls, at)?;
            let is_meant = if is_uncaught { thrown.uncaught } else { thrown.caught };
            let Recording { calls, code, .. } = &mut *self.recording;
            if !is_meant || !code.is_of_classes(calls, at, &thrown.classes)? {
                return Ok(None);
            }
        }
        let Some(condition) = breakpoint.request.condition.clone() else { return Ok(Some(None)) };
        let index = self.recording.code.index(&mut self.recording.calls, at)?;
        let Some(index) = index else { return Ok(Some(None)) };
        let compiled = match breakpoint.conditions.entry(index) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(self.recording.compile(at, &condition)?)
            }
        };
        let value = match compiled {
            Ok(compiled) => self.recording.value(at, compiled)?,
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
    fn count_hits(&mut self) -> Result<(), PastError> {
        for index in 0..self.breakpoints.len() {
            let wanted = self.breakpoints.get(index);
            let counts = wanted.is_some_and(|b| b.request.hits.is_some() && b.numbers.is_none());
            if !counts {
                continue;
            }
            let mut numbers = HashMap::new();
            for (thread, ..) in self.recording.calls.threads() {
                let mut number = 0;
                self.each_hit_of(index, thread, &mut |at| {
                    number += 1;
                    numbers.insert(at, number);
                    numbers.len() < COUNTED
                })?;
            }
            if numbers.len() >= COUNTED {
                let why =
                    format!("a hit count over more than {COUNTED} hits is not possible: add a condition");
                return Err(PastError::NoStep(why));
            }
            if let Some(breakpoint) = self.breakpoints.get_mut(index) {
                breakpoint.numbers = Some(numbers);
            }
        }
        Ok(())
    }

    /// Goes through the hits of one breakpoint in a thread, whatever its hit count, until `take` returns
    /// false.
    pub fn each_hit_of(
        &mut self,
        index: usize,
        thread: u32,
        take: &mut dyn FnMut(EventPosition) -> bool,
    ) -> Result<(), PastError> {
        let root = self.recording.calls.roots(thread).first().copied();
        let Some(mut at) = root.and_then(|root| self.recording.calls.entry(root)) else { return Ok(()) };
        let mut is_first = true;
        loop {
            if (self.is_interrupted)() {
                return Err(PastError::Interrupted);
            }
            let Some(breakpoint) = self.breakpoints.get(index) else { return Ok(()) };
            let mut events = self
                .recording
                .calls
                .matching_after(at, None, MANY, |calls, seen| breakpoint.may_be_at(calls, seen))?;
            if std::mem::take(&mut is_first)
                && self.recording.calls.event_at(at, |calls, seen| breakpoint.may_be_at(calls, seen))?
                    == Some(true)
            {
                events.insert(0, at);
            }
            let Some(last) = events.last().copied() else { return Ok(()) };
            for event in events {
                if self.holds(index, event)?.is_some() && !take(event) {
                    return Ok(());
                }
            }
            at = last;
        }
    }
}

/// Whether the exception that is thrown at an event leaves all recorded code.
pub(crate) fn is_uncaught(calls: &mut Calls, at: EventPosition) -> Result<bool, PastError> {
    let thrown =
        calls.event_at(at, |_, seen| throws(seen.site.what).then(|| seen.values.first().copied()))?;
    let Some(Some(Some(Value::Object(thrown)))) = thrown else { return Ok(false) };
    let node = root(calls, at.node);
    if calls.exit(node) != Exit::Threw {
        return Ok(false);
    }
    Ok(calls.call(node)?.and_then(|call| call.result) == Some(Value::Object(thrown)))
}
