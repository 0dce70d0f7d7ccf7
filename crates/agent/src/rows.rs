//! Rows indexed by owner number, in which the recorder's `QuerypointProbeRows` stores last hits. Address
//! space becomes memory on demand, and is returned when its owners are dead.

use crate::reclaim;
use crate::state::{tools, with_state};
use jvmti_bindings::prelude::*;
use std::alloc::Layout;
use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of owners, the number of assignable owner numbers.
const MOST: usize = 1 << 30;
/// Bytes per row.
const ROW: usize = 8;
/// Minimum number of rows made usable at first.
const FIRST: usize = 1 << 16;
/// Number of rows used before checking which ones are needed.
const FEW: usize = 1 << 22;
/// Number of rows that are returned together and then no longer inspected.
const BLOCK: usize = 1 << 16;
/// Rows and cells may use 1/8 of the maximum heap size before dead owners are searched.
const SHARE: usize = 8;
/// Upper bound for that, in bytes.
const MUCH: usize = 512 << 20;
/// Smallest page size of the operating system.
const PAGE: usize = 4096;
/// Memory that may lie idle between used rows: a base amount, and an amount per used row.
const IDLE: usize = 64 << 20;
const IDLE_EACH: usize = 64;
/// Maximum number of bytes for cells of arrays.
const CELLS: usize = 4 << 30;

/// The rows of each query. No other thread waits for this lock during a heap walk, because the recorder calls
/// under its own lock.
static ALL: Mutex<BTreeMap<jni::jint, Rows>> = Mutex::new(BTreeMap::new());

fn all() -> MutexGuard<'static, BTreeMap<jni::jint, Rows>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The rows of a query.
struct Rows {
    address: usize,
    /// Number of usable rows.
    limit: usize,
    /// Below this number of bytes in rows and cells, dead owners are not searched.
    patience: usize,
    /// By block: whether all its owners are dead.
    gone: Vec<bool>,
    /// Bytes of the arrays' cells; 0 if the rows themselves hold the hits.
    cells: usize,
}

impl Rows {
    /// Reserves rows for objects in a heap of at most `heap` bytes.
    fn reserve(heap: usize) -> Option<Rows> {
        let address = memory::reserve(MOST * ROW)?;
        let patience = (heap / SHARE).clamp(FEW / 2 * ROW, MUCH);
        Some(Rows { address, limit: 0, patience, gone: Vec::new(), cells: 0 })
    }

    /// Makes more rows usable and returns their number. None if there is no memory, or if too much of it lies
    /// idle. `alive` returns the numbers of owners in the heap if there are fewer than its argument.
    fn widen(&mut self, alive: impl FnOnce(u32) -> Option<HashSet<jni::jint>>) -> Option<usize> {
        let (wider, is_dense) = if self.limit < FEW {
            ((self.limit * 4).max(FIRST), self.limit > 0)
        } else {
            let used = self.needed(alive)?;
            (self.limit + used.rows.max(FEW), used.rows > self.limit / 4)
        };
        let wider = wider.next_multiple_of(BLOCK).min(MOST);
        let (from, bytes) = (self.address + self.limit * ROW, (wider - self.limit) * ROW);
        memory::claim(from, bytes)?;
        // Accesses are scattered: with small pages the processor would have too many TLB misses.
        if is_dense {
            memory::large_pages(from, bytes);
        }
        self.limit = wider;
        self.gone.resize(wider / BLOCK, false);
        Some(wider)
    }

    /// Counts the used rows after dropping unneeded ones. None if too much memory lies idle between them.
    fn needed(&mut self, alive: impl FnOnce(u32) -> Option<HashSet<jni::jint>>) -> Option<Used> {
        let mut used = self.used();
        let bytes = |used: &Used, cells: usize| used.rows * ROW + cells;
        if bytes(&used, self.cells) >= self.patience || used.is_wasteful() {
            match u32::try_from(used.rows / 2).ok().and_then(alive) {
                Some(alive) => {
                    self.bury(&alive);
                    used = self.used();
                    self.patience = (bytes(&used, self.cells) * 2).max(FEW / 2 * ROW);
                }
                // Most owners are alive, and the search is slow.
                None => self.patience = bytes(&used, self.cells) * 3,
            }
        }
        (!used.is_wasteful()).then_some(used)
    }

    /// The rows of a block. The program's threads also write there, but only rows of live objects.
    fn block(&self, number: usize) -> &[AtomicU64] {
        let at = self.address + number * BLOCK * ROW;
        // SAFETY: the block lies below the limit, and unwritten rows are 0.
        unsafe { std::slice::from_raw_parts(at as *const AtomicU64, BLOCK) }
    }

    fn used(&self) -> Used {
        let mut used = Used { rows: 0, bytes: 0 };
        for number in (0..self.gone.len()).filter(|number| !self.gone[*number]) {
            for page in self.block(number).chunks(PAGE / ROW) {
                let rows = page.iter().filter(|row| row.load(Relaxed) != 0).count();
                used.rows += rows;
                used.bytes += if rows > 0 { PAGE } else { 0 };
            }
        }
        used
    }

    /// Clears the rows of dead owners. No thread can write there any more.
    fn bury(&mut self, alive: &HashSet<jni::jint>) {
        let mut lives = vec![false; self.gone.len()];
        // Number 0 holds hits that belong to no object.
        for owner in alive.iter().chain(&[0]) {
            let block = usize::try_from(*owner).ok().and_then(|owner| lives.get_mut(owner / BLOCK));
            block.into_iter().for_each(|lives| *lives = true);
        }
        let mut freed = 0;
        for (number, lives) in lives.into_iter().enumerate() {
            if self.gone[number] {
                continue;
            }
            for (at, row) in self.block(number).iter().enumerate() {
                let owner = jni::jint::try_from(number * BLOCK + at).unwrap_or(0);
                if row.load(Relaxed) == 0 || owner == 0 || alive.contains(&owner) {
                    continue;
                }
                let was = row.swap(0, Relaxed);
                if self.cells > 0 {
                    // SAFETY: the row holds the address of cells, and their array is dead.
                    freed += unsafe { free(was) };
                }
            }
            if !lives {
                self.gone[number] = true;
                memory::give_back(self.address + number * BLOCK * ROW, BLOCK * ROW);
            }
        }
        self.cells -= freed;
    }

    /// Allocates the cells of an array: a word with their number, and a word for each element.
    fn cells(&mut self, length: jni::jint) -> Option<usize> {
        let layout = cells_layout(length)?;
        if self.cells + layout.size() > CELLS {
            return None;
        }
        // SAFETY: the layout is not empty.
        let cells = unsafe { std::alloc::alloc_zeroed(layout) };
        if cells.is_null() {
            return None;
        }
        self.cells += layout.size();
        // SAFETY: there is at least one word. The length is below 2^31, and the lower half is read.
        unsafe { *cells.cast::<u64>() = u64::from(length.unsigned_abs()) };
        Some(cells as usize)
    }
}

fn cells_layout(length: jni::jint) -> Option<Layout> {
    Layout::array::<u64>(usize::try_from(length).ok()? + 1).ok()
}

/// Frees cells. Returns the number of bytes.
///
/// # Safety
/// They are cells, or those without a length that the recorder made, and nobody uses them any more.
unsafe fn free(cells: u64) -> usize {
    // SAFETY: as the caller guarantees.
    let length = unsafe { *(cells as *const u64) };
    let layout = jni::jint::try_from(length).ok().filter(|length| *length > 0).and_then(cells_layout);
    let Some(layout) = layout else { return 0 };
    // SAFETY: the cells were allocated with this layout.
    unsafe { std::alloc::dealloc(cells as *mut u8, layout) };
    layout.size()
}

/// The used part of the rows.
struct Used {
    rows: usize,
    /// Bytes of the pages that contain them.
    bytes: usize,
}

impl Used {
    fn is_wasteful(&self) -> bool {
        self.bytes > IDLE + self.rows * IDLE_EACH
    }
}

/// The numbers of a query's owners in the heap.
fn alive(env: &JniEnv, query: jni::jint, enough: u32) -> Option<HashSet<jni::jint>> {
    let signature = with_state(|state| state.probes.plan.owners(query)).flatten()?;
    reclaim::in_heap(&tools()?, env, &signature, enough)
}

/// `QuerypointProbeAgent.reserve(int, long)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_reserve(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
    query: jni::jint,
    heap: jni::jlong,
) -> jni::jlong {
    let Some(rows) = Rows::reserve(usize::try_from(heap).unwrap_or(0)) else { return 0 };
    let address = rows.address;
    all().insert(query, rows);
    jni::jlong::try_from(address).unwrap_or(0)
}

/// `QuerypointProbeAgent.widen(int)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_widen(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    query: jni::jint,
) -> jni::jint {
    // SAFETY: the VM passes its environment.
    let env = unsafe { JniEnv::from_raw(env) };
    let wider = all().get_mut(&query).and_then(|rows| rows.widen(|enough| alive(&env, query, enough)));
    wider.map_or(0, |limit| jni::jint::try_from(limit).unwrap_or(jni::jint::MAX))
}

/// `QuerypointProbeAgent.cells(int, int)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_cells(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
    query: jni::jint,
    length: jni::jint,
) -> jni::jlong {
    let cells = all().get_mut(&query).and_then(|rows| rows.cells(length));
    cells.and_then(|cells| jni::jlong::try_from(cells).ok()).unwrap_or(0)
}

#[cfg(unix)]
mod memory {
    use libc::{MAP_ANON, MAP_FAILED, MAP_NORESERVE, MAP_PRIVATE, PROT_NONE, PROT_READ, PROT_WRITE, c_void};

    /// Reserves address space without memory.
    pub fn reserve(bytes: usize) -> Option<usize> {
        let flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE;
        // SAFETY: a new mapping at an address chosen by the system.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), bytes, PROT_NONE, flags, -1, 0) };
        (address != MAP_FAILED).then_some(address as usize)
    }

    /// Makes zeroed memory of reserved space.
    pub fn claim(address: usize, bytes: usize) -> Option<()> {
        // SAFETY: a part of the reserved space.
        let refused = unsafe { libc::mprotect(address as *mut c_void, bytes, PROT_READ | PROT_WRITE) };
        (refused == 0).then_some(())
    }

    /// Requests large pages, if the operating system supports them.
    pub fn large_pages(address: usize, bytes: usize) {
        #[cfg(target_os = "linux")]
        // SAFETY: a part of the reserved space. This is only advice, so errors are ignored.
        unsafe {
            libc::madvise(address as *mut c_void, bytes, libc::MADV_HUGEPAGE)
        };
        #[cfg(not(target_os = "linux"))]
        let _ = (address, bytes);
    }

    /// Returns the pages to the operating system. Reads there give 0, or the old value.
    pub fn give_back(address: usize, bytes: usize) {
        // SAFETY: a part of the reserved space. This is only advice, so errors are ignored.
        unsafe { libc::madvise(address as *mut c_void, bytes, libc::MADV_DONTNEED) };
    }
}

#[cfg(not(unix))]
mod memory {
    /// Without rows, hits are stored by hash codes.
    pub fn reserve(_bytes: usize) -> Option<usize> {
        None
    }

    pub fn claim(_address: usize, _bytes: usize) -> Option<()> {
        None
    }

    pub fn large_pages(_address: usize, _bytes: usize) {}

    pub fn give_back(_address: usize, _bytes: usize) {}
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn write(rows: &Rows, numbers: impl IntoIterator<Item = usize>) {
        for number in numbers {
            rows.block(number / BLOCK)[number % BLOCK].store(number as u64 + 1, Relaxed);
        }
    }

    fn row(rows: &Rows, number: usize) -> u64 {
        rows.block(number / BLOCK)[number % BLOCK].load(Relaxed)
    }

    fn fill(rows: &mut Rows, step: usize) {
        let mut asked = 0;
        while rows.limit < FEW {
            let before = rows.limit;
            rows.widen(|_| {
                asked += 1;
                None
            });
            write(rows, (before..rows.limit).step_by(step));
        }
        assert_eq!(asked, 0);
    }

    #[test]
    fn rows_that_are_all_used_become_more() {
        let mut rows = Rows::reserve(0).unwrap();
        fill(&mut rows, 1);
        let mut asked = 0;
        for limit in [2 * FEW, 4 * FEW] {
            let wider = rows.widen(|_| {
                asked += 1;
                None
            });
            assert_eq!(wider, Some(limit));
            write(&rows, limit / 2..limit);
        }
        assert_eq!(asked, 1, "it takes long to ask");
        assert_eq!(rows.used().rows, 4 * FEW);
    }

    #[test]
    fn rows_of_those_that_are_gone_are_given_back() {
        let mut rows = Rows::reserve(0).unwrap();
        fill(&mut rows, 1);
        let alive: HashSet<jni::jint> = [7, 100_000, 100_001].into();
        assert_eq!(rows.widen(|_| Some(alive)), Some(2 * FEW));
        let used = rows.used();
        // The row without an object stays.
        assert_eq!((used.rows, used.bytes), (4, 2 * PAGE));
        assert_eq!(row(&rows, 100_001), 100_002);
        assert_eq!(rows.gone.iter().filter(|gone| !**gone).count(), 2 + FEW / BLOCK);
    }

    #[test]
    fn rows_far_apart_are_not_worth_their_memory() {
        let mut rows = Rows::reserve(0).unwrap();
        fill(&mut rows, 512);
        // Each of 8,192 pages has a single used row: 32 MB are still acceptable.
        assert_eq!(rows.widen(|_| None), Some(2 * FEW));
        write(&rows, (FEW..2 * FEW).step_by(512));
        assert_eq!(rows.widen(|_| None), Some(3 * FEW));
        write(&rows, (2 * FEW..3 * FEW).step_by(512));
        assert_eq!(rows.widen(|_| None), None);
        assert_eq!(rows.limit, 3 * FEW);
    }

    #[test]
    fn cells_go_with_their_array() {
        let mut rows = Rows::reserve(0).unwrap();
        rows.widen(|_| None).unwrap();
        let made: Vec<u64> = [5, 1000].map(|length| rows.cells(length).unwrap() as u64).into();
        rows.block(0)[1].store(made[0], Relaxed);
        rows.block(0)[2].store(made[1], Relaxed);
        assert_eq!(rows.cells, 6 * 8 + 1001 * 8);
        rows.bury(&[2].into());
        assert_eq!((rows.cells, row(&rows, 1), row(&rows, 2)), (1001 * 8, 0, made[1]));
        assert!(rows.cells(-1).is_none());
    }
}
