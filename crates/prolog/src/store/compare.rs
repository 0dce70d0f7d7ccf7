//! The standard order of terms, and other questions about whole terms.

use std::cmp::Ordering;

use super::cell::{Cell, Tag};
use super::heap::Store;
use crate::atoms::Atoms;
use crate::term::{View, numbers, rank};

impl Store {
    /// Compares in the standard order. `fuel` bounds the work, which cyclic terms would make endless.
    pub(crate) fn compare(&mut self, atoms: &Atoms, a: Cell, b: Cell) -> Ordering {
        let mut stack: Vec<(Cell, Cell)> = Vec::new();
        let mut next = Some((a, b));
        while let Some((a, b)) = next.or_else(|| stack.pop()) {
            next = None;
            let (a, b) = (self.deref(a), self.deref(b));
            if a == b {
                continue;
            }
            if a.tag() == Tag::Int && b.tag() == Tag::Int {
                return a.int().cmp(&b.int());
            }
            let order = self.shallow(atoms, a, b);
            if order != Ordering::Equal {
                return order;
            }
            if let (Some((_, arity, x)), Some((_, _, y))) = (self.shape(a), self.shape(b)) {
                if !self.burn() {
                    return Ordering::Equal;
                }
                for i in (1..arity).rev() {
                    stack.push((self.cells[x + i], self.cells[y + i]));
                }
                if arity > 0 {
                    next = Some((self.cells[x], self.cells[y]));
                }
            }
        }
        Ordering::Equal
    }

    fn shallow(&self, atoms: &Atoms, a: Cell, b: Cell) -> Ordering {
        let (x, y) = (self.view(a), self.view(b));
        rank(&x).cmp(&rank(&y)).then_with(|| match (x, y) {
            (View::Var(x), View::Var(y)) => x.cmp(&y),
            (View::Atom(x), View::Atom(y)) if x != y => atoms.text(x).cmp(atoms.text(y)),
            (View::Str(x), View::Str(y)) => x.cmp(y),
            (View::Compound { name: m, arity: i }, View::Compound { name: n, arity: j }) => i
                .cmp(&j)
                .then_with(|| if m == n { Ordering::Equal } else { atoms.text(m).cmp(atoms.text(n)) }),
            _ => numbers(&x, &y),
        })
    }

    /// Whether two terms are identical.
    pub(crate) fn identical(&mut self, a: Cell, b: Cell) -> bool {
        let mut stack: Vec<(Cell, Cell)> = Vec::new();
        let mut next = Some((a, b));
        while let Some((a, b)) = next.or_else(|| stack.pop()) {
            next = None;
            let (a, b) = (self.deref(a), self.deref(b));
            if a == b {
                continue;
            }
            if a.tag() != b.tag() {
                return false;
            }
            let (Some((m, i, x)), Some((n, j, y))) = (self.shape(a), self.shape(b)) else {
                if self.same_atomic(a, b) {
                    continue;
                }
                return false;
            };
            if m != n || i != j || !self.burn() {
                return false;
            }
            stack.extend((1..i).rev().map(|k| (self.cells[x + k], self.cells[y + k])));
            if i > 0 {
                next = Some((self.cells[x], self.cells[y]));
            }
        }
        true
    }

    /// The distinct variables of a term, in the order of their first occurrence.
    pub(crate) fn variables(&mut self, term: Cell) -> Vec<Cell> {
        let mut found = Vec::new();
        let mut seen = std::collections::HashSet::<usize, foldhash::fast::FixedState>::default();
        let mut stack = vec![term];
        while let Some(cell) = stack.pop() {
            let cell = self.deref(cell);
            if cell.is_ref() {
                if seen.insert(cell.address()) {
                    found.push(cell);
                }
            } else if let Some((_, arity, first)) = self.shape(cell) {
                if !self.burn() {
                    return found;
                }
                stack.extend((0..arity).rev().map(|i| self.cells[first + i]));
            }
        }
        found
    }

    /// Whether a term has no variable.
    pub(crate) fn is_ground(&mut self, term: Cell) -> bool {
        let mut stack = vec![term];
        while let Some(cell) = stack.pop() {
            let cell = self.deref(cell);
            if cell.is_ref() {
                return false;
            }
            if let Some((_, arity, first)) = self.shape(cell) {
                if !self.burn() {
                    return false;
                }
                stack.extend((0..arity).rev().map(|i| self.cells[first + i]));
            }
        }
        true
    }
}
