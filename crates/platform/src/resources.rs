//! Memory, disk space and priorities, as far as the system reports them and lets them be set.

use crate::PROC;
use std::fs::File;
use std::path::Path;

/// The memory of the machine in bytes; `None` if the system does not report it.
#[cfg(target_os = "linux")]
pub fn memory() -> Option<u64> {
    let system = rustix::system::sysinfo();
    #[allow(clippy::useless_conversion, reason = "it is shorter on other machines")]
    u64::from(system.totalram).checked_mul(system.mem_unit.into())
}

/// This system is not asked.
#[cfg(not(target_os = "linux"))]
pub fn memory() -> Option<u64> {
    None
}

/// The number of threads of all processes that run or could run; `None` if the system does not report it.
pub fn running_threads() -> Option<usize> {
    running_threads_in(Path::new(PROC))
}

/// The fourth field of Linux's file is `RUNNING/ALL`.
fn running_threads_in(proc: &Path) -> Option<usize> {
    let load = std::fs::read_to_string(proc.join("loadavg")).ok()?;
    load.split(' ').nth(3)?.split('/').next()?.parse().ok()
}

/// Gives the calling thread the lowest priority, and with it the threads that it starts. Elsewhere than on
/// Linux the priority is that of the whole process, and stays.
pub fn lower_priority_of_thread() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, 19);
}

/// Reserves disk space behind an offset of a file, whose length stays. Returns whether the system did.
#[cfg(target_os = "linux")]
pub fn reserve(file: &File, behind: u64, bytes: u64) -> bool {
    rustix::fs::fallocate(file, rustix::fs::FallocateFlags::KEEP_SIZE, behind, bytes).is_ok()
}

/// This system reserves nothing.
#[cfg(not(target_os = "linux"))]
pub fn reserve(_: &File, _: u64, _: u64) -> bool {
    false
}

/// Gives the bytes between two offsets of a file back to the disk; they then read as zeros. Returns whether
/// the system did. If not, they stay.
#[cfg(target_os = "linux")]
pub fn give_back(file: &File, begin: u64, end: u64) -> bool {
    use rustix::fs::FallocateFlags;
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    begin < end && rustix::fs::fallocate(file, flags, begin, end - begin).is_ok()
}

/// On this system the bytes stay.
#[cfg(not(target_os = "linux"))]
pub fn give_back(_: &File, _: u64, _: u64) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_that_reports_no_load_says_so() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(running_threads_in(folder.path()), None);
        std::fs::write(folder.path().join("loadavg"), "0.20 0.18 0.12 3/411 1234\n").unwrap();
        assert_eq!(running_threads_in(folder.path()), Some(3));
        std::fs::write(folder.path().join("loadavg"), "nonsense").unwrap();
        assert_eq!(running_threads_in(folder.path()), None);
    }

    #[test]
    fn what_is_reserved_does_not_lengthen_a_file() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(8192).unwrap();
        // Some file systems do neither, and the file is then as before.
        let _ = reserve(&file, 8192, 4096);
        let _ = give_back(&file, 0, 4096);
        assert_eq!(file.metadata().unwrap().len(), 8192);
        assert!(!give_back(&file, 4096, 4096));
    }
}
