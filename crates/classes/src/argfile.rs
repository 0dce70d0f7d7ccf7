//! Splits text into arguments as the `java` launcher does for `@argfiles` and `JDK_JAVA_OPTIONS` (The `java`
//! Command, "java Command-Line Argument Files"). White space separates arguments, `"` and `'` quote, and `\`
//! escapes inside quotes. `#` begins a comment, and a `\` before the end of a line joins it with the next.

/// Splits the text of an argument file.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut token: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(_), '\\') => match chars.next() {
                Some('\n') => skip_indent(&mut chars),
                Some('\r') => {
                    chars.next_if_eq(&'\n');
                    skip_indent(&mut chars);
                }
                Some(escaped) => token.get_or_insert_default().push(match escaped {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'f' => '\u{c}',
                    other => other,
                }),
                None => {}
            },
            (Some(q), c) if c == q => quote = None,
            // An open quote ends at the end of the line.
            (Some(_), '\n' | '\r') => {
                quote = None;
                out.extend(token.take());
            }
            (Some(_), c) => token.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                token.get_or_insert_default();
            }
            (None, '#') if token.is_none() => while chars.next_if(|c| *c != '\n' && *c != '\r').is_some() {},
            (None, '\\') if matches!(chars.peek(), Some('\n' | '\r')) => {
                chars.next();
                chars.next_if_eq(&'\n');
                skip_indent(&mut chars);
            }
            (None, c) if c.is_whitespace() => out.extend(token.take()),
            (None, c) => token.get_or_insert_default().push(c),
        }
    }
    out.extend(token);
    out
}

fn skip_indent(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while chars.next_if(|c| matches!(c, ' ' | '\t' | '\u{c}')).is_some() {}
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn splits_as_the_launcher_does() {
        for (text, expected) in [
            ("-cp a:b Main", vec!["-cp", "a:b", "Main"]),
            ("# all of it\n-ea # strict\n\"-Dx=a b\"", vec!["-ea", "-Dx=a b"]),
            ("-cp \"lib/a.jar:\\\n    lib/b.jar\"", vec!["-cp", "lib/a.jar:lib/b.jar"]),
            ("'c:\\\\dir' \"\"", vec!["c:\\dir", ""]),
            ("a#b", vec!["a#b"]),
            ("-Dp=one\\\n  two", vec!["-Dp=onetwo"]),
            ("", vec![]),
        ] {
            assert_eq!(split(text), expected, "{text:?}");
        }
    }
}
