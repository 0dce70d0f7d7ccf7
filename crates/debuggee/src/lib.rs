//! The debuggee: how it is built, launched, fed, driven and ended (DESIGN §8). This room does not use JDWP.
//!
//! It starts and ends processes and reads their output, and uses `classes` to parse a `java` command line. A
//! debuggee is a typestate: [`Template`] (how to launch) → [`Running`] (the processes of one run) →
//! [`Exited`].
//!
//! For a [`Remote`] program, the command is `relaunch`, which restarts the program elsewhere. Its local
//! processes are ended like those of any command; the program itself is never ended.
//!
//! No process is left behind. Each command is a process group of its own, which is ended in these ways:
//!
//! - [`Running::stop`], or dropping it, signals the whole group, then every process with the group's mark in
//!   its environment (Linux). The mark finds a daemon that left the group with `setsid`.
//! - When `qp` itself is killed, a guardian ends the groups: a shell that waits for the end of a pipe held by
//!   `qp` only. Rejected: `PR_SET_PDEATHSIG` reaches only the direct child, not the JVM below `mvn`, is bound
//!   to the spawning thread, and needs `unsafe`. `PR_SET_CHILD_SUBREAPER` changes the whole process of any
//!   user of this library, and has no effect once `qp` is dead.
//! - Not covered: a process that leaves its group *and* clears its environment; and, if `qp` is killed by
//!   SIGKILL, a process that leaves its group.

mod agent;
mod build;
mod error;
mod group;
mod guardian;
mod launch;
mod no_waiting_vm;
mod output;
mod peer;
mod perf_data;
mod ready;
mod remote;
mod running;
mod script;
mod stand_in;
mod stdin;
mod template;
mod test_runner;
#[cfg(test)]
mod tests;
mod tool;

pub use agent::{Agent, LIBRARY};
pub use build::BuildOutcome;
pub use error::{DebuggeeError, ForeignConnections, OtherConnections, SeenVm, Step};
pub use group::Exit;
pub use no_waiting_vm::{NoWaitingVm, PortState};
pub use output::{Forward, MAX_LINE_BYTES, PrintedDigest, Stream, Tail};
pub use peer::Peer;
pub use ready::Ready;
pub use remote::Remote;
pub use running::{ConnectionFilter, DriveOutcome, Exited, Incoming, Running};
pub use script::Script;
pub use stand_in::stand_in;
pub use stdin::{Stdin, StdinRecording};
pub use template::{Settings, Template};
pub use test_runner::{class_of_test, test_command, tests_of_classes};
pub use tool::run_to_end;
