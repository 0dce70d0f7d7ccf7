//! Forecasts at a candidate of a point. For each dependent point, they give the last hit that the VM saw
//! before this moment. If the candidate is the point, that hit is the answer, and the next run stops there.

use super::ask::{self, LastHitReply};
use super::field_names::means;
use super::kept_hit::kept_hit;
use super::sites::way;
use super::tracing::value_flow;
use crate::error::RunError;
use crate::queries::Queries;
use crate::stop::Stop;
use crate::vm::to_wire;
use crate::watched::Watched;
use jdwp::Tag;
use jdwp::commands::stack_frame;
use model::{CollectionState, Coordinate, Forecast, LastHit, Occurrence, Value, Way};
use query::{Aspect, Constraint, Event, FrameSelector, PointIndex, Slot, TraceQuery, group_of};
use std::sync::Arc;

/// The last hit of one point as the VM reports it.
struct LastHitForecast {
    last: LastHit,
    /// Its number, if hits are numbered.
    number: Option<u64>,
    /// The hit as a candidate, if the run did not stop at it but kept its values.
    kept: Option<Occurrence>,
}

impl From<LastHit> for LastHitForecast {
    fn from(last: LastHit) -> LastHitForecast {
        LastHitForecast { last, number: None, kept: None }
    }
}

/// The forecasts at a candidate, and those hits that are candidates themselves. Points whose hits all
/// interrupted need no forecast.
pub async fn forecasts(
    watched: &mut Watched,
    queries: &Queries,
    stop: &mut Stop,
    candidate: &Occurrence,
) -> Result<(Vec<Forecast>, Vec<Occurrence>), RunError> {
    let (mut forecasts, mut kept) = (Vec::new(), Vec::new());
    let Some(recorder) = &watched.recorder else { return Ok((forecasts, kept)) };
    let overflown = |number: &u16, budget: &u32| {
        *budget == 0 || recorder.stopped.get(number).is_some_and(|stopped| stopped >= budget)
    };
    let mut numbers: Vec<u16> =
        recorder.budgets.iter().filter(|(n, b)| overflown(n, b)).map(|(n, _)| *n).collect();
    numbers.sort_unstable();
    for number in numbers {
        let Some(query) = queries.get(number) else { continue };
        let point = PointIndex(candidate.query);
        if query.constraints.contains(&Constraint::Before(point)) {
            let last_hit = forecast(watched, stop, candidate, &query, point).await?;
            forecasts.push(Forecast { query: number, last: last_hit.last, number: last_hit.number });
            kept.extend(last_hit.kept);
        }
    }
    Ok((forecasts, kept))
}

/// The last hit of a query before a candidate.
async fn forecast(
    watched: &mut Watched,
    stop: &mut Stop,
    candidate: &Occurrence,
    query: &Arc<TraceQuery>,
    point: PointIndex,
) -> Result<LastHitForecast, RunError> {
    match &query.event {
        Event::Written(_)
        | Event::Read(_)
        | Event::ElementWritten(_)
        | Event::Made(_)
        | Event::Changed(_) => {
            let is_static = matches!(&query.event, Event::Written(f) | Event::Read(f) if f.is_static);
            let owner = match owner_seen(query, candidate, point) {
                // The recorder knows no owner of static fields.
                _ if is_static => jdwp::Value::NULL,
                Some(value @ (Value::Object { .. } | Value::Str(_))) => to_wire(value),
                // Null has no fields.
                Some(_) => return Ok(LastHit::Never.into()),
                None => jdwp::Value::NULL,
            };
            let index = query.constraints.iter().find_map(|c| match c {
                Constraint::Sameness { mine: Slot::Kept(_), point: of, theirs: Slot::Kept(at) }
                    if *of == point =>
                {
                    candidate.kept.get(*at)?.identity()
                }
                _ => None,
            });
            let index = index.and_then(|index| u32::try_from(index).ok()).map_or(0, u32::cast_signed);
            let last = ask::last(watched, stop, query.point.0, owner, index).await?;
            let last = hit_of(watched, query, last);
            let is_varied = watched.recorder.as_ref().is_some_and(|r| r.varied.contains(&query.point.0));
            if !is_varied {
                return Ok(last.into());
            }
            let hit = kept_hit(watched, stop, query, owner, index, &last).await?;
            let (number, kept) = hit.map_or((None, None), |(number, kept)| (Some(number), kept));
            Ok(LastHitForecast { last, number, kept })
        }
        Event::Stored(_) | Event::Branched(_) => Ok(in_activation(watched, stop, query, point).await?.into()),
        Event::Copied(copies) => Ok(value_flow(watched, stop, candidate, query, copies).await?.into()),
        _ => Ok(LastHit::Unknown("its hits are not kept".to_owned()).into()),
    }
}

/// The last hit stored in an activation on the stack: in one given frame, or in the newest frame that stores
/// one.
async fn in_activation(
    watched: &mut Watched,
    stop: &mut Stop,
    query: &Arc<TraceQuery>,
    point: PointIndex,
) -> Result<LastHit, RunError> {
    let selector = query.constraints.iter().find_map(|c| match c {
        Constraint::MayAffect { point: of, frame } if *of == point => Some(*frame),
        _ => None,
    });
    let frames = stop.frames(&mut watched.vm).await?.to_vec();
    let wanted = match selector {
        Some(FrameSelector::Nth(n)) => {
            let index = stop.frame_index(&mut watched.vm, n).await?;
            index.map_or(0..0, |index| index..index + 1)
        }
        _ => 0..frames.len(),
    };
    for frame in frames.get(wanted).unwrap_or_default() {
        let location = frame.location;
        let at = watched.vm.method(location.class, location.method).await?.name.clone();
        let here = model::Site { method: at, bci: crate::vm::bci(location.index) };
        let group = match &query.event {
            Event::Branched(branches) => group_of(branches, &here),
            _ => Some(0),
        };
        // If nothing in this frame controls the place, try an older frame.
        let Some(group) = group else { continue };
        let name = wire::kept_name(query.point.0, group);
        let Some(method) = watched.vm.rewritten(location.class, location.method).await? else { continue };
        let Some(slot) = method.slot(&name) else { continue };
        let slots = vec![stack_frame::Slot { slot: slot.into(), sigbyte: Tag::Long }];
        let ask = stack_frame::GetValues { thread: stop.thread, frame: frame.frame_id, slots };
        let kept = watched.vm.conn().send(ask).await?;
        let Some(jdwp::Value::Long(record)) = kept.first().copied() else { continue };
        let (site, ordinal) = (u32::try_from(record & 0xf_ffff).unwrap_or(0), record.cast_unsigned() >> 20);
        if ordinal == 0 {
            continue;
        }
        let thread = watched.tables.thread(stop.key);
        let hit = hit_of(watched, query, LastHitReply::Hit { site, ordinal, thread });
        return Ok(match hit {
            LastHit::At(coordinate) if !is_for(query, &coordinate, &here) => LastHit::Unknown(format!(
                "the last hit in the activation, at {}, is not for {here}",
                coordinate.site
            )),
            hit => hit,
        });
    }
    Ok(LastHit::Never)
}

fn hit_of(watched: &mut Watched, query: &TraceQuery, last: LastHitReply) -> LastHit {
    let (site, ordinal, thread) = match last {
        LastHitReply::None => return LastHit::Never,
        LastHitReply::Unknown(why) => return LastHit::Unknown(why),
        LastHitReply::Hit { site, ordinal, thread } => (site, ordinal, thread),
    };
    let Some(site) = watched.vm.agent_report.as_mut().and_then(|report| report.site(site)) else {
        return LastHit::Unknown("the agent did not report a site".to_owned());
    };
    if site.query != query.point.0 {
        return LastHit::Unknown("the recorder kept a hit of another point".to_owned());
    }
    if let Event::Written(field) | Event::Read(field) = &query.event
        && !means(watched.pool(), field, &site)
    {
        return LastHit::Unknown(format!("{} accesses another field of that name", site.site));
    }
    LastHit::At(Coordinate {
        query: site.query,
        site: site.site.clone(),
        thread,
        ordinal: u32::try_from(ordinal).unwrap_or(u32::MAX),
        way: way(query, &site),
    })
}

/// What a candidate sees of the collections whose earlier changes are queried.
pub async fn sights(
    watched: &mut Watched,
    queries: &Queries,
    stop: &mut Stop,
    candidate: &Occurrence,
) -> Result<Vec<CollectionState>, RunError> {
    let mut sights = Vec::new();
    if watched.recorder.is_none() {
        return Ok(sights);
    }
    let point = PointIndex(candidate.query);
    for number in queries.numbers() {
        let Some(query) = queries.get(number) else { continue };
        let Event::Changed(contents) = &query.event else { continue };
        if !query.constraints.contains(&Constraint::Before(point)) {
            continue;
        }
        let Some(owner @ Value::Object { .. }) = owner_seen(&query, candidate, point) else { continue };
        let (owner, all) = (to_wire(owner), contents.aspect == Aspect::All);
        sights.extend(ask::now(watched, stop, number, all, owner).await?);
    }
    Ok(sights)
}

/// The object at a point whose hits a query looks for.
fn owner_seen<'c>(query: &TraceQuery, candidate: &'c Occurrence, point: PointIndex) -> Option<&'c Value> {
    let owner = query.constraints.iter().find_map(|c| match c {
        Constraint::Sameness { mine: Slot::Owner, point: of, theirs } if *of == point => Some(*theirs),
        _ => None,
    });
    match owner? {
        Slot::Owner => Some(&candidate.owner),
        Slot::Kept(place) => candidate.kept.get(place),
    }
}

/// Whether the query looks for this hit from a frame at `here`. Hits of one query are stored together, for
/// all such frames.
fn is_for(query: &TraceQuery, hit: &Coordinate, here: &model::Site) -> bool {
    let way = hit.way.map(Way::get);
    match &query.event {
        Event::Stored(stores) => {
            way.and_then(|way| stores.get(usize::from(way))).is_some_and(|s| s.asked_at.contains(here))
        }
        Event::Branched(branches) => branches.iter().any(|b| {
            b.site == hit.site
                && b.controls.get(here).is_some_and(|ways| way.is_some_and(|way| ways.contains(&way.into())))
        }),
        _ => true,
    }
}
