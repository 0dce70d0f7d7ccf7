//! Reads and writes the protocol's primitive types, big-endian. All other types are built from these.
//!
//! A [`Reader`] never reads past the end of its bytes and never allocates memory because a length field asks
//! for it. A [`Writer`] remembers the first value it could not write and reports it at the end.

use crate::id::{IdSize, IdSizes};
use crate::text::{self, JavaString};

/// Why bytes could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes end inside a value.
    #[error("the packet ends too early: {needed} more bytes needed, {left} left")]
    UnexpectedEnd {
        /// How many bytes the value needs, at least.
        needed: usize,
        /// How many bytes are left.
        left: usize,
    },
    /// A count or length is negative.
    #[error("negative count {0}")]
    NegativeCount(i32),
    /// The number is not among the values that the specification gives for a constant.
    #[error("{value} is not a {what} of the specification")]
    UnknownConstant {
        /// The name of the constant, such as "Tag" or "EventKind".
        what: &'static str,
        /// The number received.
        value: i64,
    },
    /// Null, where the specification does not allow it.
    #[error("null {0}, which the specification does not allow here")]
    UnexpectedNull(&'static str),
    /// Bytes remain after the last value.
    #[error("{0} bytes are left after the last value")]
    LeftOver(usize),
}

/// Why a command could not be encoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The id does not fit the id size that this virtual machine announced, so it came from another
    /// connection.
    #[error(
        "id {id:#x} does not fit the {size} bytes of this connection's ids; was it made by another connection?"
    )]
    IdTooLarge {
        /// The id.
        id: u64,
        /// The size of such an id on this connection, in bytes.
        size: usize,
    },
    /// A list, string or packet has more elements than its length field or the packet limit allows.
    #[error("length {0} exceeds what a packet can hold")]
    TooLong(usize),
}

/// Reads values from the body of one packet.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    rest: &'a [u8],
    sizes: IdSizes,
}

impl<'a> Reader<'a> {
    /// Creates a reader of `body` for a connection with these id sizes.
    pub fn new(body: &'a [u8], sizes: IdSizes) -> Self {
        Self { rest: body, sizes }
    }

    /// The id sizes of the connection.
    pub fn sizes(&self) -> IdSizes {
        self.sizes
    }

    /// The number of bytes not read yet.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Reads the next `count` bytes.
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        match self.rest.split_at_checked(count) {
            Some((head, tail)) => {
                self.rest = tail;
                Ok(head)
            }
            None => Err(DecodeError::UnexpectedEnd { needed: count, left: self.rest.len() }),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        match self.rest.split_first_chunk::<N>() {
            Some((head, tail)) => {
                self.rest = tail;
                Ok(*head)
            }
            None => Err(DecodeError::UnexpectedEnd { needed: N, left: self.rest.len() }),
        }
    }

    /// Reads one unsigned byte.
    pub fn byte(&mut self) -> Result<u8, DecodeError> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// Reads a count or length: an `int` that must not be negative.
    pub fn count(&mut self) -> Result<usize, DecodeError> {
        let count = i32::decode(self)?;
        usize::try_from(count).map_err(|_| DecodeError::NegativeCount(count))
    }

    /// Reads an id of `size` bytes.
    pub fn id(&mut self, size: IdSize) -> Result<u64, DecodeError> {
        Ok(match size {
            IdSize::Two => u64::from(u16::from_be_bytes(self.array()?)),
            IdSize::Four => u64::from(u32::from_be_bytes(self.array()?)),
            IdSize::Eight => u64::from_be_bytes(self.array()?),
        })
    }

    /// Reads `count` values. The list grows with the values actually read, so a false `count` allocates
    /// nothing.
    pub fn list<T>(
        &mut self,
        count: usize,
        mut item: impl FnMut(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let mut list = Vec::with_capacity(count.min(64).min(self.remaining()));
        for _ in 0..count {
            list.push(item(self)?);
        }
        Ok(list)
    }

    /// Fails if bytes are left unread.
    pub fn finish(self) -> Result<(), DecodeError> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(DecodeError::LeftOver(left)),
        }
    }
}

/// Writes values to the body of one packet.
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    sizes: IdSizes,
    modified_utf8: bool,
    error: Option<EncodeError>,
}

impl<'a> Writer<'a> {
    /// Creates a writer that appends to `out`, with these id sizes and standard UTF-8 strings.
    pub fn new(out: &'a mut Vec<u8>, sizes: IdSizes) -> Self {
        Self { out, sizes, modified_utf8: false, error: None }
    }

    /// Writes strings in modified UTF-8 if `modified` is set.
    pub fn with_modified_utf8(mut self, modified: bool) -> Self {
        self.modified_utf8 = modified;
        self
    }

    /// The id sizes of the connection.
    pub fn sizes(&self) -> IdSizes {
        self.sizes
    }

    /// Appends the bytes unchanged.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Appends one byte.
    pub fn byte(&mut self, byte: u8) {
        self.out.push(byte);
    }

    /// Appends a count or length.
    pub fn count(&mut self, count: usize) {
        match i32::try_from(count) {
            Ok(count) => count.encode(self),
            Err(_) => self.fail(EncodeError::TooLong(count)),
        }
    }

    /// Appends an id of `size` bytes.
    pub fn id(&mut self, id: u64, size: IdSize) {
        match size {
            IdSize::Eight => self.bytes(&id.to_be_bytes()),
            IdSize::Four => match u32::try_from(id) {
                Ok(id) => self.bytes(&id.to_be_bytes()),
                Err(_) => self.fail(EncodeError::IdTooLarge { id, size: 4 }),
            },
            IdSize::Two => match u16::try_from(id) {
                Ok(id) => self.bytes(&id.to_be_bytes()),
                Err(_) => self.fail(EncodeError::IdTooLarge { id, size: 2 }),
            },
        }
    }

    fn text(&mut self, append: impl FnOnce(bool, &mut Vec<u8>)) {
        let start = self.out.len();
        self.bytes(&[0; 4]);
        append(self.modified_utf8, self.out);
        let length = self.out.len() - start - 4;
        match (i32::try_from(length), self.out.get_mut(start..start + 4)) {
            (Ok(length), Some(field)) => field.copy_from_slice(&length.to_be_bytes()),
            _ => self.fail(EncodeError::TooLong(length)),
        }
    }

    fn fail(&mut self, error: EncodeError) {
        self.error.get_or_insert(error);
    }

    /// Fails with the first value that could not be written. The appended bytes are then useless.
    pub fn finish(self) -> Result<(), EncodeError> {
        self.error.map_or(Ok(()), Err)
    }
}

/// A type that can be written to a packet.
pub trait Encode {
    /// Appends the value.
    fn encode(&self, w: &mut Writer<'_>);
}

/// A type that can be read from a packet.
pub trait Decode: Sized {
    /// Reads a value.
    ///
    /// # Errors
    /// If the bytes do not encode such a value, or end inside it.
    fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError>;
}

macro_rules! number {
    ($($t:ty),*) => {$(
        impl Encode for $t {
            fn encode(&self, w: &mut Writer<'_>) {
                w.bytes(&self.to_be_bytes());
            }
        }

        impl Decode for $t {
            fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
                r.array().map(<$t>::from_be_bytes)
            }
        }
    )*};
}

// `u8` is left out: a list of `u8` is read and written as one block of bytes (below).
number!(i8, u16, i16, u32, i32, u64, i64);

impl Encode for f32 {
    fn encode(&self, w: &mut Writer<'_>) {
        self.to_bits().encode(w);
    }
}

impl Decode for f32 {
    fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        u32::decode(r).map(f32::from_bits)
    }
}

impl Encode for f64 {
    fn encode(&self, w: &mut Writer<'_>) {
        self.to_bits().encode(w);
    }
}

impl Decode for f64 {
    fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        u64::decode(r).map(f64::from_bits)
    }
}

impl Encode for bool {
    fn encode(&self, w: &mut Writer<'_>) {
        w.byte(u8::from(*self));
    }
}

impl Decode for bool {
    /// "Non-zero for true, zero for false" (specification, detailed command information).
    fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        r.byte().map(|byte| byte != 0)
    }
}

impl Encode for () {
    fn encode(&self, _: &mut Writer<'_>) {}
}

impl Decode for () {
    fn decode(_: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(())
    }
}

impl Encode for str {
    fn encode(&self, w: &mut Writer<'_>) {
        w.text(|modified, out| text::str_to_wire(self, modified, out));
    }
}

impl Encode for String {
    fn encode(&self, w: &mut Writer<'_>) {
        self.as_str().encode(w);
    }
}

impl Decode for String {
    /// Replaces unpaired surrogates and undecodable bytes by U+FFFD: see [`crate::text`].
    fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        JavaString::decode(r).map(JavaString::into_string)
    }
}

impl Encode for JavaString {
    fn encode(&self, w: &mut Writer<'_>) {
        w.text(|modified, out| self.to_wire(modified, out));
    }
}

impl Decode for JavaString {
    fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let length = r.count()?;
        r.bytes(length).map(JavaString::from_wire)
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(&self, w: &mut Writer<'_>) {
        w.count(self.len());
        self.iter().for_each(|item| item.encode(w));
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count = r.count()?;
        r.list(count, T::decode)
    }
}

impl Encode for Vec<u8> {
    fn encode(&self, w: &mut Writer<'_>) {
        w.count(self.len());
        w.bytes(self);
    }
}

impl Decode for Vec<u8> {
    fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let length = r.count()?;
        r.bytes(length).map(<[u8]>::to_vec)
    }
}
