//! Reads typed arguments from JSON, and says which field does not fit. `serde_json` names no field if a value
//! has the wrong type.

use serde::de::value::StrDeserializer;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// Reads a `T` from a value. Only objects are structs: an array is not taken for a list of fields.
pub(crate) fn read<'a, T: Deserialize<'a>>(value: &'a Value) -> Result<T, Misfit> {
    T::deserialize(Located(value))
}

/// A value that does not fit its type.
#[derive(Debug)]
pub(crate) struct Misfit {
    /// Where the value is, for example `breakpoints[2].line`. Empty for the whole value.
    pub(crate) field: String,
    /// What is wrong, for example ``invalid type: string "a", expected i64``.
    pub(crate) problem: String,
}

impl Misfit {
    /// The same misfit, seen from the container in which `segment` leads to the value.
    fn inside(self, segment: &str) -> Self {
        let dot = if self.field.is_empty() || self.field.starts_with('[') { "" } else { "." };
        Self { field: format!("{segment}{dot}{}", self.field), problem: self.problem }
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.field, self.problem)
    }
}

impl std::error::Error for Misfit {}

impl de::Error for Misfit {
    fn custom<T: fmt::Display>(problem: T) -> Self {
        Self { field: String::new(), problem: problem.to_string() }
    }

    fn missing_field(field: &'static str) -> Self {
        Self { field: field.to_owned(), problem: "the field is missing".to_owned() }
    }
}

/// A value whose misfits carry the path to it.
#[derive(Clone, Copy)]
struct Located<'a>(&'a Value);

/// Turns an error of `serde_json` about a value into a misfit of the value.
fn whole<T>(read: Result<T, serde_json::Error>) -> Result<T, Misfit> {
    read.map_err(de::Error::custom)
}

impl<'de> Deserializer<'de> for Located<'de> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::Array(elements) => visitor.visit_seq(Elements { rest: elements.iter().enumerate() }),
            Value::Object(fields) => visitor.visit_map(Fields::new(fields)),
            plain => whole(plain.deserialize_any(visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::Array(_) => Err(de::Error::invalid_type(de::Unexpected::Seq, &"an object")),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        whole(self.0.deserialize_enum(name, variants, visitor))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

/// The elements of an array.
struct Elements<'a> {
    rest: std::iter::Enumerate<std::slice::Iter<'a, Value>>,
}

impl<'a> de::SeqAccess<'a> for Elements<'a> {
    type Error = Misfit;

    fn next_element_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<Option<S::Value>, Misfit> {
        let Some((index, value)) = self.rest.next() else { return Ok(None) };
        let read = seed.deserialize(Located(value));
        read.map(Some).map_err(|misfit| misfit.inside(&format!("[{index}]")))
    }
}

/// The fields of an object.
struct Fields<'a> {
    rest: serde_json::map::Iter<'a>,
    /// The field whose key was read last.
    current: Option<(&'a str, &'a Value)>,
}

impl<'a> Fields<'a> {
    fn new(fields: &'a Map<String, Value>) -> Self {
        Self { rest: fields.iter(), current: None }
    }
}

impl<'a> de::MapAccess<'a> for Fields<'a> {
    type Error = Misfit;

    fn next_key_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<Option<S::Value>, Misfit> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        self.current = Some((key, value));
        let key: StrDeserializer<'_, Misfit> = key.as_str().into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<S::Value, Misfit> {
        let (key, value) = self.current.take().ok_or_else(|| de::Error::custom("a value without its key"))?;
        seed.deserialize(Located(value)).map_err(|misfit| misfit.inside(key))
    }
}
