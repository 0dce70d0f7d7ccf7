//! What is wrong at a point: an object, or a field of one.

use crate::analysis::Target;
use classes::ClassPool;
use expr::{Expr, Node, VariableRef};
use model::Site;
use past::Recording;
use past::expression::{type_at, variable_at};
use session::SessionError;
use trace::{Calls, EventPosition};

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
    let refused = |why: String| SessionError::NoStep(why);
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
    let object_of = |calls: &Calls, object: Option<u32>| {
        let is_fixed = |object| calls.objects.text_of(object).is_some() || calls.objects.is_box(object);
        let object = object.filter(|object| !is_fixed(*object))?;
        let class = calls.objects.class(object).map(ToString::to_string).unwrap_or_default();
        Some(Target { object, class, field: None })
    };
    if let (Some(target), false) = (object_of(&trace.calls, object), of_field) {
        return Ok(Denoted { target, value, unknown });
    }
    let no_object = || refused(no_object(text, &value));
    let held = |owner: &str, trace: &mut Recording| {
        let owner = trace.compile(at, owner)?.map_err(refused)?;
        Ok::<_, SessionError>(trace.value(at, &owner)?.ok().and_then(|owner| owner.object))
    };
    // A value that cannot change: what should have been changed is the map or the field that holds it.
    if let Node::Mapped { map, .. } = expr.node() {
        let map = held(&map.to_string(), trace)?;
        let target = object_of(&trace.calls, map).ok_or_else(no_object)?;
        return Ok(Denoted { target, value, unknown });
    }
    let pool = trace.code.pool().map_err(SessionError::NoStep)?;
    let (owner, field) = match variable_at(&expr, &site, pool).map_err(|_| no_object())? {
        VariableRef::Field { owner, name, .. } => (owner.to_string(), name),
        VariableRef::Unknown { owner, field } => (owner.to_string(), field),
        VariableRef::Static { class, name, .. } => {
            let target = Target { object: 0, class, field: Some(name) };
            return Ok(Denoted { target, value, unknown });
        }
        VariableRef::Local { .. } | VariableRef::Element { .. } => return Err(no_object()),
    };
    let held = held(&owner, trace)?;
    let class = held.and_then(|object| trace.calls.objects.class(object)).map(ToString::to_string);
    let pool = trace.code.pool().map_err(SessionError::NoStep)?;
    match (held, class) {
        (Some(object), Some(class)) if has_field(pool, &class, &field) => {
            Ok(Denoted { target: Target { object, class, field: Some(field) }, value, unknown })
        }
        _ => Err(no_object()),
    }
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
