//! What a relation sees of a call: its arguments, the heap, and comparisons that stand further right.

use crate::arith::{Num, binary, unary};
use crate::atoms::{AtomId, Atoms, known};
pub use crate::compile::Comparison;
use crate::compile::{BoundSpec, Operand};
use crate::limits::{Budget, Excess};
use crate::relation::RelationError;
use crate::store::{Cell, Store, Tag};
use crate::term::{Term, View};

/// A term on the heap of a machine. It is valid until the call returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TermRef(pub(crate) Cell);

/// A comparison that every useful answer fulfils.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bound {
    /// Number of the argument, from 0. It is unbound.
    pub arg: usize,
    /// How the argument compares with the value, the argument on the left; never [`Comparison::Ne`].
    pub op: Comparison,
    /// The value.
    pub value: Num,
}

/// A call of a relation.
pub struct Call<'a> {
    pub(crate) store: &'a mut Store,
    pub(crate) atoms: &'a Atoms,
    pub(crate) args: &'a [Cell],
    pub(crate) specs: &'a [BoundSpec],
    /// Slots of the frame of the caller, for `specs`.
    pub(crate) frame: &'a [Cell],
    pub(crate) budget: &'a mut Budget,
    /// Bytes that the machine uses outside of `store`.
    pub(crate) bytes: usize,
}

impl Call<'_> {
    /// Number of arguments.
    #[must_use]
    pub fn arity(&self) -> usize {
        self.args.len()
    }

    /// An argument, from 0.
    #[must_use]
    #[inline]
    pub fn arg(&self, index: usize) -> TermRef {
        TermRef(self.store.deref(self.args.get(index).copied().unwrap_or(Cell::atom(known::NIL))))
    }

    /// What a term is.
    #[must_use]
    #[inline]
    pub fn view(&self, term: TermRef) -> View<'_> {
        self.store.view(self.store.deref(term.0))
    }

    /// What an argument is.
    #[must_use]
    #[inline]
    pub fn view_arg(&self, index: usize) -> View<'_> {
        self.view(self.arg(index))
    }

    /// An argument of a compound, from 0.
    #[must_use]
    pub fn arg_of(&self, term: TermRef, index: usize) -> Option<TermRef> {
        let (_, arity, first) = self.store.shape(self.store.deref(term.0))?;
        (index < arity).then(|| TermRef(self.store.deref(self.store.cells[first + index])))
    }

    /// The text of an atom or string.
    #[must_use]
    pub fn text(&self, term: TermRef) -> Option<&str> {
        match self.view(term) {
            View::Atom(atom) => Some(self.atoms.text(atom)),
            View::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The text of an atom.
    #[must_use]
    pub fn atom_text(&self, atom: AtomId) -> &str {
        self.atoms.text(atom)
    }

    /// The atom of a text, which is added if needed.
    #[must_use]
    pub fn intern(&self, text: &str) -> AtomId {
        self.atoms.intern(text)
    }

    /// The atom of a text if there is one: a text that is no atom yet unifies with no atom of the call.
    #[must_use]
    pub fn find_atom(&self, text: &str) -> Option<AtomId> {
        self.atoms.find(text)
    }

    /// The integer of an argument. `None` if it is unbound or no integer.
    #[must_use]
    #[inline]
    pub fn int_arg(&self, index: usize) -> Option<i64> {
        match self.view_arg(index) {
            View::Int(value) => Some(value),
            _ => None,
        }
    }

    /// An unbound variable.
    pub fn var(&mut self) -> TermRef {
        TermRef(self.store.var())
    }

    /// An atom as a term.
    #[must_use]
    pub fn atom(&self, atom: AtomId) -> TermRef {
        TermRef(Cell::atom(atom))
    }

    /// An integer as a term.
    #[inline]
    pub fn int(&mut self, value: i64) -> TermRef {
        TermRef(self.store.int(value))
    }

    /// A float as a term.
    pub fn float(&mut self, value: f64) -> TermRef {
        TermRef(self.store.float(value))
    }

    /// A string as a term.
    pub fn string(&mut self, text: &str) -> TermRef {
        TermRef(self.store.string(text))
    }

    /// A compound, or the atom if there are no arguments.
    pub fn compound(&mut self, name: AtomId, args: &[TermRef]) -> TermRef {
        if args.is_empty() {
            return self.atom(name);
        }
        let cells: Vec<Cell> = args.iter().map(|arg| arg.0).collect();
        TermRef(self.store.compound(name, &cells))
    }

    /// A list.
    pub fn list(&mut self, items: &[TermRef]) -> TermRef {
        let cells: Vec<Cell> = items.iter().map(|item| item.0).collect();
        TermRef(self.store.list(&cells, Cell::atom(known::NIL)))
    }

    /// A copy of an owned term with fresh variables. Its atoms must come from this machine's table.
    pub fn term(&mut self, term: &Term) -> TermRef {
        TermRef(self.store.import(term, term.root(), &mut Vec::new()))
    }

    /// Unifies two terms. Bindings may stay when it fails, so the caller must then report no answer, or use
    /// [`Call::attempt`].
    #[inline]
    pub fn unify(&mut self, a: TermRef, b: TermRef) -> bool {
        self.store.unify(a.0, b.0)
    }

    /// Unifies an argument with a term.
    #[inline]
    pub fn unify_arg(&mut self, index: usize, term: TermRef) -> bool {
        let arg = self.arg(index);
        self.store.unify(arg.0, term.0)
    }

    /// Unifies an argument with an integer.
    #[inline]
    pub fn unify_int(&mut self, index: usize, value: i64) -> bool {
        let term = self.store.int(value);
        let arg = self.arg(index);
        self.store.unify(arg.0, term)
    }

    /// Runs a function and undoes its bindings unless it returns true.
    pub fn attempt(&mut self, run: impl FnOnce(&mut Self) -> bool) -> bool {
        let mark = self.store.mark();
        let newest = std::mem::replace(&mut self.store.newest, usize::MAX);
        let result = run(self);
        self.store.newest = newest;
        if !result {
            self.store.undo(&mark);
        }
        result
    }

    /// Counts a step, and looks at the limits about every thousand steps. Call it for each row that gives no
    /// answer.
    ///
    /// # Errors
    /// [`RelationError::Stopped`] if a limit is exceeded; the relation must return it.
    #[inline]
    pub fn check(&mut self) -> Result<(), RelationError> {
        if self.budget.step() {
            let bytes = self.bytes + self.store.bytes();
            self.budget.look(bytes).map_err(|_: Excess| RelationError::Stopped)?;
        }
        Ok(())
    }

    /// The comparisons that stand further right in the same conjunction, for arguments that are unbound. The
    /// machine still runs them, so a relation may use any of them, or none. Only valid in
    /// [`crate::Relation::solve`].
    #[must_use]
    pub fn bounds(&self) -> Vec<Bound> {
        self.specs.iter().filter_map(|spec| self.evaluate(spec)).collect()
    }

    /// The range of integers that the bounds leave for an argument, both ends included.
    #[must_use]
    pub fn int_range(&self, arg: usize) -> (i64, i64) {
        let mut range = IntRange { min: i64::MIN, max: i64::MAX };
        for bound in
            self.specs.iter().filter(|spec| spec.arg as usize == arg).filter_map(|s| self.evaluate(s))
        {
            range.narrow(bound.op, bound.value);
        }
        (range.min, range.max)
    }

    fn evaluate(&self, spec: &BoundSpec) -> Option<Bound> {
        let arg = spec.arg as usize;
        if !self.arg(arg).0.is_ref() {
            return None;
        }
        let mut stack: Vec<Num> = Vec::new();
        for step in &spec.expression {
            let value = match *step {
                Operand::Number(value) => value,
                Operand::Slot(slot) => {
                    let cell = self.store.deref(*self.frame.get(slot as usize)?);
                    match cell.tag() {
                        Tag::Int | Tag::Big | Tag::Float => match self.store.view(cell) {
                            View::Int(value) => Num::Int(value),
                            View::Float(value) => Num::Float(value),
                            _ => return None,
                        },
                        _ => return None,
                    }
                }
                Operand::Apply(op) => {
                    let last = stack.pop()?;
                    if op.arity() == 1 {
                        unary(op, last).ok()?
                    } else {
                        binary(op, stack.pop()?, last).ok()?
                    }
                }
            };
            stack.push(value);
        }
        Some(Bound { arg, op: spec.op, value: stack.pop()? })
    }
}

/// A range of integers, both ends included.
struct IntRange {
    min: i64,
    max: i64,
}

impl IntRange {
    const EMPTY: IntRange = IntRange { min: 1, max: 0 };

    /// Intersects it with a comparison.
    // Floats are rounded towards the inside of the range, and `as` saturates.
    #[allow(clippy::cast_possible_truncation)]
    fn narrow(&mut self, op: Comparison, value: Num) {
        let (floor, ceiling) = match value {
            Num::Int(value) => (value, value),
            Num::Float(value) if value.is_nan() => return,
            Num::Float(value) if value.abs() >= 9_223_372_036_854_775_808.0 => {
                // Beyond all integers: either all or none fulfil the comparison.
                let below = matches!(op, Comparison::Lt | Comparison::Le);
                if op == Comparison::Eq || below != (value > 0.0) {
                    *self = IntRange::EMPTY;
                }
                return;
            }
            Num::Float(value) => (value.floor() as i64, value.ceil() as i64),
        };
        match op {
            Comparison::Lt => match ceiling.checked_sub(1) {
                Some(max) => self.max = self.max.min(max),
                None => *self = IntRange::EMPTY,
            },
            Comparison::Le => self.max = self.max.min(floor),
            Comparison::Gt => match floor.checked_add(1) {
                Some(min) => self.min = self.min.max(min),
                None => *self = IntRange::EMPTY,
            },
            Comparison::Ge => self.min = self.min.max(ceiling),
            Comparison::Eq => {
                self.min = self.min.max(ceiling);
                self.max = self.max.min(floor);
            }
            Comparison::Ne => {}
        }
    }
}
