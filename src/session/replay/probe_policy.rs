//! Whether and how runs are watched by probes: which hits of which point interrupt, and what the last hits
//! that the VM has kept teach for the next run.
//!
//! A point that asks for the last change or condition does not interrupt at each hit. The first few do; of
//! the rest the VM keeps the last one for each object and in each activation. When the point it is asked from
//! is located, the VM has told which hit was the last before it, and the next run stops there. So everything
//! shown is of one run, and that run's own probes say that nothing came after.

use super::value_flow;
use super::value_flow::Seen;
use crate::locate::{Located, Locator};
use crate::model::{Coordinate, LastHit, Site, Tables};
use crate::query::{Constraint, Event, FrameSelector, PointIndex, Slot, TraceQuery};
use crate::run::{Gate, Varied};
use crate::session::facts::Round;
use crate::session::facts::{Astray, Ways};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How runs are watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// By probes where they help and can be placed, else by JDWP events.
    #[default]
    Auto,
    /// By JDWP events alone.
    Jdwp,
    /// By probes; an error where they cannot be placed.
    Probe,
    /// By JDWP events where they can answer, else by probes: a run by events takes more questions while it is
    /// on.
    EventsFirst,
}

/// So many of the first hits of a point interrupt: reading them takes about as long as another run of a small
/// program.
pub const EAGER: u32 = 100;
/// So often a point's answer may be another hit than the run before said.
const CHANGES: u32 = 4;
/// Of a program that does not repeat itself, so many hits before and behind the last hit of one run interrupt
/// the next one.
const WINDOW: u64 = 100;
/// The same for hits that are kept in an activation, which are counted by thread.
const NEAR: u32 = 300;
/// Where the last hit was no later one in its thread, a run can be interrupted at every hit.
const FEW: u32 = 1000;
/// So many runs may miss the last hit of a point whose hits are numbered.
const MISSES: u32 = 2;

/// What runs by probes have taught.
#[derive(Clone, Debug, Default)]
pub struct Probing {
    /// For each point, the hits to stop at.
    armed: BTreeMap<PointIndex, Vec<Coordinate>>,
    /// For each point, the sites of its effect's stack that it is asked for alone.
    only: BTreeMap<PointIndex, Vec<Site>>,
    /// The points whose hits are numbered: no run repeats another.
    varied: BTreeMap<PointIndex, Numbered>,
    /// How often that has changed.
    changes: BTreeMap<PointIndex, u32>,
    /// The ways by which values came.
    ways: Ways,
    /// Why runs are watched by JDWP events from here on.
    refused: Option<String>,
}

/// A point of a program that does not repeat itself.
#[derive(Clone, Copy, Debug, Default)]
struct Numbered {
    /// The number of its last hit in the run before.
    last: Option<u64>,
    /// Which hit in its thread that was before hits were numbered. Where there are few, all interrupt.
    by_thread: Option<u32>,
    /// How many runs did not stop there.
    misses: u32,
}

/// What a run by probes has come to.
pub enum Conclusion {
    /// Its answers hold.
    Holds,
    /// Another run stops at what this one has found.
    Again(String),
    /// Probes cannot answer.
    Refused(String),
}

impl Probing {
    /// Why probes are not used any more.
    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// The ways by which values came.
    pub fn ways(&self) -> &Ways {
        &self.ways
    }

    /// Runs begin that belong together: how often something changed before is not for them.
    pub fn begin(&mut self) {
        self.changes.clear();
        self.varied.values_mut().for_each(|numbered| numbered.misses = 0);
        self.ways.begin();
    }

    /// No more probes.
    pub fn refuse(&mut self, why: String) {
        self.refused = Some(why);
    }

    /// The TraceQueries of the next run.
    pub fn narrowed(&self, queries: Vec<TraceQuery>) -> Vec<TraceQuery> {
        let narrow = |mut query: TraceQuery| {
            let Some(sites) = self.only.get(&query.point) else { return query };
            match &mut query.event {
                Event::Branched(branches) => {
                    for branch in branches.iter_mut() {
                        branch.controls.retain(|site, _| sites.contains(site));
                    }
                    branches.retain(|branch| !branch.controls.is_empty());
                }
                Event::Stored(stores) => {
                    for store in stores.iter_mut() {
                        store.asked_at.retain(|site| sites.contains(site));
                    }
                    stores.retain(|store| !store.asked_at.is_empty());
                }
                _ => {}
            }
            query
        };
        queries.into_iter().map(narrow).collect()
    }

    /// Which hits interrupt: all of them, or the first `eager` ones and those known to be the last, and those
    /// at which the run may be halted.
    pub fn gates(&self, queries: &[TraceQuery], all: bool, eager: u32, halts: &[Coordinate]) -> Vec<Gate> {
        let gate = |query: &TraceQuery| match effect(query) {
            _ if matches!(query.event, Event::Copied(_)) => {
                Gate::First { budget: 0, armed: self.ways.armed(queries, query.point) }
            }
            Some(_) if !all && self.varied.contains_key(&query.point) => {
                let numbered = self.varied.get(&query.point).copied().unwrap_or_default();
                let last = numbered.last;
                let near = WINDOW << (2 * numbered.misses.min(MISSES));
                let few = numbered.by_thread.filter(|hit| *hit <= FEW);
                let few = few.map_or(0, |hit| 2 * u64::from(hit) + WINDOW);
                let (from, to) =
                    last.map_or((0, few), |last| (last.saturating_sub(near), last.saturating_add(near)));
                // A run that has stopped there has more to show. Where it has not, its own record of the last
                // hit will do.
                let whole = last.is_some() && is_kept_whole(query);
                Gate::Varied(Varied { from, to, whole, with: None })
            }
            // What the activation of a hit keeps is stopped at where hits of that point are.
            Some(effect) if !all && let Some(with) = self.varied_above(queries, effect) => {
                Gate::Varied(Varied { from: 0, to: 0, whole: false, with: Some(with.0) })
            }
            Some(_) if !all => {
                let mut armed = self.armed.get(&query.point).cloned().unwrap_or_default();
                // What is known to be asked for elsewhere need not be looked for among the first.
                let budget = if armed.is_empty() { eager } else { 0 };
                let halts = halts.iter().filter(|at| at.query == query.point.0 && !armed.contains(at));
                armed.extend(halts.cloned().collect::<Vec<_>>());
                Gate::First { budget, armed }
            }
            _ => Gate::All,
        };
        queries.iter().map(gate).collect()
    }

    /// Compares what a run located with what its VM had kept.
    pub fn verdict(&mut self, round: &Round, gates: &[Gate]) -> Conclusion {
        if let Some(why) = round.outcome.report.unprobed.first() {
            return Conclusion::Refused(why.clone());
        }
        // JDWP events come from hidden classes too. Where only probes can answer, [`unseen`] says what they
        // miss.
        let hidden = round.outcome.report.hidden.first();
        if let Some(hidden) = hidden.filter(|_| needed(&round.queries).is_none()) {
            return Conclusion::Refused(hidden.to_string());
        }
        let mut again = Vec::new();
        for (query, copies) in value_flow::asked(&round.queries) {
            match self.ways.verdict(round, query, copies) {
                Seen::Holds => {}
                Seen::Again => again.push(query.id.clone()),
                Seen::Refused(why) => return Conclusion::Refused(why),
            }
        }
        for (query, gate) in round.queries.iter().zip(gates) {
            let tables = &round.outcome.tables;
            let Some((effect, last)) = other_last(query, gate, &round.locator, tables) else { continue };
            match last {
                LastHit::Never => {
                    return Conclusion::Refused(format!("{}: nothing was kept of its hit", query.id));
                }
                LastHit::At(last) if self.varied.contains_key(&query.point) || self.varies(query) => {
                    self.number(&round.queries, query.point);
                    let numbered = self.varied.entry(query.point).or_default();
                    if numbered.last.is_some() {
                        numbered.misses += 1;
                    }
                    if numbered.misses >= MISSES {
                        return Conclusion::Refused(format!(
                            "{}: {}",
                            query.id,
                            missed(last_number(query, effect))
                        ));
                    }
                    numbered.by_thread = Some(last.ordinal);
                    numbered.last = last_number(query, effect).or(numbered.last);
                    again.push(query.id.clone());
                }
                LastHit::At(last) => {
                    if !self.may_change(query.point) {
                        return Conclusion::Refused(format!(
                            "{}: the last hit is another one in each run: the program does not repeat itself",
                            query.id
                        ));
                    }
                    let armed = match self.armed.get(&query.point) {
                        // It was another one before: the next run stops at those around it too.
                        Some(_) if !numbers(query) => around(last),
                        _ => vec![last.clone()],
                    };
                    self.armed.insert(query.point, armed);
                    again.push(query.id.clone());
                }
                LastHit::Came(_) => {}
                LastHit::Unknown(why) => {
                    let sites: Vec<Site> =
                        tables.stack(effect.occurrence.stack).map(|f| f.site.clone()).collect();
                    if self.varies(query) {
                        self.number(&round.queries, query.point);
                        again.push(query.id.clone());
                        continue;
                    }
                    if self.armed.remove(&query.point).is_some() && self.may_change(query.point) {
                        // The hit that was expected did not come: it is looked for anew.
                        again.push(query.id.clone());
                        continue;
                    }
                    let narrows = matches!(query.event, Event::Branched(_) | Event::Stored(_));
                    if !narrows
                        || self.only.get(&query.point) == Some(&sites)
                        || !self.may_change(query.point)
                    {
                        return Conclusion::Refused(format!("{}: {why}", query.id));
                    }
                    self.only.insert(query.point, sites);
                    again.push(query.id.clone());
                }
            }
        }
        match again.as_slice() {
            [] => self.still_narrow(round),
            ids => Conclusion::Again(format!("to stop at {}", listed(ids))),
        }
    }

    /// A point that was asked for some sites of its effect alone must have found it there.
    fn still_narrow(&mut self, round: &Round) -> Conclusion {
        for query in round.queries.iter() {
            let (Some(sites), Some(point)) = (self.only.get(&query.point), effect(query)) else { continue };
            let Some(effect) = round.locator.located(point) else { continue };
            let tables = &round.outcome.tables;
            if !tables.stack(effect.occurrence.stack).map(|f| &f.site).eq(sites.iter()) {
                return Conclusion::Refused(format!(
                    "{}: its effect is elsewhere in each run: the program does not repeat itself",
                    query.id
                ));
            }
        }
        Conclusion::Holds
    }

    /// Whether a point's last hit was another one than the run before had said, and its hits can be numbered.
    fn varies(&self, query: &TraceQuery) -> bool {
        self.armed.contains_key(&query.point) && !self.varied.contains_key(&query.point) && numbers(query)
    }

    /// The point whose hits are numbered among those that an effect is asked from, itself included.
    fn varied_above(&self, queries: &[TraceQuery], effect_of: PointIndex) -> Option<PointIndex> {
        let mut point = effect_of;
        // A point is asked from those before it.
        for _ in 0..queries.len() {
            if self.varied.contains_key(&point) {
                return Some(point);
            }
            point = effect(queries.iter().find(|query| query.point == point)?)?;
        }
        None
    }

    /// A point's hits are numbered from here on, and those of all that are asked from it.
    fn number(&mut self, queries: &[TraceQuery], point: PointIndex) {
        self.varied.entry(point).or_default();
        for query in queries.iter().filter(|query| numbers(query)) {
            if effect(query).is_some_and(|of| self.varied_above(queries, of).is_some()) {
                self.varied.entry(query.point).or_default();
            }
        }
    }

    /// How many more runs than points it may take because some do not repeat.
    pub fn patience(&self) -> usize {
        usize::try_from(MISSES + 2).unwrap_or(0) * self.varied.len()
    }

    /// What is said of the points that are answered from a run that no other run repeats.
    pub fn unrepeated(&self, queries: &[TraceQuery]) -> Option<String> {
        let varied = queries.iter().filter(|query| self.varied.contains_key(&query.point));
        let ids: Vec<Arc<str>> = varied.map(|query| query.id.clone()).collect();
        (!ids.is_empty()).then(|| {
            format!(
                "no run of this program repeats another: the answer of {} is of the last run alone",
                listed(&ids)
            )
        })
    }

    fn may_change(&mut self, point: PointIndex) -> bool {
        let changes = self.changes.entry(point).or_default();
        *changes += 1;
        *changes <= CHANGES
    }
}

/// What a run by probes says of hidden classes that it could not watch.
pub fn unseen(round: &Round) -> Vec<String> {
    let id = |number: &u16| round.queries.iter().find(|q| q.point.0 == *number).map(|q| &*q.id);
    let unseen = round.outcome.report.hidden.iter().map(|hidden| {
        let ids: Vec<&str> = hidden.queries.iter().filter_map(id).collect();
        format!("{hidden}: a hit of {} in its code is not seen", ids.join(", "))
    });
    unseen.collect()
}

/// The located point that a query's last hit comes before, and that hit as the VM has kept it, where that is
/// not what was located for the query.
fn other_last<'l>(
    query: &TraceQuery,
    gate: &Gate,
    locator: &'l Locator,
    tables: &Tables,
) -> Option<(&'l Located, &'l LastHit)> {
    let (point, Gate::First { .. } | Gate::Varied(_)) = (effect(query)?, gate) else { return None };
    // Where its effect is not located, neither can it be.
    let effect = locator.located(point)?;
    // Without a forecast every hit had interrupted.
    let forecasts = &effect.occurrence.detail.as_ref()?.forecasts;
    let last = &forecasts.iter().find(|f| f.query == query.point.0)?.last;
    let located = locator.located(query.point).map(|l| &l.occurrence);
    let found = located.and_then(|o| {
        let site = tables.frame(o.event_frame())?.site.clone();
        let (thread, ordinal) = (tables.thread(o.thread), o.ordinal);
        Some(Coordinate { query: query.point.0, site, thread, ordinal, way: o.way })
    });
    let agrees = match last {
        LastHit::Never => found.is_none(),
        LastHit::At(last) => found.as_ref() == Some(last),
        LastHit::Unknown(_) | LastHit::Came(_) => false,
    };
    (!agrees).then_some((effect, last))
}

/// The points for which a run located what is not their answer.
pub fn astray(
    queries: &[TraceQuery],
    gates: Option<&[Gate]>,
    locator: &Locator,
    tables: &Tables,
) -> BTreeMap<PointIndex, Astray> {
    let mut astray = BTreeMap::new();
    for (query, gate) in queries.iter().zip(gates.unwrap_or_default()) {
        // A point is asked from those above it.
        let from = query.constraints.iter().map(Constraint::point).find(|p| astray.contains_key(p));
        let why = match from {
            Some(point) => Some(Astray::Follows(point)),
            None => other_last(query, gate, locator, tables).map(|(_, last)| Astray::Last(last.clone())),
        };
        astray.extend(why.map(|why| (query.point, why)));
    }
    astray
}

/// Whether the hits of a query can be numbered over all threads: they are kept by owner, not in an
/// activation.
fn numbers(query: &TraceQuery) -> bool {
    !matches!(query.event, Event::Stored(_) | Event::Branched(_) | Event::Copied(_))
}

/// Whether the recorder can keep all that a last hit of the query needs to be a candidate. What other points
/// ask of its frames is not kept.
fn is_kept_whole(query: &TraceQuery) -> bool {
    let is_known = |text: &str| [".index", ".new", ".old"].contains(&text);
    matches!(query.event, Event::Written(_) | Event::ElementWritten(_))
        && query.keep.iter().all(|keep| is_known(keep.expr.text()))
}

/// The hits around a hit in threads of its name.
fn around(hit: &Coordinate) -> Vec<Coordinate> {
    let from = hit.ordinal.saturating_sub(NEAR).max(1);
    (from..=hit.ordinal.saturating_add(NEAR)).map(|ordinal| Coordinate { ordinal, ..hit.clone() }).collect()
}

/// The number of the last hit of a query before its effect, where hits were numbered.
fn last_number(query: &TraceQuery, effect: &Located) -> Option<u64> {
    let forecasts = &effect.occurrence.detail.as_ref()?.forecasts;
    forecasts.iter().find(|f| f.query == query.point.0)?.number
}

/// Why a run that does not repeat is watched by JDWP events at last, and how long that may take.
fn missed(hits: Option<u64>) -> String {
    let long = match hits {
        Some(hits) if hits > 20_000 => {
            format!("; there are some {hits} hits, and JDWP events take about a minute for 100,000")
        }
        _ => String::new(),
    };
    format!("no run of this program repeats another, and none stopped at the last hit{long}")
}

fn listed(ids: &[Arc<str>]) -> String {
    ids.iter().map(|id| &**id).collect::<Vec<_>>().join(", ")
}

/// Whether probes help at all: a breakpoint costs nothing where it is not hit.
pub fn help(queries: &[TraceQuery]) -> bool {
    queries.iter().any(|query| match &query.event {
        Event::Written(_)
        | Event::Read(_)
        | Event::ElementWritten(_)
        | Event::Made(_)
        | Event::Changed(_)
        | Event::Copied(_)
        | Event::Stored(_)
        | Event::Branched(_)
        | Event::Returned(_) => true,
        Event::Reached(_) | Event::Thrown { .. } | Event::Skipped(_) => false,
    })
}

/// A point that only probes can answer.
pub fn needed(queries: &[TraceQuery]) -> Option<&TraceQuery> {
    queries.iter().find(|query| query.event.needs_probes())
}

/// What such a point asks for, and why JDWP events do not tell it.
pub fn beyond_events(query: &TraceQuery) -> &'static str {
    match query.event {
        Event::Made(_) => "the making of an array, and a VM tells nobody of that",
        Event::Changed(_) => "the contents of a collection, and a VM tells nobody when those change",
        Event::Copied(_) => "the way by which a value came, and a VM tells nobody when one is passed on",
        _ => "an element of an array, and a VM tells nobody when one changes",
    }
}

/// For a point whose last hit the VM can tell by itself, the point before which that is: it asks for the
/// last, and for nothing but what is kept by object or in the activation.
fn effect(query: &TraceQuery) -> Option<PointIndex> {
    let local = &query.local;
    let is_narrowed =
        local.when.is_some() || local.thread.is_some() || local.from.is_some() || local.site.is_some();
    if query.index != -1 || is_narrowed {
        return None;
    }
    let mut befores = query.constraints.iter().filter_map(|c| match c {
        Constraint::Before(point) => Some(*point),
        _ => None,
    });
    let (Some(effect), None) = (befores.next(), befores.next()) else { return None };
    let mut by_owner = false;
    for constraint in &query.constraints {
        match constraint {
            Constraint::Before(_) => {}
            Constraint::Sameness { mine: Slot::Owner, point, .. } if *point == effect => by_owner = true,
            // Which element of the array.
            Constraint::Sameness { mine: Slot::Kept(_), point, .. } if *point == effect && by_owner => {}
            Constraint::MayAffect { point, frame: FrameSelector::Nth(_) | FrameSelector::Any }
            | Constraint::SameThread(point)
            | Constraint::StoresFor { point, .. }
            | Constraint::Controls(point)
                if *point == effect => {}
            _ => return None,
        }
    }
    let kept = match &query.event {
        Event::Written(field) | Event::Read(field) => field.is_static || by_owner,
        Event::ElementWritten(_) | Event::Made(_) | Event::Changed(_) => by_owner,
        Event::Stored(_) => true,
        // What enters a handler is no way of a branch.
        Event::Branched(branches) => !branches.iter().any(crate::query::BranchSite::is_handler),
        _ => false,
    };
    kept.then_some(effect)
}
