//! Other VMs of the command, which are not watched.

use debuggee::ConnectionFilter;
use jdwp::Connection;
use jdwp::commands::virtual_machine;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// How long an unwatched VM may take for the handshake and for each reply. A busy machine can be slow to
/// start one.
const LATE: Duration = Duration::from_secs(10);

/// Maximum number of VMs released concurrently; others wait.
const MOST_RELEASED: usize = 32;

/// VMs of the command that are not watched. They are released concurrently so that they run freely.
/// Connections from other processes are closed.
pub struct UnwatchedVms {
    listener: TcpListener,
    door: ConnectionFilter,
    released: JoinSet<()>,
}

impl UnwatchedVms {
    /// Accepts the VMs that this filter admits.
    pub fn new(listener: TcpListener, door: ConnectionFilter) -> UnwatchedVms {
        UnwatchedVms { listener, door, released: JoinSet::new() }
    }

    /// The socket on which VMs of the command connect.
    pub fn listener(&self) -> &TcpListener {
        &self.listener
    }

    /// A description of the other processes whose connections were closed, if any.
    pub fn strangers(&self) -> Option<String> {
        let strangers = &self.door.foreign;
        (!strangers.is_empty()).then(|| strangers.to_string())
    }

    /// The VMs of the command that ran unwatched beside the watched one, by their main classes.
    pub fn released(&self) -> &[String] {
        &self.door.accepted
    }

    /// Starts to release a VM of the command, after waiting if too many are in progress. Cancel-safe, except
    /// that the VM is lost.
    pub async fn release(&mut self, stream: TcpStream) {
        while self.released.len() >= MOST_RELEASED {
            let _ = self.released.join_next().await;
        }
        while self.released.try_join_next().is_some() {}
        self.released.spawn(release(stream));
    }
}

/// Releases every other VM of the command. Never resolves. Cancel-safe.
pub async fn let_go(unwatched_vms: Option<&mut UnwatchedVms>) {
    let Some(UnwatchedVms { listener, door, released }) = unwatched_vms else {
        return std::future::pending().await;
    };
    loop {
        tokio::select! {
            accepted = listener.accept(), if released.len() < MOST_RELEASED => match accepted {
                // An unwanted VM may run, but is not watched.
                Ok((stream, _)) if door.accepts(&stream) => drop(released.spawn(release(stream))),
                Ok(_) => tokio::task::yield_now().await,
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            },
            Some(_) = released.join_next() => {}
        }
    }
}

/// Releases a VM.
async fn release(stream: TcpStream) {
    let options = jdwp::Options { handshake_timeout: Some(LATE), ..jdwp::Options::default() };
    if let Ok((conn, events)) = Connection::handshake(stream, options).await {
        release_greeted(&conn, events).await;
    }
}

/// Releases a VM of which no event was read yet. A VM released before its initial suspension would suspend
/// afterwards, and nobody could resume it. So we first wait for its start event.
pub async fn release_greeted(conn: &Connection, mut events: jdwp::Events) {
    drop(tokio::time::timeout(LATE, events.next()).await);
    // Close the connection even if the VM does not answer.
    drop(tokio::time::timeout(LATE, conn.send(virtual_machine::Dispose {})).await);
    conn.close();
}
