//! What stands at the point: the value of the target, compared between runs.

use super::point::WrongPoint;
use super::target;
use crate::analysis::Target;
use model::MethodName;
use past::Recording;
use past::fields::StaticName;
use past::heap::ObjectPart;
use past::snapshot::{Bounds, Shape, Shaper};
use session::SessionError;
use trace::{EventPosition, Value};

/// How much of a value is compared.
const BOUNDS: Bounds = Bounds { depth: 4, elements: 1000, parts: 5000 };
/// Most characters of a value that are shown.
const ROOM: usize = 60;

/// The state at a point.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PointOutcome {
    /// The value of the target, as text.
    pub text: String,
    /// The value without the numbers of objects, which differ between runs.
    pub compared: serde_json::Value,
    /// Whether all of the value is known.
    pub is_whole: bool,
    /// Whether what the user wants holds; `None` if it is unknown, or if nothing is wanted.
    pub holds: Option<bool>,
    /// Why it is unknown.
    pub unknown: Option<String>,
    /// The method of the point.
    pub method: Option<MethodName>,
}

/// What is compared.
pub(super) struct Compared<'a> {
    /// The expression of the target; `None` if the target is an object by its number.
    pub what: Option<&'a str>,
    /// Whether the field that it names is meant.
    pub of_field: bool,
    /// What must hold at the point.
    pub want: Option<&'a str>,
}

impl Compared<'_> {
    /// The state at a point of a recording. A target that is an object by its number cannot be found again
    /// in another run.
    ///
    /// # Errors
    /// The point was not reached, or the recording cannot be read.
    pub fn at(&self, point: &WrongPoint, trace: &mut Recording) -> Result<PointOutcome, SessionError> {
        let at = point.find(trace)?.at;
        match (self.of_event(at, trace), point.begin()) {
            // A variable may end with the line.
            (Err(_), Some(begin)) => {
                let at = begin.find(trace)?.at;
                self.of_event(at, trace)
            }
            (found, _) => found,
        }
    }

    /// The state at an event.
    fn of_event(&self, at: EventPosition, trace: &mut Recording) -> Result<PointOutcome, SessionError> {
        let what = self.what.unwrap_or_default();
        let denoted = target::of_expression(what, self.of_field, trace, at)?;
        let method = trace.calls.event_at(at, |_, seen| seen.site.method)?;
        let method = method.and_then(|method| trace.calls.sites.method_name(method));
        let shape = match denoted.unknown {
            None => shape(&denoted.target, trace, at)?,
            Some(_) => Shape::Unknown { unknown: true },
        };
        let mut compared = serde_json::to_value(&shape).unwrap_or_default();
        without_numbers(&mut compared);
        let is_whole = is_whole(&compared);
        let (holds, unknown) = match self.want {
            Some(want) => match holds(want, trace, at)? {
                Ok(holds) => (Some(holds), None),
                Err(why) => (None, Some(why)),
            },
            None => (None, None),
        };
        Ok(PointOutcome { text: shape.fitting(ROOM), compared, is_whole, holds, unknown, method })
    }
}

/// Whether a condition holds at an event, or why that is unknown.
fn holds(want: &str, trace: &mut Recording, at: EventPosition) -> Result<Result<bool, String>, SessionError> {
    let wanted = trace.compile(at, want)?.map_err(SessionError::NoStep)?;
    match trace.value(at, &wanted)? {
        Ok(value) => match value.holds {
            Some(holds) => Ok(Ok(holds)),
            None => Err(SessionError::NoStep(format!("`{want}` is {}, not a boolean", value.text))),
        },
        Err(why) => Ok(Err(why)),
    }
}

fn shape(target: &Target, trace: &mut Recording, at: EventPosition) -> Result<Shape, SessionError> {
    let when = trace.calls.when_at(at)?;
    let mut shaper = Shaper { calls: &mut trace.calls, fields: &mut trace.code.fields, bounds: BOUNDS };
    let Some(field) = &target.field else {
        return Ok(shaper.shape(Some(Value::Object(target.object)), "", when)?);
    };
    if target.object == 0 {
        let named = StaticName { class: &target.class, name: field, method: None };
        let part = ObjectPart::of_static_field(&named, shaper.fields, shaper.calls);
        let held = shaper.held(0, &part, when)?;
        return Ok(shaper.shape(held, &part.descriptor, when)?);
    }
    let (parts, _) = shaper.parts(target.object, usize::MAX)?;
    let Some(part) = parts.into_iter().find(|part| part.name.as_ref() == Some(field)) else {
        return Ok(Shape::Unknown { unknown: true });
    };
    let held = shaper.held(target.object, &part, when)?;
    Ok(shaper.shape(held, &part.descriptor, when)?)
}

/// Whether no part of a value is cut off or unknown.
fn is_whole(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Object(parts) => {
            let is_set = |name: &str| parts.get(name) == Some(&serde_json::Value::Bool(true));
            !is_set("truncated") && !is_set("unknown") && parts.values().all(is_whole)
        }
        serde_json::Value::Array(items) => items.iter().all(is_whole),
        _ => true,
    }
}

/// Removes the numbers of objects.
fn without_numbers(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(parts) => {
            parts.remove("object");
            parts.values_mut().for_each(without_numbers);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(without_numbers),
        _ => {}
    }
}
