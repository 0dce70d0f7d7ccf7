//! The comparison of a Rust type with its definition in the schema.

use super::schema::Schema;
use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::{Serialize, forward_to_deserialize_any};
use serde_json::{Value, json};

/// What differs, in sentences.
#[derive(Default)]
pub struct Mismatches(Vec<String>);

impl Mismatches {
    /// Adds a difference.
    pub fn add(&mut self, said: String) {
        self.0.push(said);
    }

    /// Adds a difference unless the condition holds.
    pub fn check(&mut self, holds: bool, said: impl FnOnce() -> String) {
        if !holds {
            self.add(said());
        }
    }

    /// The differences.
    pub fn all(&self) -> &[String] {
        &self.0
    }

    /// Fails with all differences.
    pub fn none(self) {
        assert!(self.0.is_empty(), "{} differences:\n{}", self.0.len(), self.0.join("\n"));
    }
}

/// A type that is compared with a definition.
pub struct Compared {
    /// Reads a value as the type, and writes it.
    again: fn(&Value) -> Result<Value, String>,
    /// The fields that the type reads.
    fields: fn() -> Option<&'static [&'static str]>,
    /// Whether the type has fields that the schema does not know.
    is_open: bool,
    /// A field that the schema does not require, and the type does.
    stricter: Option<&'static str>,
}

impl Compared {
    /// A type all of whose fields are in the schema.
    pub const fn of<T: Serialize + DeserializeOwned>() -> Self {
        Self { again: again::<T>, fields: fields::<T>, is_open: false, stricter: None }
    }

    /// A type that also keeps fields which are not in the schema.
    pub const fn open<T: Serialize + DeserializeOwned>() -> Self {
        Self { is_open: true, ..Self::of::<T>() }
    }

    /// The same type, with a field that it requires and the schema does not.
    pub const fn stricter(self, field: &'static str) -> Self {
        Self { stricter: Some(field), ..self }
    }

    /// Compares the type with the definition. Returns what the type writes of a full and a minimal value.
    pub fn check(&self, schema: &Schema, name: &str, definition: &Value, out: &mut Mismatches) -> Vec<Value> {
        let properties = schema.properties(definition);
        let fields = (self.fields)();
        out.check(fields.is_none() == self.is_open, || format!("{name}: the fields are {fields:?}"));
        let is_read = |property: &str| fields.is_none_or(|fields| fields.contains(&property));
        for field in fields.unwrap_or_default() {
            out.check(properties.contains_key(*field), || format!("{name}: no property `{field}`"));
        }

        let full = schema.full(definition);
        let mut minimal = schema.minimal(definition);
        if let Some(field) = self.stricter {
            minimal[field] = full[field].clone();
        }
        let mut written = Vec::new();
        for sample in [&full, &minimal] {
            match (self.again)(sample) {
                Ok(value) => {
                    compare(name, sample, &value, out);
                    schema.validate_part(definition, name, &value, out);
                    written.push(value);
                }
                Err(error) => out.add(format!("{name}: {sample} is not read: {error}")),
            }
        }
        for property in properties.keys().filter(|property| is_read(property)) {
            let value = written.first().and_then(|value| value.get(property));
            out.check(value.is_some(), || format!("{name}: `{property}` is not written"));
        }
        self.check_required(schema, name, definition, &full, out);
        self.check_enumerated(schema, name, definition, &full, out);
        written
    }

    /// Checks that required properties are required, and that others may be absent or `null`.
    fn check_required(
        &self,
        schema: &Schema,
        name: &str,
        definition: &Value,
        full: &Value,
        out: &mut Mismatches,
    ) {
        let required: Vec<String> = schema.required(definition).collect();
        for (property, described) in schema.properties(definition) {
            let mut without = full.clone();
            without.as_object_mut().expect("an object").shift_remove(&property);
            let mut null = full.clone();
            null[&property] = Value::Null;
            let may_be_null =
                described["type"].as_array().is_some_and(|types| types.contains(&json!("null")));
            if !required.contains(&property) && self.stricter != Some(&property) {
                for sample in [without, null] {
                    let read = (self.again)(&sample);
                    out.check(read.is_ok(), || format!("{name} without `{property}`: {read:?}"));
                }
            } else if may_be_null {
                let read = (self.again)(&null);
                out.check(read.as_ref() == Ok(&null), || format!("{name} with null `{property}`: {read:?}"));
            } else {
                let read = (self.again)(&without);
                let names_it = read.as_ref().is_err_and(|error| error.contains(&format!("`{property}`")));
                out.check(names_it, || format!("{name} without `{property}`: {read:?}"));
            }
        }
    }

    /// Checks that all enumerated values of the properties are read and written.
    fn check_enumerated(
        &self,
        schema: &Schema,
        name: &str,
        definition: &Value,
        full: &Value,
        out: &mut Mismatches,
    ) {
        for (property, described) in schema.properties(definition) {
            let is_list = described["type"] == "array";
            let of = if is_list { &described["items"] } else { &described };
            for value in schema.enumerated(of) {
                let mut sample = full.clone();
                sample[&property] = if is_list { json!([value]) } else { value };
                match (self.again)(&sample) {
                    Ok(value) => compare(name, &sample, &value, out),
                    Err(error) => out.add(format!("{name}: `{property}` is not read: {error}")),
                }
            }
        }
    }
}

/// Checks that all that was written is in the sample.
fn compare(path: &str, sample: &Value, written: &Value, out: &mut Mismatches) {
    match (sample, written) {
        (Value::Object(sample), Value::Object(written)) => {
            for (name, value) in written {
                let path = format!("{path}.{name}");
                compare(&path, sample.get(name).unwrap_or(&Value::Null), value, out);
            }
        }
        (Value::Array(sample), Value::Array(written)) if sample.len() == written.len() => {
            for (index, (sample, written)) in sample.iter().zip(written).enumerate() {
                compare(&format!("{path}[{index}]"), sample, written, out);
            }
        }
        _ => out.check(sample == written, || format!("{path}: {sample} is written as {written}")),
    }
}

fn again<T: Serialize + DeserializeOwned>(value: &Value) -> Result<Value, String> {
    let read: T = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    serde_json::to_value(read).map_err(|error| error.to_string())
}

/// The fields that a struct reads. `None` if it reads others too.
fn fields<T: DeserializeOwned>() -> Option<&'static [&'static str]> {
    let mut fields = None;
    let read = T::deserialize(FieldsOf { fields: &mut fields });
    assert!(read.is_err(), "nothing is read");
    fields
}

/// Reads nothing, and notes the fields of the struct that is asked for.
struct FieldsOf<'a> {
    fields: &'a mut Option<&'static [&'static str]>,
}

impl<'de> Deserializer<'de> for FieldsOf<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("not a struct with known fields"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.fields = Some(fields);
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
