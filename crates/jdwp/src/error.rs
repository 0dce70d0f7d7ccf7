//! The errors of a connection.

use std::io;
use std::sync::Arc;

use crate::codec::{DecodeError, EncodeError};
use crate::error_code::ErrorCode;

/// Why a command has no reply, or why there are no more events. Cheap to clone: when a connection ends, all
/// pending calls get the same error.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The virtual machine refused the command. The connection stays open.
    #[error("{command} was refused by the virtual machine: {code}")]
    Jdwp {
        /// The command, as `Set.Command`.
        command: &'static str,
        /// The reason given by the virtual machine.
        code: ErrorCode,
    },
    /// The reply exceeds the size limit, for example a string of many million characters. The connection
    /// stays open.
    #[error(
        "the reply to {command} has {length} bytes, more than the limit of {limit} (Options::max_packet)"
    )]
    ReplyTooLong {
        /// The command, as `Set.Command`.
        command: &'static str,
        /// The reply's length in bytes, with its header.
        length: u32,
        /// [`Options::max_packet`](crate::Options::max_packet).
        limit: usize,
    },
    /// The virtual machine has died: a reply said so, or it announced its death and closed the connection.
    #[error("the virtual machine has ended; start it again to continue")]
    VmDead,
    /// The connection ended cleanly, between two packets.
    #[error("the debugger connection was closed by {0}; connect again to continue")]
    Closed(ClosedBy),
    /// The connection ended inside a packet.
    #[error(
        "the debugger connection ended inside a packet, after {have} bytes of it; the virtual machine was killed or is not a JDWP peer"
    )]
    Truncated {
        /// How many bytes of the packet arrived.
        have: usize,
    },
    /// The peer sent bytes that are not a JDWP packet; this side has closed the connection.
    #[error("the debugger connection was ended because of a malformed packet: {0}")]
    Malformed(MalformedPacket),
    /// The packet is well formed, but its body is not a reply to this command. The connection stays open.
    #[error("the reply to {command} cannot be read: {source}")]
    Reply {
        /// The command, as `Set.Command`.
        command: &'static str,
        /// What is wrong.
        source: DecodeError,
    },
    /// The command cannot be encoded. Nothing was sent; the connection stays open.
    #[error("{command} cannot be sent: {source}")]
    Encode {
        /// The command, as `Set.Command`.
        command: &'static str,
        /// What is wrong.
        source: EncodeError,
    },
    /// Reading or writing failed.
    #[error("the debugger connection failed: {0}")]
    Io(#[source] Arc<io::Error>),
    /// The peer is not a virtual machine that waits for a debugger.
    #[error("the JDWP handshake failed: {0}")]
    Handshake(HandshakeError),
    /// The event queue reached its hard limit while replies were awaited. The connection was closed rather
    /// than lose an event.
    #[error(
        "{bytes} bytes of events are queued, more than the hard limit of {limit}; read events while waiting for replies, or raise Options::event_hard_limit"
    )]
    EventOverflow {
        /// The number of queued bytes.
        bytes: usize,
        /// [`Options::event_hard_limit`](crate::Options::event_hard_limit).
        limit: usize,
    },
}

/// Which side ended a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClosedBy {
    /// This side, by [`Connection::close`](crate::Connection::close) or because the runtime shut down.
    Debugger,
    /// The virtual machine.
    Vm,
}

impl std::fmt::Display for ClosedBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Debugger => "the debugger",
            Self::Vm => "the virtual machine",
        })
    }
}

/// What is wrong with a packet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedPacket {
    /// The length field is less than the eleven bytes of a header.
    #[error("its length field says {0} bytes, less than a header")]
    TooShort(u32),
    /// The length field exceeds the limit.
    #[error("its length field says {length} bytes, more than the limit of {limit} (Options::max_packet)")]
    TooLong {
        /// The length field.
        length: u32,
        /// [`Options::max_packet`](crate::Options::max_packet).
        limit: usize,
    },
    /// The flags mark neither a command nor a reply.
    #[error("its flags are {0:#04x}, neither a command's nor a reply's")]
    Flags(u8),
    /// A reply to a command that was never sent or has already been answered.
    #[error("it replies to packet {0}, which awaits no reply")]
    UnknownReply(u32),
    /// A command that virtual machines do not send.
    #[error("it is command {command} of set {set}, which a virtual machine does not send")]
    UnknownCommand {
        /// The command set.
        set: u8,
        /// The command.
        command: u8,
    },
    /// A composite event that cannot be decoded.
    #[error("a composite event cannot be read: {0}")]
    Event(#[from] DecodeError),
}

/// Why a handshake failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HandshakeError {
    /// The peer sent something other than the handshake.
    #[error("the peer did not answer with \"JDWP-Handshake\"; does a JDWP agent listen there?")]
    NotJdwp,
    /// The peer closed the connection first; another debugger may be attached.
    #[error("the peer closed the connection; is another debugger attached?")]
    Closed,
    /// The peer did not answer in time.
    #[error("no answer within {0:?} (Options::handshake_timeout)")]
    TimedOut(std::time::Duration),
    /// An id size other than 2, 4 or 8.
    #[error("the virtual machine has {what} ids of {bytes} bytes; 2, 4 and 8 are supported")]
    IdSize {
        /// Which kind of id.
        what: &'static str,
        /// Its size in bytes.
        bytes: i32,
    },
}

impl Error {
    /// The error code sent by the virtual machine; [`ErrorCode::VM_DEAD`] if it has died.
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Jdwp { code, .. } => Some(*code),
            Self::VmDead => Some(ErrorCode::VM_DEAD),
            _ => None,
        }
    }

    /// Whether the connection has ended. If not, only this command failed.
    pub fn is_fatal(&self) -> bool {
        !matches!(
            self,
            Self::Jdwp { .. } | Self::Reply { .. } | Self::ReplyTooLong { .. } | Self::Encode { .. }
        )
    }

    /// Whether either side ended the connection deliberately, between two packets.
    pub fn is_clean_end(&self) -> bool {
        matches!(self, Self::VmDead | Self::Closed(_))
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(Arc::new(error))
    }
}

impl From<MalformedPacket> for Error {
    fn from(what: MalformedPacket) -> Self {
        Self::Malformed(what)
    }
}

impl From<HandshakeError> for Error {
    fn from(what: HandshakeError) -> Self {
        Self::Handshake(what)
    }
}
