//! What is wrong, and the instructions that may use it.

use program::call_index::PlaceAt;

/// What is wrong: an object, or one of its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The number of the object; 0 for a static field.
    pub object: u32,
    /// Its class, with dots; an array as in a class file (`[I`). For a static field, the class that declares
    /// it.
    pub class: String,
    /// The field, if only that is wrong.
    pub field: Option<String>,
}

/// An instruction that may use the object.
#[derive(Clone, Debug)]
pub(super) struct UseSite {
    /// The instruction.
    pub place: PlaceAt,
    /// Number of slots above the operand that would be the object; `None` for a static field.
    pub above: Option<u16>,
    /// Whether the instruction can change the object.
    pub writes: bool,
}
