//! The schema as a source of samples, and the comparison of types with it.

pub mod conformance;
pub mod schema;
