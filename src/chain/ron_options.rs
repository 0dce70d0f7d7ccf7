//! How RON is read and written here.

use ron::extensions::Extensions;

/// The options of chain files and of files like them: `Some` is implicit.
pub(crate) fn options() -> ron::Options {
    ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME)
}
