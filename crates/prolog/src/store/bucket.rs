//! Copies of terms outside the heap: results of findall, thrown terms, and what copy_term needs.
//!
//! Addresses in a bucket count from its own start. Putting a bucket onto a heap adds an offset to each
//! address.

use super::cell::{Cell, Tag};
use super::heap::Store;

/// A sequence of copied terms.
#[derive(Default, Debug)]
pub(crate) struct Bucket {
    cells: Vec<Cell>,
    numbers: Vec<u64>,
    text: String,
    /// The root of each term.
    pub roots: Vec<Cell>,
}

impl Bucket {
    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        (self.cells.len() + self.numbers.len() + self.roots.len()) * 8 + self.text.len()
    }

    /// Copies a term out of a store. False if it is larger than `limit` bytes, which a cyclic term is.
    pub(crate) fn push(&mut self, store: &mut Store, term: Cell, limit: usize) -> bool {
        let term = store.deref(term);
        if matches!(term.tag(), Tag::Atom | Tag::Int) {
            self.roots.push(term);
            return true;
        }
        let first = self.cells.len();
        self.cells.push(term);
        let mut forwarded: Vec<usize> = Vec::new();
        let mut scan = first;
        let mut fits = true;
        while scan < self.cells.len() {
            if let Tag::Functor = self.cells[scan].tag() {
                scan += 1;
                continue;
            }
            let cell = store.deref(self.cells[scan]);
            self.cells[scan] = match cell.tag() {
                Tag::Ref => {
                    store.cells[cell.address()] = Cell::new(Tag::Forward, scan);
                    forwarded.push(cell.address());
                    Cell::reference(scan)
                }
                Tag::Forward => Cell::reference(cell.address()),
                Tag::Struct => {
                    let (from, to) = (cell.address(), self.cells.len());
                    let (_, arity) = store.cells[from].name_arity();
                    self.cells.extend_from_slice(&store.cells[from..=from + arity]);
                    Cell::new(Tag::Struct, to)
                }
                Tag::List => {
                    let (from, to) = (cell.address(), self.cells.len());
                    self.cells.extend_from_slice(&store.cells[from..from + 2]);
                    Cell::new(Tag::List, to)
                }
                Tag::Float | Tag::Big => {
                    self.numbers.push(store.numbers[cell.address()]);
                    Cell::new(cell.tag(), self.numbers.len() - 1)
                }
                Tag::Str => {
                    let text = store.str_of(cell);
                    self.numbers.push((self.text.len() as u64) << 32 | text.len() as u64);
                    self.text.push_str(text);
                    Cell::new(Tag::Str, self.numbers.len() - 1)
                }
                _ => cell,
            };
            scan += 1;
            if self.cells.len() * 8 > limit {
                fits = false;
                break;
            }
        }
        for address in forwarded {
            store.cells[address] = Cell::reference(address);
        }
        // A root that is not a plain cell is reached through the first one.
        self.roots.push(Cell::reference(first));
        fits
    }

    /// Puts all terms onto a heap and returns their roots there.
    pub(crate) fn pour(&self, store: &mut Store) -> Vec<Cell> {
        let (cells, numbers, text) = (store.cells.len(), store.numbers.len(), store.text.len());
        let moved = |cell: Cell| match cell.tag() {
            Tag::Ref | Tag::Struct | Tag::List => Cell::new(cell.tag(), cell.address() + cells),
            Tag::Float | Tag::Big | Tag::Str => Cell::new(cell.tag(), cell.address() + numbers),
            _ => cell,
        };
        store.cells.reserve(self.cells.len());
        for &cell in &self.cells {
            store.cells.push(moved(cell));
        }
        store.numbers.extend_from_slice(&self.numbers);
        if !self.text.is_empty() {
            for &cell in &self.cells {
                if cell.tag() == Tag::Str {
                    store.numbers[cell.address() + numbers] += (text as u64) << 32;
                }
            }
            store.text.push_str(&self.text);
        }
        self.roots.iter().map(|&root| moved(root)).collect()
    }
}
