//! The results of commands, as text for people (80 columns, meaningful colours) and as JSON for machines.

mod answer;
mod bisect;
mod caught;
mod check;
mod console;
mod contents;
mod cost;
mod differing;
mod divergence;
mod explained;
mod failed_tests;
mod growth;
mod junit;
mod logged;
mod omitted;
mod prompt;
mod query;
mod query_answer;
mod query_diff;
mod query_reply;
mod question;
mod question_body;
mod ranking;
mod repeated;
mod snippet;
mod step;
mod trace;
mod tree;
mod way;

pub use answer::about as answer_about;
pub use console::{cause_text, console_reply, recorded_reply};
pub use contents::between as contents_between;
pub use growth::grown;
pub use logged::log_line;
pub use omitted::one as omission;
pub use prompt::{prompt, reply};
pub use query::{shown_row, shown_solution};
pub use query_reply::query_reply;
pub use question::diagnosed;
pub use step::stepped;
use trace::lacks;
pub use trace::{arms, ended, happening, line as call_line};

use ::answer::FrameAnswer;
use ::trace::thousands;
use anstyle::{AnsiColor, Style};
use model::{short_class_name, short_method_name};
use std::path::Path;

/// How a result becomes text.
pub trait Text {
    /// The text for people, coloured or plain.
    fn text(&self, color: bool) -> String;

    /// An additional file for the result, with its content.
    fn beside(&self) -> Option<(&Path, std::io::Result<String>)> {
        None
    }
}

/// The meaning of colours, everywhere.
pub mod palette {
    use super::{AnsiColor, Style};

    /// An id of a point.
    pub const POINT: Style = AnsiColor::Cyan.on_default().bold();
    /// A value.
    pub const VALUE: Style = AnsiColor::Yellow.on_default();
    /// A failure.
    pub const FAILED: Style = AnsiColor::Red.on_default().bold();
    /// A success.
    pub const HELD: Style = AnsiColor::Green.on_default();
    /// Secondary text.
    pub const DIM: Style = Style::new().dimmed();
}

/// A frame as text. It omits the package, since 80 columns have no room for it; the JSON has it. A frame in a
/// class that the VM generated for a lambda only forwards a call. It gets the name of the class that contains
/// the lambda.
fn frame_text(frame: &FrameAnswer) -> String {
    if let Some((host, _)) = frame.class.split_once("$$Lambda") {
        return format!("a lambda of {} ({})", short_class_name(host), frame.method);
    }
    let method = short_method_name(&frame.class, &frame.method);
    match (&frame.file, frame.line) {
        (Some(file), Some(line)) if frame.is_suspended => format!("{method} ({file}:{line}), suspended"),
        (Some(file), Some(line)) => format!("{method} ({file}:{line})"),
        _ if frame.is_suspended => format!("{method}, suspended"),
        _ => method,
    }
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

/// Breaks words into lines of at most `width` columns, each after `indent` spaces. A word longer than a line
/// is broken at its own spaces.
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

/// Breaks a text at its spaces into lines of at most `width` columns. The first begins after `indent` spaces,
/// the others after four more.
pub fn hanging(text: &str, indent: usize, width: usize) -> String {
    hanging_at(text, indent, indent + 4, width)
}

/// The same, with `hang` spaces before all lines but the first.
pub fn hanging_at(text: &str, indent: usize, hang: usize, width: usize) -> String {
    let mut out = " ".repeat(indent);
    let mut column = indent;
    for (n, word) in text.split(' ').enumerate() {
        let length = visible(word);
        if n > 0 && column + 1 + length > width && column > hang {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(&" ".repeat(hang));
            column = hang;
        } else if n > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// Clips a text without colours to `width` columns.
pub fn clipped(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut column = 0;
    for c in text.chars() {
        column += column_of(c);
        if column >= width {
            break;
        }
        out.push(c);
    }
    out + "…"
}

/// Number of columns of a text without colours; characters of East Asian scripts take two.
pub fn columns(text: &str) -> usize {
    text.chars().map(column_of).sum()
}

fn column_of(c: char) -> usize {
    match u32::from(c) {
        0x0300..=0x036f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f => 2,
        0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1f64f | 0x1f900..=0x1f9ff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// A count with its noun: `1 call`, `2 calls`, `1,000 calls`.
pub fn counted(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        many => format!("{} {noun}s", thousands(many)),
    }
}

/// Number of columns of a text without its colours.
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
    fn a_word_that_is_longer_than_a_line_is_broken_at_its_spaces() {
        let words = ["list = [1, 2, 3, 4]".to_owned(), "x = 1".to_owned()];
        assert_eq!(wrap(&words, ",", 2, 12), "  list = [1,\n  2, 3, 4],\n  x = 1\n");
        assert_eq!(hanging("#1 f(1, 2, 3) = 4", 2, 12), "  #1 f(1, 2,\n      3) = 4\n");
        assert_eq!(hanging_at("at:5  f(1, 2) = 4", 2, 8, 13), "  at:5  f(1,\n        2) =\n        4\n");
    }

    #[test]
    fn texts_are_clipped_by_columns() {
        assert_eq!(clipped("abcdef", 6), "abcdef");
        assert_eq!(clipped("abcdefg", 6), "abcde…");
        assert_eq!(clipped("漢字漢字", 6), "漢字…");
        assert_eq!(counted(1, "call"), "1 call");
        assert_eq!(counted(2_000, "call"), "2,000 calls");
    }

    #[test]
    fn colours_have_no_width() {
        let paint = Paint { color: true };
        assert_eq!(visible(&paint.on(palette::VALUE, "null")), 4);
    }
}
