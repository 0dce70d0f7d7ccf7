//! The state shared by the handles of a connection and its reading task: bytes to send, pending calls, queued
//! events, and the reason why the connection ended. One lock protects it, held briefly and never across an
//! await.

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use tokio::io::AsyncWrite;

use crate::error::{ClosedBy, Error, MalformedPacket};
use crate::event::{Event, EventSet};
use crate::id::IdSizes;
use crate::options::Options;

pub(crate) type BoxedWrite = Box<dyn AsyncWrite + Send + Unpin>;

pub(crate) struct Shared {
    pub(crate) sizes: IdSizes,
    pub(crate) options: Options,
    state: Mutex<State>,
}

pub(crate) struct State {
    /// `None` once the connection has ended; dropping the writer closes this side.
    writer: Option<BoxedWrite>,
    /// Bytes to send; the first `sent` of them have been sent.
    pub(crate) out: Vec<u8>,
    sent: usize,
    /// Whether bytes were sent since the reading task last checked.
    pub(crate) wrote: bool,
    /// Set when a write failed. Nothing more is sent; the reading task drains the received bytes and ends.
    pub(crate) write_error: Option<Error>,
    next_id: u32,
    calls: HashMap<u32, Call>,
    /// The number of `calls` whose reply is awaited.
    awaited: usize,
    events: VecDeque<(EventSet, usize)>,
    event_bytes: usize,
    /// [`Events`](crate::Events) was dropped, so incoming events are discarded.
    events_abandoned: bool,
    event_waker: Option<Waker>,
    pub(crate) reader_waker: Option<Waker>,
    /// Whether the virtual machine announced its death.
    vm_died: bool,
    end: Option<Error>,
}

/// A command whose reply has not been taken.
enum Call {
    Waiting(Option<Waker>),
    /// The future was dropped; the reply will be ignored.
    Abandoned,
    Answered(Answer),
}

/// The reply to a command.
pub(crate) enum Answer {
    Reply {
        error_code: u16,
        body: Bytes,
    },
    /// The reply has this many bytes, more than the limit.
    TooLong(u32),
}

impl Shared {
    pub(crate) fn new(sizes: IdSizes, options: Options, writer: BoxedWrite, next_id: u32) -> Self {
        let state = State {
            writer: Some(writer),
            out: Vec::new(),
            sent: 0,
            wrote: false,
            write_error: None,
            next_id,
            calls: HashMap::new(),
            awaited: 0,
            events: VecDeque::new(),
            event_bytes: 0,
            events_abandoned: false,
            event_waker: None,
            reader_waker: None,
            vm_died: false,
            end: None,
        };
        Self { sizes, options, state: Mutex::new(state) }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock. If one did, the state would still be good enough to end
        // with.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    pub(crate) fn ended(&self) -> Option<&Error> {
        self.end.as_ref()
    }

    /// A packet id that no unanswered command has.
    pub(crate) fn new_call(&mut self) -> u32 {
        while self.calls.contains_key(&self.next_id) {
            self.next_id = self.next_id.wrapping_add(1);
        }
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        id
    }

    /// Registers a command whose packet is in `out`.
    pub(crate) fn enter_call(&mut self, id: u32) {
        self.calls.insert(id, Call::Waiting(None));
        self.awaited += 1;
    }

    /// Sends as many queued bytes as possible without waiting. The registered waker is always that of the
    /// reading task, so that concurrent callers do not replace each other's wake-up.
    pub(crate) fn flush(&mut self) {
        if self.out.len() == self.sent || self.write_error.is_some() {
            return;
        }
        let Some(writer) = &mut self.writer else { return };
        // Before its first poll the reading task needs no waking: it starts by sending.
        let mut cx = Context::from_waker(self.reader_waker.as_ref().unwrap_or(Waker::noop()));
        let error = loop {
            let Some(rest) = self.out.get(self.sent..).filter(|rest| !rest.is_empty()) else {
                self.out.clear();
                self.sent = 0;
                // Frees the memory of a large command.
                self.out.shrink_to(64 * 1024);
                return;
            };
            match Pin::new(&mut *writer).poll_write(&mut cx, rest) {
                Poll::Ready(Ok(0)) => break std::io::ErrorKind::WriteZero.into(),
                Poll::Ready(Ok(count)) => {
                    self.sent += count;
                    self.wrote = true;
                }
                Poll::Ready(Err(error)) => break error,
                Poll::Pending => return,
            }
        };
        self.write_error = Some(Error::from(error));
        self.wake_reader();
    }

    /// Flushes a writer that buffers, such as an in-memory stream.
    pub(crate) fn poll_flush_writer(&mut self, cx: &mut Context<'_>) {
        if let Some(writer) = &mut self.writer
            && let Poll::Ready(Err(error)) = Pin::new(writer).poll_flush(cx)
        {
            self.write_error.get_or_insert(Error::from(error));
        }
    }

    pub(crate) fn wake_reader(&self) {
        if let Some(waker) = &self.reader_waker {
            waker.wake_by_ref();
        }
    }

    /// Polls for the reply to a call.
    pub(crate) fn poll_call(&mut self, id: u32, cx: &mut Context<'_>) -> Poll<Result<Answer, Error>> {
        match self.calls.remove(&id) {
            Some(Call::Answered(answer)) => Poll::Ready(Ok(answer)),
            _ if let Some(end) = &self.end => Poll::Ready(Err(end.clone())),
            _ => {
                self.calls.insert(id, Call::Waiting(Some(cx.waker().clone())));
                Poll::Pending
            }
        }
    }

    /// Marks a call as abandoned; its reply will be ignored.
    pub(crate) fn abandon_call(&mut self, id: u32) {
        match self.calls.get_mut(&id) {
            Some(call @ Call::Waiting(_)) => {
                *call = Call::Abandoned;
                self.awaited = self.awaited.saturating_sub(1);
            }
            Some(Call::Answered(_)) => {
                self.calls.remove(&id);
            }
            Some(Call::Abandoned) | None => {}
        }
    }

    pub(crate) fn answer(&mut self, id: u32, answer: Answer) -> Result<(), MalformedPacket> {
        let Some(call) = self.calls.get_mut(&id) else { return Err(MalformedPacket::UnknownReply(id)) };
        match std::mem::replace(call, Call::Answered(answer)) {
            Call::Waiting(waker) => {
                self.awaited = self.awaited.saturating_sub(1);
                if let Some(waker) = waker {
                    waker.wake();
                }
                Ok(())
            }
            Call::Abandoned => {
                self.calls.remove(&id);
                Ok(())
            }
            Call::Answered(_) => Err(MalformedPacket::UnknownReply(id)),
        }
    }

    pub(crate) fn push_events(&mut self, set: EventSet) {
        self.vm_died |= set.events.iter().any(|event| matches!(event, Event::VmDeath { .. }));
        if self.events_abandoned {
            return;
        }
        let weight = size_of::<(EventSet, usize)>() + set.events.iter().map(Event::weight).sum::<usize>();
        self.event_bytes += weight;
        self.events.push_back((set, weight));
        if let Some(waker) = self.event_waker.take() {
            waker.wake();
        }
    }

    /// Whether the reading task may read on: the event queue has room, or a reply is awaited.
    ///
    /// # Errors
    /// If a reply is awaited and the event queue has reached its hard limit.
    pub(crate) fn may_read(&self, options: &Options) -> Result<bool, Error> {
        if self.event_bytes < options.event_limit {
            Ok(true)
        } else if self.awaited == 0 {
            Ok(false)
        } else if self.event_bytes < options.event_hard_limit {
            Ok(true)
        } else {
            Err(Error::EventOverflow { bytes: self.event_bytes, limit: options.event_hard_limit })
        }
    }

    /// Polls for the next events. Once the queue is empty, gives the reason why the connection ended.
    pub(crate) fn poll_events(
        &mut self,
        cx: &mut Context<'_>,
        options: &Options,
    ) -> Poll<Result<Option<EventSet>, Error>> {
        if let Some(set) = self.pop_events(options) {
            return Poll::Ready(Ok(Some(set)));
        }
        match &self.end {
            Some(end) if end.is_clean_end() => Poll::Ready(Ok(None)),
            Some(end) => Poll::Ready(Err(end.clone())),
            None => {
                self.event_waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    /// The next events, if any have arrived.
    pub(crate) fn pop_events(&mut self, options: &Options) -> Option<EventSet> {
        let (set, weight) = self.events.pop_front()?;
        let was_full = self.event_bytes >= options.event_limit;
        self.event_bytes = self.event_bytes.saturating_sub(weight);
        if was_full && self.event_bytes < options.event_limit {
            self.wake_reader();
        }
        Some(set)
    }

    pub(crate) fn abandon_events(&mut self) {
        self.events_abandoned = true;
        self.events.clear();
        self.event_bytes = 0;
        self.wake_reader();
    }

    /// Ends the connection, unless it has ended: every pending call and the events get `why`.
    pub(crate) fn end(&mut self, why: Error) {
        if self.end.is_some() {
            return;
        }
        self.end = Some(match why {
            Error::Closed(ClosedBy::Vm) if self.vm_died => Error::VmDead,
            // The socket of a dead virtual machine resets the connection if it had not read all commands.
            Error::Io(error) if self.vm_died && is_reset(&error) => Error::VmDead,
            why => why,
        });
        self.writer = None;
        self.out = Vec::new();
        self.sent = 0;
        for call in self.calls.values_mut() {
            if let Call::Waiting(waker) = call
                && let Some(waker) = waker.take()
            {
                waker.wake();
            }
        }
        if let Some(waker) = self.event_waker.take() {
            waker.wake();
        }
        self.wake_reader();
    }
}

fn is_reset(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    matches!(error.kind(), ConnectionReset | BrokenPipe | ConnectionAborted)
}
