//! Command set 4, `ArrayType`: commands on array types only.

use crate::id::ReferenceTypeId;
use crate::value::TaggedObject;

commands! {
    /// Creates an array.
    NewInstance {
        /// The array type.
        arr_type: ReferenceTypeId,
        /// The number of elements.
        length: i32,
    } -> TaggedObject;
}
