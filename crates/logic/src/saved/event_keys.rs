//! Keys of events: an event is the n-th of its kind for its method, field or class in its thread. A step is
//! the n-th at its line.

use super::keys::EventKey;
use super::run_names::RunNames;
use crate::error::LogicError;
use crate::log::{BlockSummary, Kind};
use past::PastError;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use trace::TraceError;

/// What is counted: thread, kind, subject, and of a step the line.
type Counted = (u32, Kind, Option<Arc<str>>, u16);

/// The keys of events. Calls and exits come from the index of their method, the others from one pass over the
/// events of their kinds.
///
/// # Errors
/// The events cannot be read, or `goes_on` stopped the work.
pub(super) fn events(
    wanted: &BTreeSet<u64>,
    names: &mut RunNames<'_>,
    goes_on: &dyn Fn() -> bool,
) -> Result<BTreeMap<u64, EventKey>, LogicError> {
    let mut keys = BTreeMap::new();
    let counted = add_calls(wanted, names, &mut keys)?;
    if !counted.ids.is_empty() {
        add_counted(&counted, names, goes_on, &mut keys)?;
    }
    Ok(keys)
}

/// The events whose keys need a pass over the events of their kinds.
#[derive(Default)]
struct CountedEvents {
    ids: BTreeSet<u64>,
    /// Their kinds, one bit each.
    kinds: u16,
    /// The last one's id.
    last: u64,
}

/// Adds the keys of calls and exits. Returns the other events.
fn add_calls(
    wanted: &BTreeSet<u64>,
    names: &mut RunNames<'_>,
    keys: &mut BTreeMap<u64, EventKey>,
) -> Result<CountedEvents, LogicError> {
    let mut counted = CountedEvents::default();
    let mut of_methods: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
    for id in wanted {
        let Some((block, event)) = names.source.event(*id)? else { continue };
        let is_call = matches!(event.kind, Kind::MethodCall | Kind::MethodExit);
        let calls = &names.source.recording.calls;
        let method =
            event.call().filter(|_| is_call).and_then(|node| Some((node, calls.method_number(node)?)));
        let Some((node, method)) = method else {
            counted.kinds |= event.kind.bit();
            counted.last = counted.last.max(*id);
            counted.ids.insert(*id);
            continue;
        };
        let of_method =
            of_methods.entry((method, block.thread)).or_insert_with(|| calls.of_method(method, block.thread));
        let ordinal = of_method.partition_point(|other| *other < node) + 1;
        let key = EventKey {
            thread: names.thread(block.thread).to_owned(),
            kind: event.kind.functor().to_owned(),
            of: names.method(method).map(|of| of.to_string()),
            at: None,
            ordinal: u64::try_from(ordinal).unwrap_or(u64::MAX),
        };
        keys.insert(*id, key);
    }
    Ok(counted)
}

/// Adds the keys of events that are counted.
fn add_counted(
    counted: &CountedEvents,
    names: &mut RunNames<'_>,
    goes_on: &dyn Fn() -> bool,
    keys: &mut BTreeMap<u64, EventKey>,
) -> Result<(), LogicError> {
    let CountedEvents { ids, kinds, last } = counted;
    let mut counts: HashMap<Counted, u64> = HashMap::new();
    let index = names.source.log.index().clone();
    for number in 0..index.blocks() {
        let Some(BlockSummary { thread, kinds: of_block, .. }) = index.summary(number) else { break };
        if of_block & kinds == 0 {
            continue;
        }
        if !goes_on() {
            return Err(LogicError::Past(PastError::from(TraceError::Interrupted)));
        }
        let (calls, log) = names.source.parts();
        let block = log.block(calls, number)?;
        if block.first > *last {
            break;
        }
        for (id, event) in (block.first..).zip(&block.events) {
            if event.kind.bit() & kinds == 0 {
                continue;
            }
            let of = names.subject(&block, event);
            let step = names.step(event);
            let group = step.map_or(0, |(method, line)| names.group(method, line));
            let count = counts.entry((thread, event.kind, of.clone(), group)).or_default();
            *count += 1;
            if ids.contains(&id) {
                let key = EventKey {
                    ordinal: *count,
                    thread: names.thread(thread).to_owned(),
                    kind: event.kind.functor().to_owned(),
                    of: of.map(|of| of.to_string()),
                    at: step.map(|(method, line)| names.line(method, line)),
                };
                keys.insert(id, key);
            }
        }
    }
    Ok(())
}

/// The id of the event with a key.
///
/// # Errors
/// The events cannot be read.
pub(super) fn event_with(key: &EventKey, names: &mut RunNames<'_>) -> Result<Option<u64>, LogicError> {
    let Some(kind) = Kind::named(&key.kind) else { return Ok(None) };
    let index = names.source.log.index().clone();
    let mut count = 0;
    for number in 0..index.blocks() {
        let Some(BlockSummary { thread, kinds, .. }) = index.summary(number) else { break };
        if kinds & kind.bit() == 0 || names.thread(thread) != key.thread {
            continue;
        }
        let (calls, log) = names.source.parts();
        let block = log.block(calls, number)?;
        for (id, event) in (block.first..).zip(&block.events) {
            if event.kind != kind || names.subject(&block, event).as_deref() != key.of.as_deref() {
                continue;
            }
            if kind == Kind::MethodExit {
                // An exit has the ordinal of its call.
                let ordinal = event.call().and_then(|node| names.source.recording.calls.ordinal(node));
                if ordinal.and_then(|ordinal| u64::try_from(ordinal + 1).ok()) == Some(key.ordinal) {
                    return Ok(Some(id));
                }
                continue;
            }
            if let (Some(at), Some((method, line))) = (&key.at, names.step(event))
                && !at.is_same(&names.line(method, line))
            {
                continue;
            }
            count += 1;
            if count == key.ordinal {
                return Ok(Some(id));
            }
        }
    }
    Ok(None)
}
