//! One run: the debuggee's processes from launch to end.

use super::error::{DebuggeeError, ForeignConnections, OtherConnections, SeenVm, Step, note_vm};
use super::group::{Exit, Group};
use super::no_waiting_vm::{NoWaitingVm, PortState};
use super::output::{Forward, Tail};
use super::peer::{ForeignProcess, Identity, Peer, identify, is_build_tool};
use super::remote::Remote;
use super::stdin::Stdin;
use super::template::Template;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};

/// How long the program may go on after its driver has ended.
const AFTER_DRIVE: Duration = Duration::from_millis(500);

/// A launched debuggee. Dropping it kills all its processes; [`Running::stop`] asks them to end first.
#[derive(Debug)]
pub struct Running {
    template: Arc<Template>,
    group: Group,
    drive: Option<Group>,
    started: Instant,
    others: OtherConnections,
    asked_to_end: bool,
}

/// An ended debuggee, of which no process is left.
#[derive(Clone, Debug)]
pub struct Exited {
    /// How its first process ended.
    pub exit: Exit,
    /// Its last output.
    pub tail: Tail,
    /// Time from launch to end.
    pub elapsed: Duration,
}

/// The outcome of driving a program.
#[derive(Debug)]
pub enum DriveOutcome {
    /// The driver could not be started or failed.
    Failed(DebuggeeError),
    /// The driver has ended, and the remote program cannot be asked to end.
    Finished,
}

/// A connection from one of the debuggee's VMs.
#[derive(Debug)]
pub struct Incoming {
    /// The connection, before the JDWP handshake.
    pub stream: TcpStream,
    /// The connecting process, where the system reports it.
    pub peer: Option<Peer>,
    /// Whether `jvm` selects this VM; always true without `jvm`. Release other VMs by handshake and Dispose:
    /// a VM whose debugger hangs up before the handshake ends.
    pub wanted: bool,
}

/// Accepts connections of a debuggee's processes and rejects all others.
#[derive(Debug)]
pub struct ConnectionFilter {
    leader: u32,
    mark: String,
    /// The rejected connections.
    pub foreign: ForeignConnections,
    /// The first few VMs that were accepted, without those of build tools.
    pub accepted: Vec<SeenVm>,
    /// When the command was launched.
    launched: Instant,
}

impl ConnectionFilter {
    /// A connection that comes from one of the debuggee's processes. Call it before any read or write.
    pub fn admit(&mut self, stream: TcpStream) -> Option<Incoming> {
        let identity = match (stream.local_addr(), stream.peer_addr()) {
            (Ok(local), Ok(remote)) => identify(local, remote, self.leader, &self.mark),
            _ => Identity::Foreign(ForeignProcess::Gone),
        };
        let peer = match identity {
            Identity::Foreign(stranger) => {
                self.foreign.add(&stranger);
                return None;
            }
            Identity::Ours(peer) => Some(*peer),
            Identity::Unknown => None,
        };
        if let Some(peer) = peer.as_ref().filter(|peer| !peer.is_build_tool()) {
            note_vm(&mut self.accepted, peer.name(), self.launched.elapsed());
        }
        Some(Incoming { stream, peer, wanted: false })
    }
}

impl Running {
    pub(super) fn new(template: Arc<Template>, group: Group) -> Running {
        Running {
            template,
            group,
            drive: None,
            started: Instant::now(),
            others: OtherConnections::default(),
            asked_to_end: false,
        }
    }

    /// Process id of the command, which is also its group id; the VM may have another one ([`Peer::pid`]).
    pub fn pid(&self) -> u32 {
        self.group.pid()
    }

    /// The command as written.
    pub fn command(&self) -> String {
        self.template.settings().command.join(" ")
    }

    /// The end of its output so far.
    pub fn tail(&self) -> Tail {
        self.group.output().tail()
    }

    /// Time since the launch.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Waits for the next VM of this debuggee on `listener`. Closes and counts connections of other
    /// processes. Cancel-safe.
    ///
    /// # Errors
    /// The debuggee ends first, or `limit` passes.
    pub async fn accept(
        &mut self,
        listener: &TcpListener,
        limit: Duration,
    ) -> Result<Incoming, DebuggeeError> {
        let timeout = tokio::time::sleep(limit);
        tokio::pin!(timeout);
        loop {
            tokio::select! {
                // Prefer the connection, so that a VM that connected and ended is not reported as never
                // connected.
                biased;
                accepted = listener.accept() => {
                    let (stream, remote) = accepted.map_err(DebuggeeError::Socket)?;
                    let local = stream.local_addr().map_err(DebuggeeError::Socket)?;
                    match self.judge(local, remote) {
                        Ok((peer, wanted)) => {
                            if let (false, Some(peer)) = (wanted, &peer) {
                                note_vm(&mut self.others.unwanted, peer.name(), self.started.elapsed());
                            }
                            return Ok(Incoming { stream, peer, wanted });
                        }
                        Err(stranger) => self.others.foreign.add(&stranger),
                    }
                }
                exit = ended(&mut self.group) => return Err(self.ended_early(exit)),
                () = &mut timeout => return Err(self.no_connection(limit)),
            }
            // Check for the end and the limit between any number of foreign connections.
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
        // The remaining limit is slightly below a whole number of seconds.
        let seconds = limit.saturating_add(Duration::from_millis(999)).as_secs();
        DebuggeeError::NoConnection { command: self.command(), seconds, others, tail }
    }

    fn judge(&self, local: SocketAddr, remote: SocketAddr) -> Result<(Option<Peer>, bool), ForeignProcess> {
        match identify(local, remote, self.group.pid(), self.group.mark()) {
            Identity::Ours(peer) => {
                let wanted = match self.template.jvm() {
                    Some(pattern) => peer.matches(pattern),
                    None => !(peer.is_build_tool() && self.template.is_wrapper()),
                };
                Ok((Some(*peer), wanted))
            }
            Identity::Unknown => Ok((None, true)),
            Identity::Foreign(stranger) => Err(stranger),
        }
    }

    /// Whether `jvm` selects the VM.
    pub fn selects(&self) -> bool {
        self.template.jvm().is_some()
    }

    /// The first few VMs that `jvm` does not select, without those of build tools.
    pub fn unselected(&self) -> Vec<SeenVm> {
        self.others.unwanted.iter().filter(|vm| !is_build_tool(&vm.main)).cloned().collect()
    }

    /// A filter that recognises the debuggee's processes while it runs.
    pub fn connection_filter(&self) -> ConnectionFilter {
        ConnectionFilter {
            leader: self.group.pid(),
            mark: self.group.mark().to_owned(),
            foreign: ForeignConnections::default(),
            accepted: Vec::new(),
            launched: self.started,
        }
    }

    /// The remote program, if there is one.
    pub fn remote(&self) -> Option<Remote> {
        self.template.settings().remote.clone()
    }

    /// Resolves only when `relaunch` fails. Cancel-safe.
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

    /// The error that no VM of the remote program waits to be attached to.
    pub fn no_waiting_vm(&mut self, seen: PortState) -> DebuggeeError {
        let address = self.remote().map(|remote| remote.to_string()).unwrap_or_default();
        // The elapsed time is slightly above a whole number of seconds.
        let seconds = (self.elapsed() + Duration::from_millis(500)).as_secs();
        let exit = self.exited();
        let (command, tail) = (self.command(), self.tail());
        DebuggeeError::NoWaitingVm(Box::new(NoWaitingVm { address, seen, seconds, command, exit, tail }))
    }

    /// Drives the program: waits until it is ready and runs `drive`. A program with `ready` runs
    /// indefinitely, so it is then asked to end. `QUERYPOINT_PID` gives the driver the process id of the
    /// debuggee or of `relaunch`. Never resolves if there is nothing to report.
    pub async fn drive(&mut self, forward: Option<Forward>) -> DriveOutcome {
        let template = self.template.clone();
        let settings = template.settings();
        let Some(command) = &settings.drive else { return std::future::pending().await };
        // A halted run that goes on already has its driver.
        if self.drive.is_none() {
            if let Some(ready) = &settings.ready {
                ready.wait(self.group.output(), settings.remote.as_ref()).await;
            }
            let pid = [("QUERYPOINT_PID".to_owned(), self.pid().to_string())];
            match self.template.spawn(Step::Drive, command, Stdin::Null, &pid, forward) {
                Ok(group) => self.drive = Some(group),
                Err(error) => return DriveOutcome::Failed(error),
            }
        }
        if settings.ready.is_some()
            && !self.asked_to_end
            && let Some(group) = &mut self.drive
            && group.wait().await.success()
        {
            // The program may still process the driver's last request.
            tokio::time::sleep(AFTER_DRIVE).await;
            self.asked_to_end = true;
            if settings.remote.is_some() {
                return DriveOutcome::Finished;
            }
            self.group.ask_to_end();
        }
        DriveOutcome::Failed(drive_failed(&mut self.drive, &self.template).await)
    }

    /// Whether the driver had ended and the program was then asked to end.
    pub fn was_asked_to_end(&self) -> bool {
        self.asked_to_end
    }

    /// Waits for the end of the command. Cancel-safe.
    pub async fn wait_exit(&mut self) -> Exit {
        self.group.wait().await
    }

    /// Ends the run: sends SIGTERM to every process, kills the remaining ones after `grace`, and waits for
    /// their end. A VM that a debugger suspends ignores the signal: close its connection first. The driver is
    /// killed.
    pub async fn stop(mut self, grace: Duration) -> Exited {
        drop(self.drive.take());
        let exit = self.group.stop(grace).await;
        Exited { exit, tail: self.tail(), elapsed: self.elapsed() }
    }
}

/// Resolves when no process of the group is left: a wrapper may start the VM in the background and end.
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
