//! The agent's own allocator. The VM orders the methods of a class by the addresses of their names in the C
//! heap. Allocations there would change the order in which reflection lists methods.
//!
//! Rewriting a class allocates and frees thousands of small blocks. Freed blocks wait here for the next
//! request of the same size.

use dlmalloc::{Allocator, Dlmalloc};
use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicUsize};

#[global_allocator]
static MEMORY: Arena = Arena { is_taken: AtomicBool::new(false), parts: UnsafeCell::new(ArenaState::new()) };

/// Block sizes are multiples of this number of bytes, which is also the alignment.
const GRAIN: usize = 16;
/// Number of size rows: cached blocks have fewer grains than this.
const SIZES: usize = 64;

struct Arena {
    is_taken: AtomicBool,
    parts: UnsafeCell<ArenaState>,
}

struct ArenaState {
    all: Dlmalloc<Source>,
    /// Free lists by size; each block holds the address of the next one.
    waiting: [*mut FreeBlock; SIZES],
}

struct FreeBlock {
    next: *mut FreeBlock,
}

// SAFETY: only one thread at a time accesses the parts.
unsafe impl Sync for Arena {}

impl ArenaState {
    const fn new() -> ArenaState {
        ArenaState { all: Dlmalloc::new_with_allocator(Source), waiting: [null_mut(); SIZES] }
    }
}

/// Memory reserved at the start for when the operating system refuses more. It lets the agent finish its
/// current work, because Rust ends the process when an allocation fails.
const SPARE: usize = 32 << 20;
/// Address of the spare memory; 0 before it is reserved, or if that was refused.
static SPARE_AT: AtomicUsize = AtomicUsize::new(0);
/// Number of its bytes in use.
static SPARE_USED: AtomicUsize = AtomicUsize::new(0);

/// Reserves the spare memory. Call it once, before anything else.
pub fn prepare() {
    let memory = system::map(SPARE);
    SPARE_AT.store(memory as usize, Release);
}

/// Whether the operating system has ever refused memory. Then the agent starts no large work any more.
pub fn is_short() -> bool {
    SPARE_USED.load(Relaxed) > 0
}

/// The source of the allocator's memory: the operating system, or the spare memory if that refuses.
struct Source;

impl Source {
    /// A part of the spare memory, which is never freed.
    fn spare(bytes: usize) -> (*mut u8, usize, u32) {
        let base = SPARE_AT.load(Acquire);
        let used = SPARE_USED.fetch_add(bytes, Relaxed);
        let fits = base != 0 && used.checked_add(bytes).is_some_and(|end| end <= SPARE);
        // The flag 1 means that the memory is neither returned to the system nor merged with other memory.
        if fits { ((base + used) as *mut u8, bytes, 1) } else { (null_mut(), 0, 0) }
    }

    fn is_spare(memory: *mut u8) -> bool {
        let base = SPARE_AT.load(Relaxed);
        base != 0 && (base..base + SPARE).contains(&(memory as usize))
    }
}

// SAFETY: it returns memory of at least the requested size that no other code owns.
unsafe impl Allocator for Source {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        let mapped = system::map(size);
        if mapped.is_null() { Source::spare(size) } else { (mapped, size, 0) }
    }

    fn remap(&self, memory: *mut u8, old: usize, new: usize, can_move: bool) -> *mut u8 {
        // SAFETY: the allocator passes the length of its mapping.
        if Source::is_spare(memory) {
            null_mut()
        } else {
            unsafe { system::remap(memory, old, new, can_move) }
        }
    }

    fn free_part(&self, memory: *mut u8, old: usize, new: usize) -> bool {
        // SAFETY: the allocator passes the length of its mapping, and no longer uses the rest.
        !Source::is_spare(memory) && unsafe { system::free(memory.wrapping_add(new), old - new) }
    }

    fn free(&self, memory: *mut u8, size: usize) -> bool {
        // SAFETY: the allocator passes the length of its mapping, and no longer uses it.
        !Source::is_spare(memory) && unsafe { system::free(memory, size) }
    }

    fn can_release_part(&self, _: u32) -> bool {
        cfg!(unix)
    }

    fn allocates_zeros(&self) -> bool {
        cfg!(unix)
    }

    fn page_size(&self) -> usize {
        system::page()
    }
}

#[cfg(unix)]
mod system {
    use std::ptr::null_mut;

    /// Maps new zeroed memory; null on failure.
    pub fn map(bytes: usize) -> *mut u8 {
        let (both, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
        // SAFETY: a new mapping at an address chosen by the system.
        let memory = unsafe { libc::mmap(null_mut(), bytes, both, flags, -1, 0) };
        if memory == libc::MAP_FAILED { null_mut() } else { memory.cast() }
    }

    /// Changes the length of a mapping; null on failure.
    #[cfg(target_os = "linux")]
    pub unsafe fn remap(memory: *mut u8, old: usize, new: usize, can_move: bool) -> *mut u8 {
        let flags = if can_move { libc::MREMAP_MAYMOVE } else { 0 };
        // SAFETY: as the caller says.
        let moved = unsafe { libc::mremap(memory.cast(), old, new, flags) };
        if moved == libc::MAP_FAILED { null_mut() } else { moved.cast() }
    }

    #[cfg(not(target_os = "linux"))]
    pub unsafe fn remap(_: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        null_mut()
    }

    pub unsafe fn free(memory: *mut u8, bytes: usize) -> bool {
        // SAFETY: as the caller says.
        unsafe { libc::munmap(memory.cast(), bytes) == 0 }
    }

    pub fn page() -> usize {
        // SAFETY: the function takes a number.
        usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
    }
}

#[cfg(not(unix))]
mod system {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::ptr::null_mut;

    pub fn map(bytes: usize) -> *mut u8 {
        // SAFETY: the size is never 0.
        Layout::from_size_align(bytes, page()).map_or(null_mut(), |layout| unsafe { System.alloc(layout) })
    }

    pub unsafe fn remap(_: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        null_mut()
    }

    pub unsafe fn free(_: *mut u8, _: usize) -> bool {
        false
    }

    pub fn page() -> usize {
        1 << 16
    }
}

impl Arena {
    fn with<T>(&self, work: impl FnOnce(&mut ArenaState) -> T) -> T {
        while self.is_taken.compare_exchange_weak(false, true, Acquire, Relaxed).is_err() {
            // The lock is held for a few instructions, unless its thread was interrupted meanwhile.
            std::thread::yield_now();
        }
        // SAFETY: this thread holds the lock.
        let done = work(unsafe { &mut *self.parts.get() });
        self.is_taken.store(false, Release);
        done
    }
}

/// The row of free blocks for a layout; none for large blocks.
fn row(layout: Layout) -> Option<usize> {
    let grains = layout.size().div_ceil(GRAIN);
    (layout.align() <= GRAIN && grains < SIZES).then_some(grains)
}

/// The size of each block in a row.
fn rounded(row: usize) -> usize {
    row.max(1) * GRAIN
}

// SAFETY: every block comes from `Dlmalloc`, is large enough and aligned, and belongs to nobody else until it
// is freed.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.with(|parts| {
            let Some(row) = row(layout) else {
                // SAFETY: the request is passed on unchanged.
                return unsafe { parts.all.malloc(layout.size(), layout.align()) };
            };
            match parts.waiting.get_mut(row) {
                Some(first) if !first.is_null() => {
                    let piece = *first;
                    // SAFETY: free blocks are unused and hold the address of the next one.
                    *first = unsafe { (*piece).next };
                    piece.cast()
                }
                // SAFETY: the size is never 0.
                _ => unsafe { parts.all.malloc(rounded(row), GRAIN) },
            }
        })
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        self.with(|parts| match row(layout).and_then(|row| parts.waiting.get_mut(row)) {
            Some(first) => {
                let piece = piece.cast::<FreeBlock>();
                // SAFETY: the block was freed, and it has room for an address.
                unsafe { (*piece).next = *first };
                *first = piece;
            }
            // SAFETY: large blocks are passed on with their original layout.
            None => unsafe { parts.all.free(piece, layout.size(), layout.align()) },
        });
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the size in bounds.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (row(layout), row(wanted)) {
            (Some(had), Some(row)) if had == row => piece,
            // SAFETY: both are large blocks with their original layout.
            (None, None) => {
                self.with(|parts| unsafe { parts.all.realloc(piece, layout.size(), layout.align(), size) })
            }
            // SAFETY: both blocks are at least as long as the copied range, and they do not overlap.
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

    /// Strings of all lengths are allocated, grow and are freed in several threads. Only its own thread
    /// changes a string.
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
