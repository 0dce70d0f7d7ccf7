//! Formats values. This is the only place that decides how a value reads, for every back end
//! (docs/formats.md, "Values").

use super::content::{LambdaCode, ObjectContents, ObjectDescription};
use super::names::short_class_name;
use super::tables::Tables;
use super::value::{ObjectId, Value};
use descriptor::written;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// Maximum length of one part of an object's contents, in characters.
const PART: usize = 60;
/// Maximum length of an object's contents, in characters.
const WHOLE: usize = 240;

/// Formats values as in Java source (DESIGN §6). Numbers objects `Rec@1`, `Rec@2` per class in the order of
/// their use in one answer, so that every back end prints the same.
#[derive(Default)]
pub struct Namer {
    numbers: HashMap<ObjectId, String>,
    next: HashMap<String, u32>,
    lambdas: HashMap<Arc<LambdaCode>, String>,
}

impl Namer {
    /// The text of a value: `-387`, `"BG"`, `'c'`, `null`, `2L`, `1.5f`, `Rec@2`, `int[]@1`, `Integer 5`,
    /// `Level.HIGH`, `unassigned`.
    pub fn text(&mut self, value: &Value, tables: &Tables) -> String {
        // Allocates a number even if it is not shown, so that the numbers of other objects do not depend on
        // what is known about this one.
        let identity = self.identity(value, tables);
        match value.object_id().and_then(|id| tables.description(id)) {
            Some(ObjectDescription::Boxed(inside)) => {
                boxed(&tables.class_name(value).unwrap_or_default(), inside)
            }
            Some(ObjectDescription::Text(text)) => text.to_string(),
            Some(ObjectDescription::Optional(inside)) => optional(&self.item(inside, tables)),
            Some(ObjectDescription::Lambda(code)) => self.lambda(code),
            Some(ObjectDescription::Exception { .. }) | None => identity,
        }
    }

    /// The class and number of an object, even if [`Namer::text`] has a better description.
    pub fn identity(&mut self, value: &Value, tables: &Tables) -> String {
        match value {
            Value::Unassigned => "unassigned".to_owned(),
            Value::Absent => "absent".to_owned(),
            Value::Failed(reason) => format!("? ({})", tables.reason(*reason)),
            Value::Void => "void".to_owned(),
            Value::Null => "null".to_owned(),
            Value::Boolean(b) => b.to_string(),
            Value::Byte(v) => v.to_string(),
            Value::Short(v) => v.to_string(),
            Value::Int(v) => v.to_string(),
            Value::Long(v) => format!("{v}L"),
            Value::Float(v) => float_text(f64::from(*v), &format!("{v:?}"), "Float", "f"),
            Value::Double(v) => float_text(*v, &format!("{v:?}"), "Double", ""),
            Value::Char(c) => quoted(&String::from_utf16_lossy(&[*c]), '\''),
            Value::Str(s) => quoted(&s.text, '"'),
            Value::Object { id, class } => self.object(*id, &tables.class(*class)),
        }
    }

    /// The text of an element of a collection. A boxed value reads like the primitive.
    pub fn item(&mut self, value: &Value, tables: &Tables) -> String {
        match value.object_id().and_then(|id| tables.description(id)) {
            Some(ObjectDescription::Boxed(inside)) => self.identity(&inside.clone(), tables),
            _ => self.text(value, tables),
        }
    }

    /// The contents of an object, shown after its name: `{total: 90, open: true}`, `[1, 2, … 7 more]`, or the
    /// quoted message of an exception, with its causes. `None` if nothing is known.
    pub fn contents(
        &mut self,
        value: &Value,
        contents: Option<&ObjectContents>,
        tables: &Tables,
    ) -> Option<String> {
        if let Some(ObjectDescription::Exception { message, .. }) =
            value.object_id().and_then(|id| tables.description(id))
        {
            let message = message.as_deref().map(message_text);
            return exception_text(message, &self.causes(value, tables));
        }
        let (parts, size, [open, close]) = match contents? {
            ObjectContents::Elements { first, size } => {
                (first.iter().map(|v| self.item(v, tables)).collect::<Vec<_>>(), *size, ["[", "]"])
            }
            ObjectContents::Pairs { first, size } => {
                let pair = |(key, value): &(Value, Value)| {
                    let key = shortened(&self.item(key, tables), PART);
                    format!("{key}: {}", shortened(&self.item(value, tables), PART))
                };
                (first.iter().map(pair).collect(), *size, ["{", "}"])
            }
            ObjectContents::Fields { first, size } => {
                let field = |(name, value): &(Arc<str>, Value)| {
                    let name = written::member(name);
                    format!("{name}: {}", shortened(&self.text(value, tables), PART))
                };
                (first.iter().map(field).collect(), *size, ["{", "}"])
            }
            ObjectContents::Text(text) => return Some(quoted(&shortened(text, WHOLE), '"')),
            ObjectContents::Value(value) => (vec![self.item(value, tables)], 1, ["[", "]"]),
        };
        Some(format!("{open}{}{close}", listed(&parts, size)))
    }

    /// The causes of an exception, each the cause of the one before it.
    pub fn causes(&mut self, exception: &Value, tables: &Tables) -> Vec<ExceptionCause> {
        let cause = |value: &Value| match tables.description(value.object_id()?)? {
            ObjectDescription::Exception { cause, .. } => Some(cause.clone()),
            _ => None,
        };
        let causes = causes(exception.clone(), cause);
        let told = |value: Value| {
            let message = match value.object_id().and_then(|id| tables.description(id)) {
                Some(ObjectDescription::Exception { message, .. }) => message.clone(),
                _ => None,
            };
            let class = tables.class_name(&value).map(|class| class.to_string()).unwrap_or_default();
            ExceptionCause {
                object: self.identity(&value, tables),
                class,
                message: message.map(|m| (*m).to_owned()),
            }
        };
        causes.into_iter().map(told).collect()
    }

    /// Sets the text of a lambda, taken from its source.
    pub fn name_lambda(&mut self, code: Arc<LambdaCode>, text: String) {
        self.lambdas.insert(code, text);
    }

    fn lambda(&self, code: &Arc<LambdaCode>) -> String {
        self.lambdas.get(code).cloned().unwrap_or_else(|| lambda_text(code))
    }

    fn object(&mut self, id: ObjectId, class: &str) -> String {
        if let Some(known) = self.numbers.get(&id) {
            return known.clone();
        }
        let short = short_class_name(class);
        let number = self.next.entry(short.clone()).or_insert(0);
        *number += 1;
        let text = format!("{short}@{number}");
        self.numbers.insert(id, text.clone());
        text
    }
}

/// A lambda by its place, or a method reference by its target: `Shop.java:41 lambda`, `Order::total`. The
/// source can give a better text ([`Namer::name_lambda`]).
pub fn lambda_text(code: &LambdaCode) -> String {
    match (&code.place, code.is_body()) {
        (Some((file, line)), true) => format!("{file}:{line} lambda"),
        (None, true) => format!("lambda of {}", short_class_name(&code.class)),
        (_, false) => {
            let method = if &*code.method == "<init>" { "new" } else { &code.method };
            format!("{}::{method}", short_class_name(&code.class))
        }
    }
}

/// Number of causes that are followed.
const CAUSES: usize = 4;

/// A cause of an exception.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceptionCause {
    /// The exception object, as `IOException@1`.
    pub object: String,
    /// Binary name of its class.
    pub class: String,
    /// Its message, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The causes of an exception, each the cause of the one before it, for every back end. An exception that is
/// its own cause has none yet, and several can be each other's.
pub fn causes<E: PartialEq>(exception: E, cause: impl Fn(&E) -> Option<E>) -> Vec<E> {
    let mut all = vec![exception];
    while let Some(next) = all.last().and_then(&cause).filter(|next| !all.contains(next))
        && all.len() <= CAUSES
    {
        all.push(next);
    }
    all.remove(0);
    all
}

/// The message of an exception and its causes, shown after its name:
/// `"no stock" caused by IOException@2 "disk full"`. `None` if it has neither.
pub fn exception_text(message: Option<String>, causes: &[ExceptionCause]) -> Option<String> {
    let causes = causes.iter().map(|cause| {
        let message = cause.message.iter().map(|text| format!(" {}", message_text(text)));
        format!("caused by {}{}", cause.object, message.collect::<String>())
    });
    let parts: Vec<String> = message.into_iter().chain(causes).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// The message of an exception, shown after its name.
pub fn message_text(message: &str) -> String {
    quoted(&shortened(message, WHOLE), '"')
}

/// An `Optional` with its value.
pub fn optional(inside: &str) -> String {
    format!("Optional[{inside}]")
}

/// A boxed value with its class: `Integer 5`, `Long 5`, `Character 'c'`.
pub fn boxed(class: &str, inside: &Value) -> String {
    let text = Namer::default().identity(inside, &Tables::default());
    // The class name makes the suffix redundant.
    let text = match inside {
        Value::Long(_) => text.trim_end_matches('L'),
        Value::Float(v) if v.is_finite() => text.trim_end_matches('f'),
        _ => &text,
    };
    let short = short_class_name(class);
    // `Double.NaN` already names its class.
    if text.starts_with(&format!("{short}.")) { text.to_owned() } else { format!("{short} {text}") }
}

/// Joins the parts with commas and adds the number of omitted ones.
fn listed(parts: &[String], size: usize) -> String {
    let mut out = String::new();
    let mut shown = 0;
    for part in parts {
        let part = shortened(part, PART);
        if shown > 0 && out.chars().count() + part.chars().count() > WHOLE {
            break;
        }
        if shown > 0 {
            out.push_str(", ");
        }
        out.push_str(&part);
        shown += 1;
    }
    if size > shown {
        let comma = if shown > 0 { ", " } else { "" };
        // Writing to a String cannot fail.
        let _ = write!(out, "{comma}… {} more", size - shown);
    }
    out
}

/// Truncates a text to `most` characters.
fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

fn float_text(value: f64, digits: &str, class: &str, suffix: &str) -> String {
    if value.is_nan() {
        format!("{class}.NaN")
    } else if value.is_infinite() {
        format!("{class}.{}_INFINITY", if value > 0.0 { "POSITIVE" } else { "NEGATIVE" })
    } else {
        format!("{digits}{suffix}")
    }
}

/// A text in quotes, with Java escapes.
pub fn quoted(text: &str, quote: char) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
mod tests {
    use super::super::value::JavaString;
    use super::*;

    #[test]
    fn values_read_as_in_java() {
        let mut tables = Tables::default();
        let rec = tables.class_key("shop.Outer$Rec");
        let mut namer = Namer::default();
        let mut text = |v: Value| namer.text(&v, &tables);
        assert_eq!(text(Value::Int(-387)), "-387");
        assert_eq!(text(Value::Long(2)), "2L");
        assert_eq!(text(Value::Double(1.0)), "1.0");
        assert_eq!(text(Value::Float(f32::NAN)), "Float.NaN");
        assert_eq!(text(Value::Char(u16::from(b'\''))), "'\\''");
        let s = JavaString { id: ObjectId(1), text: "B\"G\n".into() };
        assert_eq!(text(Value::Str(Arc::new(s))), "\"B\\\"G\\n\"");
        assert_eq!(text(Value::Object { id: ObjectId(9), class: rec }), "Outer.Rec@1");
        assert_eq!(text(Value::Object { id: ObjectId(7), class: rec }), "Outer.Rec@2");
        assert_eq!(text(Value::Object { id: ObjectId(9), class: rec }), "Outer.Rec@1");
    }

    #[test]
    fn a_boxed_value_reads_with_its_class() {
        let long = boxed("java.lang.Long", &Value::Long(5));
        let float = boxed("java.lang.Float", &Value::Float(1.5));
        let nan = boxed("java.lang.Double", &Value::Double(f64::NAN));
        let character = boxed("java.lang.Character", &Value::Char(u16::from(b'x')));
        assert_eq!([long, float, nan, character], ["Long 5", "Float 1.5", "Double.NaN", "Character 'x'"]);
    }

    #[test]
    fn generated_classes_are_shown_without_their_numbers() {
        for (class, shown) in [
            ("shop.Prices$MockitoMock$1942057621", "Prices.MockitoMock"),
            ("shop.Prices$MockitoMock/generated", "Prices.MockitoMock"),
            ("shop.Order$$EnhancerBySpringCGLIB$$4e1a", "Order.EnhancerBySpringCGLIB"),
            ("shop.Order_$$_jvst4e1_0", "Order.jvst"),
            ("jdk.proxy2.$Proxy12", "$Proxy"),
            ("shop.Outer$Inner", "Outer.Inner"),
        ] {
            assert_eq!(short_class_name(class), shown, "{class}");
        }
    }

    #[test]
    fn descriptions_do_not_change_the_numbers_of_other_objects() {
        let mut tables = Tables::default();
        let class = tables.class_key("java.lang.Integer");
        let integer = |id| Value::Object { id: ObjectId(id), class };
        tables.describe(ObjectId(1), ObjectDescription::Boxed(Value::Int(7)));
        let mut namer = Namer::default();
        assert_eq!(namer.text(&integer(1), &tables), "Integer 7");
        assert_eq!(namer.identity(&integer(1), &tables), "Integer@1");
        assert_eq!(namer.text(&integer(2), &tables), "Integer@2");
    }

    #[test]
    fn contents_are_bounded() {
        let tables = Tables::default();
        let first: Vec<Value> = (0..16).map(Value::Int).collect();
        let object = Value::Object { id: ObjectId(1), class: super::super::ClassKey(0) };
        let mut namer = Namer::default();
        let text = namer.contents(&object, Some(&ObjectContents::Elements { first, size: 1000 }), &tables);
        assert_eq!(
            text.as_deref(),
            Some("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, … 984 more]")
        );
        let long = JavaString { id: ObjectId(2), text: "x".repeat(500) };
        let fields = vec![(Arc::from("name"), Value::Str(Arc::new(long)))];
        let text = namer.contents(&object, Some(&ObjectContents::Fields { first: fields, size: 1 }), &tables);
        assert!(text.is_some_and(|text| text.ends_with("x…}") && text.chars().count() < 80));
    }
}
