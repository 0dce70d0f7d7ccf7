//! Occurrences in an older frame than their event. A constructor makes an object, but the answer is the place
//! of the `new`.

use super::candidates::Candidates;
use super::error::RunError;
use super::stop::Stop;
use super::vm::bci;
use super::watched::Watched;
use jdwp::commands::stack_frame;
use model::{Detail, EventFrame, Frame, FrameKey};
use query::{Event, Making, TraceQuery};

/// No code of the program called the constructor.
const BY_NATIVE_CODE: &str = "native code made it: no frame of the stack called its constructor";

/// Handles a breakpoint after the call of the superclass's constructor.
pub async fn constructed(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    number: u16,
) -> Result<(), RunError> {
    let Some(query) = candidates.query(number) else { return Ok(()) };
    let Event::Made(making) = &query.event else { return Ok(()) };
    let Some(frame) = stop.newest(&watched.vm).await? else { return Ok(()) };
    let ask = stack_frame::ThisObject { thread: stop.thread, frame };
    let Some(object) = watched.vm.conn().send(ask).await? else { return Ok(()) };
    // If a loop begins there, the thread reaches it more than once.
    if is_jumped_to(watched, stop).await? && !candidates.is_new(number, object.id) {
        return Ok(());
    }
    made(watched, candidates, stop, &query, making, object.into()).await
}

async fn is_jumped_to(watched: &mut Watched, stop: &Stop) -> Result<bool, RunError> {
    let method = watched.vm.method(stop.location.class, stop.location.method).await?.name.clone();
    let file = watched.pool().find(&method.class).ok().flatten();
    let declared = file.as_ref().and_then(|f| f.file.method(&method.name, &method.descriptor));
    let code = declared.and_then(|m| m.code.as_ref());
    Ok(code.is_some_and(|code| code.is_branch_target(bci(stop.location.index))))
}

/// Handles the creation of an object or array.
pub async fn made(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    query: &TraceQuery,
    making: &Making,
    object: jdwp::Value,
) -> Result<(), RunError> {
    let owner = watched.vm.value(&mut watched.tables, object).await?;
    let class = watched.tables.class_name(&owner);
    stop.parts.owner = Some(owner);
    match making {
        Making::Array { .. } => candidates.offer(watched, stop, query, None).await,
        // Its constructor also runs for objects of subclasses.
        Making::Object { class: wanted, .. } if class.as_ref() != Some(wanted) => {
            candidates.count(watched, stop, query).await.map(drop)
        }
        Making::Object { .. } => {
            let above = constructors(watched, stop, object).await?;
            let frames = stop.frames(&mut watched.vm).await?.len();
            let notes = if above < frames { Vec::new() } else { vec![BY_NATIVE_CODE.to_owned()] };
            let above = above.min(frames.saturating_sub(1));
            offer_below(watched, candidates, stop, query, above, Detail { notes, ..Detail::default() }).await
        }
    }
}

/// Number of newest frames that are constructors running on an object.
async fn constructors(
    watched: &mut Watched,
    stop: &mut Stop,
    object: jdwp::Value,
) -> Result<usize, RunError> {
    let frames = stop.frames(&mut watched.vm).await?.to_vec();
    for (above, frame) in frames.iter().enumerate() {
        let method = watched.vm.method(frame.location.class, frame.location.method).await?;
        if &*method.name.name != "<init>" {
            return Ok(above);
        }
        let ask = stack_frame::ThisObject { thread: stop.thread, frame: frame.frame_id };
        let this = match watched.vm.conn().send(ask).await {
            Ok(this) => this,
            Err(e) if e.is_fatal() => return Err(e.into()),
            Err(_) => None,
        };
        if this.map(|this| this.id) != object.object() {
            return Ok(above);
        }
    }
    Ok(frames.len())
}

/// Adds a candidate in the frame `above` frames below that of its event, if the query admits it.
pub async fn offer_below(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    query: &TraceQuery,
    above: usize,
    detail: Detail,
) -> Result<(), RunError> {
    let ordinal = candidates.count(watched, stop, query).await?;
    let (_, keys) = stop.stack(&mut watched.vm, &mut watched.tables).await?;
    let keys = keys.to_vec();
    let location = stop.frames(&mut watched.vm).await?.get(above).map(|f| f.location);
    let (Some(location), Some(event)) = (location, keys.first()) else { return Ok(()) };
    let mut older = stop.at_frame(above, location);
    let admitted = candidates.admitted_below(watched, stop, &mut older, query, ordinal).await?;
    let Some(mut occurrence) = admitted else {
        stop.ran();
        return Ok(());
    };
    if matches!(query.event, Event::Made(_)) {
        let mut keys = keys.get(above..).unwrap_or_default().to_vec();
        if let Some(newest) = keys.first_mut() {
            *newest = at_new(watched, *newest);
            occurrence.frame = *newest;
        }
        occurrence.stack = watched.tables.stack_key(&keys);
    }
    let above = u32::try_from(above).unwrap_or(u32::MAX);
    let happened = (above > 0).then_some(EventFrame { frame: *event, above });
    occurrence.detail = Some(Box::new(Detail { happened, ..detail }));
    candidates.add_forecasts_of(watched, &mut older, occurrence).await?;
    // Evaluating expressions in the older frame may have let the thread run.
    stop.ran();
    Ok(())
}

/// A frame that calls a constructor, with the line of its `new`. The arguments may be on other lines.
fn at_new(watched: &mut Watched, key: FrameKey) -> FrameKey {
    let Some(frame) = watched.tables.frame(key).cloned() else { return key };
    let site = &frame.site;
    let file = watched.pool().find(&site.method.class).ok().flatten();
    let declared = file.as_ref().and_then(|f| f.file.method(&site.method.name, &site.method.descriptor));
    let of_new = declared
        .and_then(|m| m.code.as_ref())
        .and_then(|code| bytecode::lines::line_of(code, bytecode::construct::new_of(code, site.bci)?));
    watched.tables.frame_key(Frame { line: of_new.or(frame.line), ..frame })
}
