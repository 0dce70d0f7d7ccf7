//! Reads the clauses of a text one after another.

use std::sync::Arc;

use super::error::{Span, SyntaxError};
use super::parser::{ReadTerm, parse};
use super::tokens::{Kind, tokens};
use crate::atoms::Atoms;

/// Iterates over the clauses of a text. After an error it goes on behind the end of the faulty clause.
pub struct ClauseReader<'t> {
    file: &'t str,
    text: &'t str,
    offset: usize,
    atoms: Arc<Atoms>,
}

impl<'t> ClauseReader<'t> {
    /// Reads `text`, which errors call `file`.
    #[must_use]
    pub fn new(file: &'t str, text: &'t str, atoms: &Arc<Atoms>) -> Self {
        Self::from_offset(file, text, 0, atoms)
    }

    /// Reads `text` from an offset in bytes.
    #[must_use]
    pub fn from_offset(file: &'t str, text: &'t str, offset: usize, atoms: &Arc<Atoms>) -> Self {
        ClauseReader { file, text, offset, atoms: Arc::clone(atoms) }
    }

    /// The offset of what comes after the clauses read so far.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl Iterator for ClauseReader<'_> {
    type Item = Result<ReadTerm, SyntaxError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (mut tokens, after) = tokens(self.text, self.offset);
        self.offset = after;
        let (first, last) = (tokens.first()?.span, tokens.last()?.span);
        let whole = first.to(last);
        let error = |span: Span, message: String| {
            // Nothing after a missing end can be read.
            Some(Err(SyntaxError::at(self.file, self.text, span, message)))
        };
        let bad = tokens.iter().find_map(|token| match &token.kind {
            Kind::Bad(message) => Some((token.span, message.clone())),
            _ => None,
        });
        if tokens.last()?.kind == Kind::End {
            tokens.pop();
            if tokens.is_empty() {
                return error(last, "a clause is empty: `.` has nothing before it".to_owned());
            }
        } else {
            let (span, message) = match bad {
                Some(bad) => bad,
                None => match parse(self.text, &tokens, whole, &self.atoms) {
                    Err(error) => error,
                    Ok(_) => (last, "the last clause has no `.` at its end".to_owned()),
                },
            };
            return error(span, message);
        }
        match parse(self.text, &tokens, whole, &self.atoms) {
            Ok(read) => Some(Ok(read)),
            Err((span, message)) => error(span, message),
        }
    }
}

/// Reads the only term of a text; its final `.` may be left out.
pub(crate) fn read_term(file: &str, text: &str, atoms: &Arc<Atoms>) -> Result<ReadTerm, SyntaxError> {
    let error = |span, message: String| Err(SyntaxError::at(file, text, span, message));
    let (mut list, after) = tokens(text, 0);
    if list.last().is_some_and(|token| token.kind == Kind::End) {
        list.pop();
        if let (rest, _) = tokens(text, after)
            && let Some(token) = rest.first()
        {
            return error(token.span, "a second term follows the first; expected one".to_owned());
        }
    }
    let (Some(first), Some(last)) = (list.first(), list.last()) else {
        return error(Span::new(0, text.len()), "the text is empty; expected a term".to_owned());
    };
    match parse(text, &list, first.span.to(last.span), atoms) {
        Ok(read) => Ok(read),
        Err((span, message)) => error(span, message),
    }
}
