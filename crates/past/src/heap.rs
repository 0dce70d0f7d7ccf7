//! What fields and elements hold at a time: one answer for all views. It is never absent.

use super::error::PastError;
use super::fields::{Field, Fields, StaticName, default_of};
use trace::{Calls, EventTime, HeldValue, Value};

/// What a field or element holds at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Held {
    /// The value is known.
    Known {
        /// The value.
        value: Value,
        /// When it was written; `None` if that write was not recorded, and the next one replaced the value.
        set_by: Option<EventTime>,
    },
    /// Nothing wrote it: it has the default value of its type (JVMS §2.3, §2.4).
    Default(Value),
    /// Its declaration set it: it is a constant of the class file.
    Constant(Value),
    /// It was not recorded.
    Unknown,
}

impl Held {
    /// The value, if it is known.
    pub fn value(self) -> Option<Value> {
        match self {
            Held::Known { value, .. } | Held::Default(value) | Held::Constant(value) => Some(value),
            Held::Unknown => None,
        }
    }
}

/// A part of an object that holds a value: its name, the key of its writes, and its value before them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectPart {
    /// The field's name; `None` for an element.
    pub name: Option<String>,
    /// The key under which its writes are found; `None` if there are none.
    pub part: Option<u32>,
    /// The descriptor of its type.
    pub descriptor: String,
    /// Whether it has its type's default value before the first write.
    pub begins_empty: bool,
    /// The class whose constructors write it before `super(…)`. Such a write is lost if that throws.
    pub early_in: Option<String>,
    /// Its value, if it is a constant of the class file. No code writes it (JVMS §4.7.2).
    pub constant: Option<Value>,
}

impl ObjectPart {
    /// A static field, by its number.
    pub fn of_static(number: u32) -> ObjectPart {
        ObjectPart { part: Some(number), ..ObjectPart::default() }
    }

    /// A static field.
    pub fn of_static_field(named: &StaticName<'_>, fields: &mut Fields, calls: &Calls) -> ObjectPart {
        let field = fields.of_static(named, calls);
        let (descriptor, begins_empty) = (field.descriptor.clone(), field.begins_empty);
        ObjectPart { part: field.part, descriptor, begins_empty, ..ObjectPart::default() }
    }

    /// An element of an array with this class; `was_made`: whether the array's creation was recorded.
    pub fn of_element(class: &str, index: u32, was_made: bool) -> ObjectPart {
        let descriptor = class.get(1..).unwrap_or("I").to_owned();
        ObjectPart { part: Some(index), descriptor, begins_empty: was_made, ..ObjectPart::default() }
    }

    /// A field of an object; `was_made`: whether the object's creation was recorded.
    pub fn of_field(field: &Field, was_made: bool) -> ObjectPart {
        ObjectPart {
            name: Some(field.name.clone()),
            part: field.part,
            descriptor: field.descriptor.clone(),
            begins_empty: was_made && field.is_recorded,
            early_in: field.is_early.then(|| field.class.clone()),
            constant: None,
        }
    }

    /// Its path, given the path of its object.
    pub fn path(&self, of: &str) -> String {
        match (&self.name, self.part) {
            (Some(name), _) => format!("{of}.{name}"),
            (None, part) => format!("{of}[{}]", part.unwrap_or(0)),
        }
    }
}

/// What a part of an object holds at a time; a static field is one of object 0.
///
/// # Errors
/// The events cannot be read.
pub fn held(calls: &mut Calls, object: u32, part: &ObjectPart, when: EventTime) -> Result<Held, PastError> {
    let held = match part.part {
        Some(number) => calls.held(object, number, when)?,
        None => HeldValue::Unwritten,
    };
    let is_lost = |class: &String| !calls.was_born_in(object, class);
    let begins_empty = part.begins_empty && !part.early_in.as_ref().is_some_and(is_lost);
    let default = default_of(&part.descriptor);
    Ok(match (held, part.constant) {
        (HeldValue::Written(value, set_by), _) => Held::Known { value, set_by: Some(set_by) },
        (HeldValue::Replaced(value), _) if begins_empty && value.is(default) => Held::Default(value),
        (HeldValue::Replaced(value), _) => Held::Known { value, set_by: None },
        (HeldValue::Unwritten, Some(constant)) => Held::Constant(constant),
        (HeldValue::Unwritten, None) if begins_empty => Held::Default(default),
        (HeldValue::Unwritten | HeldValue::Unknown, _) => Held::Unknown,
    })
}
