//! Command set 13, `ArrayReference`: arrays.

use crate::id::ArrayId;
use crate::value::{ArrayRegion, UntaggedValue};

commands! {
    /// The number of elements.
    Length {
        /// The array.
        array_object: ArrayId,
    } -> i32;
    /// Reads consecutive elements.
    GetValues {
        /// The array.
        array_object: ArrayId,
        /// The index of the first element.
        first_index: i32,
        /// The number of elements.
        length: i32,
    } -> ArrayRegion;
    /// Writes consecutive elements. The values must have the array's component type: they are sent without
    /// tags.
    SetValues {
        /// The array.
        array_object: ArrayId,
        /// The index of the first element.
        first_index: i32,
        /// The new values.
        values: Vec<UntaggedValue>,
    } -> ();
}
