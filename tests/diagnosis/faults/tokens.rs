//! A Java file as tokens, with its methods, fields and variables. It covers plain programs without generics,
//! lambdas and blocks outside methods, which is enough for the operators. In others it misses variables, and
//! takes a method of an anonymous class for one of the class around it.

use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Word,
    Number,
    /// A string or a character.
    Text,
    Symbol,
}

#[derive(Clone, Copy, Debug)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    /// Its line, from 0, and its start in the line.
    pub line: usize,
    pub column: usize,
}

/// A method or constructor.
#[derive(Clone, Debug)]
pub struct Method {
    /// The class, with its enclosing classes: `AvlTree$Node`.
    pub class: String,
    /// `<init>` for a constructor.
    pub name: String,
    /// Tokens from `(` to the end of the body.
    pub whole: Range<usize>,
    /// Tokens between the braces.
    pub body: Range<usize>,
}

impl Method {
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.class, self.name)
    }
}

/// A field, a parameter or a local variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable<'a> {
    pub name: &'a str,
    /// `int`, `int[]`, `Node`.
    pub kind: String,
    /// The token of its name.
    pub at: usize,
}

pub struct Source<'a> {
    pub lines: Vec<&'a str>,
    pub tokens: Vec<Token<'a>>,
    pub methods: Vec<Method>,
    /// Fields with their classes.
    pub fields: Vec<(String, Variable<'a>)>,
}

const SYMBOLS: &[&str] =
    &["++", "--", "&&", "||", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "->", "::"];

/// Words that can precede a name and are not types.
const NO_TYPES: &[&str] = &[
    "return",
    "new",
    "else",
    "throw",
    "case",
    "final",
    "private",
    "public",
    "protected",
    "static",
    "package",
    "import",
    "class",
    "break",
    "continue",
    "instanceof",
];

/// Words that can precede a parenthesis and a block.
const NO_METHODS: &[&str] = &["if", "while", "for", "switch", "catch", "synchronized", "try"];

impl<'a> Source<'a> {
    pub fn read(text: &'a str) -> Source<'a> {
        let lines: Vec<&str> = text.lines().collect();
        let tokens = tokens(&lines);
        let mut source = Source { lines, tokens, methods: Vec::new(), fields: Vec::new() };
        source.classes();
        source
    }

    pub fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |t| t.text)
    }

    pub fn is_word(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|t| t.kind == Kind::Word)
    }

    /// The token that closes this bracket.
    pub fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        for at in open..self.tokens.len() {
            match self.text(at) {
                "(" | "{" | "[" => depth += 1,
                ")" | "}" | "]" => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// The parameters and local variables of a method.
    pub fn variables(&self, method: &Method) -> Vec<Variable<'a>> {
        method.whole.clone().filter_map(|at| self.declared(at)).collect()
    }

    /// The variable declared by the name at this token.
    fn declared(&self, at: usize) -> Option<Variable<'a>> {
        let ends = ["=", ";", ",", ")", ":"].contains(&self.text(at + 1));
        if !self.is_word(at) || !ends {
            return None;
        }
        let array = at >= 3 && self.text(at - 1) == "]" && self.text(at - 2) == "[";
        let kind = at.checked_sub(if array { 3 } else { 1 })?;
        if !self.is_word(kind) || NO_TYPES.contains(&self.text(kind)) {
            return None;
        }
        let suffix = if array { "[]" } else { "" };
        Some(Variable { name: self.text(at), kind: format!("{}{suffix}", self.text(kind)), at })
    }

    /// Finds classes, and their methods and fields.
    fn classes(&mut self) {
        let mut open: Vec<(String, usize)> = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            if open.last().is_some_and(|(_, end)| at == *end) {
                open.pop();
            } else if self.begins_class(at) {
                let outer = open.last().map(|(name, _)| format!("{name}$")).unwrap_or_default();
                let name = format!("{outer}{}", self.text(at + 1));
                let Some(brace) = (at..self.tokens.len()).find(|at| self.text(*at) == "{") else { return };
                let Some(end) = self.closing(brace) else { return };
                at = brace;
                open.push((name, end));
            } else if let Some((class, _)) = open.last() {
                let class = class.clone();
                if let Some(method) = self.method(&class, at) {
                    at = method.whole.end;
                    self.methods.push(method);
                    continue;
                }
                if let Some(field) = self.declared(at) {
                    self.fields.push((class, field));
                }
            }
            at += 1;
        }
    }

    /// Whether this token begins a class, an interface or an enum. `Foo.class` begins none.
    fn begins_class(&self, at: usize) -> bool {
        let literal = at.checked_sub(1).is_some_and(|before| self.text(before) == ".");
        ["class", "interface", "enum"].contains(&self.text(at)) && self.is_word(at + 1) && !literal
    }

    /// The method whose name is this token, in the body of a class. Annotations, instances of anonymous
    /// classes and statements of initialisers look alike.
    fn method(&self, class: &str, at: usize) -> Option<Method> {
        if !self.is_word(at) || self.text(at + 1) != "(" || NO_METHODS.contains(&self.text(at)) {
            return None;
        }
        if at.checked_sub(1).is_some_and(|before| ["@", ".", "new"].contains(&self.text(before))) {
            return None;
        }
        let parameters = self.closing(at + 1)?;
        let brace = (parameters + 1..self.tokens.len()).find(|n| ["{", ";", "}"].contains(&self.text(*n)))?;
        if self.text(brace) != "{" {
            return None;
        }
        let end = self.closing(brace)?;
        let own = class.rsplit('$').next() == Some(self.text(at));
        let name = if own { "<init>" } else { self.text(at) };
        Some(Method {
            class: class.to_owned(),
            name: name.to_owned(),
            whole: at + 1..end + 1,
            body: brace + 1..end,
        })
    }
}

/// The tokens, without comments.
fn tokens<'a>(lines: &[&'a str]) -> Vec<Token<'a>> {
    let mut found = Vec::new();
    let mut comment = false;
    for (line, text) in lines.iter().copied().enumerate() {
        let mut column = 0;
        while let Some(c) = text[column..].chars().next() {
            let rest = &text[column..];
            if comment {
                comment = !rest.starts_with("*/");
                column += if comment { c.len_utf8() } else { 2 };
                continue;
            }
            if rest.starts_with("//") {
                break;
            }
            if rest.starts_with("/*") {
                comment = true;
                column += 2;
                continue;
            }
            let run = |part: fn(char) -> bool| rest.find(|c| !part(c)).unwrap_or(rest.len());
            let (kind, length) = match c {
                c if c.is_whitespace() => {
                    column += c.len_utf8();
                    continue;
                }
                '"' | '\'' => (Kind::Text, quoted(rest)),
                c if c.is_ascii_digit() => {
                    (Kind::Number, run(|c| c.is_alphanumeric() || c == '_' || c == '.'))
                }
                c if c.is_alphabetic() || c == '_' => (Kind::Word, run(|c| c.is_alphanumeric() || c == '_')),
                c => (
                    Kind::Symbol,
                    SYMBOLS.iter().find(|s| rest.starts_with(**s)).map_or(c.len_utf8(), |s| s.len()),
                ),
            };
            found.push(Token { kind, text: &rest[..length], line, column });
            column += length;
        }
    }
    found
}

/// The length of a string or character with its quotes.
fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    let quote = rest.chars().next();
    for (at, c) in rest.char_indices().skip(1) {
        if !escaped && Some(c) == quote {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    rest.len()
}
