//! `Line("Class", 31)`: execution reaches a line. A pass over the line is one hit (DESIGN §5.8).

use super::{Complaint, Rule, SpecialField, class_complaints, line_complaints};
use crate::chain::translate::lines::SourceLine;
use crate::chain::translate::{Ask, PointContext, Stop};
use crate::expr::EventTypes;
use crate::model::Site;
use crate::query::{Event, Pass};

pub(super) struct Line<'a> {
    pub(super) class: &'a str,
    pub(super) line: &'a u32,
}

impl Rule for Line<'_> {
    fn complaints(&self) -> Vec<Complaint> {
        class_complaints(self.class).into_iter().chain(line_complaints(*self.line)).collect()
    }

    fn takes(&self) -> &'static [SpecialField] {
        &[SpecialField::Text]
    }

    fn translate(&self, point: &mut PointContext<'_, '_>) -> Result<Ask, Stop> {
        let remembered = point.point().remembered();
        let found = SourceLine::find(point.classes(), self.class, *self.line, &remembered)?;
        if let Some(warning) = &found.warning {
            point.warn(warning);
        }
        let mut passes = Vec::new();
        let mut sites = Vec::new();
        for part in found.parts() {
            sites.extend(part.entries.iter().map(|bci| Site { method: part.method.clone(), bci: *bci }));
            // One entry meets no other: nothing has to tell one pass from the next.
            let exits = if part.entries.len() > 1 { part.exits } else { Vec::new() };
            passes.push(Pass { method: part.method, entries: part.entries, exits, on_entry: false });
        }
        Ok(Ask::plain(Event::Reached(passes), Some(sites), EventTypes::default()))
    }
}
