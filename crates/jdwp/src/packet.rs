//! Packets: the frames of the protocol, cut out of the bytes as they arrive.
//!
//! No I/O here. Memory grows with the bytes that arrived, never with what a length field claims.

use bytes::{Buf, Bytes, BytesMut};

use crate::error::MalformedPacket;

/// The bytes of a packet before its body: length (4), id (4), flags (1), then set and command or error code (2).
pub(crate) const HEADER: usize = 11;
const REPLY: u8 = 0x80;
/// Bodies up to this are copied out, so that a small reply nobody takes does not keep a whole buffer alive.
const COPIED: usize = 4096;

/// A whole packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Packet {
    Reply { id: u32, error_code: u16, body: Bytes },
    Command { set: u8, command: u8, body: Bytes },
}

/// The bytes that have arrived and not been taken.
#[derive(Debug)]
pub(crate) struct PacketBuffer {
    bytes: BytesMut,
    max_packet: usize,
}

impl PacketBuffer {
    pub(crate) fn new(max_packet: usize) -> Self {
        Self { bytes: BytesMut::new(), max_packet }
    }

    /// Where arriving bytes go, with room for more.
    pub(crate) fn space(&mut self) -> &mut BytesMut {
        if self.bytes.capacity() - self.bytes.len() < 4096 {
            // Doubles at most, so a large packet is not copied time and again.
            self.bytes.reserve(self.bytes.len().max(64 * 1024));
        }
        &mut self.bytes
    }

    /// The bytes of a packet whose end has not arrived.
    pub(crate) fn leftover(&self) -> usize {
        self.bytes.len()
    }

    /// The next packet, if all of it has arrived.
    pub(crate) fn next_packet(&mut self) -> Result<Option<Packet>, MalformedPacket> {
        let Some((length, _)) = self.bytes.split_first_chunk::<4>() else { return Ok(None) };
        let claimed = u32::from_be_bytes(*length);
        let length = usize::try_from(claimed).unwrap_or(usize::MAX);
        if length < HEADER {
            return Err(MalformedPacket::TooShort(claimed));
        }
        if length > self.max_packet {
            return Err(MalformedPacket::TooLong { length: claimed, limit: self.max_packet });
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

/// Appends the header of a command; [`end_command`] puts the length in.
pub(crate) fn begin_command(out: &mut Vec<u8>, id: u32, set: u8, command: u8) {
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&id.to_be_bytes());
    out.extend_from_slice(&[0, set, command]);
}

/// Puts the length into the command that began at `start`; gives it back if it is more than `max`.
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
    fn lying_lengths_and_flags_are_told() {
        assert_eq!(buffer(&[0, 0, 0, 10]).next_packet(), Err(MalformedPacket::TooShort(10)));
        let limit = 1 << 20;
        let length = u32::MAX;
        assert_eq!(buffer(&[0xFF; 4]).next_packet(), Err(MalformedPacket::TooLong { length, limit }));
        let flags = [0, 0, 0, 11, 0, 0, 0, 0, 0x81, 0, 0];
        assert_eq!(buffer(&flags).next_packet(), Err(MalformedPacket::Flags(0x81)));
    }

    #[test]
    fn a_length_within_the_limit_reserves_nothing() {
        let mut buffer = buffer(&[0, 0x0F, 0xFF, 0xFF]);
        assert_eq!(buffer.next_packet(), Ok(None));
        assert!(buffer.bytes.capacity() <= 64 * 1024);
    }
}
