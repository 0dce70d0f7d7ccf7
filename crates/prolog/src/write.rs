//! Writes terms as SWI-Prolog does: operators, lists, quotes, and spaces only where tokens would fuse.

use std::fmt::{self, Write as _};

use pest::unicode::{TITLECASE_LETTER, UPPERCASE_LETTER, XID_CONTINUE, XID_START};

use crate::atoms::{AtomId, Atoms, known};
use crate::read::operators::{infix, is_operator, prefix};
use crate::term::{Terms, View};

/// How to write a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Style {
    /// Quote atoms and strings where needed.
    pub quoted: bool,
    /// Write operators as plain compounds.
    pub ignore_ops: bool,
    /// Write `'$VAR'(1)` as `B`.
    pub numbervars: bool,
}

impl Style {
    pub(crate) const PLAIN: Style = Style { quoted: false, ignore_ops: false, numbervars: true };
    pub(crate) const QUOTED: Style = Style { quoted: true, ignore_ops: false, numbervars: true };
    pub(crate) const CANONICAL: Style = Style { quoted: true, ignore_ops: true, numbervars: false };
}

/// A term with what writing it needs.
pub(crate) struct Written<'a, T: Terms> {
    pub terms: &'a T,
    pub atoms: &'a Atoms,
    pub root: T::Ref,
    pub style: Style,
}

/// What is still to be written.
enum Work<R> {
    Term {
        term: R,
        max: u16,
        operand: bool,
    },
    Text(&'static str),
    /// An atom between operands.
    Operator(AtomId),
    /// The arguments of a compound from an index.
    Args {
        term: R,
        next: usize,
        arity: usize,
    },
    /// The rest of a list.
    Tail(R),
}

/// Collects text and keeps tokens apart.
struct Sink<'f, W: fmt::Write> {
    out: &'f mut W,
    last: char,
    /// Whether the last token is a prefix minus or plus, which must not touch a number.
    sign: bool,
    /// Whether the last token is a prefix operator, which must not touch an opening parenthesis.
    prefix: bool,
}

fn class(c: char) -> u8 {
    match c {
        _ if c.is_alphanumeric() || c == '_' => 1,
        _ if is_symbol_char(c) => 2,
        _ => 0,
    }
}

fn is_symbol_char(c: char) -> bool {
    "+-*/\\^<>=~:.?@#&$".contains(c)
}

impl<W: fmt::Write> Sink<'_, W> {
    fn token(&mut self, text: &str) -> fmt::Result {
        let Some(first) = text.chars().next() else { return Ok(()) };
        let fused = class(first) != 0 && class(first) == class(self.last);
        if fused
            || self.prefix && first == '('
            || self.sign && first.is_ascii_digit()
            || self.last.is_ascii_digit() && first == '\''
        {
            self.out.write_char(' ')?;
        }
        self.raw(text)
    }

    /// Writes text that belongs to the token before it.
    fn raw(&mut self, text: &str) -> fmt::Result {
        self.sign = false;
        self.prefix = false;
        if let Some(last) = text.chars().next_back() {
            self.last = last;
        }
        self.out.write_str(text)
    }
}

impl<T: Terms> Written<'_, T> {
    /// Writes the term to a sink.
    pub(crate) fn write_to<W: fmt::Write>(&self, out: &mut W) -> fmt::Result {
        let mut sink = Sink { out, last: ' ', sign: false, prefix: false };
        let mut work = vec![Work::Term { term: self.root, max: 1200, operand: false }];
        while let Some(item) = work.pop() {
            match item {
                Work::Text(text) => sink.raw(text)?,
                Work::Operator(atom) => self.operator(&mut sink, atom)?,
                Work::Term { term, max, operand } => self.term(&mut sink, &mut work, term, max, operand)?,
                Work::Args { term, next, arity } => {
                    if next == arity {
                        sink.raw(")")?;
                        continue;
                    }
                    if next > 0 {
                        sink.raw(",")?;
                    }
                    work.push(Work::Args { term, next: next + 1, arity });
                    work.push(Work::Term { term: self.terms.child(term, next), max: 999, operand: false });
                }
                Work::Tail(tail) => match self.terms.look(tail) {
                    View::Atom(known::NIL) => sink.raw("]")?,
                    View::Compound { name: known::DOT, arity: 2 } => {
                        sink.raw(",")?;
                        work.push(Work::Tail(self.terms.child(tail, 1)));
                        work.push(Work::Term { term: self.terms.child(tail, 0), max: 999, operand: false });
                    }
                    _ => {
                        sink.raw("|")?;
                        work.push(Work::Text("]"));
                        work.push(Work::Term { term: tail, max: 999, operand: false });
                    }
                },
            }
        }
        Ok(())
    }

    fn operator<W: fmt::Write>(&self, sink: &mut Sink<'_, W>, atom: AtomId) -> fmt::Result {
        match atom {
            known::COMMA => sink.raw(","),
            known::BAR => sink.raw("|"),
            _ => self.atom(sink, atom),
        }
    }

    fn atom<W: fmt::Write>(&self, sink: &mut Sink<'_, W>, atom: AtomId) -> fmt::Result {
        let text = self.atoms.text(atom);
        if self.style.quoted && needs_quotes(text) {
            sink.token(&quote(text, '\''))
        } else {
            sink.token(text)
        }
    }

    fn term<W: fmt::Write>(
        &self,
        sink: &mut Sink<'_, W>,
        work: &mut Vec<Work<T::Ref>>,
        term: T::Ref,
        max: u16,
        operand: bool,
    ) -> fmt::Result {
        match self.terms.look(term) {
            View::Var(n) => sink.token(&format!("_G{n}")),
            View::Int(value) => sink.token(&value.to_string()),
            View::Float(value) => sink.token(&float_text(value)),
            View::Str(text) if self.style.quoted => sink.token(&quote(text, '"')),
            View::Str(text) => sink.token(text),
            View::Atom(atom) => {
                if operand && !self.style.ignore_ops && is_operator(self.atoms.text(atom)) {
                    sink.token("(")?;
                    self.atom(sink, atom)?;
                    return sink.raw(")");
                }
                self.atom(sink, atom)
            }
            View::Compound { name, arity } => self.compound(sink, work, term, name, arity, max),
        }
    }

    fn compound<W: fmt::Write>(
        &self,
        sink: &mut Sink<'_, W>,
        work: &mut Vec<Work<T::Ref>>,
        term: T::Ref,
        name: AtomId,
        arity: usize,
        max: u16,
    ) -> fmt::Result {
        let arg = |index| self.terms.child(term, index);
        if name == known::DOT && arity == 2 {
            sink.token("[")?;
            work.push(Work::Tail(arg(1)));
            work.push(Work::Term { term: arg(0), max: 999, operand: false });
            return Ok(());
        }
        if self.style.numbervars
            && name == known::DOLLAR_VAR
            && arity == 1
            && let View::Int(n) = self.terms.look(arg(0))
            && n >= 0
        {
            let letter = char::from(b'A' + u8::try_from(n % 26).unwrap_or(0));
            let number = if n < 26 { String::new() } else { (n / 26).to_string() };
            return sink.token(&format!("{letter}{number}"));
        }
        if !self.style.ignore_ops && self.operation(sink, work, term, name, arity, max)? {
            return Ok(());
        }
        self.atom(sink, name)?;
        sink.raw("(")?;
        work.push(Work::Args { term, next: 0, arity });
        Ok(())
    }

    /// Writes a term in braces, or with an operator. Returns whether it is one.
    fn operation<W: fmt::Write>(
        &self,
        sink: &mut Sink<'_, W>,
        work: &mut Vec<Work<T::Ref>>,
        term: T::Ref,
        name: AtomId,
        arity: usize,
        max: u16,
    ) -> Result<bool, fmt::Error> {
        let arg = |index| self.terms.child(term, index);
        if name == known::CURLY && arity == 1 {
            sink.token("{")?;
            work.push(Work::Text("}"));
            work.push(Work::Term { term: arg(0), max: 1200, operand: false });
            return Ok(true);
        }
        let text = self.atoms.text(name);
        if arity == 2
            && let Some(op) = infix(text)
        {
            let bracket = op.priority > max;
            if bracket {
                sink.token("(")?;
                work.push(Work::Text(")"));
            }
            work.push(Work::Term { term: arg(1), max: op.right, operand: true });
            work.push(Work::Operator(name));
            work.push(Work::Term { term: arg(0), max: op.left, operand: true });
            return Ok(true);
        }
        if arity == 1
            && let Some(op) = prefix(text)
        {
            let bracket = op.priority > max;
            if bracket {
                sink.token("(")?;
                work.push(Work::Text(")"));
            }
            self.atom(sink, name)?;
            sink.prefix = true;
            sink.sign = matches!(name, known::MINUS | known::PLUS);
            work.push(Work::Term { term: arg(0), max: op.right, operand: true });
            return Ok(true);
        }
        Ok(false)
    }
}

impl<T: Terms> fmt::Display for Written<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_to(f)
    }
}

/// Whether `writeq` puts an atom into quotes.
pub(crate) fn needs_quotes(text: &str) -> bool {
    if matches!(text, "[]" | "{}" | "!" | ";") {
        return false;
    }
    let mut chars = text.chars();
    match chars.next() {
        None => true,
        Some(c) if XID_START(c) && !UPPERCASE_LETTER(c) && !TITLECASE_LETTER(c) => {
            !chars.all(|c| XID_CONTINUE(c) || c == '_')
        }
        Some(_) => text == "." || text.starts_with("/*") || !text.chars().all(is_symbol_char),
    }
}

/// A text in quotes, with escapes.
pub(crate) fn quote(text: &str, quote: char) -> String {
    let mut result = String::with_capacity(text.len() + 2);
    result.push(quote);
    for c in text.chars() {
        match c {
            '\\' => result.push_str("\\\\"),
            '\n' => result.push_str("\\n"),
            '\t' => result.push_str("\\t"),
            '\r' => result.push_str("\\r"),
            '\x07' => result.push_str("\\a"),
            '\x08' => result.push_str("\\b"),
            '\x0c' => result.push_str("\\f"),
            '\x0b' => result.push_str("\\v"),
            c if c == quote => {
                result.push('\\');
                result.push(c);
            }
            c if c < ' ' || c == '\x7f' => {
                // A string takes any formatted text.
                let _ = write!(result, "\\x{:X}\\", u32::from(c));
            }
            c => result.push(c),
        }
    }
    result.push(quote);
    result
}

/// The shortest text that reads back as the float, in the notation of SWI-Prolog.
pub(crate) fn float_text(value: f64) -> String {
    if value.is_nan() {
        return "1.5NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "1.0Inf".to_owned() } else { "-1.0Inf".to_owned() };
    }
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..15).contains(&exponent) {
        let plain = format!("{value}");
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    let point = if mantissa.contains('.') { "" } else { ".0" };
    format!("{mantissa}{point}e{exponent:+}")
}
