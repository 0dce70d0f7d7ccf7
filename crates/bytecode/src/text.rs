//! Texts of the constant pool.

use crate::descriptor::class_name;
use noak::MStr;

/// Decodes modified UTF-8; unpaired surrogates become U+FFFD.
pub(crate) fn text(raw: &MStr) -> String {
    match raw.to_str() {
        Some(plain) => plain.to_owned(),
        None => raw.chars_lossy().collect(),
    }
}

/// The `class_name` of a modified UTF-8 constant.
pub(crate) fn class_text(raw: &MStr) -> String {
    class_name(&text(raw))
}
