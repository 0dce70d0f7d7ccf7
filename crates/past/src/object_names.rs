//! How texts name objects: `Rec@7`, by class and number.

use crate::error::PastError;
use trace::{Calls, class_fits, shown_class};

/// Maximum number of superclasses; no class has that many.
const MOST_ABOVE: usize = 64;

/// `Rec@7`, `@7` or `7`.
pub fn number(text: &str) -> Option<u32> {
    // Exceptions are displayed with their message after the name.
    let text = text.split_once(" \"").map_or(text, |(name, _)| name);
    text.rsplit_once('@').map_or(text, |(_, number)| number).parse().ok()
}

/// The object at the beginning of a text: its number, its class as the user wrote it, and the rest.
pub(crate) fn object_in(text: &str) -> Option<(u32, &str, &str)> {
    let (class, of) = text.split_once('@')?;
    if class.contains(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '[' | ']' | '/'))) {
        return None;
    }
    let digits = of.find(|c: char| !c.is_ascii_digit()).unwrap_or(of.len());
    let (number, rest) = of.split_at(digits);
    // Exceptions are displayed with their message after the name.
    let rest = if rest.starts_with(" \"") { "" } else { rest };
    Some((number.parse().ok()?, class, rest))
}

/// Checks that an object is an array. In a recording, only elements of arrays have writes of their own.
///
/// # Errors
/// It is no array.
pub fn check_element(text: &str, object: u32, calls: &Calls) -> Result<(), PastError> {
    match calls.objects.is_array(object) {
        true => Ok(()),
        false => Err(PastError::NoElement { written: text.to_owned(), object: calls.objects.name(object) }),
    }
}

/// Checks that an object was recorded and has the class written before its number: `Order` in `Order@80`. For
/// `@80`, any class matches.
///
/// # Errors
/// The object was not recorded, or has another class.
pub fn check_object(calls: &Calls, number: u32, class: &str) -> Result<(), PastError> {
    let written = format!("{class}@{number}");
    let objects = &calls.objects;
    let own = objects.own(number);
    let Some(found) = objects.class(own).filter(|_| own != 0) else {
        return Err(PastError::NoSuchObject { written, instead: None });
    };
    // Users write `int[]@9`, `int[3]@9` and `Outer.Rec@7` as displayed, or the full class name.
    let element = |name: &str| name.split('[').next().unwrap_or_default().to_owned();
    let is_it = class.is_empty()
        || class_fits(&element(&shown_class(found)), &element(class))
        || class_fits(found, class);
    let instead = Some(format!("{}@{number}", shown_class(found)));
    if is_it { Ok(()) } else { Err(PastError::NoSuchObject { written, instead }) }
}

/// The class that declares the field which this name means in an object: the nearest one. `None` if no
/// recorded class of the object declares it.
pub fn declaring_class(calls: &Calls, object: u32, name: &str) -> Option<String> {
    let mut class = calls.objects.class(object).map(|class| class.to_string());
    // A damaged file can hold a cycle.
    for _ in 0..MOST_ABOVE {
        let declares = |field: &trace::Field| field.name == name && !field.is_static;
        match class {
            Some(class) if calls.sites.fields(&class).iter().any(declares) => return Some(class),
            Some(below) => class = calls.sites.superclass(&below).map(str::to_owned),
            None => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_written_as_texts_show_them() {
        assert_eq!(object_in("Rec@7.bar"), Some((7, "Rec", ".bar")));
        assert_eq!(object_in("int[3]@9[2]"), Some((9, "int[3]", "[2]")));
        assert_eq!(object_in("@7"), Some((7, "", "")));
        assert_eq!(object_in("Failure@7 \"to a@b\""), Some((7, "Failure", "")));
        for text in ["a + b", "x", "f(\"a@7\")", "Rec@", "@x"] {
            assert_eq!(object_in(text), None, "{text}");
        }
    }

    #[test]
    fn objects_are_named_by_their_numbers() {
        assert_eq!(["Rec@7", "@7", "7", "Failure@7 \"to a@b\""].map(number), [Some(7); 4]);
        assert_eq!([number("Rec"), number("@"), number("@x")], [None; 3]);
    }
}
