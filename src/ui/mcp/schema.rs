//! The schemas of tools, as short as they can be: an agent pays for each token of the list.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The schema of a tool's arguments, with those that many tools take.
pub fn of_arguments<T: JsonSchema>(common: &[(&str, &str)], left_out: &[&str]) -> JsonObject {
    let mut schema = generated::<T>();
    trim(&mut schema);
    let mut object = into_object(schema);
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        for name in left_out {
            properties.shift_remove(*name);
        }
        for (name, of) in common {
            properties.entry((*name).to_owned()).or_insert(json!({ "type": of }));
        }
    }
    object
}

/// The schema of a tool's result: what stands in every result. docs/agents.md has the rest.
pub fn of_result(can_be_job: bool) -> JsonObject {
    let text = || json!({ "type": "string" });
    let mut properties = Map::from_iter([("state".to_owned(), text()), ("next".to_owned(), text())]);
    if can_be_job {
        properties.insert("job".to_owned(), text());
    }
    Map::from_iter([("type".to_owned(), "object".into()), ("properties".to_owned(), properties.into())])
}

fn generated<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

fn into_object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// Removes what says nothing to an agent. A part that may be `null` is absent instead.
fn trim(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    for key in ["title", "format", "minimum", "maximum", "default", "additionalProperties"] {
        // The values of a map have a type.
        if key != "additionalProperties" || object.get(key).is_some_and(Value::is_boolean) {
            object.shift_remove(key);
        }
    }
    // The description of a type is a sentence for readers of the code, that of an argument a few words.
    let is_of_type =
        object.get("description").and_then(Value::as_str).is_some_and(|text| text.ends_with('.'));
    if is_of_type {
        object.shift_remove("description");
    }
    if let Some(Value::Array(types)) = object.get("type") {
        let named: Vec<Value> = types.iter().filter(|of| *of != "null").cloned().collect();
        if let [one] = named.as_slice() {
            let one = one.clone();
            object.insert("type".to_owned(), one);
        }
    }
    for key in ["anyOf", "oneOf"] {
        let Some(Value::Array(choices)) = object.get(key) else { continue };
        let choices: Vec<Value> = choices.iter().filter(|of| of["type"] != "null").cloned().collect();
        if choices.iter().all(|choice| choice.get("const").is_some()) {
            let words: Vec<Value> = choices.iter().map(|choice| choice["const"].clone()).collect();
            object.shift_remove(key);
            object.insert("enum".to_owned(), Value::Array(words));
        } else if let [Value::Object(one)] = choices.as_slice() {
            let one = one.clone();
            object.shift_remove(key);
            let description = object.shift_remove("description");
            object.extend(one);
            if let Some(description) = description {
                object.insert("description".to_owned(), description);
            }
            let mut inner = Value::Object(std::mem::take(object));
            trim(&mut inner);
            *object = into_object(inner);
        }
    }
    if let Some(Value::Array(words)) = object.get_mut("enum") {
        words.retain(|word| !word.is_null());
        // The words are texts.
        object.shift_remove("type");
    }
    for value in object.values_mut() {
        match value {
            Value::Object(parts) if !parts.contains_key("type") || parts["type"].is_object() => {
                parts.values_mut().for_each(trim);
            }
            Value::Object(_) => trim(value),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use servers::mcp::Diagnose;

    #[test]
    fn schemas_say_types_and_words() {
        let arguments = Value::Object(of_arguments::<Diagnose>(&[("limit", "integer")], &["call"]));
        assert_eq!(arguments["properties"]["question"]["type"], "integer");
        assert_eq!(arguments["properties"]["answer"]["enum"][0], "valid");
        assert!(arguments["properties"].get("call").is_none());
        let result = Value::Object(of_result(true));
        assert_eq!(result["properties"]["state"], json!({ "type": "string" }));
        let text = arguments.to_string();
        assert!(!text.contains("null") && !text.contains("$defs"), "{text}");
    }
}
