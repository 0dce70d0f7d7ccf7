//! Dynamic slices (Korel & Laski 1988) at the granularity of calls: the calls below a call that have
//! influenced a value it left.
//!
//! Recordings contain no reads. So the call and all calls below it are interpreted again, event by event,
//! together with the bytecode between the events (`interpreter`, `transfer`). Each value depends on the
//! values it was computed from (`graph`). It also depends on the reasons why it was stored, passed or
//! returned: the branches taken, by post-dominators (`code`), and the exceptions caught. Finally, it depends
//! on branches that bypassed a write to its location (`potential_definitions`, stored in `definitions`).
//! `frame` holds the locals and operands of a call, `heap` the fields and elements, and `uses` when these
//! were read. `effect` describes what JDK methods do, `call_targets` what they can call.
//!
//! The slice is conservative: it contains every call that has influenced the value. If the object or element
//! of a read is unknown, all writes to such fields and elements count. If the caller of a method is unknown,
//! everything that it could have passed counts. Unrecorded code may have read and written everything. If the
//! recording is not sufficient even for that, the reason is returned.
//!
//! A slice cannot contain omissions: actions that a call should have taken but did not. So callers must keep
//! the other calls.

mod call_targets;
mod code;
mod definitions;
mod error;
mod frame;
mod graph;
mod heap;
mod interpreter;
mod potential_definitions;
pub mod stretch;
mod transfer;
mod uses;

use classes::ClassPool;
pub use error::SliceError;
use trace::{Calls, Value, WalkControl};
pub use uses::{PartUses, Use};

use code::Codes;
use frame::AssertionCall;
use graph::{Graph, Node};
use heap::Heap;
use interpreter::Replay;
use std::collections::{BTreeSet, HashMap};

/// Maximum number of passes. Each pass looks up earlier values of more fields.
const PASSES: usize = 4;
/// Maximum number of fields whose earlier values are looked up after each pass.
const LOOKED_UP: usize = 10_000;

/// Number of events to process between two checks for an interrupt.
const AT_ONCE: u64 = 1 << 16;

/// A location whose value the slice explains.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// The result of the call, or the exception that left it.
    Exit,
    /// The final value of a local variable of the call.
    Variable(String),
    /// The value of an array element when the call ended: the array and the index.
    Element(u32, u32),
    /// The value of a field when the call ended: the object (0 for static fields), the field's number if it
    /// is ever written, and its name.
    Field(u32, Option<u32>, String),
    /// The contents of the JDK's collections, and the texts of its builders.
    Contents,
    /// What was printed.
    Output,
    /// The value that the failed assertion examined.
    Asserted,
}

/// The assertion of a test framework that failed in a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FailedAssertion {
    /// The index of the instruction that called it.
    pub pc: u32,
    /// The position of the argument that it examined, from 0.
    pub argument: usize,
    /// The value that it examined, if that is known.
    pub value: Option<Value>,
    /// The position of the argument with which it compared that value, if it takes one, and its value as far
    /// as it is known.
    pub expected: Option<(usize, Option<Value>)>,
}

/// Why no slice can be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost(pub &'static str);

/// What influenced some values.
pub struct Slice {
    /// The calls below the call that was interpreted.
    pub calls: BTreeSet<u32>,
    /// When fields and elements were read on the way to the values; `None` if too many were read to note it.
    pub uses: Option<PartUses>,
}

/// A call, interpreted to its end.
pub struct Sliced {
    graph: Graph,
    heap: Heap,
    variables: HashMap<String, (u16, Node)>,
    exit: Node,
    asserted: Option<AssertionCall>,
}

impl Sliced {
    /// Interprets a call, and finds the assertion that failed in `asserting`, which is this call or one below
    /// it. Returns the reason if the call cannot be interpreted. `is_whole` states that all writes of the
    /// program's own code were recorded; earlier values of its fields are then known.
    ///
    /// # Errors
    /// The recording cannot be read, or the user interrupted.
    pub async fn new(
        calls: &mut Calls,
        node: u32,
        asserting: Option<u32>,
        pool: Option<&ClassPool>,
        is_whole: bool,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Result<Sliced, Lost>, SliceError> {
        let (Some(pool), Some(thread)) = (pool, calls.thread_number(node)) else {
            return Ok(Err(Lost("its class files are missing")));
        };
        let (begins, ends) = calls.span(node)?;
        if !begins.is_undisturbed_until(ends) {
            return Ok(Err(Lost("other threads have run meanwhile")));
        }
        let mut codes = Codes::new(calls, pool, node);
        let heap = Heap::new(codes.backs(calls));
        let mut replay = Replay::new(node, codes, heap);
        replay.asserting = asserting;
        for pass in 1.. {
            let mut lost = None;
            let mut goes_on = Some(None);
            while let Some(from) = goes_on {
                goes_on = calls
                    .walk_on(thread, node, from, AT_ONCE, |calls, seen| {
                        lost = replay.take(calls, seen).err();
                        if lost.is_some() { WalkControl::Stop } else { WalkControl::Next }
                    })?
                    .map(Some);
                if let Some(lost) = lost {
                    return Ok(Err(lost));
                }
                // The listener for signals may share this thread.
                tokio::task::yield_now().await;
                if is_stopped() {
                    return Err(SliceError::Interrupted);
                }
            }
            let missed: Vec<(u32, u32)> = replay.heap.missed.iter().copied().take(LOOKED_UP).collect();
            if pass >= PASSES || !is_whole || !replay.heap.guessed || missed.is_empty() {
                break;
            }
            for (object, part) in missed {
                let held = calls.held(object, part, begins)?.value().map(interpreter::plain);
                replay.heap.before.insert((object, part), held);
            }
            replay = replay.again();
        }
        let Replay { graph, heap, variables, exit, asserted, .. } = replay;
        Ok(Ok(Sliced { graph, heap, variables, exit, asserted }))
    }

    /// The assertion that failed; `None` if the exception has another origin, or if the assertion examined
    /// nothing.
    pub fn failed_assertion(&self) -> Option<FailedAssertion> {
        let AssertionCall { pc, examined, expected } = self.asserted?;
        let (argument, val) = examined?;
        let expected = expected.map(|(at, val)| (at, val.known));
        Some(FailedAssertion { pc, argument, value: val.known, expected })
    }

    /// What influenced the values at some locations, or why it is not known.
    ///
    /// # Errors
    /// [`Lost`] if the analysis needs too much memory.
    pub fn slice(&mut self, targets: &[Target]) -> Result<Slice, Lost> {
        let mut all = 0;
        for target in targets {
            let (graph, heap) = (&mut self.graph, &mut self.heap);
            let node = match target {
                Target::Exit => self.exit,
                Target::Variable(name) => self.variables.get(name).map_or(0, |(_, node)| *node),
                Target::Element(array, index) => heap.element_left(graph, *array, *index),
                Target::Field(object, number, name) => heap.field_left(graph, *object, *number, name),
                Target::Contents => heap.held(graph),
                Target::Output => heap.output(graph),
                Target::Asserted => {
                    let examined = self.asserted.and_then(|asserted| asserted.examined);
                    examined.map_or(0, |(_, val)| val.node)
                }
            };
            all = graph.join(all, node);
        }
        if self.graph.is_full() {
            return Err(Lost("the calls below it need too much memory to analyse"));
        }
        let slice = self.graph.slice(all);
        let uses = self.heap.uses.in_slice(|node| slice.holds(node));
        Ok(Slice { calls: slice.calls, uses })
    }
}
