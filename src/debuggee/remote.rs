//! A program that is not ours to launch: another command has it start anew, and its VM, which listens, is
//! connected to.

use super::error::DebuggeeError;
use super::group::Exit;
use super::output::Tail;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;
use tokio::net::TcpStream;

/// How long one connection may take: a host that drops what it gets says nothing.
const CONNECT: Duration = Duration::from_secs(10);

/// Where the VM of a remote program listens, and what is known of the program here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Name or address; one of version 6 without brackets.
    pub host: String,
    /// Of its debug agent.
    pub port: u16,
    /// Copies of its classes.
    pub classes: Vec<PathBuf>,
}

impl fmt::Display for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Remote { host, port, .. } = self;
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}

impl Remote {
    /// Checks, before anything is launched, that the host has an address.
    ///
    /// # Errors
    /// [`DebuggeeError::NoHost`] when it has none, or that is not told in time.
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

    /// Connects once. The host is looked up each time: it may be one that starts with the program.
    ///
    /// # Errors
    /// What the system says.
    pub async fn connect(&self) -> io::Result<TcpStream> {
        self.connect_to(self.port).await
    }

    /// Whether the program runs on this machine, or its ports are led to ports of it.
    pub(super) fn is_here(&self) -> bool {
        self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    /// Whether something listens on another port of the host. It sees a client that says nothing.
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

/// What was last seen where a VM should wait at its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// No connection; what the system says.
    Nothing(String),
    /// The connection was closed at once.
    Closed,
    /// Who answers is no debug agent.
    NoAgent,
    /// Who accepted the connection says nothing.
    Silent,
    /// A VM that was running already.
    Running,
}

/// That no VM waits at its start.
#[derive(Debug, thiserror::Error)]
#[error(
    "no VM waits at its start on {address}: {}; `relaunch` was `{command}` and {}{}",
    next(seen, *seconds),
    became(*exit),
    super::error::output(tail)
)]
pub struct NotWaiting {
    /// Where.
    pub address: String,
    /// What was seen there instead.
    pub seen: Seen,
    /// For how long.
    pub seconds: u64,
    /// The words of `relaunch`.
    pub command: String,
    /// How that ended, if it has.
    pub exit: Option<Exit>,
    /// Its last output.
    pub tail: Tail,
}

/// How a program is started so that it can be attached to.
const AGENT: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=…";

fn next(seen: &Seen, seconds: u64) -> String {
    match seen {
        Seen::Nothing(reason) => format!(
            "no connection within {seconds} s ({reason}); see whether the program was started with `{AGENT}` and its \
             port can be reached from here, or raise `timeout_s`"
        ),
        Seen::Closed => format!(
            "each connection was closed at once, for {seconds} s; see whether another debugger is attached, or whether \
             this is a tunnel to a port on which nothing listens"
        ),
        Seen::NoAgent => {
            format!("what answers there is no debug agent; `attach` names the port of `{AGENT}`")
        }
        Seen::Silent => format!(
            "what listens there did not answer within {seconds} s; see whether it is a debug agent, and not stopped"
        ),
        Seen::Running => format!(
            "the VM that answers there runs already, and what it did before is not seen; start it with `suspend=y` \
             (`{AGENT}`), and let `relaunch` end the old program before it starts the new one"
        ),
    }
}

fn became(exit: Option<Exit>) -> String {
    exit.map_or_else(|| "goes on".to_owned(), |exit| format!("ended with {exit}"))
}
