//! The predicates of the engine: native ones, relations of its own, and a library in Prolog.

mod collect;
mod format;
mod lists;
mod sequences;
mod sort;
mod sub;
mod terms;
mod text;
mod texts;
mod write;

use std::sync::Arc;

use crate::atoms::{AtomId, Atoms, known};
use crate::compile::image::{Control, Image, PredKind};
use crate::machine::DetFn;
use crate::relation::Relation;

/// The predicates that are written in Prolog.
pub(crate) const LIBRARY: &str = include_str!("../library.pl");

/// Control constructs, which the compiler knows.
const CONSTRUCTS: &[(AtomId, usize)] = &[
    (known::COMMA, 2),
    (known::SEMICOLON, 2),
    (known::ARROW, 2),
    (known::SOFT, 2),
    (known::BAR, 2),
    (known::CUT, 0),
    (known::NOT, 1),
    (known::NECK, 2),
    (known::TRUE, 0),
    (known::FAIL, 0),
    (known::FALSE, 0),
    (known::COLON, 2),
];

/// Predicates of the library that a program must not define: the compiler knows them.
const PROTECTED: &[(&str, usize)] = &[
    ("once", 1),
    ("ignore", 1),
    ("forall", 2),
    ("not", 1),
    ("findall", 3),
    ("findall", 4),
    ("catch", 3),
    ("aggregate_all", 3),
    ("bagof", 3),
    ("setof", 3),
];

/// Whether a program must not define a predicate.
pub(crate) fn is_protected(base: &Image, name: AtomId, arity: usize) -> bool {
    if CONSTRUCTS.contains(&(name, arity)) {
        return true;
    }
    match base.find(name, arity).and_then(|pred| base.preds.get(pred as usize)).map(|pred| &pred.kind) {
        None | Some(PredKind::Unknown) => false,
        Some(PredKind::Clauses { .. }) => {
            let text = base_text(name);
            text.starts_with('$') || PROTECTED.contains(&(text, arity))
        }
        Some(_) => true,
    }
}

/// The text of an atom that the engine itself uses; empty for other atoms.
fn base_text(name: AtomId) -> &'static str {
    crate::program::base_texts().get(name.0 as usize).map_or("", String::as_str)
}

/// Puts the native predicates into an image.
pub(crate) fn install(image: &mut Image, atoms: &Arc<Atoms>) {
    let tables: [&[(&str, usize, DetFn)]; 8] = [
        terms::TABLE,
        lists::TABLE,
        sort::TABLE,
        collect::TABLE,
        text::TABLE,
        texts::TABLE,
        write::TABLE,
        format::TABLE,
    ];
    for &(name, arity, run) in tables.iter().copied().flatten() {
        set(image, atoms, name, arity, PredKind::Det(run));
    }
    let relations: Vec<Arc<dyn Relation>> = sequences::all().into_iter().chain(sub::all()).collect();
    for relation in relations {
        let (name, arity) = (relation.name().to_owned(), relation.arity());
        set(image, atoms, &name, arity, PredKind::Relation(relation));
    }
    for arity in 1..=8 {
        set(image, atoms, "call", arity, PredKind::Control(Control::Call));
    }
    set(image, atoms, "$call", 2, PredKind::Control(Control::CallCut));
    set(image, atoms, "$cut", 1, PredKind::Control(Control::CutTo));
    set(image, atoms, "$mark_choice", 1, PredKind::Control(Control::Mark));
}

fn set(image: &mut Image, atoms: &Arc<Atoms>, name: &str, arity: usize, kind: PredKind) {
    let pred = image.pred(atoms.intern(name), arity);
    if let Some(entry) = image.preds.get_mut(pred as usize) {
        entry.kind = kind;
    }
}

/// Why a predicate of other Prolog systems is left out, if it is.
pub(crate) fn left_out(name: &str) -> Option<&'static str> {
    Some(match name {
        "assert" | "asserta" | "assertz" | "retract" | "retractall" | "abolish" | "nb_setval"
        | "b_setval" | "nb_getval" | "b_getval" | "recorda" | "recordz" | "recorded" | "erase" | "flag"
        | "nb_setarg" | "setarg" => {
            "this Prolog keeps no changing facts; compute the values with findall/3 or foldl/4"
        }
        "consult" | "ensure_loaded" | "load_files" | "include" | "open" | "close" | "see" | "seen"
        | "tell" | "told" | "read" | "read_term" | "get_char" | "peek_char" | "put_char" | "get_code"
        | "peek_code" | "current_output" | "current_input" | "set_output" | "set_input" | "shell"
        | "getenv" => {
            "this Prolog opens no files and reads no input; its only output is that of write/1 and format/2"
        }
        "halt" => "a query cannot end the host",
        "op" => "the operators are fixed",
        "clause" | "listing" | "current_predicate" | "predicate_property" => {
            "this Prolog does not show its clauses to programs"
        }
        _ => return None,
    })
}
