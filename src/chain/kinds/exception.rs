//! `Exception("Class")`: an exception of that class or below it is thrown.

use super::{Complaint, Rule, SpecialField, class_complaints};
use crate::chain::translate::{Ask, PointContext, Refusal, Stop};
use crate::expr::{EventTypes, Type};
use crate::query::Event;

pub(super) struct Exception<'a> {
    pub(super) class: &'a str,
}

impl Rule for Exception<'_> {
    fn complaints(&self) -> Vec<Complaint> {
        class_complaints(self.class)
    }

    fn takes(&self) -> &'static [SpecialField] {
        &[SpecialField::Caught]
    }

    fn translate(&self, point: &mut PointContext<'_, '_>) -> Result<Ask, Stop> {
        let classes = point.classes();
        // As in Java, `NullPointerException` alone is the one of java.lang.
        let file = match classes.named(self.class) {
            Ok(found) => found.file.clone(),
            Err(error) => match classes.named(&format!("java.lang.{}", self.class)) {
                Ok(found) => found.file.clone(),
                Err(_) => return Err(error.into()),
            },
        };
        if !classes.extends(&file, "java.lang.Throwable") {
            return Err(Refusal::NotThrowable { class: file.name.clone() }.into());
        }
        let events = EventTypes { exception: Some(Type::class(&file.name)), ..EventTypes::default() };
        let event = Event::Thrown { class: Some(file.name.as_str().into()), caught: point.point().caught };
        Ok(Ask::plain(event, None, events))
    }
}
