//! Connections: the handshake, commands and their replies, and events.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::codec::{DecodeError, EncodeError, Reader, Writer};
use crate::commands::Command;
use crate::error::{ClosedBy, Error};
use crate::error_code::ErrorCode;
use crate::event::EventSet;
use crate::id::IdSizes;
use crate::options::Options;
use crate::packet;
use crate::state::{Answer, Shared};
use crate::{handshake, reader};

/// A connection to a virtual machine. A clone is another handle to the same connection. The connection closes
/// when the last handle, its [`Events`] and all [`Pending`] calls are dropped, or by [`close`](Self::close).
#[derive(Clone)]
pub struct Connection {
    handle: Arc<Handle>,
}

/// Closes the connection when its last user is dropped.
struct Handle {
    shared: Arc<Shared>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.lock().end(Error::Closed(ClosedBy::Debugger));
    }
}

impl Connection {
    /// Performs the handshake, as the debugger, with a connected virtual machine and requests its id sizes.
    /// Must be called within a tokio runtime, which then runs the reading task.
    ///
    /// # Errors
    /// [`Error::Handshake`] if the peer is not a JDWP agent, and the errors of a command.
    pub async fn handshake(stream: TcpStream, options: Options) -> Result<(Self, Events), Error> {
        stream.set_nodelay(true)?;
        let (read, write) = stream.into_split();
        Self::handshake_with(read, write, options).await
    }

    /// Like [`handshake`](Self::handshake), over any pair of streams. Dropping the write half must end the
    /// peer's reading.
    ///
    /// # Errors
    /// Those of [`handshake`](Self::handshake).
    pub async fn handshake_with<R, W>(read: R, write: W, options: Options) -> Result<(Self, Events), Error>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let greeted = handshake::run(read, write, &options).await?;
        let shared =
            Arc::new(Shared::new(greeted.sizes, options, Box::new(greeted.write), handshake::FIRST_FREE_ID));
        {
            let mut state = shared.lock();
            for events in greeted.events {
                state.push_events(events);
            }
        }
        tokio::spawn(reader::run(Arc::clone(&shared), greeted.read, greeted.buffer));
        let handle = Arc::new(Handle { shared });
        Ok((Self { handle: Arc::clone(&handle) }, Events { handle }))
    }

    /// Queues a command. Commands are sent in the order of these calls, at the latest when the calling task
    /// yields; several can share one write. The future waits for the reply. If it is dropped, the virtual
    /// machine still executes the command and the reply is ignored.
    pub fn send<C: Command>(&self, command: C) -> Pending<C::Reply> {
        let shared = &self.handle.shared;
        let mut state = shared.lock();
        let call = match state.ended() {
            Some(end) => Err(end.clone()),
            None => {
                let id = state.new_call();
                let start = state.out.len();
                match encode(&command, id, shared, &mut state.out) {
                    Ok(()) => {
                        state.enter_call(id);
                        // The next task that yields flushes the queue; waking the reading task bounds the
                        // delay.
                        state.wake_reader();
                        Ok(id)
                    }
                    Err(source) => {
                        state.out.truncate(start);
                        Err(Error::Encode { command: C::NAME, source })
                    }
                }
            }
        };
        drop(state);
        let state = match call {
            Ok(id) => PendingState::Sent(id),
            Err(error) => PendingState::Failed(error),
        };
        Pending { handle: Arc::clone(&self.handle), state, command: C::NAME, decode: C::decode }
    }

    /// The id sizes of the virtual machine.
    pub fn id_sizes(&self) -> IdSizes {
        self.handle.shared.sizes
    }

    /// Whether the connection has ended. The error of any later call says how.
    pub fn is_closed(&self) -> bool {
        self.handle.shared.lock().ended().is_some()
    }

    /// Closes the connection without sending `VirtualMachine.Dispose`: the agent does the same on its own.
    /// Queued commands are sent if that is possible without waiting. Pending calls end with
    /// [`Error::Closed`].
    pub fn close(&self) {
        let mut state = self.handle.shared.lock();
        state.flush();
        state.end(Error::Closed(ClosedBy::Debugger));
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("closed", &self.is_closed()).finish_non_exhaustive()
    }
}

/// Appends the packet of a command.
fn encode<C: Command>(command: &C, id: u32, shared: &Shared, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let start = out.len();
    packet::begin_command(out, id, C::SET, C::ID);
    let mut w = Writer::new(out, shared.sizes).with_modified_utf8(shared.options.modified_utf8);
    command.encode(&mut w);
    w.finish()?;
    packet::end_command(out, start, shared.options.max_packet).map_err(EncodeError::TooLong)
}

/// The future reply of a command.
#[must_use = "dropping this sends the command and ignores its reply"]
pub struct Pending<R> {
    handle: Arc<Handle>,
    state: PendingState,
    command: &'static str,
    decode: fn(&mut Reader<'_>) -> Result<R, DecodeError>,
}

enum PendingState {
    Sent(u32),
    Failed(Error),
    Done,
}

impl<R> Pending<R> {
    /// The name of the command, as `Set.Command`.
    pub fn command(&self) -> &'static str {
        self.command
    }

    fn read(&self, answer: &Answer) -> Result<R, Error> {
        let command = self.command;
        let (error_code, body) = match answer {
            Answer::Reply { error_code, body } => (*error_code, body),
            Answer::TooLong(length) => {
                let limit = self.handle.shared.options.max_packet;
                return Err(Error::ReplyTooLong { command, length: *length, limit });
            }
        };
        match ErrorCode(error_code) {
            ErrorCode::NONE => {}
            ErrorCode::VM_DEAD => return Err(Error::VmDead),
            code => return Err(Error::Jdwp { command, code }),
        }
        let mut r = Reader::new(body, self.handle.shared.sizes);
        (self.decode)(&mut r)
            .and_then(|reply| r.finish().map(|()| reply))
            .map_err(|source| Error::Reply { command, source })
    }
}

impl<R> Future for Pending<R> {
    type Output = Result<R, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let id = match std::mem::replace(&mut self.state, PendingState::Done) {
            PendingState::Sent(id) => id,
            PendingState::Failed(error) => return Poll::Ready(Err(error)),
            // The future was polled after completion: there is nothing left to wait for.
            PendingState::Done => return Poll::Pending,
        };
        let answer = {
            let mut state = self.handle.shared.lock();
            state.flush();
            state.poll_call(id, cx)
        };
        match answer {
            Poll::Ready(Ok(answer)) => Poll::Ready(self.read(&answer)),
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                self.state = PendingState::Sent(id);
                Poll::Pending
            }
        }
    }
}

impl<R> Drop for Pending<R> {
    fn drop(&mut self) {
        if let PendingState::Sent(id) = self.state {
            self.handle.shared.lock().abandon_call(id);
        }
    }
}

impl<R> std::fmt::Debug for Pending<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pending").field("command", &self.command).finish_non_exhaustive()
    }
}

/// The events of a connection, in the order in which they were sent. After this is dropped, later events are
/// read and discarded.
pub struct Events {
    handle: Arc<Handle>,
}

impl Events {
    /// Waits for the next events; `None` after the last, if the connection ended cleanly. Cancel-safe:
    /// dropping the future loses no event.
    ///
    /// # Errors
    /// Why the connection ended, after the last events that arrived.
    pub async fn next(&mut self) -> Result<Option<EventSet>, Error> {
        poll_fn(|cx| {
            let shared = &self.handle.shared;
            let mut state = shared.lock();
            state.flush();
            state.poll_events(cx, &shared.options)
        })
        .await
    }

    /// The next events, if they have arrived.
    pub fn try_next(&mut self) -> Option<EventSet> {
        let shared = &self.handle.shared;
        shared.lock().pop_events(&shared.options)
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.handle.shared.lock().abandon_events();
    }
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}
