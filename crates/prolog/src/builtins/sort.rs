//! Sorting.

use std::cmp::Ordering;

use crate::atoms::known;
use crate::machine::{DetFn, Engine, Outcome, Raise};
use crate::store::{Cell, Tag};

pub(super) const TABLE: &[(&str, usize, DetFn)] = &[
    ("msort", 2, |e, b| sorted(e, b, 0, 1, false)),
    ("sort", 2, |e, b| sorted(e, b, 0, 1, true)),
    ("sort", 4, sort4),
    ("keysort", 2, keysort),
    ("list_to_set", 2, list_to_set),
];

/// The elements of an argument that must be a list.
pub(super) fn items(e: &mut Engine, b: usize, index: usize) -> Result<Vec<Cell>, Raise> {
    let list = e.arg(b, index);
    if let Some(items) = e.list_items(list) {
        return Ok(items);
    }
    let rest = e.list_end(list);
    Err(if rest.is_ref() { e.unbound(index) } else { e.type_error(known::LIST, list) })
}

fn sorted(e: &mut Engine, b: usize, from: usize, to: usize, unique: bool) -> Outcome {
    let mut items = items(e, b, from)?;
    let Engine { store, atoms, .. } = &mut *e;
    items.sort_by(|&x, &y| store.compare(atoms, x, y));
    if unique {
        items.dedup_by(|x, y| store.compare(atoms, *x, *y) == Ordering::Equal);
    }
    e.afford(items.len() * 16)?;
    let list = e.store.list(&items, Cell::atom(known::NIL));
    e.unify_arg(b, to, list)
}

fn keysort(e: &mut Engine, b: usize) -> Outcome {
    let items = items(e, b, 0)?;
    let mut pairs = Vec::with_capacity(items.len());
    for item in items {
        match e.store.pair(item, known::MINUS) {
            Some((key, _)) => pairs.push((key, item)),
            None if item.is_ref() => return Err(e.unbound(0)),
            None => return Err(e.type_error(known::PAIR, item)),
        }
    }
    let Engine { store, atoms, .. } = &mut *e;
    pairs.sort_by(|x, y| store.compare(atoms, x.0, y.0));
    let items: Vec<Cell> = pairs.into_iter().map(|(_, item)| item).collect();
    let list = e.store.list(&items, Cell::atom(known::NIL));
    e.unify_arg(b, 1, list)
}

fn sort4(e: &mut Engine, b: usize) -> Outcome {
    let key = e.arg(b, 0);
    let index = match key.tag() {
        Tag::Int if key.int() >= 0 => usize::try_from(key.int()).unwrap_or(usize::MAX),
        Tag::Ref => return Err(e.unbound(0)),
        Tag::Int => return Err(e.type_error(known::NOT_LESS_THAN_ZERO, key)),
        _ => return Err(e.type_error(known::INTEGER, key)),
    };
    let order = e.arg(b, 1);
    let (descending, unique) = match order.tag() {
        Tag::Ref => return Err(e.unbound(1)),
        Tag::Atom => match e.text(order.atom_id()) {
            "@<" => (false, true),
            "@=<" => (false, false),
            "@>" => (true, true),
            "@>=" => (true, false),
            _ => return Err(e.domain_error("order", order)),
        },
        _ => return Err(e.type_error(known::ATOM, order)),
    };
    let items = items(e, b, 2)?;
    let mut keyed = Vec::with_capacity(items.len());
    for item in items {
        let key = if index == 0 {
            item
        } else {
            match e.store.shape(item) {
                Some((_, arity, first)) if index <= arity => e.store.deref(e.store.cells[first + index - 1]),
                Some(_) => {
                    let name = e.atoms.intern("existence_error");
                    let number = e.store.int(i64::try_from(index).unwrap_or(i64::MAX));
                    let what = e.atom("argument");
                    let formal = e.store.compound(name, &[what, number, item]);
                    return Err(e.error(formal, None));
                }
                None if item.is_ref() => return Err(e.unbound(2)),
                None => return Err(e.type_error(known::COMPOUND, item)),
            }
        };
        keyed.push((key, item));
    }
    let Engine { store, atoms, .. } = &mut *e;
    keyed.sort_by(|x, y| {
        let order = store.compare(atoms, x.0, y.0);
        if descending { order.reverse() } else { order }
    });
    if unique {
        keyed.dedup_by(|x, y| store.compare(atoms, x.0, y.0) == Ordering::Equal);
    }
    let items: Vec<Cell> = keyed.into_iter().map(|(_, item)| item).collect();
    let list = e.store.list(&items, Cell::atom(known::NIL));
    e.unify_arg(b, 3, list)
}

fn list_to_set(e: &mut Engine, b: usize) -> Outcome {
    let items = items(e, b, 0)?;
    let Engine { store, atoms, .. } = &mut *e;
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|&x, &y| store.compare(atoms, items[x], items[y]).then(x.cmp(&y)));
    let mut first: Vec<bool> = vec![true; items.len()];
    for pair in order.windows(2) {
        if let &[x, y] = pair
            && store.compare(atoms, items[x], items[y]) == Ordering::Equal
        {
            first[y] = false;
        }
    }
    let kept: Vec<Cell> =
        items.iter().zip(first).filter(|(_, first)| *first).map(|(&item, _)| item).collect();
    let list = e.store.list(&kept, Cell::atom(known::NIL));
    e.unify_arg(b, 1, list)
}
