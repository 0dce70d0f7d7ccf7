//! Command set 17, `ClassObjectReference`: objects of `java.lang.Class`.

use super::reference_type::TypeInfo;
use crate::id::ClassObjectId;

commands! {
    /// The type the class object stands for.
    ReflectedType {
        /// The class object.
        class_object: ClassObjectId,
    } -> TypeInfo;
}
