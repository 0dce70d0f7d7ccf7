//! Reads chunks with several threads, and passes on the results in order.

use crate::TraceError;
use crate::source::Source;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Maximum number of reading threads.
const MOST: usize = 4;
/// Number of results of a thread that may wait.
const AHEAD: usize = 1;

/// What is done with each chunk.
pub trait ChunkWork {
    /// The result of a chunk. Its memory is used again.
    type Result: Default + Send;
    /// Reads the events of a chunk.
    fn work(&mut self, number: u32, events: &[u8], buffer: Self::Result) -> Self::Result;
}

/// The number of threads that read chunks.
fn threads(chunks: usize) -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get).clamp(1, MOST).min(chunks.max(1))
}

/// Passes each chunk to one of several workers, and their results in the given order to `take`, which returns
/// a result when it needs it no more. `take` gets `None` for a chunk whose checksum differs.
///
/// # Errors
/// The events cannot be read, or `take` fails.
pub fn each_chunk<W: ChunkWork>(
    source: &Source,
    order: &[u32],
    worker: impl Fn() -> W + Sync,
    mut take: impl FnMut(u32, Option<W::Result>) -> Result<Option<W::Result>, TraceError>,
) -> Result<(), TraceError> {
    let threads = threads(order.len());
    std::thread::scope(|scope| {
        let mut lanes: Vec<Lane<W::Result>> = Vec::new();
        for lane in 0..threads {
            let (send, ready) = sync_channel(AHEAD);
            let (back, used) = sync_channel::<W::Result>(AHEAD + 1);
            let (mut own, worker) = (source.again(), &worker);
            let numbers = order.iter().copied().skip(lane).step_by(threads);
            let reads = move || {
                let (mut worker, mut events) = (worker(), Vec::new());
                for number in numbers {
                    let read = own.read_into(number, std::mem::take(&mut events)).map(|read| {
                        read.map(|read| {
                            let made = worker.work(number, &read, used.try_recv().unwrap_or_default());
                            events = read;
                            made
                        })
                    });
                    // Ends when the receiver is gone.
                    if send.send(read).is_err() {
                        break;
                    }
                }
            };
            let begun = std::thread::Builder::new().spawn_scoped(scope, reads);
            begun.map_err(TraceError::at(source.path()))?;
            lanes.push((ready, back));
        }
        for (number, (ready, back)) in order.iter().zip(lanes.iter().cycle()) {
            // A worker that has panicked makes the scope panic.
            let Ok(read) = ready.recv() else { break };
            if let Some(used) = take(*number, read?)? {
                drop(back.try_send(used));
            }
        }
        Ok(())
    })
}

/// The result of a chunk; `None` if its checksum differs.
type Read<R> = Result<Option<R>, TraceError>;
/// The results of a thread, and the way back of those that are needed no more.
type Lane<R> = (Receiver<Read<R>>, SyncSender<R>);
