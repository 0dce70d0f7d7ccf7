//! Texts of atoms, strings and numbers, and conversions between them.

use std::sync::Arc;

use crate::atoms::known;
use crate::machine::{DetFn, Engine, Outcome, Raise};
use crate::store::{Cell, Tag};
use crate::term::{Node, View};
use crate::write::{Style, float_text};

pub(super) const TABLE: &[(&str, usize, DetFn)] = &[
    ("atom_codes", 2, |e, b| convert(e, b, Form::Atom, Form::Codes)),
    ("atom_chars", 2, |e, b| convert(e, b, Form::Atom, Form::Chars)),
    ("char_code", 2, char_code),
    ("number_codes", 2, |e, b| convert(e, b, Form::Number, Form::Codes)),
    ("number_chars", 2, |e, b| convert(e, b, Form::Number, Form::Chars)),
    ("atom_number", 2, atom_number),
    ("number_string", 2, number_string),
    ("atom_string", 2, |e, b| convert(e, b, Form::Atom, Form::String)),
    ("string_chars", 2, |e, b| convert(e, b, Form::String, Form::Chars)),
    ("string_codes", 2, |e, b| convert(e, b, Form::String, Form::Codes)),
    ("string_to_atom", 2, |e, b| convert(e, b, Form::String, Form::Atom)),
    ("string_code", 3, string_code),
    ("text_to_string", 2, |e, b| convert(e, b, Form::String, Form::String)),
    ("atom_to_term", 3, atom_to_term),
    ("atom_length", 2, length),
    ("string_length", 2, length),
    ("upcase_atom", 2, |e, b| changed(e, b, Form::Atom, |t| t.to_uppercase())),
    ("downcase_atom", 2, |e, b| changed(e, b, Form::Atom, |t| t.to_lowercase())),
    ("string_upper", 2, |e, b| changed(e, b, Form::String, |t| t.to_uppercase())),
    ("string_lower", 2, |e, b| changed(e, b, Form::String, |t| t.to_lowercase())),
    ("term_to_atom", 2, |e, b| term_text(e, b, Form::Atom)),
    ("term_string", 2, |e, b| term_text(e, b, Form::String)),
];

/// A form of text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Atom,
    String,
    Codes,
    Chars,
    Number,
}

/// The text of an atomic term, or of a list of codes or characters.
pub(super) fn text_of(e: &Engine, cell: Cell) -> Option<String> {
    match e.store.view(cell) {
        // An empty list is a text without characters only as a list.
        View::Atom(atom) => Some(e.text(atom).to_owned()),
        View::Str(text) => Some(text.to_owned()),
        View::Int(value) => Some(value.to_string()),
        View::Float(value) => Some(float_text(value)),
        View::Compound { name: known::DOT, arity: 2 } => list_text(e, cell),
        _ => None,
    }
}

/// The text of a list of codes or characters.
pub(super) fn list_text(e: &Engine, cell: Cell) -> Option<String> {
    let items = e.list_items(cell)?;
    let mut text = String::with_capacity(items.len());
    for item in items {
        match e.store.view(item) {
            View::Int(code) => text.push(u32::try_from(code).ok().and_then(char::from_u32)?),
            View::Atom(atom) => {
                let mut chars = e.text(atom).chars();
                text.push(chars.next()?);
                if chars.next().is_some() {
                    return None;
                }
            }
            _ => return None,
        }
    }
    Some(text)
}

/// The text of an argument.
pub(super) fn text_arg(e: &mut Engine, b: usize, index: usize) -> Result<String, Raise> {
    let cell = e.arg(b, index);
    match text_of(e, cell) {
        Some(text) => Ok(text),
        None if cell.is_ref() => Err(e.unbound(index)),
        None => Err(e.type_error(known::ATOMIC, cell)),
    }
}

/// A text as a term.
pub(super) fn made(e: &mut Engine, text: &str, form: Form) -> Result<Cell, Raise> {
    e.afford(text.len() * if matches!(form, Form::Codes | Form::Chars) { 16 } else { 1 })?;
    Ok(match form {
        Form::Atom => e.atom(text),
        Form::String => e.store.string(text),
        Form::Number => match number(e, text.trim_start()) {
            Some(cell) => cell,
            None => {
                let message = e.atom("illegal_number");
                let formal = syntax_error(e, message);
                return Err(e.error(formal, None));
            }
        },
        Form::Codes => {
            let codes: Vec<Cell> =
                text.chars().filter_map(|c| Cell::small(i64::from(u32::from(c)))).collect();
            e.store.list(&codes, Cell::atom(known::NIL))
        }
        Form::Chars => {
            let chars: Vec<Cell> = text.chars().map(|c| e.atom(c.encode_utf8(&mut [0; 4]))).collect();
            e.store.list(&chars, Cell::atom(known::NIL))
        }
    })
}

/// The number that a text is, with a sign and leading layout.
pub(super) fn number(e: &mut Engine, text: &str) -> Option<Cell> {
    let rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !rest.starts_with(|c: char| c.is_ascii_digit()) {
        return match text {
            "inf" | "infinite" => Some(e.store.float(f64::INFINITY)),
            "nan" => Some(e.store.float(f64::NAN)),
            _ => None,
        };
    }
    let negative = text.starts_with('-');
    let text = if negative { text } else { rest };
    if text.ends_with(|c: char| c.is_whitespace()) || text.contains(['%', '.']) && text.ends_with('.') {
        return None;
    }
    let read = crate::read::clauses::read_term("number", text, &e.atoms).ok()?;
    match read.term.node(read.term.root()) {
        Node::Int(value) => Some(e.store.int(value)),
        Node::Float(value) => Some(e.store.float(value)),
        _ => None,
    }
}

/// Converts the first argument to the second or, if it is unbound, back.
fn convert(e: &mut Engine, b: usize, left: Form, right: Form) -> Outcome {
    let cell = e.arg(b, 0);
    if !cell.is_ref() {
        if left == Form::Number && !matches!(cell.tag(), Tag::Int | Tag::Big | Tag::Float) {
            return Err(e.type_error(known::NUMBER, cell));
        }
        let text = match (left, list_text(e, cell)) {
            (Form::String, Some(text)) => text,
            _ if e.store.shape(cell).is_some() => {
                return Err(e.type_error_named(if left == Form::String { "text" } else { "atom" }, cell));
            }
            _ => text_arg(e, b, 0)?,
        };
        // `[]` is the empty list where a list can stand.
        let text = if left == Form::String && cell == Cell::atom(known::NIL) { String::new() } else { text };
        let other = e.arg(b, 1);
        if left == Form::Number && !other.is_ref() {
            // The texts `1` and `01` are the same number.
            if let Some(written) = list_text(e, other) {
                let value = made(e, &written, Form::Number)?;
                return e.unify_arg(b, 0, value);
            }
        }
        if right == Form::Atom && !other.is_ref() {
            let same = text_of(e, other).is_some_and(|other| other == text);
            return Ok(same);
        }
        if right == Form::String && !other.is_ref() && other.tag() != Tag::Str {
            let same = text_of(e, other).is_some_and(|other| other == text);
            return Ok(same);
        }
        let value = made(e, &text, right)?;
        return e.unify_arg(b, 1, value);
    }
    let other = e.arg(b, 1);
    let text = match list_text(e, other) {
        Some(text) => text,
        None if matches!(right, Form::Codes | Form::Chars) && e.store.shape(other).is_some() => {
            return Err(e.unbound(1));
        }
        None => text_arg(e, b, 1)?,
    };
    let value = made(e, &text, left)?;
    e.unify_arg(b, 0, value)
}

fn char_code(e: &mut Engine, b: usize) -> Outcome {
    let (char, code) = (e.arg(b, 0), e.arg(b, 1));
    if let View::Atom(atom) = e.store.view(char) {
        let mut chars = e.text(atom).chars();
        let (Some(c), None) = (chars.next(), chars.next()) else {
            return Err(e.type_error(known::CHARACTER, char));
        };
        let code = e.store.int(i64::from(u32::from(c)));
        return e.unify_arg(b, 1, code);
    }
    match e.store.view(code) {
        View::Int(value) => match u32::try_from(value).ok().and_then(char::from_u32) {
            Some(c) => {
                let atom = e.atom(c.encode_utf8(&mut [0; 4]));
                e.unify_arg(b, 0, atom)
            }
            None => {
                let what = e.atom("character_code");
                let formal = {
                    let name = e.atoms.intern("representation_error");
                    e.store.compound(name, &[what])
                };
                Err(e.error(formal, None))
            }
        },
        View::Var(_) => Err(e.unbound(0)),
        _ => Err(e.type_error(known::INTEGER, code)),
    }
}

fn atom_number(e: &mut Engine, b: usize) -> Outcome {
    let cell = e.arg(b, 0);
    match e.store.view(cell) {
        View::Atom(_) | View::Str(_) => {
            let text = text_arg(e, b, 0)?;
            match number(e, &text) {
                Some(value) => e.unify_arg(b, 1, value),
                None => Ok(false),
            }
        }
        View::Var(_) => {
            let value = e.arg(b, 1);
            match value.tag() {
                Tag::Int | Tag::Big | Tag::Float => {
                    let text = text_arg(e, b, 1)?;
                    let atom = e.atom(&text);
                    e.unify_arg(b, 0, atom)
                }
                Tag::Ref => Err(e.unbound(0)),
                _ => Err(e.type_error(known::NUMBER, value)),
            }
        }
        _ => Err(e.type_error(known::ATOM, cell)),
    }
}

fn number_string(e: &mut Engine, b: usize) -> Outcome {
    let text = e.arg(b, 1);
    if !text.is_ref() {
        let text = text_arg(e, b, 1)?;
        return match number(e, &text) {
            Some(value) => e.unify_arg(b, 0, value),
            None => Ok(false),
        };
    }
    let value = e.arg(b, 0);
    match value.tag() {
        Tag::Int | Tag::Big | Tag::Float => {
            let text = text_arg(e, b, 0)?;
            let string = e.store.string(&text);
            e.unify_arg(b, 1, string)
        }
        Tag::Ref => Err(e.unbound(0)),
        _ => Err(e.type_error(known::NUMBER, value)),
    }
}

fn string_code(e: &mut Engine, b: usize) -> Outcome {
    let index = e.arg(b, 0);
    let View::Int(index) = e.store.view(index) else {
        return Err(if index.is_ref() { e.unbound(0) } else { e.type_error(known::INTEGER, index) });
    };
    let text = text_arg(e, b, 1)?;
    let at = usize::try_from(index - 1).ok();
    match at.and_then(|at| text.chars().nth(at)) {
        Some(c) => {
            let code = e.store.int(i64::from(u32::from(c)));
            e.unify_arg(b, 2, code)
        }
        None => Ok(false),
    }
}

fn length(e: &mut Engine, b: usize) -> Outcome {
    let cell = e.arg(b, 0);
    let text = if e.store.shape(cell).is_some() && list_text(e, cell).is_none() {
        return Err(e.type_error_named("text", cell));
    } else {
        text_arg(e, b, 0)?
    };
    let wanted = e.arg(b, 1);
    match e.store.view(wanted) {
        View::Var(_) => {}
        View::Int(value) if value < 0 => return Err(e.type_error(known::NOT_LESS_THAN_ZERO, wanted)),
        View::Int(_) => {}
        _ => return Err(e.type_error(known::INTEGER, wanted)),
    }
    let count = e.store.int(i64::try_from(text.chars().count()).unwrap_or(i64::MAX));
    e.unify_arg(b, 1, count)
}

fn changed(e: &mut Engine, b: usize, form: Form, change: fn(&str) -> String) -> Outcome {
    let text = text_arg(e, b, 0)?;
    let value = made(e, &change(&text), form)?;
    e.unify_arg(b, 1, value)
}

fn term_text(e: &mut Engine, b: usize, form: Form) -> Outcome {
    let term = e.arg(b, 0);
    if !term.is_ref() || e.arg(b, 1).is_ref() {
        if term.is_ref() && form == Form::Atom {
            return Err(e.unbound(0));
        }
        let text = e.show(term, Style::QUOTED)?;
        let value = made(e, &text, form)?;
        return e.unify_arg(b, 1, value);
    }
    let text = text_arg(e, b, 1)?;
    let atoms = Arc::clone(&e.atoms);
    match crate::read::clauses::read_term("term", &text, &atoms) {
        Ok(read) => {
            let value = e.store.import(&read.term, read.term.root(), &mut Vec::new());
            e.unify_arg(b, 0, value)
        }
        Err(error) => {
            let message = e.atom(&error.message);
            let formal = syntax_error(e, message);
            Err(e.error(formal, None))
        }
    }
}

fn syntax_error(e: &mut Engine, message: Cell) -> Cell {
    let name = e.atoms.intern("syntax_error");
    e.store.compound(name, &[message])
}

fn atom_to_term(e: &mut Engine, b: usize) -> Outcome {
    let text = text_arg(e, b, 0)?;
    let atoms = Arc::clone(&e.atoms);
    let read = match crate::read::clauses::read_term("term", &text, &atoms) {
        Ok(read) => read,
        Err(error) => {
            let message = e.atom(&error.message);
            let formal = syntax_error(e, message);
            return Err(e.error(formal, None));
        }
    };
    let mut variables = Vec::new();
    let value = e.store.import(&read.term, read.term.root(), &mut variables);
    let mut bindings = Vec::new();
    for (name, cell) in read.variables.iter().zip(variables) {
        if let (Some(cell), true) = (cell, name != "_") {
            let name = e.atom(name);
            bindings.push(e.store.compound(known::EQ, &[name, cell]));
        }
    }
    let list = e.store.list(&bindings, Cell::atom(known::NIL));
    Ok(e.unify_arg(b, 1, value)? && e.unify_arg(b, 2, list)?)
}
