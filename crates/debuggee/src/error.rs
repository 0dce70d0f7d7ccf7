//! Errors of building, launching and ending a debuggee, with advice.

use super::group::Exit;
use super::no_waiting_vm::NoWaitingVm;
use super::output::Tail;
use super::peer::ForeignProcess;

use classes::JavaCommandError;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// A command that belongs to the debuggee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// `build`
    Build,
    /// `before_run`
    BeforeRun,
    /// `drive`
    Drive,
    /// `command`
    Command,
    /// `relaunch`
    Relaunch,
    /// Compiling the source file that `command` runs.
    SourceFile,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Step::Build => "build",
            Step::BeforeRun => "before_run",
            Step::Drive => "drive",
            Step::Command => "command",
            Step::Relaunch => "relaunch",
            Step::SourceFile => "compiling the source file of `command`",
        })
    }
}

/// Why a debuggee cannot be built or run. All of these end `qp` with exit code 4.
#[derive(Debug, thiserror::Error)]
pub enum DebuggeeError {
    /// The launch command cannot be used.
    #[error(transparent)]
    Command(#[from] JavaCommandError),
    /// The program of another step does not exist.
    #[error(
        "`{step}`: `{program}` was not found or is not executable; install it, or write its path (relative to `cwd`)"
    )]
    NoProgram {
        /// The debuggee's field.
        step: Step,
        /// The first word of its command.
        program: String,
    },
    /// The command is empty.
    #[error("`{0}` is an empty list; write a program and its arguments, or leave the field out")]
    Empty(Step),
    /// The working directory is missing.
    #[error("the working directory `{}` is not a folder or does not exist; correct `cwd` (relative to the chain file) or create it", .0.display())]
    NoCwd(PathBuf),
    /// The command starts the VM in a daemon, which `qp` can neither launch nor end.
    #[error("`{program}` runs the program in a daemon that outlives it; add `{flag}` to the command")]
    Daemon {
        /// The first word of the command.
        program: String,
        /// The option that disables the daemon.
        flag: &'static str,
    },
    /// `jvm` is neither a class name nor a regular expression.
    #[error("`jvm: \"{pattern}\"` is neither a class name nor a regular expression: {reason}")]
    BadJvm {
        /// The pattern as written.
        pattern: String,
        /// The reason from the regular expression library.
        reason: String,
    },
    /// `ready` is not a regular expression.
    #[error("`ready: Output(\"{pattern}\")` is no regular expression: {reason}")]
    BadReady {
        /// The pattern as written.
        pattern: String,
        /// The reason from the regular expression library.
        reason: String,
    },
    /// Another process already listens on the port of `ready`.
    #[error(
        "`ready: Port({0})`: another process listens on this port already; end it, or choose another port"
    )]
    PortTaken(u16),
    /// No temporary folder can be created for compiled classes or for the agent.
    #[error("cannot make a temporary folder: {0}; check TMPDIR, its permissions, and that it has room")]
    TemporaryFolder(#[source] std::io::Error),
    /// No folder was found from which a VM can load the agent.
    #[error(
        "the agent cannot be unpacked where a VM can load it: {0}; set TMPDIR or XDG_CACHE_HOME to a folder of your own with free space"
    )]
    Agent(String),
    /// The operating system refused to start a process.
    #[error(
        "`{step}`: cannot start `{program}`: {reason}; check that the file is executable and made for this machine"
    )]
    Spawn {
        /// The debuggee's field.
        step: Step,
        /// The first word of its command.
        program: String,
        /// The reason from the operating system.
        reason: String,
    },
    /// A build, preparation or driver command failed.
    #[error("`{step}` failed with {exit}: `{command}`; run it by hand in `cwd` to see why{}", tail.in_error())]
    Failed {
        /// The debuggee's field.
        step: Step,
        /// The command as written.
        command: String,
        /// How it ended.
        exit: Exit,
        /// Its last output.
        tail: Tail,
    },
    /// A step did not end in time.
    #[error(
        "`{step}` did not end within {seconds} s: `{command}`; raise `timeout_s`, or see what it waits for{}",
        tail.in_error()
    )]
    TimedOut {
        /// The debuggee's field.
        step: Step,
        /// The command as written.
        command: String,
        /// The limit.
        seconds: u64,
        /// Its last output.
        tail: Tail,
    },
    /// The debuggee ended before one of its VMs connected.
    #[error(
        "the debuggee ended with {exit} before its VM connected: `{command}`{}",
        early(exit, others, tail)
    )]
    ExitedEarly {
        /// The command as written.
        command: String,
        /// How it ended.
        exit: Exit,
        /// The rejected connections.
        others: Box<OtherConnections>,
        /// Its last output.
        tail: Tail,
    },
    /// No VM of the debuggee connected in time.
    #[error(
        "no VM connected within {seconds} s: `{command}`; if the command starts no VM, or starts it late, correct it or \
         raise `timeout_s`; if it clears the environment, let `JAVA_TOOL_OPTIONS` through{}{}",
        others,
        tail.in_error()
    )]
    NoConnection {
        /// The command as written.
        command: String,
        /// The limit.
        seconds: u64,
        /// The rejected connections.
        others: Box<OtherConnections>,
        /// Its last output.
        tail: Tail,
    },
    /// The host of a remote program has no address.
    #[error("`attach`: the host `{host}` cannot be found: {reason}; correct its name, or write its address")]
    NoHost {
        /// The host as written.
        host: String,
        /// The reason from the operating system.
        reason: String,
    },
    /// No VM of a remote program waits to be attached to.
    #[error(transparent)]
    NoWaitingVm(Box<NoWaitingVm>),
    /// The listening socket for VMs failed.
    #[error("cannot accept a connection of the debuggee's VM on 127.0.0.1: {0}")]
    Socket(std::io::Error),
}

fn early(exit: &Exit, others: &OtherConnections, tail: &Tail) -> String {
    let next = match others.unwanted.is_empty() {
        true if exit.success() => {
            "; a command that only hands the program to another process cannot be watched: write the `java` command itself"
        }
        true => "; run it by hand in `cwd` to see why",
        false => "",
    };
    format!("{next}{others}{}", tail.in_error())
}

/// A VM of the debuggee that was not watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenVm {
    /// Its main class.
    pub main: String,
    /// Time from the launch of the command to the start of the VM.
    pub after: Duration,
}

impl fmt::Display for SeenVm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (started after {:.1} s)", self.main, self.after.as_secs_f64())
    }
}

/// The first VM of each main class, with its time.
pub(super) fn note_vm(seen: &mut Vec<SeenVm>, main: String, after: Duration) {
    if seen.len() < OtherConnections::NAMED && !seen.iter().any(|vm| vm.main == main) {
        seen.push(SeenVm { main, after });
    }
}

/// Connections that were rejected while the wanted VM was awaited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OtherConnections {
    /// The first few VMs of the debuggee that `jvm` does not match.
    pub unwanted: Vec<SeenVm>,
    /// Connections of other processes.
    pub foreign: ForeignConnections,
}

/// Connections of processes that the debuggee did not start, or that hung up at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignConnections {
    count: u32,
    /// The first few of these processes.
    named: Vec<String>,
}

impl ForeignConnections {
    /// Counts a connection.
    pub(super) fn add(&mut self, stranger: &ForeignProcess) {
        self.count = self.count.saturating_add(1);
        let name = stranger.to_string();
        if self.named.len() < OtherConnections::NAMED && !self.named.contains(&name) {
            self.named.push(name);
        }
    }

    /// Whether there were none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl fmt::Display for ForeignConnections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.count == 1 { "connection that was" } else { "connections that were" };
        write!(f, "{} {noun} not the debuggee's: {}", self.count, self.named.join(", "))
    }
}

impl OtherConnections {
    /// Maximum number of names.
    pub(super) const NAMED: usize = 8;
}

impl fmt::Display for OtherConnections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.unwanted.is_empty() {
            let names: Vec<String> = self.unwanted.iter().map(ToString::to_string).collect();
            let names = names.join(", ");
            write!(
                f,
                "; it started VMs that were not selected: {names}; correct `jvm`, or leave it out; a build \
                 tool that runs tests in its own VM must fork them (Surefire: `-DforkCount=1`, Ant: \
                 `<junit fork=\"yes\">`)"
            )?;
        }
        if self.foreign.is_empty() { Ok(()) } else { write!(f, "; it closed {}", self.foreign) }
    }
}
