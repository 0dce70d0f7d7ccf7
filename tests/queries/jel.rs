//! Reads an exported log as text, knowing nothing of `qp`.

use std::fmt;
use std::path::Path;

/// A Prolog term.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    Atom(String),
    Int(i64),
    Float(f64),
    Text(String),
    Compound(String, Vec<Term>),
    List(Vec<Term>),
}

/// An event of the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub id: u64,
    pub thread: String,
    pub kind: String,
    pub args: Vec<Term>,
}

impl Term {
    pub fn atom(name: &str) -> Term {
        Term::Atom(name.to_owned())
    }

    /// The text of an atom.
    pub fn name(&self) -> &str {
        match self {
            Term::Atom(name) => name,
            other => panic!("no atom: {other:?}"),
        }
    }

    /// The arguments of a compound term with this functor.
    pub fn of(&self, functor: &str) -> Option<&[Term]> {
        match self {
            Term::Compound(name, args) if name == functor => Some(args),
            _ => None,
        }
    }

    pub fn list(&self) -> &[Term] {
        match self {
            Term::List(items) => items,
            other => panic!("no list: {other:?}"),
        }
    }

    pub fn int(&self) -> Option<i64> {
        match self {
            Term::Int(value) => Some(*value),
            _ => None,
        }
    }
}

impl Event {
    pub fn is(&self, kind: &str) -> bool {
        self.kind == kind
    }

    /// The position of its place, which exits have after the id of their call.
    fn at(&self) -> usize {
        usize::from(self.is("methodexit"))
    }

    /// Its file and line.
    pub fn place(&self) -> Option<(&str, i64)> {
        let place = self.args.get(self.at())?.of("l")?;
        Some((place[0].name(), place[1].int().unwrap_or(0)))
    }

    /// The receiver of a call, or the owner of a field.
    pub fn owner(&self) -> &Term {
        &self.args[self.at() + 1]
    }

    /// The name of a method or field.
    pub fn name(&self) -> &str {
        self.args[self.at() + 2].name()
    }

    /// The arguments of a call, the value written or returned.
    pub fn value(&self) -> &Term {
        &self.args[self.at() + 3]
    }

    /// The id of the call that an exit names.
    pub fn call(&self) -> Option<u64> {
        self.args[0].int().and_then(|id| u64::try_from(id).ok())
    }

    /// Its term as text.
    pub fn text(&self) -> String {
        let event = Term::Compound(self.kind.clone(), self.args.clone());
        format!("event({},{},{event})", self.id, Term::atom(&self.thread))
    }
}

/// As `qp` writes terms: only what a Prolog system could not read is quoted.
impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |all: &[Term]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        match self {
            Term::Atom(name) => write!(f, "{}", atom(name)),
            Term::Int(value) => write!(f, "{value}"),
            Term::Float(value) if value.is_nan() => write!(f, "1.5NaN"),
            Term::Float(value) if value.is_infinite() => {
                write!(f, "{}1.0Inf", if *value < 0.0 { "-" } else { "" })
            }
            Term::Float(value) => write!(f, "{value:?}"),
            Term::Text(text) => write!(f, "{}", quoted(text, '"')),
            Term::Compound(name, args) => write!(f, "{}({})", atom(name), joined(args)),
            Term::List(items) => write!(f, "[{}]", joined(items)),
        }
    }
}

fn atom(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_plain { name.to_owned() } else { quoted(name, '\'') }
}

fn quoted(text: &str, quote: char) -> String {
    let mut out = quote.to_string();
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

/// The events of an exported log.
pub fn read(file: &Path) -> Vec<Event> {
    parse(&std::fs::read_to_string(file).expect("the log"))
}

/// The events in the text of a log. Each is one line.
pub fn parse(text: &str) -> Vec<Event> {
    let facts = text.lines().filter(|line| !line.starts_with('%') && !line.starts_with(":-"));
    facts
        .map(|line| {
            let line = line.strip_suffix('.').unwrap_or_else(|| panic!("no full stop: {line}"));
            event(&term(line))
        })
        .collect()
}

/// An event as a term.
pub fn event(term: &Term) -> Event {
    let Some([Term::Int(id), Term::Atom(thread), Term::Compound(kind, args)]) = term.of("event") else {
        panic!("no event: {term:?}");
    };
    let id = u64::try_from(*id).expect("an id");
    Event { id, thread: thread.clone(), kind: kind.clone(), args: args.clone() }
}

/// A term in text.
pub fn term(text: &str) -> Term {
    let mut reader = Reader { rest: text };
    let term = reader.term();
    assert!(reader.rest.is_empty(), "`{}` follows in {text}", reader.rest);
    term
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn eat(&mut self, token: char) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn term(&mut self) -> Term {
        let left = self.primary();
        if self.eat('-') {
            return Term::Compound("-".to_owned(), vec![left, self.primary()]);
        }
        left
    }

    fn primary(&mut self) -> Term {
        let first = self.rest.chars().next().expect("a term");
        if first == '[' {
            self.eat('[');
            return Term::List(self.terms(']'));
        }
        if first == '"' {
            return Term::Text(self.quoted('"'));
        }
        if first.is_ascii_digit() || first == '-' {
            return self.number();
        }
        if self.eat('?') {
            return Term::atom("?");
        }
        let name = if first == '\'' { self.quoted('\'') } else { self.word() };
        if self.eat('(') { Term::Compound(name, self.terms(')')) } else { Term::Atom(name) }
    }

    fn terms(&mut self, end: char) -> Vec<Term> {
        let mut terms = Vec::new();
        if self.eat(end) {
            return terms;
        }
        loop {
            terms.push(self.term());
            if self.eat(end) {
                return terms;
            }
            assert!(self.eat(','), "`,` or `{end}` is missing before {}", self.rest);
        }
    }

    fn word(&mut self) -> String {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        assert!(!word.is_empty(), "a name is missing before {rest}");
        self.rest = rest;
        word.to_owned()
    }

    fn number(&mut self) -> Term {
        let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-' || c == '+';
        let digits = self.rest.strip_prefix('-').map_or(0, |_| 1);
        let mut end = digits;
        for (at, c) in self.rest.char_indices().skip(digits) {
            let after_e = self.rest.get(..at).is_some_and(|before| before.ends_with('e'));
            if !is_inside(c) || (c == '-' || c == '+') && !after_e {
                break;
            }
            end = at + c.len_utf8();
        }
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        match number {
            "1.5NaN" => Term::Float(f64::NAN),
            "1.0Inf" => Term::Float(f64::INFINITY),
            "-1.0Inf" => Term::Float(f64::NEG_INFINITY),
            _ if number.contains(['.', 'e']) => Term::Float(number.parse().expect("a number")),
            _ => Term::Int(number.parse().unwrap_or_else(|_| panic!("no number: {number}"))),
        }
    }

    fn quoted(&mut self, quote: char) -> String {
        assert!(self.eat(quote));
        let mut text = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.rest = self.rest.get(at + 1..).expect("the rest");
                    return text;
                }
                '\\' => match chars.next().expect("an escape").1 {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    'x' => {
                        let code: String =
                            chars.by_ref().map(|(_, c)| c).take_while(|c| *c != '\\').collect();
                        let code = u32::from_str_radix(&code, 16).expect("a code");
                        text.push(char::from_u32(code).expect("a character"));
                    }
                    other => text.push(other),
                },
                c => text.push(c),
            }
        }
        panic!("`{quote}` is missing at the end of {}", self.rest);
    }
}

#[test]
fn terms_are_read_back_as_they_are_written() {
    for text in ["f(a,'B c',-3,2.5,\"x\\n\\\"y\",[],[1,[2]])", "'<init>'", "l('A.java',-1.0e-7)", "'it\\'s'"]
    {
        let again = term(text).to_string();
        assert_eq!(term(&again), term(text));
    }
    assert_eq!(term("[1-a]").list()[0].of("-").unwrap(), [Term::Int(1), Term::atom("a")]);
}
