//! The settings of a connection.

#[cfg(doc)]
use crate::Error;
use std::time::Duration;

/// The settings of a connection.
#[derive(Debug, Clone)]
pub struct Options {
    /// The longest packet to accept or send, in bytes with its header. A longer reply is skipped and its
    /// command fails with [`Error::ReplyTooLong`]. A longer event packet ends the connection. Default: 64
    /// MiB.
    pub max_packet: usize,
    /// How many bytes of events (measured in memory) may be queued before reading stops, which blocks the
    /// virtual machine's threads. Reading continues while a command awaits its reply. Default: 64 MiB.
    pub event_limit: usize,
    /// The maximum size of the event queue in bytes. Beyond it the connection ends with
    /// [`Error::EventOverflow`]; no event is ever dropped. Default: 1 GiB.
    pub event_hard_limit: usize,
    /// The time limit of the handshake, including the exchange of id sizes; `None` means no limit. Needs a
    /// runtime with time enabled. Default: 10 s.
    pub handshake_timeout: Option<Duration>,
    /// Sends strings in modified UTF-8, for an agent started with `mutf8=y`. Both forms are accepted when
    /// reading. Default: false.
    pub modified_utf8: bool,
    /// How long to poll for the next packet after sending or receiving one, before the task sleeps. Waking a
    /// sleeping task is slow. A debugger that stops threads often and answers each stop at once runs about
    /// twice as fast with 100 µs, at the cost of that much CPU time after each packet. Default: zero.
    pub linger: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_packet: 64 << 20,
            event_limit: 64 << 20,
            event_hard_limit: 1 << 30,
            handshake_timeout: Some(Duration::from_secs(10)),
            modified_utf8: false,
            linger: Duration::ZERO,
        }
    }
}
