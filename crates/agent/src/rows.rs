//! Rows by the numbers of owners, in which the recorder's `QuerypointProbeRows` keeps last hits: address
//! space that becomes memory as it is needed, and is given back where the owners are gone.

use crate::burial;
use crate::state::{tools, with_state};
use jvmti_bindings::prelude::*;
use std::alloc::Layout;
use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// As many owners as are given numbers.
const MOST: usize = 1 << 30;
/// Bytes of a row.
const ROW: usize = 8;
/// So many rows at least become usable at first.
const FIRST: usize = 1 << 16;
/// So many rows are used without asking which of them are needed.
const FEW: usize = 1 << 22;
/// What is given back at once, and looked at no more: so many rows.
const BLOCK: usize = 1 << 16;
/// What is kept may have this part of the memory that the program's objects may have, before that is asked.
const SHARE: usize = 8;
/// And no more than so many bytes.
const MUCH: usize = 512 << 20;
/// Pages of the system are no smaller.
const PAGE: usize = 4096;
/// So much memory may lie idle between the rows that are used, and so much for each of those.
const IDLE: usize = 64 << 20;
const IDLE_EACH: usize = 64;
/// Bytes of cells of arrays, at most.
const CELLS: usize = 4 << 30;

/// The rows of each query. Nobody else waits for this while the heap is walked: the recorder asks under a
/// lock of its own.
static ALL: Mutex<BTreeMap<jni::jint, Rows>> = Mutex::new(BTreeMap::new());

fn all() -> MutexGuard<'static, BTreeMap<jni::jint, Rows>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The rows of a query.
struct Rows {
    address: usize,
    /// So many are usable.
    limit: usize,
    /// While they and the cells have fewer bytes it is not asked which owners are gone.
    patience: usize,
    /// By block: whether all its owners are gone.
    gone: Vec<bool>,
    /// Bytes of the arrays' cells; none where the rows are the hits themselves.
    cells: usize,
}

impl Rows {
    /// For objects that may have so many bytes.
    fn reserve(heap: usize) -> Option<Rows> {
        let address = memory::reserve(MOST * ROW)?;
        let patience = (heap / SHARE).clamp(FEW / 2 * ROW, MUCH);
        Some(Rows { address, limit: 0, patience, gone: Vec::new(), cells: 0 })
    }

    /// Makes more rows usable: how many are now. None where there is no memory, or where too much of it lies
    /// idle. `alive` has the numbers of owners that are in the heap, if there are less than so many.
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
        // They are used here and there: in small pages the processor looks up most addresses too.
        if is_dense {
            memory::large_pages(from, bytes);
        }
        self.limit = wider;
        self.gone.resize(wider / BLOCK, false);
        Some(wider)
    }

    /// The rows that are used once those that need not be are free; none where too much memory lies idle
    /// between them.
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
                // Most are alive, and it takes long to ask.
                None => self.patience = bytes(&used, self.cells) * 3,
            }
        }
        (!used.is_wasteful()).then_some(used)
    }

    /// The program's threads write there too, but only rows of objects that they have.
    fn block(&self, number: usize) -> &[AtomicU64] {
        let at = self.address + number * BLOCK * ROW;
        // SAFETY: it lies below the limit, and is 0 where nobody has written.
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

    /// Empties the rows of owners that are gone. Nobody can write there any more.
    fn bury(&mut self, alive: &HashSet<jni::jint>) {
        let mut lives = vec![false; self.gone.len()];
        // What no object is written to is kept by number 0.
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
                    // SAFETY: it is the address of cells, and the array is gone.
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

    /// Cells of an array: how many there are, in a word, and a word for each.
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
        // SAFETY: there is at least one word. The length is below 2^31, and is read as the lower half.
        unsafe { *cells.cast::<u64>() = u64::from(length.unsigned_abs()) };
        Some(cells as usize)
    }
}

fn cells_layout(length: jni::jint) -> Option<Layout> {
    Layout::array::<u64>(usize::try_from(length).ok()? + 1).ok()
}

/// Frees cells: how many bytes.
///
/// # Safety
/// They are cells, or those without length that the recorder made, and nobody has them any more.
unsafe fn free(cells: u64) -> usize {
    // SAFETY: as the caller says.
    let length = unsafe { *(cells as *const u64) };
    let layout = jni::jint::try_from(length).ok().filter(|length| *length > 0).and_then(cells_layout);
    let Some(layout) = layout else { return 0 };
    // SAFETY: it was made with this layout.
    unsafe { std::alloc::dealloc(cells as *mut u8, layout) };
    layout.size()
}

/// How much of the rows is in use.
struct Used {
    rows: usize,
    /// Of the pages that hold them.
    bytes: usize,
}

impl Used {
    fn is_wasteful(&self) -> bool {
        self.bytes > IDLE + self.rows * IDLE_EACH
    }
}

/// The numbers of a query's owners that are in the heap.
fn alive(env: &JniEnv, query: jni::jint, enough: u32) -> Option<HashSet<jni::jint>> {
    let signature = with_state(|state| state.probes.plan.owners(query)).flatten()?;
    burial::in_heap(&tools()?, env, &signature, enough)
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

    /// Address space that is no memory yet.
    pub fn reserve(bytes: usize) -> Option<usize> {
        let flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE;
        // SAFETY: a new mapping, at a place that the system chooses.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), bytes, PROT_NONE, flags, -1, 0) };
        (address != MAP_FAILED).then_some(address as usize)
    }

    /// Makes memory of it, all 0.
    pub fn claim(address: usize, bytes: usize) -> Option<()> {
        // SAFETY: a part of what was reserved.
        let refused = unsafe { libc::mprotect(address as *mut c_void, bytes, PROT_READ | PROT_WRITE) };
        (refused == 0).then_some(())
    }

    /// Asks for large pages, where the system knows them.
    pub fn large_pages(address: usize, bytes: usize) {
        #[cfg(target_os = "linux")]
        // SAFETY: a part of what was reserved. It is advice: what it answers does not matter.
        unsafe {
            libc::madvise(address as *mut c_void, bytes, libc::MADV_HUGEPAGE)
        };
        #[cfg(not(target_os = "linux"))]
        let _ = (address, bytes);
    }

    /// Its pages are free for others. What is read there is 0 again, or still is.
    pub fn give_back(address: usize, bytes: usize) {
        // SAFETY: a part of what was reserved. It is advice: what it answers does not matter.
        unsafe { libc::madvise(address as *mut c_void, bytes, libc::MADV_DONTNEED) };
    }
}

#[cfg(not(unix))]
mod memory {
    /// Without it, hits are kept by hash codes.
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
        // That of no object stays.
        assert_eq!((used.rows, used.bytes), (4, 2 * PAGE));
        assert_eq!(row(&rows, 100_001), 100_002);
        assert_eq!(rows.gone.iter().filter(|gone| !**gone).count(), 2 + FEW / BLOCK);
    }

    #[test]
    fn rows_far_apart_are_not_worth_their_memory() {
        let mut rows = Rows::reserve(0).unwrap();
        fill(&mut rows, 512);
        // Each of 8,192 pages has a single one: 32 MB are not too many yet.
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
