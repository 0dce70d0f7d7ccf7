//! Interprets exceptions for the TraceQueries that requested them: those that ask for exceptions, for a
//! condition or a skipped line that an exception decided, and for lines that it prevented.

use super::candidates::Candidates;
use super::describe::describe_values;
use super::error::RunError;
use super::stop::Stop;
use super::vm::bci;
use super::watched::Watched;
use bytecode::Op;
use bytecode::skip::{Bypass, leading_to};
use jdwp::{Location, RequestId, TaggedObject};
use model::{
    ActivationKey, BypassedFrame, Catch, Detail, ExceptionDetail, Frame, FrameKey, MethodName, Occurrence,
    Site, Value, Way,
};
use query::{Event, PreventedPass, SkippedLine, TraceQuery};

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
    let handler = match caught_at {
        Some(at) => {
            let method = watched.vm.method(at.class, at.method).await?.name.clone();
            Some(Site { method, bci: bci(at.index) })
        }
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
        if !is_concerned(&query, handler.as_ref()) {
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
        let exception = ExceptionDetail { caught, thrown: place, bypassed: None };
        if matches!(query.event, Event::Reached(_)) {
            note_prevented(watched, stop, &query, value, exception).await?;
            continue;
        }
        let detail = Detail { exception: Some(exception), thrown: Some(value), ..Detail::default() };
        match &query.event {
            Event::Thrown { .. } => candidates.offer(watched, stop, &query, Some(detail)).await?,
            _ => offer_caught(watched, candidates, stop, &query, detail).await?,
        }
    }
    Ok(())
}

/// Whether a query asks about an exception with this handler; `None` if it is uncaught.
fn is_concerned(query: &TraceQuery, handler: Option<&Site>) -> bool {
    match &query.event {
        Event::Thrown { .. } | Event::Reached(_) => true,
        Event::Skipped(lines) => lines.iter().any(|line| {
            let is_caught_behind =
                |at: &Site| line.method == at.method && line.bypassed_from.contains_key(&at.bci);
            !line.left_from.is_empty() || handler.is_some_and(is_caught_behind)
        }),
        Event::Branched(branches) => {
            handler.is_some_and(|at| branches.iter().any(|b| b.is_handler() && b.site == *at))
        }
        _ => false,
    }
}

/// Notes that an exception prevented a pass of a query's line, if it did.
async fn note_prevented(
    watched: &mut Watched,
    stop: &mut Stop,
    query: &TraceQuery,
    exception: Value,
    detail: ExceptionDetail,
) -> Result<(), RunError> {
    let number = query.point.0;
    let prevented = prevented(watched, stop, query, detail.caught.as_ref()).await?;
    if let Some(at) = prevented {
        describe_values(watched, stop.location, &[&exception]).await?;
        let prevented = PreventedPass { exception, thrown: detail.thrown, at };
        watched.report.query(number).prevented = Some(prevented);
    }
    if watched.installed.notices.count_prevented(number) || prevented.is_some() {
        watched.installed.settle(&watched.vm, number).await?;
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
        let at = CaughtFrame { above, frame, catch: catch.as_ref().filter(|catch| catch.above == above) };
        let Some(mut occurrence) = occurrence_in(watched, candidates, stop, query, at).await? else {
            continue;
        };
        let mut detail = detail.clone();
        if let (false, Some(exception)) = (is_condition(query), &mut detail.exception) {
            exception.bypassed = Some(BypassedFrame { above, activation: occurrence.activation });
        }
        occurrence.ordinal = ordinal;
        occurrence.detail = Some(Box::new(detail));
        candidates.add_whole(occurrence);
    }
    Ok(())
}

/// Whether a query asks which way a condition went.
fn is_condition(query: &TraceQuery) -> bool {
    matches!(query.event, Event::Branched(_))
}

/// A frame that an exception left, or that caught it.
#[derive(Clone, Copy)]
struct CaughtFrame<'c> {
    /// Number of newer frames.
    above: u32,
    frame: FrameKey,
    /// The handler, if the frame caught the exception.
    catch: Option<&'c Catch>,
}

/// The occurrence of an exception in an older frame than that which threw it, without ordinal and details;
/// `None` if the frame is gone.
async fn occurrence_in(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    query: &TraceQuery,
    at: CaughtFrame<'_>,
) -> Result<Option<Occurrence>, RunError> {
    let CaughtFrame { above, mut frame, catch } = at;
    let Some(place) = watched.tables.frame(frame).cloned() else { return Ok(None) };
    let newest = usize::try_from(above).unwrap_or(usize::MAX);
    let activation = match catch {
        Some(catch) => catch.activation,
        None => activation_below(watched, candidates, stop, &place.site.method, newest).await?,
    };
    let (_, keys) = stop.stack(&mut watched.vm, &mut watched.tables).await?;
    let mut keys = keys.get(newest..).unwrap_or_default().to_vec();
    let location = stop.frames(&mut watched.vm).await?.get(newest).map(|f| f.location);
    let Some(location) = location else { return Ok(None) };
    let mut older = stop.at_frame(newest, location);
    let (shape, kept) = candidates.collect(watched, &mut older, query).await?;
    let mut way = None;
    if is_condition(query) {
        // The condition is at the handler: what it decides depends on whether the handler is entered.
        let handler = catch.map_or(place.site.bci, |catch| catch.handler);
        frame = handler_frame(watched, &place, handler, location).await?;
        if let Some(first) = keys.first_mut() {
            *first = frame;
        }
        way = Way::new(place.site.bci);
    }
    Ok(Some(Occurrence {
        sequence: 0,
        query: query.point.0,
        thread: stop.key,
        frame,
        stack: watched.tables.stack_key(&keys),
        activation,
        owner: Value::Null,
        old: Value::Unassigned,
        new: Value::Unassigned,
        way,
        ordinal: 0,
        shape,
        kept,
        detail: None,
    }))
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
