//! Says that a comparison by `==` had two objects of one value.

use model::{Namer, ObjectDescription, Tables, Value};

/// A note if a condition compares two boxes or strings by `==` that are `equals`: their values alone look as
/// if the condition were wrong. `value` is the value of an operand, by its text.
pub(super) fn two_objects<'v>(
    condition: &str,
    value: impl Fn(&str) -> Option<&'v Value>,
    namer: &mut Namer,
    tables: &Tables,
) -> Option<String> {
    let (left, right) = condition.split_once(" == ").or_else(|| condition.split_once(" != "))?;
    let (a, b) = (value(left)?, value(right)?);
    let has_value = |value: &Value| {
        let description = value.object_id().and_then(|id| tables.description(id));
        matches!(value, Value::Str(_)) || matches!(description, Some(ObjectDescription::Boxed(_)))
    };
    let are_two = has_value(a) && has_value(b) && a.object_id() != b.object_id();
    let is_equal = are_two && namer.text(a, tables) == namer.text(b, tables);
    is_equal.then(|| {
        format!(
            "{left} and {right} are two objects of one value: `==` compares the objects, `equals` the values"
        )
    })
}
