//! Reading and writing the protocol's primitive types, big-endian. Everything typed is built of these.
//!
//! A [`Reader`] never reads past its bytes and never allocates by what a length field claims; a [`Writer`]
//! remembers the first thing that could not be written.

use crate::id::{IdSize, IdSizes};
use crate::text::{self, JavaString};

/// Why bytes could not be read as what they should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes end inside a value.
    #[error("the bytes end early: {needed} more needed, {left} left")]
    UnexpectedEnd {
        /// How many bytes the value needs (at least).
        needed: usize,
        /// How many there are.
        left: usize,
    },
    /// A count or length is negative.
    #[error("a count of {0} is negative")]
    NegativeCount(i32),
    /// A number is none of a constant's values.
    #[error("{value} is no {what} of the specification")]
    UnknownConstant {
        /// Which constant: "Tag", "EventKind", ….
        what: &'static str,
        /// The number.
        value: i64,
    },
    /// Null where the specification has none.
    #[error("a null {0} where the specification allows none")]
    UnexpectedNull(&'static str),
    /// Bytes remain after the last value.
    #[error("{0} bytes are left over")]
    LeftOver(usize),
}

/// Why a command could not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// An id does not fit the size the virtual machine announced; it came from elsewhere.
    #[error(
        "id {id:#x} does not fit the {size} bytes of this connection's ids; was it made by another connection?"
    )]
    IdTooLarge {
        /// The id.
        id: u64,
        /// The number of bytes an id of its kind has.
        size: usize,
    },
    /// A list, string or packet has more elements than its length field or the packet limit allows.
    #[error("a length of {0} is more than a packet can hold")]
    TooLong(usize),
}

/// Reads values from the body of one packet.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    rest: &'a [u8],
    sizes: IdSizes,
}

impl<'a> Reader<'a> {
    /// A reader of `body`, with ids of `sizes`.
    pub fn new(body: &'a [u8], sizes: IdSizes) -> Self {
        Self { rest: body, sizes }
    }

    /// The sizes of ids.
    pub fn sizes(&self) -> IdSizes {
        self.sizes
    }

    /// How many bytes are left.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// The next `count` bytes.
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

    /// The next byte, unsigned.
    pub fn byte(&mut self) -> Result<u8, DecodeError> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// A count or length: an `int` that is not negative.
    pub fn count(&mut self) -> Result<usize, DecodeError> {
        let count = i32::decode(self)?;
        usize::try_from(count).map_err(|_| DecodeError::NegativeCount(count))
    }

    /// An id of `size`.
    pub fn id(&mut self, size: IdSize) -> Result<u64, DecodeError> {
        Ok(match size {
            IdSize::Two => u64::from(u16::from_be_bytes(self.array()?)),
            IdSize::Four => u64::from(u32::from_be_bytes(self.array()?)),
            IdSize::Eight => u64::from_be_bytes(self.array()?),
        })
    }

    /// `count` values. Memory grows with the values really read, not with `count`.
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

    /// Checks that everything was read.
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
    /// A writer that appends to `out`, with ids of `sizes` and strings in standard UTF-8.
    pub fn new(out: &'a mut Vec<u8>, sizes: IdSizes) -> Self {
        Self { out, sizes, modified_utf8: false, error: None }
    }

    /// The same, with strings in modified UTF-8 if `modified` is set.
    pub fn with_modified_utf8(mut self, modified: bool) -> Self {
        self.modified_utf8 = modified;
        self
    }

    /// The sizes of ids.
    pub fn sizes(&self) -> IdSizes {
        self.sizes
    }

    /// Appends bytes as they are.
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

    /// Appends an id of `size`.
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

    /// Whether everything could be written. If not, what was appended is of no use.
    pub fn finish(self) -> Result<(), EncodeError> {
        self.error.map_or(Ok(()), Err)
    }
}

/// What can be written to a packet.
pub trait Encode {
    /// Appends the value.
    fn encode(&self, w: &mut Writer<'_>);
}

/// What can be read from a packet.
pub trait Decode: Sized {
    /// Reads the value.
    ///
    /// # Errors
    /// When the bytes are not such a value, or end inside it.
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

// Not `u8`: a list of `u8` is a run of bytes, read at once (below).
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
    /// With U+FFFD in place of unpaired surrogates and of bytes that are no text: see [`crate::text`].
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
