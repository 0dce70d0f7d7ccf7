//! All events of a log in order, with the variables that are visible at steps.

use super::derive::ThreadState;
use super::event::{DecodedBlock, EventSink, LogEvent};
use super::kind::Kind;
use super::reader::Log;
use crate::trace::{BlockStep, Calls, TraceError, Traced, TracedEvent, Value};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Named values.
type Variables = Vec<(String, Value)>;

/// Reads a log from its beginning to its end. Each event is decoded once.
#[derive(Default)]
pub struct Sequence {
    threads: HashMap<u32, ThreadState>,
    /// The variables of open calls.
    locals: HashMap<u32, Variables>,
    next: usize,
}

/// A block of events in order, with the variables at its steps.
#[derive(Default)]
pub struct SequenceBlock {
    /// The events.
    pub decoded: DecodedBlock,
    /// The variables at each step, in the order of the steps.
    pub locals: Vec<Variables>,
}

struct Sink<'a> {
    block: &'a mut SequenceBlock,
    locals: &'a HashMap<u32, Variables>,
}

impl EventSink for Sink<'_> {
    fn take(&mut self, event: LogEvent, object: Option<u32>, values: &[Value]) {
        if event.kind == Kind::Step {
            self.block.locals.push(self.locals.get(&event.node).cloned().unwrap_or_default());
        }
        self.block.decoded.take(event, object, values);
    }
}

impl Sequence {
    /// The next block; `None` at the end.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn next(&mut self, calls: &mut Calls, log: &Log) -> Result<Option<SequenceBlock>, TraceError> {
        let index = log.index().clone();
        let Some(indexed) = index.block(self.next) else { return Ok(None) };
        self.next += 1;
        let thread = indexed.block.thread;
        let decoded = DecodedBlock::new(indexed.first, thread);
        let mut block = SequenceBlock { decoded, ..SequenceBlock::default() };
        let state = self.threads.entry(thread).or_insert_with(|| index.state(indexed, calls));
        let locals = &mut self.locals;
        let facts = log.facts();
        if indexed.begins_thread {
            let begins = BlockStep::Begins { from: indexed.block.from, is_first: true };
            state.go(facts, calls, &begins, &mut Sink { block: &mut block, locals });
        }
        calls.walk_block(&indexed.block, &mut |calls, step| {
            state.go(facts, calls, &step, &mut Sink { block: &mut block, locals });
            if let BlockStep::Event(seen) = step {
                advance(locals, calls, seen);
            }
            ControlFlow::Continue(())
        })?;
        Ok(Some(block))
    }
}

/// Takes over what an event says of the variables of its call.
fn advance(locals: &mut HashMap<u32, Variables>, calls: &Calls, seen: &TracedEvent<'_>) {
    let Some(node) = seen.node else { return };
    match seen.site.what {
        Traced::Enter if !seen.is_around => {
            let Some(method) = calls.sites.method(seen.site.method) else { return };
            let arguments = seen.values.len().saturating_sub(method.parameters.len());
            let values = seen.values.iter().skip(arguments);
            let named = method.parameters.iter().zip(values);
            let named = named.filter_map(|(name, value)| Some((name.clone()?, *value)));
            locals.insert(node, named.collect());
        }
        Traced::Local { .. } => {
            if let (Some(written), Some(value)) = (&seen.site.written, seen.values.first()) {
                let held = locals.entry(node).or_default();
                match held.iter_mut().find(|(name, _)| *name == written.name) {
                    Some((_, known)) => *known = *value,
                    None => held.push((written.name.clone(), *value)),
                }
            }
        }
        Traced::Return | Traced::Leave => {
            locals.remove(&node);
        }
        _ => {}
    }
}
