//! How long an answer may be, and what characters it may have.

/// Most tokens of an answer, unless `limit` asks for more or less.
pub const TOKENS: usize = 2000;
/// The least and the most that `limit` may ask for. Clients cut longer answers.
pub const LIMITS: std::ops::RangeInclusive<usize> = 200..=20_000;

/// An upper estimate of the tokens of a text: three ASCII characters to a token, and one of any other.
pub fn tokens(text: &str) -> usize {
    let ascii = text.chars().filter(char::is_ascii).count();
    ascii.div_ceil(3) + (text.chars().count() - ascii)
}

/// Values of a program can be anything. Characters that a reader does not see, or that change what it sees,
/// are left out: controls, marks of direction, and characters without width.
pub fn clean(text: &str) -> String {
    text.chars().filter(|c| *c == '\n' || !is_hidden(*c)).collect()
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c),
            0x00ad | 0x034f | 0x061c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f
            | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff
            | 0xffa0 | 0xfff0..=0xfffb | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff)
}

/// The beginning of a text that has at most so many tokens; whole if it fits.
pub fn beginning(text: &str, most: usize) -> &str {
    if tokens(text) <= most {
        return text;
    }
    let mut thirds = 0;
    let mut end = 0;
    for (at, c) in text.char_indices() {
        thirds += if c.is_ascii() { 1 } else { 3 };
        if thirds > 3 * most {
            break;
        }
        end = at + c.len_utf8();
    }
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_grows_with_the_text() {
        assert_eq!([tokens(""), tokens("a"), tokens("abcd"), tokens("漢字a")], [0, 1, 2, 3]);
        assert_eq!(beginning("abcdefghij", 2), "abcdef");
        assert_eq!(beginning("漢字漢字", 2), "漢字");
        assert_eq!(beginning("abc", 2), "abc");
    }

    #[test]
    fn hidden_characters_are_left_out() {
        assert_eq!(
            clean("a\u{1b}[31mb\r\u{202e}c\u{200b}d\te\u{e0041}\u{7f}\u{9b}f\nü漢"),
            "a[31mbcdef\nü漢"
        );
    }
}
