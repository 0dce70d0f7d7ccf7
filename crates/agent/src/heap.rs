//! Memory of the agent's own: the VM orders the methods of a class by where the names lie in the C heap, and what comes and goes
//! there would change the order in which reflection tells of them.
//!
//! Whoever rewrites a class asks for thousands of small pieces, and gives them back: those wait here for the next one
//! that asks for as much.

use dlmalloc::Dlmalloc;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

#[global_allocator]
static MEMORY: Heap = Heap { is_taken: AtomicBool::new(false), parts: UnsafeCell::new(Parts::new()) };

/// Pieces come in multiples of so many bytes, which is what they are aligned to.
const GRAIN: usize = 16;
/// Those that wait have less than so many grains.
const SIZES: usize = 64;

struct Heap {
    is_taken: AtomicBool,
    parts: UnsafeCell<Parts>,
}

struct Parts {
    all: Dlmalloc,
    /// By size: the pieces that wait, each with the address of the next one.
    waiting: [*mut Piece; SIZES],
}

struct Piece {
    next: *mut Piece,
}

// SAFETY: one thread at a time has the parts.
unsafe impl Sync for Heap {}

impl Parts {
    const fn new() -> Parts {
        Parts { all: Dlmalloc::new(), waiting: [null_mut(); SIZES] }
    }
}

impl Heap {
    fn with<T>(&self, work: impl FnOnce(&mut Parts) -> T) -> T {
        while self.is_taken.compare_exchange_weak(false, true, Acquire, Relaxed).is_err() {
            // It is held for some instructions, unless its thread was interrupted in them.
            std::thread::yield_now();
        }
        // SAFETY: nobody else has taken it.
        let done = work(unsafe { &mut *self.parts.get() });
        self.is_taken.store(false, Release);
        done
    }
}

/// Which row of those that wait a piece belongs to; none of large ones.
fn row(layout: Layout) -> Option<usize> {
    let grains = layout.size().div_ceil(GRAIN);
    (layout.align() <= GRAIN && grains < SIZES).then_some(grains)
}

/// As much as every piece of a row has.
fn rounded(row: usize) -> usize {
    row.max(1) * GRAIN
}

// SAFETY: every piece is of `Dlmalloc`, at least as long as is asked for and aligned, and of nobody else until it is given back.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.with(|parts| {
            let Some(row) = row(layout) else {
                // SAFETY: what is asked for is passed on.
                return unsafe { parts.all.malloc(layout.size(), layout.align()) };
            };
            match parts.waiting.get_mut(row) {
                Some(first) if !first.is_null() => {
                    let piece = *first;
                    // SAFETY: pieces that wait are whole, and have the address of the next one.
                    *first = unsafe { (*piece).next };
                    piece.cast()
                }
                // SAFETY: there is no piece of no bytes.
                _ => unsafe { parts.all.malloc(rounded(row), GRAIN) },
            }
        })
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        self.with(|parts| match row(layout).and_then(|row| parts.waiting.get_mut(row)) {
            Some(first) => {
                let piece = piece.cast::<Piece>();
                // SAFETY: it was given back, and has room for an address.
                unsafe { (*piece).next = *first };
                *first = piece;
            }
            // SAFETY: such a piece is as it was given.
            None => unsafe { parts.all.free(piece, layout.size(), layout.align()) },
        });
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: whoever asks keeps the size in bounds.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (row(layout), row(wanted)) {
            (Some(had), Some(row)) if had == row => piece,
            // SAFETY: both are pieces as they were given.
            (None, None) => {
                self.with(|parts| unsafe { parts.all.realloc(piece, layout.size(), layout.align(), size) })
            }
            // SAFETY: neither is shorter than what is copied, and they do not overlap.
            _ => unsafe {
                let moved = self.alloc(wanted);
                if !moved.is_null() {
                    std::ptr::copy_nonoverlapping(piece, moved, layout.size().min(size));
                    self.dealloc(piece, layout);
                }
                moved
            },
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::collections::VecDeque;

    /// Texts of all lengths come, grow and go in several threads: none of them changes but by its own thread.
    #[test]
    fn nobody_writes_into_what_others_have() {
        let work = |seed: u64| {
            let mut random = seed;
            let mut next = move |below: usize| {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                usize::try_from(random >> 33).unwrap() % below
            };
            let mut held: VecDeque<(u8, Vec<u8>)> = VecDeque::new();
            for turn in 0..20_000 {
                let sign = u8::try_from(turn % 251).unwrap();
                let mut text = vec![sign; next(if turn % 10 == 0 { 3000 } else { 200 })];
                if turn % 3 == 0 {
                    text.extend(std::iter::repeat_n(sign, next(2000)));
                    text.truncate(next(2000));
                    text.shrink_to_fit();
                }
                held.push_back((sign, text));
                if held.len() > 300 {
                    let (sign, text) = held.remove(next(300)).unwrap();
                    assert!(text.iter().all(|byte| *byte == sign));
                }
            }
            held.iter().all(|(sign, text)| text.iter().all(|byte| byte == sign))
        };
        let threads: Vec<_> = (1..=4).map(|seed| std::thread::spawn(move || work(seed))).collect();
        assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
    }
}
