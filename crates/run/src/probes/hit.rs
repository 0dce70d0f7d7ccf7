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
use query::{BranchSite, Event, Field, Pass, TraceQuery};
use std::sync::Arc;

/// A hit at which the recorder stopped a thread.
struct ProbedHit {
    query: Arc<TraceQuery>,
    site: Arc<NumberedSite>,
    /// The way of its occurrence.
    way: Option<Way>,
    /// What the recorder tells of it.
    told: RecorderStop,
}

impl ProbedHit {
    fn is_pass(&self) -> bool {
        matches!(self.query.event, Event::Reached(_))
    }
}

/// Handles a thread stopped by the recorder.
pub async fn probed(
    watched: &mut Watched,
    candidates: &mut Candidates,
    thread: ThreadId,
) -> Result<Option<Stop>, RunError> {
    let Some(mut told) = stopped(watched, thread).await? else { return Ok(None) };
    let Some(site) = watched.vm.agent_report.as_mut().and_then(|report| report.site(told.site)) else {
        watched.report.warn(format!("the recorder stopped at a site without a name ({})", told.site));
        return Ok(None);
    };
    count_stop(watched, thread, site.query, told.nth);
    let key = candidates.thread_key(watched, thread).await?;
    let location = Location { index: site.site.bci.into(), ..told.location };
    let mut stop = Stop::below(thread, key, location, told.hidden);
    if let Some(frames) = told.frames.take() {
        stop.read(&mut watched.vm, frames).await?;
    }
    let ordinal = u32::try_from(told.ordinal).unwrap_or(u32::MAX);
    let Some(query) = candidates.query(site.query) else { return Ok(Some(stop)) };
    let way = match &query.event {
        Event::Branched(_) => Way::new(told.bits),
        _ => way(&query, &site),
    };
    if let Some(recorder) = &mut watched.recorder
        && recorder.varied.contains(&site.query)
    {
        let thread = watched.tables.thread(key);
        let (query, site) = (site.query, site.site.clone());
        recorder.numbered.insert(Coordinate { query, site, thread, ordinal, way });
    }
    let is_tested = watched.recorder.as_ref().is_some_and(|recorder| recorder.tested.is_tested(&site));
    let mut hit = ProbedHit { query, site, way, told };
    // Unless it tests a condition, the VM does not know whether a pass over a line begins here.
    if is_tested || !hit.is_pass() {
        stop.counted = Some((ordinal, way));
    }
    match is_tested {
        true => tested(watched, candidates, &mut stop, &mut hit).await?,
        false => occurred(watched, candidates, &mut stop, &mut hit).await?,
    }
    Ok(Some(stop))
}

/// Counts a stop of a query, and checks that the VM has reported all earlier stops of the thread. `nth` is
/// its number in the thread; 0 if unknown.
fn count_stop(watched: &mut Watched, thread: ThreadId, query: u16, nth: u32) {
    let Some(recorder) = &mut watched.recorder else { return };
    let stopped = recorder.stopped.entry(query).or_default();
    *stopped = stopped.saturating_add(1);
    if !recorder.count_stop(thread, (nth > 0).then_some(nth)) {
        watched.report.unprobed.push("the VM did not report a stop of the recorder".to_owned());
    }
}

/// Handles a hit whose condition the VM has tested, and compares the result.
async fn tested(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    hit: &mut ProbedHit,
) -> Result<(), RunError> {
    let is_pass = hit.is_pass();
    let passed = passed(watched, &mut hit.told, !is_pass).await?;
    let result = hit.told.index;
    let thread = watched.tables.thread(stop.key);
    if let Some(recorder) = &mut watched.recorder {
        let report = &mut watched.report;
        recorder.tested.note(report, &hit.query, &thread, hit.told.site, result, passed);
    }
    stop.passed = passed.before;
    let query = hit.site.query;
    let false_before = watched.report.query(query).condition_false;
    if is_pass {
        // The VM knows that a pass begins here.
        candidates.offer(watched, stop, &hit.query, None).await?;
    } else {
        occurred(watched, candidates, stop, hit).await?;
    }
    let is_false = watched.report.query(query).condition_false > false_before;
    if result == UNKNOWN && is_false {
        watched.report.query(query).refuted += 1;
    }
    if result == TRUE && is_false {
        let id = &hit.query.id;
        watched.report.unprobed.push(format!("{id}: the VM tested its condition with another result"));
    }
    Ok(())
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

/// Offers a hit, as its query's event requires.
async fn occurred(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    hit: &mut ProbedHit,
) -> Result<(), RunError> {
    let ProbedHit { query, site, way, told } = hit;
    match &query.event {
        Event::Reached(passes) => reached(watched, candidates, stop, passes, site).await,
        Event::Returned(_) => {
            let descriptor = site.site.method.descriptor.rsplit_once(')').map_or("V", |(_, r)| r);
            let result = match descriptor {
                "V" => Value::Void,
                of => new_value(watched, of, told).await?,
            };
            stop.parts.result = Some(result.clone());
            candidates
                .offer(watched, stop, query, Some(Detail { result: Some(result), ..Detail::default() }))
                .await
        }
        Event::Written(field) | Event::Read(field) if !means(watched.pool(), field, site) => Ok(()),
        Event::Written(field) | Event::Read(field) => {
            accessed(watched, candidates, stop, query, field, site, told).await
        }
        Event::ElementWritten(element) => {
            element_written(watched, candidates, stop, query, &element.descriptor, site, told).await
        }
        Event::Changed(contents) => changed(watched, candidates, stop, query, contents, told).await,
        Event::Made(making) => match told.owner {
            jdwp::Value::Object { .. } => made(watched, candidates, stop, query, making, told.owner).await,
            _ => Ok(()),
        },
        Event::Stored(stores) => {
            let Some(store) = way.and_then(|way| stores.get(usize::from(way.get()))) else {
                return Ok(());
            };
            let new = new_value(watched, &store.descriptor, told).await?;
            if store.old_readable {
                let tag = Tag::of_signature(&store.descriptor).unwrap_or(Tag::Object);
                stop.parts.old = Some(slot_value(watched, stop, store.slot, tag).await?);
            }
            stop.parts.new = Some(new);
            taken(watched, candidates, stop, query, *way).await
        }
        Event::Branched(_) => branched(watched, candidates, stop, hit).await,
        Event::Copied(copies) => visited(watched, candidates, stop, query, copies, site, told).await,
        Event::Thrown { .. } | Event::Skipped(_) => Ok(()),
    }
}

/// Handles an instruction at which passes over places may begin or end.
async fn reached(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    passes: &[Pass],
    site: &NumberedSite,
) -> Result<(), RunError> {
    let here = passes.iter().enumerate().filter(|(_, pass)| pass.method == site.site.method);
    for (number, pass) in here {
        let number = u16::try_from(number).unwrap_or(u16::MAX);
        if pass.exits.contains(&site.site.bci)
            && let Some(activation) = candidates.thread(stop.thread).activation(watched, stop).await?
        {
            candidates.thread(stop.thread).end_pass(activation, site.query, number);
        }
        if pass.entries.contains(&site.site.bci) {
            hits::passed(watched, candidates, stop, site.query, number, true).await?;
        }
    }
    Ok(())
}

/// Handles a branch that is decided.
async fn branched(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    hit: &ProbedHit,
) -> Result<(), RunError> {
    let Event::Branched(branches) = &hit.query.event else { return Ok(()) };
    let turns = turns(watched, stop, branches, &hit.site, hit.way).await?;
    let Some(mut occurrence) = candidates.admitted(watched, stop, &hit.query).await? else { return Ok(()) };
    occurrence.way = hit.way;
    note_twins(watched, stop, &mut occurrence).await?;
    tell_turns(&mut occurrence, turns);
    candidates.add(occurrence);
    Ok(())
}

/// The number of iterations that the activation has counted of the endless loop that a branch leaves.
async fn turns(
    watched: &mut Watched,
    stop: &mut Stop,
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
    let name = wire::turns_name(site.query, u16::try_from(branch).unwrap_or(u16::MAX));
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
