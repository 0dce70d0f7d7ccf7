//! Other VMs of the command, which are not watched.

use super::greeting::{VmFacts, facts, java_home_of};
use super::recording::Recording;
use classes::ClassPool;
use debuggee::{ConnectionFilter, Incoming, SeenVm};
use jdwp::Connection;
use jdwp::commands::virtual_machine;
use std::path::PathBuf;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

/// How long an unwatched VM may take for the handshake and for each reply. A busy machine can be slow to
/// start one.
const LATE: Duration = Duration::from_secs(10);

/// Maximum number of VMs released concurrently; others wait.
const MOST_RELEASED: usize = 32;

/// A VM of the command that is not watched, suspended at its start. It goes on when this is dropped.
pub struct UnwatchedVm {
    /// Its main class; `None` if the system does not report it.
    pub main: Option<String>,
    /// What it says about itself.
    pub facts: VmFacts,
    process: Option<u32>,
    /// The folder of the plans.
    plans: PathBuf,
    _resumes: oneshot::Sender<()>,
}

impl UnwatchedVm {
    /// Tells its agent what to record, and lets it go on.
    ///
    /// # Errors
    /// The reason why it is not recorded.
    pub fn record(self, recording: &Recording, pool: &ClassPool) -> Result<(), String> {
        // A VM without a known process reads the plan of the watched one.
        let process = self.process.ok_or("the system does not report its process")?;
        recording.begin(&self.plans, Some(process), pool).map(drop)
    }
}

/// Who is told of unwatched VMs before they go on.
#[derive(Clone)]
struct Receiver {
    plans: PathBuf,
    vms: mpsc::Sender<UnwatchedVm>,
}

/// VMs of the command that are not watched. They are released concurrently so that they run freely.
/// Connections from other processes are closed.
pub struct UnwatchedVms {
    socket: TcpListener,
    door: ConnectionFilter,
    released: JoinSet<()>,
    receiver: Option<Receiver>,
}

impl UnwatchedVms {
    /// Accepts the VMs that this filter admits.
    pub fn new(socket: TcpListener, door: ConnectionFilter) -> UnwatchedVms {
        UnwatchedVms { socket, door, released: JoinSet::new(), receiver: None }
    }

    /// Tells of each VM before it goes on. The agent finds plans in this folder.
    #[must_use]
    pub fn told_to(self, vms: mpsc::Sender<UnwatchedVm>, plans: PathBuf) -> UnwatchedVms {
        UnwatchedVms { receiver: Some(Receiver { plans, vms }), ..self }
    }

    /// The socket on which VMs of the command connect.
    pub fn socket(&self) -> &TcpListener {
        &self.socket
    }

    /// A description of the other processes whose connections were closed, if any.
    pub fn strangers(&self) -> Option<String> {
        let strangers = &self.door.foreign;
        (!strangers.is_empty()).then(|| strangers.to_string())
    }

    /// The VMs of the command that ran unwatched beside the watched one.
    pub fn released(&self) -> &[SeenVm] {
        &self.door.accepted
    }

    /// Whether somebody is told of the VMs.
    pub fn are_told(&self) -> bool {
        self.receiver.is_some()
    }

    /// Starts to release a VM of the command, after waiting if too many are in progress. Cancel-safe, except
    /// that the VM is lost.
    pub async fn release(&mut self, vm: Incoming) {
        while self.released.len() >= MOST_RELEASED {
            let _ = self.released.join_next().await;
        }
        while self.released.try_join_next().is_some() {}
        self.released.spawn(release(vm, self.receiver.clone()));
    }
}

/// Releases every other VM of the command. Never resolves. Cancel-safe.
pub async fn let_go(unwatched_vms: Option<&mut UnwatchedVms>) {
    let Some(UnwatchedVms { socket, door, released, receiver }) = unwatched_vms else {
        return std::future::pending().await;
    };
    loop {
        tokio::select! {
            accepted = socket.accept(), if released.len() < MOST_RELEASED => match accepted {
                // An unwanted VM may run, but is not watched.
                Ok((stream, _)) => match door.admit(stream) {
                    Some(vm) => drop(released.spawn(release(vm, receiver.clone()))),
                    None => tokio::task::yield_now().await,
                },
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            },
            Some(_) = released.join_next() => {}
        }
    }
}

/// Releases a VM, after somebody was told of it.
async fn release(vm: Incoming, receiver: Option<Receiver>) {
    let Incoming { stream, peer, .. } = vm;
    let options = jdwp::Options { handshake_timeout: Some(LATE), ..jdwp::Options::default() };
    let Ok((conn, events)) = Connection::handshake(stream, options).await else { return };
    if let Some(Receiver { plans, vms }) = receiver {
        let process = peer.as_ref().map(|peer| peer.pid);
        if let Ok(Ok(facts)) = tokio::time::timeout(LATE, facts(&conn, process.and_then(java_home_of))).await
        {
            let (resumes, resumed) = oneshot::channel();
            let main = peer.map(|peer| peer.name());
            let vm = UnwatchedVm { main, facts, process, plans, _resumes: resumes };
            if vms.send(vm).await.is_ok() {
                // An error means that the VM was dropped, so it goes on.
                let _ = resumed.await;
            }
        }
    }
    release_greeted(&conn, events).await;
}

/// Releases a VM of which no event was read yet. A VM released before its initial suspension would suspend
/// afterwards, and nobody could resume it. So we first wait for its start event.
pub async fn release_greeted(conn: &Connection, mut events: jdwp::Events) {
    drop(tokio::time::timeout(LATE, events.next()).await);
    // Close the connection even if the VM does not answer.
    drop(tokio::time::timeout(LATE, conn.send(virtual_machine::Dispose {})).await);
    conn.close();
}
