//! Makes an occurrence of the last hit without stopping there, in a program whose runs never repeat. The
//! recorder kept the hit's values and stack, but not its locals.

use super::ask::{self, KeptHit};
use super::jdk_write::written_by;
use super::recorder::NAME as RECORDER;
use super::values::{declaring, value_of};
use crate::error::RunError;
use crate::stop::Stop;
use crate::vm::type_name;
use crate::watched::Watched;
use expr::{EventPart, Expr};
use jdwp::{Location, TypeTag};
use model::{Coordinate, Detail, FrameKey, LastHit, Occurrence, StackKey, Tables, Value};
use query::{Event, TraceQuery};

/// The answer's note about an occurrence made from the recorder's data.
const NOTE: &str = "no run of this program repeats another: the hit was kept as it happened in this run, with its stack and \
                    values; the locals there were not kept";
/// The note about a stack that was too deep.
const CUT: &str = "older frames were not kept";

/// The number of the last hit of a query with numbered hits. If the run did not stop at the hit but kept its
/// values, also returns its candidate.
pub async fn kept_hit(
    watched: &mut Watched,
    stop: &mut Stop,
    query: &TraceQuery,
    owner: jdwp::Value,
    index: i32,
    last: &LastHit,
) -> Result<Option<(u64, Option<Occurrence>)>, RunError> {
    let LastHit::At(at) = last else { return Ok(None) };
    let Some(hit) = ask::kept_hit(watched, stop, query.point.0, owner, index).await? else {
        return Ok(None);
    };
    let number = hit.number;
    if watched.recorder.as_ref().is_some_and(|r| r.numbered.contains(at)) {
        return Ok(Some((number, None)));
    }
    let kept = kept_occurrence(watched, query, owner, index, at, hit).await?;
    if let (Some(recorder), true) = (&mut watched.recorder, kept.is_some()) {
        recorder.numbered.insert(at.clone());
    }
    Ok(Some((number, kept)))
}

async fn kept_occurrence(
    watched: &mut Watched,
    query: &TraceQuery,
    owner: jdwp::Value,
    index: i32,
    at: &Coordinate,
    hit: KeptHit,
) -> Result<Option<Occurrence>, RunError> {
    let Some(frames) = &hit.frames else { return Ok(None) };
    let Some(WrittenPart { descriptor, owner }) = written_part(watched, query, owner).await? else {
        return Ok(None);
    };
    let Some((stack, frame, is_cut)) = kept_stack(watched, at, frames).await? else { return Ok(None) };
    let new = value_of(watched, &descriptor, hit.bits, hit.value).await?;
    // The first hit replaces the default value of the field or element.
    let old = match hit.old_bits {
        Some(bits) => value_of(watched, &descriptor, bits, hit.old_value).await?,
        None => value_of(watched, &descriptor, 0, jdwp::Value::NULL).await?,
    };
    let Some(kept) = kept_values(query, index, &old, &new) else { return Ok(None) };
    let owner = watched.vm.value(&mut watched.tables, owner).await?;
    let thread = watched.tables.thread_key(at.thread.clone());
    let notes = [NOTE].into_iter().chain(is_cut.then_some(CUT)).map(str::to_owned).collect();
    let by = watched.vm.agent_report.as_mut().and_then(|report| report.called_at(query.point.0, &at.site));
    let detail = by.map(|by| written_by(&mut watched.tables, by)).unwrap_or_default();
    Ok(Some(Occurrence {
        sequence: 0,
        query: query.point.0,
        ordinal: at.ordinal,
        thread,
        frame,
        stack,
        activation: None,
        owner,
        old,
        new,
        way: at.way,
        shape: watched.tables.shape_key(&[]),
        kept,
        detail: Some(Box::new(Detail { notes, ..detail })),
    }))
}

/// The field or array element that a hit writes.
struct WrittenPart {
    descriptor: String,
    /// The object or array; the class object for a static field.
    owner: jdwp::Value,
}

/// What a hit of a query writes; `None` if the class no longer declares the field, or the query is about
/// something else.
async fn written_part(
    watched: &mut Watched,
    query: &TraceQuery,
    owner: jdwp::Value,
) -> Result<Option<WrittenPart>, RunError> {
    let field = match &query.event {
        Event::Written(field) => field,
        Event::ElementWritten(element) => {
            return Ok(Some(WrittenPart { descriptor: element.descriptor.to_string(), owner }));
        }
        _ => return Ok(None),
    };
    let class = declaring(watched, field, owner).await?;
    let declared = class.as_ref().and_then(|c| c.fields.iter().find(|f| *f.name == *field.name));
    let (Some(class), Some(declared)) = (&class, declared) else { return Ok(None) };
    let owner = if field.is_static { watched.vm.class_object(class.id).await? } else { owner };
    Ok(Some(WrittenPart { descriptor: declared.descriptor.clone(), owner }))
}

/// The values that a query keeps. `None` if it keeps values of the frame: they are unknown, so points that
/// need them cannot be answered from this hit.
fn kept_values(query: &TraceQuery, index: i32, old: &Value, new: &Value) -> Option<Box<[Value]>> {
    let value = |expr: &Expr| {
        let is = |part: EventPart| expr.text() == Expr::event(part).text();
        match () {
            () if is(EventPart::Index) => Some(Value::Int(index)),
            () if is(EventPart::New) => Some(new.clone()),
            () if is(EventPart::Old) => Some(old.clone()),
            _ => None,
        }
    };
    query.keep.iter().map(|keep| value(&keep.expr)).collect()
}

/// The program's frames of a stored stack, and whether some were omitted; none if a method no longer exists.
async fn kept_stack(
    watched: &mut Watched,
    at: &Coordinate,
    frames: &str,
) -> Result<Option<(StackKey, FrameKey, bool)>, RunError> {
    let (vm, tables) = (&mut watched.vm, &mut watched.tables);
    let mut keys: Vec<FrameKey> = Vec::new();
    let mut is_cut = false;
    for line in frames.lines() {
        if line == "cut" {
            is_cut = true;
            continue;
        }
        let mut words = line.splitn(5, ' ');
        let mut number = || words.next().and_then(|word| word.parse::<i64>().ok());
        let (Some(method), Some(index), Some(signature)) = (number(), number(), words.next()) else {
            return Ok(None);
        };
        let class_name = type_name(signature);
        if keys.is_empty() && class_name.starts_with(RECORDER) {
            continue;
        }
        let mut location = None;
        for class in vm.classes_of(signature).await? {
            let declared = vm.class(class).await?;
            // The JDWP method id equals the JVMTI method id.
            let found = declared.methods.iter().find(|m| i64::try_from(m.id.raw()) == Ok(method));
            if let Some(found) = found {
                let index = index.cast_unsigned();
                location = Some(Location { type_tag: TypeTag::Class, class, method: found.id, index });
            }
        }
        let Some(location) = location else { return Ok(None) };
        let mut location = vm.original(location).await?;
        if keys.is_empty() {
            location.index = at.site.bci.into();
        }
        keys.push(vm.frame_key(tables, location).await?);
    }
    let Some(frame) = keys.first().copied() else { return Ok(None) };
    let is_there = |tables: &Tables| tables.frame(frame).is_some_and(|f| f.site == at.site);
    Ok(is_there(tables).then(|| (tables.stack_key(&keys), frame, is_cut)))
}
