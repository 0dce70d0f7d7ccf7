//! Splits the received bytes into packets.
//!
//! Does no I/O. Memory grows with the bytes that arrived, not with what a length field claims.

use bytes::{Buf, Bytes, BytesMut};

use crate::error::MalformedPacket;

/// The size of a packet's header in bytes: length (4), id (4), flags (1), and set and command or error code
/// (2).
pub(crate) const HEADER: usize = 11;
const REPLY: u8 = 0x80;
/// Bodies up to this size are copied, so that a small unread reply does not keep a whole buffer alive.
const COPIED: usize = 4096;

/// A complete packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Packet {
    Reply {
        id: u32,
        error_code: u16,
        body: Bytes,
    },
    /// A reply longer than the limit. Its body is discarded as it arrives.
    LongReply {
        id: u32,
        length: u32,
    },
    Command {
        set: u8,
        command: u8,
        body: Bytes,
    },
}

/// Bytes that have arrived but not been consumed.
#[derive(Debug)]
pub(crate) struct PacketBuffer {
    bytes: BytesMut,
    max_packet: usize,
    /// The number of bytes still to arrive that belong to a discarded body.
    unwanted: usize,
}

impl PacketBuffer {
    pub(crate) fn new(max_packet: usize) -> Self {
        Self { bytes: BytesMut::new(), max_packet, unwanted: 0 }
    }

    /// The buffer for arriving bytes, with spare capacity.
    pub(crate) fn space(&mut self) -> &mut BytesMut {
        if self.bytes.capacity() - self.bytes.len() < 4096 {
            // Doubling limits how often a large packet is copied.
            self.bytes.reserve(self.bytes.len().max(64 * 1024));
        }
        &mut self.bytes
    }

    /// Whether a packet has arrived only in part.
    pub(crate) fn is_inside(&self) -> bool {
        self.unwanted > 0 || !self.bytes.is_empty()
    }

    /// The number of buffered bytes of an incomplete packet.
    pub(crate) fn leftover(&self) -> usize {
        self.bytes.len()
    }

    /// Takes the next packet, if it is complete.
    pub(crate) fn next_packet(&mut self) -> Result<Option<Packet>, MalformedPacket> {
        let skipped = self.unwanted.min(self.bytes.len());
        self.bytes.advance(skipped);
        self.unwanted -= skipped;
        let Some((length, _)) = self.bytes.split_first_chunk::<4>() else { return Ok(None) };
        let claimed = u32::from_be_bytes(*length);
        let length = usize::try_from(claimed).unwrap_or(usize::MAX);
        if length < HEADER {
            return Err(MalformedPacket::TooShort(claimed));
        }
        if length > self.max_packet {
            return self.long_packet(claimed, length);
        }
        if self.bytes.len() < length {
            return Ok(None);
        }
        let mut packet = self.bytes.split_to(length);
        packet.advance(4);
        let id = packet.get_u32();
        let flags = packet.get_u8();
        let (first, second) = (packet.get_u8(), packet.get_u8());
        let body = if packet.len() <= COPIED { Bytes::copy_from_slice(&packet) } else { packet.freeze() };
        match flags {
            REPLY => Ok(Some(Packet::Reply { id, error_code: u16::from_be_bytes([first, second]), body })),
            0 => Ok(Some(Packet::Command { set: first, command: second, body })),
            other => Err(MalformedPacket::Flags(other)),
        }
    }
}

impl PacketBuffer {
    /// Handles a packet beyond the limit. A reply can be skipped, and the connection survives. Events must
    /// not be lost, so they are an error.
    fn long_packet(&mut self, claimed: u32, length: usize) -> Result<Option<Packet>, MalformedPacket> {
        let Some((header, _)) = self.bytes.split_first_chunk::<HEADER>() else { return Ok(None) };
        let [_, _, _, _, a, b, c, d, REPLY, _, _] = *header else {
            return Err(MalformedPacket::TooLong { length: claimed, limit: self.max_packet });
        };
        self.bytes.advance(HEADER);
        self.unwanted = length - HEADER;
        Ok(Some(Packet::LongReply { id: u32::from_be_bytes([a, b, c, d]), length: claimed }))
    }
}

/// Appends the header of a command. [`end_command`] fills in the length.
pub(crate) fn begin_command(out: &mut Vec<u8>, id: u32, set: u8, command: u8) {
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&id.to_be_bytes());
    out.extend_from_slice(&[0, set, command]);
}

/// Fills in the length of the command that begins at `start`. Fails with the length if that exceeds `max`.
pub(crate) fn end_command(out: &mut [u8], start: usize, max: usize) -> Result<(), usize> {
    let length = out.len().saturating_sub(start);
    match (u32::try_from(length), out.get_mut(start..start + 4)) {
        (Ok(field), Some(place)) if length <= max => {
            place.copy_from_slice(&field.to_be_bytes());
            Ok(())
        }
        _ => Err(length),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(bytes: &[u8]) -> PacketBuffer {
        let mut buffer = PacketBuffer::new(1 << 20);
        buffer.space().extend_from_slice(bytes);
        buffer
    }

    #[test]
    fn a_packet_is_taken_once_all_of_it_has_arrived() {
        let bytes = [0, 0, 0, 13, 0, 0, 0, 7, 0x80, 0, 20, 1, 2];
        for cut in 0..bytes.len() {
            let mut buffer = buffer(&bytes[..cut]);
            assert_eq!(buffer.next_packet(), Ok(None), "after {cut} bytes");
            buffer.space().extend_from_slice(&bytes[cut..]);
            let body = Bytes::from_static(&[1, 2]);
            assert_eq!(buffer.next_packet(), Ok(Some(Packet::Reply { id: 7, error_code: 20, body })));
            assert_eq!(buffer.leftover(), 0);
        }
    }

    #[test]
    fn wrong_lengths_and_flags_are_malformed() {
        assert_eq!(buffer(&[0, 0, 0, 10]).next_packet(), Err(MalformedPacket::TooShort(10)));
        let limit = 1 << 20;
        let length = u32::MAX;
        assert_eq!(buffer(&[0xFF; 4]).next_packet(), Ok(None));
        let mut events = vec![0xFF; 4];
        events.extend([0, 0, 0, 1, 0, 64, 100]);
        assert_eq!(buffer(&events).next_packet(), Err(MalformedPacket::TooLong { length, limit }));
        let flags = [0, 0, 0, 11, 0, 0, 0, 0, 0x81, 0, 0];
        assert_eq!(buffer(&flags).next_packet(), Err(MalformedPacket::Flags(0x81)));
    }

    #[test]
    fn a_reply_over_the_limit_is_skipped_and_reported() {
        let length: u32 = (1 << 20) + 500;
        let mut bytes = length.to_be_bytes().to_vec();
        bytes.extend([0, 0, 0, 7, 0x80, 0, 0]);
        bytes.resize(length as usize, 0xAB);
        bytes.extend([0, 0, 0, 11, 0, 0, 0, 8, 0x80, 0, 20]);
        for step in [1000, 4096, 1 << 21] {
            let mut buffer = PacketBuffer::new(1 << 20);
            let mut taken = Vec::new();
            for piece in bytes.chunks(step) {
                buffer.space().extend_from_slice(piece);
                taken.extend(std::iter::from_fn(|| buffer.next_packet().unwrap()));
                assert!(buffer.leftover() < 4096, "nothing of it is kept");
            }
            let next = Packet::Reply { id: 8, error_code: 20, body: Bytes::new() };
            assert_eq!(taken, [Packet::LongReply { id: 7, length }, next]);
            assert!(!buffer.is_inside());
        }
    }

    #[test]
    fn a_length_within_the_limit_reserves_nothing() {
        let mut buffer = buffer(&[0, 0x0F, 0xFF, 0xFF]);
        assert_eq!(buffer.next_packet(), Ok(None));
        assert!(buffer.bytes.capacity() <= 64 * 1024);
    }
}
