//! Command set 17, `ClassObjectReference`: objects of `java.lang.Class`.

use super::reference_type::TypeInfo;
use crate::id::ClassObjectId;

commands! {
    /// The type that the class object represents.
    ReflectedType {
        /// The class object.
        class_object: ClassObjectId,
    } -> TypeInfo;
}
