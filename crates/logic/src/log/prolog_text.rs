//! Builds terms as the text of Prolog facts.

use super::term::TermBuilder;

/// Writes terms as text that a Prolog system reads back: atoms and strings are quoted where necessary.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrologText;

impl TermBuilder for PrologText {
    type Term = String;

    fn atom(&mut self, name: &str) -> String {
        let is_plain = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if is_plain { name.to_owned() } else { quoted(name, '\'') }
    }

    fn integer(&mut self, value: i64) -> String {
        value.to_string()
    }

    fn float(&mut self, value: f64) -> String {
        match value {
            _ if value.is_nan() => "1.5NaN".to_owned(),
            f64::INFINITY => "1.0Inf".to_owned(),
            f64::NEG_INFINITY => "-1.0Inf".to_owned(),
            // Rust writes the shortest text that reads back as the same number, as Prolog does.
            _ => match format!("{value:?}").split_once('e') {
                Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
                _ => format!("{value:?}"),
            },
        }
    }

    fn string(&mut self, text: &str) -> String {
        quoted(text, '"')
    }

    fn compound(&mut self, functor: &str, arguments: &[String]) -> String {
        let functor = self.atom(functor);
        if functor == "'-'" && arguments.len() == 2 {
            return arguments.join("-");
        }
        format!("{functor}({})", arguments.join(","))
    }

    fn list(&mut self, items: &[String]) -> String {
        format!("[{}]", items.join(","))
    }
}

/// A quoted atom or string.
fn quoted(text: &str, quote: char) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c == quote => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\x{:x}\\", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_and_strings_are_quoted_where_necessary() {
        let mut text = PrologText;
        let atoms = ["main", "Example", "<init>", "don't", "a\\b", "", "x1_Y"].map(|name| text.atom(name));
        assert_eq!(atoms, ["main", "'Example'", "'<init>'", "'don\\'t'", "'a\\\\b'", "''", "x1_Y"]);
        assert_eq!(text.string("say \"a\"\n\u{1}"), "\"say \\\"a\\\"\\n\\x1\\\"");
        assert_eq!([1.0, 0.1, 1e300, -2.5].map(|value| text.float(value)), ["1.0", "0.1", "1.0e300", "-2.5"]);
    }

    #[test]
    fn terms_nest() {
        let mut text = PrologText;
        let (file, line) = (text.atom("A.java"), text.integer(-3));
        let place = text.compound("l", &[file, line]);
        let list = text.list(&[place, "x".to_owned()]);
        assert_eq!(list, "[l('A.java',-3),x]");
    }
}
