//! Sites: where an event can occur. Identified by names, so that a site survives a relaunch (DESIGN §2).

use super::names::short_method_name;
use std::fmt;
use std::sync::Arc;

/// A method, with the names of the class file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodName {
    /// Binary name of the class with dots: `pkg.Outer$Inner` (JLS §13.1).
    pub class: Arc<str>,
    /// Name of the method; can be `<init>` or `<clinit>`.
    pub name: Arc<str>,
    /// Method descriptor (JVMS §4.3.3).
    pub descriptor: Arc<str>,
}

impl MethodName {
    /// Combines the three names.
    pub fn new(
        class: impl Into<Arc<str>>,
        name: impl Into<Arc<str>>,
        descriptor: impl Into<Arc<str>>,
    ) -> Self {
        MethodName { class: class.into(), name: name.into(), descriptor: descriptor.into() }
    }

    /// The method as users read it, without its package: `Shop.total`.
    pub fn short(&self) -> String {
        short_method_name(&self.class, &self.name)
    }
}

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.class, self.name)
    }
}

/// A bytecode index in a method.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// The method that contains the site.
    pub method: MethodName,
    /// Bytecode index, in bytes from the start of the method's code array (0 to 65535).
    pub bci: u32,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.method, self.bci)
    }
}
