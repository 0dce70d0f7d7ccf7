//! The connections of a server. Anybody on this machine can open some, so their number is limited, and so is
//! the time until one of them asks for something.

use axum::serve::Listener;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Sleep;

/// Maximum number of connections. A browser opens six for all its tabs.
const CONNECTIONS: usize = 64;
/// Maximum time until the first byte of a connection.
const SILENT: Duration = Duration::from_secs(30);

/// Accepts connections.
pub struct Connections {
    listener: TcpListener,
    free: Arc<Semaphore>,
}

/// A connection.
pub struct Connection {
    stream: TcpStream,
    /// How long it may be silent, until it has said something.
    silent: Option<Pin<Box<Sleep>>>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Connections {
    /// The connections to a port.
    pub fn new(listener: TcpListener) -> Connections {
        Connections { listener, free: Arc::new(Semaphore::new(CONNECTIONS)) }
    }
}

impl Listener for Connections {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        // The semaphore is never closed.
        let permit = self.free.clone().acquire_owned().await.ok();
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // Without it, answers are only slower.
        drop(stream.set_nodelay(true));
        let silent = Some(Box::pin(tokio::time::sleep(SILENT)));
        (Connection { stream, silent, _permit: permit }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() {
            self.silent = None;
        } else if let Some(silent) = &mut self.silent
            && silent.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
