//! What is wrong at a point: an object, or a field of one.

use crate::analysis::Target;
use classes::ClassPool;
use expr::{Expr, Node, VariableRef};
use model::Site;
use past::Recording;
use past::expression::{type_at, variable_at};
use session::SessionError;
use trace::{Calls, EventPosition, EventTime, Value, WalkControl};

/// What an expression denotes at an event.
pub(super) struct Denoted {
    /// The object, or the field.
    pub target: Target,
    /// The value of the expression, as text; empty if it is not known.
    pub value: String,
    /// Why it is not known.
    pub unknown: Option<String>,
}

/// The target of an expression at an event. A field is one even where its value is not known.
///
/// # Errors
/// The expression has no object there, or the recording cannot be read.
pub(super) fn of_expression(
    text: &str,
    of_field: bool,
    trace: &mut Recording,
    at: EventPosition,
) -> Result<Denoted, SessionError> {
    let place = trace.calls.event_at(at, |_, seen| (seen.site.method, seen.site.bci))?;
    let (method, bci) = place.ok_or_else(|| refused("the event cannot be read".to_owned()))?;
    let name = trace.calls.sites.method_name(method);
    let name = name.ok_or_else(|| refused("the method is not known".to_owned()))?;
    let value = trace.compile(at, text)?.map_err(refused)?;
    let value = trace.value(at, &value)?;
    let expr = Expr::parse(text).map_err(|error| refused(error.to_string()))?;
    let site = Site { method: name, bci };
    let (value, object, unknown) = match value {
        Ok(value) => (value.text, value.object, None),
        // Which object an unknown reference denotes is not known either.
        Err(why) => match trace.code.pool().ok().and_then(|pool| type_at(&expr, &site, pool)) {
            Some(of) if of_field || of.unboxed().is_some() || of.is_string() => {
                (String::new(), None, Some(why))
            }
            _ => return Err(refused(why)),
        },
    };
    let target = match object_of(&trace.calls, object) {
        Some(target) if !of_field => Some(target),
        // A value that cannot change: what should have been changed is the map or the field that holds it.
        _ => holder(&expr, &site, trace, at)?,
    };
    let target = target.ok_or_else(|| refused(no_object(text, &value)))?;
    Ok(Denoted { target, value, unknown })
}

fn refused(why: String) -> SessionError {
    SessionError::NoStep(why)
}

/// Whether an object is a string or a box, which cannot change.
pub(super) fn is_fixed(calls: &Calls, object: u32) -> bool {
    calls.objects.text_of(object).is_some() || calls.objects.is_box(object)
}

/// A target that is an object. Strings and boxes are none, because they cannot change.
fn object_of(calls: &Calls, object: Option<u32>) -> Option<Target> {
    let object = object.filter(|object| !is_fixed(calls, *object))?;
    let class = calls.objects.class(object).map(ToString::to_string).unwrap_or_default();
    Some(Target { object, class, field: None })
}

/// The map or the field that holds the value of an expression, if there is one.
fn holder(
    expr: &Expr,
    site: &Site,
    trace: &mut Recording,
    at: EventPosition,
) -> Result<Option<Target>, SessionError> {
    if let Node::Mapped { map, .. } = expr.node() {
        let map = object_at(&map.to_string(), trace, at)?;
        return Ok(object_of(&trace.calls, map));
    }
    let pool = trace.code.pool().map_err(refused)?;
    let (owner, field) = match variable_at(expr, site, pool) {
        Ok(VariableRef::Field { owner, name, .. }) => (owner.to_string(), name),
        Ok(VariableRef::Unknown { owner, field }) => (owner.to_string(), field),
        Ok(VariableRef::Static { class, name, .. }) => {
            return Ok(Some(Target { object: 0, class, field: Some(name) }));
        }
        Ok(VariableRef::Local { .. } | VariableRef::Element { .. }) | Err(_) => return Ok(None),
    };
    let Some(object) = object_at(&owner, trace, at)? else { return Ok(None) };
    let class = trace.calls.objects.class(object).map(ToString::to_string);
    let pool = trace.code.pool().map_err(refused)?;
    let class = class.filter(|class| has_field(pool, class, &field));
    Ok(class.map(|class| Target { object, class, field: Some(field) }))
}

/// The object that an expression denotes at an event, if it is known.
fn object_at(text: &str, trace: &mut Recording, at: EventPosition) -> Result<Option<u32>, SessionError> {
    let value = trace.compile(at, text)?.map_err(refused)?;
    Ok(trace.value(at, &value)?.ok().and_then(|value| value.object))
}

fn has_field(pool: &ClassPool, class: &str, field: &str) -> bool {
    let Ok(Some(found)) = pool.find(class) else { return false };
    program::lineage(pool, &found.file).iter().any(|file| file.field(field).is_some())
}

fn no_object(text: &str, value: &str) -> String {
    format!(
        "`{text}` is {value}, which is no object, field or array that an operation could have \
         changed: `qp why` finds what last changed a local variable"
    )
}

/// The time of the first event that names an object. A static field is there from the beginning of the run.
pub(super) fn begin(calls: &mut Calls, object: u32) -> Result<Option<EventTime>, SessionError> {
    if object == 0 {
        return Ok(Some(EventTime::BEGIN));
    }
    let mut first: Option<EventTime> = None;
    for (thread, ..) in calls.threads() {
        calls.walk(thread, None, |_, seen| {
            if !seen.values.contains(&Value::Object(object)) {
                return WalkControl::Next;
            }
            let when = seen.when();
            first = Some(first.map_or(when, |known| known.min(when)));
            WalkControl::Stop
        })?;
    }
    Ok(first)
}
