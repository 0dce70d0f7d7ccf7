//! Part numbers of the table of writes: fields by number and elements by index have their own, and these
//! stand for something else.

/// The part number that stands for the contents of a collection. No field or element has this number.
pub const CONTENTS: u32 = u32::MAX;

/// The part number that stands for an object's creation. No field or element has this number.
pub const CREATION: u32 = u32::MAX - 1;

/// The part number that stands for the text of a builder or stream. No field or element has this number.
pub const TEXT: u32 = u32::MAX - 2;
