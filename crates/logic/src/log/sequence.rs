//! All events of a log in order, with the variables that are visible at steps.

use super::derive::ThreadState;
use super::event::{DecodedBlock, EventSink, LogEvent};
use super::kind::Kind;
use super::reader::Log;
use super::variables::{VariableTables, Variables};
use past::Lines;
use std::collections::HashMap;
use std::ops::ControlFlow;
use trace::{BlockStep, Calls, TraceError, Traced, Value};

/// Reads a log from its beginning to its end. Each event is decoded once.
#[derive(Default)]
pub struct Sequence {
    threads: HashMap<u32, ThreadState>,
    /// The variables of open calls.
    locals: HashMap<u32, Variables>,
    tables: VariableTables,
    next: usize,
}

/// A block of events in order, with the variables at its steps.
#[derive(Default)]
pub struct SequenceBlock {
    /// The events.
    pub decoded: DecodedBlock,
    /// The variables at each step, in the order of the steps.
    pub locals: Vec<Vec<(String, Value)>>,
}

struct Sink<'a> {
    block: &'a mut SequenceBlock,
    locals: &'a HashMap<u32, Variables>,
    tables: &'a mut VariableTables,
    calls: &'a Calls,
    lines: &'a mut Lines,
}

impl EventSink for Sink<'_> {
    fn take(&mut self, event: LogEvent, object: Option<u32>, values: &[Value]) {
        if event.kind == Kind::Step {
            let table = self.tables.of(event.node, self.calls, self.lines);
            let locals = self.locals.get(&event.node);
            self.block.locals.push(locals.map(|locals| locals.visible(table.as_deref())).unwrap_or_default());
        }
        self.block.decoded.take(event, object, values);
    }
}

impl Sequence {
    /// The next block; `None` at the end. `lines` finds class files, which know where variables are visible.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn next(
        &mut self,
        calls: &mut Calls,
        lines: &mut Lines,
        log: &Log,
    ) -> Result<Option<SequenceBlock>, TraceError> {
        let index = log.index().clone();
        let Some(indexed) = index.block(self.next) else { return Ok(None) };
        self.next += 1;
        let thread = indexed.block.thread;
        let decoded = DecodedBlock::new(indexed.first, thread);
        let mut block = SequenceBlock { decoded, ..SequenceBlock::default() };
        let state = self.threads.entry(thread).or_insert_with(|| index.state(indexed, calls));
        let (locals, tables) = (&mut self.locals, &mut self.tables);
        let facts = log.facts();
        if indexed.begins_thread {
            let begins = BlockStep::Begins { from: indexed.block.from, is_first: true };
            let mut sink = Sink { block: &mut block, locals, tables, calls, lines };
            state.go(facts, calls, &begins, &mut sink);
        }
        calls.walk_block(&indexed.block, &mut |calls, step| {
            // A line begins before its step, and a call ends after its events.
            let own = match &step {
                BlockStep::Event(seen) => seen.node.map(|node| (node, seen)),
                _ => None,
            };
            if let Some((node, seen)) = own
                && matches!(seen.site.what, Traced::Line(_))
            {
                locals.entry(node).or_default().take(calls, seen);
            }
            state.go(facts, calls, &step, &mut Sink { block: &mut block, locals, tables, calls, lines });
            if let Some((node, seen)) = own {
                match seen.site.what {
                    Traced::Enter | Traced::Local { .. } => locals.entry(node).or_default().take(calls, seen),
                    Traced::Return | Traced::Leave => drop(locals.remove(&node)),
                    _ => {}
                }
            }
            ControlFlow::Continue(())
        })?;
        Ok(Some(block))
    }
}
