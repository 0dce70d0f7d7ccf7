//! What the library needs for findall/3, bagof/3, aggregate_all/3 and limit/2.

use crate::arith::Num;
use crate::atoms::known;
use crate::machine::{Collector, DetFn, Engine, Outcome};
use crate::store::{Bucket, Cell, Tag};

pub(super) const TABLE: &[(&str, usize, DetFn)] = &[
    ("$open", 2, open),
    ("$collect", 2, |e, b| e.collect(e.arg(b, 0), e.arg(b, 1))),
    ("$tick", 2, tick),
    ("$close", 3, close),
    ("$partial_list", 1, partial_list),
    ("$free_variables", 3, free_variables),
    ("$unbound", 2, |e, b| {
        let argument = usize::try_from(e.arg(b, 1).int()).unwrap_or(1);
        let raise = e.unbound(argument.saturating_sub(1));
        let crate::machine::Raise::Ball(ball) = raise else { return Err(raise) };
        let Some((name, arity)) = e.store.pair(e.arg(b, 0), known::SLASH) else { return Err(raise) };
        let arity = usize::try_from(arity.int()).unwrap_or(0);
        Err(crate::machine::Raise::Ball(e.with_context(ball, name.atom_id(), arity)))
    }),
    ("$must_be_count", 2, |e, b| {
        let count = e.arg(b, 0);
        match count.tag() {
            Tag::Ref => Err(e.unbound(0)),
            Tag::Int | Tag::Big => Ok(true),
            _ => Err(e.type_error(known::INTEGER, count)),
        }
    }),
];

fn open(e: &mut Engine, b: usize) -> Outcome {
    let kind = e.arg(b, 0);
    let best = |max| Collector::Best { max, best: None, witness: Bucket::default() };
    let collector = match kind.atom_id() {
        known::COUNT => Collector::Count(0),
        known::SUM => Collector::Sum(Num::Int(0)),
        known::MAX => best(true),
        known::MIN => best(false),
        _ => Collector::Terms(Bucket::default()),
    };
    let index = e.open_collector(collector);
    e.unify_arg(b, 1, index)
}

/// Counts an answer of limit/2.
fn tick(e: &mut Engine, b: usize) -> Outcome {
    let at = usize::try_from(e.arg(b, 0).int()).unwrap_or(usize::MAX);
    let Some(Collector::Count(count)) = e.collectors.get_mut(at) else { return Ok(false) };
    *count += 1;
    let count = *count;
    let count = e.store.int(count);
    e.unify_arg(b, 1, count)
}

fn close(e: &mut Engine, b: usize) -> Outcome {
    let Some(collector) = e.close_collector(e.arg(b, 0)) else { return Ok(false) };
    let result = match collector {
        Collector::Terms(bucket) => {
            e.afford(bucket.bytes() + bucket.roots.len() * 24)?;
            let tail = e.arg(b, 2);
            let items = bucket.pour(&mut e.store);
            drop(bucket);
            e.store.list(&items, tail)
        }
        Collector::Count(count) => e.store.int(count),
        Collector::Sum(sum) => e.number_cell(sum),
        Collector::Best { best: Some(best), witness, .. } => {
            let witness = witness.pour(&mut e.store).first().copied().unwrap_or(Cell::atom(known::NIL));
            let best = e.number_cell(best);
            e.store.compound(known::MINUS, &[best, witness])
        }
        Collector::Best { best: None, .. } => return Ok(false),
    };
    e.unify_arg(b, 1, result)
}

/// The results of findall/3 must be a list or become one.
fn partial_list(e: &mut Engine, b: usize) -> Outcome {
    let list = e.arg(b, 0);
    let rest = e.list_end(list);
    if rest.is_ref() || rest == Cell::atom(known::NIL) {
        return Ok(true);
    }
    Err(e.type_error(known::LIST, list))
}

/// `'$free_variables'(Template^Goal, Inner, Variables)`: the variables of a goal that are neither in the
/// template nor bound by `^`.
fn free_variables(e: &mut Engine, b: usize) -> Outcome {
    let Some((template, mut goal)) = e.store.pair(e.arg(b, 0), known::CARET) else { return Ok(false) };
    let mut bound = e.store.variables(template);
    let mut depth = 0;
    loop {
        depth += 1;
        if depth > 100_000 {
            break;
        }
        if let Some((variable, inner)) = e.store.pair(goal, known::CARET) {
            bound.extend(e.store.variables(variable));
            goal = inner;
        } else if let Some((module, inner)) = e.store.pair(goal, known::COLON)
            && module.tag() == Tag::Atom
        {
            goal = inner;
        } else {
            break;
        }
    }
    let bound: std::collections::HashSet<Cell> = bound.into_iter().collect();
    let all = e.store.variables(goal);
    let free: Vec<Cell> = all.into_iter().filter(|variable| !bound.contains(variable)).collect();
    let list = e.store.list(&free, Cell::atom(known::NIL));
    Ok(e.unify_arg(b, 1, goal)? && e.unify_arg(b, 2, list)?)
}
