//! Whether classes are subtypes of a named one, as `instanceof` and `catch` decide.

use crate::search::Source;
use std::collections::{BTreeSet, HashMap};
use trace::class_fits;

/// A class or interface that a user named, with what is known of its subtypes.
pub(super) struct Subtypes<'w> {
    wanted: &'w str,
    known: HashMap<String, bool>,
    /// Classes whose supertypes are unknown: they were not recorded, and their class files are gone.
    unknown: BTreeSet<String>,
}

impl<'w> Subtypes<'w> {
    /// The subtypes of a class, given by its name or the end of it.
    pub(super) fn of(wanted: &'w str) -> Subtypes<'w> {
        Subtypes { wanted, known: HashMap::new(), unknown: BTreeSet::new() }
    }

    /// Whether a class is the wanted one or a subtype of it.
    pub(super) fn include(&mut self, source: &mut Source, class: &str) -> bool {
        if let Some(known) = self.known.get(class) {
            return *known;
        }
        let (line, unknown) = Subtypes::above(source, class);
        let is_one = line.iter().any(|name| class_fits(name, self.wanted));
        if let (false, Some(name)) = (is_one, unknown) {
            self.unknown.insert(name);
        }
        self.known.insert(class.to_owned(), is_one);
        is_one
    }

    /// A class with its supertypes: its superclasses, then their interfaces. The second result is a supertype
    /// whose own supertypes are unknown.
    pub(super) fn above(source: &mut Source, class: &str) -> (Vec<String>, Option<String>) {
        let (mut line, mut interfaces, mut unknown, mut at) = (vec![class.to_owned()], Vec::new(), None, 0);
        while let Some(name) = line.get(at).cloned() {
            at += 1;
            match source.recording.supertypes(&name) {
                Some((superclass, more)) => {
                    line.extend(superclass.filter(|name| !line.contains(name)));
                    interfaces.extend(more);
                }
                None => unknown = Some(name),
            }
            if at == line.len() {
                let more = std::mem::take(&mut interfaces).into_iter().filter(|name| !line.contains(name));
                let more: Vec<String> = more.collect();
                line.extend(more);
            }
        }
        (line, unknown)
    }

    /// A note about classes of which it is unknown whether they are subtypes.
    pub(super) fn note(&self) -> Option<String> {
        let first = self.unknown.first()?;
        let more = match self.unknown.len() - 1 {
            0 => String::new(),
            more => format!(" and of {more} more"),
        };
        let wanted = self.wanted;
        let missing = format!("instances of {wanted} may be missing");
        Some(format!("{missing}: the supertypes of {first}{more} are unknown, as its class file is gone"))
    }
}
