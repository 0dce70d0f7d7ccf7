//! The files that `qp` writes: private to the user, written atomically, in temporary folders with an owner,
//! several as one, and in the user's cache folder.
//!
//! This room uses no other room.

mod cache;
mod hex;
mod packed;
mod private;
mod regular;
mod temporary;
mod temporary_file;
mod whole;

pub use cache::{cache_folder, remove_oldest, this_build};
pub use hex::hex;
pub use packed::{PackError, PackedFile, pack, unpack};
pub use private::{create, create_folder, create_new, write};
pub use regular::{open_regular, read_regular};
pub use temporary::{TemporaryFolder, remove_abandoned, remove_abandoned_in, remove_own};
pub use temporary_file::TemporaryFile;
pub use whole::{write_private, write_whole};
