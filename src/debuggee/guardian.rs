//! The guardian kills the process groups of a debuggee when `qp` dies without ending them, even by SIGKILL.
//!
//! It is a shell that reads group ids from a pipe. When `qp` ends in any way, the system closes the pipe, and
//! the shell kills the remaining groups.

use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

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

/// Held while a group is started, until the guardian knows it.
static STARTING: Mutex<()> = Mutex::new(());

/// Starts no further process, and returns when the guardian knows every group. For a process that ends while
/// other threads may start something.
pub fn start_no_more() {
    std::mem::forget(starting());
}

/// Until the result is dropped, the process does not end by [`start_no_more`].
pub(super) fn starting() -> MutexGuard<'static, ()> {
    STARTING.lock().unwrap_or_else(PoisonError::into_inner)
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

    pub fn add(&self, group: u32) {
        self.begin();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).tell("add", group);
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

fn start() -> Option<Child> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", SCRIPT, "querypoint-guardian"]).current_dir("/");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().ok()
}
