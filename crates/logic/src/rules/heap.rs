//! Builds terms on the heap of a machine.

use crate::log::TermBuilder;
use prolog::{Call, TermRef};

/// Builds terms for a call of a relation.
pub(super) struct Heap<'c, 'h>(pub &'c mut Call<'h>);

impl TermBuilder for Heap<'_, '_> {
    type Term = TermRef;

    fn atom(&mut self, name: &str) -> TermRef {
        let atom = self.0.intern(name);
        self.0.atom(atom)
    }

    fn integer(&mut self, value: i64) -> TermRef {
        self.0.int(value)
    }

    fn float(&mut self, value: f64) -> TermRef {
        self.0.float(value)
    }

    fn string(&mut self, text: &str) -> TermRef {
        self.0.string(text)
    }

    fn compound(&mut self, functor: &str, arguments: &[TermRef]) -> TermRef {
        let functor = self.0.intern(functor);
        self.0.compound(functor, arguments)
    }

    fn list(&mut self, items: &[TermRef]) -> TermRef {
        self.0.list(items)
    }
}
