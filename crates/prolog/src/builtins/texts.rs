//! Text.
use crate::machine::DetFn;
pub(super) const TABLE: &[(&str, usize, DetFn)] = &[];
