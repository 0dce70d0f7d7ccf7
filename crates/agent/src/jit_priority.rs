//! The VM's compiler threads. During a recording with too few processors they yield to the program.
//!
//! A recorded method is longer, so the second compiler (C2) is busy for a long time. It works ahead: until it
//! has compiled a method, the first compiler's code runs. On two processors it would compete with the program
//! and with the thread that collects events.

/// The common prefix of these threads' names, as truncated by the operating system.
#[cfg(target_os = "linux")]
const SECOND: &str = "C2 CompilerThre";
/// The increase of their nice value.
#[cfg(target_os = "linux")]
const NICER: libc::c_int = 10;

/// Lowers the priority of the second compiler's threads. Threads that they start later inherit it. On failure
/// nothing changes.
#[cfg(target_os = "linux")]
pub fn step_back() {
    for task in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let is_it =
            std::fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name.starts_with(SECOND));
        let number = task.file_name().to_str().and_then(|name| name.parse::<libc::id_t>().ok());
        if let (true, Some(number)) = (is_it, number) {
            // SAFETY: these functions take only numbers. If the first one fails, so does the second, and
            // nothing changes.
            unsafe {
                let now = libc::getpriority(libc::PRIO_PROCESS, number);
                libc::setpriority(libc::PRIO_PROCESS, number, now + NICER);
            }
        }
    }
}

/// Other operating systems do not list the VM's threads.
#[cfg(not(target_os = "linux"))]
pub fn step_back() {}
