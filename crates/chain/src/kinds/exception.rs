//! `Exception("Class")`: the throw of an exception of that class or a subclass.

use super::{Complaint, Rule, SpecialField, class_complaints};
use crate::translate::{Ask, PointContext, Refusal, Stop};
use classes::Resolution;
use expr::{EventTypes, Type};
use query::Event;

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
        // As in Java, a simple name such as `NullPointerException` can mean a class of java.lang.
        let in_lang = format!("java.lang.{}", self.class);
        let unknown = matches!(classes.pool.resolve(self.class), Resolution::None { .. });
        let is_lang = unknown && classes.pool.find(&in_lang)?.is_some();
        let file = classes.named(if is_lang { &in_lang } else { self.class })?.file.clone();
        if !classes.extends(&file, "java.lang.Throwable") {
            return Err(Refusal::NotThrowable { class: file.name.clone() }.into());
        }
        let events = EventTypes { exception: Some(Type::class(&file.name)), ..EventTypes::default() };
        let event = Event::Thrown { class: Some(file.name.as_str().into()), caught: point.point().caught };
        Ok(Ask::plain(event, None, events))
    }
}
