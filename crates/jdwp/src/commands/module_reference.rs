//! Command set 18, `ModuleReference`: modules. Since JDK 9.

use crate::id::{ClassLoaderId, ModuleId};

commands! {
    /// The module's name; empty for an unnamed module.
    Name {
        /// The module.
        module: ModuleId,
    } -> String;
    /// The module's loader; `None` is the bootstrap loader.
    ClassLoader {
        /// The module.
        module: ModuleId,
    } -> Option<ClassLoaderId>;
}
