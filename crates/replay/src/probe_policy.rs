//! Decides whether and how probes watch a run: which hits of a point suspend the VM, and what the last hits
//! kept by the VM mean for the next run.
//!
//! A point that asks for the last change or condition does not stop at each hit. It stops at the first few;
//! of the others, the VM keeps the last one per object and per activation. When the effect is located, the VM
//! reports which hit was the last before it, and the next run stops there. So all displayed data come from
//! one run, and that run's own probes confirm that no later hit followed.

use crate::query_hits::{depends, effect, is_common, is_kept_whole, numbers};
use crate::seen_hits::{Ample, NumberedHits, SeenHits, Total};
use answer::facts::{Astray, RunFacts, ValueFlows};
use answer::value_flow::{self, FlowVerdict};
use locate::{Located, Locator};
use model::{Coordinate, LastHit, Site, Tables};
use query::{Constraint, Event, PointIndex, TraceQuery};
use run::{Gate, HitWindow};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How runs are watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// By probes if they help and can be placed, otherwise by JDWP events.
    #[default]
    Auto,
    /// By JDWP events only.
    Jdwp,
    /// By probes; an error if they cannot be placed.
    Probe,
    /// By JDWP events if they can answer, otherwise by probes. A run watched by events accepts more questions
    /// while it is on.
    EventsFirst,
}

/// Number of a point's initial hits that suspend the VM. Reading them takes about as long as another run of a
/// small program.
pub const EAGER: u32 = 100;
/// How often the last hit of a point may change between runs before probes give up.
const CHANGES: u32 = 4;
/// For a nondeterministic program: number of hits before and after the last hit of one run at which the next
/// run stops.
const WINDOW: u64 = 100;
/// Like [`WINDOW`], for hits kept per activation, which are counted per thread.
const NEAR: u32 = 300;
/// If the last hit has at most this number in its thread, a run can stop at every hit.
const FEW: u32 = 1000;
/// How many runs may miss the last hit of a point with numbered hits before probes give up.
const MISSES: u32 = 2;
/// Like [`FEW`], for points that need no numbers.
const MODERATE: u32 = 2000;
/// How many stops of a run may serve points with moderately many hits, whatever the time of a run: as many as
/// one point has at most.
const MOST_STOPS: u32 = 2 * MODERATE + EAGER;
/// Approximate time to read one stop of a probe.
const STOP: Duration = Duration::from_micros(700);

/// What earlier runs by probes have shown.
#[derive(Clone, Debug, Default)]
pub struct ProbePolicy {
    points: BTreeMap<PointIndex, SeenHits>,
    /// The known value flows.
    value_flows: ValueFlows,
    /// Why later runs are watched by JDWP events.
    refused: Option<String>,
}

/// The result of a run by probes.
pub enum ProbeVerdict {
    /// Its answers are confirmed.
    Holds,
    /// Another run is needed, to stop at the hits that this one found.
    Again(String),
    /// Probes cannot answer.
    Refused(String),
}

impl ProbePolicy {
    /// Why probes are no longer used.
    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// The known value flows.
    pub fn value_flows(&self) -> &ValueFlows {
        &self.value_flows
    }

    fn seen(&self, point: PointIndex) -> Option<&SeenHits> {
        self.points.get(&point)
    }

    fn varied(&self, point: PointIndex) -> Option<NumberedHits> {
        self.seen(point)?.varied
    }

    fn total(&self, point: PointIndex) -> Total {
        self.seen(point).map_or(Total::Unknown, |seen| seen.total)
    }

    /// Begins a series of runs: resets the counts of changes and misses.
    pub fn begin(&mut self) {
        for seen in self.points.values_mut() {
            seen.changes = 0;
            seen.varied.iter_mut().for_each(|numbered| numbered.misses = 0);
        }
        self.value_flows.begin();
    }

    /// Gives up probes for this reason.
    pub fn refuse(&mut self, why: String) {
        self.refused = Some(why);
    }

    /// Restricts the TraceQueries of the next run to the known sites of their effects.
    pub fn narrowed(&self, queries: Vec<TraceQuery>) -> Vec<TraceQuery> {
        let narrow = |mut query: TraceQuery| {
            let Some(sites) = self.seen(query.point).and_then(|seen| seen.only.as_ref()) else {
                return query;
            };
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

    /// Chooses which hits suspend the VM: all, or the first `eager` ones, the expected last ones and the
    /// possible halts.
    pub fn gates(&self, queries: &[TraceQuery], all: bool, eager: u32, halts: &[Coordinate]) -> Vec<Gate> {
        let gate = |query: &TraceQuery| match effect(query) {
            _ if matches!(query.event, Event::Copied(_)) => {
                Gate::First { budget: 0, armed: self.value_flows.armed(queries, query.point) }
            }
            Some(_) if !all && let Some(numbered) = self.varied(query.point) => {
                let last = numbered.last;
                let near = WINDOW << (2 * numbered.misses.min(MISSES));
                let few = numbered.by_thread.filter(|hit| *hit <= FEW);
                let few = few.map_or(0, |hit| 2 * u64::from(hit) + WINDOW);
                let (from, to) =
                    last.map_or((0, few), |last| (last.saturating_sub(near), last.saturating_add(near)));
                // A run that stopped at the hit can show more. Otherwise the recorder's copy of the last hit
                // is enough.
                let whole = last.is_some() && is_kept_whole(query);
                Gate::Varied(HitWindow { from, to, whole, with: None })
            }
            // Hits kept per activation stop only where the hits of the numbered point stop.
            Some(effect) if !all && let Some(with) = self.varied_above(queries, effect) => {
                Gate::Varied(HitWindow { from: 0, to: 0, whole: false, with: Some(with.0) })
            }
            Some(_) if !all => {
                let seen = self.seen(query.point);
                let ample = seen.and_then(|seen| seen.ample.stops());
                let known = seen.and_then(|seen| seen.armed.as_ref()).filter(|_| ample.is_none());
                let mut armed = known.cloned().unwrap_or_default();
                // If the last hit is expected elsewhere, or the first hits are the JDK's own, they need not
                // stop.
                let budget = if armed.is_empty() && !is_common(query) { eager } else { 0 };
                let budget = ample.map_or(budget, |ample| ample.max(budget));
                let halts = halts.iter().filter(|at| at.query == query.point.0 && !armed.contains(at));
                armed.extend(halts.cloned().collect::<Vec<_>>());
                Gate::First { budget, armed }
            }
            // No other point depends on the hits that the index does not select.
            None if !all && halts.is_empty() && query.is_numbered() => {
                match (u64::try_from(query.index), self.total(query.point)) {
                    (Ok(index), _) => Gate::Only(index),
                    (Err(_), Total::Unknown) => Gate::Last(None),
                    (Err(_), Total::Counted(total)) => Gate::Last(total.checked_sub(1)),
                    (Err(_), Total::Uncountable) => Gate::All,
                }
            }
            _ => Gate::All,
        };
        queries.iter().map(gate).collect()
    }

    /// Compares the located points with the last hits that the VM kept. `took` is the run's time.
    pub fn verdict(&mut self, run_facts: &RunFacts, gates: &[Gate], took: Duration) -> ProbeVerdict {
        if let Some(why) = run_facts.outcome.report.unprobed.first() {
            return ProbeVerdict::Refused(why.clone());
        }
        // JDWP also reports events of hidden classes. If only probes can answer, [`unseen`] says what they
        // miss.
        let hidden = run_facts.outcome.report.hidden.first();
        if let Some(hidden) = hidden.filter(|_| needed(&run_facts.queries).is_none()) {
            return ProbeVerdict::Refused(hidden.to_string());
        }
        let mut again = Vec::new();
        for (query, copies) in value_flow::asked(&run_facts.queries) {
            match self.value_flows.verdict(run_facts, query, copies) {
                FlowVerdict::Holds => {}
                FlowVerdict::Again => again.push(query.id.clone()),
                FlowVerdict::Refused(why) => return ProbeVerdict::Refused(why),
            }
        }
        for (query, gate) in run_facts.queries.iter().zip(gates) {
            if matches!(gate, Gate::Last(_)) && !self.has_last(run_facts, query) {
                again.push(query.id.clone());
                continue;
            }
            let tables = &run_facts.outcome.tables;
            let Some((effect, last)) = other_last(query, gate, &run_facts.locator, tables) else { continue };
            // There were more hits, at other sites or in other threads.
            if let Some(seen) = self.points.get_mut(&query.point)
                && seen.ample.stops().is_some()
            {
                seen.ample = Ample::Missed;
            }
            let queries = &run_facts.queries;
            let prepared = match last {
                LastHit::Flow(_) => continue,
                LastHit::Never => Err("its hit was not kept".to_owned()),
                LastHit::At(last) if self.stops_at_all(queries, query, last, took) => {
                    self.points.entry(query.point).or_default().ample = Ample::Stops(ample(last));
                    Ok(())
                }
                LastHit::At(last) if self.varied(query.point).is_some() || self.varies(query) => {
                    self.stop_at_numbered(queries, query, last, last_number(query, effect))
                }
                LastHit::At(last) => self.stop_at(query, last),
                LastHit::Unknown(why) => {
                    let sites = tables.stack(effect.occurrence.stack).map(|f| f.site.clone()).collect();
                    let is_useful = self.look_for(queries, query, sites);
                    is_useful.then_some(()).ok_or_else(|| why.to_string())
                }
            };
            match prepared {
                Ok(()) => again.push(query.id.clone()),
                Err(why) => return ProbeVerdict::Refused(format!("{}: {why}", query.id)),
            }
        }
        match again.as_slice() {
            [] => self.still_narrow(run_facts),
            ids => ProbeVerdict::Again(format!("to stop at {}", listed(ids))),
        }
    }

    /// Prepares the next run to stop at the last hit of a point whose hits are numbered. `number` is that of
    /// the hit.
    ///
    /// # Errors
    /// Why probes cannot answer.
    fn stop_at_numbered(
        &mut self,
        queries: &[TraceQuery],
        query: &TraceQuery,
        last: &Coordinate,
        number: Option<u64>,
    ) -> Result<(), String> {
        self.number(queries, query.point);
        let numbered = self.points.entry(query.point).or_default().varied.get_or_insert_default();
        if numbered.last.is_some() {
            numbered.misses += 1;
        }
        if numbered.misses >= MISSES {
            return Err(missed(number));
        }
        numbered.by_thread = Some(last.ordinal);
        numbered.last = number.or(numbered.last);
        Ok(())
    }

    /// Prepares the next run to stop at the last hit of a point.
    ///
    /// # Errors
    /// Why probes cannot answer.
    fn stop_at(&mut self, query: &TraceQuery, last: &Coordinate) -> Result<(), String> {
        if !self.may_change(query.point) {
            let why = "the last hit differs from run to run: the program is nondeterministic";
            return Err(why.to_owned());
        }
        let seen = self.points.entry(query.point).or_default();
        let armed = match seen.armed {
            // The last hit changed since the previous run, so the next run also stops at the hits around it.
            Some(_) if !numbers(query) => around(last),
            _ => vec![last.clone()],
        };
        seen.armed = Some(armed);
        Ok(())
    }

    /// Prepares the next run to look for a last hit that this one did not keep. `sites` are those of the
    /// effect's stack. Returns whether that run can show more.
    fn look_for(&mut self, queries: &[TraceQuery], query: &TraceQuery, sites: Vec<Site>) -> bool {
        if self.varies(query) {
            self.number(queries, query.point);
            return true;
        }
        if self.points.entry(query.point).or_default().armed.take().is_some() && self.may_change(query.point)
        {
            // The expected hit did not occur: search again.
            return true;
        }
        let narrows = matches!(query.event, Event::Branched(_) | Event::Stored(_));
        if !narrows
            || self.seen(query.point).and_then(|seen| seen.only.as_ref()) == Some(&sites)
            || !self.may_change(query.point)
        {
            return false;
        }
        self.points.entry(query.point).or_default().only = Some(sites);
        true
    }

    /// Whether the run stopped at the last hit of a point without effect, or there is none. It keeps their
    /// number for the next run.
    fn has_last(&mut self, run_facts: &RunFacts, query: &TraceQuery) -> bool {
        let report = run_facts.outcome.report.queries.get(&query.point.0);
        let (counted, is_counted) = report.map_or((0, true), |of| (of.asked, !of.at_least));
        // Where the VM tests none of them, the run stops at each.
        let is_last = counted == 0 || self.total(query.point) == Total::Counted(counted);
        if is_counted && is_last {
            return true;
        }
        let is_useful = is_counted && self.may_change(query.point);
        let total = if is_useful { Total::Counted(counted) } else { Total::Uncountable };
        self.points.entry(query.point).or_default().total = total;
        false
    }

    /// Checks that each restricted point's effect was located at those sites.
    fn still_narrow(&mut self, run_facts: &RunFacts) -> ProbeVerdict {
        for query in run_facts.queries.iter() {
            let only = self.seen(query.point).and_then(|seen| seen.only.as_ref());
            let (Some(sites), Some(point)) = (only, effect(query)) else { continue };
            let Some(effect) = run_facts.locator.located(point) else { continue };
            let tables = &run_facts.outcome.tables;
            if !tables.stack(effect.occurrence.stack).map(|f| &f.site).eq(sites.iter()) {
                return ProbeVerdict::Refused(format!(
                    "{}: the place of its effect differs from run to run: the program is nondeterministic",
                    query.id
                ));
            }
        }
        ProbeVerdict::Holds
    }

    /// Whether the last hit of a point changed since the previous run, and its hits can be numbered.
    fn varies(&self, query: &TraceQuery) -> bool {
        self.seen(query.point).is_some_and(|seen| seen.armed.is_some() && seen.varied.is_none())
            && numbers(query)
    }

    /// Whether the next run stops at all hits of a point. That finds the last hit even if its count differs
    /// from run to run. It requires few hits of all such points together, and pays off if a run takes long or
    /// if the count has already changed. If hits kept per activation depend on the point, numbered hits serve
    /// better.
    fn stops_at_all(
        &self,
        queries: &[TraceQuery],
        query: &TraceQuery,
        last: &Coordinate,
        took: Duration,
    ) -> bool {
        let point = query.point;
        let seen = self.seen(point);
        let is_tried = seen.is_some_and(|seen| seen.ample != Ample::No || seen.varied.is_some());
        // If the first hits did not include one with a low count, there are many at other sites.
        let is_moderate = (EAGER..=MODERATE).contains(&last.ordinal);
        if is_tried || !is_moderate || !numbers(query) || is_common(query) {
            return false;
        }
        let known = self.points.values().filter_map(|seen| seen.ample.stops());
        let stops = known.fold(ample(last), u32::saturating_add);
        let is_cheap = STOP.saturating_mul(stops) <= took / 2;
        let has_changed = seen.is_some_and(|seen| seen.armed.is_some()) && stops <= MOST_STOPS;
        (is_cheap || has_changed)
            && queries.iter().all(|other| numbers(other) || !depends(queries, other, point))
    }

    /// The nearest point with numbered hits, from an effect upwards through the points it depends on.
    fn varied_above(&self, queries: &[TraceQuery], effect_of: PointIndex) -> Option<PointIndex> {
        let mut point = effect_of;
        // A point depends on earlier points of the chain.
        for _ in 0..queries.len() {
            if self.varied(point).is_some() {
                return Some(point);
            }
            point = effect(queries.iter().find(|query| query.point == point)?)?;
        }
        None
    }

    /// Numbers the hits of a point from now on, and those of all points that depend on it.
    fn number(&mut self, queries: &[TraceQuery], point: PointIndex) {
        self.points.entry(point).or_default().varied.get_or_insert_default();
        for query in queries.iter().filter(|query| numbers(query)) {
            if effect(query).is_some_and(|of| self.varied_above(queries, of).is_some()) {
                self.points.entry(query.point).or_default().varied.get_or_insert_default();
            }
        }
    }

    /// Number of extra runs to allow for points with numbered hits.
    pub fn patience(&self) -> usize {
        let varied = self.points.values().filter(|seen| seen.varied.is_some()).count();
        usize::try_from(MISSES + 2).unwrap_or(0) * varied
    }

    /// The warning for points whose answer no second run has confirmed.
    pub fn unrepeated(&self, queries: &[TraceQuery]) -> Option<String> {
        let varied = queries.iter().filter(|query| self.varied(query.point).is_some());
        let ids: Vec<Arc<str>> = varied.map(|query| query.id.clone()).collect();
        (!ids.is_empty()).then(|| {
            format!(
                "no run of this program repeats another: the answer of {} comes from the last run only",
                listed(&ids)
            )
        })
    }

    fn may_change(&mut self, point: PointIndex) -> bool {
        let changes = &mut self.points.entry(point).or_default().changes;
        *changes += 1;
        *changes <= CHANGES
    }
}

/// The located effect of a query and the last hit before it, if that hit is not the located occurrence.
fn other_last<'l>(
    query: &TraceQuery,
    gate: &Gate,
    locator: &'l Locator,
    tables: &Tables,
) -> Option<(&'l Located, &'l LastHit)> {
    let (point, Gate::First { .. } | Gate::Varied(_)) = (effect(query)?, gate) else { return None };
    // If the effect is not located, the query has no answer either.
    let effect = locator.located(point)?;
    // Without a forecast, every hit has stopped.
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
        LastHit::Unknown(_) | LastHit::Flow(_) => false,
    };
    (!agrees).then_some((effect, last))
}

/// The points for which a run located an occurrence that is not their answer.
pub fn astray(
    queries: &[TraceQuery],
    gates: Option<&[Gate]>,
    locator: &Locator,
    tables: &Tables,
) -> BTreeMap<PointIndex, Astray> {
    let mut astray = BTreeMap::new();
    for (query, gate) in queries.iter().zip(gates.unwrap_or_default()) {
        // A point depends on earlier ones.
        let from = query.constraints.iter().map(Constraint::point).find(|p| astray.contains_key(p));
        let why = match from {
            Some(point) => Some(Astray::Follows(point)),
            None => other_last(query, gate, locator, tables).map(|(_, last)| Astray::Last(last.clone())),
        };
        astray.extend(why.map(|why| (query.point, why)));
    }
    astray
}

/// Number of first hits that include the last one, even if the next run has twice as many.
fn ample(last: &Coordinate) -> u32 {
    last.ordinal.saturating_mul(2).saturating_add(EAGER)
}

/// The hits around a hit, in threads with the same name.
fn around(hit: &Coordinate) -> Vec<Coordinate> {
    let from = hit.ordinal.saturating_sub(NEAR).max(1);
    (from..=hit.ordinal.saturating_add(NEAR)).map(|ordinal| Coordinate { ordinal, ..hit.clone() }).collect()
}

/// The number of the query's last hit before its effect, if hits were numbered.
fn last_number(query: &TraceQuery, effect: &Located) -> Option<u64> {
    let forecasts = &effect.occurrence.detail.as_ref()?.forecasts;
    forecasts.iter().find(|f| f.query == query.point.0)?.number
}

/// Explains why a nondeterministic program is finally watched by JDWP events, and how long that may take.
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

/// Whether probes help at all. A breakpoint without hits costs nothing.
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
        // Its condition is tested in the VM.
        Event::Reached(_) => {
            let local = &query.local;
            let is_filtered = local.when.is_some() || local.thread.is_some() || local.from.is_some();
            is_filtered || query.index != 0 && query.is_numbered()
        }
        Event::Thrown { .. } | Event::Skipped(_) => false,
    })
}

/// A point that only probes can answer, if there is one.
pub fn needed(queries: &[TraceQuery]) -> Option<&TraceQuery> {
    queries.iter().find(|query| query.event.needs_probes())
}

/// What such a point asks for, and why JDWP cannot answer it.
pub fn beyond_events(query: &TraceQuery) -> &'static str {
    match query.event {
        Event::Made(_) => "the creation of an array, which the VM does not report",
        Event::Changed(_) => "the contents of a collection, whose changes the VM does not report",
        Event::Copied(_) => "the origin of a value, whose copies the VM does not report",
        _ => "an element of an array, whose changes the VM does not report",
    }
}
