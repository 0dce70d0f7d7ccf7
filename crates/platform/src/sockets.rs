//! The connections of this machine, and which process has one.

use crate::PROC;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

/// One end of a connection, from the system's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Socket {
    /// The user id of its owner.
    pub user: u32,
    inode: u64,
}

/// Whether the system reports its connections.
pub fn are_known() -> bool {
    !tables(Path::new(PROC)).is_empty()
}

/// Finds the socket bound to `own` and connected to `other`, in either address family.
pub fn find(own: SocketAddr, other: SocketAddr) -> Option<Socket> {
    let (own, other) = (canonical(own), canonical(other));
    let tables = tables(Path::new(PROC));
    tables.iter().find_map(|table| table.lines().skip(1).find_map(|line| row(line, own, other)))
}

/// Whether a process has the socket open.
pub fn holds(pid: u32, socket: Socket) -> bool {
    let link = format!("socket:[{}]", socket.inode);
    let files = std::fs::read_dir(Path::new(PROC).join(pid.to_string()).join("fd"));
    let mut files = files.into_iter().flatten().flatten();
    files.any(|file| std::fs::read_link(file.path()).is_ok_and(|target| target.as_os_str() == link.as_str()))
}

/// Whether a process listens on a port; `None` if the system does not report it.
pub fn listens(port: u16) -> Option<bool> {
    listens_in(Path::new(PROC), port)
}

fn listens_in(proc: &Path, port: u16) -> Option<bool> {
    let tables = tables(proc);
    (!tables.is_empty()).then(|| tables.iter().any(|table| has_listener(table, port)))
}

/// The tables of both address families (proc(5)), as far as the system has them.
fn tables(proc: &Path) -> Vec<String> {
    let files = ["self/net/tcp", "self/net/tcp6"];
    files.iter().filter_map(|file| std::fs::read_to_string(proc.join(file)).ok()).collect()
}

/// Whether a table has a socket in state LISTEN with this port.
fn has_listener(table: &str, port: u16) -> bool {
    table.lines().skip(1).any(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let own = fields.next().and_then(|a| u16::from_str_radix(a.rsplit_once(':')?.1, 16).ok());
        own == Some(port) && fields.nth(1) == Some("0A")
    })
}

/// Parses a row of a table; `None` if it has other ends.
fn row(line: &str, own: SocketAddr, other: SocketAddr) -> Option<Socket> {
    let mut fields = line.split_whitespace().skip(1);
    let ends = (end(fields.next()?)?, end(fields.next()?)?);
    if ends != (own, other) {
        return None;
    }
    // After the two addresses: state, queues, timers, retransmissions, user, timeouts, inode.
    let (user, inode) = (fields.nth(4)?.parse().ok()?, fields.nth(1)?.parse().ok()?);
    (inode != 0).then_some(Socket { user, inode })
}

/// Parses an end such as `0100007F:1F90`: 32-bit words in memory order, then the port.
fn end(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.rsplit_once(':')?;
    let word = |at: usize| Some(u32::from_str_radix(address.get(at..at + 8)?, 16).ok()?.to_ne_bytes());
    let ip = match address.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?)),
        32 => {
            let mut bytes = [0; 16];
            for (at, four) in bytes.chunks_exact_mut(4).enumerate() {
                four.copy_from_slice(&word(at * 8)?);
            }
            IpAddr::V6(Ipv6Addr::from(bytes)).to_canonical()
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, u16::from_str_radix(port, 16).ok()?))
}

fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_a_connection_must_match() {
        let row_of =
            |line: &str, own: &str| row(line, canonical(own.parse().unwrap()), end("0100007F:1F90").unwrap());
        let line = "  1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 77 1 0";
        let found = row_of(line, "127.0.0.1:50000").unwrap();
        assert_eq!((found.user, found.inode), (1000, 77));
        // The same port of another address belongs to another process.
        let other = line.replace("0100007F:C350", "0200007F:C350");
        assert!(row_of(&other, "127.0.0.1:50000").is_none());
        let mapped = line.replace("0100007F", "0000000000000000FFFF00000100007F");
        assert_eq!(row_of(&mapped, "127.0.0.1:50000").unwrap().inode, 77);
    }

    #[test]
    fn a_listening_socket_is_found_in_the_table() {
        let table = "  sl  local_address rem_address   st tx_queue\n   \
                     0: 0100007F:1F90 00000000:0000 0A 00000000:00000000\n   \
                     1: 0100007F:1F91 0100007F:C350 01 00000000:00000000\n";
        assert!(has_listener(table, 8080));
        assert!(!has_listener(table, 8081), "a connection is no listening socket");
        assert!(!has_listener(table, 80));
    }

    #[test]
    fn a_system_without_tables_does_not_say_who_listens() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(listens_in(folder.path(), 80), None);
        std::fs::create_dir_all(folder.path().join("self/net")).unwrap();
        std::fs::write(folder.path().join("self/net/tcp"), "  sl  local_address\n").unwrap();
        assert_eq!(listens_in(folder.path(), 80), Some(false));
    }
}
