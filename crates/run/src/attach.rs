//! Finds the VM of a remote program: one that listens for a debugger and is still suspended at its start.
//!
//! A VM with `server=y` listens again after its debugger has disconnected. So the VM that answers may belong
//! to the previous run. We accept only a VM whose program has not begun: its first event is `VmStart`, and
//! that event suspends it. A VM that has begun sends no such event. In most such VMs the launcher's class is
//! loaded, which happens after `VmStart`. A VM started by another launcher lacks that class; we wait for the
//! event and reject the VM if it does not arrive.

use super::error::RunError;
use super::greeting::{SuspendedVm, facts, linger};
use debuggee::{PortState, Remote, Running};
use jdwp::commands::virtual_machine;
use jdwp::{Connection, Event, HandshakeError, SuspendPolicy};
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// How long we wait for a VM's handshake, for its first reply and for its `VmStart` event.
const ANSWER: Duration = Duration::from_secs(5);
/// Pause after a refused connection.
const SHORT: Duration = Duration::from_millis(50);
/// Longest pause between two attempts. We do not ask a wrong VM more often.
const LONG: Duration = Duration::from_secs(1);
/// How long a running VM must be reachable before we conclude that it is the one just started.
const SURELY: Duration = Duration::from_secs(3);
/// How long a VM that answered as soon as `relaunch` was started must survive. It is probably an old VM that
/// is about to end.
const STAYS: Duration = Duration::from_secs(10);
/// Longest delay with which the end of a VM is reported.
const LATE: Duration = Duration::from_millis(200);
/// A class of the `java` launcher, loaded once the VM has started.
const LAUNCHER: &str = "Lsun/launcher/LauncherHelper;";

/// Connects until a VM is found that is suspended at its start.
///
/// # Errors
/// `relaunch` fails, no such VM appears, or the started VM is already running.
pub(super) async fn find(running: &mut Running, deadline: Instant) -> Result<SuspendedVm, RunError> {
    let Some(remote) = running.remote() else { return Err(RunError::Vm(jdwp::Error::VmDead)) };
    let mut search = Search::default();
    loop {
        let tried = tokio::select! {
            failure = running.relaunch_failed() => return Err(failure.into()),
            () = sleep_until(deadline) => return Err(running.no_waiting_vm(search.seen()).into()),
            tried = try_once(&remote) => tried,
        };
        match tried {
            Ok(mut greeted) => {
                if search.was_other || running.exited().is_some() {
                    return Ok(greeted);
                }
                // It is suspended, so the only event it can send is that it has ended.
                let stays = tokio::select! {
                    _ = greeted.events.next() => false,
                    exit = running.wait_exit() => {
                        if !exit.success() {
                            return Err(running.relaunch_failed().await.into());
                        }
                        timeout(LATE, greeted.events.next()).await.is_err()
                    }
                    () = sleep_until(deadline.min(Instant::now() + STAYS)) => true,
                };
                if stays {
                    return Ok(greeted);
                }
                search.note(PortState::Closed, false);
            }
            Err(seen) => search.note(seen, running.exited().is_some()),
        }
        if search.is_in_vain() {
            return Err(running.no_waiting_vm(search.seen()).into());
        }
        tokio::select! {
            failure = running.relaunch_failed() => return Err(failure.into()),
            () = sleep_until(deadline) => return Err(running.no_waiting_vm(search.seen()).into()),
            () = sleep(search.pause) => {}
        }
    }
}

/// The results of the attempts so far.
struct Search {
    seen: Option<PortState>,
    /// Whether anything else than a VM at its start was seen since `relaunch` was started. If so, a VM at its
    /// start is new.
    was_other: bool,
    /// When a running VM was first seen that cannot belong to an earlier run.
    runs_since: Option<Instant>,
    /// Whether the port was free.
    was_free: bool,
    pause: Duration,
}

impl Default for Search {
    fn default() -> Search {
        Search { seen: None, was_other: false, runs_since: None, was_free: false, pause: SHORT }
    }
}

impl Search {
    fn note(&mut self, seen: PortState, relaunched: bool) {
        self.was_other = true;
        match &seen {
            PortState::Running if relaunched || self.was_free => {
                self.runs_since.get_or_insert_with(Instant::now);
            }
            PortState::Running => {}
            PortState::Nothing(_) | PortState::Closed => {
                self.was_free = true;
                self.runs_since = None;
            }
            PortState::NoAgent | PortState::Silent => self.runs_since = None,
        }
        self.pause = match &seen {
            PortState::Nothing(_) => SHORT,
            _ => (self.pause * 2).min(LONG),
        };
        self.seen = Some(seen);
    }

    fn seen(&self) -> PortState {
        self.seen.clone().unwrap_or_else(|| PortState::Nothing("no answer".to_owned()))
    }

    /// Whether further waiting cannot succeed.
    fn is_in_vain(&self) -> bool {
        self.seen == Some(PortState::NoAgent)
            || self.runs_since.is_some_and(|since| since.elapsed() >= SURELY)
    }
}

async fn try_once(remote: &Remote) -> Result<SuspendedVm, PortState> {
    let stream = remote.connect().await.map_err(|error| PortState::Nothing(error.to_string()))?;
    let options =
        jdwp::Options { handshake_timeout: Some(ANSWER), linger: linger(), ..jdwp::Options::default() };
    let (conn, mut events) = Connection::handshake(stream, options).await.map_err(|error| match error {
        jdwp::Error::Handshake(HandshakeError::NotJdwp) => PortState::NoAgent,
        jdwp::Error::Handshake(HandshakeError::TimedOut(_)) => PortState::Silent,
        _ => PortState::Closed,
    })?;
    let launcher = conn.send(virtual_machine::ClassesBySignature { signature: LAUNCHER.to_owned() });
    match timeout(ANSWER, launcher).await {
        Ok(Ok(classes)) if classes.is_empty() => {}
        Ok(Ok(_)) => return Err(let_go(&conn, PortState::Running).await),
        Ok(Err(_)) => return Err(PortState::Closed),
        Err(_) => return Err(PortState::Silent),
    }
    let started = async {
        while let Some(set) = events.next().await? {
            if set.events.iter().any(|e| matches!(e, Event::VmStart { .. })) {
                return Ok(Some(set));
            }
        }
        Err(jdwp::Error::VmDead)
    };
    let start = match timeout(ANSWER, started).await {
        Ok(Ok(set)) => set.filter(|set| set.policy == SuspendPolicy::All),
        Ok(Err(_)) => return Err(PortState::Closed),
        Err(_) => None,
    };
    if start.is_none() {
        return Err(let_go(&conn, PortState::Running).await);
    }
    match timeout(ANSWER, facts(&conn, None)).await {
        Ok(Ok(facts)) => Ok(SuspendedVm { conn, events, start, facts, process: None }),
        Ok(Err(_)) => Err(PortState::Closed),
        Err(_) => Err(PortState::Silent),
    }
}

/// Detaches from a wrong VM so that it continues undisturbed.
async fn let_go(conn: &Connection, seen: PortState) -> PortState {
    drop(timeout(ANSWER, conn.send(virtual_machine::Dispose {})).await);
    conn.close();
    seen
}
