//! The characters and lines of a source file. A class file does not say in which encoding its source was
//! read, so the user does, or the bytes decide.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The encoding of source files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum SourceEncoding {
    /// UTF-8
    Utf8,
    /// UTF-16 with a byte order mark; without one, the high byte of each unit comes first.
    Utf16,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// ISO 8859-1, also called Latin-1. ASCII is a part of it.
    Latin1,
    /// Windows-1252
    Windows1252,
}

/// The encodings by the names that Java has for them. The first name of each is the one that is shown.
const NAMES: [(&str, SourceEncoding); 9] = [
    ("UTF-8", SourceEncoding::Utf8),
    ("UTF-16", SourceEncoding::Utf16),
    ("UTF-16LE", SourceEncoding::Utf16Le),
    ("UTF-16BE", SourceEncoding::Utf16Be),
    ("ISO-8859-1", SourceEncoding::Latin1),
    ("windows-1252", SourceEncoding::Windows1252),
    ("latin1", SourceEncoding::Latin1),
    ("US-ASCII", SourceEncoding::Latin1),
    ("Cp1252", SourceEncoding::Windows1252),
];

/// The characters of Windows-1252 from 0x80 to 0x9f, which are control characters in ISO 8859-1.
const OF_WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

impl FromStr for SourceEncoding {
    type Err = String;

    fn from_str(text: &str) -> Result<SourceEncoding, String> {
        let found = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        found.map(|(_, encoding)| *encoding).ok_or_else(|| {
            let known: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            format!("`{text}` is not one of the encodings {}", known.join(", "))
        })
    }
}

impl TryFrom<String> for SourceEncoding {
    type Error = String;

    fn try_from(text: String) -> Result<SourceEncoding, String> {
        text.parse()
    }
}

impl From<SourceEncoding> for String {
    fn from(encoding: SourceEncoding) -> String {
        encoding.to_string()
    }
}

impl fmt::Display for SourceEncoding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, encoding)| encoding == self);
        out.write_str(name.map_or("", |(name, _)| name))
    }
}

/// Decodes a source in an encoding; a byte order mark is no character of it.
pub fn decode(bytes: &[u8], encoding: Option<SourceEncoding>) -> String {
    let text = match encoding {
        None => by_bytes(bytes),
        Some(SourceEncoding::Utf8) => String::from_utf8_lossy(bytes).into_owned(),
        Some(SourceEncoding::Utf16) if bytes.starts_with(&[0xff, 0xfe]) => utf_16(bytes, u16::from_le_bytes),
        Some(SourceEncoding::Utf16 | SourceEncoding::Utf16Be) => utf_16(bytes, u16::from_be_bytes),
        Some(SourceEncoding::Utf16Le) => utf_16(bytes, u16::from_le_bytes),
        Some(SourceEncoding::Latin1) => bytes.iter().copied().map(char::from).collect(),
        Some(SourceEncoding::Windows1252) => {
            let of_windows = |byte: u8| OF_WINDOWS.get(usize::from(byte.wrapping_sub(0x80))).copied();
            bytes.iter().map(|byte| of_windows(*byte).unwrap_or(char::from(*byte))).collect()
        }
    };
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}

/// The part of a file in which UTF-16 without a byte order mark is looked for, in bytes.
const BEGINNING: usize = 1 << 12;

/// Decodes a source by its byte order mark, else as UTF-8 if that fits, else as UTF-16 or ISO 8859-1.
fn by_bytes(bytes: &[u8]) -> String {
    match bytes {
        [0xff, 0xfe, ..] => utf_16(bytes, u16::from_le_bytes),
        [0xfe, 0xff, ..] => utf_16(bytes, u16::from_be_bytes),
        _ => {
            // In UTF-16, every second byte of most sources is 0. In other encodings, none is.
            let begin = bytes.get(..BEGINNING).unwrap_or(bytes).as_chunks::<2>().0;
            let zeros = |of: fn(&[u8; 2]) -> u8| begin.iter().filter(|pair| of(pair) == 0).count();
            match (zeros(|[high, _]| *high), zeros(|[_, low]| *low)) {
                (high, 0) if high > begin.len() / 2 => utf_16(bytes, u16::from_be_bytes),
                (0, high) if high > begin.len() / 2 => utf_16(bytes, u16::from_le_bytes),
                _ => utf_8(bytes),
            }
        }
    }
}

/// Decodes UTF-8. If more characters outside ASCII are invalid than valid, the text is ISO 8859-1; else the
/// invalid ones become U+FFFD.
fn utf_8(bytes: &[u8]) -> String {
    let (mut valid, mut invalid) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    match invalid > valid {
        true => bytes.iter().copied().map(char::from).collect(),
        false => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// The lines of a text, as the Java compiler counts them: each ends with LF, CR or both (JLS §3.4).
pub fn lines_of(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.find(['\n', '\r']) {
        let (line, terminated) = rest.split_at(end);
        lines.push(line.to_owned());
        rest = terminated.strip_prefix("\r\n").or_else(|| terminated.get(1..)).unwrap_or_default();
    }
    lines.extend((!rest.is_empty()).then(|| rest.to_owned()));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_decoded_by_their_bytes() {
        let text = "class Größe {} // é\n";
        let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let latin: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
        let marked = |mark: &[u8], bytes: &[u8]| [mark, bytes].concat();
        for bytes in [
            text.as_bytes().to_vec(),
            marked(&[0xef, 0xbb, 0xbf], text.as_bytes()),
            marked(&[0xff, 0xfe], &le),
            marked(&[0xfe, 0xff], &be),
            le,
            be,
            latin,
        ] {
            assert_eq!(decode(&bytes, None), text, "{bytes:?}");
        }
        // One damaged character is no reason to read the others as something else.
        assert_eq!(decode(b"\xc3\xa9\xc3\xa9\xff", None), "éé\u{fffd}");
        assert_eq!(decode(b"", None), "");
    }

    #[test]
    fn a_named_encoding_counts() {
        let decoded = |bytes: &[u8], name: &str| decode(bytes, name.parse().ok());
        assert_eq!(decoded(b"\x80\xe9", "cp1252"), "€é");
        assert_eq!(decoded(b"\xc3\xa9", "ISO-8859-1"), "Ã©");
        assert_eq!(decoded(&[0, 0x41, 0x20, 0xac], "utf-16"), "A€");
        assert_eq!(decoded(&[0xff, 0xfe, 0x41, 0], "UTF-16"), "A");
        assert!("EBCDIC".parse::<SourceEncoding>().is_err_and(|why| why.contains("UTF-16BE, ISO-8859-1")));
        assert_eq!(String::from(SourceEncoding::Latin1), "ISO-8859-1");
    }

    #[test]
    fn each_line_end_of_java_ends_a_line() {
        assert_eq!(lines_of("a\rb\r\nc\n\n\rd"), ["a", "b", "c", "", "", "d"]);
        assert_eq!(lines_of("a\r"), ["a"]);
        assert!(lines_of("").is_empty());
    }
}
