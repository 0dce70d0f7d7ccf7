//! What commands return, as text for people (80 columns, colours that mean something) and as JSON for machines.

mod answer;
mod check;
mod contents;
mod cost;
mod junit;
mod parted;
mod prompt;
mod question;
mod repeated;
mod snippet;
mod step;
mod trace;
mod tree;
mod way;

pub use answer::answer;
pub use check::report;
pub use cost::cost;
pub use junit::junit;
pub use parted::parted;
pub use prompt::reply;
pub use question::{answers, found, kept, question, referred, undecided};
pub use repeated::repeated;
pub use step::stepped;
pub use trace::traced;

use anstyle::{AnsiColor, Style};

/// What colours mean, everywhere.
pub mod palette {
    use super::{AnsiColor, Style};

    /// An id of a point.
    pub const POINT: Style = AnsiColor::Cyan.on_default().bold();
    /// A value.
    pub const VALUE: Style = AnsiColor::Yellow.on_default();
    /// What failed.
    pub const FAILED: Style = AnsiColor::Red.on_default().bold();
    /// What holds.
    pub const HELD: Style = AnsiColor::Green.on_default();
    /// What matters less.
    pub const DIM: Style = Style::new().dimmed();
}

/// Text in a style, or plain.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    /// Whether to use colours.
    pub color: bool,
}

impl Paint {
    /// The text in the style.
    pub fn on(self, style: Style, text: impl std::fmt::Display) -> String {
        if self.color { format!("{style}{text}{style:#}") } else { text.to_string() }
    }
}

/// Breaks words into lines of at most `width` columns, each after `indent` spaces. A word that is longer than a line is broken
/// at its own spaces.
pub fn wrap(words: &[String], separator: &str, indent: usize, width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    let mut pieces = Vec::new();
    for (n, word) in words.iter().enumerate() {
        let last = n + 1 == words.len();
        let piece = if last { word.clone() } else { format!("{word}{separator}") };
        match indent + visible(&piece) > width {
            true => pieces.extend(piece.split(' ').map(str::to_owned)),
            false => pieces.push(piece),
        }
    }
    for piece in pieces {
        let length = visible(&piece);
        if column == 0 {
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else if column + 1 + length > width {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else {
            out.push(' ');
            column += 1;
        }
        out.push_str(&piece);
        column += length;
    }
    if !words.is_empty() {
        out.push('\n');
    }
    out
}

/// The number of columns of a text, its colours left out.
pub fn visible(text: &str) -> usize {
    let mut count = 0;
    let mut escape = false;
    for c in text.chars() {
        match (escape, c) {
            (false, '\u{1b}') => escape = true,
            (false, _) => count += 1,
            (true, 'm') => escape = false,
            (true, _) => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        let words: Vec<String> = ["alpha = 1", "beta = 22", "gamma = 333"].map(String::from).to_vec();
        assert_eq!(wrap(&words, ",", 2, 24), "  alpha = 1, beta = 22,\n  gamma = 333\n");
        assert_eq!(wrap(&[], ",", 2, 24), "");
    }

    #[test]
    fn colours_have_no_width() {
        let paint = Paint { color: true };
        assert_eq!(visible(&paint.on(palette::VALUE, "null")), 4);
    }
}
