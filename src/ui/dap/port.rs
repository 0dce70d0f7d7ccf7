//! Editors that connect to a port of this machine. Each has to show a token, so that other users and pages in
//! a browser cannot run programs by it.

use super::connection::{Served, bytes_of, serve as serve_one};
use crate::ui::interrupt::Hearing;
use crate::ui::out::{complain, print};
use crate::ui::token::new_token;
use dap::Decoder;
use std::collections::VecDeque;
use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::task::{AbortHandle, JoinSet};

/// Maximum number of connections that have not sent a request. One too many closes the oldest.
const SILENT: usize = 64;
/// How long a connection may take to send its first request.
const UNASKED: Duration = Duration::from_secs(10);
/// How often the beginning of a request is looked at again.
const AGAIN: Duration = Duration::from_millis(10);

/// Serves editors one after another, until the process ends.
pub async fn serve(port: u16, hearing: &mut Hearing) -> std::io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let port = listener.local_addr()?.port();
    let token = new_token()?;
    print(&format!("listening on 127.0.0.1:{port}\ntoken: {token}\n"));
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let mut silent = JoinSet::new();
    let mut order = VecDeque::new();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => {
                order.retain(|peer: &AbortHandle| !peer.is_finished());
                if order.len() >= SILENT && let Some(oldest) = order.pop_front() {
                    oldest.abort();
                }
                order.push_back(silent.spawn(first_request(accepted?.0)));
                continue;
            }
            Some(spoken) = silent.join_next() => match spoken {
                Ok(Some(stream)) => stream,
                // It was closed, or has said nothing in time.
                _ => continue,
            },
            _ = hearing.next() => return Ok(()),
        };
        let stream = stream.into_std()?;
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        let closing = stream.try_clone()?;
        let requests = bytes_of(stream.try_clone()?);
        let served = serve_one(requests, stream, Some(token.clone()), hearing).await;
        // The editor may have closed it.
        let _ = closing.shutdown(std::net::Shutdown::Both);
        match served {
            Ok(Served::Left) => {}
            Ok(Served::Signalled) => return Ok(()),
            Err(error) => complain(format_args!("warning: the connection to an editor broke: {error}")),
        }
    }
}

/// Waits for the first request of a connection, and leaves its bytes unread.
async fn first_request(stream: TcpStream) -> Option<TcpStream> {
    let mut buffer = vec![0; 16 << 10];
    let asks = async {
        loop {
            let read = stream.peek(&mut buffer).await.ok().filter(|read| *read > 0)?;
            let mut decoder = Decoder::new();
            decoder.push(buffer.get(..read)?);
            match decoder.next_value() {
                Ok(Some(_)) => return Some(()),
                Ok(None) if read < buffer.len() => tokio::time::sleep(AGAIN).await,
                _ => return None,
            }
        }
    };
    tokio::time::timeout(UNASKED, asks).await.ok()??;
    Some(stream)
}
