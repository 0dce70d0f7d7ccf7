//! The messages of a client: one JSON object on each line of standard input. What is no message gets an
//! error as JSON-RPC has it.

use rmcp::RoleServer;
use rmcp::model::{
    ClientRequest, ErrorData, GetMeta, JsonRpcMessage, ProtocolVersion, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::Value;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader, Empty};
use tokio::sync::watch;

/// Most bytes of a message.
const LONGEST: usize = 4 << 20;
/// Most errors that wait for a client that does not read.
const ERRORS: usize = 1000;

/// The connection to a client.
pub struct Lines<R, W: AsyncWrite> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of a line that is too long is skipped.
    skips: bool,
    to: AsyncRwTransport<RoleServer, Empty, W>,
    /// Whether the client and the server have agreed on a revision. Before, there is nothing to notify of.
    has_begun: bool,
    /// The greeting that has no response yet.
    greeting: Option<RequestId>,
    /// The revisions that a request may name.
    revisions: &'static [ProtocolVersion],
    /// The requests that have no response yet.
    open: Arc<Mutex<HashSet<RequestId>>>,
    /// Errors that are on their way.
    errors: Arc<std::sync::atomic::AtomicUsize>,
    /// Is set when the client has gone.
    gone: watch::Sender<bool>,
}

/// What a line is.
enum Line {
    Whole,
    TooLong,
    End,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    /// A connection. `gone` is set when the client closes it.
    pub fn new(
        read: R,
        write: W,
        revisions: &'static [ProtocolVersion],
        gone: watch::Sender<bool>,
    ) -> Lines<R, W> {
        Lines {
            read: BufReader::new(read),
            line: Vec::new(),
            skips: false,
            to: AsyncRwTransport::new(tokio::io::empty(), write),
            has_begun: false,
            greeting: None,
            revisions,
            open: Arc::default(),
            errors: Arc::default(),
            gone,
        }
    }

    /// Reads up to the end of a line. Cancel-safe: what was read stays.
    async fn read_line(&mut self) -> Line {
        loop {
            let found = match self.read.fill_buf().await {
                Ok([]) | Err(_) => return Line::End,
                Ok(found) => found,
            };
            let end = found.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(found.len(), |end| end + 1);
            if !self.skips {
                self.line.extend_from_slice(found.get(..taken).unwrap_or_default());
            }
            self.read.consume(taken);
            let is_long = self.line.len() > LONGEST;
            match (end.is_some(), self.skips, is_long) {
                (true, true, _) => self.skips = false,
                (true, false, true) => {
                    self.line.clear();
                    return Line::TooLong;
                }
                (true, false, false) => return Line::Whole,
                (false, false, true) => {
                    self.line.clear();
                    self.skips = true;
                    return Line::TooLong;
                }
                (false, ..) => {}
            }
        }
    }

    /// Sends an error. It does not wait: a client that does not read keeps nobody from hearing its requests.
    fn refuse(&mut self, error: ErrorData, id: Option<RequestId>) {
        use std::sync::atomic::Ordering;
        if self.errors.fetch_add(1, Ordering::Relaxed) >= ERRORS {
            self.errors.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        let (sent, errors) = (self.to.send(ServerJsonRpcMessage::error(error, id)), self.errors.clone());
        tokio::spawn(async move {
            // The client may have gone.
            drop(sent.await);
            errors.fetch_sub(1, Ordering::Relaxed);
        });
    }

    /// The message of a line; none if there is nothing to pass on.
    fn message(&mut self, line: &[u8]) -> Option<RxJsonRpcMessage<RoleServer>> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return None;
        }
        let value: Value = match serde_json::from_slice(line) {
            Ok(value) => value,
            Err(error) => {
                self.refuse(ErrorData::parse_error(format!("this is no JSON: {error}"), None), None);
                return None;
            }
        };
        let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
        let is_notification = value.get("id").is_none() && value.get("method").is_some_and(Value::is_string);
        let message = match serde_json::from_value::<RxJsonRpcMessage<RoleServer>>(value) {
            Ok(message) => message,
            Err(_) if is_notification => return None,
            Err(_) => {
                let text = "this is no message of JSON-RPC 2.0 as the Model Context Protocol has them";
                self.refuse(ErrorData::invalid_request(text, None), id);
                return None;
            }
        };
        match &message {
            JsonRpcMessage::Request(request) => {
                match &request.request {
                    ClientRequest::InitializeRequest(_) => self.greeting = Some(request.id.clone()),
                    ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => {}
                    other => {
                        let meta = other.get_meta();
                        let is_whole = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty();
                        let revision = meta.protocol_version();
                        self.has_begun |=
                            is_whole && revision.is_some_and(|revision| self.revisions.contains(&revision));
                    }
                }
                let is_new = open(&self.open).insert(request.id.clone());
                if !is_new {
                    let text = "a request with this id is open: wait for its response, or choose another id";
                    self.refuse(ErrorData::invalid_request(text, None), Some(request.id.clone()));
                    return None;
                }
            }
            JsonRpcMessage::Notification(notification) => {
                use rmcp::model::ClientNotification::CancelledNotification;
                if !self.has_begun {
                    return None;
                }
                // A cancelled request gets no response.
                if let CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    open(&self.open).remove(id);
                }
            }
            // This server sends no requests.
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => return None,
        }
        Some(message)
    }
}

fn open(open: &Mutex<HashSet<RequestId>>) -> std::sync::MutexGuard<'_, HashSet<RequestId>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = std::io::Result<()>> + Send + 'static {
        if let JsonRpcMessage::Response(response) = &message
            && self.greeting.as_ref() == Some(&response.id)
        {
            self.has_begun = true;
            self.greeting = None;
        }
        let id = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        if let Some(id) = id {
            open(&self.open).remove(id);
        }
        self.to.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            match self.read_line().await {
                Line::Whole => {
                    let line = std::mem::take(&mut self.line);
                    if let Some(message) = self.message(&line) {
                        return Some(message);
                    }
                }
                Line::TooLong => {
                    let text = format!("a message has at most {LONGEST} bytes");
                    self.refuse(ErrorData::invalid_request(text, None), None);
                }
                Line::End => {
                    // Nobody needs an answer any more.
                    let _ = self.gone.send(true);
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> std::io::Result<()> {
        self.to.close().await
    }
}
