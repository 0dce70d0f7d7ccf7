//! The class that declares a field which Java code names by a class, such as one that inherits it.

use super::loaders::base_class;
use super::sites::Sites;
use model::written;
use std::collections::BTreeSet;

/// Whether a class name, or that of its source, is the wanted one, or ends with it: `Shop` fits
/// `com.acme.Shop`.
pub fn class_fits(class: &str, wanted: &str) -> bool {
    let wanted = wanted.replace('$', ".");
    let ends = |class: &str| {
        let class = class.replace('$', ".");
        class.strip_suffix(&wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let class = base_class(class);
    ends(class) || ends(&written::class(class))
}

/// The classes that may declare the field `Class.name`. All classes fit an empty `Class`.
pub struct FieldOwners<'w> {
    wanted: &'w str,
    /// The recorded classes from which classes that fit inherit the field.
    above: BTreeSet<String>,
}

impl FieldOwners<'_> {
    /// Whether the field can be that of a class, as [`Sites::declares`] names it.
    pub fn include(&self, class: &str) -> bool {
        self.wanted.is_empty() || class_fits(class, self.wanted) || self.above.contains(base_class(class))
    }

    /// Whether classes that fit inherit the field.
    pub fn are_above(&self) -> bool {
        !self.above.is_empty()
    }
}

impl Sites {
    /// The recorded class that declares the field that a class name and a field name mean (JVMS, *Field
    /// Resolution*).
    pub fn resolve_field(&self, class: &str, name: &str) -> Option<String> {
        let (mut next, mut seen) = (vec![class], BTreeSet::new());
        while let Some(at) = next.pop() {
            let Some(of) = self.class_of(at).filter(|_| seen.insert(at)) else { continue };
            if of.fields.iter().any(|field| field.name == name) {
                return Some(at.to_owned());
            }
            // Superinterfaces come before the superclass.
            next.extend(of.superclass.iter().chain(of.interfaces.iter().rev()).map(String::as_str));
        }
        None
    }

    /// The classes that declare a field which a user names by its class, or by the end of the class's name.
    pub fn field_owners<'w>(&self, wanted: &'w str, name: &str) -> FieldOwners<'w> {
        let fitting = self.classes().filter(|(class, _)| !wanted.is_empty() && class_fits(class, wanted));
        let above = fitting.filter_map(|(class, _)| self.resolve_field(class, name));
        FieldOwners { wanted, above: above.filter(|class| !class_fits(class, wanted)).collect() }
    }
}
