//! The constant pool of a class that is being built (JVMS §4.4).

use super::AssembleError;
use std::collections::HashMap;

/// The constants so far.
#[derive(Debug, Default)]
pub struct Constants {
    bytes: Vec<u8>,
    /// Number of entries.
    entries: u16,
    /// By contents.
    known: HashMap<Vec<u8>, u16>,
}

impl Constants {
    /// The constant pool count: one more than the number of entries.
    pub fn count(&self) -> u16 {
        self.entries + 1
    }

    /// The encoded constants.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn add(&mut self, tag: u8, contents: &[u8]) -> Result<u16, AssembleError> {
        let whole = [&[tag], contents].concat();
        if let Some(index) = self.known.get(&whole) {
            return Ok(*index);
        }
        // A long or a double takes two entries (JVMS §4.4.5).
        let entries = if matches!(tag, 5 | 6) { 2 } else { 1 };
        let index = self.entries + 1;
        self.entries =
            self.entries.checked_add(entries).filter(|n| *n < u16::MAX).ok_or(AssembleError::Constants)?;
        self.bytes.extend_from_slice(&whole);
        self.known.insert(whole, index);
        Ok(index)
    }

    /// A Utf8 constant.
    pub fn utf8(&mut self, text: &str) -> Result<u16, AssembleError> {
        let units = modified(text);
        let length = u16::try_from(units.len()).map_err(|_| AssembleError::Constants)?;
        self.add(1, &[&length.to_be_bytes(), units.as_slice()].concat())
    }

    /// A Class constant.
    pub fn class(&mut self, name: &str) -> Result<u16, AssembleError> {
        let name = self.utf8(name)?;
        self.add(7, &name.to_be_bytes())
    }

    /// A String constant.
    pub fn string(&mut self, text: &str) -> Result<u16, AssembleError> {
        let text = self.utf8(text)?;
        self.add(8, &text.to_be_bytes())
    }

    /// An Integer constant.
    pub fn integer(&mut self, value: i32) -> Result<u16, AssembleError> {
        self.add(3, &value.to_be_bytes())
    }

    /// A Float constant.
    pub fn float(&mut self, value: f32) -> Result<u16, AssembleError> {
        self.add(4, &value.to_bits().to_be_bytes())
    }

    /// A Long constant.
    pub fn long(&mut self, value: i64) -> Result<u16, AssembleError> {
        self.add(5, &value.to_be_bytes())
    }

    /// A Double constant.
    pub fn double(&mut self, value: f64) -> Result<u16, AssembleError> {
        self.add(6, &value.to_bits().to_be_bytes())
    }

    /// A Fieldref constant.
    pub fn field(&mut self, class: &str, name: &str, descriptor: &str) -> Result<u16, AssembleError> {
        self.member(9, class, name, descriptor)
    }

    /// A Methodref constant.
    pub fn method(&mut self, class: &str, name: &str, descriptor: &str) -> Result<u16, AssembleError> {
        self.member(10, class, name, descriptor)
    }

    fn member(&mut self, tag: u8, class: &str, name: &str, descriptor: &str) -> Result<u16, AssembleError> {
        let class = self.class(class)?;
        let name_and_type = [self.utf8(name)?.to_be_bytes(), self.utf8(descriptor)?.to_be_bytes()].concat();
        let name_and_type = self.add(12, &name_and_type)?;
        self.add(tag, &[class.to_be_bytes(), name_and_type.to_be_bytes()].concat())
    }
}

/// Encodes a text in modified UTF-8 (JVMS §4.4.7): zero takes two bytes, a supplementary character six.
fn modified(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for unit in text.encode_utf16() {
        let [high, low] = unit.to_be_bytes();
        match unit {
            0x01..=0x7f => out.push(low),
            0 | 0x80..=0x7ff => out.extend([0xc0 | (high << 2) | (low >> 6), 0x80 | (low & 0x3f)]),
            _ => out.extend([
                0xe0 | (high >> 4),
                0x80 | ((high & 0x0f) << 2) | (low >> 6),
                0x80 | (low & 0x3f),
            ]),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_in_modified_utf8() {
        assert_eq!(modified("aé"), [b'a', 0xc3, 0xa9]);
        assert_eq!(modified("\0"), [0xc0, 0x80]);
        assert_eq!(modified("€"), [0xe2, 0x82, 0xac]);
        assert_eq!(modified("😀"), [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]);
    }

    #[test]
    fn equal_constants_are_one_and_longs_take_two_entries() {
        let mut constants = Constants::default();
        assert_eq!(constants.long(7), Ok(1));
        assert_eq!(constants.integer(7), Ok(3));
        assert_eq!(constants.long(7), Ok(1));
        assert_eq!(constants.count(), 4);
    }
}
