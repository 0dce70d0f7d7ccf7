//! Finds the VM of a remote program: one that listens, and stands still at its start.
//!
//! A VM with `server=y` listens again when its debugger has gone, so the one that answers may be that of the
//! run before. Only a VM whose program has not begun is taken, and it is known by what it says: its first
//! event is `VmStart`, and suspends it. One that has begun does not say so, but in most the launcher's class
//! is there, which is loaded after that event; where it is not (another launcher), the event is waited for,
//! and its absence tells.

use super::error::RunError;
use super::greeting::{Greeted, LINGER, facts};
use crate::debuggee::{PortState, Remote, Running};
use jdwp::commands::virtual_machine;
use jdwp::{Connection, Event, HandshakeError, SuspendPolicy};
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// How long a VM may take to greet, to answer a first question, and to say that it has started.
const ANSWER: Duration = Duration::from_secs(5);
/// How long after a connection that was refused the next is tried.
const SHORT: Duration = Duration::from_millis(50);
/// Most time between two tries. Who answers and is not meant is not asked more often.
const LONG: Duration = Duration::from_secs(1);
/// How long a running VM must have been there to be the one that was started.
const SURELY: Duration = Duration::from_secs(3);
/// How long a VM that was there as soon as `relaunch` was started must outlive it: it is hardly a new one,
/// and about to be ended.
const STAYS: Duration = Duration::from_secs(10);
/// How late the end of a VM can be heard of.
const LATE: Duration = Duration::from_millis(200);
/// A class of the `java` launcher, which has it loaded when the VM has started.
const LAUNCHER: &str = "Lsun/launcher/LauncherHelper;";

/// Connects until a VM stands still at its start.
///
/// # Errors
/// `relaunch` fails, no such VM comes, or the one that was started runs already.
pub(super) async fn find(running: &mut Running, deadline: Instant) -> Result<Greeted, RunError> {
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
                // It stands still, so all it can say is that it has ended.
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

/// What was seen so far.
struct Search {
    seen: Option<PortState>,
    /// Whether something else than a VM at its start was there since `relaunch` was started: such a VM is a
    /// new one.
    was_other: bool,
    /// Since when a VM runs that cannot be one of before.
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

    /// Whether waiting for something else is of no use.
    fn is_in_vain(&self) -> bool {
        self.seen == Some(PortState::NoAgent)
            || self.runs_since.is_some_and(|since| since.elapsed() >= SURELY)
    }
}

async fn try_once(remote: &Remote) -> Result<Greeted, PortState> {
    let stream = remote.connect().await.map_err(|error| PortState::Nothing(error.to_string()))?;
    let options =
        jdwp::Options { handshake_timeout: Some(ANSWER), linger: LINGER, ..jdwp::Options::default() };
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
        Ok(Ok(facts)) => Ok(Greeted { conn, events, start, facts, process: None }),
        Ok(Err(_)) => Err(PortState::Closed),
        Err(_) => Err(PortState::Silent),
    }
}

/// Lets a VM that is not meant go on as if nobody had been there.
async fn let_go(conn: &Connection, seen: PortState) -> PortState {
    drop(timeout(ANSWER, conn.send(virtual_machine::Dispose {})).await);
    conn.close();
    seen
}
