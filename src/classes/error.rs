//! What can go wrong while class bytes are looked for. Missing and unreadable class path entries are not
//! here: `java` ignores them, so the pool records them ([`super::ClassPool::missing`]) and goes on.

use super::pool::Origin;
use std::path::PathBuf;

/// An error of this room.
#[derive(Debug, thiserror::Error)]
pub enum ClassesError {
    /// A class file is there and cannot be read.
    #[error(
        "cannot read class `{name}` from {origin}: {reason}; check the file's permissions, or build it again"
    )]
    Unreadable {
        /// Binary name of the class.
        name: String,
        /// Where it was found.
        origin: Origin,
        /// What the system or the archive reader says.
        reason: String,
    },
    /// The bytes are no class file.
    #[error("{origin} is not a readable class file: {reason}; build it again")]
    BadClass {
        /// Where it was found.
        origin: Origin,
        /// What the class file reader says.
        reason: String,
    },
    /// The file holds another class: the class path points into a package folder, or above one.
    #[error(
        "{origin} holds class `{actual}`, not `{wanted}`; the class path entry must be the folder that contains the \
         first folder of the package"
    )]
    WrongName {
        /// Where it was found.
        origin: Origin,
        /// The name that was asked for.
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
        /// What the image reader says.
        reason: String,
    },
}
