//! The rings of a recorded run: files that are mapped into the VM, each with a row of rings. When a thread
//! has ended and its events were taken out, another one gets its ring.

use crate::space;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use wire::recording::{
    BOARD, BOARD_BYTES, BOARD_FLAGS, ENDED, FLAG, FREE, LARGE_RINGS, LIMIT, LONGEST_EVENT, MASK, MOST_RINGS,
    OWNER, RING_DATA, RING_SIZES, RINGS_IN_FILE, RingPlace, STOPPED, TAKEN, THREAD, UNTOLD, WAITED, WRITTEN,
};

/// How many rings of threads that have ended are looked at, of each size, before another one is made.
const LOOKS: usize = 4;
/// The rings may have this part of the mappings that the system allows the process: its threads need some
/// too.
const SHARE: u32 = 4;

/// The rings of this run.
#[derive(Debug)]
pub struct Pool {
    folder: PathBuf,
    /// Where the board is mapped; none where it cannot be.
    board: Option<usize>,
    /// How many rings there may be.
    most: u32,
    /// How many rings there are, and in how many files.
    rings: u32,
    files: u32,
    /// Those of the last file that no thread has had yet, the next one last.
    fresh: Vec<Ring>,
    /// By size, those of threads that have ended, in that order.
    ended: [VecDeque<Ring>; RING_SIZES.len()],
    /// Those of threads that live, by their addresses.
    used: HashMap<usize, Ring>,
}

/// A ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ring {
    address: usize,
    /// Which of the sizes it has.
    size: usize,
    place: RingPlace,
}

impl Pool {
    /// For a folder that holds the board.
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

    /// Whether the reader takes out no more.
    pub fn is_stopped(&self) -> bool {
        self.board.is_some_and(|board| word(board, STOPPED).load(Ordering::Acquire) != 0)
    }

    /// Where it is noted that the report could not be written to.
    pub fn untold(&self) -> Option<&'static AtomicU64> {
        self.board.map(|board| word(board, UNTOLD))
    }

    /// Whether as many rings as there may be are in use.
    pub fn is_full(&self) -> bool {
        self.rings >= self.most
    }

    /// A ring for this thread, which has this number: its address and where it is. None where there is no
    /// memory, or no room on the disk. The ring is not in use before [`Pool::begin`].
    pub fn take(&mut self) -> Option<(usize, RingPlace)> {
        let ring = self.free(LOOKS).or_else(|| self.new_one()).or_else(|| self.free(usize::MAX))?;
        self.used.insert(ring.address, ring);
        Some((ring.address, ring.place))
    }

    /// The ring is that of a thread from now on, which has this number; `waits` says whether the first event
    /// has to take a turn.
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
        ];
        for (at, value) in words {
            word(address, at).store(value, Ordering::Relaxed);
        }
        // The reader looks at the others when it has seen this one.
        word(address, ENDED).store(0, Ordering::Release);
    }

    /// The ring's thread was not told of: nobody looks for it there.
    pub fn give_back(&mut self, address: usize) {
        word(address, ENDED).store(FREE, Ordering::Release);
        self.end(address);
    }

    /// The ring's thread has ended.
    pub fn end(&mut self, address: usize) {
        let Some(ring) = self.used.remove(&address) else { return };
        if let Some(ended) = self.ended.get_mut(ring.size) {
            ended.push_back(ring);
        }
    }

    /// A ring that was taken out, the largest there is; looks at so many of each size.
    fn free(&mut self, looks: usize) -> Option<Ring> {
        let is_free = |ring: &Ring| word(ring.address, ENDED).load(Ordering::Acquire) == FREE;
        self.ended.iter_mut().find_map(|ended| {
            let at = ended.iter().take(looks).position(is_free)?;
            ended.remove(at)
        })
    }

    /// A ring that no thread has had yet.
    fn new_one(&mut self) -> Option<Ring> {
        if self.fresh.is_empty() && !self.is_full() {
            let first = LARGE_RINGS.iter().filter(|up_to| self.rings >= **up_to).count();
            // Where there is no room for large ones, there may be for small ones.
            let all = (first..RING_SIZES.len()).filter_map(|size| Some((size, *RINGS_IN_FILE.get(size)?)));
            let last = (RING_SIZES.len() - 1, 1);
            all.chain([last]).find_map(|(size, count)| self.make(size, count));
        }
        self.fresh.pop()
    }

    /// Makes a file with so many rings.
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

/// One of the words of a ring or of the board.
fn word(address: usize, at: u64) -> &'static AtomicU64 {
    let address = address + usize::try_from(at).unwrap_or_default();
    // SAFETY: rings and the board live as long as the VM; the words lie at multiples of 8.
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

    /// Maps the board, which is there and has all its bytes.
    pub fn board(path: &Path) -> Option<usize> {
        let file = File::options().read(true).write(true).open(path).ok()?;
        if file.metadata().ok()?.len() < BOARD_BYTES {
            return None;
        }
        let bytes = usize::try_from(BOARD_BYTES).ok()?;
        // SAFETY: new memory, at a place that the system chooses; the file is as long as that.
        found(unsafe { libc::mmap(std::ptr::null_mut(), bytes, BOTH, libc::MAP_SHARED, file.as_raw_fd(), 0) })
    }

    /// How many mappings the system allows a process; none where it does not tell.
    pub fn most_mappings() -> Option<u32> {
        std::fs::read_to_string("/proc/sys/vm/max_map_count").ok()?.trim().parse().ok()
    }

    /// Makes a file of so many rings, which hold so many bytes each, and maps them. Its data lies in memory
    /// twice, one behind the other: an event never has to be put together from two ends. Where the data lies
    /// for the second time the next ring begins, in memory as in the file: the system has one mapping for
    /// both.
    pub fn rings(path: &Path, bytes: u64, count: u32) -> Option<usize> {
        let mut options = File::options();
        // What it holds is the program's: only its user may read it.
        options.read(true).write(true).create(true).truncate(true);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).ok()?;
        let made =
            allocate(&file, u64::from(count) * (RING_DATA + bytes)).and_then(|()| map(&file, bytes, count));
        if made.is_none() {
            // What it takes on the disk is needed there.
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
            // SAFETY: it lies inside of what was just reserved; the file is as long as what is mapped of it.
            found(unsafe { libc::mmap(address as *mut _, length, BOTH, flags, file.as_raw_fd(), from) })
        };
        let all = (0..count).try_for_each(|n| {
            let (ring, from) = (base + n * stride, n * (data + size));
            at(ring, data + size, from)?;
            at(ring + data + size, size, from + data).map(|_| ())
        });
        if all.is_none() {
            // SAFETY: nobody was told of it.
            unsafe { space::release(base, stride * count) };
        }
        all.map(|()| base)
    }

    /// All of the file's space is taken at once: where the disk is full the VM would be killed for a write to
    /// its memory.
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

    /// The rings need a system that maps a file twice.
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

    /// A folder with a board, which is removed with this.
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
            // What is written behind the end of the data is at its beginning.
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
        // Nobody has taken out what is in it.
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
