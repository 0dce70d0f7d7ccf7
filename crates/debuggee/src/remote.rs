//! A remote program: the command `relaunch` restarts it, and `qp` connects to its listening VM.

use super::error::DebuggeeError;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;
use tokio::net::TcpStream;

/// Time limit for one connection attempt: a host that drops packets never answers.
const CONNECT: Duration = Duration::from_secs(10);

/// The address of a remote program's VM, and the local copies of its classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Host name or address; an IPv6 address has no brackets.
    pub host: String,
    /// The port of its debug agent.
    pub port: u16,
    /// Local copies of its classes.
    pub classes: Vec<PathBuf>,
}

impl fmt::Display for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Remote { host, port, .. } = self;
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}

impl Remote {
    /// Checks before the launch that the host has an address.
    ///
    /// # Errors
    /// [`DebuggeeError::NoHost`] when it has none, or the look-up takes too long.
    pub(super) async fn check(&self, limit: Duration) -> Result<(), DebuggeeError> {
        let no_host = |reason: String| DebuggeeError::NoHost { host: self.host.clone(), reason };
        let found = tokio::time::timeout(limit, tokio::net::lookup_host((self.host.as_str(), self.port)));
        match found.await {
            Ok(Ok(mut addresses)) => {
                addresses.next().map(|_| ()).ok_or_else(|| no_host("it has no address".to_owned()))
            }
            Ok(Err(error)) => Err(no_host(error.to_string())),
            Err(_) => Err(no_host(format!("no answer within {} s", limit.as_secs()))),
        }
    }

    /// Connects once. Looks up the host each time, because it may start with the program.
    ///
    /// # Errors
    /// The operating system's error.
    pub async fn connect(&self) -> io::Result<TcpStream> {
        self.connect_to(self.port).await
    }

    /// Whether the program runs on this machine or its ports are forwarded to it.
    pub(super) fn is_here(&self) -> bool {
        self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    /// Whether a process listens on another port of the host. The process sees a client that sends nothing.
    pub(super) async fn listens_on(&self, port: u16) -> bool {
        self.connect_to(port).await.is_ok()
    }

    async fn connect_to(&self, port: u16) -> io::Result<TcpStream> {
        match tokio::time::timeout(CONNECT, TcpStream::connect((self.host.as_str(), port))).await {
            Ok(connected) => connected,
            Err(_) => {
                let text = format!("no answer within {} s", CONNECT.as_secs());
                Err(io::Error::new(io::ErrorKind::TimedOut, text))
            }
        }
    }
}
