//! Errors of finding class bytes. Missing and unreadable class path entries are not errors: `java` ignores
//! them, so the pool only records them ([`super::ClassPool::missing`]).

use super::origin::Origin;
use std::path::PathBuf;

/// Why a class cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ClassesError {
    /// A class file exists but cannot be read.
    #[error(
        "cannot read class `{name}` from {origin}: {reason}; check the file's permissions, or build it again"
    )]
    Unreadable {
        /// Binary name of the class.
        name: String,
        /// Where the class was found.
        origin: Origin,
        /// The reason from the operating system or the archive reader.
        reason: String,
    },
    /// The bytes are not a class file.
    #[error("{origin} is not a readable class file: {reason}; build it again")]
    BadClass {
        /// Where the class was found.
        origin: Origin,
        /// The reason from the class file reader.
        reason: String,
    },
    /// The file holds another class: the class path points into a package folder, or above the root.
    #[error(
        "{origin} holds class `{actual}`, not `{wanted}`; the class path entry must be the folder that contains the \
         first folder of the package"
    )]
    WrongName {
        /// Where the class was found.
        origin: Origin,
        /// The requested class name.
        wanted: String,
        /// The name in the class file.
        actual: String,
    },
    /// The Java home has no readable runtime image.
    #[error(
        "cannot read the runtime image {}: {reason}; the classes of the JDK are read from it: use a JDK 9 or later \
         whose image is not compressed with `compact-cp`", path.display()
    )]
    RuntimeImage {
        /// `lib/modules` of the Java home.
        path: PathBuf,
        /// The reason from the image reader.
        reason: String,
    },
}
