//! Finds the points that were asked without what leads to their effect. An earlier run taught another place
//! of it, and the program does not repeat itself; or its callers were unknown.

use answer::facts::{Astray, RunFacts};
use chain::{Learned, Translation};
use model::Site;
use query::{BranchSite, Constraint, Event, StoreSite, TraceQuery};

/// Marks the points that the run asked differently from `again`, the translation with the facts of this run.
/// Their answers may be wrong. Returns whether there are any. `learned` is what earlier runs have taught.
pub fn mark(run_facts: &mut RunFacts, again: &Translation, learned: &Learned) -> bool {
    let mut found = false;
    for place in 0..run_facts.queries.len() {
        let Some(query) = run_facts.queries.get(place) else { continue };
        let moved = moved(run_facts, query, again, learned);
        found |= moved.is_some();
        let mut points = query.constraints.iter().map(Constraint::point);
        let why = match points.find(|point| run_facts.astray.contains_key(point)) {
            Some(point) => Some(Astray::Follows(point)),
            None => moved,
        };
        let point = query.point;
        if let Some(why) = why {
            run_facts.astray.entry(point).or_insert(why);
        }
    }
    found
}

/// Why the answer to a query may be wrong, if the facts of this run ask otherwise about its located effect.
fn moved(run_facts: &RunFacts, query: &TraceQuery, again: &Translation, learned: &Learned) -> Option<Astray> {
    let point = query.constraints.iter().find_map(|c| match c {
        Constraint::Before(point) => Some(*point),
        _ => None,
    })?;
    let effect = &run_facts.locator.located(point)?.occurrence;
    let found = run_facts.locator.located(query.point);
    let why = match learned.of(point) {
        Some(_) => Astray::Moved(point),
        None if found.is_none() => Astray::Deeper(point),
        // What was asked by class files alone holds in every run.
        None => return None,
    };
    // Probes may ask only a part of the translation.
    let asked = &run_facts.translation.queries.iter().find(|asked| asked.point == query.point)?.event;
    let Some(again) = again.queries.iter().find(|again| again.point == query.point) else {
        return Some(why);
    };
    let tables = &run_facts.outcome.tables;
    let sites: Vec<&Site> = tables.stack(effect.stack).map(|frame| &frame.site).collect();
    // What older frames did came before the answer.
    let newer = found.map_or(sites.len(), |found| {
        let depth = usize::try_from(tables.depth(found.occurrence.stack)).unwrap_or(usize::MAX);
        sites.len().saturating_sub(depth).saturating_add(1)
    });
    let effect_event = run_facts.queries.iter().find(|query| query.point == point).map(|query| &query.event);
    let mut places = sites.into_iter().take(newer).flat_map(|site| match effect_event {
        Some(event) => event.led_from(site.clone()),
        None => vec![site.clone()],
    });
    let is_same = match (asked, &again.event) {
        (Event::Branched(asked), Event::Branched(again)) => {
            places.all(|place| controls(asked, &place).eq(controls(again, &place)))
        }
        (Event::Stored(asked), Event::Stored(again)) => {
            places.all(|place| stores(asked, &place).eq(stores(again, &place)))
        }
        (asked, again) => format!("{asked:?}") == format!("{again:?}"),
    };
    (!is_same).then_some(why)
}

fn controls<'b>(branches: &'b [BranchSite], place: &Site) -> impl Iterator<Item = (&'b Site, &'b Vec<u32>)> {
    branches.iter().filter_map(|branch| Some((&branch.site, branch.controls.get(place)?)))
}

fn stores<'s>(stores: &'s [StoreSite], place: &Site) -> impl Iterator<Item = &'s Site> {
    stores.iter().filter(|store| store.asked_at.contains(place)).map(|store| &store.site)
}
