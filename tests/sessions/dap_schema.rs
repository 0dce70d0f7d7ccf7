//! Checks what `qp dap` sends with the official schema of the protocol, if `QP_TEST_DAP_SCHEMA` names its
//! file. `./run test` sets that.

use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::HashMap;

/// The schema, with a validator for each kind of message that was checked.
pub struct MessageSchema {
    definitions: Option<Value>,
    known: RefCell<HashMap<String, jsonschema::Validator>>,
}

impl MessageSchema {
    /// The schema named by the environment. Without one, every message is accepted.
    pub fn of_environment() -> MessageSchema {
        let file = testing::named("QP_TEST_DAP_SCHEMA");
        let text = file.map(|file| std::fs::read(file).expect("QP_TEST_DAP_SCHEMA names a readable file"));
        let definitions = text.map(|text| {
            let root: Value = serde_json::from_slice(&text).expect("the schema is JSON");
            root["definitions"].clone()
        });
        MessageSchema { definitions, known: RefCell::default() }
    }

    /// Fails if a message from the adapter does not conform to its definition.
    pub fn check(&self, message: &Value) {
        let Some(definitions) = &self.definitions else { return };
        let name = self.definition_of(message, definitions);
        let mut known = self.known.borrow_mut();
        let validator = known.entry(name.clone()).or_insert_with(|| {
            let schema = json!({"$ref": format!("#/definitions/{name}"), "definitions": definitions});
            jsonschema::validator_for(&schema).expect("a schema")
        });
        let problems: Vec<String> = validator.iter_errors(message).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{name}: {problems:?}\n{message:#}");
    }

    fn definition_of(&self, message: &Value, definitions: &Value) -> String {
        let text = |key: &str| message[key].as_str().unwrap_or_default();
        let specific = match text("type") {
            "event" => format!("{}Event", capitalised(text("event"))),
            "request" => format!("{}Request", capitalised(text("command"))),
            _ if message["success"] == false => "ErrorResponse".to_owned(),
            _ => format!("{}Response", capitalised(text("command"))),
        };
        // The schema knows nothing of requests of our own.
        if definitions.get(&specific).is_some() { specific } else { "Response".to_owned() }
    }
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
