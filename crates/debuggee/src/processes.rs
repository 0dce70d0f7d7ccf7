//! The processes of the system, and those of a command, which carry its mark in their environment.

#[cfg(target_os = "linux")]
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// The environment variable that marks all descendants of a command, including those that leave its group.
pub(super) const MARK: &str = "QUERYPOINT_GROUP";

/// The ids of all processes, from `/proc`.
pub(super) fn processes() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|e| e.file_name().to_str()?.parse().ok())
}

/// Fields of `/proc/PID/stat`.
pub(super) struct Stat {
    pub parent: u32,
    pub group: u32,
    /// The process has ended but is not yet reaped.
    pub dead: bool,
}

/// Reads fields 3 to 5. Field 2 may contain spaces and parentheses; it ends at the last `)`.
pub(super) fn stat(pid: u32) -> Option<Stat> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let dead = matches!(fields.next()?, "Z" | "X");
    Some(Stat { parent: fields.next()?.parse().ok()?, group: fields.next()?.parse().ok()?, dead })
}

/// Whether the command with this mark started the process, directly or indirectly.
#[cfg(target_os = "linux")]
pub(super) fn carries_mark(pid: u32, mark: &str) -> bool {
    let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else { return false };
    let wanted = format!("{MARK}={mark}");
    environment.split(|b| *b == 0).any(|variable| variable == wanted.as_bytes())
}

/// Kills all marked processes, repeatedly, since one may start another meanwhile. Returns the killed
/// ones.
#[cfg(target_os = "linux")]
pub(super) fn kill_marked(mark: &str) -> Vec<u32> {
    let mut killed = Vec::new();
    for _ in 0..20 {
        let before = killed.len();
        for pid in processes() {
            let raw = i32::try_from(pid).ok().and_then(Pid::from_raw);
            // Open the descriptor before reading the environment: the pid then cannot pass to another
            // process.
            let Some(fd) = raw.and_then(|p| pidfd_open(p, PidfdFlags::empty()).ok()) else { continue };
            if carries_mark(pid, mark) && pidfd_send_signal(&fd, Signal::KILL).is_ok() {
                killed.push(pid);
            }
        }
        if killed.len() == before {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    killed
}

/// On this system, a process that leaves its group cannot be found.
#[cfg(not(target_os = "linux"))]
pub(super) fn carries_mark(_pid: u32, _mark: &str) -> bool {
    false
}

/// As [`carries_mark`].
#[cfg(not(target_os = "linux"))]
pub(super) fn kill_marked(_mark: &str) -> Vec<u32> {
    Vec::new()
}
