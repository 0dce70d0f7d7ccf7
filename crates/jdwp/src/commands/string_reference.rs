//! Command set 10, `StringReference`: strings.

use crate::id::StringId;
use crate::text::JavaString;

commands! {
    /// The string's characters.
    Value {
        /// The string.
        string_object: StringId,
    } -> JavaString;
}
