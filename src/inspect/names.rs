//! Names of classes as people write them.

/// Whether a class is named by how its name ends: `Shop` is `com.acme.Shop`.
pub(super) fn ends_with(class: &str, wanted: &str) -> bool {
    let (class, wanted) = (class.replace('$', "."), wanted.replace('$', "."));
    class.strip_suffix(&wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}
