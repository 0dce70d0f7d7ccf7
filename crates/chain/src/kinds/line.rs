//! `Line("Class", 31)`: execution reaches a line. One pass over the line is one hit (DESIGN §5.8).

use super::{Complaint, Rule, SpecialField, class_complaints, line_complaints};
use crate::translate::lines::SourceLine;
use crate::translate::{Ask, PointContext, Stop};
use bytecode::{Code, ControlDependence};
use expr::EventTypes;
use model::Site;
use query::{Event, Pass};
use std::collections::BTreeSet;

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
            // With a single entry, each hit begins a new pass, so no exits are needed.
            let exits = if part.entries.len() > 1 { part.exits } else { Vec::new() };
            let gates = gates(part.code, &part.entries);
            passes.push(Pass { method: part.method, entries: part.entries, exits, on_entry: false, gates });
        }
        Ok(Ask::plain(Event::Reached(passes), Some(sites), EventTypes::default()))
    }
}

/// The targets of the branch edges on which one of the entries depends, without the entries themselves.
fn gates(code: &Code, entries: &[u32]) -> Vec<u32> {
    let control = ControlDependence::new(code);
    let edges = entries.iter().flat_map(|entry| control.of(*entry).edges);
    let gates: BTreeSet<u32> = edges.map(|edge| edge.target_pc).filter(|to| !entries.contains(to)).collect();
    gates.into_iter().collect()
}
