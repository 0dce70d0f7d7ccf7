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
    site.named_by.as_ref().is_none_or(|class| is_field_of(pool, field, class))
}

/// Whether the field has this name in a class, which declares or inherits it.
fn is_field_of(pool: &ClassPool, field: &Field, class: &str) -> bool {
    let mut next = Some(class.to_owned());
    // No class is its own superclass, but a malformed class file can claim it.
    for _ in 0..1000 {
        let Some(class) = next else { return false };
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

/// Number of classes up to which [`means_all`] reads them.
const MOST: usize = 3000;

/// Whether each instruction of the class path that accesses a field of this name means this field. Then the
/// VM can count its hits. Of many classes we do not read the code.
pub fn means_all(pool: &ClassPool, field: &Field) -> bool {
    if pool.user_classes().nth(MOST).is_some() {
        return false;
    }
    let is_other = |op: &bytecode::Op| {
        let named = op.field_access().filter(|(named, _)| *named.name == *field.name);
        named.is_some_and(|(named, _)| !is_field_of(pool, field, &named.class))
    };
    pool.user_classes().all(|class| {
        let Ok(Some(found)) = pool.find(class) else { return false };
        let mut code = found.file.methods.iter().filter_map(|method| method.code.as_ref());
        !code.any(|code| code.instructions.iter().any(|instruction| is_other(&instruction.op)))
    })
}
