//! Cuts one clause into tokens and decodes them.

use pest::Parser as _;

use super::error::Span;

mod grammar {
    #![allow(missing_docs)]
    #[derive(pest_derive::Parser)]
    #[grammar = "read/tokens.pest"]
    pub struct Tokens;
}

use grammar::{Rule, Tokens};

/// What a token is.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Kind {
    Variable,
    /// A name, symbol or solo atom, written without quotes.
    Name,
    /// A quoted atom with its text.
    Quoted(String),
    String(String),
    /// The magnitude of an integer.
    Integer(u64),
    Float(f64),
    /// One of `( ) [ ] { } , |`.
    Punct(u8),
    End,
    /// No token of Prolog; the message says why.
    Bad(String),
}

/// A token and its place, in bytes from the start of the whole text.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// The tokens of the clause that starts at an offset, and the offset after it. The last token is the end
/// unless
/// the text stops before it.
pub(super) fn tokens(text: &str, offset: usize) -> (Vec<Token>, usize) {
    let rest = text.get(offset..).unwrap_or_default();
    let Ok(mut pairs) = Tokens::parse(Rule::clause, rest) else {
        let span = Span::new(offset, text.len());
        return (vec![Token { kind: Kind::Bad("this is no Prolog text".to_owned()), span }], text.len());
    };
    let Some(clause) = pairs.next() else { return (Vec::new(), text.len()) };
    let after = offset + clause.as_span().end();
    let mut tokens = Vec::new();
    for pair in clause.into_inner() {
        let (start, end) = (pair.as_span().start(), pair.as_span().end());
        let kind = kind(pair.as_rule(), pair.as_str());
        if let Some(kind) = kind {
            tokens.push(Token { kind, span: Span::new(offset + start, offset + end) });
        }
    }
    (tokens, after)
}

fn kind(rule: Rule, text: &str) -> Option<Kind> {
    Some(match rule {
        Rule::variable => Kind::Variable,
        Rule::name | Rule::symbol => Kind::Name,
        Rule::char_code => match unquote(text.get(2..).unwrap_or_default(), '\'') {
            Ok(text) => match text.chars().next() {
                Some(c) => Kind::Integer(u64::from(u32::from(c))),
                None => Kind::Bad("`0'` is followed by no character".to_owned()),
            },
            Err(message) => Kind::Bad(message),
        },
        Rule::radix => {
            let (radix, digits) = match text.get(..2) {
                Some("0x") => (16, text.get(2..)),
                Some("0o") => (8, text.get(2..)),
                _ => (2, text.get(2..)),
            };
            integer(digits.unwrap_or_default(), radix)
        }
        Rule::integer => integer(text, 10),
        Rule::float => float(text),
        Rule::quoted => unquoted(text, '\'', Kind::Quoted),
        Rule::string => unquoted(text, '"', Kind::String),
        Rule::backquoted => {
            Kind::Bad("lists of codes in backquotes are left out; write \"…\" or '…'".to_owned())
        }
        Rule::open_quote => Kind::Bad(format!(
            "a text opened with {} has no closing quote on its line",
            text.chars().next().unwrap_or('\'')
        )),
        Rule::open_comment => Kind::Bad("the comment has no closing `*/`".to_owned()),
        Rule::punct => match text.as_bytes().first() {
            Some(b'!' | b';') | None => Kind::Name,
            Some(&byte) => Kind::Punct(byte),
        },
        Rule::end => Kind::End,
        Rule::bad => Kind::Bad(format!("`{}` is no character of a Prolog term", text.escape_debug())),
        _ => return None,
    })
}

fn integer(digits: &str, radix: u32) -> Kind {
    let plain: String = digits.chars().filter(|&c| c != '_').collect();
    match u64::from_str_radix(&plain, radix) {
        Ok(value) if value <= 1 << 63 => Kind::Integer(value),
        _ => Kind::Bad("the integer does not fit into 64 bits".to_owned()),
    }
}

fn float(text: &str) -> Kind {
    let plain: String = text.chars().filter(|&c| c != '_').collect();
    if plain.ends_with("Inf") {
        return Kind::Float(f64::INFINITY);
    }
    if plain.ends_with("NaN") {
        return Kind::Float(f64::NAN);
    }
    match plain.parse::<f64>() {
        Ok(value) if value.is_finite() => Kind::Float(value),
        _ => Kind::Bad("the float is too large".to_owned()),
    }
}

fn unquoted(text: &str, quote: char, kind: fn(String) -> Kind) -> Kind {
    match unquote(text.get(1..text.len() - 1).unwrap_or_default(), quote) {
        Ok(text) => kind(text),
        Err(message) => Kind::Bad(message),
    }
}

/// Replaces escapes and doubled quotes.
fn unquote(text: &str, quote: char) -> Result<String, String> {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == quote {
            chars.next();
            result.push(c);
            continue;
        }
        if c != '\\' {
            result.push(c);
            continue;
        }
        let Some(escape) = chars.next() else { return Err("an escape lacks its character".to_owned()) };
        let plain = match escape {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\x07',
            'b' => '\x08',
            'f' => '\x0c',
            'v' => '\x0b',
            '0'..='7' => {
                let mut digits = String::from(escape);
                while let Some(&d) = chars.peek().filter(|d| d.is_digit(8)) {
                    digits.push(d);
                    chars.next();
                }
                chars.next_if_eq(&'\\');
                code(&digits, 8)?
            }
            'x' => {
                let mut digits = String::new();
                while let Some(&d) = chars.peek().filter(|d| d.is_ascii_hexdigit()) {
                    digits.push(d);
                    chars.next();
                }
                chars.next_if_eq(&'\\');
                code(&digits, 16)?
            }
            'u' | 'U' => {
                let count = if escape == 'u' { 4 } else { 8 };
                let digits: String = chars.by_ref().take(count).collect();
                code(&digits, 16)?
            }
            'e' => '\x1b',
            's' => ' ',
            'z' => return Err("`\\z` is no escape".to_owned()),
            '\n' => continue,
            'c' => {
                while chars.next_if(|c| c.is_whitespace()).is_some() {}
                continue;
            }
            '\\' | '\'' | '"' | '`' => escape,
            other => return Err(format!("`\\{}` is no escape", other.escape_debug())),
        };
        result.push(plain);
    }
    Ok(result)
}

fn code(digits: &str, radix: u32) -> Result<char, String> {
    u32::from_str_radix(digits, radix)
        .ok()
        .and_then(char::from_u32)
        .ok_or_else(|| format!("`{digits}` is no code of a character"))
}
