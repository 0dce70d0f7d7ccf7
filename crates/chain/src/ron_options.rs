//! The RON dialect of chain files.

use ron::extensions::Extensions;

/// The options of chain files and related files: `Some` is implicit.
pub fn options() -> ron::Options {
    ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME)
}
