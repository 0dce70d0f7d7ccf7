//! At a candidate of a point: where the VM has seen the last hit of each point that depends on it, before
//! this moment. If the candidate is the point, then that hit is the answer, and the next run stops there.

use super::recorder::{self, Last};
use crate::model::{Coordinate, Forecast, LastHit, Occurrence, Value, Way};
use crate::query::{Constraint, Event, FrameSelector, PointIndex, Slot, TraceQuery, group_of};
use crate::run::error::RunError;
use crate::run::stop::Stop;
use crate::run::vm::to_wire;
use crate::run::watcher::Watcher;
use jdwp::Tag;
use jdwp::commands::stack_frame;
use std::sync::Arc;

impl Watcher {
    /// The forecasts at a candidate. Points whose every hit has interrupted need none.
    pub(in crate::run) async fn forecasts(
        &mut self,
        stop: &mut Stop,
        candidate: &Occurrence,
    ) -> Result<Vec<Forecast>, RunError> {
        let Some(recorder) = &self.watched.recorder else { return Ok(Vec::new()) };
        let overflown = |number: &u16, budget: &u32| {
            *budget == 0 || recorder.stopped.get(number).is_some_and(|stopped| stopped >= budget)
        };
        let mut numbers: Vec<u16> =
            recorder.budgets.iter().filter(|(n, b)| overflown(n, b)).map(|(n, _)| *n).collect();
        numbers.sort_unstable();
        let mut forecasts = Vec::new();
        for number in numbers {
            let Some(query) = self.query(number) else { continue };
            let point = PointIndex(candidate.query);
            if query.constraints.contains(&Constraint::Before(point)) {
                let (last, at) = self.forecast(stop, candidate, &query, point).await?;
                forecasts.push(Forecast { query: number, last, number: at });
            }
        }
        Ok(forecasts)
    }

    /// The last hit, and its number where hits are numbered.
    async fn forecast(
        &mut self,
        stop: &mut Stop,
        candidate: &Occurrence,
        query: &Arc<TraceQuery>,
        point: PointIndex,
    ) -> Result<(LastHit, Option<u64>), RunError> {
        match &query.event {
            Event::Written(_)
            | Event::Read(_)
            | Event::ElementWritten(_)
            | Event::Made(_)
            | Event::Changed(_) => {
                let owner = match owner_seen(query, candidate, point) {
                    Some(value @ (Value::Object { .. } | Value::Str(_))) => to_wire(value),
                    // Of no object there is no field.
                    Some(_) => return Ok((LastHit::Never, None)),
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
                let last = recorder::last(&mut self.watched, stop, query.point.0, owner, index).await?;
                let last = self.hit_of(query, last);
                let is_varied =
                    self.watched.recorder.as_ref().is_some_and(|r| r.varied.contains(&query.point.0));
                let number = match is_varied {
                    true => self.kept_hit(stop, query, owner, index, &last).await?,
                    false => None,
                };
                Ok((last, number))
            }
            Event::Stored(_) | Event::Branched(_) => {
                Ok((self.in_activation(stop, query, point).await?, None))
            }
            Event::Copied(copies) => Ok((self.came(stop, candidate, query, copies).await?, None)),
            _ => Ok((LastHit::Unknown("its hits are not kept".to_owned()), None)),
        }
    }

    /// The last hit that an activation on the stack keeps: of one frame, or of the newest that keeps one.
    async fn in_activation(
        &mut self,
        stop: &mut Stop,
        query: &Arc<TraceQuery>,
        point: PointIndex,
    ) -> Result<LastHit, RunError> {
        let selector = query.constraints.iter().find_map(|c| match c {
            Constraint::MayAffect { point: of, frame } if *of == point => Some(*frame),
            _ => None,
        });
        let frames = stop.frames(&mut self.watched.vm).await?.to_vec();
        let wanted = match selector {
            Some(FrameSelector::Nth(n)) => {
                let index = stop.frame_index(&mut self.watched.vm, n).await?;
                index.map_or(0..0, |index| index..index + 1)
            }
            _ => 0..frames.len(),
        };
        for frame in frames.get(wanted).unwrap_or_default() {
            let location = frame.location;
            let at = self.watched.vm.method(location.class, location.method).await?.name.clone();
            let here = crate::model::Site { method: at, bci: crate::run::vm::bci(location.index) };
            let group = match &query.event {
                Event::Branched(branches) => group_of(branches, &here),
                _ => Some(0),
            };
            // Where nothing decides about the place, an older frame may have what does.
            let Some(group) = group else { continue };
            let name = wire::kept_name(query.point.0, group);
            let Some(moved) = self.watched.vm.moved(location.class, location.method).await? else { continue };
            let Some(slot) = moved.slot(&name) else { continue };
            let slots = vec![stack_frame::Slot { slot: slot.into(), sigbyte: Tag::Long }];
            let ask = stack_frame::GetValues { thread: stop.thread, frame: frame.frame_id, slots };
            let kept = self.watched.vm.conn().send(ask).await?;
            let Some(jdwp::Value::Long(record)) = kept.first().copied() else { continue };
            let (site, ordinal) =
                (u32::try_from(record & 0xf_ffff).unwrap_or(0), record.cast_unsigned() >> 20);
            if ordinal == 0 {
                continue;
            }
            let thread = self.state(stop.thread).name.to_string();
            let hit = self.hit_of(query, Last::Hit { site, ordinal, thread });
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

    fn hit_of(&mut self, query: &TraceQuery, last: Last) -> LastHit {
        let (site, ordinal, thread) = match last {
            Last::None => return LastHit::Never,
            Last::Unknown(why) => return LastHit::Unknown(why),
            Last::Hit { site, ordinal, thread } => (site, ordinal, thread),
        };
        let Some(site) = self.watched.vm.told.as_mut().and_then(|told| told.site(site)) else {
            return LastHit::Unknown("the agent did not tell of a site".to_owned());
        };
        if site.query != query.point.0 {
            return LastHit::Unknown("the recorder kept a hit of another point".to_owned());
        }
        if let Event::Written(field) | Event::Read(field) = &query.event
            && !self.means(field, &site)
        {
            return LastHit::Unknown(format!("{} is of another field of that name", site.site));
        }
        LastHit::At(Coordinate {
            query: site.query,
            site: site.site.clone(),
            thread: thread.into(),
            ordinal: u32::try_from(ordinal).unwrap_or(u32::MAX),
            way: super::hit::way(query, &site),
        })
    }
}

/// The object at a point whose hits a query looks for.
pub(super) fn owner_seen<'c>(
    query: &TraceQuery,
    candidate: &'c Occurrence,
    point: PointIndex,
) -> Option<&'c Value> {
    let owner = query.constraints.iter().find_map(|c| match c {
        Constraint::Sameness { mine: Slot::Owner, point: of, theirs } if *of == point => Some(*theirs),
        _ => None,
    });
    match owner? {
        Slot::Owner => Some(&candidate.owner),
        Slot::Kept(place) => candidate.kept.get(place),
    }
}

/// Whether a hit is one of those that the query looks for at a frame that stands here. Those of one query are
/// kept together, whichever frame they are for.
fn is_for(query: &TraceQuery, hit: &Coordinate, here: &crate::model::Site) -> bool {
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
