//! Interprets a site numbered by the agent for its query.

use super::agent_report::NumberedSite;
use super::site_events::{assigned, copied};
use model::Way;
use query::{Copies, CopySite, Event, TraceQuery};

/// The `way` of an occurrence at a site: the target of a branch, or the index of the store in the event.
pub fn way(query: &TraceQuery, site: &NumberedSite) -> Option<Way> {
    match &query.event {
        Event::Branched(_) => Way::new(site.way?),
        Event::Stored(stores) => {
            let is = |s: &query::StoreSite| {
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
