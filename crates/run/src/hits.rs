//! Interprets each kind of interruption for the TraceQueries that requested it.

use super::caller_frame::constructed;
use super::candidates::{Candidates, tell_turns};
use super::collect::slot_value;
use super::error::RunError;
use super::stop::Stop;
use super::threads::MissingValue;
use super::twins::note_twins;
use super::vm::bci;
use super::watched::Watched;
use super::watches::Interest;
use jdwp::commands::{object_reference, reference_type};
use jdwp::{RequestId, Tag, TaggedObject, ThreadId};
use model::{Detail, Occurrence, Way};
use query::Event;

/// Handles a MethodEntry event. These are used for methods that also jump to index 0.
pub async fn method_entered(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
) -> Result<(), RunError> {
    if watched.installed.entries.contains(&(stop.location.class, stop.location.method)) {
        candidates.thread(stop.thread).enter(watched, stop).await?;
    }
    Ok(())
}

/// Handles a breakpoint.
pub async fn breakpoint(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    entered: bool,
) -> Result<(), RunError> {
    let Some(interests) = watched.installed.interests(&stop.location) else { return Ok(()) };
    let asker = interests.iter().find_map(|interest| match interest {
        Interest::Pass { query, .. } | Interest::Store { query, .. } | Interest::Branch { query, .. } => {
            Some(*query)
        }
        _ => None,
    });
    if let Some(query) = asker {
        candidates.prefetch(watched, stop, query).await?;
    }
    complete(watched, candidates, stop).await?;
    let by_event = watched.installed.entries.contains(&(stop.location.class, stop.location.method));
    // In a method that also jumps to index 0, only the MethodEntry event distinguishes an entry from a jump.
    let enters = stop.location.index == 0 && (!by_event || entered);
    for interest in interests.iter() {
        match *interest {
            Interest::Activation if enters && !by_event => {
                candidates.thread(stop.thread).enter(watched, stop).await?
            }
            Interest::Activation | Interest::Completes => {}
            Interest::Redefined => redefined(watched).await?,
            Interest::PassEnds { query, pass } => {
                if let Some(activation) = candidates.thread(stop.thread).activation(watched, stop).await? {
                    candidates.thread(stop.thread).end_pass(activation, query, pass);
                }
            }
            Interest::Pass { query, pass } => passed(watched, candidates, stop, query, pass, enters).await?,
            Interest::Store { query, store } => {
                stored(watched, candidates, stop, query, store, enters).await?
            }
            Interest::Made { query } => constructed(watched, candidates, stop, query).await?,
            Interest::Turn { query, branch } => turn(watched, candidates, stop, query, branch).await?,
            Interest::Branch { query, branch } => branched(watched, candidates, stop, query, branch).await?,
            Interest::Mark => candidates.thread(stop.thread).mark(watched, stop).await?,
        }
    }
    Ok(())
}

/// Handles a redefinition of classes by a Java agent.
async fn redefined(watched: &mut Watched) -> Result<(), RunError> {
    let lost = watched.installed.after_redefinition(&mut watched.vm).await?;
    for method in lost {
        watched.report.warn_sites_lost(format!(
            "sites lost: {method} was redefined with different code while the program ran; its later events \
             are not seen"
        ));
    }
    Ok(())
}

pub async fn passed(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    number: u16,
    pass: u16,
    enters: bool,
) -> Result<(), RunError> {
    let Some(query) = candidates.query(number) else { return Ok(()) };
    let Event::Reached(passes) = &query.event else { return Ok(()) };
    let Some(place) = passes.get(usize::from(pass)) else { return Ok(()) };
    if place.on_entry && !enters {
        return Ok(());
    }
    if watched.installed.notices.is_prevented(number) {
        watched.installed.settle(&watched.vm, number).await?;
    }
    if place.entries.len() > 1
        && let Some(activation) = candidates.thread(stop.thread).activation(watched, stop).await?
        && !candidates.thread(stop.thread).begin_pass(activation, number, pass)
    {
        return Ok(());
    }
    candidates.offer(watched, stop, &query, None).await
}

/// Completes the candidates that waited for the thread's next instruction.
async fn complete(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
) -> Result<(), RunError> {
    let waiting = candidates.thread(stop.thread).take_waiting();
    if waiting.is_empty() {
        return Ok(());
    }
    let depth = stop.depth(&watched.vm).await?;
    let here = bci(stop.location.index);
    for mut w in waiting {
        let same = w.class == stop.location.class && w.method == stop.location.method && w.depth == depth;
        match &w.completes {
            MissingValue::Store { at, slot, tag } if same && *at == here => {
                w.occurrence.new = slot_value(watched, stop, *slot, *tag).await?;
                candidates.add(w.occurrence);
            }
            MissingValue::Branch { query, branch } if same && leads(candidates, *query, *branch, here) => {
                w.occurrence.way = Way::new(here);
                turned(watched, candidates, stop.thread, *query, *branch, &mut w.occurrence);
                candidates.add(w.occurrence);
            }
            _ => watched.report.warn(format!(
                "the instruction after {} was not seen: one {} there is missing",
                watched.tables.frame(w.occurrence.frame).map(|f| f.site.to_string()).unwrap_or_default(),
                if matches!(w.completes, MissingValue::Store { .. }) { "store" } else { "branch" },
            )),
        }
    }
    Ok(())
}

/// Whether a branch can lead to an index.
fn leads(candidates: &mut Candidates, query: u16, branch: u16, to: u32) -> bool {
    let query = candidates.query(query);
    let Some(Event::Branched(branches)) = query.as_ref().map(|q| &q.event) else { return false };
    branches.get(usize::from(branch)).is_some_and(|b| b.targets.contains(&to))
}

/// Handles the start of an iteration of an endless loop that a branch can leave.
async fn turn(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    query: u16,
    branch: u16,
) -> Result<(), RunError> {
    if let Some(activation) = candidates.thread(stop.thread).activation(watched, stop).await? {
        candidates.thread(stop.thread).begin_turn(activation, query, branch);
    }
    Ok(())
}

/// Records how many iterations did not leave the endless loop that a branch has just left.
fn turned(
    watched: &mut Watched,
    candidates: &mut Candidates,
    thread: ThreadId,
    number: u16,
    branch: u16,
    occurrence: &mut Occurrence,
) {
    let query = candidates.query(number);
    let Some(Event::Branched(branches)) = query.as_ref().map(|q| &q.event) else { return };
    let site = branches.get(usize::from(branch)).filter(|b| b.turns.is_some());
    let way = occurrence.way.map(|way| u32::from(way.get()));
    let (Some(site), Some(way), Some(activation)) = (site, way, occurrence.activation) else { return };
    if site.decides(way) {
        let turns = candidates.thread(thread).take_turns(activation, number, branch);
        // If the call began before it was watched, we did not see all iterations.
        let certain = watched.tables.activation(activation).is_some_and(|a| a.certain);
        tell_turns(occurrence, turns.filter(|_| certain));
    }
}

async fn stored(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    number: u16,
    store: u16,
    enters: bool,
) -> Result<(), RunError> {
    let Some(query) = candidates.query(number) else { return Ok(()) };
    let Event::Stored(stores) = &query.event else { return Ok(()) };
    let Some(site) = stores.get(usize::from(store)) else { return Ok(()) };
    let at_entry = site.value_at == site.site.bci;
    if at_entry && !enters {
        return Ok(());
    }
    let tag = Tag::of_signature(&site.descriptor).unwrap_or(Tag::Object);
    if site.old_readable {
        stop.parts.old = Some(slot_value(watched, stop, site.slot, tag).await?);
    }
    if at_entry {
        stop.parts.new = Some(slot_value(watched, stop, site.slot, tag).await?);
    }
    let Some(mut occurrence) = candidates.admitted(watched, stop, &query).await? else {
        return Ok(());
    };
    occurrence.way = Way::new(store);
    if at_entry {
        candidates.add(occurrence);
        return Ok(());
    }
    let completes = MissingValue::Store { at: site.value_at, slot: site.slot, tag };
    candidates.wait(watched, stop, occurrence, completes).await
}

async fn branched(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    number: u16,
    branch: u16,
) -> Result<(), RunError> {
    let Some(query) = candidates.query(number) else { return Ok(()) };
    let Event::Branched(branches) = &query.event else { return Ok(()) };
    if branches.get(usize::from(branch)).is_none() {
        return Ok(());
    }
    let Some(mut occurrence) = candidates.admitted(watched, stop, &query).await? else {
        return Ok(());
    };
    note_twins(watched, stop, &mut occurrence).await?;
    let completes = MissingValue::Branch { query: number, branch };
    candidates.wait(watched, stop, occurrence, completes).await
}

/// Handles a field that is about to be read or written; `new` is the value to write.
pub async fn field(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    request: RequestId,
    object: Option<TaggedObject>,
    new: Option<jdwp::Value>,
) -> Result<(), RunError> {
    let Some(watch) = watched.installed.fields.get(&request).cloned() else { return Ok(()) };
    let conn = watched.vm.conn().clone();
    let fields = vec![watch.field];
    // Frames and locals are needed in any case; requesting all at once saves round trips.
    let current = match object {
        Some(object) => conn.send(object_reference::GetValues { object: object.id, fields }),
        None => conn.send(reference_type::GetValues { ref_type: watch.class, fields }),
    };
    if let Some(first) = watch.queries.first() {
        candidates.prefetch(watched, stop, *first).await?;
    }
    let current = current.await?.into_iter().next().unwrap_or(jdwp::Value::NULL);
    let mut raw = vec![current];
    // A static field belongs to the class object, since several loaders can define its class.
    raw.push(match object {
        Some(object) => jdwp::Value::from(object),
        None => watched.vm.class_object(watch.class).await?,
    });
    raw.extend(new);
    let mut values = watched.vm.values(&mut watched.tables, &raw).await?.into_iter();
    stop.parts.old = values.next();
    let owner = values.next();
    (stop.parts.owner, stop.parts.class) = match object {
        Some(_) => (owner, None),
        None => (None, watched.class_owner(watch.class, owner)),
    };
    stop.parts.new = if new.is_some() { values.next() } else { stop.parts.old.clone() };
    for number in watch.queries {
        if let Some(query) = candidates.query(number) {
            candidates.offer(watched, stop, &query, None).await?;
        }
    }
    Ok(())
}

/// Handles the normal return of a method.
pub async fn returned(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    value: jdwp::Value,
) -> Result<(), RunError> {
    let key = (stop.location.class, stop.location.method);
    let Some(queries) = watched.installed.returns.get(&key).cloned() else { return Ok(()) };
    let result = watched.vm.value(&mut watched.tables, value).await?;
    stop.parts.result = Some(result.clone());
    for number in queries {
        if let Some(query) = candidates.query(number) {
            let detail = Detail { result: Some(result.clone()), ..Detail::default() };
            candidates.offer(watched, stop, &query, Some(detail)).await?;
        }
    }
    Ok(())
}
