//! Splits the received bytes into messages, and frames sent ones: a header with the body's length, an empty
//! line, and the body as JSON.
//!
//! Does no I/O. Memory grows with the bytes that arrived, not with what a header claims.

use serde::Serialize;
use serde_json::Value;

/// Maximum size of a header with its empty line, in bytes.
pub const MAX_HEADER: usize = 4 << 10;

/// Maximum size of a message's body, in bytes.
pub const MAX_BODY: usize = 16 << 20;

/// An emptied buffer larger than this is released, in bytes.
const KEPT: usize = 64 << 10;

const LENGTH_FIELD: &str = "Content-Length";
const HEADER_END: &[u8] = b"\r\n\r\n";

/// Why the received bytes are not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The header has no end within [`MAX_HEADER`] bytes.
    #[error("a message header is longer than {MAX_HEADER} bytes")]
    LongHeader,
    /// A line of the header has no colon.
    #[error("a message header has the line `{0}`, which is not of the form `Name: value`")]
    HeaderLine(String),
    /// The header does not give a length, or gives several.
    #[error("a message header must have exactly one field `Content-Length`")]
    NoLength,
    /// The length is not a decimal number below 2^64.
    #[error("the `Content-Length` of a message is `{0}`, which is not a length")]
    Length(String),
    /// The body exceeds [`MAX_BODY`]. It is discarded as it arrives.
    #[error("a message has {0} bytes, more than the limit of {MAX_BODY}")]
    LongBody(u64),
    /// The body is not JSON, or nests too deeply. It has been consumed.
    #[error("the body of a message is not valid JSON: {0}")]
    Json(String),
}

impl FrameError {
    /// Whether the connection is of no use any more, because the start of the next message is unknown.
    pub fn is_fatal(&self) -> bool {
        match self {
            Self::LongHeader | Self::HeaderLine(_) | Self::NoLength | Self::Length(_) => true,
            Self::LongBody(_) | Self::Json(_) => false,
        }
    }
}

/// Bytes that have arrived but not been consumed.
///
/// A malformed header is fatal: every later call returns the same error, and further bytes are discarded. To
/// search for the next header instead could take text inside a body for a request. After an error in a body,
/// the next call goes on with the next message.
#[derive(Debug, Default)]
pub struct Decoder {
    bytes: Vec<u8>,
    /// The number of bytes at the start of `bytes` that have been consumed.
    consumed: usize,
    /// The length of the body, once its header has been consumed.
    body: Option<usize>,
    /// The number of bytes still to arrive that belong to a discarded body.
    unwanted: u64,
    fatal: Option<FrameError>,
}

impl Decoder {
    /// A decoder at the start of a connection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds bytes from the client. Before adding more, call [`next_value`](Self::next_value) until it returns
    /// `None`. Then at most one incomplete message is buffered.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.fatal.is_some() {
            return;
        }
        self.compact();
        let mut rest = bytes;
        if self.bytes.is_empty() {
            let skipped = usize::try_from(self.unwanted).unwrap_or(usize::MAX).min(bytes.len());
            self.unwanted -= skipped as u64;
            rest = bytes.get(skipped..).unwrap_or_default();
        }
        self.bytes.extend_from_slice(rest);
    }

    /// Takes the next message, if it is complete. `None` means that more bytes are needed.
    ///
    /// # Errors
    ///
    /// The bytes are not a message. If the error [is fatal](FrameError::is_fatal), close the connection.
    pub fn next_value(&mut self) -> Result<Option<Value>, FrameError> {
        if let Some(error) = &self.fatal {
            return Err(error.clone());
        }
        let taken = self.take();
        if let Err(error) = &taken
            && error.is_fatal()
        {
            self.fatal = Some(error.clone());
            self.bytes = Vec::new();
            self.consumed = 0;
        }
        taken
    }

    /// Whether a message has arrived only in part. If the connection ends here, that message is lost.
    pub fn is_inside(&self) -> bool {
        self.unwanted > 0 || self.body.is_some() || !self.rest().is_empty()
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.consumed..).unwrap_or_default()
    }

    /// Removes the consumed bytes.
    fn compact(&mut self) {
        self.bytes.drain(..self.consumed.min(self.bytes.len()));
        self.consumed = 0;
        if self.bytes.is_empty() && self.bytes.capacity() > KEPT {
            self.bytes = Vec::new();
        }
    }

    fn take(&mut self) -> Result<Option<Value>, FrameError> {
        let skipped = usize::try_from(self.unwanted).unwrap_or(usize::MAX).min(self.rest().len());
        self.unwanted -= skipped as u64;
        self.consumed += skipped;
        let length = match self.body {
            Some(length) => length,
            None => match self.take_header()? {
                Some(length) => length,
                None => return Ok(None),
            },
        };
        self.body = Some(length);
        let Some(body) = self.rest().get(..length) else { return Ok(None) };
        let value = serde_json::from_slice(body).map_err(|error| FrameError::Json(error.to_string()));
        self.body = None;
        self.consumed += length;
        if self.rest().is_empty() {
            self.compact();
        }
        value.map(Some)
    }

    /// Takes a header, if it is complete, and returns the length of the body.
    fn take_header(&mut self) -> Result<Option<usize>, FrameError> {
        let bytes = self.rest();
        let bytes = bytes.get(..MAX_HEADER).unwrap_or(bytes);
        let Some(end) = bytes.windows(HEADER_END.len()).position(|window| window == HEADER_END) else {
            return if bytes.len() < MAX_HEADER { Ok(None) } else { Err(FrameError::LongHeader) };
        };
        let length = body_length(bytes.get(..end).unwrap_or_default())?;
        self.consumed += end + HEADER_END.len();
        match usize::try_from(length) {
            Ok(length) if length <= MAX_BODY => Ok(Some(length)),
            _ => {
                self.unwanted = length;
                Err(FrameError::LongBody(length))
            }
        }
    }
}

/// Reads the length in a header, which is without its empty line here.
fn body_length(header: &[u8]) -> Result<u64, FrameError> {
    let text = String::from_utf8_lossy(header);
    let mut length = None;
    for line in text.split("\r\n") {
        let (name, value) = line.split_once(':').ok_or_else(|| FrameError::HeaderLine(line.to_owned()))?;
        if !name.trim().eq_ignore_ascii_case(LENGTH_FIELD) {
            continue;
        }
        let value = value.trim();
        // `parse` would also accept a sign.
        let number = value.bytes().all(|byte| byte.is_ascii_digit()).then(|| value.parse().ok()).flatten();
        let number = number.ok_or_else(|| FrameError::Length(value.to_owned()))?;
        if length.replace(number).is_some() {
            return Err(FrameError::NoLength);
        }
    }
    length.ok_or(FrameError::NoLength)
}

/// Frames a message: its header and its JSON.
///
/// # Errors
///
/// The message cannot be written as JSON, for example because a map has keys that are not texts.
pub fn encode(message: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let body = serde_json::to_vec(message)?;
    let mut bytes = format!("{LENGTH_FIELD}: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(&body);
    Ok(bytes)
}

#[cfg(test)]
mod tests;
