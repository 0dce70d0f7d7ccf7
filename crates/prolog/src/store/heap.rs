//! The heap, the trail and their marks.

use crate::atoms::{AtomId, known};
use crate::store::cell::{Cell, Tag};
use crate::term::View;

/// Cells, numbers, texts and the trail of a machine.
#[derive(Default)]
pub(crate) struct Store {
    pub cells: Vec<Cell>,
    /// Bits of floats and large integers; offset and length of texts.
    pub numbers: Vec<u64>,
    pub text: String,
    /// Addresses of variables that were bound and are older than the newest choice point.
    pub trail: Vec<usize>,
    /// Variables at or above this address need no trail entry.
    pub newest: usize,
    /// Pairs that unification has still to visit.
    pub(super) pending: Vec<(Cell, Cell)>,
    /// Work that unification and comparison may still do before the machine must look at its limits.
    pub fuel: u64,
    /// Set when `fuel` ran out within a unification, whose result is then worthless.
    pub exhausted: bool,
}

/// A state of the store to return to.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Mark {
    pub cells: usize,
    pub numbers: usize,
    pub text: usize,
    pub trail: usize,
}

impl Store {
    #[inline]
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            cells: self.cells.len(),
            numbers: self.numbers.len(),
            text: self.text.len(),
            trail: self.trail.len(),
        }
    }

    /// Undoes all bindings since a mark, without dropping cells.
    #[inline]
    pub(crate) fn unbind(&mut self, trail: usize) {
        while self.trail.len() > trail {
            if let Some(address) = self.trail.pop() {
                self.cells[address] = Cell::reference(address);
            }
        }
    }

    /// Returns to a mark.
    #[inline]
    pub(crate) fn undo(&mut self, mark: &Mark) {
        self.unbind(mark.trail);
        self.cells.truncate(mark.cells);
        if self.numbers.len() > mark.numbers {
            self.numbers.truncate(mark.numbers);
            self.text.truncate(mark.text);
        }
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        (self.cells.len() + self.numbers.len() + self.trail.len()) * 8
            + self.text.len()
            + self.pending.len() * 16
    }

    /// A new unbound variable.
    #[inline]
    pub(crate) fn var(&mut self) -> Cell {
        let cell = Cell::reference(self.cells.len());
        self.cells.push(cell);
        cell
    }

    /// Follows references; an unbound variable stays a reference to itself.
    #[inline]
    pub(crate) fn deref(&self, mut cell: Cell) -> Cell {
        while cell.is_ref() {
            let next = self.cells[cell.address()];
            if next == cell {
                break;
            }
            cell = next;
        }
        cell
    }

    #[inline]
    pub(crate) fn bind(&mut self, address: usize, value: Cell) {
        if address < self.newest {
            self.trail.push(address);
        }
        self.cells[address] = value;
    }

    #[inline]
    pub(crate) fn int(&mut self, value: i64) -> Cell {
        match Cell::small(value) {
            Some(cell) => cell,
            None => {
                self.numbers.push(value.cast_unsigned());
                Cell::new(Tag::Big, self.numbers.len() - 1)
            }
        }
    }

    pub(crate) fn float(&mut self, value: f64) -> Cell {
        self.numbers.push(value.to_bits());
        Cell::new(Tag::Float, self.numbers.len() - 1)
    }

    pub(crate) fn string(&mut self, text: &str) -> Cell {
        self.numbers.push((self.text.len() as u64) << 32 | (text.len() as u64 & 0xffff_ffff));
        self.text.push_str(text);
        Cell::new(Tag::Str, self.numbers.len() - 1)
    }

    pub(crate) fn compound(&mut self, name: AtomId, args: &[Cell]) -> Cell {
        if args.is_empty() {
            self.cells.push(Cell::functor(name, 0));
            return Cell::new(Tag::Struct, self.cells.len() - 1);
        }
        if name == known::DOT
            && let &[head, tail] = args
        {
            return self.list_cell(head, tail);
        }
        let address = self.cells.len();
        self.cells.push(Cell::functor(name, args.len()));
        self.cells.extend_from_slice(args);
        Cell::new(Tag::Struct, address)
    }

    #[inline]
    pub(crate) fn list_cell(&mut self, head: Cell, tail: Cell) -> Cell {
        let address = self.cells.len();
        self.cells.push(head);
        self.cells.push(tail);
        Cell::new(Tag::List, address)
    }

    /// A list of cells, which lie one after another.
    pub(crate) fn list(&mut self, items: &[Cell], tail: Cell) -> Cell {
        let Some((last, _)) = items.split_last().map(|_| (items.len() - 1, ())) else { return tail };
        let start = self.cells.len();
        self.cells.reserve(items.len() * 2);
        for (index, &item) in items.iter().enumerate() {
            self.cells.push(item);
            let next = if index == last { tail } else { Cell::new(Tag::List, start + 2 * index + 2) };
            self.cells.push(next);
        }
        Cell::new(Tag::List, start)
    }

    #[inline]
    pub(crate) fn big(&self, cell: Cell) -> i64 {
        self.numbers[cell.address()].cast_signed()
    }

    #[inline]
    pub(crate) fn float_of(&self, cell: Cell) -> f64 {
        f64::from_bits(self.numbers[cell.address()])
    }

    pub(crate) fn str_of(&self, cell: Cell) -> &str {
        let (start, len) = self.str_range(cell);
        self.text.get(start..start + len).unwrap_or_default()
    }

    pub(super) fn str_range(&self, cell: Cell) -> (usize, usize) {
        let packed = self.numbers[cell.address()];
        ((packed >> 32) as usize, (packed & 0xffff_ffff) as usize)
    }

    /// Name, arity and address of the first argument of a compound.
    #[inline]
    pub(crate) fn shape(&self, cell: Cell) -> Option<(AtomId, usize, usize)> {
        match cell.tag() {
            Tag::List => Some((known::DOT, 2, cell.address())),
            Tag::Struct => {
                let (name, arity) = self.cells[cell.address()].name_arity();
                Some((name, arity, cell.address() + 1))
            }
            _ => None,
        }
    }

    /// Name and arity of an atom or compound, and the address of the first argument.
    #[inline]
    pub(crate) fn callable(&self, cell: Cell) -> Option<(AtomId, usize, usize)> {
        match cell.tag() {
            Tag::Atom => Some((cell.atom_id(), 0, 0)),
            _ => self.shape(cell),
        }
    }

    /// What a dereferenced cell is.
    #[inline]
    pub(crate) fn view(&self, cell: Cell) -> View<'_> {
        match cell.tag() {
            Tag::Ref | Tag::Forward | Tag::Functor => View::Var(cell.address()),
            Tag::Atom => View::Atom(cell.atom_id()),
            Tag::Int => View::Int(cell.int()),
            Tag::Big => View::Int(self.big(cell)),
            Tag::Float => View::Float(self.float_of(cell)),
            Tag::Str => View::Str(self.str_of(cell)),
            Tag::List => View::Compound { name: known::DOT, arity: 2 },
            Tag::Struct => {
                let (name, arity) = self.cells[cell.address()].name_arity();
                View::Compound { name, arity }
            }
        }
    }

    /// The two arguments of a compound.
    pub(crate) fn pair(&self, cell: Cell, name: AtomId) -> Option<(Cell, Cell)> {
        let (n, arity, first) = self.shape(cell)?;
        (n == name && arity == 2).then(|| (self.deref(self.cells[first]), self.deref(self.cells[first + 1])))
    }
}

impl crate::term::Terms for Store {
    type Ref = Cell;

    fn look(&self, term: Cell) -> View<'_> {
        self.view(self.deref(term))
    }

    fn child(&self, term: Cell, index: usize) -> Cell {
        let cell = self.deref(term);
        match self.shape(cell) {
            Some((_, arity, first)) if index < arity => self.deref(self.cells[first + index]),
            _ => cell,
        }
    }
}
