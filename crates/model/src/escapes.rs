//! The text between the quotes of Java's string and character literals.

/// The text of a literal in these quotes; `None` if they do not enclose it.
pub fn unquoted(text: &str, quote: char) -> Option<String> {
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    let escaping = inner.chars().rev().take_while(|c| *c == '\\').count();
    (escaping % 2 == 0).then(|| String::from_utf16_lossy(&units(text)))
}

/// The UTF-16 units of a literal that is given with its quotes; decodes the escapes (JLS §3.3, §3.10.7).
pub fn units(quoted: &str) -> Vec<u16> {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    let mut out = Vec::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.extend_from_slice(c.encode_utf16(&mut [0; 2]));
            continue;
        }
        let unit = match chars.next() {
            Some('b') => 8,
            Some('s') => 32,
            Some('t') => 9,
            Some('n') => 10,
            Some('f') => 12,
            Some('r') => 13,
            Some('u') => {
                while chars.next_if_eq(&'u').is_some() {}
                number(&mut chars, 16, 4)
            }
            Some(c) => match c.to_digit(8) {
                // The maximum is 0377: three digits only if the first is 0 to 3.
                Some(first) if first < 4 => continue_octal(first, &mut chars, 2),
                Some(first) => continue_octal(first, &mut chars, 1),
                None => u16::try_from(u32::from(c)).unwrap_or(u16::MAX),
            },
            None => continue,
        };
        out.push(unit);
    }
    out
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn continue_octal(first: u32, chars: &mut Chars<'_>, most: usize) -> u16 {
    let mut value = first;
    for _ in 0..most {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(8)) else { break };
        value = value * 8 + digit;
        chars.next();
    }
    u16::try_from(value).unwrap_or(u16::MAX)
}

fn number(chars: &mut Chars<'_>, radix: u32, digits: usize) -> u16 {
    let value = chars.by_ref().take(digits).filter_map(|c| c.to_digit(radix)).fold(0, |v, d| v * radix + d);
    u16::try_from(value).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_what_stands_between_its_quotes() {
        let cases = [
            (r#""a b""#, Some("a b")),
            (r#""a\"b""#, Some("a\"b")),
            (r#""a\\""#, Some("a\\")),
            (r#""a\""#, None),
            (r#""\u0041\n""#, Some("A\n")),
            ("a", None),
            ("\"", None),
        ];
        for (text, expected) in cases {
            assert_eq!(unquoted(text, '"').as_deref(), expected, "{text}");
        }
        assert_eq!(unquoted(r"'\''", '\'').as_deref(), Some("'"));
    }
}
