//! What is wrong at a point: an object, or a field of one.

use crate::assertions::{ExpressionAt, variable_at};
use crate::classes::ClassPool;
use crate::expr::{Expr, VariableRef};
use crate::inspect::fields::Fields;
use crate::model::Site;
use crate::omission::Target;
use crate::session::error::SessionError;
use crate::trace::{Calls, EventPosition};

/// The target of an expression at an event, with the value of the expression as text.
///
/// # Errors
/// The expression has no object there, or the recording cannot be read.
pub(super) async fn of_expression(
    text: &str,
    of_field: bool,
    (calls, fields, pool): (&mut Calls, &mut Fields, &ClassPool),
    at: EventPosition,
) -> Result<(Target, String), SessionError> {
    let refused = |why: String| SessionError::NoStep(why);
    let place = calls.event_at(at, |_, seen| (seen.site.method, seen.site.bci))?;
    let (method, bci) = place.ok_or_else(|| refused("the event cannot be read".to_owned()))?;
    let name =
        calls.sites.method_name(method).ok_or_else(|| refused("the method is not known".to_owned()))?;
    let value = ExpressionAt::new(text, &name, bci, (calls, pool)).map_err(refused)?;
    let value = value.value(calls, fields, at).await?.map_err(refused)?;
    let mutable = value
        .object
        .filter(|object| calls.objects.text_of(*object).is_none() && !calls.objects.is_box(*object));
    if let (Some(object), false) = (mutable, of_field) {
        let class = calls.objects.class(object).map(ToString::to_string).unwrap_or_default();
        return Ok((Target { object, class, field: None }, value.text));
    }
    // A value that cannot change: what should have been written is the field that holds it.
    let expr = Expr::parse(text).map_err(|error| refused(error.to_string()))?;
    let variable = variable_at(&expr, &Site { method: name.clone(), bci }, pool);
    let no_object = || refused(no_object(text, &value.text));
    let (owner, field) = match variable.map_err(|_| no_object())? {
        VariableRef::Field { owner, name, .. } => (owner.to_string(), name),
        VariableRef::Unknown { owner, field } => (owner.to_string(), field),
        VariableRef::Static { class, name, .. } => {
            return Ok((Target { object: 0, class, field: Some(name) }, value.text));
        }
        VariableRef::Local { .. } | VariableRef::Element { .. } => return Err(no_object()),
    };
    let owner = ExpressionAt::new(&owner, &name, bci, (calls, pool)).map_err(refused)?;
    let held = owner.value(calls, fields, at).await?.ok().and_then(|owner| owner.object);
    let class = held.and_then(|object| calls.objects.class(object)).map(ToString::to_string);
    match (held, class) {
        (Some(object), Some(class)) if has_field(pool, &class, &field) => {
            Ok((Target { object, class, field: Some(field) }, value.text))
        }
        _ => Err(no_object()),
    }
}

fn has_field(pool: &ClassPool, class: &str, field: &str) -> bool {
    let Ok(Some(found)) = pool.find(class) else { return false };
    crate::program::lineage(pool, &found.file).iter().any(|file| file.field(field).is_some())
}

fn no_object(text: &str, value: &str) -> String {
    format!(
        "`{text}` is {value}, which is no object, field or array that an operation could have \
         changed: `qp why` finds what last changed a local variable"
    )
}
