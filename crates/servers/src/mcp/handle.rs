//! The names by which tools refer to things: `trace:1`, `call:12`, `event:12.4`, `object:7`, `answer:2`,
//! `diagnosis:1`. Agents also write what texts show: `#12`, `12`, `Rec@7`.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// A number of things of a kind, such as `trace:1`.
pub(super) fn numbered(text: &str, kind: &str) -> Option<usize> {
    let bare = text.trim().strip_prefix(kind).and_then(|rest| rest.strip_prefix(':')).unwrap_or(text.trim());
    bare.parse().ok().filter(|number| *number > 0)
}

/// A text or a number, as a text.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Text(String),
        Number(u64),
    }
    Ok(match Written::deserialize(from)? {
        Written::Text(text) => text,
        Written::Number(number) => number.to_string(),
    })
}

/// A call: `call:12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallHandle(pub u32);

impl<'de> Deserialize<'de> for CallHandle {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<CallHandle, D::Error> {
        let text = text(from)?;
        let bare = text.trim().trim_start_matches("call:").trim_start_matches('#');
        let number = bare.parse().map_err(|_| {
            serde::de::Error::custom(format_args!("`{text}` is no call: write one such as `call:12`"))
        })?;
        Ok(CallHandle(number))
    }
}

impl Serialize for CallHandle {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("call:{}", self.0))
    }
}

impl JsonSchema for CallHandle {
    fn schema_name() -> Cow<'static, str> {
        "CallHandle".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

/// A recording: `trace:1`, or a folder below the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceHandle(pub String);

impl<'de> Deserialize<'de> for TraceHandle {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<TraceHandle, D::Error> {
        Ok(TraceHandle(text(from)?))
    }
}

impl JsonSchema for TraceHandle {
    fn schema_name() -> Cow<'static, str> {
        "TraceHandle".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

/// An object or variable as recordings write it: `object:7.bar` is `@7.bar`.
pub(super) fn variable(text: &str) -> String {
    match text.trim().strip_prefix("object:") {
        Some(rest) => format!("@{rest}"),
        None => text.trim().to_owned(),
    }
}

/// The handle of an object that a text shows: `Rec@7` is `object:7`.
pub(super) fn object(shown: &str) -> Option<String> {
    let name = shown.split_whitespace().next()?;
    let (_, number) = name.rsplit_once('@')?;
    number.parse::<u32>().ok().map(|number| format!("object:{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_read_in_every_form_that_texts_have() {
        let call = |json: &str| serde_json::from_str::<CallHandle>(json).ok().map(|call| call.0);
        assert_eq!(["12", "\"12\"", "\"call:12\"", "\"#12\""].map(call), [Some(12); 4]);
        assert_eq!([r#""trace:1""#, "-1", "\"\"", "[]"].map(call), [None; 4]);
        assert_eq!(numbered("trace:3", "trace"), Some(3));
        assert_eq!(numbered("3", "trace"), Some(3));
        assert_eq!(["0", "call:3", "trace:x"].map(|text| numbered(text, "trace")), [None; 3]);
        assert_eq!(variable("object:7.bar"), "@7.bar");
        assert_eq!(variable("Rec@7.bar"), "Rec@7.bar");
        assert_eq!(object("Rec@7 \"x\"").as_deref(), Some("object:7"));
        assert_eq!(object("\"a@7\" b"), None);
    }
}
