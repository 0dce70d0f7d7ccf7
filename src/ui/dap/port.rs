//! Editors that connect to a port of this machine. Each has to show a token, so that other users and pages in
//! a browser cannot run programs by it.

use super::connection::{Served, bytes_of, serve as serve_one};
use crate::ui::interrupt::Hearing;
use crate::ui::out::{complain, print};
use crate::ui::token::new_token;
use std::net::{Ipv4Addr, TcpListener};

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
