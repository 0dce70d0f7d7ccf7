//! What a recording contains if it does not contain whole levels: the calls of some methods, and the writes
//! to some fields, perhaps only those with certain values.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// The recorded methods and fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// The methods whose calls are recorded, with their ends.
    pub methods: Vec<Member>,
    /// The fields whose writes are recorded.
    pub fields: Vec<Member>,
}

/// A method or field.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Member {
    /// The class that declares it, with dots; `None` for any class.
    pub class: Option<String>,
    /// Its name; `None` for any name.
    pub name: Option<String>,
    /// What must hold of the arguments of a call, by their positions, or of the written value, at position 0.
    /// The recording may contain more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<(usize, Constant)>,
}

/// A value that can be compared at little cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Constant {
    /// `null`.
    Null,
    /// A `boolean`.
    Boolean(bool),
    /// A `byte`, `short`, `int` or `long`.
    Integer(i64),
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constant::Null => write!(f, "null"),
            Constant::Boolean(value) => write!(f, "{value}"),
            Constant::Integer(value) => write!(f, "{value}"),
        }
    }
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

    /// What must hold of the arguments of a recorded call, by their positions.
    pub fn method_tests(&self, class: &str, name: &str) -> &[(usize, Constant)] {
        let mut all = self.methods.iter().filter(|method| method.is(class, name));
        match (all.next(), all.next()) {
            (Some(only), None) => &only.tests,
            _ => &[],
        }
    }

    /// Whether the writes to a field may be recorded. An instruction can name a subclass of the class that
    /// declares the field, so only the name decides.
    pub fn has_field(&self, name: &str) -> bool {
        self.fields_named(name).next().is_some()
    }

    /// The values that are recorded of the writes to a field; none if all are.
    pub fn field_values(&self, name: &str) -> Vec<Constant> {
        let value = |field: &Member| field.tests.first().map(|(_, value)| *value);
        let values: Option<BTreeSet<Constant>> = self.fields_named(name).map(value).collect();
        values.unwrap_or_default().into_iter().collect()
    }

    fn fields_named(&self, name: &str) -> impl Iterator<Item = &Member> {
        self.fields.iter().filter(move |field| field.name.as_ref().is_none_or(|of| of == name))
    }

    /// Whether some calls or writes are left out because of their values.
    pub fn has_tests(&self) -> bool {
        self.methods.iter().chain(&self.fields).any(|member| !member.tests.is_empty())
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
            tests: Vec::new(),
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

    #[test]
    fn tests_hold_only_if_nobody_asks_for_the_rest() {
        let member = |class: &str, name: &str, tests: &[(usize, Constant)]| Member {
            class: Some(class.to_owned()),
            name: Some(name.to_owned()),
            tests: tests.to_vec(),
        };
        let (zero, null) = ((0, Constant::Integer(0)), (0, Constant::Null));
        let chosen = Chosen {
            methods: vec![
                member("a.Shop", "pay", &[zero, (2, Constant::Null)]),
                member("a.Shop", "open", &[zero]),
                member("a.Shop", "open", &[null]),
            ],
            fields: vec![
                member("a.Shop", "owner", &[null]),
                member("a.Shop", "sum", &[zero]),
                member("b.Shop", "sum", &[(0, Constant::Integer(7))]),
                member("a.Shop", "name", &[null]),
                member("b.Shop", "name", &[]),
            ],
        };
        assert_eq!(chosen.method_tests("a.Shop", "pay"), [zero, (2, Constant::Null)]);
        assert_eq!(chosen.method_tests("a.Shop", "open"), []);
        assert_eq!(chosen.field_values("owner"), [Constant::Null]);
        assert_eq!(chosen.field_values("sum"), [Constant::Integer(0), Constant::Integer(7)]);
        assert_eq!(chosen.field_values("name"), []);
    }
}
