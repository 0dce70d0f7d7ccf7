//! Errors of the reader, with the place in the text.

use std::fmt;

/// A range of bytes of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The span from one offset to another.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let narrow = |n| u32::try_from(n).unwrap_or(u32::MAX);
        Span { start: narrow(start), end: narrow(end) }
    }

    /// The span from the start of this one to the end of another.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.end) }
    }
}

/// A text that is no Prolog, or a clause that a program must not contain.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}")]
pub struct SyntaxError {
    /// Name of the text, usually a file name.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The bytes that the message is about.
    pub span: Span,
    /// What was found and what was expected.
    pub message: String,
}

/// Line and column of an offset, both from 1.
#[must_use]
pub fn line_column(text: &str, offset: usize) -> (u32, u32) {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = text.get(..offset).unwrap_or_default();
    let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

impl SyntaxError {
    /// An error at a span of a text.
    pub(crate) fn at(file: &str, text: &str, span: Span, message: impl fmt::Display) -> Self {
        let (line, column) = line_column(text, span.start as usize);
        SyntaxError { file: file.to_owned(), line, column, span, message: message.to_string() }
    }
}
