//! Interprets a site numbered by the agent for its query.

use super::agent_report::NumberedSite;
use super::plan::{assigned, copied};
use crate::classes::ClassPool;
use crate::model::Way;
use crate::query::{Copies, CopySite, Event, Field, TraceQuery};

/// The `way` of an occurrence at a site: the target of a branch, or the index of the store in the event.
pub fn way(query: &TraceQuery, site: &NumberedSite) -> Option<Way> {
    match &query.event {
        Event::Branched(_) => Way::new(site.way?),
        Event::Stored(stores) => {
            let is = |s: &crate::query::StoreSite| {
                s.site == site.site && assigned(s, None).and_then(|what| what.way()) == site.way
            };
            Way::new(stores.iter().position(is)?)
        }
        Event::Copied(copies) => Way::new(place_of(copies, site)?),
        _ => None,
    }
}

/// The index of a site among the places of a value flow.
pub fn place_of(copies: &Copies, site: &NumberedSite) -> Option<u32> {
    let is = |place: &CopySite| place.site == site.site && copied(place).way() == site.way;
    u32::try_from(copies.sites.iter().position(is)?).ok()
}

/// Whether a site accesses this field, even if it names the field by another class.
pub fn means(pool: &ClassPool, field: &Field, site: &NumberedSite) -> bool {
    let mut next = site.named_by.clone();
    // No class is its own superclass, but a malformed class file can claim it.
    for _ in 0..1000 {
        let Some(class) = next else { return site.named_by.is_none() };
        if *class == *field.class {
            return true;
        }
        match pool.find(&class).ok().flatten() {
            Some(found) if found.file.field(&field.name).is_some() => return false,
            Some(found) => next = found.file.super_name.clone(),
            // Without a class file we cannot exclude that it is this field.
            None => return true,
        }
    }
    false
}
