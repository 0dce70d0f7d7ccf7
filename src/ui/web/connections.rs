//! The connections of a server. Anybody on this machine can open some, so their number is limited, and so is
//! the time until one of them shows the page's cookie.

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// Maximum number of connections that have not shown the page's cookie.
const STRANGERS: usize = 64;
/// How long such a connection may stay open, whatever it sends.
const UNKNOWN: Duration = Duration::from_secs(10);

/// Accepts connections. One too many closes the oldest that has not shown the cookie.
pub struct Connections {
    listener: TcpListener,
    strangers: VecDeque<Weak<Standing>>,
}

/// What the server knows of a connection.
#[derive(Debug, Default)]
struct Standing {
    is_known: AtomicBool,
    gives_way: Notify,
}

/// Tells a connection that its requests have the cookie.
#[derive(Clone, Debug)]
pub struct Peer(Arc<Standing>);

impl Peer {
    /// From here on, the connection may stay open.
    pub fn is_known(&self) {
        self.0.is_known.store(true, Ordering::Relaxed);
    }
}

impl Connected<IncomingStream<'_, Connections>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Connections>) -> Peer {
        Peer(stream.io().standing.clone())
    }
}

/// A connection.
pub struct Connection {
    stream: TcpStream,
    standing: Arc<Standing>,
    /// Ends when a connection that has not shown the cookie is to be closed.
    expires: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Connections {
    /// The connections to a port.
    pub fn new(listener: TcpListener) -> Connections {
        Connections { listener, strangers: VecDeque::new() }
    }
}

impl Connection {
    /// Fails when the connection is to be closed.
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if self.standing.is_known.load(Ordering::Relaxed) {
            self.expires = None;
        }
        let expired = self.expires.as_mut().is_some_and(|expires| expires.as_mut().poll(context).is_ready());
        if expired { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
    }
}

impl Listener for Connections {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // Without it, answers are only slower.
        drop(stream.set_nodelay(true));
        let is_stranger = |peer: &Arc<Standing>| !peer.is_known.load(Ordering::Relaxed);
        self.strangers.retain(|peer| peer.upgrade().as_ref().is_some_and(is_stranger));
        if self.strangers.len() >= STRANGERS
            && let Some(oldest) = self.strangers.pop_front().and_then(|peer| peer.upgrade())
        {
            oldest.gives_way.notify_one();
        }
        let standing = Arc::<Standing>::default();
        self.strangers.push_back(Arc::downgrade(&standing));
        let told = standing.clone();
        let expires = Box::pin(async move {
            tokio::select! {
                () = tokio::time::sleep(UNKNOWN) => {}
                () = told.gives_way.notified() => {}
            }
        });
        (Connection { stream, standing, expires: Some(expires) }, address)
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
        self.check(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
