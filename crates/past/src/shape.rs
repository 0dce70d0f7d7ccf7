//! A value with its parts, in the form in which questions contain it (docs/declarative.md).

use indexmap::IndexMap;
use model::quoted;
use serde::Serialize;

/// A value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Shape {
    /// `null`.
    Null,
    /// A primitive value, a string, or a box of a primitive value.
    Plain {
        /// Its type, as in Java.
        #[serde(rename = "type")]
        of: String,
        /// The value.
        value: serde_json::Value,
        /// Whether only the beginning of a string is known.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        truncated: bool,
    },
    /// An object.
    Object {
        /// The binary name of its class.
        #[serde(rename = "type")]
        of: String,
        /// Its number.
        object: u32,
        /// Its text in place of its fields, if its content identifies it: `Level.HIGH`, `Optional[5]`.
        #[serde(skip)]
        shown_as: Option<String>,
        /// Whether it is a record.
        #[serde(skip)]
        is_record: bool,
        /// What identifies it among the objects of its class: the name of an enum constant or class,
        /// `2024-02-29`. `None` if its content does not identify it.
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<String>,
        /// Its fields.
        fields: IndexMap<String, Shape>,
        /// Whether parts are missing.
        truncated: bool,
    },
    /// An array or a collection.
    Array {
        /// Its type, as in Java.
        #[serde(rename = "type")]
        of: String,
        /// Its number.
        object: u32,
        /// Its elements.
        elements: Vec<Shape>,
        /// Whether parts are missing.
        truncated: bool,
    },
    /// A builder with its text.
    Text {
        /// The binary name of its class.
        #[serde(rename = "type")]
        of: String,
        /// Its number.
        object: u32,
        /// Its text, or a part of it. `…` stands for what was not recorded.
        text: String,
        /// The number of characters before that part.
        #[serde(skip_serializing_if = "is_zero")]
        from: usize,
        /// The length of the whole text, in UTF-16 code units or bytes.
        length: usize,
        /// Whether it is only a part, or may be wrong.
        truncated: bool,
    },
    /// A stream with what was printed on it during the call.
    Printed {
        /// The binary name of its class.
        #[serde(rename = "type")]
        of: String,
        /// Its number.
        object: u32,
        /// The beginning of what was printed. `…` stands for what was not recorded.
        printed: String,
        /// The length of all that was printed, in UTF-16 code units or bytes.
        length: usize,
        /// If it is not all: a number that is the same for the same text.
        #[serde(skip_serializing_if = "Option::is_none")]
        digest: Option<String>,
        /// Whether it is not all.
        truncated: bool,
    },
    /// An object that already occurred in the same value.
    Again {
        /// The binary name of its class.
        #[serde(rename = "type")]
        of: String,
        /// Its number.
        object: u32,
        /// Its text if its content identifies it, as for an object.
        #[serde(skip)]
        shown_as: Option<String>,
        /// What identifies it among the objects of its class, as for an object.
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<String>,
    },
    /// A key of a map with its value.
    Pair {
        /// The key.
        key: Box<Shape>,
        /// Its value.
        value: Box<Shape>,
    },
    /// No item: the collection had fewer elements, or the map lacked this key.
    Absent {
        /// Always true.
        absent: bool,
    },
    /// The value was not recorded.
    Unknown {
        /// Always true.
        unknown: bool,
    },
}

impl Shape {
    /// Adds the numbers of all objects in it.
    pub fn objects(&self, numbers: &mut Vec<u32>) {
        match self {
            Shape::Object { object, fields, .. } => {
                numbers.push(*object);
                fields.values().for_each(|value| value.objects(numbers));
            }
            Shape::Array { object, elements, .. } => {
                numbers.push(*object);
                elements.iter().for_each(|element| element.objects(numbers));
            }
            Shape::Pair { key, value } => {
                key.objects(numbers);
                value.objects(numbers);
            }
            Shape::Text { object, .. } | Shape::Printed { object, .. } => numbers.push(*object),
            Shape::Null
            | Shape::Plain { .. }
            | Shape::Again { .. }
            | Shape::Absent { .. }
            | Shape::Unknown { .. } => {}
        }
    }

    /// Its text with at most `room` characters: the deepest nesting that fits, or else as many parts as fit.
    pub fn fitting(&self, room: usize) -> String {
        let fits = |text: &String| text.chars().count() <= room;
        if let Some(text) =
            (0..=3).rev().map(|depth| self.text(depth)).find(|text| fits(text) && *text != self.text(0))
        {
            return text;
        }
        let name = self.text(0);
        let (parts, [open, close]): (Vec<String>, _) = match self {
            Shape::Object { fields, shown_as: None, is_record, .. } => (
                fields.iter().map(|(name, value)| field(name, &value.text(0), *is_record)).collect(),
                if *is_record { ["[", "]"] } else { ["{", "}"] },
            ),
            Shape::Array { elements, .. } => (elements.iter().map(|e| e.text(0)).collect(), ["[", "]"]),
            Shape::Text { .. } => {
                let text = self.quoted_within(room.saturating_sub(name.chars().count() + 1));
                return text.map_or(name.clone(), |text| format!("{name} {text}"));
            }
            Shape::Printed { .. } => return self.quoted_within(room).unwrap_or(name),
            Shape::Plain { value: serde_json::Value::String(text), .. } => return clipped(text, &name, room),
            Shape::Object { shown_as: Some(text), .. } => return clipped(text, &name, room),
            _ => return name,
        };
        let mut out = match self {
            Shape::Object { of, is_record: true, .. } => format!("{}{open}", short(of)),
            _ => format!("{name} {open}"),
        };
        let mut shown = 0;
        for part in &parts {
            // The end of the text must fit too.
            if out.chars().count() + part.chars().count() + ", , …}".len() > room {
                break;
            }
            if shown > 0 {
                out.push_str(", ");
            }
            out.push_str(part);
            shown += 1;
        }
        if shown == 0 { name } else { format!("{out}, …{close}") }
    }

    /// Its text, with objects nested to the given depth.
    pub fn text(&self, depth: usize) -> String {
        match self {
            Shape::Null => "null".to_owned(),
            Shape::Plain { value: serde_json::Value::String(text), of, truncated } => match of.as_str() {
                "char" | "java.lang.Character" => quoted(text, '\''),
                "java.lang.String" if *truncated => format!("{}…", quoted(text, '"')),
                "java.lang.String" => quoted(text, '"'),
                _ => text.clone(),
            },
            Shape::Plain { value, of, .. } => match of.as_str() {
                "long" | "java.lang.Long" => format!("{value}L"),
                "float" | "java.lang.Float" => format!("{value}f"),
                _ => value.to_string(),
            },
            Shape::Again { shown_as: Some(text), .. } | Shape::Object { shown_as: Some(text), .. } => {
                text.clone()
            }
            Shape::Again { of, object, shown_as: None, .. } => format!("{}@{object}", short(of)),
            Shape::Text { of, object, .. } => match (depth, self.quoted()) {
                (1.., Some(text)) => format!("{}@{object} {text}", short(of)),
                _ => format!("{}@{object}", short(of)),
            },
            Shape::Printed { .. } => self.quoted().unwrap_or_default(),
            Shape::Unknown { .. } => "?".to_owned(),
            Shape::Absent { .. } => "nothing".to_owned(),
            Shape::Pair { key, value } => format!("{}: {}", key.text(depth), value.text(depth)),
            Shape::Array { of, object, elements, truncated } => {
                let inside: Vec<String> = elements.iter().map(|e| e.text(depth.saturating_sub(1))).collect();
                let more = if *truncated { ", …" } else { "" };
                match depth {
                    0 => format!("{}@{object}", short(of)),
                    _ => format!("{}@{object} [{}{more}]", short(of), inside.join(", ")),
                }
            }
            Shape::Object { of, object, fields, truncated, is_record, shown_as: None, .. } => {
                let inside: Vec<String> = fields
                    .iter()
                    .map(|(name, value)| field(name, &value.text(depth.saturating_sub(1)), *is_record))
                    .chain(truncated.then(|| "…".to_owned()))
                    .collect();
                match depth {
                    0 => format!("{}@{object}", short(of)),
                    _ if *is_record => format!("{}[{}]", short(of), inside.join(", ")),
                    _ if inside.is_empty() => format!("{}@{object}", short(of)),
                    _ => format!("{}@{object} {{{}}}", short(of), inside.join(", ")),
                }
            }
        }
    }
}

/// A text, or else as much of its beginning as fits. A quoted text keeps its quotes.
fn clipped(text: &str, shown: &str, room: usize) -> String {
    if shown.chars().count() <= room {
        return shown.to_owned();
    }
    let quote = shown.chars().next().filter(|first| *first == '"' && !text.starts_with('"'));
    let part = |count: usize| {
        let part: String = text.chars().take(count).collect();
        quote.map_or(part.clone(), |quote| quoted(&part, quote)) + "…"
    };
    // Escapes make the text longer, so try shorter and shorter ones.
    let fits = |text: &String| text.chars().count() <= room;
    (0..room).rev().map(part).find(fits).unwrap_or_else(|| "…".to_owned())
}

/// The name of a class without its package.
fn short(of: &str) -> String {
    model::short_class_name(of).to_owned()
}

/// A field with its value. Java prints the components of a record with `=`.
fn field(name: &str, value: &str, is_of_record: bool) -> String {
    if is_of_record { format!("{name}={value}") } else { format!("{name}: {value}") }
}

impl Shape {
    /// The text of a builder, or what was printed on a stream, in quotes; `None` for other values.
    pub fn quoted(&self) -> Option<String> {
        match self {
            Shape::Text { text, from, length, truncated, .. } => {
                let before = if *from > 0 { "…" } else { "" };
                let all = text.encode_utf16().count() + from;
                let behind = if *truncated && all < *length { "…" } else { "" };
                Some(quoted(&format!("{before}{text}{behind}"), '"'))
            }
            Shape::Printed { printed, truncated, .. } => {
                let behind = if *truncated { "…" } else { "" };
                Some(quoted(&format!("{printed}{behind}"), '"'))
            }
            _ => None,
        }
    }

    /// The same with at most `room` characters: the end of a builder's text, the beginning of what was
    /// printed.
    pub fn quoted_within(&self, room: usize) -> Option<String> {
        let whole = self.quoted()?;
        if whole.chars().count() <= room {
            return Some(whole);
        }
        let inside: Vec<char> = match self {
            Shape::Text { text, .. } => text.chars().rev().collect(),
            Shape::Printed { printed, .. } => printed.chars().collect(),
            _ => return None,
        };
        // Escapes make the text longer, so try shorter and shorter ones.
        let shortened = |count: usize| {
            let part = inside.get(..count).unwrap_or(&inside);
            match self {
                Shape::Text { .. } => format!("…{}", part.iter().rev().collect::<String>()),
                _ => format!("{}…", part.iter().collect::<String>()),
            }
        };
        (0..=room.min(inside.len()))
            .rev()
            .map(|count| quoted(&shortened(count), '"'))
            .find(|text| text.chars().count() <= room)
            .or(Some("\"…\"".to_owned()))
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The Java name of a class: `[I` is `int[]`.
pub fn type_name(class: &str) -> String {
    if class.starts_with('[') {
        bytecode::descriptor::java_type(&class.replace('.', "/"))
    } else {
        class.to_owned()
    }
}
