//! What can go wrong with a debuggee, and what to do next.

use super::group::Exit;
use super::output::Tail;
use super::peer::Stranger;
use super::remote::NotWaiting;
use crate::classes::JavaCommandError;
use std::fmt;
use std::path::PathBuf;

/// A command of the debuggee besides its own.
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
    /// The compiling of the source file that `command` runs.
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

/// An error of this room. All of them end `qp` with exit code 4.
#[derive(Debug, thiserror::Error)]
pub enum DebuggeeError {
    /// The launch command cannot be used.
    #[error(transparent)]
    Command(#[from] JavaCommandError),
    /// A program of another step does not exist.
    #[error(
        "`{step}`: `{program}` was not found or is not executable; install it, or write its path (relative to `cwd`)"
    )]
    NoProgram {
        /// Which field of the debuggee.
        step: Step,
        /// The first word of its command.
        program: String,
    },
    /// A command of no words.
    #[error("`{0}` is an empty list; write a program and its arguments, or leave the field out")]
    Empty(Step),
    /// The working directory is missing.
    #[error("the working directory `{}` is no folder, or does not exist; correct `cwd` (relative to the chain file) or create it", .0.display())]
    NoCwd(PathBuf),
    /// The command leaves the VM to a daemon, which is not ours to launch or end.
    #[error("`{program}` runs the program in a daemon that outlives it; add `{flag}` to the command")]
    Daemon {
        /// The first word of the command.
        program: String,
        /// What turns the daemon off.
        flag: &'static str,
    },
    /// `jvm` is no class name and no regular expression.
    #[error("`jvm: \"{pattern}\"` is neither a class name nor a regular expression: {reason}")]
    BadJvm {
        /// As written.
        pattern: String,
        /// What the regular expression library says.
        reason: String,
    },
    /// `ready` is no regular expression.
    #[error("`ready: Output(\"{pattern}\")` is no regular expression: {reason}")]
    BadReady {
        /// As written.
        pattern: String,
        /// What the regular expression library says.
        reason: String,
    },
    /// The port that should tell when the program is ready is another's.
    #[error(
        "`ready: Port({0})`: another process listens on this port already; end it, or choose another port"
    )]
    PortTaken(u16),
    /// No folder for the classes of a source file.
    #[error("cannot make a temporary folder: {0}; check TMPDIR, its permissions, and that it has room")]
    TemporaryFolder(#[source] std::io::Error),
    /// The agent is nowhere from where a VM can load it.
    #[error(
        "the agent cannot be put where a VM can load it: {0}; set TMPDIR or XDG_CACHE_HOME to a folder of yours with room"
    )]
    Agent(String),
    /// The system refuses to start a process.
    #[error(
        "`{step}`: cannot start `{program}`: {reason}; check that the file is executable and made for this machine"
    )]
    Spawn {
        /// Which field of the debuggee.
        step: Step,
        /// The first word of its command.
        program: String,
        /// What the system says.
        reason: String,
    },
    /// A build, preparation or driver ended badly.
    #[error("`{step}` failed with {exit}: `{command}`; run it by hand in `cwd` to see why{}", output(tail))]
    Failed {
        /// Which field of the debuggee.
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
        output(tail)
    )]
    TimedOut {
        /// Which field of the debuggee.
        step: Step,
        /// The command as written.
        command: String,
        /// The limit.
        seconds: u64,
        /// Its last output.
        tail: Tail,
    },
    /// The debuggee ended before a VM of it connected.
    #[error(
        "the debuggee ended with {exit} before its VM connected: `{command}`{}",
        early(exit, others, tail)
    )]
    ExitedEarly {
        /// The command as written.
        command: String,
        /// How it ended.
        exit: Exit,
        /// Those who connected and were not meant.
        others: Box<Others>,
        /// Its last output.
        tail: Tail,
    },
    /// No VM of the debuggee connected in time.
    #[error(
        "no VM connected within {seconds} s: `{command}`; if the command starts no VM, or starts it late, correct it or \
         raise `timeout_s`; if it clears the environment, let `JAVA_TOOL_OPTIONS` through{}{}",
        others,
        output(tail)
    )]
    NoConnection {
        /// The command as written.
        command: String,
        /// The limit.
        seconds: u64,
        /// Those who connected and were not meant.
        others: Box<Others>,
        /// Its last output.
        tail: Tail,
    },
    /// The host of a remote program has no address.
    #[error("`attach`: the host `{host}` cannot be found: {reason}; correct its name, or write its address")]
    NoHost {
        /// As written.
        host: String,
        /// What the system says.
        reason: String,
    },
    /// No VM of a remote program could be attached to.
    #[error(transparent)]
    NotWaiting(Box<NotWaiting>),
    /// The socket on which VMs are awaited failed.
    #[error("cannot accept a connection of the debuggee's VM on 127.0.0.1: {0}")]
    Socket(std::io::Error),
}

pub(super) fn output(tail: &Tail) -> String {
    let text = tail.last(20);
    if text.is_empty() { "; it printed nothing".to_owned() } else { format!("\nIts last output:\n{text}") }
}

fn early(exit: &Exit, others: &Others, tail: &Tail) -> String {
    let next = match others.unwanted.is_empty() {
        true if exit.success() => {
            "; a command that only hands the program to another process cannot be watched: write the `java` command itself"
        }
        true => "; run it by hand in `cwd` to see why",
        false => "",
    };
    format!("{next}{others}{}", output(tail))
}

/// Those who connected while the VM that is meant was awaited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Others {
    /// Main classes of the debuggee's VMs that `jvm` does not mean, the first few.
    pub unwanted: Vec<String>,
    /// Those that are not the debuggee's.
    pub strangers: Strangers,
}

/// Connections of processes that the debuggee did not start, or that hung up at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strangers {
    count: u32,
    /// Who they were, the first few.
    named: Vec<String>,
}

impl Strangers {
    /// Adds one.
    pub(super) fn add(&mut self, stranger: &Stranger) {
        self.count = self.count.saturating_add(1);
        let name = stranger.to_string();
        if self.named.len() < Others::NAMED && !self.named.contains(&name) {
            self.named.push(name);
        }
    }

    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl fmt::Display for Strangers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.count == 1 { "connection that was" } else { "connections that were" };
        write!(f, "{} {noun} not the debuggee's: {}", self.count, self.named.join(", "))
    }
}

impl Others {
    /// How many VMs are named.
    const NAMED: usize = 8;

    pub(super) fn add(&mut self, name: String) {
        if self.unwanted.len() < Others::NAMED && !self.unwanted.contains(&name) {
            self.unwanted.push(name);
        }
    }
}

impl fmt::Display for Others {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.unwanted.is_empty() {
            let names = self.unwanted.join("`, `");
            write!(
                f,
                "; it started VMs that `jvm` does not mean: `{names}`; correct `jvm`, or leave it out"
            )?;
        }
        if self.strangers.is_empty() { Ok(()) } else { write!(f, "; it closed {}", self.strangers) }
    }
}
