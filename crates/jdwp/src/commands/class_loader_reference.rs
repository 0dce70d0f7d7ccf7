//! Command set 14, `ClassLoaderReference`: class loaders.

use super::reference_type::TypeInfo;
use crate::id::ClassLoaderId;

commands! {
    /// The types for which this loader is an initiating loader, in unspecified order.
    VisibleClasses {
        /// The loader; `None` is the bootstrap loader.
        class_loader_object: Option<ClassLoaderId>,
    } -> Vec<TypeInfo>;
}
