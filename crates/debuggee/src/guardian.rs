//! The guardian kills the process groups of a debuggee when `qp` dies without ending them, even by SIGKILL.
//!
//! It is a shell that reads group ids from a pipe. When `qp` ends in any way, the system closes the pipe, and
//! the shell kills the remaining groups. A group announces itself before its program begins, while it still
//! holds the pipe open: no end of `qp` leaves a group that the guardian does not know.

use std::io::Write;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

const SCRIPT: &str = r#"trap '' HUP INT TERM
groups=
while read -r op group; do
  case $op in
    add) groups="$groups $group" ;;
    del) left=; for g in $groups; do [ "$g" = "$group" ] || left="$left $g"; done; groups=$left ;;
  esac
done
for g in $groups; do kill -KILL "-$g"; done"#;

/// The guardian starts before the first group, so that every group is guarded. Without a POSIX shell there is
/// none, and all else works.
#[derive(Debug, Default)]
pub(super) struct Guardian(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    #[default]
    Idle,
    Watching(Child, Option<ChildStdin>),
    Unavailable,
}

impl Guardian {
    /// Starts the guardian, unless it runs already.
    pub fn begin(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, State::Idle) {
            *state = start().map_or(State::Unavailable, |mut child| {
                let pipe = child.stdin.take();
                State::Watching(child, pipe)
            });
        }
    }

    /// Lets a command that starts its own group announce it.
    pub fn guard(&self, command: &mut tokio::process::Command) {
        self.begin();
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let State::Watching(_, Some(pipe)) = &*state else { return };
        let pipe = pipe.as_raw_fd();
        // SAFETY: between `fork` and `exec` the closure only asks for a number and writes it to a pipe that
        // the new process has from this one. Both are async-signal-safe (POSIX.1-2017 §2.4.3), and it
        // allocates nothing.
        #[expect(unsafe_code, reason = "only the new process can tell its number in time")]
        unsafe {
            command.pre_exec(move || {
                announce(BorrowedFd::borrow_raw(pipe));
                Ok(())
            });
        }
    }

    pub fn remove(&self, group: u32) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).tell("del", group);
    }
}

impl State {
    fn tell(&mut self, what: &str, group: u32) {
        if let State::Watching(_, Some(pipe)) = self {
            // Ignore the error: a killed guardian does not endanger the run.
            let _ = writeln!(pipe, "{what} {group}");
        }
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        if let State::Watching(child, pipe) = self.0.get_mut().unwrap_or_else(PoisonError::into_inner) {
            drop(pipe.take());
            let _ = child.wait();
        }
    }
}

/// Tells the guardian the number of this process, which is also that of its group.
fn announce(pipe: BorrowedFd<'_>) {
    let mut text = [0; 16];
    let mut rest = text.as_mut_slice();
    let is_whole = writeln!(rest, "add {}", std::process::id()).is_ok();
    let left = rest.len();
    if let Some(text) = text.get(..text.len() - left).filter(|_| is_whole) {
        // Ignore the error: a killed guardian does not endanger the run.
        let _ = rustix::io::write(pipe, text);
    }
}

fn start() -> Option<Child> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", SCRIPT, "querypoint-guardian"]).current_dir("/");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().ok()
}
