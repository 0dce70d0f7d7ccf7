//! Names of classes as users write them.

use crate::trace::base_class;

/// Whether a class name ends with the wanted name: `Shop` matches `com.acme.Shop`.
pub(super) fn ends_with(class: &str, wanted: &str) -> bool {
    let (class, wanted) = (base_class(class).replace('$', "."), wanted.replace('$', "."));
    class.strip_suffix(&wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}
