//! A remote program: the command `relaunch` restarts it, and `qp` connects to its listening VM.

use super::error::DebuggeeError;
use super::group::Exit;
use super::output::Tail;
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

/// What the last connection attempt found at the port where a VM should wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortState {
    /// No connection; the operating system's reason.
    Nothing(String),
    /// The connection was closed at once.
    Closed,
    /// The peer is not a debug agent.
    NoAgent,
    /// The peer accepted the connection but does not answer.
    Silent,
    /// The VM was already running.
    Running,
}

/// No VM waits to be attached to.
#[derive(Debug, thiserror::Error)]
#[error(
    "no VM waits at its start on {address}: {}; `relaunch` was `{command}` and {}{}",
    next(seen, *seconds),
    became(*exit),
    super::error::output(tail)
)]
pub struct NoWaitingVm {
    /// The address.
    pub address: String,
    /// What the last attempt found.
    pub seen: PortState,
    /// How long `qp` tried, in seconds.
    pub seconds: u64,
    /// The command `relaunch`.
    pub command: String,
    /// How `relaunch` ended, if it has.
    pub exit: Option<Exit>,
    /// Its last output.
    pub tail: Tail,
}

/// The option that makes a VM wait to be attached to.
const AGENT: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=…";

fn next(seen: &PortState, seconds: u64) -> String {
    match seen {
        PortState::Nothing(reason) => format!(
            "no connection within {seconds} s ({reason}); check that the program was started with `{AGENT}` and its \
             port can be reached from here, or raise `timeout_s`"
        ),
        PortState::Closed => format!(
            "each connection was closed at once, for {seconds} s; check whether another debugger is attached, or whether \
             this is a tunnel to a port on which nothing listens"
        ),
        PortState::NoAgent => {
            format!(
                "the process that answers there is not a debug agent; `attach` must name the port of `{AGENT}`"
            )
        }
        PortState::Silent => format!(
            "the process that listens there did not answer within {seconds} s; check that it is a debug agent and is not stopped"
        ),
        PortState::Running => format!(
            "the VM there was already running, so its earlier events are lost; start it with `suspend=y` \
             (`{AGENT}`), and let `relaunch` end the old program before it starts the new one"
        ),
    }
}

fn became(exit: Option<Exit>) -> String {
    exit.map_or_else(|| "is still running".to_owned(), |exit| format!("ended with {exit}"))
}
