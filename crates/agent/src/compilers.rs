//! The threads in which the VM compiles: while a run is recorded they leave the processors to the program,
//! where there are not enough of these.
//!
//! A recorded method is longer, and the second compiler is busy for long. It works ahead: what it has not
//! compiled runs meanwhile as the first one has compiled it. On two processors it would take turns with the
//! program, and with what takes events out.

/// How the names of these threads begin, as far as the system keeps them.
#[cfg(target_os = "linux")]
const SECOND: &str = "C2 CompilerThre";
/// By so much they are nicer than they were.
#[cfg(target_os = "linux")]
const NICER: libc::c_int = 10;

/// Has the second compiler's threads step back. Further ones that they start do so too. Where that cannot be
/// done nothing changes.
#[cfg(target_os = "linux")]
pub fn step_back() {
    for task in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let is_it =
            std::fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name.starts_with(SECOND));
        let number = task.file_name().to_str().and_then(|name| name.parse::<libc::id_t>().ok());
        if let (true, Some(number)) = (is_it, number) {
            // SAFETY: these take numbers only. What goes wrong leaves things as they are: so does an old
            // priority of -1.
            unsafe {
                let now = libc::getpriority(libc::PRIO_PROCESS, number);
                libc::setpriority(libc::PRIO_PROCESS, number, now + NICER);
            }
        }
    }
}

/// Other systems do not tell of a VM's threads.
#[cfg(not(target_os = "linux"))]
pub fn step_back() {}
