//! Command set 4, `ArrayType`: what only array types have.

use crate::id::ReferenceTypeId;
use crate::value::TaggedObject;

commands! {
    /// Makes an array.
    NewInstance {
        /// The array type.
        arr_type: ReferenceTypeId,
        /// The number of elements.
        length: i32,
    } -> TaggedObject;
}
