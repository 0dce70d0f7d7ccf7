//! Comparing, testing, taking apart and copying terms.

use std::cmp::Ordering;

use crate::atoms::known;
use crate::compile::{Comparison, Test};
use crate::machine::{DetFn, Engine, Outcome, holds};
use crate::store::{Bucket, Cell, Tag, cell::MAX_ARITY};

pub(super) const TABLE: &[(&str, usize, DetFn)] = &[
    ("=", 2, |e, b| {
        let (x, y) = (e.arg(b, 0), e.arg(b, 1));
        Ok(e.store.unify(x, y))
    }),
    ("\\=", 2, not_unifiable),
    ("unify_with_occurs_check", 2, occurs_check),
    ("==", 2, |e, b| {
        let (x, y) = (e.arg(b, 0), e.arg(b, 1));
        Ok(e.store.identical(x, y))
    }),
    ("\\==", 2, |e, b| {
        let (x, y) = (e.arg(b, 0), e.arg(b, 1));
        Ok(!e.store.identical(x, y))
    }),
    ("@<", 2, |e, b| ordered(e, b, |o| o == Ordering::Less)),
    ("@=<", 2, |e, b| ordered(e, b, |o| o != Ordering::Greater)),
    ("@>", 2, |e, b| ordered(e, b, |o| o == Ordering::Greater)),
    ("@>=", 2, |e, b| ordered(e, b, |o| o != Ordering::Less)),
    ("compare", 3, compare),
    ("=@=", 2, |e, b| variant(e, b, 0, 1)),
    ("\\=@=", 2, |e, b| variant(e, b, 0, 1).map(|v| !v)),
    ("$variant", 2, |e, b| variant(e, b, 0, 1)),
    ("var", 1, |e, b| Ok(e.test(Test::Var, e.arg(b, 0)))),
    ("nonvar", 1, |e, b| Ok(e.test(Test::NonVar, e.arg(b, 0)))),
    ("atom", 1, |e, b| Ok(e.test(Test::Atom, e.arg(b, 0)))),
    ("number", 1, |e, b| Ok(e.test(Test::Number, e.arg(b, 0)))),
    ("integer", 1, |e, b| Ok(e.test(Test::Integer, e.arg(b, 0)))),
    ("float", 1, |e, b| Ok(e.test(Test::Float, e.arg(b, 0)))),
    ("string", 1, |e, b| Ok(e.test(Test::String, e.arg(b, 0)))),
    ("atomic", 1, |e, b| Ok(e.test(Test::Atomic, e.arg(b, 0)))),
    ("compound", 1, |e, b| Ok(e.test(Test::Compound, e.arg(b, 0)))),
    ("callable", 1, |e, b| Ok(e.test(Test::Callable, e.arg(b, 0)))),
    ("is_list", 1, |e, b| Ok(e.list_items(e.arg(b, 0)).is_some())),
    ("is_assoc", 1, |_, _| Ok(false)),
    ("ground", 1, |e, b| {
        let term = e.arg(b, 0);
        Ok(e.store.is_ground(term))
    }),
    ("functor", 3, functor),
    ("=..", 2, univ),
    ("copy_term", 2, copy_term),
    ("term_variables", 2, term_variables),
    ("is", 2, |e, b| {
        let value = e.evaluate(e.arg(b, 1))?;
        let cell = e.number_cell(value);
        e.unify_arg(b, 0, cell)
    }),
    ("<", 2, |e, b| arithmetic(e, b, Comparison::Lt)),
    ("=<", 2, |e, b| arithmetic(e, b, Comparison::Le)),
    (">", 2, |e, b| arithmetic(e, b, Comparison::Gt)),
    (">=", 2, |e, b| arithmetic(e, b, Comparison::Ge)),
    ("=:=", 2, |e, b| arithmetic(e, b, Comparison::Eq)),
    ("=\\=", 2, |e, b| arithmetic(e, b, Comparison::Ne)),
    ("succ", 2, succ),
    ("plus", 3, plus),
    ("throw", 1, throw),
    ("halt", 0, |e, _| Err(e.unknown(e.current))),
];

fn ordered(e: &mut Engine, b: usize, holds: fn(Ordering) -> bool) -> Outcome {
    let order = order(e, e.arg(b, 0), e.arg(b, 1));
    Ok(holds(order))
}

/// Compares in the standard order.
pub(super) fn order(e: &mut Engine, x: Cell, y: Cell) -> Ordering {
    let Engine { store, atoms, .. } = e;
    store.compare(atoms, x, y)
}

fn compare(e: &mut Engine, b: usize) -> Outcome {
    let wanted = e.arg(b, 0);
    match wanted.tag() {
        Tag::Ref => {}
        Tag::Atom if ["<", "=", ">"].contains(&e.text(wanted.atom_id())) => {}
        Tag::Atom => return Err(e.domain_error("order", wanted)),
        _ => return Err(e.type_error(known::ATOM, wanted)),
    }
    let symbol = match order(e, e.arg(b, 1), e.arg(b, 2)) {
        Ordering::Less => known::LT,
        Ordering::Equal => known::EQ,
        Ordering::Greater => known::GT,
    };
    e.unify_arg(b, 0, Cell::atom(symbol))
}

fn arithmetic(e: &mut Engine, b: usize, op: Comparison) -> Outcome {
    let x = e.evaluate(e.arg(b, 0))?;
    let y = e.evaluate(e.arg(b, 1))?;
    Ok(holds(op, x, y))
}

fn not_unifiable(e: &mut Engine, b: usize) -> Outcome {
    let (x, y) = (e.arg(b, 0), e.arg(b, 1));
    let mark = e.store.mark();
    let newest = std::mem::replace(&mut e.store.newest, usize::MAX);
    let unified = e.store.unify(x, y);
    e.store.newest = newest;
    e.store.undo(&mark);
    e.settle()?;
    Ok(!unified)
}

fn occurs_check(e: &mut Engine, b: usize) -> Outcome {
    let (x, y) = (e.arg(b, 0), e.arg(b, 1));
    if !e.store.unify(x, y) {
        return Ok(false);
    }
    // A cyclic term has a path that is longer than the heap.
    let limit = e.store.cells.len() + 1;
    let mut work = vec![(x, 0_usize)];
    while let Some((cell, depth)) = work.pop() {
        if depth > limit {
            return Ok(false);
        }
        if let Some((_, arity, first)) = e.store.shape(e.store.deref(cell)) {
            work.extend((0..arity).map(|i| (e.store.cells[first + i], depth + 1)));
        }
    }
    Ok(true)
}

fn variant(e: &mut Engine, b: usize, i: usize, j: usize) -> Outcome {
    let (x, y) = (e.arg(b, i), e.arg(b, j));
    let mut pairs: std::collections::HashMap<(usize, bool), usize> = std::collections::HashMap::new();
    let mut work = vec![(x, y)];
    let mut visited = 0_u32;
    while let Some((x, y)) = work.pop() {
        visited += 1;
        if visited.is_multiple_of(4096) {
            e.look()?;
        }
        let (x, y) = (e.store.deref(x), e.store.deref(y));
        if x.is_ref() && y.is_ref() {
            let there = *pairs.entry((x.address(), false)).or_insert(y.address());
            let back = *pairs.entry((y.address(), true)).or_insert(x.address());
            if there != y.address() || back != x.address() {
                return Ok(false);
            }
            continue;
        }
        match (e.store.shape(x), e.store.shape(y)) {
            (Some((m, i, p)), Some((n, j, q))) if m == n && i == j => {
                work.extend((0..i).rev().map(|k| (e.store.cells[p + k], e.store.cells[q + k])));
            }
            (None, None) if !x.is_ref() && !y.is_ref() && e.store.identical(x, y) => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

fn functor(e: &mut Engine, b: usize) -> Outcome {
    let term = e.arg(b, 0);
    if !term.is_ref() {
        let (name, arity) = match e.store.shape(term) {
            Some((name, arity, _)) => (Cell::atom(name), arity),
            None => (term, 0),
        };
        let arity = e.store.int(i64::try_from(arity).unwrap_or(i64::MAX));
        return Ok(e.unify_arg(b, 1, name)? && e.unify_arg(b, 2, arity)?);
    }
    let (name, arity) = (e.arg(b, 1), e.arg(b, 2));
    if arity.is_ref() {
        return Err(e.unbound(2));
    }
    if name.is_ref() {
        return Err(e.unbound(1));
    }
    if arity.tag() != Tag::Int {
        return Err(e.type_error(known::INTEGER, arity));
    }
    let count = arity.int();
    if count == 0 {
        if e.store.shape(name).is_some() {
            return Err(e.type_error(known::ATOMIC, name));
        }
        return e.unify_arg(b, 0, name);
    }
    if e.store.shape(name).is_some() {
        return Err(e.type_error(known::ATOMIC, name));
    }
    if name.tag() != Tag::Atom {
        return Err(e.type_error(known::ATOM, name));
    }
    let Some(count) = usize::try_from(count).ok().filter(|&count| count <= MAX_ARITY) else {
        return Err(e.domain_error("not_less_than_zero", arity));
    };
    e.afford(count * 8)?;
    let list = name.atom_id() == known::DOT && count == 2;
    let address = e.store.cells.len();
    if !list {
        e.store.cells.push(Cell::functor(name.atom_id(), count));
    }
    for _ in 0..count {
        e.store.var();
    }
    e.unify_arg(b, 0, Cell::new(if list { Tag::List } else { Tag::Struct }, address))
}

fn univ(e: &mut Engine, b: usize) -> Outcome {
    let term = e.arg(b, 0);
    if !term.is_ref() {
        let mut items = match e.store.shape(term) {
            Some((name, arity, first)) => {
                let mut items = vec![Cell::atom(name)];
                items.extend((0..arity).map(|i| e.store.cells[first + i]));
                items
            }
            None => vec![term],
        };
        // An unbound argument must not be copied as a cell of its own.
        for item in &mut items {
            *item = e.store.deref(*item);
        }
        let wanted = e.arg(b, 1);
        if !wanted.is_ref() && wanted != Cell::atom(known::NIL) && wanted.tag() != Tag::List {
            return Err(e.type_error(known::LIST, wanted));
        }
        let list = e.store.list(&items, Cell::atom(known::NIL));
        return e.unify_arg(b, 1, list);
    }
    let list = e.arg(b, 1);
    let Some(items) = e.list_items(list) else {
        let mut rest = list;
        for _ in 0..e.store.cells.len() {
            match e.store.pair(rest, known::DOT) {
                Some((_, tail)) => rest = tail,
                None => break,
            }
        }
        if rest.is_ref() {
            return Err(e.unbound(1));
        }
        return Err(e.type_error(known::LIST, list));
    };
    let Some((&name, args)) = items.split_first() else {
        return Err(e.domain_error("non_empty_list", list));
    };
    if args.is_empty() {
        if name.is_ref() {
            return Err(e.unbound(1));
        }
        if e.store.shape(name).is_some() {
            return Err(e.type_error(known::ATOMIC, name));
        }
        return e.unify_arg(b, 0, name);
    }
    match name.tag() {
        Tag::Atom => {
            let term = e.store.compound(name.atom_id(), args);
            e.unify_arg(b, 0, term)
        }
        Tag::Ref => Err(e.unbound(1)),
        _ if e.store.shape(name).is_some() => Err(e.type_error(known::ATOMIC, name)),
        _ => Err(e.type_error(known::ATOM, name)),
    }
}

fn copy_term(e: &mut Engine, b: usize) -> Outcome {
    let bucket: Bucket = e.copied(e.arg(b, 0))?;
    let copy = bucket.pour(&mut e.store).first().copied().unwrap_or_default();
    e.unify_arg(b, 1, copy)
}

fn term_variables(e: &mut Engine, b: usize) -> Outcome {
    let term = e.arg(b, 0);
    let variables = e.store.variables(term);
    let list = e.store.list(&variables, Cell::atom(known::NIL));
    e.unify_arg(b, 1, list)
}

fn succ(e: &mut Engine, b: usize) -> Outcome {
    let (x, y) = (e.arg(b, 0), e.arg(b, 1));
    for cell in [x, y] {
        match cell.tag() {
            Tag::Ref => {}
            Tag::Int if cell.int() < 0 => return Err(e.type_error(known::NOT_LESS_THAN_ZERO, cell)),
            Tag::Int => {}
            _ => return Err(e.type_error(known::INTEGER, cell)),
        }
    }
    match (x.is_ref(), y.is_ref()) {
        (true, true) => Err(e.unbound(0)),
        (true, false) if y.int() == 0 => Ok(false),
        (true, false) => {
            let value = e.store.int(y.int() - 1);
            e.unify_arg(b, 0, value)
        }
        _ => {
            let value = e.store.int(x.int() + 1);
            e.unify_arg(b, 1, value)
        }
    }
}

fn plus(e: &mut Engine, b: usize) -> Outcome {
    use crate::arith::{Op, binary};
    let unknown = (0..3).find(|&i| e.arg(b, i).is_ref()).unwrap_or(2);
    let (op, i, j) = match unknown {
        0 => (Op::Sub, 2, 1),
        1 => (Op::Sub, 2, 0),
        _ => (Op::Add, 0, 1),
    };
    let x = e.evaluate(e.arg(b, i))?;
    let y = e.evaluate(e.arg(b, j))?;
    match binary(op, x, y) {
        Ok(value) => {
            let cell = e.number_cell(value);
            e.unify_arg(b, unknown, cell)
        }
        Err(fault) => Err(e.fault(fault, x, y)),
    }
}

fn throw(e: &mut Engine, b: usize) -> Outcome {
    let ball = e.arg(b, 0);
    if ball.is_ref() {
        return Err(e.unbound(0));
    }
    Err(crate::machine::Raise::Ball(ball))
}
