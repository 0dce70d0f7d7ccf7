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
    let tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"].map(std::fs::read_to_string);
    if let [Ok(_), _] | [_, Ok(_)] = &tables {
        return tables.into_iter().flatten().any(|table| listens_in(&table, port));
    }
    tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok()
}

/// Whether a connection table (proc(5)) holds a socket in state LISTEN with this port.
fn listens_in(table: &str, port: u16) -> bool {
    table.lines().skip(1).any(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let own = fields.next().and_then(|a| u16::from_str_radix(a.rsplit_once(':')?.1, 16).ok());
        own == Some(port) && fields.nth(1) == Some("0A")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listening_socket_is_found_in_the_table() {
        let table = "  sl  local_address rem_address   st tx_queue\n   \
                     0: 0100007F:1F90 00000000:0000 0A 00000000:00000000\n   \
                     1: 0100007F:1F91 0100007F:C350 01 00000000:00000000\n";
        assert!(listens_in(table, 8080));
        assert!(!listens_in(table, 8081), "a connection is no listening socket");
        assert!(!listens_in(table, 80));
    }

    #[tokio::test]
    async fn a_port_is_ready_when_a_process_listens() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(listening(port).await);
        assert!(Ready::Port(port).check().await.is_err());
        drop(listener);
        assert!(!listening(port).await);
    }
}
