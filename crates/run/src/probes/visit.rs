//! A step of a value flow found in the previous run, stopped at again in this run.

use super::agent_report::NumberedSite;
use super::ask::RecorderStop;
use super::sites::place_of;
use super::values::new_value;
use crate::candidates::Candidates;
use crate::error::RunError;
use crate::stop::Stop;
use crate::vm::to_wire;
use crate::watched::Watched;
use jdwp::commands::object_reference;
use model::{Coordinate, FlowVisit, FrameKey, Value, Way, is_lambda_class};
use query::{Copies, CopyWhat, TraceQuery};

/// Classes that box a primitive value.
const BOXES: [&str; 8] = ["Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double"];

/// Handles a hit of a step found in the previous run.
pub async fn visited(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    query: &TraceQuery,
    copies: &Copies,
    at: &NumberedSite,
    hit: &RecorderStop,
) -> Result<(), RunError> {
    let Some(way) = place_of(copies, at) else { return Ok(()) };
    let Some(place) = copies.site(way) else { return Ok(()) };
    let mut value = None;
    let mut unboxed = None;
    if let Some(descriptor) = place.what.value_descriptor() {
        let seen = new_value(watched, &descriptor, hit).await?;
        unboxed = content_of_box(watched, &seen).await?;
        value = Some(seen);
    }
    let owner = match hit.owner {
        jdwp::Value::Object { id: Some(_), .. } => {
            Some(watched.vm.value(&mut watched.tables, hit.owner).await?)
        }
        _ => None,
    };
    let (_, frames) = stop.stack(&mut watched.vm, &mut watched.tables).await?;
    let Some((frame, below)) = frames.split_first() else { return Ok(()) };
    let (frame, below) = (*frame, below.to_vec());
    // The generated class of a lambda only forwards the call.
    let of_lambda = |key: &FrameKey| {
        let frame = watched.tables.frame(*key);
        frame.is_some_and(|frame| is_lambda_class(&frame.site.method.class))
    };
    let caller = below.into_iter().find(|key| !of_lambda(key));
    let thread = watched.tables.thread(stop.key);
    let ordinal = u32::try_from(hit.ordinal).unwrap_or(u32::MAX);
    let at = Coordinate { query: query.point.0, site: at.site.clone(), thread, ordinal, way: Way::new(way) };
    stop.parts.owner = owner.clone();
    stop.parts.new = value.clone();
    let arm = candidates.thread(stop.thread).arm(watched, stop).await?;
    watched.report.visits.push(FlowVisit { at, value, unboxed, owner, arm, frame, caller });
    if matches!(place.what, CopyWhat::Got { .. } | CopyWhat::GotElement) {
        return Ok(());
    }
    taken(watched, candidates, stop, query, Way::new(way)).await
}

/// Adds a candidate with a known way if the query admits the hit.
pub async fn taken(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    query: &TraceQuery,
    way: Option<Way>,
) -> Result<(), RunError> {
    if let Some(mut occurrence) = candidates.admitted(watched, stop, query).await? {
        occurrence.way = way;
        candidates.add(occurrence);
    }
    Ok(())
}

/// The value in a box; none if the value is not a box.
async fn content_of_box(watched: &mut Watched, value: &Value) -> Result<Option<Value>, RunError> {
    let jdwp::Value::Object { id: Some(object), .. } = to_wire(value) else { return Ok(None) };
    let name = watched.tables.class_name(value).unwrap_or_default();
    let is_box = name.strip_prefix("java.lang.").is_some_and(|short| BOXES.contains(&short));
    if !is_box {
        return Ok(None);
    }
    let conn = watched.vm.conn().clone();
    let of = conn.send(object_reference::ReferenceType { object }).await?;
    let class = watched.vm.class(of.type_id).await?;
    let Some(field) = class.fields.iter().find(|f| *f.name == *"value") else { return Ok(None) };
    let read = conn.send(object_reference::GetValues { object, fields: vec![field.id] }).await?;
    match read.into_iter().next() {
        Some(raw) => Ok(Some(watched.vm.value(&mut watched.tables, raw).await?)),
        None => Ok(None),
    }
}
