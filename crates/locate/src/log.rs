//! Stores the candidates of one TraceQuery in the order of the run. Fixed-size chunks let a long log grow and
//! shrink without copying it as a whole. It may use `model`.

use model::Occurrence;
use std::collections::VecDeque;

/// Occurrences per chunk: about 60 kB, which the allocator reuses.
const CHUNK: usize = 512;

/// A queue of occurrences. All chunks except the first and the last are full.
#[derive(Debug, Default)]
pub(super) struct Log {
    chunks: VecDeque<VecDeque<Occurrence>>,
    len: usize,
}

impl Log {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn push(&mut self, occurrence: Occurrence) {
        self.len += 1;
        if let Some(last) = self.chunks.back_mut().filter(|c| c.len() < CHUNK) {
            last.push_back(occurrence);
            return;
        }
        // The first chunk grows as needed, because most logs are short.
        let mut chunk = if self.chunks.is_empty() { VecDeque::new() } else { VecDeque::with_capacity(CHUNK) };
        chunk.push_back(occurrence);
        self.chunks.push_back(chunk);
    }

    pub(super) fn pop_front(&mut self) -> Option<Occurrence> {
        let first = self.chunks.front_mut()?;
        let popped = first.pop_front();
        // Keep the only chunk for reuse; it is first and last at once.
        if first.is_empty() && self.chunks.len() > 1 {
            self.chunks.pop_front();
        }
        self.len -= usize::from(popped.is_some());
        popped
    }

    pub(super) fn get(&self, index: usize) -> Option<&Occurrence> {
        let first = self.chunks.front()?;
        match index.checked_sub(first.len()) {
            None => first.get(index),
            Some(rest) => self.chunks.get(1 + rest / CHUNK)?.get(rest % CHUNK),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Occurrence> {
        self.chunks.iter().flatten()
    }

    /// Replaces each occurrence by the result of `keep`, which is called in order with the occurrence's
    /// index.
    pub(super) fn sift(&mut self, mut keep: impl FnMut(usize, Occurrence) -> Option<Occurrence>) {
        let mut old = std::mem::take(self);
        let mut place = 0;
        while let Some(chunk) = old.chunks.pop_front() {
            for occurrence in chunk {
                if let Some(kept) = keep(place, occurrence) {
                    self.push(kept);
                }
                place += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{FrameKey, ShapeKey, StackKey, ThreadKey, Value};

    fn occurrence(sequence: u64) -> Occurrence {
        Occurrence {
            sequence,
            query: 0,
            thread: ThreadKey(0),
            frame: FrameKey(0),
            stack: StackKey::EMPTY,
            activation: None,
            owner: Value::Null,
            old: Value::Unassigned,
            new: Value::Unassigned,
            way: None,
            ordinal: 0,
            shape: ShapeKey::NONE,
            kept: Box::default(),
            detail: None,
        }
    }

    #[test]
    fn indices_stay_valid_through_every_change() {
        let mut log = Log::default();
        let mut plain: VecDeque<u64> = VecDeque::new();
        for sequence in 0..5_000 {
            log.push(occurrence(sequence));
            plain.push_back(sequence);
            if sequence % 3 == 0 {
                assert_eq!(log.pop_front().map(|o| o.sequence), plain.pop_front());
            }
            if sequence % 1_999 == 0 {
                log.sift(|_, o| (o.sequence % 5 != 0).then_some(o));
                plain.retain(|s| s % 5 != 0);
            }
        }
        assert_eq!(log.len(), plain.len());
        assert_eq!(log.iter().map(|o| o.sequence).collect::<VecDeque<_>>(), plain);
        for (place, sequence) in plain.iter().enumerate() {
            assert_eq!(log.get(place).map(|o| o.sequence), Some(*sequence));
        }
        assert!(log.get(plain.len()).is_none());
        while log.pop_front().is_some() {}
        assert_eq!(log.len(), 0);
        log.push(occurrence(1));
        assert_eq!(log.get(0).map(|o| o.sequence), Some(1));
    }
}
