//! `Read("Class", "field")`: a read of a field.

use super::watch::owner_event;
use super::{Complaint, Rule, class_complaints};
use crate::translate::{Ask, PointContext, Stop};
use query::Event;

pub(super) struct Read<'a> {
    pub(super) class: &'a str,
    pub(super) field: &'a str,
}

impl Rule for Read<'_> {
    fn complaints(&self) -> Vec<Complaint> {
        class_complaints(self.class)
    }

    fn translate(&self, point: &mut PointContext<'_, '_>) -> Result<Ask, Stop> {
        let class = point.classes().named(self.class)?.file.clone();
        let (field, _) = point.classes().field(&class, self.field)?;
        let events = owner_event(&field);
        let sites = point.classes().private_accesses(&field, false);
        Ok(Ask::plain(Event::Read(field), sites, events))
    }
}
