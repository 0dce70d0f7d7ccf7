//! Keeps a thread off the CPU on which another thread runs.
//!
//! The kernel wakes a thread on the CPU where it slept. The collector would then interrupt the program again
//! and again, while another CPU runs only a low-priority JIT compiler.

#[cfg(target_os = "linux")]
use rustix::thread::CpuSet;

/// Minimum time between two moves. When every CPU runs a busy thread, moving more often gains nothing.
#[cfg(target_os = "linux")]
const STAYS: std::time::Duration = std::time::Duration::from_millis(10);

/// Moves the collecting thread to another CPU than the recorded one.
pub struct CpuAvoidance {
    /// The CPUs the thread may use.
    #[cfg(target_os = "linux")]
    all: Option<CpuSet>,
    /// The time of the last move.
    #[cfg(target_os = "linux")]
    went: Option<std::time::Instant>,
}

#[cfg(target_os = "linux")]
impl CpuAvoidance {
    /// Reads the affinity of the calling thread; threads it starts inherit it.
    pub fn of_this_thread() -> CpuAvoidance {
        CpuAvoidance { all: rustix::thread::sched_getaffinity(None).ok(), went: None }
    }

    /// Leaves the CPU that `thread` runs on, if another one is available. Does nothing when that CPU is
    /// unknown.
    pub fn leave(&mut self, thread: u64) {
        let Some(mut others) = self.all.filter(|all| all.count() > 1) else { return };
        if self.went.is_some_and(|went| went.elapsed() < STAYS) {
            return;
        }
        let own = rustix::thread::sched_getcpu();
        // `CpuSet` panics for CPU numbers from `MAX_CPU` on.
        if let Some(processor) = runs_on(thread).filter(|of| *of == own && own < CpuSet::MAX_CPU) {
            others.unset(processor);
            self.went = Some(std::time::Instant::now());
            let _ = rustix::thread::sched_setaffinity(None, &others);
        }
    }
}

/// The CPU a thread runs on or last ran on: field 39 of /proc/PID/task/TID/stat (proc(5)).
#[cfg(target_os = "linux")]
fn runs_on(thread: u64) -> Option<usize> {
    let text = std::fs::read_to_string(format!("/proc/{thread}/task/{thread}/stat")).ok()?;
    // Field 2 is the thread's name, which may contain any character.
    let (_, rest) = text.rsplit_once(") ")?;
    rest.split(' ').nth(39 - 3)?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
impl CpuAvoidance {
    /// Does nothing on this system.
    pub fn of_this_thread() -> CpuAvoidance {
        CpuAvoidance {}
    }

    /// This system does not report the CPU of a thread.
    pub fn leave(&mut self, _thread: u64) {}
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    #[test]
    fn the_calling_thread_moves_to_another_cpu() {
        use super::{CpuAvoidance, CpuSet, runs_on};
        use rustix::thread::{gettid, sched_getaffinity, sched_getcpu, sched_setaffinity};
        let all = sched_getaffinity(None).unwrap();
        let (send, receive) = std::sync::mpsc::channel();
        let (done, end) = std::sync::mpsc::channel::<()>();
        let here = sched_getcpu();
        let mut only = CpuSet::new();
        only.set(here);
        let other = std::thread::spawn(move || {
            sched_setaffinity(None, &only).unwrap();
            send.send(gettid().as_raw_nonzero().get()).unwrap();
            let _ = end.recv();
        });
        let number = u64::try_from(receive.recv().unwrap()).unwrap();
        assert_eq!(runs_on(number), Some(here));
        let mut apart = CpuAvoidance::of_this_thread();
        sched_setaffinity(None, &only).unwrap();
        apart.leave(number);
        // The machine may have only one CPU.
        assert_eq!(sched_getcpu() != here, all.count() > 1);
        // A thread that does not exist causes no move.
        let mut apart = CpuAvoidance { went: None, ..apart };
        apart.leave(u64::MAX);
        assert_eq!(apart.went, None);
        sched_setaffinity(None, &all).unwrap();
        drop(done);
        other.join().unwrap();
    }
}
