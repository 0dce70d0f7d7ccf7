//! Class names as they are written, and the binary names that they stand for.

use super::tree::Node;

/// Whether `written` denotes the class: its full name, possibly with dots for `$`, or the last parts of it.
pub(super) fn is_called(binary: &str, written: &str) -> bool {
    let dotted = binary.replace('$', ".");
    binary == written
        || dotted.strip_suffix(written).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// The binary names that a simple class name can denote outside the nest.
pub(super) fn same_package_then_lang(own: &str, name: &str) -> [String; 2] {
    let same = match own.rsplit_once('.') {
        Some((package, _)) => format!("{package}.{name}"),
        None => name.to_owned(),
    };
    [same, format!("java.lang.{name}")]
}

/// The problem text for a simple name of several classes.
pub(super) fn ambiguous(classes: &[String]) -> String {
    format!("is ambiguous between {}; write the full name", classes.join(" and ").replace('$', "."))
}

/// The problem text for a static field of this name that is imported from several classes.
pub(super) fn ambiguous_field(classes: &[String], name: &str) -> String {
    ambiguous(&classes.iter().map(|class| format!("{class}.{name}")).collect::<Vec<_>>())
}

/// How to write an element of a list or a map, whose class and supertypes are given: empty, or starts with
/// punctuation.
pub(super) fn get_hint<'a>(mut line: impl Iterator<Item = &'a str>, of: &Node, key: &Node) -> String {
    let has_get = line.any(|name| matches!(name, "java.util.List" | "java.util.Map"));
    let of = of.to_string();
    let of = if of.contains(' ') { format!("({of})") } else { of };
    if has_get { format!("; write `{of}.get({key})`") } else { String::new() }
}
