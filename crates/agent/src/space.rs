//! Address space for the recorder. The system may allow the process only so much (`ulimit -v`); what the
//! recorder takes is then missing to the program, which would end for want of it.

/// Reserves so many bytes, all 0; what is not written takes no memory. None where the system refuses, or
/// where that would be more than half of what the process may still have.
pub fn reserve(bytes: usize) -> Option<usize> {
    let wanted = u64::try_from(bytes).ok()?;
    if left().is_some_and(|left| wanted > left / 2) {
        return None;
    }
    memory::reserve(bytes)
}

/// Gives back what was reserved, with whatever was mapped into it.
///
/// # Safety
/// Nobody uses it any more.
pub unsafe fn release(address: usize, bytes: usize) {
    // SAFETY: as the caller says.
    unsafe { memory::release(address, bytes) };
}

/// How much more address space the process may have; none where there is no limit, or the system does not
/// tell.
#[cfg(target_os = "linux")]
fn left() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: it writes what it is given.
    let told = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    if told != 0 || limit.rlim_cur == libc::RLIM_INFINITY {
        return None;
    }
    // proc(5): the first number is the size of the address space, in pages.
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split(' ').next()?.parse().ok()?;
    // SAFETY: it takes a number.
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
        // SAFETY: new memory, at a place that the system chooses.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), bytes, both, flags, -1, 0) };
        (address != libc::MAP_FAILED).then_some(address as usize)
    }

    pub unsafe fn release(address: usize, bytes: usize) {
        // SAFETY: as the caller says. What it answers does not matter: it stays reserved then.
        unsafe { libc::munmap(address as *mut libc::c_void, bytes) };
    }
}

#[cfg(not(unix))]
mod memory {
    /// The rings need a system that maps a file twice.
    pub fn reserve(_bytes: usize) -> Option<usize> {
        None
    }

    pub unsafe fn release(_address: usize, _bytes: usize) {}
}
