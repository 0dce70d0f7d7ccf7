//! The official schema: its definitions, samples made from them, and validation.

use super::conformance::Mismatches;
use serde_json::{Map, Value, json};

/// How deep samples nest. Some definitions contain themselves.
const DEPTH: usize = 6;

/// The schema of the protocol.
pub struct Schema {
    root: Value,
}

impl Schema {
    /// The schema named by the environment. None if tests may do without it.
    pub fn of_environment() -> Option<Self> {
        let file = testing::named("QP_TEST_DAP_SCHEMA")?;
        let text = std::fs::read(file).expect("QP_TEST_DAP_SCHEMA names a readable file");
        let mut root: Value = serde_json::from_slice(&text).expect("the schema is JSON");
        // The arguments of `attach` are also some of `launch`, so that `oneOf` would forbid them.
        let arguments = &mut root["definitions"]["RestartArguments"]["properties"]["arguments"];
        if let Some(choices) = arguments.as_object_mut().and_then(|choices| choices.remove("oneOf")) {
            arguments["anyOf"] = choices;
        }
        Some(Self { root })
    }

    /// A definition by its name.
    pub fn definition(&self, name: &str) -> &Value {
        self.root["definitions"].get(name).unwrap_or_else(|| panic!("the schema has no `{name}`"))
    }

    /// The definition with references followed, and with the parts of `allOf` united.
    pub fn merged(&self, definition: &Value) -> Value {
        if let Some(path) = definition.get("$ref").and_then(Value::as_str) {
            return self.merged(self.definition(path.rsplit('/').next().expect("a path has a last part")));
        }
        let Some(parts) = definition.get("allOf").and_then(Value::as_array) else {
            return definition.clone();
        };
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for part in parts {
            let part = self.merged(part);
            if let Some(more) = part["properties"].as_object() {
                properties.extend(more.clone());
            }
            required.extend(part["required"].as_array().cloned().unwrap_or_default());
        }
        let mut merged = json!({"type": "object", "properties": properties});
        // An empty list of required properties is invalid.
        if !required.is_empty() {
            merged["required"] = json!(required);
        }
        merged
    }

    /// The properties of an object, with their definitions.
    pub fn properties(&self, definition: &Value) -> Map<String, Value> {
        self.merged(definition)["properties"].as_object().cloned().unwrap_or_default()
    }

    /// The names of the required properties of an object.
    pub fn required(&self, definition: &Value) -> impl Iterator<Item = String> {
        let required = self.merged(definition)["required"].as_array().cloned().unwrap_or_default();
        required.into_iter().filter_map(|name| name.as_str().map(str::to_owned))
    }

    /// The values that an enumeration has, whether or not others are allowed too.
    pub fn enumerated(&self, definition: &Value) -> Vec<Value> {
        let definition = self.merged(definition);
        let values = definition.get("enum").or_else(|| definition.get("_enum"));
        values.and_then(Value::as_array).cloned().unwrap_or_default()
    }

    /// A value with all properties.
    pub fn full(&self, definition: &Value) -> Value {
        self.sample(definition, true, DEPTH)
    }

    /// A value with the required properties only.
    pub fn minimal(&self, definition: &Value) -> Value {
        self.sample(definition, false, DEPTH)
    }

    fn sample(&self, definition: &Value, is_full: bool, depth: usize) -> Value {
        let definition = self.merged(definition);
        if let Some(value) = self.enumerated(&definition).into_iter().next() {
            return value;
        }
        if let Some(choices) = definition.get("anyOf").and_then(Value::as_array) {
            return self.sample(choices.first().expect("a choice"), is_full, depth);
        }
        match type_of(&definition) {
            "string" => json!("text"),
            "integer" => json!(2_147_483_647),
            "number" => json!(12.5),
            "boolean" => json!(true),
            "array" if depth == 0 || !is_full => json!([]),
            "array" => json!([self.sample(&definition["items"], is_full, depth - 1)]),
            "object" => self.sample_object(&definition, is_full, depth),
            "any" => json!({"any": [1, null]}),
            other => panic!("the schema has the type `{other}`"),
        }
    }

    fn sample_object(&self, definition: &Value, is_full: bool, depth: usize) -> Value {
        let required: Vec<String> = self.required(definition).collect();
        let mut fields = Map::new();
        for (name, property) in self.properties(definition) {
            let is_required = required.contains(&name);
            if is_required || (is_full && depth > 0) {
                fields.insert(name, self.sample(&property, is_full, depth.saturating_sub(1)));
            }
        }
        // A map from names to values.
        if is_full
            && let Some(values) = definition.get("additionalProperties").filter(|value| value.is_object())
        {
            fields.insert("NAME".to_owned(), self.sample(values, is_full, depth.saturating_sub(1)));
        }
        Value::Object(fields)
    }

    /// Validates a value with a definition.
    pub fn validate(&self, name: &str, value: &Value, mismatches: &mut Mismatches) {
        let mut schema = self.root.clone();
        schema["$ref"] = json!(format!("#/definitions/{name}"));
        self.validate_with(&schema, name, value, mismatches);
    }

    /// Validates a value with a definition that may have no name.
    pub fn validate_part(&self, definition: &Value, name: &str, value: &Value, mismatches: &mut Mismatches) {
        let mut schema = self.merged(definition);
        schema["definitions"] = self.root["definitions"].clone();
        schema["$schema"] = self.root["$schema"].clone();
        self.validate_with(&schema, name, value, mismatches);
    }

    fn validate_with(&self, schema: &Value, name: &str, value: &Value, mismatches: &mut Mismatches) {
        let validator = jsonschema::validator_for(schema).expect("the schema is a schema");
        for error in validator.iter_errors(value) {
            mismatches.add(format!("{name}: {value}: {error} at `{}`", error.instance_path()));
        }
    }
}

/// The type of a definition; `any` if it may be any.
fn type_of(definition: &Value) -> &str {
    match &definition["type"] {
        Value::String(name) => name,
        Value::Array(names) if names.len() > 3 => "any",
        Value::Array(names) => names.first().and_then(Value::as_str).unwrap_or("none"),
        _ => "any",
    }
}
