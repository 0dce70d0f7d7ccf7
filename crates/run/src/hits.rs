//! Interprets each kind of interruption for the TraceQueries that requested it.

use super::caller_frame::constructed;
use super::candidates::{Candidates, tell_turns};
use super::collect::slot_value;
use super::describe::describe_values;
use super::error::RunError;
use super::stop::Stop;
use super::threads::MissingValue;
use super::twins::note_twins;
use super::vm::bci;
use super::watched::Watched;
use super::watches::Interest;
use bytecode::Op;
use bytecode::skip::{Bypass, leading_to};
use jdwp::commands::{object_reference, reference_type};
use jdwp::{Location, RequestId, Tag, TaggedObject, ThreadId};
use model::{
    ActivationKey, BypassedFrame, Catch, Detail, ExceptionDetail, Frame, FrameKey, MethodName, Occurrence,
    Site, Value, Way,
};
use query::{Event, PreventedPass, SkippedLine, TraceQuery};

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

/// Handles a thrown exception.
pub async fn exception(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    request: RequestId,
    thrown: TaggedObject,
    caught_at: Option<Location>,
) -> Result<(), RunError> {
    let Some(wanted) = watched.installed.exceptions.get(&request).cloned() else { return Ok(()) };
    let catcher = match caught_at {
        Some(at) => Some((watched.vm.method(at.class, at.method).await?, at)),
        None => None,
    };
    for (number, caught) in wanted {
        let Some(query) = candidates.query(number) else { continue };
        if caught.is_some_and(|c| c != caught_at.is_some()) {
            // Another query requested these exceptions. Record for this query that they exist.
            if matches!(query.event, Event::Thrown { .. }) {
                let place = watched.vm.frame_key(&mut watched.tables, stop.location).await?;
                watched.report.query(number).left_out.get_or_insert(place);
            }
            continue;
        }
        let is_caught = || catcher.as_ref().is_some_and(|(m, at)| concerns(&query, &m.name, bci(at.index)));
        let is_concerned = match &query.event {
            Event::Thrown { .. } | Event::Reached(_) => true,
            Event::Skipped(lines) => lines.iter().any(|line| !line.left_from.is_empty()) || is_caught(),
            _ => is_caught(),
        };
        if !is_concerned {
            continue;
        }
        let value = watched.vm.value(&mut watched.tables, thrown.into()).await?;
        stop.parts.exception = Some(value.clone());
        let (_, frames) = stop.stack(&mut watched.vm, &mut watched.tables).await?;
        let Some(place) = frames.first().copied() else { continue };
        let caught = match caught_at {
            Some(at) => catch(watched, candidates, stop, at).await?,
            None => None,
        };
        if matches!(query.event, Event::Reached(_)) {
            let prevented = prevented(watched, stop, &query, caught.as_ref()).await?;
            if let Some(at) = prevented {
                describe_values(watched, stop.location, &[&value]).await?;
                let prevented = PreventedPass { exception: value, thrown: place, at };
                watched.report.query(number).prevented = Some(prevented);
            }
            if watched.installed.notices.count_prevented(number) || prevented.is_some() {
                watched.installed.settle(&watched.vm, number).await?;
            }
            continue;
        }
        let exception = Some(ExceptionDetail { caught, thrown: place, bypassed: None });
        let detail = Detail { exception, thrown: Some(value), ..Detail::default() };
        match &query.event {
            Event::Thrown { .. } => candidates.offer(watched, stop, &query, Some(detail)).await?,
            _ => offer_caught(watched, candidates, stop, &query, detail).await?,
        }
    }
    Ok(())
}

/// The catching frame: the newest frame of the handler's method whose index is in the handler's range.
async fn catch(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    at: Location,
) -> Result<Option<Catch>, RunError> {
    let method = watched.vm.method(at.class, at.method).await?;
    let handler = bci(at.index);
    let file = watched.pool().find(&method.name.class).ok().flatten();
    let code = file
        .as_ref()
        .and_then(|f| f.file.method(&method.name.name, &method.name.descriptor))
        .and_then(|m| m.code.as_ref());
    let covers = |pc: u32| match code {
        Some(code) => {
            code.handlers.iter().any(|h| h.handler_pc == handler && h.start_pc <= pc && pc < h.end_pc)
        }
        // Without a class file there is no exception table, so take the newest frame.
        None => true,
    };
    let frames = stop.frames(&mut watched.vm).await?;
    let found = frames.iter().position(|f| {
        f.location.class == at.class && f.location.method == at.method && covers(bci(f.location.index))
    });
    let Some(above) = found else { return Ok(None) };
    let (_, keys) = stop.stack(&mut watched.vm, &mut watched.tables).await?;
    let Some(frame) = keys.get(above).copied() else { return Ok(None) };
    let activation = activation_below(watched, candidates, stop, &method.name, above).await?;
    let above = u32::try_from(above).unwrap_or(u32::MAX);
    Ok(Some(Catch { frame, handler, above, activation }))
}

/// The activation of the method's frame below this number of newer frames, if the method is tracked.
async fn activation_below(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    method: &MethodName,
    above: usize,
) -> Result<Option<ActivationKey>, RunError> {
    let Some(method) = watched.tracked(method) else { return Ok(None) };
    let total = stop.frames(&mut watched.vm).await?.len();
    let depth = u32::try_from(total.saturating_sub(above)).unwrap_or(u32::MAX);
    candidates.thread(stop.thread).activation_of(watched, stop, method, depth).await
}

/// The newest frame in which an exception prevents a pass: it leaves the frame before the place, or is caught
/// there behind it. Where the frame itself executes a `throw` statement, a condition decided that.
async fn prevented(
    watched: &mut Watched,
    stop: &mut Stop,
    query: &TraceQuery,
    caught: Option<&Catch>,
) -> Result<Option<FrameKey>, RunError> {
    let Event::Reached(passes) = &query.event else { return Ok(None) };
    let (_, keys) = stop.stack(&mut watched.vm, &mut watched.tables).await?;
    let is_prevented = |(above, key): (u32, FrameKey)| {
        let site = &watched.tables.frame(key)?.site;
        let pass = passes.iter().find(|pass| pass.method == site.method)?;
        let class = watched.pool().find(&site.method.class).ok().flatten()?;
        let code = class.file.method(&site.method.name, &site.method.descriptor)?.code.as_ref()?;
        if matches!(code.at(site.bci)?.op, Op::Throw) {
            return None;
        }
        let is_prevented = match caught.filter(|catch| catch.above == above) {
            Some(catch) => {
                let bypass = Bypass::new(code, site.bci, catch.handler)?;
                pass.entries.iter().any(|entry| bypass.skips(*entry))
            }
            None => leading_to(code, &pass.entries).contains(&site.bci),
        };
        is_prevented.then_some(key)
    };
    let left = (0..).zip(keys.iter().copied());
    let mut left = left.take_while(|(above, _)| caught.is_none_or(|catch| *above <= catch.above));
    Ok(left.find_map(is_prevented))
}

/// Offers an exception caught where a `LastCondition` asks for it, or that bypassed a line for which a
/// `SkippedLine` asks. Its point is in the catching frame, or in the frame that it left (DESIGN §5.10).
async fn offer_caught(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    query: &TraceQuery,
    detail: Detail,
) -> Result<(), RunError> {
    let catch = detail.exception.as_ref().and_then(|e| e.caught.clone());
    let frames = match &query.event {
        Event::Skipped(lines) => bypassed(watched, stop, lines, catch.as_ref()).await?,
        _ => catch.iter().map(|catch| (catch.above, catch.frame)).collect(),
    };
    if frames.is_empty() {
        return Ok(());
    }
    let Some(ordinal) = candidates.admits(watched, stop, query).await? else { return Ok(()) };
    for (above, frame) in frames {
        let mut detail = detail.clone();
        let catch = catch.as_ref().filter(|catch| catch.above == above);
        let Some(place) = watched.tables.frame(frame).cloned() else { continue };
        let newest = usize::try_from(above).unwrap_or(usize::MAX);
        let activation = match catch {
            Some(catch) => catch.activation,
            None => activation_below(watched, candidates, stop, &place.site.method, newest).await?,
        };
        let (_, keys) = stop.stack(&mut watched.vm, &mut watched.tables).await?;
        let mut keys = keys.get(newest..).unwrap_or_default().to_vec();
        let location = stop.frames(&mut watched.vm).await?.get(newest).map(|f| f.location);
        let Some(location) = location else { continue };
        let mut older = stop.at_frame(newest, location);
        let (shape, kept) = candidates.collect(watched, &mut older, query).await?;
        let (mut frame, mut way) = (frame, None);
        if matches!(query.event, Event::Branched(_)) {
            // The condition is at the handler: what it decides depends on whether the handler is entered.
            let handler = catch.map_or(place.site.bci, |catch| catch.handler);
            frame = handler_frame(watched, &place, handler, location).await?;
            if let Some(first) = keys.first_mut() {
                *first = frame;
            }
            way = Way::new(place.site.bci);
        } else if let Some(exception) = &mut detail.exception {
            exception.bypassed = Some(BypassedFrame { above, activation });
        }
        let stack = watched.tables.stack_key(&keys);
        let occurrence = Occurrence {
            sequence: 0,
            query: query.point.0,
            thread: stop.key,
            frame,
            stack,
            activation,
            owner: Value::Null,
            old: Value::Unassigned,
            new: Value::Unassigned,
            way,
            ordinal,
            shape,
            kept,
            detail: Some(Box::new(detail)),
        };
        candidates.add_whole(occurrence);
    }
    Ok(())
}

/// The frames in which an exception bypassed one of these lines, each with the number of newer frames. They
/// stand oldest first; the exception bypassed the last of them first.
async fn bypassed(
    watched: &mut Watched,
    stop: &mut Stop,
    lines: &[SkippedLine],
    catch: Option<&Catch>,
) -> Result<Vec<(u32, FrameKey)>, RunError> {
    let (_, keys) = stop.stack(&mut watched.vm, &mut watched.tables).await?;
    let is_bypassed = |(above, key): &(u32, FrameKey)| {
        let Some(frame) = watched.tables.frame(*key) else { return false };
        let handler = catch.filter(|catch| catch.above == *above).map(|catch| catch.handler);
        lines.iter().filter(|line| line.method == frame.site.method).any(|line| {
            let from = match handler {
                Some(handler) => line.bypassed_from.get(&handler),
                None => Some(&line.left_from),
            };
            from.is_some_and(|from| from.contains(&frame.site.bci))
        })
    };
    let left = (0..).zip(keys.iter().copied());
    let left = left.take_while(|(above, _)| catch.is_none_or(|catch| *above <= catch.above));
    let mut found: Vec<(u32, FrameKey)> = left.filter(is_bypassed).collect();
    found.reverse();
    Ok(found)
}

async fn handler_frame(
    watched: &mut Watched,
    place: &Frame,
    handler: u32,
    at: Location,
) -> Result<FrameKey, RunError> {
    let method = watched.vm.method(at.class, at.method).await?;
    let site = Site { method: place.site.method.clone(), bci: handler };
    let line = method.line(u64::from(handler));
    Ok(watched.tables.frame_key(Frame { site, line, ..place.clone() }))
}

/// Whether a query asks about exceptions caught at this handler.
fn concerns(query: &TraceQuery, method: &MethodName, handler: u32) -> bool {
    match &query.event {
        Event::Skipped(lines) => {
            lines.iter().any(|l| l.method == *method && l.bypassed_from.contains_key(&handler))
        }
        Event::Branched(branches) => {
            branches.iter().any(|b| b.is_handler() && b.site.bci == handler && b.site.method == *method)
        }
        _ => false,
    }
}
