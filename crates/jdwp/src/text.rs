//! Strings of the protocol: UTF-8, modified UTF-8, and the mixtures that virtual machines send.
//!
//! The specification calls a string "UTF-8 encoded, preceded by a four-byte length". HotSpot converts its
//! internal modified UTF-8 (JVMS §4.4.7) to standard UTF-8 before sending, unless the agent was started with
//! `mutf8=y`. It leaves unpaired surrogates unchanged: three bytes each, which is not valid UTF-8. The reader
//! therefore accepts every form, byte by byte:
//!
//! | bytes | read as |
//! | --- | --- |
//! | standard UTF-8, one to four bytes | that character |
//! | `C0 80` (modified UTF-8's NUL) | U+0000 |
//! | two surrogates of three bytes each that form a pair | the supplementary character |
//! | a surrogate of three bytes without its pair | that UTF-16 unit, kept (see [`JavaString`]) |
//! | anything else | U+FFFD for each undecodable byte |
//!
//! This module uses no other part of the crate.

use std::fmt;

/// A Java string: text that may contain unpaired surrogates, which a Rust `str` cannot hold.
///
/// [`as_str`](Self::as_str) shows such units as U+FFFD. [`utf16`](Self::utf16) gives them exactly, and
/// sending the value back to the virtual machine sends them exactly.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct JavaString {
    text: String,
    /// The exact UTF-16 units, present only if `text` had to replace some.
    units: Option<Vec<u16>>,
}

impl JavaString {
    /// Creates a string from UTF-16 units, as `java.lang.String` holds them.
    pub fn from_utf16(units: &[u16]) -> Self {
        match String::from_utf16(units) {
            Ok(text) => Self { text, units: None },
            Err(_) => Self { text: String::from_utf16_lossy(units), units: Some(units.to_vec()) },
        }
    }

    /// The text, with U+FFFD in place of each unpaired surrogate.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text, with U+FFFD in place of each unpaired surrogate.
    pub fn into_string(self) -> String {
        self.text
    }

    /// Whether [`as_str`](Self::as_str) had to replace an unpaired surrogate.
    pub fn is_lossy(&self) -> bool {
        self.units.is_some()
    }

    /// The exact UTF-16 units.
    pub fn utf16(&self) -> Vec<u16> {
        match &self.units {
            Some(units) => units.clone(),
            None => self.text.encode_utf16().collect(),
        }
    }

    /// Decodes any of the forms in the module's table. Never fails.
    pub fn from_wire(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self { text: text.to_owned(), units: None },
            Err(_) => Self::from_utf16(&units_of(bytes)),
        }
    }

    /// Appends the string in standard UTF-8, or in modified UTF-8 if `modified` is set. An unpaired surrogate
    /// takes three bytes in both.
    pub fn to_wire(&self, modified: bool, out: &mut Vec<u8>) {
        match &self.units {
            None => str_to_wire(&self.text, modified, out),
            Some(units) => {
                for unit in char::decode_utf16(units.iter().copied()) {
                    match unit {
                        Ok(c) => char_to_wire(c, modified, out),
                        Err(lone) => unit_to_wire(lone.unpaired_surrogate(), out),
                    }
                }
            }
        }
    }
}

impl From<&str> for JavaString {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), units: None }
    }
}

impl From<String> for JavaString {
    fn from(text: String) -> Self {
        Self { text, units: None }
    }
}

impl fmt::Display for JavaString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq<str> for JavaString {
    fn eq(&self, other: &str) -> bool {
        self.units.is_none() && self.text == other
    }
}

/// Appends `text` as [`JavaString::to_wire`] does.
pub(crate) fn str_to_wire(text: &str, modified: bool, out: &mut Vec<u8>) {
    if modified {
        text.chars().for_each(|c| char_to_wire(c, true, out));
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}

fn char_to_wire(c: char, modified: bool, out: &mut Vec<u8>) {
    if modified && c == '\0' {
        out.extend_from_slice(&[0xC0, 0x80]);
    } else if modified && c > '\u{FFFF}' {
        c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| unit_to_wire(*unit, out));
    } else {
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// Appends the three-byte form of a unit of at least U+0800.
fn unit_to_wire(unit: u16, out: &mut Vec<u8>) {
    let low = |bits: u16| 0x80 | (bits & 0x3F) as u8;
    out.extend_from_slice(&[0xE0 | (unit >> 12) as u8, low(unit >> 6), low(unit)]);
}

/// Decodes invalid UTF-8: one UTF-16 unit or pair at a time.
fn units_of(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        let (code, used) = match (*first, tail) {
            (b, _) if b < 0x80 => (u32::from(b), 1),
            (b, [c, ..]) if b & 0xE0 == 0xC0 && is_tail(*c) => (join(b & 0x1F, &[*c]), 2),
            (b, [c, d, ..]) if b & 0xF0 == 0xE0 && is_tail(*c) && is_tail(*d) => {
                (join(b & 0x0F, &[*c, *d]), 3)
            }
            (b, [c, d, e, ..]) if b & 0xF8 == 0xF0 && is_tail(*c) && is_tail(*d) && is_tail(*e) => {
                match join(b & 0x07, &[*c, *d, *e]) {
                    code @ 0x1_0000..=0x10_FFFF => (code, 4),
                    _ => (0xFFFD, 1),
                }
            }
            _ => (0xFFFD, 1),
        };
        match char::from_u32(code) {
            Some(c) => units.extend_from_slice(c.encode_utf16(&mut [0; 2])),
            // A surrogate has at most three bytes of payload, so it fits into 16 bits.
            None => units.push(code as u16),
        }
        rest = bytes.get(bytes.len() - rest.len() + used..).unwrap_or_default();
    }
    units
}

fn is_tail(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

fn join(lead: u8, tails: &[u8]) -> u32 {
    tails.iter().fold(u32::from(lead), |code, tail| code << 6 | u32::from(tail & 0x3F))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(text: &JavaString, modified: bool) -> Vec<u8> {
        let mut out = Vec::new();
        text.to_wire(modified, &mut out);
        out
    }

    #[test]
    fn both_forms_of_nul_and_of_a_supplementary_character_read_alike() {
        let text = JavaString::from("a\0\u{1F600}");
        assert_eq!(wire(&text, false), b"a\0\xF0\x9F\x98\x80");
        assert_eq!(wire(&text, true), b"a\xC0\x80\xED\xA0\xBD\xED\xB8\x80");
        assert_eq!(JavaString::from_wire(&wire(&text, false)), text);
        assert_eq!(JavaString::from_wire(&wire(&text, true)), text);
    }

    #[test]
    fn an_unpaired_surrogate_shows_as_replacement_and_is_kept_exactly() {
        let text = JavaString::from_wire(b"x\xED\xA0\xBDy");
        assert_eq!(text.as_str(), "x\u{FFFD}y");
        assert!(text.is_lossy());
        assert_eq!(text.utf16(), [0x78, 0xD83D, 0x79]);
        assert_eq!(wire(&text, false), b"x\xED\xA0\xBDy");
        assert_eq!(wire(&text, true), b"x\xED\xA0\xBDy");
    }

    #[test]
    fn undecodable_bytes_become_the_replacement_character() {
        assert_eq!(JavaString::from_wire(b"a\xFFb\xE2\x82").as_str(), "a\u{FFFD}b\u{FFFD}\u{FFFD}");
        assert_eq!(JavaString::from_wire(b"\xF7\xBF\xBF\xBF").as_str(), "\u{FFFD}".repeat(4));
    }
}
