//! A dynamic slice (Korel & Laski 1988), by calls: which calls below one have influenced a value that it
//! left.
//!
//! Recordings have no reads. So the call and all below it are interpreted once more, event by event, with the
//! code of their methods in between (`interpreter`, `transfer`). Each value knows the values it was made of
//! (`graph`), and why it was stored, passed or returned: the branches that led there, by post-dominators
//! (`code`), and exceptions that were caught. It also knows the branches that led around a write to its place
//! (`potential_definitions`, kept in `definitions`). `frame` has the locals and operands of a call, `heap`
//! fields and elements, `effect` what methods of the JDK do, `call_targets` what they can call.
//!
//! No call that has influenced the value is left out. Where the object or element that was read is not known,
//! all writes to such fields and elements count. Where the receiver of a call is not known, all that it was
//! given counts. Code that was not recorded may have read and written everything. Where the recording does
//! not suffice even for that, the reason is given.
//!
//! A slice has no place for what a call should have done and did not. Its users must not leave out the other
//! calls.

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

use crate::classes::ClassPool;
use crate::trace::{Calls, HeldValue, WalkControl};
pub use error::SliceError;

use code::Codes;
use heap::Heap;
use interpreter::Replay;
use std::collections::BTreeSet;

/// So often it is gone through, to learn what fields held before.
const PASSES: usize = 4;
/// Of so many fields it is looked up what they held before, each time.
const LOOKED_UP: usize = 10_000;

/// So many events are gone through before it is asked whether somebody has interrupted it.
const AT_ONCE: u64 = 1 << 16;

/// A place whose value is meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// What the call returned, or the exception that left it.
    Exit,
    /// What a variable of it held at last.
    Variable(String),
    /// What an element held as it ended: the array, and the index.
    Element(u32, u32),
    /// What a field held as it ended: the object, 0 for static fields, its number if it is ever written, and
    /// its name.
    Field(u32, Option<u32>, String),
    /// What the JDK's collections held.
    Contents,
}

/// Why it cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost(pub &'static str);

/// The calls below one that have influenced what it left at some places; else why that cannot be told.
/// Whether all writes of the program were recorded: then what fields held before is known from that.
///
/// # Errors
/// The recording cannot be read, or somebody has interrupted it.
pub async fn influential(
    calls: &mut Calls,
    node: u32,
    pool: Option<&ClassPool>,
    targets: &[Target],
    is_whole: bool,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Result<BTreeSet<u32>, Lost>, SliceError> {
    let (Some(pool), Some(thread)) = (pool, calls.thread_number(node)) else {
        return Ok(Err(Lost("its class files are not there")));
    };
    let (begins, ends) = calls.span(node)?;
    if !begins.is_undisturbed_until(ends) {
        return Ok(Err(Lost("other threads have run meanwhile")));
    }
    let mut codes = Codes::new(calls, pool, node);
    let heap = Heap::new(codes.backs(calls));
    let mut replay = Replay::new(node, codes, heap);
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
            // Whoever listens for signals may be of the same thread.
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
            let held = match calls.held(object, part, begins)? {
                HeldValue::Value(value) => Some(interpreter::plain(value)),
                HeldValue::Unwritten | HeldValue::Unknown => None,
            };
            replay.heap.before.insert((object, part), held);
        }
        replay = replay.again();
    }
    let mut all = 0;
    for target in targets {
        let (graph, heap) = (&mut replay.graph, &mut replay.heap);
        let node = match target {
            Target::Exit => replay.exit,
            Target::Variable(name) => replay.variables.get(name).map_or(0, |(_, node)| *node),
            Target::Element(array, index) => heap.element_left(graph, *array, *index),
            Target::Field(object, number, name) => heap.field_left(graph, *object, *number, name),
            Target::Contents => heap.held(graph),
        };
        all = graph.join(all, node);
    }
    if replay.graph.is_full() {
        return Ok(Err(Lost("too much happens below it")));
    }
    Ok(Ok(replay.graph.calls(all)))
}
