//! Keeps a thread off the processor on which another one runs.
//!
//! The system wakes a thread where it slept. Whoever takes events out would interrupt the program for that,
//! time and again, while a compiler that has stepped back runs on the next processor.

#[cfg(target_os = "linux")]
use rustix::thread::CpuSet;

/// How long it stays where it has gone: where every processor has such a thread, there is no better place.
#[cfg(target_os = "linux")]
const STAYS: std::time::Duration = std::time::Duration::from_millis(10);

/// Has this thread run elsewhere than others.
pub struct CpuAvoidance {
    /// Where it may run.
    #[cfg(target_os = "linux")]
    all: Option<CpuSet>,
    /// When it went elsewhere last.
    #[cfg(target_os = "linux")]
    went: Option<std::time::Instant>,
}

#[cfg(target_os = "linux")]
impl CpuAvoidance {
    /// Of the thread that calls this, or one that it starts.
    pub fn new() -> CpuAvoidance {
        CpuAvoidance { all: rustix::thread::sched_getaffinity(None).ok(), went: None }
    }

    /// Leaves the processor that it shares with a thread, which has this number, if there is another one.
    /// Where that is not known nothing changes.
    pub fn leave(&mut self, thread: u64) {
        let Some(mut others) = self.all.filter(|all| all.count() > 1) else { return };
        if self.went.is_some_and(|went| went.elapsed() < STAYS) {
            return;
        }
        let own = rustix::thread::sched_getcpu();
        // A set has places for so many, and panics at others.
        if let Some(processor) = runs_on(thread).filter(|of| *of == own && own < CpuSet::MAX_CPU) {
            others.unset(processor);
            self.went = Some(std::time::Instant::now());
            let _ = rustix::thread::sched_setaffinity(None, &others);
        }
    }
}

/// The processor on which a thread runs, or did last: proc(5), the 39th of its numbers.
#[cfg(target_os = "linux")]
fn runs_on(thread: u64) -> Option<usize> {
    let text = std::fs::read_to_string(format!("/proc/{thread}/task/{thread}/stat")).ok()?;
    // The second one is its name, which may have anything in it.
    let (_, rest) = text.rsplit_once(") ")?;
    rest.split(' ').nth(39 - 3)?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
impl CpuAvoidance {
    /// Of the thread that calls this, or one that it starts.
    pub fn new() -> CpuAvoidance {
        CpuAvoidance {}
    }

    /// Other systems do not tell where a thread runs.
    pub fn leave(&mut self, _thread: u64) {}
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_leaves_the_processor_of_another_one() {
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
        let mut apart = CpuAvoidance::new();
        sched_setaffinity(None, &only).unwrap();
        apart.leave(number);
        // There may be no other one.
        assert_eq!(sched_getcpu() != here, all.count() > 1);
        // It is not sent after one that is not there.
        let mut apart = CpuAvoidance { went: None, ..apart };
        apart.leave(u64::MAX);
        assert_eq!(apart.went, None);
        sched_setaffinity(None, &all).unwrap();
        drop(done);
        other.join().unwrap();
    }
}
