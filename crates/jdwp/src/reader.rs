//! The task that reads a connection, from the end of the handshake to the end of the connection.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::codec::{Decode, Reader};
use crate::error::{ClosedBy, Error, MalformedPacket};
use crate::event::EventSet;
use crate::id::IdSizes;
use crate::packet::{Packet, PacketBuffer};
use crate::state::{Answer, Shared};

/// `Event.Composite`, the only command that a virtual machine sends.
const COMPOSITE: (u8, u8) = (64, 100);

/// Ends the connection if the runtime drops the task, so that no call waits forever.
struct EndOnDrop(Arc<Shared>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.lock().end(Error::Closed(ClosedBy::Debugger));
    }
}

/// Polls for a while before the task sleeps ([`Options::linger`](crate::Options::linger)).
struct Linger {
    time: Duration,
    until: Option<Instant>,
}

impl Linger {
    /// Starts the polling period, after a packet was sent or received.
    fn begin(&mut self) {
        if !self.time.is_zero() {
            self.until = Instant::now().checked_add(self.time);
        }
    }

    /// Schedules the next poll of the task, behind all other tasks and the sockets, until the period is over.
    fn poll(&mut self, cx: &mut Context<'_>) {
        match self.until {
            // One poll registers the waker with the runtime. The future need not be polled again.
            Some(until) if Instant::now() < until => {
                let _ = pin!(tokio::task::yield_now()).poll(cx);
            }
            _ => self.until = None,
        }
    }
}

/// Reads until the connection ends, and passes the reason to all waiting calls. This is not an `async fn`:
/// the guard must exist even if the runtime drops the task before its first poll.
pub(crate) fn run(
    shared: Arc<Shared>,
    mut stream: impl AsyncRead + Unpin,
    mut buffer: PacketBuffer,
) -> impl Future<Output = ()> {
    let guard = EndOnDrop(shared);
    async move {
        let mut linger = Linger { time: guard.0.options.linger, until: None };
        let why = poll_fn(|cx| poll_run(&guard.0, &mut stream, &mut buffer, &mut linger, cx)).await;
        guard.0.lock().end(why);
    }
}

/// Reads and sends as much as is possible without waiting. Ready when the connection has ended.
fn poll_run(
    shared: &Shared,
    stream: &mut (impl AsyncRead + Unpin),
    buffer: &mut PacketBuffer,
    linger: &mut Linger,
    cx: &mut Context<'_>,
) -> Poll<Error> {
    loop {
        // Handle buffered packets first: the handshake may have left some.
        if let Err(why) = dispatch(shared, buffer) {
            return Poll::Ready(why);
        }
        let draining = {
            let mut state = shared.lock();
            if let Some(why) = state.ended() {
                return Poll::Ready(why.clone());
            }
            if !state.reader_waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
                state.reader_waker = Some(cx.waker().clone());
            }
            state.flush();
            state.poll_flush_writer(cx);
            if std::mem::take(&mut state.wrote) {
                linger.begin();
            }
            match state.may_read(&shared.options) {
                Ok(true) => {}
                Ok(false) => return Poll::Pending,
                Err(why) => return Poll::Ready(why),
            }
            state.write_error.clone()
        };
        // Cancel-safe: an unfinished `read_buf` has consumed nothing.
        match pin!(stream.read_buf(buffer.space())).poll(cx) {
            Poll::Ready(Ok(0)) if buffer.is_inside() => {
                return Poll::Ready(Error::Truncated { have: buffer.leftover() });
            }
            Poll::Ready(Ok(0)) => return Poll::Ready(Error::Closed(ClosedBy::Vm)),
            Poll::Ready(Ok(_)) => linger.begin(),
            Poll::Ready(Err(error)) => return Poll::Ready(error.into()),
            Poll::Pending => match draining {
                // Everything that arrived has been read, and the unsent commands will get no reply.
                Some(why) => return Poll::Ready(why),
                None => {
                    linger.poll(cx);
                    return Poll::Pending;
                }
            },
        }
    }
}

/// Delivers each complete packet to the call that awaits it or to the event queue.
fn dispatch(shared: &Shared, buffer: &mut PacketBuffer) -> Result<(), Error> {
    while let Some(packet) = buffer.next_packet()? {
        match packet {
            Packet::Reply { id, error_code, body } => {
                shared.lock().answer(id, Answer::Reply { error_code, body })?;
            }
            Packet::LongReply { id, length } => shared.lock().answer(id, Answer::TooLong(length))?,
            Packet::Command { set, command, body } => {
                let events = decode_events(set, command, &body, shared.sizes)?;
                shared.lock().push_events(events);
            }
        }
    }
    Ok(())
}

pub(crate) fn decode_events(
    set: u8,
    command: u8,
    body: &Bytes,
    sizes: IdSizes,
) -> Result<EventSet, MalformedPacket> {
    if (set, command) != COMPOSITE {
        return Err(MalformedPacket::UnknownCommand { set, command });
    }
    let mut r = Reader::new(body, sizes);
    let events = EventSet::decode(&mut r)?;
    r.finish()?;
    Ok(events)
}
