//! Predicates over several texts: joining and splitting.

use super::text::{text_arg, text_of};
use crate::atoms::known;
use crate::machine::{DetFn, Engine, Outcome};
use crate::store::{Cell, Tag};

pub(super) const TABLE: &[(&str, usize, DetFn)] = &[
    ("atomic_list_concat", 2, |e, b| {
        let Some(text) = joined(e, b, "")? else {
            return Err(e.unbound(0));
        };
        let atom = e.atom(&text);
        e.unify_arg(b, 1, atom)
    }),
    ("atomic_list_concat", 3, list_concat),
    ("split_string", 4, split_string),
    ("read_term_from_atom", 3, |e, b| {
        let text = text_arg(e, b, 0)?;
        let atoms = std::sync::Arc::clone(&e.atoms);
        let Ok(read) = crate::read::clauses::read_term("term", &text, &atoms) else { return Ok(false) };
        let value = e.store.import(&read.term, read.term.root(), &mut Vec::new());
        e.unify_arg(b, 1, value)
    }),
    ("char_type", 2, char_type),
    ("code_type", 2, char_type),
];

/// The elements of a list as one text. `None` if one of them is unbound.
fn joined(e: &mut Engine, b: usize, separator: &str) -> Result<Option<String>, crate::machine::Raise> {
    let list = e.arg(b, 0);
    let Some(items) = e.list_items(list) else {
        let partial = list.is_ref() || e.store.pair(list, known::DOT).is_some();
        return if partial { Ok(None) } else { Err(e.type_error(known::LIST, list)) };
    };
    let mut text = String::new();
    for (i, item) in items.into_iter().enumerate() {
        if item.is_ref() {
            return Ok(None);
        }
        if e.store.shape(item).is_some() {
            return Err(e.type_error_named("text", item));
        }
        if i > 0 {
            text.push_str(separator);
        }
        text.push_str(&text_of(e, item).unwrap_or_default());
        e.afford(text.len())?;
    }
    Ok(Some(text))
}

fn list_concat(e: &mut Engine, b: usize) -> Outcome {
    let separator = text_arg(e, b, 1)?;
    if let Some(text) = joined(e, b, &separator)? {
        let atom = e.atom(&text);
        return e.unify_arg(b, 2, atom);
    }
    let whole = e.arg(b, 2);
    if whole.is_ref() {
        return Err(e.unbound(0));
    }
    if separator.is_empty() {
        let separator = e.arg(b, 1);
        return Err(e.domain_error("non_empty_atom", separator));
    }
    let text = text_arg(e, b, 2)?;
    let parts: Vec<Cell> = text.split(separator.as_str()).map(|part| e.atom(part)).collect();
    let list = e.store.list(&parts, Cell::atom(known::NIL));
    e.unify_arg(b, 0, list)
}

fn split_string(e: &mut Engine, b: usize) -> Outcome {
    let text = text_arg(e, b, 0)?;
    let separators = text_arg(e, b, 1)?;
    let pad = text_arg(e, b, 2)?;
    let strip = |part: &str| part.trim_matches(|c| pad.contains(c)).to_owned();
    let mut parts: Vec<String> = Vec::new();
    let mut rest = text.trim_matches(|c| pad.contains(c));
    // What is padding before a part is skipped with it, also separators.
    while let Some((part, after)) = rest.split_once(|c| separators.contains(c)) {
        parts.push(strip(part));
        rest = after.trim_start_matches(|c| pad.contains(c));
    }
    parts.push(strip(rest));
    let cells: Vec<Cell> = parts.iter().map(|part| e.store.string(part)).collect();
    let list = e.store.list(&cells, Cell::atom(known::NIL));
    e.unify_arg(b, 3, list)
}

/// `char_type/2` for a bound character and a type without arguments.
fn char_type(e: &mut Engine, b: usize) -> Outcome {
    let (char, kind) = (e.arg(b, 0), e.arg(b, 1));
    if char.is_ref() {
        return Err(e.unbound(0));
    }
    let text = match char.tag() {
        Tag::Int => u32::try_from(char.int()).ok().and_then(char::from_u32).map(String::from),
        _ => text_of(e, char),
    };
    let Some(c) = text.and_then(|text| text.chars().next()) else {
        return Err(e.type_error(known::CHARACTER, char));
    };
    if kind.tag() != Tag::Atom {
        return Err(if kind.is_ref() { e.unbound(1) } else { e.domain_error("char_type", kind) });
    }
    Ok(match e.text(kind.atom_id()) {
        "alpha" => c.is_alphanumeric() || c == '_',
        "alnum" => c.is_alphanumeric(),
        "digit" => c.is_ascii_digit(),
        "space" | "white" => c.is_whitespace(),
        "upper" => c.is_uppercase(),
        "lower" => c.is_lowercase(),
        "punct" => c.is_ascii_punctuation(),
        "csym" => c.is_alphanumeric() || c == '_',
        "csymf" => c.is_alphabetic() || c == '_',
        "graph" => !c.is_whitespace() && !c.is_control(),
        "end_of_line" => matches!(c, '\n' | '\r'),
        _ => return Err(e.domain_error("char_type", kind)),
    })
}
