//! Reserves address space for the recorder. The operating system may limit the address space of the process
//! (`ulimit -v`). If the recorder took too much, the program would fail.

/// Reserves zeroed address space; unwritten parts take no memory. None if the system refuses, or if it would
/// be more than half of what the process may still use.
pub fn reserve(bytes: usize) -> Option<usize> {
    let wanted = u64::try_from(bytes).ok()?;
    if left().is_some_and(|left| wanted > left / 2) {
        return None;
    }
    memory::reserve(bytes)
}

/// Releases reserved space, including everything mapped into it.
///
/// # Safety
/// Nobody uses it any more.
pub unsafe fn release(address: usize, bytes: usize) {
    // SAFETY: as the caller guarantees.
    unsafe { memory::release(address, bytes) };
}

/// Remaining address space of the process; none if there is no limit, or if the system does not report it.
#[cfg(target_os = "linux")]
fn left() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the function writes to the given struct.
    let told = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    if told != 0 || limit.rlim_cur == libc::RLIM_INFINITY {
        return None;
    }
    // proc(5): the first number is the size of the address space, in pages.
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split(' ').next()?.parse().ok()?;
    // SAFETY: the function takes a number.
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    Some(limit.rlim_cur.saturating_sub(pages.saturating_mul(page)))
}

#[cfg(not(target_os = "linux"))]
fn left() -> Option<u64> {
    None
}

#[cfg(unix)]
mod memory {
    pub fn reserve(bytes: usize) -> Option<usize> {
        let both = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address chosen by the system.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), bytes, both, flags, -1, 0) };
        (address != libc::MAP_FAILED).then_some(address as usize)
    }

    pub unsafe fn release(address: usize, bytes: usize) {
        // SAFETY: as the caller guarantees. On failure the space only stays reserved.
        unsafe { libc::munmap(address as *mut libc::c_void, bytes) };
    }
}

#[cfg(not(unix))]
mod memory {
    /// Rings require a system that can map a file twice.
    pub fn reserve(_bytes: usize) -> Option<usize> {
        None
    }

    pub unsafe fn release(_address: usize, _bytes: usize) {}
}
