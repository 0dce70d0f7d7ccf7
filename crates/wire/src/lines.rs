//! The lines of a log point: the VM writes each into a pipe, which `qp` reads while the program runs.

use crate::ToldThread;
use serde::{Deserialize, Serialize};

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedLine {
    /// The thread.
    pub thread: ToldThread,
    /// The text. If it is longer than 10,000 characters, the rest is cut, and a remark says so.
    pub text: String,
}

/// Maximum length of a line, in characters.
pub const LINE_LIMIT: usize = 10_000;

impl LoggedLine {
    /// A line; a text that is too long is cut.
    pub fn new(thread: ToldThread, text: &str) -> LoggedLine {
        let text = match text.char_indices().nth(LINE_LIMIT) {
            Some((end, _)) => {
                let (begin, rest) = text.split_at(end);
                format!("{begin}... ({} more characters)", rest.chars().count())
            }
            None => text.to_owned(),
        };
        LoggedLine { thread, text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let text = "\u{e4}".repeat(LINE_LIMIT + 3);
        let line = LoggedLine::new(ToldThread::default(), &text);
        assert_eq!(line.text, format!("{}... (3 more characters)", "\u{e4}".repeat(LINE_LIMIT)));
        assert_eq!(LoggedLine::new(ToldThread::default(), "short").text, "short");
    }
}
