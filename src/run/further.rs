//! Further VMs of the command, which are not watched.

use crate::debuggee::ConnectionFilter;
use jdwp::Connection;
use jdwp::commands::virtual_machine;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// How long a VM that is let go may take for each of its first words: a busy machine can take long to start
/// one.
const LATE: Duration = Duration::from_secs(10);

/// So many VMs are let go side by side; further ones wait for these.
const MOST_RELEASED: usize = 32;

/// VMs of the command that are not watched: they are let go, side by side. Whoever else connects is turned
/// away.
pub struct Further {
    listener: TcpListener,
    door: ConnectionFilter,
    released: JoinSet<()>,
}

impl Further {
    /// Accepts VMs that this door lets in.
    pub fn new(listener: TcpListener, door: ConnectionFilter) -> Further {
        Further { listener, door, released: JoinSet::new() }
    }

    /// Where VMs of the command connect.
    pub fn listener(&self) -> &TcpListener {
        &self.listener
    }

    /// Who else connected and was turned away, in words.
    pub fn strangers(&self) -> Option<String> {
        let strangers = &self.door.foreign;
        (!strangers.is_empty()).then(|| strangers.to_string())
    }

    /// Begins to let a VM of the command go. Waits where many are on their way; cancel-safe but for the VM.
    pub async fn release(&mut self, stream: TcpStream) {
        while self.released.len() >= MOST_RELEASED {
            let _ = self.released.join_next().await;
        }
        while self.released.try_join_next().is_some() {}
        self.released.spawn(release(stream));
    }
}

/// Lets every further VM go on by itself. Never resolves. Cancel-safe.
pub async fn let_go(further: Option<&mut Further>) {
    let Some(Further { listener, door, released }) = further else { return std::future::pending().await };
    loop {
        tokio::select! {
            accepted = listener.accept(), if released.len() < MOST_RELEASED => match accepted {
                // Unwanted: it may run, but not under watch.
                Ok((stream, _)) if door.accepts(&stream) => drop(released.spawn(release(stream))),
                Ok(_) => tokio::task::yield_now().await,
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            },
            Some(_) = released.join_next() => {}
        }
    }
}

/// Lets a VM go on by itself. One that is let go before it has stopped at its start would stop there
/// afterwards, with nobody left to let it go on: so that is waited for.
async fn release(stream: TcpStream) {
    let options = jdwp::Options { handshake_timeout: Some(LATE), ..jdwp::Options::default() };
    if let Ok((conn, mut events)) = Connection::handshake(stream, options).await {
        drop(tokio::time::timeout(LATE, events.next()).await);
        // Whether it answers or not, the connection ends here.
        drop(tokio::time::timeout(LATE, conn.send(virtual_machine::Dispose {})).await);
        conn.close();
    }
}
