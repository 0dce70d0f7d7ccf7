//! Detects when a program that runs indefinitely, such as a server, is ready to be driven.

use super::error::DebuggeeError;
use super::output::Output;
use super::remote::Remote;
use std::time::Duration;

/// How often readiness is checked.
const EVERY: Duration = Duration::from_millis(50);

/// When `drive` may begin.
#[derive(Clone, Debug)]
pub enum Ready {
    /// A process listens on this port of the program's machine.
    Port(u16),
    /// The program has printed a line that matches.
    Output(regex::Regex),
}

impl Ready {
    /// Readiness by a line of output.
    ///
    /// # Errors
    /// [`DebuggeeError::BadReady`] when the text is not a regular expression.
    pub fn output(pattern: &str) -> Result<Ready, DebuggeeError> {
        let bad =
            |e: regex::Error| DebuggeeError::BadReady { pattern: pattern.into(), reason: e.to_string() };
        Ok(Ready::Output(regex::Regex::new(pattern).map_err(bad)?))
    }

    /// Checks before the launch that the program is not yet ready.
    ///
    /// # Errors
    /// [`DebuggeeError::PortTaken`] when another process listens on the port.
    pub(super) async fn check(&self) -> Result<(), DebuggeeError> {
        match self {
            Ready::Port(port) if listening(*port).await => Err(DebuggeeError::PortTaken(*port)),
            _ => Ok(()),
        }
    }

    /// Resolves when the program is ready. Cancel-safe.
    pub(super) async fn wait(&self, output: &Output, remote: Option<&Remote>) {
        loop {
            let is_ready = match (self, remote) {
                (Ready::Port(port), Some(remote)) if !remote.is_here() => remote.listens_on(*port).await,
                (Ready::Port(port), _) => listening(*port).await,
                (Ready::Output(_), _) => output.is_ready(),
            };
            if is_ready {
                return;
            }
            tokio::time::sleep(EVERY).await;
        }
    }
}

/// Whether a process listens on a port. Prefers the system's table: a connection would be a silent first
/// client, for which a simple server would wait.
async fn listening(port: u16) -> bool {
    if let Some(listens) = platform::sockets::listens(port) {
        return listens;
    }
    tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_port_is_ready_when_a_process_listens() {
        // A port that is bound stays this test's own, also while nothing listens.
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let port = socket.local_addr().unwrap().port();
        assert!(!listening(port).await);
        Ready::Port(port).check().await.unwrap();
        let _listener = socket.listen(1).unwrap();
        assert!(listening(port).await);
        assert!(
            matches!(Ready::Port(port).check().await, Err(DebuggeeError::PortTaken(taken)) if taken == port)
        );
    }
}
