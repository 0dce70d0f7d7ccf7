//! What a recording contains if it does not contain whole levels: the calls of some methods, and the writes
//! to some fields.

use serde::{Deserialize, Serialize};

/// The recorded methods and fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// The methods whose calls are recorded, with their ends.
    pub methods: Vec<Member>,
    /// The fields whose writes are recorded.
    pub fields: Vec<Member>,
}

/// A method or field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Member {
    /// The class that declares it, with dots; `None` for any class.
    pub class: Option<String>,
    /// Its name; `None` for any name.
    pub name: Option<String>,
}

impl Member {
    fn is(&self, class: &str, name: &str) -> bool {
        self.class.as_ref().is_none_or(|of| of == class) && self.name.as_ref().is_none_or(|of| of == name)
    }
}

impl Chosen {
    /// Whether the calls of a method are recorded; the class has dots.
    pub fn has_method(&self, class: &str, name: &str) -> bool {
        self.methods.iter().any(|method| method.is(class, name))
    }

    /// Whether the writes to a field may be recorded. An instruction can name a subclass of the class that
    /// declares the field, so only the name decides.
    pub fn has_field(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name.as_ref().is_none_or(|of| of == name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_chosen_by_class_and_name() {
        let member = |class: Option<&str>, name: Option<&str>| Member {
            class: class.map(str::to_owned),
            name: name.map(str::to_owned),
        };
        let chosen = Chosen {
            methods: vec![member(None, Some("pay")), member(Some("a.Shop"), None)],
            fields: vec![member(Some("a.Shop"), Some("open"))],
        };
        assert!(chosen.has_method("b.Other", "pay"));
        assert!(chosen.has_method("a.Shop", "close"));
        assert!(!chosen.has_method("b.Other", "close"));
        assert!(chosen.has_field("open"));
        assert!(!chosen.has_field("closed"));
    }
}
