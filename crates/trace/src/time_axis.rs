//! A common time axis for the threads of a recording, for pictures. Time is measured in bytes of recorded
//! events, so that every part of a run in which much happened has room.

use super::calls::Calls;
use super::cursor::EventPosition;
use super::error::TraceError;
use super::event_time::ChunkOffset;
use super::walk::WalkControl;
use std::ops::ControlFlow;

/// Up to this size, in bytes, the threads of a recording are interleaved turn by turn. The events of larger
/// recordings would take too long to read; their threads are interleaved chunk by chunk.
const READ: u64 = 16 << 20;

/// A part of a thread's events that no events of other threads interrupt, as far as the axis knows.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    thread: u32,
    chunk: u32,
    from: u32,
    to: u32,
    /// Bytes of all threads before it.
    before: u64,
}

/// The time axis of a recording. Times are fractions of the run, from 0 to 1.
pub struct TimeAxis {
    /// In the order of chunks and of bytes in them.
    stretches: Vec<Stretch>,
    /// Bytes of all events.
    all: u64,
}

impl TimeAxis {
    /// The axis of a recording.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn of(calls: &mut Calls) -> Result<TimeAxis, TraceError> {
        let threads: Vec<u32> = calls.threads().into_iter().map(|(number, ..)| number).collect();
        let is_small = threads.len() > 1 && calls.bytes <= READ;
        let mut found: Vec<((u64, ChunkOffset), Stretch)> = Vec::new();
        for thread in threads {
            if is_small {
                let blocks = calls.blocks_of(thread, &mut |_, _| ControlFlow::Continue(()))?;
                for block in blocks {
                    let ((chunk, from), (_, to)) =
                        (block.from.place_in_thread(), block.end().place_in_thread());
                    let to = to.min(calls.length_of_chunk(chunk));
                    let stretch = Stretch { thread, chunk, from, to, before: 0 };
                    found.push(((block.turn(), (chunk, from)), stretch));
                }
            } else {
                for chunk in calls.chunks_of(thread) {
                    let (turn, ..) = calls.beginning(chunk);
                    let to = calls.length_of_chunk(chunk);
                    found.push(((turn, (chunk, 0)), Stretch { thread, chunk, from: 0, to, before: 0 }));
                }
            }
        }
        found.sort_by_key(|(when, _)| *when);
        let mut all = 0;
        let mut stretches: Vec<Stretch> = Vec::with_capacity(found.len());
        for (_, stretch) in found {
            stretches.push(Stretch { before: all, ..stretch });
            all += u64::from(stretch.to.saturating_sub(stretch.from));
        }
        stretches.sort_by_key(|stretch| (stretch.chunk, stretch.from));
        Ok(TimeAxis { stretches, all })
    }

    /// The time of an event.
    pub fn fraction(&self, at: EventPosition) -> f64 {
        self.fraction_of(at.place())
    }

    fn fraction_of(&self, (chunk, byte): ChunkOffset) -> f64 {
        let next = self.stretches.partition_point(|of| (of.chunk, of.from) <= (chunk, byte));
        let Some(stretch) = next.checked_sub(1).and_then(|at| self.stretches.get(at)) else { return 0.0 };
        let inside = match stretch.chunk == chunk {
            true => byte.min(stretch.to).saturating_sub(stretch.from),
            false => stretch.to.saturating_sub(stretch.from),
        };
        portion(stretch.before + u64::from(inside), self.all)
    }

    /// The innermost call of a thread at a time; `None` if the thread is in no recorded call then.
    pub fn call_at(&self, calls: &Calls, thread: u32, fraction: f64) -> Option<u32> {
        calls.innermost_at(thread, self.place(thread, fraction)?)
    }

    /// The place in a thread's events at a time; `None` before the thread's first event.
    fn place(&self, thread: u32, fraction: f64) -> Option<ChunkOffset> {
        let when = bytes(fraction, self.all);
        let of_thread = self.stretches.iter().filter(|of| of.thread == thread && of.before <= when);
        let stretch = of_thread.max_by_key(|of| of.before)?;
        let inside = u32::try_from(when - stretch.before).unwrap_or(u32::MAX);
        Some((stretch.chunk, stretch.from.saturating_add(inside).min(stretch.to)))
    }

    /// The events of a thread between two times, if they are at most `limit`; otherwise none.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn events_between(
        &self,
        calls: &mut Calls,
        thread: u32,
        from: f64,
        to: f64,
        limit: usize,
    ) -> Result<Vec<EventPosition>, TraceError> {
        let begins = self.place(thread, from).unwrap_or((0, 0));
        let Some(ends) = self.place(thread, to) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        calls.walk_from(thread, begins, |_, seen| {
            if seen.place > ends || found.len() > limit {
                return WalkControl::Stop;
            }
            found.extend(seen.position());
            WalkControl::Next
        })?;
        if found.len() > limit {
            found.clear();
        }
        Ok(found)
    }
}

/// A part as a fraction. Fractions of pictures need no more precision than that of `f64`.
#[allow(clippy::cast_precision_loss)]
fn portion(part: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

/// The part that a fraction means.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn bytes(fraction: f64, all: u64) -> u64 {
    (fraction.clamp(0.0, 1.0) * all as f64) as u64
}

impl Calls {
    /// Size of a chunk's events, in bytes.
    fn length_of_chunk(&self, chunk: u32) -> u32 {
        self.source.chunk(chunk).map_or(0, |chunk| chunk.length)
    }
}
