//! Lists that are quicker in native code.

use super::sort::items;
use crate::atoms::known;
use crate::machine::{DetFn, Engine, Outcome};
use crate::store::{Cell, Tag};

pub(super) const TABLE: &[(&str, usize, DetFn)] = &[
    ("numlist", 3, numlist),
    ("$list_size", 2, |e, b| {
        let count = items(e, b, 0)?.len();
        let count = e.store.int(i64::try_from(count).unwrap_or(i64::MAX));
        e.unify_arg(b, 1, count)
    }),
];

fn numlist(e: &mut Engine, b: usize) -> Outcome {
    let (low, high) = (e.arg(b, 0), e.arg(b, 1));
    for (i, cell) in [low, high].into_iter().enumerate() {
        match cell.tag() {
            Tag::Int => {}
            Tag::Ref => return Err(e.unbound(i)),
            _ => return Err(e.type_error(known::INTEGER, cell)),
        }
    }
    let (low, high) = (low.int(), high.int());
    if low > high {
        return Ok(false);
    }
    let count = usize::try_from(high - low + 1).unwrap_or(usize::MAX);
    e.afford(count.saturating_mul(24))?;
    let cells: Vec<Cell> = (low..=high).filter_map(Cell::small).collect();
    let list = e.store.list(&cells, Cell::atom(known::NIL));
    e.unify_arg(b, 2, list)
}
