//! Goes through the blocks of a log on several threads. The events that fit come in the order of their ids.

use super::found::Found;
use super::prepared::Prepared;
use super::source::Source;
use past::PastError;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// Number of blocks that a thread takes at once.
const BATCH: usize = 4;
/// Most batches that are read ahead of the one that is wanted next.
const AHEAD: usize = 32;
/// Most threads.
const THREADS: usize = 4;
/// Fewest events for which threads are started.
const FEWEST: u64 = 400_000;
/// How long a thread waits that is too far ahead.
const WAIT: Duration = Duration::from_micros(200);

/// The events of a batch that fit, with its number.
type Batch = (usize, Result<Vec<Found>, PastError>);

/// A search on several threads.
pub(super) struct ParallelScan {
    received: Receiver<Batch>,
    shared: Arc<Shared>,
    /// Batches that came before their turn.
    early: BTreeMap<usize, Result<Vec<Found>, PastError>>,
    current: VecDeque<Found>,
    next: usize,
    batches: usize,
}

/// What the threads share.
struct Shared {
    prepared: Prepared,
    /// The numbers of the blocks that can have events that fit.
    blocks: Vec<usize>,
    /// The next batch that nobody has taken.
    free: AtomicUsize,
    /// The batch that is wanted next.
    wanted: AtomicUsize,
    stop: AtomicBool,
}

impl ParallelScan {
    /// Starts the threads for these blocks; `None` if they have too few events, or if the recording cannot be
    /// opened once more.
    pub fn start(
        prepared: &Prepared,
        events: u64,
        blocks: impl FnOnce() -> Vec<usize>,
        source: &Source,
    ) -> Option<ParallelScan> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
        if events < FEWEST || threads < 2 {
            return None;
        }
        let blocks = blocks();
        let batches = blocks.len().div_ceil(BATCH);
        let (free, wanted) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let stop = AtomicBool::new(false);
        let shared = Arc::new(Shared { prepared: prepared.clone(), blocks, free, wanted, stop });
        let (sender, received) = sync_channel(AHEAD);
        let mut started = 0;
        for _ in 0..threads.min(batches) {
            let Some(spare) = source.another() else { break };
            let (shared, sender, spares) = (shared.clone(), sender.clone(), source.spares().clone());
            let name = "qp-search".to_owned();
            let work = move || {
                let source = work(&shared, spare, &sender);
                spares.lock().unwrap_or_else(PoisonError::into_inner).push(source);
            };
            started += usize::from(std::thread::Builder::new().name(name).spawn(work).is_ok());
        }
        if started == 0 {
            return None;
        }
        let (early, current) = (BTreeMap::new(), VecDeque::new());
        Some(ParallelScan { received, shared, early, current, next: 0, batches })
    }

    /// The next event that fits.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn next(&mut self) -> Result<Option<Found>, PastError> {
        loop {
            if let Some(found) = self.current.pop_front() {
                return Ok(Some(found));
            }
            if self.next >= self.batches {
                return Ok(None);
            }
            let batch = match self.early.remove(&self.next) {
                Some(batch) => batch,
                None => match self.received.recv() {
                    Ok((number, batch)) if number == self.next => batch,
                    Ok((number, batch)) => {
                        self.early.insert(number, batch);
                        continue;
                    }
                    // All threads have ended. They end early only if one of them failed.
                    Err(_) => return Ok(None),
                },
            };
            self.next += 1;
            self.shared.wanted.store(self.next, Ordering::Relaxed);
            self.current = batch?.into();
        }
    }
}

impl Drop for ParallelScan {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }
}

/// Takes batches until none is left. Gives the source back.
fn work(shared: &Shared, mut source: Source, sender: &SyncSender<Batch>) -> Source {
    loop {
        let number = shared.free.fetch_add(1, Ordering::Relaxed);
        let blocks = shared.blocks.chunks(BATCH).nth(number);
        let Some(blocks) = blocks else { return source };
        while number > shared.wanted.load(Ordering::Relaxed) + AHEAD {
            if shared.stop.load(Ordering::Relaxed) {
                return source;
            }
            std::thread::sleep(WAIT);
        }
        if shared.stop.load(Ordering::Relaxed) {
            return source;
        }
        let found = find(shared, blocks, &mut source);
        let failed = found.is_err();
        if sender.send((number, found)).is_err() || failed {
            return source;
        }
    }
}

fn find(shared: &Shared, blocks: &[usize], source: &mut Source) -> Result<Vec<Found>, PastError> {
    let mut all = Vec::new();
    for number in blocks {
        let (calls, log) = source.parts();
        let block = Arc::new(log.decode(calls, *number)?);
        for (id, event) in (block.first..).zip(&block.events) {
            if shared.prepared.fits(id, &block, event, source) {
                all.push(Found { id, block: block.clone(), event: *event });
            }
        }
    }
    Ok(all)
}
