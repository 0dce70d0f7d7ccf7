//! One run: the debuggee's processes from launch to end.

use super::error::{DebuggeeError, Others, Step, Strangers};
use super::group::{Exit, Group};
use super::output::{Forward, Tail};
use super::peer::{Identity, Peer, Stranger, identify};
use super::remote::{NotWaiting, Remote, Seen};
use super::stdin::Stdin;
use super::template::Template;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};

/// How long a program goes on after its driver has finished.
const AFTER_DRIVE: Duration = Duration::from_millis(500);

/// A launched debuggee. Dropping it kills all its processes; [`Running::stop`] lets them end first.
#[derive(Debug)]
pub struct Running {
    template: Arc<Template>,
    group: Group,
    drive: Option<Group>,
    started: Instant,
    others: Others,
    asked_to_end: bool,
}

/// A debuggee that has ended, and nothing of it is left.
#[derive(Clone, Debug)]
pub struct Exited {
    /// How its first process ended.
    pub exit: Exit,
    /// Its last output.
    pub tail: Tail,
    /// From launch to end.
    pub elapsed: Duration,
}

/// What operating a program has come to.
#[derive(Debug)]
pub enum Driving {
    /// The driver could not be started, or failed.
    Failed(DebuggeeError),
    /// The driver has finished, and the program, which would go on, cannot be asked to end: it is remote.
    Finished,
}

/// A connection of one of the debuggee's VMs.
#[derive(Debug)]
pub struct Incoming {
    /// The connection, before the JDWP handshake.
    pub stream: TcpStream,
    /// Who connected, where the system tells.
    pub peer: Option<Peer>,
    /// Whether it is the VM that `jvm` means; always, without `jvm`. Others must be let go: handshake, then
    /// Dispose (a VM whose debugger hangs up before the handshake ends).
    pub wanted: bool,
}

/// Tells the connections of a debuggee's processes from those of others.
#[derive(Debug)]
pub struct Doorkeeper {
    leader: u32,
    mark: String,
    /// Those who were not let in.
    pub strangers: Strangers,
}

impl Doorkeeper {
    /// Whether this connection is one of the debuggee's processes. It is not read or written to before that
    /// is known.
    pub fn lets_in(&mut self, stream: &TcpStream) -> bool {
        let identity = match (stream.local_addr(), stream.peer_addr()) {
            (Ok(local), Ok(remote)) => identify(local, remote, self.leader, &self.mark),
            _ => Identity::Foreign(Stranger::Gone),
        };
        match identity {
            Identity::Foreign(stranger) => {
                self.strangers.add(&stranger);
                false
            }
            Identity::Ours(_) | Identity::Unknown => true,
        }
    }
}

impl Running {
    pub(super) fn new(template: Arc<Template>, group: Group) -> Running {
        Running {
            template,
            group,
            drive: None,
            started: Instant::now(),
            others: Others::default(),
            asked_to_end: false,
        }
    }

    /// Process id of the command, which is its group's as well; not always the VM's ([`Peer::pid`]).
    pub fn pid(&self) -> u32 {
        self.group.pid()
    }

    /// The command as it is written.
    pub fn command(&self) -> String {
        self.template.settings().command.join(" ")
    }

    /// The end of what it has printed so far.
    pub fn tail(&self) -> Tail {
        self.group.output().tail()
    }

    /// Since the launch.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Awaits the next VM of this debuggee on `listener`. Connections of processes that are not the
    /// debuggee's are closed and counted, never returned. Cancel-safe.
    ///
    /// # Errors
    /// When the debuggee ends first, or `limit` passes.
    pub async fn accept(
        &mut self,
        listener: &TcpListener,
        limit: Duration,
    ) -> Result<Incoming, DebuggeeError> {
        let timeout = tokio::time::sleep(limit);
        tokio::pin!(timeout);
        loop {
            tokio::select! {
                // A VM that connected and ended is told from one that never connected.
                biased;
                accepted = listener.accept() => {
                    let (stream, remote) = accepted.map_err(DebuggeeError::Socket)?;
                    let local = stream.local_addr().map_err(DebuggeeError::Socket)?;
                    match self.judge(local, remote) {
                        Ok((peer, wanted)) => {
                            if let (false, Some(peer)) = (wanted, &peer) {
                                let class = peer.main.as_ref().and_then(|main| main.class());
                                let name = class.map_or_else(|| peer.command_line.join(" "), str::to_owned);
                                self.others.add(name);
                            }
                            return Ok(Incoming { stream, peer, wanted });
                        }
                        Err(stranger) => self.others.strangers.add(&stranger),
                    }
                }
                exit = ended(&mut self.group) => return Err(self.ended_early(exit)),
                () = &mut timeout => return Err(self.no_connection(limit)),
            }
            // However many strangers come, the end of the program and the limit are seen between them.
            tokio::select! {
                biased;
                exit = ended(&mut self.group) => return Err(self.ended_early(exit)),
                () = &mut timeout => return Err(self.no_connection(limit)),
                () = tokio::task::yield_now() => {}
            }
        }
    }

    fn ended_early(&self, exit: Exit) -> DebuggeeError {
        let (others, tail) = (Box::new(self.others.clone()), self.tail());
        DebuggeeError::ExitedEarly { command: self.command(), exit, others, tail }
    }

    fn no_connection(&self, limit: Duration) -> DebuggeeError {
        let (others, tail) = (Box::new(self.others.clone()), self.tail());
        // What is left of a limit is nearly a whole number of seconds.
        let seconds = limit.saturating_add(Duration::from_millis(999)).as_secs();
        DebuggeeError::NoConnection { command: self.command(), seconds, others, tail }
    }

    fn judge(&self, local: SocketAddr, remote: SocketAddr) -> Result<(Option<Peer>, bool), Stranger> {
        match identify(local, remote, self.group.pid(), self.group.mark()) {
            Identity::Ours(peer) => {
                let wanted = self.template.jvm().is_none_or(|pattern| peer.matches(pattern));
                Ok((Some(*peer), wanted))
            }
            Identity::Unknown => Ok((None, true)),
            Identity::Foreign(stranger) => Err(stranger),
        }
    }

    /// Knows the debuggee's processes from others, as long as it runs.
    pub fn doorkeeper(&self) -> Doorkeeper {
        let (leader, mark) = (self.group.pid(), self.group.mark().to_owned());
        Doorkeeper { leader, mark, strangers: Strangers::default() }
    }

    /// The remote program, if it is one.
    pub fn remote(&self) -> Option<Remote> {
        self.template.settings().remote.clone()
    }

    /// Resolves when `relaunch` fails, and never else. Cancel-safe.
    pub async fn relaunch_failed(&mut self) -> DebuggeeError {
        let exit = self.group.wait().await;
        if exit.success() {
            return std::future::pending().await;
        }
        let (command, tail) = (self.command(), self.tail());
        DebuggeeError::Failed { step: Step::Relaunch, command, exit, tail }
    }

    /// How the command ended, if it has.
    pub fn exited(&mut self) -> Option<Exit> {
        self.group.exited()
    }

    /// That no VM of the remote program waits at its start, in the words of an error.
    pub fn not_waiting(&mut self, seen: Seen) -> DebuggeeError {
        let address = self.remote().map(|remote| remote.to_string()).unwrap_or_default();
        // A limit that has just passed is a whole number of seconds.
        let seconds = (self.elapsed() + Duration::from_millis(500)).as_secs();
        let exit = self.exited();
        let (command, tail) = (self.command(), self.tail());
        DebuggeeError::NotWaiting(Box::new(NotWaiting { address, seen, seconds, command, exit, tail }))
    }

    /// Operates the program: waits until it is ready, runs `drive`, and then asks a program that is driven as
    /// soon as it is `ready` to end, since it would go on for ever. `QUERYPOINT_PID` tells the driver the
    /// debuggee's process id, or that of `relaunch`. Never resolves where there is nothing to say.
    pub async fn drive(&mut self, forward: Option<Forward>) -> Driving {
        let template = self.template.clone();
        let settings = template.settings();
        let Some(command) = &settings.drive else { return std::future::pending().await };
        // A run that was halted and goes on has its driver already.
        if self.drive.is_none() {
            if let Some(ready) = &settings.ready {
                ready.wait(self.group.output(), settings.remote.as_ref()).await;
            }
            let pid = [("QUERYPOINT_PID".to_owned(), self.pid().to_string())];
            match self.template.spawn(Step::Drive, command, Stdin::Null, &pid, forward) {
                Ok(group) => self.drive = Some(group),
                Err(error) => return Driving::Failed(error),
            }
        }
        if settings.ready.is_some()
            && !self.asked_to_end
            && let Some(group) = &mut self.drive
            && group.wait().await.success()
        {
            // What the driver's last request started may still be on its way.
            tokio::time::sleep(AFTER_DRIVE).await;
            self.asked_to_end = true;
            if settings.remote.is_some() {
                return Driving::Finished;
            }
            self.group.ask_to_end();
        }
        Driving::Failed(drive_failed(&mut self.drive, &self.template).await)
    }

    /// Whether the driver had finished and the program was then asked to end.
    pub fn was_asked_to_end(&self) -> bool {
        self.asked_to_end
    }

    /// Waits for the end of the command. Cancel-safe.
    pub async fn wait_exit(&mut self) -> Exit {
        self.group.wait().await
    }

    /// Ends the run: asks every process to end, kills what is left after `grace`, and waits until it is gone.
    /// A VM that a debugger holds suspended does not hear the request: close its connection first. The driver
    /// is killed.
    pub async fn stop(mut self, grace: Duration) -> Exited {
        drop(self.drive.take());
        let exit = self.group.stop(grace).await;
        Exited { exit, tail: self.tail(), elapsed: self.elapsed() }
    }
}

/// Resolves when nothing of the group is left: a wrapper may start the VM in the background and end.
async fn ended(group: &mut Group) -> Exit {
    let exit = group.wait().await;
    while group.alive() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    exit
}

async fn drive_failed(drive: &mut Option<Group>, template: &Template) -> DebuggeeError {
    if let Some(group) = drive {
        let exit = group.wait().await;
        if !exit.success() {
            let command = template.settings().drive.as_deref().unwrap_or_default().join(" ");
            return DebuggeeError::Failed { step: Step::Drive, command, exit, tail: group.output().tail() };
        }
    }
    std::future::pending().await
}
