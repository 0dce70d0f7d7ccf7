//! `Candidate("X", "CLASS:LINE", N)`: hit N of X's event at a line, regardless of X's constraints. So
//! questions can continue from an occurrence that was not X's answer: a small circle in the paper's Figure 5.

use super::{Complaint, Rule, SpecialField, class_complaints, line_complaints};
use crate::translate::lines::SourceLine;
use crate::translate::{Ask, PointContext, Refusal, Stop};
use bytecode::lines::line_of;
use model::Site;
use query::{Event, Field};

pub(super) struct Candidate<'a> {
    pub(super) point: &'a str,
    pub(super) place: &'a str,
    pub(super) hit: &'a u32,
}

/// Splits `Class:31` into class and line.
pub(crate) fn class_and_line(place: &str) -> Option<(&str, u32)> {
    let (class, line) = place.rsplit_once(':')?;
    Some((class, line.parse().ok()?))
}

impl Rule for Candidate<'_> {
    fn complaints(&self) -> Vec<Complaint> {
        let help = "write the class and the line as answers give them, as in `shop.Order:31`";
        let mut found = match class_and_line(self.place) {
            None => vec![Complaint::about(self.place, format!("`{}` is no place", self.place), help)],
            Some((class, line)) => class_complaints(class).into_iter().chain(line_complaints(line)).collect(),
        };
        if *self.hit == 0 {
            let message = "hits are counted from 1".to_owned();
            found.push(Complaint { message, help: None, inside: None });
        }
        found
    }

    fn refers_to(&self) -> Option<(String, String, usize)> {
        Some((self.point.to_owned(), self.point.to_owned(), 1))
    }

    fn takes(&self) -> &'static [SpecialField] {
        &[SpecialField::Text]
    }

    fn own_index(&self) -> Option<i64> {
        Some(i64::from(*self.hit) - 1)
    }

    fn translate(&self, context: &mut PointContext<'_, '_>) -> Result<Ask, Stop> {
        refuse_fields(context)?;
        let point = context.earlier(self.point)?;
        let (event, sites, events) = context.event_of(point)?;
        let (class, line) = class_and_line(self.place).unwrap_or((self.place, 0));
        let remembered = context.point().remembered();
        let found = SourceLine::find(context.classes(), class, line, &remembered)?;
        if let Some(warning) = &found.warning {
            context.warn(warning);
        }
        let mut here = match (&event, sites) {
            (Event::Written(field), _) => accesses(context, &found, field, true),
            (Event::Read(field), _) => accesses(context, &found, field, false),
            (Event::Reached(_) | Event::Returned(_) | Event::Stored(_), Some(sites)) => {
                sites.into_iter().filter(|site| stands_on(context, site, &found)).collect()
            }
            _ => return Err(self.refuse(format!("`{}` is {}", self.point, context.kind_of(point)))),
        };
        here.sort();
        let [site] = here.as_slice() else {
            let place = format!("line {} of {}", found.line, found.file);
            return Err(Refusal::Chain(match here.len() {
                0 => format!("{} has no hit on {place}: take a place that its answer lists", self.point),
                // Events count several stores at one site together, but probes count each separately.
                n => format!(
                    "{} has {n} sites on {place}, so hit {} of the line is not one of them for sure: \
                     ask for the line itself with `Line`",
                    self.point, self.hit
                ),
            })
            .into());
        };
        let event = narrowed(event, site)
            .ok_or_else(|| self.refuse(format!("`{}` can begin at several places", self.point)))?;
        let only_at = Some(site.clone());
        Ok(Ask { only_at, ..Ask::plain(event, Some(vec![site.clone()]), events) })
    }
}

impl Candidate<'_> {
    fn refuse(&self, why: String) -> Stop {
        let message = format!(
            "{why}, whose hits are not counted by line. `Candidate` takes writes and reads of a field, \
             stores to a local variable, lines, entries and normal returns"
        );
        Refusal::Chain(message).into()
    }
}

/// Refuses fields that would exclude hits, because a `Candidate` counts all hits of its line.
fn refuse_fields(context: &PointContext<'_, '_>) -> Result<(), Stop> {
    let point = context.point();
    let given = [
        ("when", point.when.is_some()),
        ("before", point.before.is_some()),
        ("after", point.after.is_some()),
        ("within", point.within.is_some()),
        ("from", point.from.is_some()),
        ("index", point.index.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => {
            let message = format!(
                "`{name}` does not go with `Candidate`, which counts every hit of its line; remove it"
            );
            Err(Refusal::Chain(message).into())
        }
    }
}

/// Sites on a line that write or read a field.
fn accesses(context: &PointContext<'_, '_>, line: &SourceLine, field: &Field, writes: bool) -> Vec<Site> {
    let classes = context.classes();
    let mut found = Vec::new();
    for part in line.parts() {
        for instruction in &part.code.instructions {
            let Some((named, is_write)) = instruction.op.field_access() else { continue };
            if is_write != writes || named.name != *field.name {
                continue;
            }
            if line_of(part.code, instruction.pc) != Some(line.line) {
                continue;
            }
            // The instruction may name a subclass of the declaring class.
            let declared = classes.named(&named.class).and_then(|c| classes.field(&c.file, &named.name));
            if declared.is_ok_and(|(declared, _)| declared.class != field.class) {
                continue;
            }
            found.push(Site { method: part.method.clone(), bci: instruction.pc });
        }
    }
    found
}

/// Whether a site belongs to the code of a line.
fn stands_on(context: &PointContext<'_, '_>, site: &Site, line: &SourceLine) -> bool {
    let is_of_file = line.parts().iter().any(|part| part.method == site.method);
    let at = context
        .classes()
        .at(&site.method, |_, method| method.code.as_ref().and_then(|code| line_of(code, site.bci)))
        .flatten();
    is_of_file && at == Some(line.line)
}

/// The event restricted to the part with this site; none if a pass can also begin elsewhere.
fn narrowed(event: Event, site: &Site) -> Option<Event> {
    Some(match event {
        Event::Reached(passes) => {
            let pass = passes.into_iter().find(|p| p.method == site.method && p.entries.contains(&site.bci));
            Event::Reached(vec![pass.filter(|p| p.entries.len() == 1)?])
        }
        Event::Stored(stores) => Event::Stored(stores.into_iter().filter(|s| s.site == *site).collect()),
        Event::Returned(methods) => {
            Event::Returned(methods.into_iter().filter(|m| *m == site.method).collect())
        }
        other => other,
    })
}
