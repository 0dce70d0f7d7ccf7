//! Turns a stop of the recorder into an occurrence of its site's TraceQuery.

use super::agent_report::NumberedSite;
use super::ask::RecorderStop;
use super::ask::{elements, stopped};
use super::collection::changed;
use super::field_names::means;
use super::jdk_write::jdk_write;
use super::sites::way;
use super::tested_hits::Passed;
use super::values::{declaring, new_value};
use super::visit::{taken, visited};
use crate::caller_frame::made;
use crate::candidates::{Candidates, tell_turns};
use crate::collect::slot_value;
use crate::error::RunError;
use crate::hits;
use crate::stop::Stop;
use crate::twins::note_twins;
use crate::watched::Watched;
use jdwp::commands::{array_reference, object_reference, reference_type, stack_frame};
use jdwp::{ArrayId, Location, Tag, ThreadId};
use model::{Coordinate, Detail, Value, Way};
use query::{BranchSite, Event, Field, TraceQuery};

/// Handles a thread stopped by the recorder.
pub async fn probed(
    watched: &mut Watched,
    candidates: &mut Candidates,
    thread: ThreadId,
) -> Result<Option<Stop>, RunError> {
    let Some(mut hit) = stopped(watched, thread).await? else { return Ok(None) };
    let Some(site) = watched.vm.agent_report.as_mut().and_then(|report| report.site(hit.site)) else {
        watched.report.warn(format!("the recorder stopped at a site without a name ({})", hit.site));
        return Ok(None);
    };
    if let Some(recorder) = &mut watched.recorder {
        let stopped = recorder.stopped.entry(site.query).or_default();
        *stopped = stopped.saturating_add(1);
        if !recorder.count_stop(thread, (hit.nth > 0).then_some(hit.nth)) {
            watched.report.unprobed.push("the VM did not report a stop of the recorder".to_owned());
        }
    }
    let key = candidates.thread_key(watched, thread).await?;
    let identity = watched.tables.thread(key);
    let location = Location { index: site.site.bci.into(), ..hit.location };
    let mut stop = Stop::below(thread, key, location, hit.hidden);
    if let Some(frames) = hit.frames.take() {
        stop.read(&mut watched.vm, frames).await?;
    }
    let ordinal = u32::try_from(hit.ordinal).unwrap_or(u32::MAX);
    let Some(query) = candidates.query(site.query) else { return Ok(Some(stop)) };
    let hit_way = match &query.event {
        Event::Branched(_) => Way::new(hit.bits),
        _ => way(&query, &site),
    };
    if let Some(recorder) = &mut watched.recorder
        && recorder.varied.contains(&site.query)
    {
        let (query, site) = (site.query, site.site.clone());
        let thread = identity.clone();
        recorder.numbered.insert(Coordinate { query, site, thread, ordinal, way: hit_way });
    }
    let is_tested = watched.recorder.as_ref().is_some_and(|recorder| recorder.tested.is_tested(&site));
    // Unless it tests a condition, the VM does not know whether a pass over a line begins here.
    if is_tested || !matches!(query.event, Event::Reached(_)) {
        stop.counted = Some((ordinal, hit_way));
    }
    if is_tested {
        let is_reached = matches!(query.event, Event::Reached(_));
        let passed = passed(watched, &mut hit, !is_reached).await?;
        if let Some(recorder) = &mut watched.recorder {
            let (report, result) = (&mut watched.report, hit.index);
            recorder.tested.note(report, &query, &identity, hit.site, result, passed);
        }
        stop.passed = passed.before;
        let false_before = watched.report.query(site.query).condition_false;
        if is_reached {
            // The VM knows that a pass begins here.
            candidates.offer(watched, &mut stop, &query, None).await?;
        } else {
            occurred(watched, candidates, &mut stop, &query, &site, &mut hit, hit_way).await?;
        }
        let is_false = watched.report.query(site.query).condition_false > false_before;
        if hit.index == UNKNOWN && is_false {
            watched.report.query(site.query).refuted += 1;
        }
        if hit.index == TRUE && is_false {
            let id = &query.id;
            watched.report.unprobed.push(format!("{id}: the VM tested its condition with another result"));
        }
        return Ok(Some(stop));
    }
    occurred(watched, candidates, &mut stop, &query, &site, &mut hit, hit_way).await?;
    Ok(Some(stop))
}

/// The result of a test by which a hit satisfies the condition.
const TRUE: i32 = 1;
/// The result if that is unknown.
const UNKNOWN: i32 = 2;

/// What the recorder tells of hits that have not interrupted. If the event has a value, that comes with it.
async fn passed(watched: &mut Watched, hit: &mut RecorderStop, has_value: bool) -> Result<Passed, RunError> {
    let mut counts = hit.value;
    if has_value {
        let [value, told] = elements(watched, hit.value).await?[..] else { return Ok(Passed::default()) };
        (hit.value, counts) = (value, told);
    }
    let number = |value: &jdwp::Value| match value {
        jdwp::Value::Long(number) => u64::try_from(*number).unwrap_or(0),
        _ => 0,
    };
    let told: Vec<u64> = elements(watched, counts).await?.iter().map(number).collect();
    let [missed, before, strangers] = told[..] else { return Ok(Passed::default()) };
    Ok(Passed { missed, before, strangers })
}

async fn occurred(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    query: &TraceQuery,
    site: &NumberedSite,
    hit: &mut RecorderStop,
    way: Option<Way>,
) -> Result<(), RunError> {
    match &query.event {
        Event::Reached(passes) => {
            let number = query.point.0;
            let here = passes.iter().enumerate().filter(|(_, p)| p.method == site.site.method);
            for (pass, place) in here {
                let pass = u16::try_from(pass).unwrap_or(u16::MAX);
                if place.exits.contains(&site.site.bci)
                    && let Some(activation) = candidates.thread(stop.thread).activation(watched, stop).await?
                {
                    candidates.thread(stop.thread).end_pass(activation, number, pass);
                }
                if place.entries.contains(&site.site.bci) {
                    hits::passed(watched, candidates, stop, number, pass, true).await?;
                }
            }
            Ok(())
        }
        Event::Returned(_) => {
            let descriptor = site.site.method.descriptor.rsplit_once(')').map_or("V", |(_, r)| r);
            let result = match descriptor {
                "V" => Value::Void,
                of => new_value(watched, of, hit).await?,
            };
            stop.parts.result = Some(result.clone());
            candidates
                .offer(watched, stop, query, Some(Detail { result: Some(result), ..Detail::default() }))
                .await
        }
        Event::Written(field) | Event::Read(field) if !means(watched.pool(), field, site) => Ok(()),
        Event::Written(field) | Event::Read(field) => {
            accessed(watched, candidates, stop, query, field, site, hit).await
        }
        Event::ElementWritten(element) => {
            element_written(watched, candidates, stop, query, &element.descriptor, site, hit).await
        }
        Event::Changed(contents) => changed(watched, candidates, stop, query, contents, hit).await,
        Event::Made(making) => match hit.owner {
            jdwp::Value::Object { .. } => made(watched, candidates, stop, query, making, hit.owner).await,
            _ => Ok(()),
        },
        Event::Stored(stores) => {
            let Some(store) = way.and_then(|way| stores.get(usize::from(way.get()))) else {
                return Ok(());
            };
            let new = new_value(watched, &store.descriptor, hit).await?;
            if store.old_readable {
                let tag = Tag::of_signature(&store.descriptor).unwrap_or(Tag::Object);
                stop.parts.old = Some(slot_value(watched, stop, store.slot, tag).await?);
            }
            stop.parts.new = Some(new);
            taken(watched, candidates, stop, query, way).await
        }
        Event::Branched(branches) => {
            let turns = turns(watched, stop, query.point.0, branches, site, way).await?;
            let Some(mut occurrence) = candidates.admitted(watched, stop, query).await? else {
                return Ok(());
            };
            occurrence.way = way;
            note_twins(watched, stop, &mut occurrence).await?;
            tell_turns(&mut occurrence, turns);
            candidates.add(occurrence);
            Ok(())
        }
        Event::Copied(copies) => visited(watched, candidates, stop, query, copies, site, hit).await,
        Event::Thrown { .. } | Event::Skipped(_) => Ok(()),
    }
}

/// The number of iterations that the activation has counted of the endless loop that a branch leaves.
async fn turns(
    watched: &mut Watched,
    stop: &mut Stop,
    query: u16,
    branches: &[BranchSite],
    site: &NumberedSite,
    way: Option<Way>,
) -> Result<Option<u32>, RunError> {
    let Some(branch) = branches.iter().position(|b| b.site == site.site) else { return Ok(None) };
    let decides = |b: &BranchSite| way.is_some_and(|way| b.decides(way.get().into()));
    if !branches.get(branch).is_some_and(|b| b.turns.is_some() && decides(b)) {
        return Ok(None);
    }
    let Some(frame) = stop.frames(&mut watched.vm).await?.first().cloned() else { return Ok(None) };
    let (class, method) = (frame.location.class, frame.location.method);
    let name = wire::turns_name(query, u16::try_from(branch).unwrap_or(u16::MAX));
    let Some(method) = watched.vm.rewritten(class, method).await? else { return Ok(None) };
    let Some(slot) = method.slot(&name) else { return Ok(None) };
    let slots = vec![stack_frame::Slot { slot: slot.into(), sigbyte: Tag::Int }];
    let ask = stack_frame::GetValues { thread: stop.thread, frame: frame.frame_id, slots };
    let kept = watched.vm.conn().send(ask).await?;
    Ok(match kept.first() {
        Some(jdwp::Value::Int(turns)) => u32::try_from(*turns).ok(),
        _ => None,
    })
}

/// Handles a field that is about to be written or read, or that a call has written.
async fn accessed(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    query: &TraceQuery,
    field: &Field,
    site: &NumberedSite,
    hit: &mut RecorderStop,
) -> Result<(), RunError> {
    // With several classes of the name the run is refused (`install`).
    let Some(class) = declaring(watched, field, hit.owner).await? else { return Ok(()) };
    let Some(declared) = class.fields.iter().find(|f| *f.name == *field.name) else { return Ok(()) };
    let (fields, descriptor) = (vec![declared.id], declared.descriptor.clone());
    let by_jdk = jdk_write(watched, site, &descriptor, hit).await?;
    let conn = watched.vm.conn().clone();
    let old = match hit.owner {
        jdwp::Value::Object { id: Some(object), .. } => {
            conn.send(object_reference::GetValues { object, fields }).await?
        }
        // A write to a field of null throws and changes nothing.
        _ if !field.is_static => return Ok(()),
        _ => conn.send(reference_type::GetValues { ref_type: class.id, fields }).await?,
    };
    let mut raw = vec![old.into_iter().next().unwrap_or(jdwp::Value::NULL)];
    raw.push(if field.is_static { watched.vm.class_object(class.id).await? } else { hit.owner });
    let mut values = watched.vm.values(&mut watched.tables, &raw).await?.into_iter();
    stop.parts.old = values.next();
    let owner = values.next();
    (stop.parts.owner, stop.parts.class) = match field.is_static {
        true => (None, watched.class_owner(class.id, owner)),
        false => (owner, None),
    };
    let writes = matches!(query.event, Event::Written(_));
    stop.parts.new =
        if writes { Some(new_value(watched, &descriptor, hit).await?) } else { stop.parts.old.clone() };
    let detail = by_jdk.map(|(old, detail)| {
        stop.parts.old = Some(old);
        detail
    });
    candidates.offer(watched, stop, query, detail).await
}

/// Handles an array element that is about to be written, or that a call has written.
async fn element_written(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    query: &TraceQuery,
    descriptor: &str,
    site: &NumberedSite,
    hit: &mut RecorderStop,
) -> Result<(), RunError> {
    // A store to null throws and changes nothing.
    let jdwp::Value::Object { id: Some(array), .. } = hit.owner else { return Ok(()) };
    let by_jdk = jdk_write(watched, site, descriptor, hit).await?;
    let array_object = ArrayId::of(array);
    let conn = watched.vm.conn().clone();
    let old = conn.send(array_reference::GetValues { array_object, first_index: hit.index, length: 1 }).await;
    let old = match old {
        Ok(region) => region.iter().next().unwrap_or(jdwp::Value::NULL),
        Err(e) if e.is_fatal() => return Err(e.into()),
        // An index out of bounds also throws.
        Err(_) => return Ok(()),
    };
    let mut values = watched.vm.values(&mut watched.tables, &[old, hit.owner]).await?.into_iter();
    stop.parts.old = values.next();
    stop.parts.owner = values.next();
    stop.parts.index = Some(Value::Int(hit.index));
    stop.parts.new = Some(new_value(watched, descriptor, hit).await?);
    let detail = by_jdk.map(|(old, detail)| {
        stop.parts.old = Some(old);
        detail
    });
    candidates.offer(watched, stop, query, detail).await
}
