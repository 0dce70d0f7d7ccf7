//! The debuggee: how it is built, launched, fed, driven and ended (DESIGN §8). No JDWP is spoken here.
//!
//! This room starts and ends processes and reads their output; it may use `classes` to read a `java` command
//! line. A debuggee is a typestate: [`Template`] (how to launch) → [`Running`] (one run's processes) →
//! [`Exited`].
//!
//! A [`Remote`] program is not started here but by the command, which is then `relaunch`; what that leaves on
//! this machine is ended as any command's is, and the program itself is not ours to end.
//!
//! Nothing is left behind. Each command is a process group of its own, and is ended three ways:
//! 1. [`Running::stop`], or dropping it, signals the whole group, then every process that carries the group's
//!    mark in its environment (Linux): a daemon that left the group with `setsid` is found by it.
//! 2. When `qp` itself is killed, a guardian ends the groups: a shell that waits for the end of a pipe that
//!    only `qp` holds. The rejected alternatives: `PR_SET_PDEATHSIG` reaches only the direct child, not the
//!    JVM below `mvn`, is bound to the spawning thread, and needs `unsafe`; `PR_SET_CHILD_SUBREAPER` changes
//!    the whole process of anyone who uses this library, and does nothing once `qp` is dead.
//! 3. What escapes both: a process that leaves its group *and* clears its environment; and, when `qp` is
//!    killed by SIGKILL, one that leaves its group.

mod agent;
mod build;
mod error;
mod group;
mod guardian;
mod output;
mod peer;
mod perf_data;
mod ready;
mod remote;
mod running;
mod stdin;
mod template;
#[cfg(test)]
mod tests;

pub use agent::Agent;
pub use build::BuildOutcome;
pub use error::{DebuggeeError, Others, Step, Strangers};
pub use group::Exit;
pub use output::{Forward, Stream, Tail};
pub use peer::Peer;
pub use ready::Ready;
pub use remote::{NotWaiting, Remote, Seen};
pub use running::{Doorkeeper, Driving, Exited, Incoming, Running};
pub use stdin::{Stdin, StdinRecording};
pub use template::{Settings, Template};
