//! The handshake. Both sides send the same fourteen bytes, the debugger first. Then the debugger requests the
//! id sizes, which it needs to read anything that contains ids. The virtual machine may send events before it
//! replies.

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::codec::Reader;
use crate::commands::Command;
use crate::commands::virtual_machine::IDSizes;
use crate::error::{Error, HandshakeError, MalformedPacket};
use crate::error_code::ErrorCode;
use crate::event::EventSet;
use crate::id::IdSizes;
use crate::options::Options;
use crate::packet::{Packet, PacketBuffer, begin_command, end_command};
use crate::reader::decode_events;

const GREETING: &[u8; 14] = b"JDWP-Handshake";
const IDS_ID: u32 = 1;
/// The first packet id after those of the handshake.
pub(crate) const FIRST_FREE_ID: u32 = IDS_ID + 1;

/// The two streams after the handshake, and the packets that arrived during it.
#[derive(Debug)]
pub(crate) struct Greeted<R, W> {
    pub(crate) read: R,
    pub(crate) write: W,
    pub(crate) buffer: PacketBuffer,
    pub(crate) sizes: IdSizes,
    pub(crate) events: Vec<EventSet>,
}

pub(crate) async fn run<R, W>(read: R, write: W, options: &Options) -> Result<Greeted<R, W>, Error>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    match options.handshake_timeout {
        Some(limit) => match tokio::time::timeout(limit, greet(read, write, options)).await {
            Ok(result) => result,
            Err(_) => Err(HandshakeError::TimedOut(limit).into()),
        },
        None => greet(read, write, options).await,
    }
}

async fn greet<R, W>(mut read: R, mut write: W, options: &Options) -> Result<Greeted<R, W>, Error>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    write.write_all(GREETING).await?;
    write.flush().await?;
    let mut buffer = PacketBuffer::new(options.max_packet);
    loop {
        let got = buffer.space();
        if !got.iter().zip(GREETING).all(|(got, expected)| got == expected) {
            return Err(HandshakeError::NotJdwp.into());
        }
        if got.len() >= GREETING.len() {
            got.advance(GREETING.len());
            break;
        }
        if read.read_buf(got).await? == 0 {
            return Err(HandshakeError::Closed.into());
        }
    }
    let mut command = Vec::new();
    begin_command(&mut command, IDS_ID, IDSizes::SET, IDSizes::ID);
    // The command has eleven bytes, which no limit excludes.
    end_command(&mut command, 0, usize::MAX).map_err(|_| HandshakeError::NotJdwp)?;
    write.write_all(&command).await?;
    write.flush().await?;

    let mut early: Vec<(u8, u8, Bytes)> = Vec::new();
    let mut early_bytes = 0;
    let sizes = loop {
        match buffer.next_packet()? {
            Some(Packet::Reply { id: IDS_ID, error_code, body }) => break id_sizes(error_code, &body)?,
            Some(Packet::Reply { id, .. } | Packet::LongReply { id, .. }) => {
                return Err(MalformedPacket::UnknownReply(id).into());
            }
            Some(Packet::Command { set, command, body }) => {
                early_bytes += body.len();
                early.push((set, command, body));
                if early_bytes > options.event_hard_limit {
                    let limit = options.event_hard_limit;
                    return Err(Error::EventOverflow { bytes: early_bytes, limit });
                }
            }
            None => {
                if read.read_buf(buffer.space()).await? == 0 {
                    return Err(match buffer.leftover() {
                        0 => HandshakeError::Closed.into(),
                        have => Error::Truncated { have },
                    });
                }
            }
        }
    };
    let events = early
        .iter()
        .map(|(set, command, body)| decode_events(*set, *command, body, sizes))
        .collect::<Result<_, _>>()?;
    Ok(Greeted { read, write, buffer, sizes, events })
}

fn id_sizes(error_code: u16, body: &[u8]) -> Result<IdSizes, Error> {
    let command = IDSizes::NAME;
    match ErrorCode(error_code) {
        ErrorCode::NONE => {}
        ErrorCode::VM_DEAD => return Err(Error::VmDead),
        code => return Err(Error::Jdwp { command, code }),
    }
    // The reply contains no ids, so the reader can assume any sizes.
    let mut r = Reader::new(body, IdSizes::all(crate::id::IdSize::Eight));
    let reply = IDSizes::decode(&mut r).map_err(|source| Error::Reply { command, source })?;
    reply.sizes().map_err(|(what, bytes)| HandshakeError::IdSize { what, bytes }.into())
}
