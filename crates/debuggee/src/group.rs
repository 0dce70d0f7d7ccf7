//! Runs one command as a process group: starts it, waits for it, signals it and ends it as a whole.

use super::guardian::Guardian;
use super::output::{Output, Stream};
use super::stdin::Stdin;
use platform::processes::{self, Environment};
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use std::fmt;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};
use tokio::task::{AbortHandle, JoinSet};

/// The environment variable that marks all descendants of a command, including those that leave its group.
const MARK: &str = "QUERYPOINT_GROUP";
/// How long to wait for output after the process has ended while its children still hold its pipes.
const LATE_OUTPUT: Duration = Duration::from_millis(200);
/// How long to wait for killed processes when the group is dropped.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Its exit code, unless a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl Exit {
    /// Whether the exit code is 0.
    pub fn success(&self) -> bool {
        self.code == Some(0)
    }
}

impl From<std::process::ExitStatus> for Exit {
    fn from(status: std::process::ExitStatus) -> Exit {
        Exit { code: status.code(), signal: std::os::unix::process::ExitStatusExt::signal(&status) }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, "exit code {code}"),
            (_, Some(signal)) => write!(f, "signal {signal}"),
            _ => f.write_str("an unknown status"),
        }
    }
}

/// The command to start and its environment.
pub(super) struct Spec<'a> {
    /// The executable file.
    pub program: PathBuf,
    /// The whole command; its first word becomes `argv[0]`.
    pub command: &'a [String],
    pub cwd: &'a std::path::Path,
    pub env: &'a [(String, String)],
    pub stdin: Stdin,
    /// The mark differs between groups but not between runs: a changing environment could change the program.
    pub mark: String,
}

/// A running command. Dropping it kills everything it started.
#[derive(Debug)]
pub(super) struct Group {
    child: Child,
    pid: Pid,
    mark: String,
    output: Output,
    tasks: JoinSet<()>,
    feeder: Option<AbortHandle>,
    exit: Option<Exit>,
    /// Whether the group id is still ours: the leader is not reaped, or other processes were in the group
    /// then.
    named: bool,
    /// Whether all processes have been killed.
    ended: bool,
    guardian: Arc<Guardian>,
}

impl Group {
    pub fn spawn(spec: Spec<'_>, output: Output, guardian: Arc<Guardian>) -> std::io::Result<Group> {
        let mut command = Command::new(&spec.program);
        command.args(spec.command.iter().skip(1)).current_dir(spec.cwd);
        if let Some(name) = spec.command.first() {
            command.arg0(name);
        }
        command.envs(spec.env.iter().map(|(k, v)| (k, v))).env(MARK, &spec.mark);
        command.stdin(if matches!(spec.stdin, Stdin::Null) { Stdio::null() } else { Stdio::piped() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).kill_on_drop(true);
        guardian.guard(&mut command);
        let mut child = command.spawn()?;
        let number = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let pid = number.ok_or_else(|| std::io::Error::other("the process has no id"))?;
        let mut tasks = JoinSet::new();
        if let Some(pipe) = child.stdout.take() {
            tasks.spawn(output.clone().drain(Stream::Out, pipe));
        }
        if let Some(pipe) = child.stderr.take() {
            tasks.spawn(output.clone().drain(Stream::Err, pipe));
        }
        // The feeder is not among `tasks`: `wait` must not wait for input that the process does not read.
        let feeder = child.stdin.take().map(|pipe| tokio::spawn(spec.stdin.feed(pipe)).abort_handle());
        Ok(Group {
            child,
            pid,
            mark: spec.mark,
            output,
            tasks,
            feeder,
            exit: None,
            named: true,
            ended: false,
            guardian,
        })
    }

    pub fn pid(&self) -> u32 {
        self.pid.as_raw_pid().unsigned_abs()
    }

    pub fn mark(&self) -> &str {
        &self.mark
    }

    pub fn output(&self) -> &Output {
        &self.output
    }

    /// Waits for the end of the leader and of its output. Cancel-safe. Returns at once if the leader has
    /// ended.
    pub async fn wait(&mut self) -> Exit {
        let exit = match self.exit {
            Some(exit) => exit,
            None => {
                // Waiting fails only if other code has reaped the child: it has ended with an unknown status.
                let exit = self.child.wait().await.map_or(Exit { code: None, signal: None }, Exit::from);
                self.reaped(exit);
                exit
            }
        };
        let all = async { while self.tasks.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(LATE_OUTPUT, all).await;
        exit
    }

    /// How the leader ended, if it has.
    pub fn exited(&mut self) -> Option<Exit> {
        if self.exit.is_none()
            && let Ok(Some(status)) = self.child.try_wait()
        {
            self.reaped(status.into());
        }
        self.exit
    }

    fn reaped(&mut self, exit: Exit) {
        self.exit = Some(exit);
        self.named = group_lives(self.pid);
    }

    /// Whether any process of the group still runs, its leader included.
    pub fn alive(&self) -> bool {
        self.exit.is_none() || (self.named && group_lives(self.pid))
    }

    /// Sends SIGTERM to the group, waits up to `grace`, then kills the remaining processes.
    pub async fn stop(&mut self, grace: Duration) -> Exit {
        if self.named && !grace.is_zero() {
            let _ = kill_process_group(self.pid, Signal::TERM);
            let deadline = Instant::now() + grace;
            let _ = tokio::time::timeout(grace, self.wait()).await;
            while self.alive() && Instant::now() < deadline {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
        self.kill();
        self.wait().await
    }

    /// Sends SIGTERM to the group without waiting.
    pub fn ask_to_end(&self) {
        if self.named {
            // ESRCH: the group has already ended.
            let _ = kill_process_group(self.pid, Signal::TERM);
        }
    }

    /// Kills all processes and waits for their end; a large VM needs time to free its memory. Blocks the
    /// thread.
    fn kill(&mut self) {
        // Kill the marked processes first: an exiting process no longer has an environment.
        let mut killed = kill_marked(&self.mark);
        if self.named {
            killed.extend(members(self.pid));
            // ESRCH: the group has already ended.
            let _ = kill_process_group(self.pid, Signal::KILL);
        }
        let deadline = Instant::now() + LAST_WAIT;
        let lives = |pid: &u32| processes::stat(*pid).is_some_and(|s| !s.dead);
        while (killed.iter().any(lives) || (self.named && group_lives(self.pid))) && Instant::now() < deadline
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        killed.retain(|pid| !lives(pid));
        super::perf_data::remove(&killed);
        self.ended = true;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(feeder) = &self.feeder {
            feeder.abort();
        }
        if !self.ended {
            self.kill();
        }
        let deadline = Instant::now() + LAST_WAIT;
        while self.exit.is_none() && Instant::now() < deadline {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(1)),
                Ok(Some(status)) => self.exit = Some(status.into()),
                Err(_) => break,
            }
        }
        self.guardian.remove(self.pid());
    }
}

/// Whether a process of the group still runs. An unreaped process (in a container without an init) still
/// counts for `kill`, so what the system reports is read as well.
fn group_lives(group: Pid) -> bool {
    if test_kill_process_group(group).is_err() {
        return false;
    }
    !processes::are_known() || members(group).next().is_some()
}

/// The running processes of a group; empty when the system does not report them.
fn members(group: Pid) -> impl Iterator<Item = u32> {
    let number = group.as_raw_pid().unsigned_abs();
    let living = move |pid: &u32| processes::stat(*pid).is_some_and(|s| s.group == number && !s.dead);
    processes::all().filter(living)
}

/// Whether the command with this mark started the process with this environment, directly or indirectly.
pub(super) fn carries_mark(environment: &Environment, mark: &str) -> bool {
    environment.value(MARK).as_deref() == Some(mark)
}

/// Kills all processes with a mark. Returns the killed ones.
fn kill_marked(mark: &str) -> Vec<u32> {
    processes::kill_chosen(|environment| carries_mark(environment, mark))
}
