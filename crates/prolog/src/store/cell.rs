//! Cells: 64 bits with a tag of four bits.

use crate::atoms::AtomId;

/// What a cell is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Tag {
    /// A reference to another cell; a cell that refers to itself is an unbound variable.
    Ref = 0,
    Atom = 1,
    /// An integer of 60 bits.
    Int = 2,
    /// Address of a functor cell; the arguments follow it.
    Struct = 3,
    /// Address of two cells: head and tail.
    List = 4,
    /// Index of the bits of a float.
    Float = 5,
    /// Index of an integer that needs more than 60 bits.
    Big = 6,
    /// Index of the offset and length of a text.
    Str = 7,
    /// Name and arity of a compound.
    Functor = 8,
    /// While a term is copied: where a variable was copied to.
    Forward = 9,
}

const TAGS: [Tag; 16] = [
    Tag::Ref,
    Tag::Atom,
    Tag::Int,
    Tag::Struct,
    Tag::List,
    Tag::Float,
    Tag::Big,
    Tag::Str,
    Tag::Functor,
    Tag::Forward,
    Tag::Ref,
    Tag::Ref,
    Tag::Ref,
    Tag::Ref,
    Tag::Ref,
    Tag::Ref,
];

/// The largest arity of a compound.
pub(crate) const MAX_ARITY: usize = (1 << 28) - 1;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Cell(pub u64);

impl Cell {
    #[inline]
    pub(crate) fn new(tag: Tag, payload: usize) -> Cell {
        Cell((payload as u64) << 4 | tag as u64)
    }

    #[inline]
    pub(crate) fn reference(address: usize) -> Cell {
        Cell::new(Tag::Ref, address)
    }

    #[inline]
    pub(crate) const fn atom(atom: AtomId) -> Cell {
        Cell((atom.0 as u64) << 4 | Tag::Atom as u64)
    }

    /// An integer if it fits into 60 bits.
    #[inline]
    pub(crate) fn small(value: i64) -> Option<Cell> {
        let shifted = value << 4;
        (shifted >> 4 == value).then_some(Cell(shifted.cast_unsigned() | Tag::Int as u64))
    }

    /// The functor cell of a compound.
    #[inline]
    pub(crate) fn functor(name: AtomId, arity: usize) -> Cell {
        Cell(u64::from(name.0) << 32 | ((arity as u64) & 0xfff_ffff) << 4 | Tag::Functor as u64)
    }

    #[inline]
    pub(crate) fn tag(self) -> Tag {
        TAGS[(self.0 & 15) as usize]
    }

    /// The address or index.
    #[inline]
    pub(crate) fn address(self) -> usize {
        (self.0 >> 4) as usize
    }

    #[inline]
    pub(crate) fn atom_id(self) -> AtomId {
        // The payload of an atom is its 32-bit id.
        #[allow(clippy::cast_possible_truncation)]
        AtomId((self.0 >> 4) as u32)
    }

    #[inline]
    pub(crate) fn int(self) -> i64 {
        self.0.cast_signed() >> 4
    }

    /// Name and arity of a functor cell.
    #[inline]
    pub(crate) fn name_arity(self) -> (AtomId, usize) {
        // The name fills the upper half.
        #[allow(clippy::cast_possible_truncation)]
        (AtomId((self.0 >> 32) as u32), ((self.0 >> 4) & 0xfff_ffff) as usize)
    }

    #[inline]
    pub(crate) fn is_ref(self) -> bool {
        self.0 & 15 == 0
    }
}
