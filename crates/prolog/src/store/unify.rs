//! Unification with an explicit stack.

use super::cell::{Cell, Tag};
use super::heap::Store;

impl Store {
    /// Unifies two terms. Bindings stay when it fails: the machine backtracks, or the caller undoes them.
    #[inline]
    pub(crate) fn unify(&mut self, a: Cell, b: Cell) -> bool {
        let (a, b) = (self.deref(a), self.deref(b));
        if a == b {
            return true;
        }
        if a.is_ref() {
            self.bind_var(a, b);
            return true;
        }
        if b.is_ref() {
            self.bind(b.address(), a);
            return true;
        }
        self.unify_bound(a, b)
    }

    /// Binds a variable to a dereferenced term: the younger of two variables to the older.
    #[inline]
    fn bind_var(&mut self, var: Cell, value: Cell) {
        if value.is_ref() && value.address() > var.address() {
            self.bind(value.address(), var);
        } else {
            self.bind(var.address(), value);
        }
    }

    fn unify_bound(&mut self, a: Cell, b: Cell) -> bool {
        self.pending.clear();
        self.pending.push((a, b));
        while let Some((a, b)) = self.pending.pop() {
            let (a, b) = (self.deref(a), self.deref(b));
            if a == b {
                continue;
            }
            if a.is_ref() {
                self.bind_var(a, b);
                continue;
            }
            if b.is_ref() {
                self.bind(b.address(), a);
                continue;
            }
            if a.tag() != b.tag() {
                return false;
            }
            match a.tag() {
                Tag::Struct => {
                    let (x, y) = (a.address(), b.address());
                    let functor = self.cells[x];
                    if functor != self.cells[y] {
                        return false;
                    }
                    if !self.burn() {
                        return false;
                    }
                    let (_, arity) = functor.name_arity();
                    for i in (1..=arity).rev() {
                        self.pending.push((self.cells[x + i], self.cells[y + i]));
                    }
                }
                Tag::List => {
                    if !self.burn() {
                        return false;
                    }
                    let (x, y) = (a.address(), b.address());
                    self.pending.push((self.cells[x + 1], self.cells[y + 1]));
                    self.pending.push((self.cells[x], self.cells[y]));
                }
                _ => {
                    if !self.same_atomic(a, b) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Uses one unit of work; false when none is left, which only cyclic or huge terms reach.
    #[inline]
    pub(super) fn burn(&mut self) -> bool {
        if self.fuel == 0 {
            self.exhausted = true;
            return false;
        }
        self.fuel -= 1;
        true
    }

    /// Whether two different cells of the same tag are the same number or text.
    pub(super) fn same_atomic(&self, a: Cell, b: Cell) -> bool {
        match a.tag() {
            Tag::Float => {
                let (x, y) = (self.float_of(a), self.float_of(b));
                x.to_bits() == y.to_bits()
            }
            Tag::Big => self.big(a) == self.big(b),
            Tag::Str => self.str_of(a) == self.str_of(b),
            _ => false,
        }
    }
}
