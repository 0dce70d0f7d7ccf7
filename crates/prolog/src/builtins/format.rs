//! `format/1`, `format/2` and `format/3`.

use super::text::{Form, list_text, made, text_of};
use crate::arith::Num;
use crate::atoms::known;
use crate::machine::{DetFn, Engine, Outcome, Raise};
use crate::store::{Cell, Tag};
use crate::term::View;
use crate::write::Style;
use std::str::Chars;

pub(super) const TABLE: &[(&str, usize, DetFn)] = &[
    ("format", 1, |e, b| {
        let text = formatted(e, e.arg(b, 0), Cell::atom(known::NIL), e.column)?;
        e.print(&text);
        Ok(true)
    }),
    ("format", 2, |e, b| {
        let text = formatted(e, e.arg(b, 0), e.arg(b, 1), e.column)?;
        e.print(&text);
        Ok(true)
    }),
    ("format", 3, format3),
    ("sformat", 3, |e, b| {
        let text = formatted(e, e.arg(b, 1), e.arg(b, 2), 0)?;
        let string = e.store.string(&text);
        e.unify_arg(b, 0, string)
    }),
];

/// `format(atom(A), Format, Args)` and its like; there are no streams.
fn format3(e: &mut Engine, b: usize) -> Outcome {
    let sink = e.arg(b, 0);
    let Some((name, 1, first)) = e.store.shape(sink) else {
        return Err(if sink.is_ref() { e.unbound(0) } else { e.domain_error("output_sink", sink) });
    };
    let form = match e.text(name) {
        "atom" => Form::Atom,
        "string" => Form::String,
        "codes" => Form::Codes,
        "chars" => Form::Chars,
        _ => return Err(e.domain_error("output_sink", sink)),
    };
    let text = formatted(e, e.arg(b, 1), e.arg(b, 2), 0)?;
    let value = made(e, &text, form)?;
    let target = e.store.cells[first];
    Ok(e.store.unify(target, value))
}

/// The text under construction, with its column stops.
struct Line {
    text: String,
    /// Where the current column segment starts, in bytes.
    segment: usize,
    /// The column at which the segment starts.
    column: usize,
    /// Places of fill characters in the segment.
    fills: Vec<(usize, char)>,
}

impl Line {
    fn width(&self) -> usize {
        let segment = self.text.get(self.segment..).unwrap_or_default();
        match segment.rfind('\n') {
            Some(at) => segment.get(at + 1..).unwrap_or_default().chars().count(),
            None => self.column + segment.chars().count(),
        }
    }

    /// Ends a segment at a column: fills it up.
    fn stop(&mut self, column: usize) {
        let missing = column.saturating_sub(self.width());
        if missing > 0 {
            if self.fills.is_empty() {
                // Without a fill point white space goes to the right.
                self.fills.push((self.text.len(), ' '));
            }
            let (share, rest) = (missing / self.fills.len(), missing % self.fills.len());
            let count = self.fills.len();
            for (i, &(at, c)) in self.fills.iter().enumerate().rev() {
                let pads = share + usize::from(i + 1 == count) * rest;
                self.text.insert_str(at, &c.to_string().repeat(pads));
            }
        }
        self.fills.clear();
        self.column = self.width();
        self.segment = self.text.len();
    }
}

fn problem(e: &mut Engine, message: &str) -> Raise {
    let text = e.atom(message);
    let name = e.atoms.intern("format");
    let formal = e.store.compound(name, &[text]);
    e.error(formal, None)
}

fn formatted(e: &mut Engine, format: Cell, args: Cell, column: usize) -> Result<String, Raise> {
    let Some(format) = text_of(e, format).or_else(|| list_text(e, format)) else {
        return Err(if format.is_ref() { e.unbound(0) } else { e.type_error(known::ATOMIC, format) });
    };
    // A single argument may stand without its list.
    let args = e.list_items(args).unwrap_or_else(|| vec![args]);
    let mut args = args.into_iter();
    let mut line = Line { text: String::new(), segment: 0, column, fills: Vec::new() };
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '~' {
            line.text.push(c);
            continue;
        }
        let Directive { number, letter: directive } = directive(e, &mut chars, &mut args)?;
        match directive {
            '~' => line.text.push('~'),
            'n' => line.text.push_str(&"\n".repeat(number.unwrap_or(1))),
            't' => {
                let fill = number.and_then(|n| u32::try_from(n).ok()).and_then(char::from_u32).unwrap_or(' ');
                line.fills.push((line.text.len(), fill));
            }
            '|' | '+' => {
                let target = match (directive, number) {
                    ('+', number) => line.column + number.unwrap_or(8),
                    (_, Some(number)) => number,
                    (_, None) => line.width(),
                };
                line.stop(target);
            }
            'i' => {
                next(e, &mut args)?;
            }
            _ => {
                let cell = next(e, &mut args)?;
                let text = directed(e, directive, number, cell)?;
                line.text.push_str(&text);
            }
        }
    }
    if args.next().is_some() {
        e.print(&line.text);
        return Err(problem(e, "too many arguments"));
    }
    Ok(line.text)
}

/// A directive of a format.
struct Directive {
    /// Its numeric argument.
    number: Option<usize>,
    letter: char,
}

/// Reads a directive behind its `~`.
fn directive(
    e: &mut Engine,
    chars: &mut Chars<'_>,
    args: &mut impl Iterator<Item = Cell>,
) -> Result<Directive, Raise> {
    let mut number: Option<usize> = None;
    let mut letter = chars.next();
    if letter == Some('*') {
        let cell = next(e, args)?;
        match e.store.view(cell) {
            View::Int(value) if value >= 0 => number = usize::try_from(value).ok(),
            _ => return Err(problem(e, "no or negative integer for `*' argument")),
        }
        letter = chars.next();
    } else if letter == Some('`') {
        number = chars.next().map(|c| u32::from(c) as usize);
        letter = chars.next();
    } else {
        while let Some(digit) = letter.and_then(|c| c.to_digit(10)) {
            number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(digit as usize));
            letter = chars.next();
        }
    }
    e.afford(number.unwrap_or(0))?;
    match letter {
        Some(letter) => Ok(Directive { number, letter }),
        None => Err(problem(e, "truncated format specification")),
    }
}

fn next(e: &mut Engine, args: &mut impl Iterator<Item = Cell>) -> Result<Cell, Raise> {
    match args.next() {
        Some(cell) => Ok(e.store.deref(cell)),
        None => Err(problem(e, "not enough arguments")),
    }
}

/// The text of one directive that takes an argument.
fn directed(e: &mut Engine, directive: char, number: Option<usize>, cell: Cell) -> Result<String, Raise> {
    match directive {
        'w' => e.show(cell, Style::PLAIN),
        'p' | 'q' => e.show(cell, Style::QUOTED),
        'k' => e.show(cell, Style::CANONICAL),
        'a' => match text_of(e, cell) {
            Some(text) => Ok(text),
            None if cell.is_ref() => Err(e.unbound(1)),
            None => Err(problem(e, "illegal argument to ~a")),
        },
        's' => match list_text(e, cell).or_else(|| text_of(e, cell)) {
            Some(text) => Ok(text),
            None => Err(problem(e, "illegal string")),
        },
        'c' => match e.store.view(cell) {
            View::Int(code) => match u32::try_from(code).ok().and_then(char::from_u32) {
                Some(c) => Ok(c.to_string().repeat(number.unwrap_or(1))),
                None => Err(problem(e, "illegal character code")),
            },
            _ => Err(problem(e, "illegal argument to ~c")),
        },
        'd' | 'D' => {
            let value = match cell.tag() {
                Tag::Int | Tag::Big => e.evaluate(cell)?,
                Tag::Ref => return Err(e.unbound(1)),
                _ => e.evaluate(cell)?,
            };
            let Num::Int(value) = value else { return Err(e.type_error(known::INTEGER, cell)) };
            Ok(grouped(value, number.unwrap_or(0), directive == 'D'))
        }
        'f' | 'e' | 'g' => {
            let value = e.evaluate(cell)?;
            Ok(float(value, directive, number.unwrap_or(6).min(1 << 16)))
        }
        'r' | 'R' => {
            let Num::Int(value) = e.evaluate(cell)? else { return Err(e.type_error(known::INTEGER, cell)) };
            let Some(radix) = number.and_then(|n| u64::try_from(n).ok()).filter(|n| (2..=36).contains(n))
            else {
                return Err(problem(e, "~r requires an argument between 2 and 36"));
            };
            Ok(in_radix(value, radix, directive == 'R'))
        }
        other => {
            let name = e.atoms.intern("existence_error");
            let (what, directive) = (e.atom("format_character"), e.atom(other.encode_utf8(&mut [0; 4])));
            let formal = e.store.compound(name, &[what, directive]);
            Err(e.error(formal, None))
        }
    }
}

/// An integer with a decimal point before the last digits, and with groups of three.
fn grouped(value: i64, decimals: usize, groups: bool) -> String {
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    let mut text = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if groups && i > 0 && (whole.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if decimals > 0 {
        text.push('.');
        text.push_str(fraction);
    }
    if value < 0 { format!("-{text}") } else { text }
}

/// A float as C's `printf` writes it.
fn float(value: Num, directive: char, decimals: usize) -> String {
    if let (Num::Int(value), 'f') = (value, directive) {
        let zeros = "0".repeat(decimals);
        return if decimals == 0 { value.to_string() } else { format!("{value}.{zeros}") };
    }
    let value = value.float();
    match directive {
        'f' => format!("{value:.decimals$}"),
        'e' => exponent(&format!("{value:.decimals$e}")),
        _ => {
            let significant = decimals.max(1);
            let scientific = format!("{value:.digits$e}", digits = significant - 1);
            let power: i64 = scientific.split_once('e').and_then(|(_, p)| p.parse().ok()).unwrap_or(0);
            let precision = i64::try_from(significant).unwrap_or(6);
            let text = if power < -4 || power >= precision {
                let (mantissa, power) = scientific.split_once('e').unwrap_or((&scientific, "0"));
                return exponent(&format!("{}e{power}", trimmed(mantissa)));
            } else {
                format!("{value:.digits$}", digits = usize::try_from(precision - 1 - power).unwrap_or(0))
            };
            trimmed(&text).to_owned()
        }
    }
}

/// Without zeros behind the decimal point.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// Gives the exponent a sign and two digits.
fn exponent(text: &str) -> String {
    let Some((mantissa, power)) = text.split_once('e') else { return text.to_owned() };
    let power: i32 = power.parse().unwrap_or(0);
    let sign = if power < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", power.abs())
}

fn in_radix(value: i64, radix: u64, upper: bool) -> String {
    let mut digits = Vec::new();
    let mut rest = value.unsigned_abs();
    loop {
        let digit = u32::try_from(rest % radix).unwrap_or(0);
        digits.push(char::from_digit(digit, 36).unwrap_or('0'));
        rest /= radix;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        digits.push('-');
    }
    let text: String = digits.into_iter().rev().collect();
    if upper { text.to_uppercase() } else { text }
}
