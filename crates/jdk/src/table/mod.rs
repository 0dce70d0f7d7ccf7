//! The rows, by theme.

mod arrays;
mod collections;
mod io;
mod nodes;
mod packages;
mod reflection;
mod text;
mod values;

use crate::row::Row;

/// All tables.
pub(crate) const TABLES: &[&[Row]] = &[
    arrays::ROWS,
    collections::ROWS,
    io::ROWS,
    nodes::ROWS,
    packages::ROWS,
    reflection::ROWS,
    text::ROWS,
    values::ROWS,
];
