//! The files that `qp` writes: private to the user, whole or not at all, and in temporary folders that
//! somebody owns.
//!
//! This room may use no other.

mod private;
mod temporary;
mod whole;

pub use private::{create, create_folder, create_new, write};
pub use temporary::{TemporaryFolder, remove_abandoned, remove_abandoned_in};
pub use whole::{write_private, write_whole};
