//! Texts that code is given.

use std::borrow::Cow;

/// A name or descriptor; most are static.
pub type Text = Cow<'static, str>;
