//! Whether two values are the same, where parts of them may not be known.

use serde_json::{Map, Value};

/// Whether two values without the numbers of objects are the same. `None` if what is known of them agrees,
/// and something is not known.
pub(super) fn agree(one: &Value, other: &Value) -> Option<bool> {
    if is_set(one, "unknown") || is_set(other, "unknown") {
        return None;
    }
    match (one, other) {
        (Value::Object(parts), Value::Object(others)) => {
            match is_set(one, "truncated") || is_set(other, "truncated") {
                true => in_part(parts, others),
                false => {
                    let same = parts.iter().map(|(name, part)| {
                        others.get(name).map_or(Some(false), |of_other| agree(part, of_other))
                    });
                    if parts.len() == others.len() { all(same) } else { Some(false) }
                }
            }
        }
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => {
            all(items.iter().zip(others).map(|(item, of_other)| agree(item, of_other)))
        }
        (one, other) => Some(one == other),
    }
}

/// Of values that are cut off: `Some(false)` if parts that both have differ.
fn in_part(parts: &Map<String, Value>, others: &Map<String, Value>) -> Option<bool> {
    let both = |name: &str| Some((parts.get(name)?, others.get(name)?));
    let differs = |(one, other): (&Value, &Value)| agree(one, other) == Some(false);
    let type_differs = both("type").is_some_and(differs);
    let element_differs = match both("elements") {
        Some((Value::Array(items), Value::Array(others))) => items.iter().zip(others).any(differs),
        _ => false,
    };
    let field_differs = match both("fields") {
        Some((Value::Object(fields), Value::Object(others))) => {
            fields.iter().filter_map(|(name, field)| Some((field, others.get(name)?))).any(differs)
        }
        _ => false,
    };
    (type_differs || element_differs || field_differs).then_some(false)
}

fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut same = Some(true);
    for part in parts {
        match part {
            Some(false) => return Some(false),
            None => same = None,
            Some(true) => {}
        }
    }
    same
}

fn is_set(value: &Value, name: &str) -> bool {
    value.get(name) == Some(&Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn list(elements: &[i32], truncated: bool) -> Value {
        let elements: Vec<Value> = elements.iter().map(|one| json!({"type": "int", "value": one})).collect();
        json!({"type": "java.util.ArrayList", "elements": elements, "truncated": truncated})
    }

    #[test]
    fn what_is_not_known_agrees_with_nothing_for_sure() {
        assert_eq!(agree(&list(&[1, 2], false), &list(&[1, 2], false)), Some(true));
        assert_eq!(agree(&list(&[1, 2], false), &list(&[1, 3], false)), Some(false));
        assert_eq!(agree(&list(&[1, 2], false), &list(&[1], false)), Some(false));
        assert_eq!(agree(&list(&[1, 2], true), &list(&[1, 2], true)), None);
        assert_eq!(agree(&list(&[1, 2], true), &list(&[1, 3], true)), Some(false));
        assert_eq!(agree(&list(&[1], true), &list(&[1, 2], false)), None);
        let pair = |a: Value, b: Value| json!({"type": "P", "fields": {"a": a, "b": b}, "truncated": false});
        let unknown = || json!({"unknown": true});
        assert_eq!(agree(&pair(json!(1), unknown()), &pair(json!(1), json!(2))), None);
        assert_eq!(agree(&pair(json!(1), unknown()), &pair(json!(3), json!(2))), Some(false));
        assert_eq!(agree(&unknown(), &json!(null)), None);
        assert_eq!(agree(&json!(null), &json!(null)), Some(true));
    }
}
