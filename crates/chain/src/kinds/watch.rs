//! `Watch("Class", "field")`: a write of a field.

use super::{Complaint, Rule, class_complaints};
use crate::translate::{Ask, PointContext, Stop};
use expr::{EventTypes, Type};
use query::{Event, Field};

pub(super) struct Watch<'a> {
    pub(super) class: &'a str,
    pub(super) field: &'a str,
}

impl Rule for Watch<'_> {
    fn complaints(&self) -> Vec<Complaint> {
        class_complaints(self.class)
    }

    fn translate(&self, point: &mut PointContext<'_, '_>) -> Result<Ask, Stop> {
        let class = point.classes().named(self.class)?.file.clone();
        let (field, descriptor) = point.classes().field(&class, self.field)?;
        let events = write_events(&field, &descriptor);
        let sites = point.classes().private_accesses(&field, true);
        Ok(Ask::plain(Event::Written(field), sites, events))
    }
}

/// The types of the values that a write of the field provides.
pub(super) fn write_events(field: &Field, descriptor: &str) -> EventTypes {
    let of = Type::of_descriptor(descriptor);
    EventTypes { old: Some(of.clone()), new: Some(of), ..owner_event(field) }
}

/// The types of the values that any access of the field provides.
pub(super) fn owner_event(field: &Field) -> EventTypes {
    let owner = (!field.is_static).then(|| Type::class(&field.class));
    EventTypes { owner, ..EventTypes::default() }
}
