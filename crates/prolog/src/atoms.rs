//! Interns the texts of atoms. Reading a text takes no lock, so several machines may share one table.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use foldhash::fast::FixedState;

/// Number of atoms in the first segment of the table; each further segment holds twice as many.
const FIRST_SEGMENT: usize = 1024;

/// Number of segments: enough for all 32-bit ids.
const SEGMENTS: usize = 22;

/// An interned atom. Ids are only comparable if they come from the same [`Atoms`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AtomId(pub(crate) u32);

type Segment = Box<[OnceLock<Arc<str>>]>;

/// A table of atoms. It only grows.
pub struct Atoms {
    ids: RwLock<HashMap<Arc<str>, u32, FixedState>>,
    segments: [OnceLock<Segment>; SEGMENTS],
}

/// Segment and offset of an id.
fn place(id: u32) -> (usize, usize) {
    let n = id as usize + FIRST_SEGMENT;
    let segment = (n / FIRST_SEGMENT).ilog2() as usize;
    (segment, n - (FIRST_SEGMENT << segment))
}

impl Atoms {
    /// A table that holds the atoms that the engine itself uses.
    #[must_use]
    pub fn new() -> Self {
        let atoms = Atoms { ids: RwLock::default(), segments: std::array::from_fn(|_| OnceLock::new()) };
        for text in known::TEXTS {
            atoms.intern(text);
        }
        atoms
    }

    /// The id of a text if it is already interned.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<AtomId> {
        self.ids.read().unwrap_or_else(PoisonError::into_inner).get(text).map(|&id| AtomId(id))
    }

    /// The id of a text, which is added if needed.
    pub fn intern(&self, text: &str) -> AtomId {
        if let Some(id) = self.find(text) {
            return id;
        }
        let mut ids = self.ids.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = ids.get(text) {
            return AtomId(id);
        }
        let id = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        let (segment, offset) = place(id);
        let shared: Arc<str> = Arc::from(text);
        if let Some(segment) = self
            .segments
            .get(segment)
            .map(|cell| cell.get_or_init(|| (0..FIRST_SEGMENT << segment).map(|_| OnceLock::new()).collect()))
            && let Some(slot) = segment.get(offset)
        {
            // The slot is empty: the id is new, and this thread holds the lock.
            let _ = slot.set(Arc::clone(&shared));
        }
        ids.insert(shared, id);
        AtomId(id)
    }

    /// The text of an atom.
    #[must_use]
    pub fn text(&self, atom: AtomId) -> &str {
        let (segment, offset) = place(atom.0);
        let slot = self.segments.get(segment).and_then(OnceLock::get).and_then(|segment| segment.get(offset));
        slot.and_then(OnceLock::get).map_or("", |text| text)
    }

    /// Number of atoms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether the table is empty, which it never is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Default for Atoms {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Atoms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Atoms").field("len", &self.len()).finish()
    }
}

/// The atoms that the engine itself uses; their ids are constants.
pub(crate) mod known {
    use super::AtomId;

    macro_rules! known {
        ($($name:ident = $text:literal),* $(,)?) => {
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Index { $($name),* }
            pub(crate) const TEXTS: &[&str] = &[$($text),*];
            $(pub(crate) const $name: AtomId = AtomId(Index::$name as u32);)*
        };
    }

    known! {
        NIL = "[]", DOT = "[|]", CURLY = "{}", COMMA = ",", SEMICOLON = ";", ARROW = "->", SOFT = "*->",
        NECK = ":-", BAR = "|", CUT = "!", NOT = "\\+", CALL = "call", TRUE = "true", FAIL = "fail",
        FALSE = "false", MINUS = "-", PLUS = "+", EQ = "=", EQEQ = "==", NEQEQ = "\\==", LT = "<", LE = "=<",
        GT = ">", GE = ">=", AEQ = "=:=", ANE = "=\\=", IS = "is", CARET = "^", COLON = ":", QUERY = "?-",
        SLASH = "/", ONCE = "once", IGNORE = "ignore", FORALL = "forall", NOT_ = "not",
        FINDALL = "findall", AGGREGATE = "aggregate_all", CATCH = "catch", ERROR = "error",
        CONTEXT = "context", TYPE_ERROR = "type_error", DOMAIN_ERROR = "domain_error",
        INSTANTIATION = "instantiation_error", EXISTENCE = "existence_error", PROCEDURE = "procedure",
        EVALUATION = "evaluation_error", OVERFLOW = "int_overflow",
        FLOAT_OVERFLOW = "float_overflow", UNDEFINED = "undefined", ZERO_DIVISOR = "zero_divisor",
        DOLLAR_AND = "$and",
        DOLLAR_OR = "$or", DOLLAR_ITE = "$ite", DOLLAR_SOFT = "$soft", DOLLAR_NOT = "$not",
        DOLLAR_VAR = "$VAR", NEQ = "\\=", VAR = "var", NONVAR = "nonvar",
        ATOM = "atom", NUMBER = "number", INTEGER = "integer", FLOAT = "float", STRING = "string",
        ATOMIC = "atomic", COMPOUND = "compound", CALLABLE = "callable",
        EVALUABLE = "evaluable", LIST = "list", PAIR = "pair", CHARACTER = "character",
        NOT_LESS_THAN_ZERO = "not_less_than_zero",
        NECK_DCG = "-->",
        GEQ_AT = "@>=", LEQ_AT = "@=<", LT_AT = "@<", GT_AT = "@>",
        COUNT = "count", SUM = "sum", MAX = "max", MIN = "min", LIBRARY = "library",
        DYNAMIC = "dynamic", DISCONTIGUOUS = "discontiguous", USE_MODULE = "use_module",
        DOLLAR_CATCH = "$catch", DOLLAR_END_CATCH = "$end_catch",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_stable_across_segments() {
        let atoms = Atoms::new();
        let ids: Vec<AtomId> = (0..10_000).map(|n| atoms.intern(&format!("a{n}"))).collect();
        for (n, &id) in ids.iter().enumerate() {
            assert_eq!(atoms.text(id), format!("a{n}"));
            assert_eq!(atoms.intern(&format!("a{n}")), id);
        }
        assert_eq!(atoms.find("nowhere"), None);
        assert_eq!(atoms.text(known::DOT), "[|]");
    }
}
