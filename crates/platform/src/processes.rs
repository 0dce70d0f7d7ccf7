//! The processes of the system: which there are, what they were started with, and their end.

use crate::PROC;
use std::path::{Path, PathBuf};

/// The ids of all processes; none if the system does not report them.
pub fn all() -> impl Iterator<Item = u32> {
    all_in(Path::new(PROC))
}

fn all_in(proc: &Path) -> impl Iterator<Item = u32> + use<> {
    let entries = std::fs::read_dir(proc).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Whether the system reports its processes.
pub fn are_known() -> bool {
    Path::new(PROC).join("self/stat").exists()
}

/// The state of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The process that started it, or that took it over.
    pub parent: u32,
    /// Its process group.
    pub group: u32,
    /// Whether it has ended but is not yet reaped.
    pub dead: bool,
}

/// The state of a process; `None` if there is no such process, or the system does not report it.
pub fn stat(pid: u32) -> Option<Stat> {
    stat_in(Path::new(PROC), pid)
}

/// Reads fields 3 to 5 of `/proc/PID/stat`. Field 2 may contain spaces and parentheses; it ends at the last
/// `)`.
fn stat_in(proc: &Path, pid: u32) -> Option<Stat> {
    let text = std::fs::read_to_string(of(proc, pid, "stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let dead = matches!(fields.next()?, "Z" | "X");
    Some(Stat { parent: fields.next()?.parse().ok()?, group: fields.next()?.parse().ok()?, dead })
}

/// The file of a process with this name.
fn of(proc: &Path, pid: u32, name: &str) -> PathBuf {
    proc.join(pid.to_string()).join(name)
}

/// The name of a process's executable, at most 15 bytes; empty if it is unknown.
pub fn name(pid: u32) -> String {
    let name = std::fs::read_to_string(of(Path::new(PROC), pid, "comm")).unwrap_or_default();
    name.trim_end().to_owned()
}

/// The words of a process's command line; one empty word if it is unknown.
pub fn command_line(pid: u32) -> Vec<String> {
    let bytes = std::fs::read(of(Path::new(PROC), pid, "cmdline")).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.trim_end_matches('\0').split('\0').map(str::to_owned).collect()
}

/// The executable of a process.
pub fn executable(pid: u32) -> Option<PathBuf> {
    std::fs::read_link(of(Path::new(PROC), pid, "exe")).ok()
}

/// The file of a library that a process has loaded, by its file name, where the system reports it.
pub fn loaded_library(pid: u32, name: &str) -> Option<PathBuf> {
    let maps = std::fs::read_to_string(of(Path::new(PROC), pid, "maps")).ok()?;
    let files = maps.lines().filter_map(|line| Some(Path::new(line.get(line.find('/')?..)?)));
    files.into_iter().find(|file| file.file_name().is_some_and(|found| found == name)).map(Path::to_owned)
}

/// The working folder of a process.
pub fn folder(pid: u32) -> Option<PathBuf> {
    std::fs::read_link(of(Path::new(PROC), pid, "cwd")).ok()
}

/// The environment a process was started with.
pub struct Environment(Vec<u8>);

/// The environment a process was started with; empty if it is unknown.
pub fn environment(pid: u32) -> Environment {
    environment_in(Path::new(PROC), pid)
}

fn environment_in(proc: &Path, pid: u32) -> Environment {
    Environment(std::fs::read(of(proc, pid, "environ")).unwrap_or_default())
}

impl Environment {
    /// The value of a variable.
    pub fn value(&self, name: &str) -> Option<String> {
        let variables = self.0.split(|byte| *byte == 0);
        let mut values =
            variables.filter_map(|variable| variable.strip_prefix(name.as_bytes())?.strip_prefix(b"="));
        values.next().map(|value| String::from_utf8_lossy(value).into_owned())
    }
}

/// Kills the processes that a function chooses by their environment, repeatedly, since one may start another
/// meanwhile. Returns the killed ones. On a system that does not report its processes, it finds none.
#[cfg(target_os = "linux")]
pub fn kill_chosen(is_chosen: impl Fn(&Environment) -> bool) -> Vec<u32> {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
    let mut killed = Vec::new();
    for _ in 0..20 {
        let before = killed.len();
        for pid in all() {
            let raw = i32::try_from(pid).ok().and_then(Pid::from_raw);
            // Open the descriptor before reading the environment: the pid then cannot pass to another
            // process.
            let Some(fd) = raw.and_then(|p| pidfd_open(p, PidfdFlags::empty()).ok()) else { continue };
            if is_chosen(&environment(pid)) && pidfd_send_signal(&fd, Signal::KILL).is_ok() {
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

/// On this system, a process that leaves its group is not found.
#[cfg(not(target_os = "linux"))]
pub fn kill_chosen(_is_chosen: impl Fn(&Environment) -> bool) -> Vec<u32> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_hides_no_field() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("7")).unwrap();
        std::fs::write(of(folder.path(), 7, "stat"), "7 (a) b) c) Z 3 5 0 0").unwrap();
        std::fs::write(of(folder.path(), 7, "environ"), "A=1\0AB=2\0").unwrap();
        std::fs::write(folder.path().join("uptime"), "").unwrap();
        assert_eq!(stat_in(folder.path(), 7), Some(Stat { parent: 3, group: 5, dead: true }));
        assert_eq!(all_in(folder.path()).collect::<Vec<_>>(), [7]);
        let environment = environment_in(folder.path(), 7);
        assert_eq!(environment.value("AB").as_deref(), Some("2"));
        assert_eq!(environment.value("B"), None);
    }

    #[test]
    fn a_system_that_reports_no_processes_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let proc = folder.path().join("proc");
        assert_eq!(all_in(&proc).count(), 0);
        assert_eq!(stat_in(&proc, std::process::id()), None);
        assert_eq!(environment_in(&proc, std::process::id()).value("PATH"), None);
    }
}
