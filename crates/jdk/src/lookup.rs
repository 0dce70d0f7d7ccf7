//! Finds the rows that describe a method.

use crate::class::above;
use crate::facts::Facts;
use crate::pattern;
use crate::row::Row;
use crate::table;
use std::cmp::Ordering;
use std::cmp::Reverse;
use std::sync::OnceLock;

/// The rows in lookup order.
struct Index {
    /// The rows that name one class, sorted by class; for each class the most precise one first.
    exact: Vec<&'static Row>,
    /// The rows with a pattern of classes, the most precise one first.
    patterns: Vec<&'static Row>,
    /// The rows about methods that program classes can have too, the most precise one first.
    inherited: Vec<&'static Row>,
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let (mut exact, mut patterns): (Vec<&Row>, Vec<&Row>) =
            rows().partition(|row| pattern::is_exact(row.class));
        exact.sort_by(|one, other| {
            let precise = || Reverse(one.precision()).cmp(&Reverse(other.precision()));
            pattern::compare(one.class, other.class).then_with(precise)
        });
        patterns.sort_by_key(|row| Reverse(row.precision()));
        let mut inherited: Vec<_> = rows().filter(|row| row.is_inherited).collect();
        inherited.sort_by_key(|row| Reverse(row.precision()));
        Index { exact, patterns, inherited }
    })
}

/// All rows.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    table::TABLES.iter().copied().flatten()
}

/// The rows that name this class.
fn of_class(class: &str) -> &'static [&'static Row] {
    let exact = &index().exact;
    let begin = exact.partition_point(|row| pattern::compare(row.class, class) == Ordering::Less);
    let behind = exact.get(begin..).unwrap_or_default();
    let end = behind.partition_point(|row| pattern::same(row.class, class));
    behind.get(..end).unwrap_or_default()
}

/// The facts about a method of a class. The class name has dots or slashes.
pub fn facts(class: &str, name: &str, descriptor: &str) -> Facts {
    of_class(class)
        .iter()
        .chain(&index().patterns)
        .filter(|row| row.matches(class, name, descriptor))
        .fold(Facts::NONE, |known, row| known.or(&row.facts))
}

/// The facts about a method of a collection: from the rows of its class and its supertypes.
pub fn of_collection(class: &str, name: &str, descriptor: &str) -> Facts {
    above(class).fold(Facts::NONE, |known, class| known.or(&facts(class, name, descriptor)))
}

/// The facts about a method that program classes can inherit from the JDK or override; `None` for other
/// methods.
pub fn inherited(name: &str, descriptor: &str) -> Option<Facts> {
    let matches = |row: &&&Row| pattern::matches_name(row.name, name) && row.descriptor.matches(descriptor);
    let mut found = index().inherited.iter().filter(matches).peekable();
    found.peek()?;
    Some(found.fold(Facts::NONE, |known, row| known.or(&row.facts)))
}

/// Whether a class has a method whose own code changes a collection's contents. The class name has dots or
/// slashes.
pub fn changes_contents(class: &str) -> bool {
    of_class(class).iter().any(|row| row.facts.change.is_some())
}

/// Whether a class has a method whose own code changes the text of a builder or prints on a stream. The class
/// name has dots or slashes.
pub fn changes_text(class: &str) -> bool {
    of_class(class).iter().any(|row| row.facts.text.is_some())
}
