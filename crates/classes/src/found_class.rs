//! A class that was found, with its file.

use super::origin::Origin;
use bytecode::ClassFile;
use std::sync::Arc;
use std::time::SystemTime;

/// A parsed class and its origin.
#[derive(Debug)]
pub struct FoundClass {
    /// Binary name with dots: `pkg.Outer$Inner`.
    pub name: String,
    /// The class file.
    pub file: Arc<ClassFile>,
    /// The class's origin.
    pub origin: Origin,
    /// Modification time of the file, the jar or the image.
    pub modified: Option<SystemTime>,
}
