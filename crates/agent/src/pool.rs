//! The rings of a recorded run: files mapped into the VM, each with several rings. A ring is reused by
//! another thread when its thread has ended and its events were collected.

use crate::space;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use wire::recording::{
    BOARD, BOARD_BYTES, BOARD_FLAGS, ENDED, FLAG, FLYING, FREE, LARGE_RINGS, LIMIT, LONGEST_EVENT, MASK,
    MOST_RINGS, OVERFLOWS, OWNER, RING_DATA, RING_SIZES, RINGS_IN_FILE, RingPlace, STOPPED, TAKEN, THREAD,
    UNTOLD, WAITED, WRITTEN,
};
use wire::steering::EXECUTED;

/// Number of released rings per size that are checked before another ring is created.
const LOOKS: usize = 4;
/// The rings may use 1/4 of the mappings that the operating system allows the process, because its threads
/// need some too.
const SHARE: u32 = 4;

/// The rings of this run.
#[derive(Debug)]
pub struct Pool {
    folder: PathBuf,
    /// Address of the mapped board; none if it cannot be mapped.
    board: Option<usize>,
    /// Maximum number of rings.
    most: u32,
    /// Number of rings, and number of files that contain them.
    rings: u32,
    files: u32,
    /// Rings of the last file that no thread has used yet; the next one is last.
    fresh: Vec<Ring>,
    /// Rings of ended threads, by size, in the order of their ends.
    ended: [VecDeque<Ring>; RING_SIZES.len()],
    /// Rings of live threads, by address.
    used: HashMap<usize, Ring>,
}

/// A ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ring {
    address: usize,
    /// Index of its size in `RING_SIZES`.
    size: usize,
    place: RingPlace,
}

impl Pool {
    /// A pool for a folder that contains the board.
    pub fn new(folder: PathBuf) -> Pool {
        let board = files::board(&folder.join(BOARD));
        let most = files::most_mappings().map_or(MOST_RINGS, |all| (all / SHARE).min(MOST_RINGS));
        Pool {
            folder,
            board,
            most,
            rings: 0,
            files: 0,
            fresh: Vec::new(),
            ended: Default::default(),
            used: HashMap::new(),
        }
    }

    /// Whether the reader has stopped collecting events.
    pub fn is_stopped(&self) -> bool {
        self.board.is_some_and(|board| word(board, STOPPED).load(Ordering::Acquire) != 0)
    }

    /// The word that records that the report could not be written.
    pub fn untold(&self) -> Option<&'static AtomicU64> {
        self.board.map(|board| word(board, UNTOLD))
    }

    /// The address of the words that count the executions of a steered jump.
    pub fn steering_counts(&self) -> Option<usize> {
        self.board.map(|board| board + usize::try_from(EXECUTED).unwrap_or_default())
    }

    /// The address of the word that counts stack overflows.
    pub fn overflows(&self) -> Option<usize> {
        self.board.map(|board| board + usize::try_from(OVERFLOWS).unwrap_or_default())
    }

    /// Whether the number of rings is at its maximum.
    pub fn is_full(&self) -> bool {
        self.rings >= self.most
    }

    /// Takes a ring for a thread: its address and its place. None if there is no memory or no space on disk.
    /// The ring is in use only after [`Pool::begin`].
    pub fn take(&mut self) -> Option<(usize, RingPlace)> {
        let ring = self.free(LOOKS).or_else(|| self.new_one()).or_else(|| self.free(usize::MAX))?;
        self.used.insert(ring.address, ring);
        Some((ring.address, ring.place))
    }

    /// Starts to use the ring for a thread with this number. If `waits` is set, the thread's first event must
    /// wait for its turn.
    pub fn begin(&self, address: usize, owner: u32, thread: u64, waits: bool) {
        let Some((ring, board)) = self.used.get(&address).zip(self.board) else { return };
        let size = RING_SIZES.get(ring.size).copied().unwrap_or(1);
        let limit = if waits { u64::MAX } else { size - LONGEST_EVENT };
        let flag = u64::try_from(board).unwrap_or(0) + BOARD_FLAGS + u64::from(ring.place.slot);
        let words = [
            (WRITTEN, 0),
            (TAKEN, 0),
            (WAITED, 0),
            (LIMIT, limit),
            (MASK, size - 1),
            (THREAD, thread),
            (OWNER, owner.into()),
            (FLAG, flag),
            (FLYING, 0),
        ];
        for (at, value) in words {
            word(address, at).store(value, Ordering::Relaxed);
        }
        // The reader checks this word first, so it is written last.
        word(address, ENDED).store(0, Ordering::Release);
    }

    /// Returns a ring whose thread was not reported; no reader looks at it.
    pub fn give_back(&mut self, address: usize) {
        word(address, ENDED).store(FREE, Ordering::Release);
        self.end(address);
    }

    /// Releases the ring of an ended thread.
    pub fn end(&mut self, address: usize) {
        let Some(ring) = self.used.remove(&address) else { return };
        if let Some(ended) = self.ended.get_mut(ring.size) {
            ended.push_back(ring);
        }
    }

    /// A released ring with no uncollected events, the largest first; checks `looks` rings of each size.
    fn free(&mut self, looks: usize) -> Option<Ring> {
        let is_free = |ring: &Ring| word(ring.address, ENDED).load(Ordering::Acquire) == FREE;
        self.ended.iter_mut().find_map(|ended| {
            let at = ended.iter().take(looks).position(is_free)?;
            ended.remove(at)
        })
    }

    /// A ring that no thread has used yet.
    fn new_one(&mut self) -> Option<Ring> {
        if self.fresh.is_empty() && !self.is_full() {
            let first = LARGE_RINGS.iter().filter(|up_to| self.rings >= **up_to).count();
            // If there is no room for large rings, there may be room for small ones.
            let all = (first..RING_SIZES.len()).filter_map(|size| Some((size, *RINGS_IN_FILE.get(size)?)));
            let last = (RING_SIZES.len() - 1, 1);
            all.chain([last]).find_map(|(size, count)| self.make(size, count));
        }
        self.fresh.pop()
    }

    /// Creates a file with `count` rings.
    fn make(&mut self, size: usize, count: u32) -> Option<()> {
        let bytes = *RING_SIZES.get(size)?;
        let place = RingPlace { file: self.files, at: 0, slot: self.rings };
        let address = files::rings(&self.folder.join(place.name()), bytes, count)?;
        self.files += 1;
        self.rings += count;
        let stride = usize::try_from(RING_DATA + 2 * bytes).ok()?;
        let rings = (0..count).map(|n| {
            let place =
                RingPlace { at: u64::from(n) * (RING_DATA + bytes), slot: place.slot + n, file: place.file };
            Ring { address: address + stride * usize::try_from(n).unwrap_or(0), size, place }
        });
        self.fresh.extend(rings.rev());
        Some(())
    }
}

/// A word of a ring or of the board.
fn word(address: usize, at: u64) -> &'static AtomicU64 {
    let address = address + usize::try_from(at).unwrap_or_default();
    // SAFETY: rings and the board live as long as the VM; words are aligned to 8 bytes.
    unsafe { &*(address as *const AtomicU64) }
}

#[cfg(unix)]
mod files {
    use super::{BOARD_BYTES, RING_DATA, space};
    use std::fs::File;
    use std::os::fd::AsRawFd;
    use std::path::Path;

    const BOTH: libc::c_int = libc::PROT_READ | libc::PROT_WRITE;

    fn found(address: *mut libc::c_void) -> Option<usize> {
        (address != libc::MAP_FAILED).then_some(address as usize)
    }

    /// Maps the board, which exists with its full length.
    pub fn board(path: &Path) -> Option<usize> {
        let file = File::options().read(true).write(true).open(path).ok()?;
        if file.metadata().ok()?.len() < BOARD_BYTES {
            return None;
        }
        let bytes = usize::try_from(BOARD_BYTES).ok()?;
        // SAFETY: a new mapping at an address chosen by the system; the file is long enough.
        found(unsafe { libc::mmap(std::ptr::null_mut(), bytes, BOTH, libc::MAP_SHARED, file.as_raw_fd(), 0) })
    }

    /// Maximum number of mappings per process; none if the operating system does not report it.
    pub fn most_mappings() -> Option<u32> {
        std::fs::read_to_string("/proc/sys/vm/max_map_count").ok()?.trim().parse().ok()
    }

    /// Creates a file with `count` rings of `bytes` bytes each, and maps them. The data of each ring is
    /// mapped twice in a row, so that no event wraps around. The next ring begins right after the second
    /// copy, in memory as in the file, so that one mapping serves both.
    pub fn rings(path: &Path, bytes: u64, count: u32) -> Option<usize> {
        let mut options = File::options();
        // It contains data of the program, so only its user may read it.
        options.read(true).write(true).create(true).truncate(true);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).ok()?;
        let made =
            allocate(&file, u64::from(count) * (RING_DATA + bytes)).and_then(|()| map(&file, bytes, count));
        if made.is_none() {
            // Free the disk space for others.
            drop(std::fs::remove_file(path));
        }
        made
    }

    fn map(file: &File, bytes: u64, count: u32) -> Option<usize> {
        let (data, size) = (usize::try_from(RING_DATA).ok()?, usize::try_from(bytes).ok()?);
        let count = usize::try_from(count).ok()?;
        let stride = data + 2 * size;
        let base = space::reserve(stride * count)?;
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        let at = |address: usize, length: usize, from: usize| {
            let from = libc::off_t::try_from(from).ok()?;
            // SAFETY: the range lies inside the reserved space; the file is long enough.
            found(unsafe { libc::mmap(address as *mut _, length, BOTH, flags, file.as_raw_fd(), from) })
        };
        let all = (0..count).try_for_each(|n| {
            let (ring, from) = (base + n * stride, n * (data + size));
            at(ring, data + size, from)?;
            at(ring + data + size, size, from + data).map(|_| ())
        });
        if all.is_none() {
            // SAFETY: nobody knows this address yet.
            unsafe { space::release(base, stride * count) };
        }
        all.map(|()| base)
    }

    /// Allocates the whole file in advance. If the disk were full later, a write to the mapped memory would
    /// kill the VM.
    fn allocate(file: &File, length: u64) -> Option<()> {
        #[cfg(target_os = "linux")]
        {
            let length = libc::off_t::try_from(length).ok()?;
            // SAFETY: the file is open.
            let refused = unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, length) };
            (refused == 0).then_some(())
        }
        #[cfg(not(target_os = "linux"))]
        {
            let zeros = vec![0; 1 << 16];
            for at in (0..length).step_by(zeros.len()) {
                std::os::unix::fs::FileExt::write_all_at(file, &zeros, at).ok()?;
            }
            Some(())
        }
    }
}

#[cfg(not(unix))]
mod files {
    use std::path::Path;

    /// Rings require a system that can map a file twice.
    pub fn rings(_path: &Path, _bytes: u64, _count: u32) -> Option<usize> {
        None
    }

    pub fn board(_path: &Path) -> Option<usize> {
        None
    }

    pub fn most_mappings() -> Option<u32> {
        None
    }
}

#[cfg(unix)]
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    /// A folder with a board, deleted on drop.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("pool-{name}-{}", std::process::id()));
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join(BOARD), vec![0; usize::try_from(BOARD_BYTES).unwrap()]).unwrap();
            Folder(folder)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            drop(std::fs::remove_dir_all(&self.0));
        }
    }

    #[test]
    fn each_thread_has_a_ring_of_its_own_in_which_data_goes_on_at_its_beginning() {
        let folder = Folder::new("own");
        let mut pool = Pool::new(folder.0.clone());
        let mut taken = Vec::new();
        for number in 0..300 {
            let (address, place) = pool.take().unwrap();
            pool.begin(address, number, 7, false);
            assert_eq!(place.slot, number);
            let size = word(address, MASK).load(Ordering::Relaxed) + 1;
            let class = LARGE_RINGS.iter().filter(|up_to| number >= **up_to).count();
            assert_eq!(size, RING_SIZES[class]);
            // Data written beyond the end appears at the beginning.
            word(address, RING_DATA + size).store(u64::from(number) + 1, Ordering::Relaxed);
            taken.push((address, place, number));
        }
        for (address, place, number) in taken {
            assert_eq!(word(address, RING_DATA).load(Ordering::Relaxed), u64::from(number) + 1);
            let file = std::fs::read(folder.0.join(place.name())).unwrap();
            let of = |at: u64| {
                let at = usize::try_from(place.at + at).unwrap();
                u64::from_le_bytes(file[at..at + 8].try_into().unwrap())
            };
            assert_eq!((of(OWNER), of(RING_DATA)), (u64::from(number), u64::from(number) + 1));
        }
    }

    #[test]
    fn a_ring_is_used_again_when_it_was_taken_out() {
        let folder = Folder::new("again");
        let mut pool = Pool::new(folder.0.clone());
        let (first, _) = pool.take().unwrap();
        pool.begin(first, 1, 0, false);
        pool.end(first);
        // Nobody has collected its events.
        let (second, place) = pool.take().unwrap();
        assert_ne!(second, first);
        assert_eq!(place.slot, 1);
        word(first, ENDED).store(FREE, Ordering::Relaxed);
        assert_eq!(pool.take().unwrap().0, first);
        pool.begin(first, 2, 0, true);
        assert_eq!(word(first, ENDED).load(Ordering::Relaxed), 0);
        assert_eq!(word(first, LIMIT).load(Ordering::Relaxed), u64::MAX);
    }
}
