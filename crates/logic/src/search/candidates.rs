//! Goes through the events that fit a pattern, in the order of their ids.

use super::access::{Access, DECODED};
use super::found::Found;
use super::parallel::ParallelScan;
use super::pattern::Pattern;
use super::prepared::Prepared;
use super::source::Source;
use crate::log::{DecodedBlock, Kind, LogEvent};
use past::PastError;
use std::sync::Arc;
use std::vec::IntoIter;
use trace::{EventTime, Value, WalkControl};

/// Where an event is: its thread, and its time.
type EventPlace = (u32, EventTime);

enum State {
    /// Events by their ids.
    Ids(IntoIter<u64>),
    /// Events of a kind by their places.
    Places(IntoIter<EventPlace>, Kind),
    /// The calls of one thread, by their numbers.
    Calls(u32, IntoIter<u32>),
    /// All events of blocks, on several threads. They come filtered.
    Parallel(Box<ParallelScan>),
    /// All events of blocks: the current block and the position in it, and the next block.
    Blocks { current: Option<(Arc<DecodedBlock>, usize)>, next: usize, end: usize },
}

/// The events that fit a pattern.
pub struct Candidates {
    prepared: Prepared,
    access: Access,
    state: State,
}

impl Candidates {
    /// Prepares the search.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn of(pattern: Pattern, source: &mut Source) -> Result<Candidates, PastError> {
        let prepared = Prepared::new(pattern, source);
        let access = Access::choose(&prepared, source)?;
        let state = match &access {
            Access::Nothing => State::Ids(Vec::new().into_iter()),
            Access::Event(id) => State::Ids(vec![*id].into_iter()),
            Access::Exit(call) => {
                State::Ids(exit_of(*call, source)?.into_iter().collect::<Vec<_>>().into_iter())
            }
            Access::LastExceptions(_) => State::Ids(last_exceptions(source)?.into_iter()),
            Access::Methods { exits, .. } => calls_of(&prepared, *exits, source),
            Access::Writes { object, fields, .. } => {
                State::Places(writes_to(*object, fields, source)?.into_iter(), Kind::SetField)
            }
            Access::Blocks { blocks, events } => {
                let index = source.log.index();
                let may_have =
                    |block: &usize| index.summary(*block).is_some_and(|block| prepared.may_have(&block));
                let of_it = || blocks.clone().filter(may_have).collect();
                match ParallelScan::start(&prepared, *events, of_it, source) {
                    Some(scan) => State::Parallel(Box::new(scan)),
                    None => State::Blocks { current: None, next: blocks.start, end: blocks.end },
                }
            }
        };
        Ok(Candidates { prepared, access, state })
    }

    /// The way by which the events are found.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The next event that fits.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn next(&mut self, source: &mut Source) -> Result<Option<Found>, PastError> {
        loop {
            let Some(found) = self.candidate(source)? else { return Ok(None) };
            if self.prepared.fits(found.id, &found.block, &found.event, source) {
                return Ok(Some(found));
            }
        }
    }

    fn candidate(&mut self, source: &mut Source) -> Result<Option<Found>, PastError> {
        match &mut self.state {
            State::Ids(ids) => {
                let Some(id) = ids.next() else { return Ok(None) };
                Ok(source.event(id)?.map(|(block, event)| Found { id, block, event }))
            }
            State::Places(places, kind) => {
                let kind = *kind;
                for (thread, when) in places.by_ref() {
                    if let Some(found) = at(source, thread, when, kind)? {
                        return Ok(Some(found));
                    }
                }
                Ok(None)
            }
            State::Calls(thread, nodes) => {
                let thread = *thread;
                for node in nodes.by_ref() {
                    let Some(when) = source.recording.calls.time_of_entry(node) else { continue };
                    if let Some(found) = at(source, thread, when, Kind::MethodCall)? {
                        return Ok(Some(found));
                    }
                }
                Ok(None)
            }
            State::Parallel(scan) => scan.next(),
            State::Blocks { .. } => self.in_blocks(source),
        }
    }

    fn in_blocks(&mut self, source: &mut Source) -> Result<Option<Found>, PastError> {
        let State::Blocks { current, next, end } = &mut self.state else { return Ok(None) };
        loop {
            if let Some((block, at)) = current {
                while let Some(event) = block.events.get(*at).copied() {
                    let id = block.first + u64::try_from(*at).unwrap_or(0);
                    *at += 1;
                    // Cheap tests come before the event leaves its block.
                    if self.prepared.fits(id, block, &event, source) {
                        return Ok(Some(Found { id, block: block.clone(), event }));
                    }
                }
            }
            *current = None;
            if *next >= *end {
                return Ok(None);
            }
            let number = *next;
            *next += 1;
            let of_it =
                source.log.index().summary(number).is_some_and(|block| self.prepared.may_have(&block));
            if of_it {
                let (calls, log) = source.parts();
                *current = Some((log.block(calls, number)?, 0));
            }
        }
    }
}

/// The event of a kind at a place.
fn at(source: &mut Source, thread: u32, when: EventTime, kind: Kind) -> Result<Option<Found>, PastError> {
    let (calls, log) = source.parts();
    let Some(id) = log.id_of(calls, thread, when, kind)? else { return Ok(None) };
    Ok(source.event(id)?.map(|(block, event)| Found { id, block, event }))
}

/// The id of the exit of a call.
fn exit_of(call: u64, source: &mut Source) -> Result<Option<u64>, PastError> {
    let Some((block, event)) = source.event(call)?.filter(|(_, event)| event.kind == Kind::MethodCall) else {
        return Ok(None);
    };
    let (calls, log) = source.parts();
    let Some(when) = event.call().and_then(|node| calls.time_of_end(node)) else { return Ok(None) };
    Ok(log.id_of(calls, block.thread, when, Kind::MethodExit)?)
}

/// The ids of the last exception of each thread, in order.
fn last_exceptions(source: &mut Source) -> Result<Vec<u64>, PastError> {
    let mut ids = Vec::new();
    for (thread, ..) in source.recording.calls.threads() {
        let index = source.log.index().clone();
        let has_one = |number: &usize| {
            index.summary(*number).is_some_and(|block| block.kinds & Kind::Exception.bit() != 0)
        };
        // A handler for uncaught exceptions can throw and catch others.
        let ended_by = source.recording.calls.ends.get(&thread).map_or(0, |end| end.exception);
        for number in index.of_thread(thread).rev().filter(has_one) {
            let (calls, log) = source.parts();
            let block = log.block(calls, number)?;
            let is_it = |event: &LogEvent| {
                let thrown = || block.values(event).first() == Some(&Value::Object(ended_by));
                event.kind == Kind::Exception && (ended_by == 0 || thrown())
            };
            let last = (block.first..).zip(&block.events).filter(|(_, event)| is_it(event)).last();
            ids.extend(last.map(|(id, _)| id));
            if last.is_some() || ended_by == 0 {
                break;
            }
        }
    }
    ids.sort_unstable();
    Ok(ids)
}

/// The calls of the methods of a pattern, or their exits.
fn calls_of(prepared: &Prepared, exits: bool, source: &Source) -> State {
    let (calls, index) = (&source.recording.calls, source.log.index());
    let (first, last) = (
        index.of_id(prepared.pattern.ids.start).unwrap_or(0),
        index.of_id(prepared.pattern.ids.end.min(index.count()).saturating_sub(1)).unwrap_or(0),
    );
    let threads = calls.threads().into_iter().map(|(thread, ..)| thread);
    let threads = threads.filter(|thread| prepared.threads.as_ref().is_none_or(|all| all.contains(thread)));
    let mut of_threads: Vec<(u32, Vec<u32>)> = Vec::new();
    for thread in threads {
        let methods = prepared.methods.iter().flatten();
        let mut nodes: Vec<u32> = methods.flat_map(|method| calls.of_method(*method, thread)).collect();
        if !nodes.is_empty() {
            nodes.sort_unstable();
            of_threads.push((thread, nodes));
        }
    }
    let block = |thread: u32, when: EventTime| index.at(thread, when).unwrap_or(0);
    if !exits && let [(thread, nodes)] = of_threads.as_mut_slice() {
        // The entries of a thread's calls are in the order of their numbers.
        let of = |node: &u32| calls.time_of_entry(*node).map_or(0, |when| block(*thread, when));
        let from = nodes.partition_point(|node| of(node) < first);
        let to = nodes.partition_point(|node| of(node) <= last);
        let nodes = nodes.get(from..to).unwrap_or_default().to_vec();
        let blocks = || nodes.iter().map(of).collect();
        if let Some(scan) = parallel(prepared, nodes.len(), blocks, source) {
            return scan;
        }
        return State::Calls(*thread, nodes.into_iter());
    }
    let mut places: Vec<(usize, EventPlace)> = Vec::new();
    for (thread, nodes) in of_threads {
        let times = nodes.into_iter().filter_map(|node| match exits {
            true => calls.time_of_end(node),
            false => calls.time_of_entry(node),
        });
        let of_it = times.map(|when| (block(thread, when), (thread, when)));
        places.extend(of_it.filter(|(block, _)| (first..=last).contains(block)));
    }
    // A block has the events of one thread.
    places.sort_unstable_by_key(|(block, (_, when))| (*block, when.place_in_thread()));
    let blocks = || places.iter().map(|(block, _)| *block).collect();
    if let Some(scan) = parallel(prepared, places.len(), blocks, source) {
        return scan;
    }
    let places: Vec<EventPlace> = places.into_iter().map(|(_, place)| place).collect();
    State::Places(places.into_iter(), if exits { Kind::MethodExit } else { Kind::MethodCall })
}

/// Searches the blocks of some places on several threads, if there are many. The blocks are in order.
fn parallel(
    prepared: &Prepared,
    places: usize,
    blocks: impl FnOnce() -> Vec<usize>,
    source: &Source,
) -> Option<State> {
    // Most places have a block of their own.
    let events = u64::try_from(places).unwrap_or(u64::MAX).saturating_mul(DECODED);
    let blocks = || {
        let mut blocks = blocks();
        blocks.dedup();
        blocks
    };
    ParallelScan::start(prepared, events, blocks, source).map(|scan| State::Parallel(Box::new(scan)))
}

/// The writes to some fields of an object, in order.
fn writes_to(object: u32, fields: &[u32], source: &mut Source) -> Result<Vec<EventPlace>, PastError> {
    let calls = source.calls();
    let mut places = Vec::new();
    for part in fields {
        for row in calls.write_rows(object, *part)? {
            let writes = calls.writes_in(row);
            calls.each_write(writes, |calls, seen| {
                if let Some(thread) = calls.thread_at(seen.when()) {
                    places.push((thread, seen.when()));
                }
                WalkControl::Next
            })?;
        }
    }
    places.sort_unstable_by_key(|(_, when)| *when);
    Ok(places)
}
