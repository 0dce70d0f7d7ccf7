//! Ways to the events that can fit a pattern.

use super::pattern::Owner;
use super::prepared::Prepared;
use super::source::Source;
use crate::log::Kind;
use past::PastError;
use std::fmt;
use std::ops::Range;
use trace::TraceError;

/// Cost of looking up one event in a decoded block, with the cost of visiting an event of a block as the
/// unit.
const LOOK_UP: u64 = 10;
/// Number of events that are decoded for one that is looked up, unless their block is decoded already.
pub(super) const DECODED: u64 = 1_000;

/// A way to the events that can fit a pattern, with the number of events that it visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// No event can fit.
    Nothing,
    /// One event, by its id.
    Event(u64),
    /// The exit of a call, by the call's id.
    Exit(u64),
    /// The last exception of each thread: only that one can have ended it. With the number of threads.
    LastExceptions(u64),
    /// The calls of methods, or their exits.
    Methods {
        /// Whether the exits are visited, not the calls.
        exits: bool,
        /// Number of methods.
        methods: usize,
        /// Number of calls.
        calls: u64,
    },
    /// The writes to fields of one object, or to static fields (object 0).
    Writes {
        /// The number of the object.
        object: u32,
        /// The numbers of the fields.
        fields: Vec<u32>,
        /// Number of writes.
        writes: u64,
    },
    /// The blocks of the log, as far as they have events of the right kinds.
    Blocks {
        /// The numbers of the blocks.
        blocks: Range<usize>,
        /// Number of events in them.
        events: u64,
    },
}

impl Access {
    /// Chooses the cheapest way.
    pub(super) fn choose(prepared: &Prepared, source: &Source) -> Result<Access, PastError> {
        let pattern = &prepared.pattern;
        let index = source.log.index();
        let ids = pattern.ids.start..pattern.ids.end.min(index.count());
        if ids.is_empty() || prepared.threads.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Access::Nothing);
        }
        if ids.end - ids.start == 1 {
            return Ok(Access::Event(ids.start));
        }
        let only = |kind: Kind| prepared.kinds == kind.bit();
        if let (Some(call), true) = (pattern.call, only(Kind::MethodExit)) {
            return Ok(Access::Exit(call));
        }
        if pattern.uncaught && only(Kind::Exception) {
            let threads = source.recording.calls.threads().len();
            return Ok(Access::LastExceptions(u64::try_from(threads).unwrap_or(u64::MAX)));
        }
        let scan = Access::blocks(prepared, source, &ids);
        let mut best = scan;
        if let Some(methods) =
            prepared.methods.as_ref().filter(|_| only(Kind::MethodCall) || only(Kind::MethodExit))
        {
            let calls = &source.recording.calls;
            let threads: Vec<u32> = calls.threads().into_iter().map(|(thread, ..)| thread).collect();
            let of = |thread: &u32| prepared.threads.as_ref().is_none_or(|all| all.contains(thread));
            let count = threads.iter().filter(|thread| of(thread)).map(|thread| {
                methods.iter().map(|method| calls.count_of_method(*method, *thread)).sum::<u64>()
            });
            let found =
                Access::Methods { exits: only(Kind::MethodExit), methods: methods.len(), calls: count.sum() };
            best = Access::cheaper(found, best, index.count());
        }
        if only(Kind::SetField) {
            let object = match &pattern.owner {
                Owner::Object { number: Some(number), .. } => {
                    Some(source.recording.calls.objects.own(*number))
                }
                Owner::Class(_) if pattern.name.is_some() => Some(0),
                _ => None,
            };
            if let Some(object) = object {
                best = Access::cheaper(Access::writes(prepared, source, object)?, best, index.count());
            }
        }
        Ok(best)
    }

    fn writes(prepared: &Prepared, source: &Source, object: u32) -> Result<Access, TraceError> {
        let calls = &source.recording.calls;
        let wanted = prepared.pattern.name.as_ref();
        let mut fields = Vec::new();
        let (mut at, mut writes) = (calls.part_from(object, 0)?, 0);
        while let Some(part) = at {
            let field = usize::try_from(part).ok().and_then(|part| calls.fields().get(part));
            if field.is_some_and(|(_, name)| wanted.is_none_or(|wanted| name == wanted)) {
                fields.push(part);
                let rows = calls.write_rows(object, part)?;
                writes += rows.map(|row| u64::from(calls.writes_in(row).count)).sum::<u64>();
            }
            at = match part.checked_add(1) {
                Some(part) => calls.part_from(object, part)?,
                None => None,
            };
        }
        Ok(Access::Writes { object, fields, writes })
    }

    fn blocks(prepared: &Prepared, source: &Source, ids: &Range<u64>) -> Access {
        let index = source.log.index();
        let first = index.of_id(ids.start).unwrap_or(0);
        let last = ids.end.checked_sub(1).and_then(|last| index.of_id(last)).map_or(0, |last| last + 1);
        let events = (first..last).filter_map(|block| index.summary(block));
        let events = events.filter(|block| prepared.may_have(block));
        let events = events.map(|block| u64::from(block.count)).sum::<u64>().min(ids.end - ids.start);
        Access::Blocks { blocks: first..last, events }
    }

    fn cheaper(one: Access, other: Access, all: u64) -> Access {
        if one.cost(all) <= other.cost(all) { one } else { other }
    }

    /// Number of events that this way visits.
    pub fn candidates(&self) -> u64 {
        match self {
            Access::Nothing => 0,
            Access::Event(_) | Access::Exit(_) => 1,
            Access::LastExceptions(threads) => *threads,
            Access::Methods { calls, .. } => *calls,
            Access::Writes { writes, .. } => *writes,
            Access::Blocks { events, .. } => *events,
        }
    }

    /// The cost in a log with this number of events.
    fn cost(&self, all: u64) -> u64 {
        match self {
            Access::Blocks { events, .. } => *events,
            other => {
                let found = other.candidates();
                found.saturating_mul(DECODED).min(all).saturating_add(found.saturating_mul(LOOK_UP))
            }
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Access::Nothing => write!(f, "no event can fit"),
            Access::Event(id) => write!(f, "event {id}"),
            Access::Exit(call) => write!(f, "the exit of call {call}"),
            Access::LastExceptions(threads) => write!(f, "the last exceptions of {threads} threads"),
            Access::Methods { exits, methods, calls } => {
                let what = if *exits { "exits" } else { "calls" };
                write!(f, "index of methods: {calls} {what} of {methods} methods")
            }
            Access::Writes { object: 0, writes, .. } => {
                write!(f, "index of writes: {writes} to static fields")
            }
            Access::Writes { writes, .. } => write!(f, "index of writes: {writes} to one object"),
            Access::Blocks { events, .. } => write!(f, "all {events} events in question"),
        }
    }
}
