//! Editors that connect to a port of this machine. Each has to show a token, so that other users and pages in
//! a browser cannot run programs by it.

use super::connection::{Served, bytes_of, serve as serve_one};
use crate::ui::interrupt::Hearing;
use crate::ui::out::{complain, print};
use std::io::Read;
use std::net::{Ipv4Addr, TcpListener};

/// Size of a token, in bytes.
const TOKEN: usize = 32;

/// Serves editors one after another, until the process ends.
pub async fn serve(port: u16, hearing: &mut Hearing) -> std::io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let port = listener.local_addr()?.port();
    let token = new_token()?;
    print(&format!("listening on 127.0.0.1:{port}\ntoken: {token}\n"));
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let (stream, _) = tokio::select! {
            accepted = listener.accept() => accepted?,
            _ = hearing.next() => return Ok(()),
        };
        let stream = stream.into_std()?;
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        let closing = stream.try_clone()?;
        let editor = (bytes_of(stream.try_clone()?), stream);
        let served = serve_one(editor, Some(token.clone()), hearing).await;
        // The editor may have closed it.
        let _ = closing.shutdown(std::net::Shutdown::Both);
        match served {
            Ok(Served::Left) => {}
            Ok(Served::Signalled) => return Ok(()),
            Err(error) => complain(format_args!("warning: the connection to an editor broke: {error}")),
        }
    }
}

fn new_token() -> std::io::Result<String> {
    let mut bytes = [0; TOKEN];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether a setting is the token. The time of the comparison tells nothing.
pub(super) fn is_token(given: Option<&serde_json::Value>, token: &str) -> bool {
    let given = given.and_then(serde_json::Value::as_str).unwrap_or_default();
    let differs = given.bytes().zip(token.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b));
    given.len() == token.len() && differs == 0
}
