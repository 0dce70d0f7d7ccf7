//! The state of an object at a time: its fields, those of its superclasses, its elements or its contents.

use crate::answer::{AnswerRow, ValueRow};
use crate::error::LogicError;
use crate::log::Kind;
use crate::search::Source;
use bytecode::op::Constant;
use past::heap::{Held, ObjectPart, held};
use past::values::{shown, shown_item};
use trace::{Calls, EventTime, Field, Items, Value, shown_class};

/// The flag of a final field (JVMS table 4.5-A).
const ACC_FINAL: u16 = 0x0010;

/// The rows for the state of an object before a time; at most `limit`. Returns whether there are more.
pub(super) fn push_state(
    source: &mut Source,
    object: u32,
    when: EventTime,
    limit: usize,
    rows: &mut Vec<AnswerRow>,
) -> Result<bool, LogicError> {
    let calls = &mut source.recording.calls;
    let name = calls.objects.name(object);
    if calls.objects.is_array(object) {
        return push_elements(source, object, &name, when, limit, rows);
    }
    if let Some(contents) = calls.contents(object, when)? {
        let objects = &calls.objects;
        let value = |value: &Value| Some(shown_item(value, objects));
        let row = |name: String, value: Option<String>| {
            AnswerRow::Value(ValueRow { name, value, ..ValueRow::default() })
        };
        let count = contents.items.len();
        match contents.items {
            Items::Elements(all) => rows.extend(
                all.iter()
                    .take(limit)
                    .enumerate()
                    .map(|(at, item)| row(format!("{name}[{at}]"), item.as_ref().and_then(value))),
            ),
            Items::Pairs(all) => rows.extend(
                all.iter()
                    .take(limit)
                    .map(|(key, item)| row(format!("{name}[{}]", shown_item(key, objects)), value(item))),
            ),
        }
        return Ok(count > limit);
    }
    let states = field_states(source, object, when)?;
    let objects = &source.recording.calls.objects;
    let more = states.len() > limit;
    for state in states.into_iter().take(limit) {
        let owner = if state.is_static { shown_class(&state.class) } else { name.clone() };
        rows.push(AnswerRow::Value(ValueRow {
            name: format!("{owner}.{}", state.name),
            value: state.value.map(|value| shown(&value, objects)),
            event: match state.by {
                SetBy::Event(id) => Some(id),
                SetBy::Default | SetBy::Constant | SetBy::Unknown => None,
            },
            is_default: state.by == SetBy::Default,
        }));
    }
    Ok(more)
}

/// What gave a field its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetBy {
    /// A write, by the id of its event.
    Event(u64),
    /// Nothing: it has the default value of its type.
    Default,
    /// Its declaration: it is a constant of the class file.
    Constant,
    /// Something that was not recorded.
    Unknown,
}

/// A field of an object at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldState {
    /// The class that declares it.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Whether it is static.
    pub is_static: bool,
    /// Its value; `None` if unknown.
    pub value: Option<Value>,
    /// What gave it the value.
    pub by: SetBy,
}

/// The fields of an object before a time, those of the topmost class first.
///
/// # Errors
/// The events cannot be read.
pub fn field_states(
    source: &mut Source,
    object: u32,
    when: EventTime,
) -> Result<Vec<FieldState>, LogicError> {
    let fields = fields_of(&source.recording.calls, object);
    fields.into_iter().map(|(class, field)| field_state(source, object, class, &field, when)).collect()
}

/// The fields that the recorded classes of an object declare, those of the topmost class first, each with its
/// class.
fn fields_of(calls: &Calls, object: u32) -> Vec<(String, Field)> {
    let mut fields: Vec<(String, Field)> = Vec::new();
    let mut class = calls.objects.class(object).map(|class| class.to_string());
    // A damaged file can hold a cycle.
    let mut left = 64;
    while let Some(name) = class.filter(|_| left > 0) {
        left -= 1;
        let own: Vec<_> =
            calls.sites.fields(&name).iter().map(|field| (name.clone(), field.clone())).collect();
        fields.splice(0..0, own);
        class = calls.sites.superclass(&name).map(str::to_owned);
    }
    fields
}

fn field_state(
    source: &mut Source,
    object: u32,
    class: String,
    field: &Field,
    when: EventTime,
) -> Result<FieldState, LogicError> {
    let (name, is_static) = (field.name.clone(), field.is_static);
    let is_whole = source.recording.about.is_whole().is_ok();
    let calls = &mut source.recording.calls;
    let owner = if is_static { 0 } else { object };
    let part = (0..).zip(calls.fields()).find(|(_, (of, field))| *of == class && *field == name);
    let part = part.map(|(part, _)| part);
    let is_constant = is_static && field.access & ACC_FINAL != 0;
    let part = ObjectPart {
        part,
        descriptor: field.descriptor.clone(),
        begins_empty: match is_static {
            true => is_whole && (!is_constant || part.is_some()),
            false => calls.was_made(object)?,
        },
        constant: match is_constant {
            true => source.recording.lines.constant(&class, &name).and_then(|of| plain(&of, field)),
            false => None,
        },
        ..ObjectPart::default()
    };
    let held = held(&mut source.recording.calls, owner, &part, when)?;
    let is_written = matches!(held, Held::Known { set_by: Some(_), .. });
    if !is_written && is_static && source.recording.calls.sites.is_ambiguous(&class) {
        // Several loaders define the class: it is unknown whose field is meant.
        return Ok(FieldState { class, name, is_static, value: None, by: SetBy::Unknown });
    }
    let by = match held {
        Held::Known { set_by: Some(wrote), .. } => {
            let calls = &mut source.recording.calls;
            let id = match calls.thread_at(wrote) {
                Some(thread) => source.log.id_of(calls, thread, wrote, Kind::SetField)?,
                None => None,
            };
            id.map_or(SetBy::Unknown, SetBy::Event)
        }
        Held::Default(_) => SetBy::Default,
        Held::Constant(_) => SetBy::Constant,
        Held::Known { set_by: None, .. } | Held::Unknown => SetBy::Unknown,
    };
    Ok(FieldState { class, name, is_static, value: held.value(), by })
}

/// The value of a constant, unless it is a string, which has no number.
fn plain(constant: &Constant, field: &Field) -> Option<Value> {
    Some(match (constant, field.descriptor.as_bytes().first()) {
        (Constant::Int(value), Some(b'Z')) => Value::Boolean(*value != 0),
        (Constant::Int(value), Some(b'C')) => Value::Char(u16::try_from(*value).ok()?),
        (Constant::Int(value), _) => Value::Int(*value),
        (Constant::Long(value), _) => Value::Long(*value),
        (Constant::Float(value), _) => Value::Float(*value),
        (Constant::Double(value), _) => Value::Double(*value),
        _ => return None,
    })
}

fn push_elements(
    source: &mut Source,
    array: u32,
    name: &str,
    when: EventTime,
    limit: usize,
    rows: &mut Vec<AnswerRow>,
) -> Result<bool, LogicError> {
    let calls = &mut source.recording.calls;
    let length = calls.objects.length_of(array).unwrap_or(0);
    let class = calls.objects.class(array).cloned().unwrap_or_default();
    let was_made = calls.was_made(array)?;
    let listed = length.min(u32::try_from(limit).unwrap_or(u32::MAX));
    for index in 0..listed {
        let part = ObjectPart::of_element(&class, index, was_made);
        let held = held(calls, array, &part, when)?;
        rows.push(AnswerRow::Value(ValueRow {
            name: format!("{name}[{index}]"),
            value: held.value().map(|value| shown(&value, &calls.objects)),
            is_default: matches!(held, Held::Default(_)),
            event: None,
        }));
    }
    Ok(listed < length)
}
